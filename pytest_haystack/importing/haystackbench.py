"""Configs of HaystackBench 0.1: one task, a grid with depths from 0 to 1, several models."""

from __future__ import annotations

import os
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from string import Formatter
from typing import Any

from pytest_haystack.errors import HaystackError
from pytest_haystack.importing.foreign import Foreign, distinct, literal, name_of
from pytest_haystack.importing.needlehaystack import STAND_IN

#: Provider to the prefix of its litellm model strings and the variable that holds its key there.
_PROVIDERS: dict[Any, tuple[str, str | None]] = {
    "anthropic": ("anthropic", "ANTHROPIC_API_KEY"),
    "openai": ("openai", "OPENAI_API_KEY"),
    "google": ("gemini", "GOOGLE_API_KEY"),
    "mistral": ("mistral", "MISTRAL_API_KEY"),
    "cohere": ("cohere_chat", "COHERE_API_KEY"),
    "groq": ("groq", "GROQ_API_KEY"),
    "ollama": ("ollama_chat", None),
}
#: What that tool takes where the file says nothing.
_LENGTHS, _DEPTHS, _JUDGE = (4096, 8192, 32768), (0.0, 0.25, 0.5, 0.75, 1.0), "claude-haiku-4-5-20251001"
_RELATIONS = {"parent": "parent", "manager": "reports", "precedes": "precedes"}
#: Depths (percent) of its two contradictory facts.
_CONFLICT = {"first_depth": 15, "last_depth": 85}
_MOST_HOPS = 10
_ATTRIBUTES = ["weight", "height", "depth", "age", "capacity", "length", "width", "output"]
#: Tasks whose scoring method the file decides.
_SCORED = ("s_rt", "m_rt", "distractor")
_SEVERAL = ("m_rt", "m_rs", "counting", "key_value")
_NO_SETTING = "there is no such setting here"


def from_haystackbench(bench: Foreign, path: Path, out_dir: Path) -> dict[str, Any]:
    """The settings of a config, which is at ``path``; paths of haystacks are written relative to ``out_dir``.

    Raises HaystackError where a part of it has a shape that the tool itself would not read.
    """
    settings: dict[str, Any] = {"name": name_of(bench.take("name"), path.stem)}
    bench.take("description")
    bench.lost_if("tags", _NO_SETTING, [])
    settings["models"], prompt = _models(bench)
    if prompt:
        settings["prompt"] = {"preset": "default", "system": prompt}
    settings["haystack"] = _haystack(bench.mapping("haystack_config"), out_dir)
    settings["sweep"] = {
        "context_lengths": _ascending(bench.items("context_lengths", _LENGTHS)),
        "depth_percents": _depths(bench),
        "trials": bench.take("trials_per_cell", 1),
    }
    settings["tasks"] = [_task(bench)]
    settings["threshold"] = 0
    bench.lost_if("resume_from_checkpoint", "runs are resumed by --haystack-resume, not by the file", False)
    bench.rest(_NO_SETTING)
    return settings


def _ascending(values: list[Any]) -> list[Any]:
    """As that tool sorts an axis; what cannot be sorted is left to be refused."""
    try:
        return sorted(set(values))
    except TypeError:
        return values


def _depths(bench: Foreign) -> list[Any]:
    given = _ascending(bench.items("depth_percents", _DEPTHS))
    depths = distinct(_percent(depth) for depth in given)
    if len(depths) < len(given):
        bench.lost("depth_percents", "depths have two decimals of a percent here; those that are equal then stand once")
    return depths


def _percent(depth: Any) -> Any:
    number = isinstance(depth, int | float) and not isinstance(depth, bool)
    return float(100 * depth) if number else depth


def _models(bench: Foreign) -> tuple[list[dict[str, Any]], str | None]:
    limits = {
        ours: bench.take(theirs)
        for theirs, ours in (
            ("max_concurrency", "in_flight"),
            ("timeout_seconds", "timeout"),
            ("retry_attempts", "retries"),
        )
        if theirs in bench
    }
    models = [Foreign(one, f"models[{number}]", bench.notes) for number, one in enumerate(bench.items("models"))]
    if not models:
        bench.lost("models", "none is named, as they may come by command line there; the embedded reader stands in")
        return [{"id": "reader", "model": STAND_IN}], None
    systems = [model.text("system_prompt") for model in models]
    shared = systems[0] if len(set(systems)) == 1 else None
    made: list[dict[str, Any]] = []
    for model, system in zip(models, systems, strict=True):
        if system != shared:
            model.lost("system_prompt", "all models have one prompt here; use `prompts` to compare several")
        entry = _model(model)
        taken = {one["id"] for one in made}
        if entry["id"] in taken:
            entry["id"] = next(name for n in range(2, 10_000) if (name := f"{entry['id']}-{n}") not in taken)
        made.append(entry | ({"limits": limits} if limits else {}))
    return made, shared


