"""Run configs of needlehaystack 2: one task, one model file, one sweep."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from math import isfinite
from pathlib import Path
from string import Formatter
from typing import Any

from pytest_haystack.errors import HaystackError
from pytest_haystack.importing.foreign import Foreign, FromVariable, distinct, literal, name_of, variable_name
from pytest_haystack.importing.yaml_file import read_foreign

#: Prefix of the litellm model string, by the SDK and API that a model file names.
_PROVIDERS = {
    ("openai-python", "chat_completions"): "openai",
    ("anthropic-python", "messages"): "anthropic",
    ("cohere-python", "chat"): "cohere_chat",
}
STAND_IN = "simulated/perfect"
#: The folder of essays that comes with that tool.
_BUNDLED = "PaulGrahamEssays"
#: Links of a chain where its length (in identifiers) is not said, and needles of several where they are not.
_CHAIN, _SEVERAL = 5, 3
_OWN_SENTENCE = "its famous sentence is in every model's training data; a fact is invented for each cell instead"


def from_needlehaystack(run: Foreign, path: Path, model_dirs: Sequence[Path], out_dir: Path) -> dict[str, Any]:
    """The settings of a run config, which is at ``path``.

    Model files are looked for in ``model_dirs``, paths of haystacks are written relative to ``out_dir``. Raises
    HaystackError where nothing of use would be left.
    """
    settings: dict[str, Any] = {"name": name_of(run.take("run_name"), path.stem)}
    model = _model(run, path, model_dirs)
    runner = run.mapping("runner")
    limits = {
        ours: runner.take(theirs)
        for theirs, ours in (("concurrency", "in_flight"), ("retries", "retries"))
        if theirs in runner
    }
    if limits:
        model["limits"] = limits
    runner.lost_if("sleep_between_seconds", "requests are spaced by limits.requests_per_minute here", 0)
    runner.lost_if("resume", "runs are resumed by --haystack-resume, not by the file", False)
    runner.rest("there is no such setting here")
    settings["models"] = [model]
    settings["haystack"] = _haystack(run.mapping("haystack"), out_dir)
    settings["sweep"] = _sweep(run.mapping("sweep"))
    settings["tasks"] = [_task(run.mapping("task"))]
    # Their runs measure and gate nothing.
    settings["threshold"] = 0
    store = run.mapping("store")
    if isinstance(place := store.take("path"), str):
        settings["report"] = {"dir": place.removesuffix(".jsonl")}
        store.lost("path", "rows are results.jsonl in a report folder, which is called after it")
    store.lost_if("type", "rows are always JSON lines here", "jsonl")
    run.rest("there is no such setting here")
    return settings


def _model(run: Foreign, path: Path, model_dirs: Sequence[Path]) -> dict[str, Any]:
    named = run.text("model") or ""
    file = _model_file(named, path, model_dirs)
    if file is None:
        run.lost("model", f"no file for {named!r} in configs/models or --model-dir; the embedded reader stands in")
        return {"id": name_of(Path(named).stem, "reader"), "model": STAND_IN}
    model = Foreign(read_foreign(file), f"model {file.name}", run.notes)
    request = model.mapping("request")
    runtime = model.mapping("runtime")
    wire = (runtime.take("sdk"), runtime.take("api"))
    name = request.text("model") or ""
    entry: dict[str, Any] = {"id": name_of(model.take("id"), "model")}
    if wire in _PROVIDERS and name:
        entry["model"] = f"{_PROVIDERS[wire]}/{name}"
    else:
        entry["model"] = STAND_IN
        runtime.lost("sdk", f"{wire[0]}/{wire[1]} has no counterpart here; the embedded reader stands in for {name!r}")
    runtime.lost_if("state", "every prompt is a conversation of its own", "manual_rolling")
    _client(model.mapping("client"), entry)
    request.lost_if("stream", "answers are taken whole", False)
    rest = request.others()
    if entry["model"] != STAND_IN:
        entry |= {"request": rest} if rest else {}
    else:
        for key in rest:
            request.lost(key, "the embedded reader takes no request parameters")
        entry.pop("api_base", None)
        entry.pop("api_key_env", None)
    if "pricing" in model:
        pricing = model.mapping("pricing")
        entry["pricing"] = {"input": pricing.take("input"), "output": pricing.take("output")}
    model.lost_if("agent", "there is no agent loop here", {})
    model.rest("there is no such setting here")
    return entry


def _client(client: Foreign, entry: dict[str, Any]) -> None:
    if "api_key_env" in client:
        if name := variable_name(client.take("api_key_env")):
            entry["api_key_env"] = name
        else:
            client.lost("api_key_env", "is no name of an environment variable; write its name, never the key")
    if "base_url_env" in client:
        if name := variable_name(client.take("base_url_env")):
            entry["api_base"] = FromVariable(f"${{{name}}}")
            if name not in os.environ:
                client.lost("base_url_env", f"api_base is ${{{name}}}, which must be set wherever the file is read")
        else:
            client.lost("base_url_env", "is no name of an environment variable")
    client.rest("clients are made by litellm here")


def _model_file(named: str, path: Path, model_dirs: Sequence[Path]) -> Path | None:
    beside = path.absolute().parent
    direct = [Path(named), beside / named]
    folders = [Path("configs/models"), *model_dirs, beside.parent / "models", beside]
    found = [*direct, *(folder / f"{named}.yaml" for folder in folders)] if named else []
    return next((file for file in found if file.is_file()), None)


def _haystack(haystack: Foreign, out_dir: Path) -> dict[str, Any]:
    kind = haystack.take("type")
    path = haystack.text("path")
    if kind == "text":
        haystack.lost("text", "a text repeated over and over is read from a file here; the bundled essays stand in")
        haystack.lost_if("separator", "goes with that text", "\n\n")
    elif path and path != _BUNDLED and Path(path).is_dir():
        haystack.rest("there is no such setting here")
        relative = os.path.relpath(Path(path).absolute(), out_dir.absolute())
        return {"source": "files", "path": f"{Path(relative).as_posix()}/*.txt"}
    elif path and path != _BUNDLED:
        haystack.lost("path", f"there is no folder {path!r}; the bundled essays stand in")
    else:
        haystack.lost("path", "its essays do not come with this package; its own bundled essays stand in")
    haystack.rest("there is no such setting here")
    return {"source": "essays"}


def _sweep(sweep: Foreign) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for key, whole in (("context_lengths", True), ("depth_percents", False)):
        made[key] = _axis(sweep, key, whole)
    seeds = sweep.items("seeds", [None])
    kept = distinct(seed for seed in seeds if seed is not None)
    if kept:
        made["seeds"] = kept
    if len(kept) != len(seeds) and seeds != [None]:
        sweep.lost("seeds", "every trial here has a seed, and each seed stands once; the others are left out")
    sweep.rest("there is no such setting here")
    return made


def _axis(sweep: Foreign, key: str, whole: bool) -> Any:
    def number(value: Any) -> Any:
        if isinstance(value, str):
            # Their YAML has 2e3 as text, and their models take it for a number.
            with suppress(ValueError):
                value = float(value)
        return round(value) if whole and isinstance(value, float) and isfinite(value) else value

    if isinstance(sweep.take(key), dict):
        span = sweep.mapping(key)
        made = {name: number(span.take(name)) for name in ("min", "max", "num", "scale") if name in span}
        span.rest("a range has min, max, num and scale")
        return made
    values = [number(value) for value in sweep.items(key)]
    kept = distinct(values)
    if len(kept) != len(values):
        sweep.lost(key, "each value stands once here; to ask a cell several times, set sweep.trials")
    return kept


def _task(task: Foreign) -> dict[str, Any]:
    kind = task.text("type")
    makers = {"single": _single, "multi": _multi, "uuid": _uuid, "uuid_chain": _uuid_chain}
    if kind not in makers:
        raise HaystackError(f"task.type: {kind!r} is a task of somebody's own; only {', '.join(makers)} can be turned")
    made = makers[kind](task)
    task.lost_if(
        "snap_to_periods",
        "needles stand between sentences here wherever the depth allows it; see depth_tolerance",
        True,
    )
    task.rest(f"task {kind} has no such option here")
    return made


def _single(task: Foreign) -> dict[str, Any]:
    parts = [task.text(key) for key in ("needle_text", "question_template", "expected_answer")]
    if not all(part and part.strip() for part in parts):
        why = _OWN_SENTENCE if not any(parts) else "needle, question and answer are all needed; " + _OWN_SENTENCE
        task.lost("needle_text", why)
        return {"type": "single"}
    entry = dict(zip(("needle", "question", "answer"), parts, strict=True))
    return {"type": "single", "fixed": [entry], "rotate": False, "scorer": "substring"}


def _multi(task: Foreign) -> dict[str, Any]:
    texts, answers = task.items("needle_texts"), task.items("expected_fragments")
    question = task.text("question_template")
    made: dict[str, Any] = {"type": "multi", "needles": len(texts) or _SEVERAL, "placement": "even_spread"}
    if not texts:
        task.lost("needle_texts", "its famous sentences are in every model's training data; facts are invented instead")
    elif not (question or "").strip() or len(texts) != len(answers):
        task.lost("expected_fragments", "each needle needs an answer and the question is needed; facts are invented")
    else:
        pairs = zip(texts, answers, strict=True)
        made["fixed"] = [{"needle": text, "question": question, "answer": answer} for text, answer in pairs]
        made |= {"rotate": False, "scorer": "substring"}
    return made


def _uuid(task: Foreign) -> dict[str, Any]:
    template, question = task.text("needle_template"), task.text("question_template")
    plain: dict[str, Any] = {"type": "uuid", "scorer": "substring"}
    if template is None and question is None:
        return plain
    statement = _jinja(template or "")
    if statement is None or question is None:
        task.lost("needle_template", "a statement with {uuid} and its question are both needed; our own words stand in")
        return plain
    needle = {
        "template": statement,
        "question": literal(question),
        "answer": "{{ uuid }}",
        "variables": {"uuid": {"type": "uuid"}},
    }
    return {"type": "single", "id": "uuid", "needle": needle, "scorer": "substring"}


def _jinja(template: str) -> str | None:
    """A template of str.format as one of Jinja2's; None where ``uuid`` is not the only thing that it names."""
    try:
        parts = list(Formatter().parse(template))
    except ValueError:
        return None
    if {name for _, name, _, _ in parts if name is not None} != {"uuid"}:
        return None
    return "".join(literal(text) + ("{{ uuid }}" if name else "") for text, name, _, _ in parts)


def _uuid_chain(task: Foreign) -> dict[str, Any]:
    length = task.take("chain_length", _CHAIN)
    if not isinstance(length, int) or length < 2:
        raise HaystackError("task.chain_length: must be a number of identifiers, at least 2")
    for key in ("link_template", "question_template"):
        task.lost_if(key, "a chain has wording of its own here")
    task.lost("type", "the question says that links are to be followed and asks for all; theirs names the first alone")
    return {"type": "uuid_chain", "chain_length": length - 1, "decoys": 0, "placement": "even_spread"}