def _model(model: Foreign) -> dict[str, Any]:
    provider, name = model.take("provider"), model.text("model") or ""
    if provider not in _PROVIDERS or not name:
        model.lost("provider", f"{provider!r} has no counterpart here; the embedded reader stands in for {name!r}")
        for unused in ("temperature", "max_tokens", "extra_params"):
            model.take(unused)
        model.rest(_NO_SETTING)
        return {"id": name_of(name, "reader"), "model": STAND_IN}
    prefix, key = _PROVIDERS[provider]
    entry: dict[str, Any] = {"id": name_of(name, "model"), "model": f"{prefix}/{name}"}
    if key:
        entry["api_key_env"] = key
    extra = model.mapping("extra_params").others()
    request = {"temperature": model.take("temperature", 0), "max_tokens": model.take("max_tokens", 512)}
    model.rest(_NO_SETTING)
    return {**entry, "request": {**request, **extra}}


def _haystack(haystack: Foreign, out_dir: Path) -> dict[str, Any]:
    source = haystack.take("source", "paul_graham")
    haystack.lost_if("language", "the texts that come with this package are English", "en")
    haystack.lost_if("padding_strategy", "a text that is too short is repeated behind a separator", "repeat")
    haystack.lost_if("arxiv_subject", "goes with a source of its own", "cs.AI")
    haystack.lost_if("synthetic_paragraphs", "as many are made as a document needs", 100)
    path = haystack.text("custom_path") if source == "custom" else None
    made: dict[str, Any] = {"source": "essays"}
    if source == "synthetic":
        made = {"source": "synthetic"}
    elif path and Path(path).exists():
        relative = os.path.relpath(Path(path).absolute(), out_dir.absolute())
        made = {"source": "files", "path": Path(relative).as_posix()}
    elif source == "custom":
        haystack.lost("custom_path", f"there is no {path!r}; the bundled essays stand in")
    else:
        haystack.lost("source", f"the texts of {source!r} do not come with this package; its own essays stand in")
    haystack.rest("goes with another source")
    return made


def _task(bench: Foreign) -> dict[str, Any]:
    kind = str(bench.take("task_type", "s_rt")).lower().replace("-", "_")
    needle = bench.mapping("needle_config")
    counts = _ascending(bench.items("num_needles", (1,)))
    makers: dict[str, Callable[[], dict[str, Any]]] = {
        "s_rt": lambda: {"type": "single", **_origin(bench, needle, 1)},
        "m_rt": lambda: _several(bench, "multi", counts, 1) | _origin(bench, needle, _most(counts)),
        "m_rs": lambda: _reasoning(bench, needle, counts),
        "atc": lambda: _ancestry(needle),
        "counting": lambda: {"type": "counting", "count": _one_or_list(_at_least(1, counts)), "placement": "uniform"},
        "key_value": lambda: {"type": "key_value", "items": _one_or_list(_at_least(2, counts))},
        "conflicting": lambda: {"type": "conflicting", **_CONFLICT},
        "distractor": lambda: {"type": "distractor"},
    }
    if kind not in makers:
        raise HaystackError(f"task_type: {kind!r} is no task of HaystackBench 0.1; it has {', '.join(makers)}")
    made = makers[kind]()
    if kind not in _SEVERAL and counts != [1]:
        bench.lost("num_needles", f"{kind} has no number of needles")
    bench.take("depth_distribution")
    _needle_rest(needle, kind, ranged=bool({"value", "needle"} & made.keys()))
    if "custom_needles" in bench and "fixed" not in made and kind not in ("s_rt", "m_rt"):
        bench.lost("custom_needles", f"{kind} makes its own needles")
    return made | _scorer(bench, kind)


def _needle_rest(needle: Foreign, kind: str, ranged: bool) -> None:
    needle.take("needle_type")
    needle.lost_if("domain", "facts are about invented things", "general")
    needle.lost_if("ensure_unique", "needles are always unlike each other", True)
    if not ranged:
        needle.lost_if("value_range", "values of this task have a range of their own", [1, 999])
    for key in ("atc_structure", "atc_hop_depth", "atc_relationship_type", "reasoning_type"):
        needle.take(key)
    needle.rest(f"{kind} has no such option here")


def _at_least(least: int, counts: list[Any]) -> list[Any]:
    return list(dict.fromkeys(max(least, n) if isinstance(n, int) else n for n in counts))


def _one_or_list(counts: list[Any]) -> Any:
    return counts[0] if len(counts) == 1 else counts


def _most(counts: list[Any]) -> int:
    return max((n for n in counts if isinstance(n, int)), default=1)


def _several(bench: Foreign, kind: str, counts: list[Any], least: int) -> dict[str, Any]:
    placement = bench.take("depth_distribution", "uniform")
    return {"type": kind, "needles": _one_or_list(_at_least(least, counts)), "placement": placement}


def _reasoning(bench: Foreign, needle: Foreign, counts: list[Any]) -> dict[str, Any]:
    kind = needle.take("reasoning_type", "sum")
    if kind == "min":
        needle.lost("reasoning_type", "there is no min here; max asks for the same at the other end")
        kind = "max"
    elif kind in ("conditional", "chain"):
        needle.lost("reasoning_type", f"{kind} is asked here as its name says; 0.1.0 asks for the sum")
    return {**_several(bench, "reasoning", counts, 3 if kind == "conditional" else 2), "kind": kind}


def _ancestry(needle: Foreign) -> dict[str, Any]:
    hops, relation = needle.take("atc_hop_depth", 3), needle.take("atc_relationship_type", "parent")
    if isinstance(hops, int) and hops > _MOST_HOPS:
        needle.lost("atc_hop_depth", f"{hops} is more than {_MOST_HOPS}, the most here, which it is set to")
        hops = _MOST_HOPS
    if relation not in _RELATIONS:
        needle.lost("atc_relationship_type", f"there is no {relation!r} here; each family has one of its own (mixed)")
    structure = needle.take("atc_structure", "chain")
    return {"type": "ancestry", "structure": structure, "hops": hops, "relation": _RELATIONS.get(relation, "mixed")}


def _origin(bench: Foreign, needle: Foreign, count: int) -> dict[str, Any]:
    """Where the needles of single and multiple retrieval come from."""
    own = [Foreign(one, f"custom_needles[{n}]", bench.notes) for n, one in enumerate(bench.items("custom_needles"))]
    fixed = []
    for entry in own:
        entry.take("name")
        parts = [entry.text(key) for key in ("needle_text", "question", "expected_answer")]
        if all(part and part.strip() for part in parts):
            fixed.append(dict(zip(("needle", "question", "answer"), parts, strict=True)))
        else:
            entry.lost("question", "a needle of one's own needs statement, question and answer; it is left out")
    if own and len(fixed) < count:
        bench.lost("custom_needles", f"{count} are hidden at once and {len(fixed)} are whole; facts are invented")
    elif fixed:
        return {"fixed": fixed}
    kind, template, span = (needle.take(key) for key in ("needle_type", "template", "value_range"))
    low, high = span if isinstance(span, list | tuple) and len(span) == 2 else (1, 999)
    if isinstance(template, str):
        if made := _template(template, low, high):
            return {"needle": made}
        needle.lost("template", "names something else than {entity}, {attribute} and {value}; facts are invented")
    if kind == "synthetic_numeric":
        return {"value": {"type": "int", "min": low, "max": high}}
    return {}


def _template(template: str, low: Any, high: Any) -> dict[str, Any] | None:
    variables: dict[str, Any] = {
        "entity": {"type": "random_word"},
        "attribute": {"type": "wordlist", "values": _ATTRIBUTES},
        "value": {"type": "random_int", "min": low, "max": high},
    }
    try:
        parts = list(Formatter().parse(template))
    except ValueError:
        return None
    names = {name for _, name, _, _ in parts if name is not None}
    if not {"entity", "value"} <= names <= variables.keys():
        return None
    written = "".join(literal(text) + (f"{{{{ {name} }}}}" if name else "") for text, name, _, _ in parts)
    attribute = "the {{ attribute }}" if "attribute" in names else "the value"
    return {
        "template": written,
        "question": f"What is {attribute} of {{{{ entity }}}}?",
        "answer": "{{ value }}",
        "variables": {name: variables[name] for name in variables if name in names},
    }


def _scorer(bench: Foreign, kind: str) -> dict[str, Any]:
    scoring = bench.mapping("scoring")
    method = scoring.take("method", "auto")
    judge, provider = scoring.take("judge_model", _JUDGE), scoring.take("judge_provider", "anthropic")
    threshold, tolerance = scoring.take("semantic_threshold", 0.8), scoring.take("numeric_tolerance", 0.01)
    scoring.rest(_NO_SETTING)
    if method != "auto" and kind not in _SCORED:
        scoring.lost("method", f"{kind} is scored by a rule of its own")
        return {}
    if method in ("exact", "substring"):
        return {"scorer": "substring"}
    if method == "numeric":
        return {"scorer": {"name": "numeric", "rel_tol": tolerance}}
    if method == "semantic":
        if find_spec("sentence_transformers") is None:
            scoring.lost("method", "set `scorer: semantic` after pip install 'pytest-haystack[semantic]'")
            return {}
        return {"scorer": {"name": "semantic", "threshold": threshold}}
    if method == "llm_judge":
        if provider not in _PROVIDERS:
            scoring.lost("judge_provider", f"{provider!r} has no counterpart here; no judge is asked")
            return {}
        prefix, key = _PROVIDERS[provider]
        return {"scorer": {"name": "judge", "model": f"{prefix}/{judge}"} | ({"api_key_env": key} if key else {})}
    if method != "auto":
        scoring.lost("method", f"{method!r} has no counterpart here; answers are scored by what was planted")
    elif kind in _SCORED:
        scoring.lost("method", "auto lets numbers pass that are off by 1 percent; here they are exact (see rel_tol)")
    return {}
