"""Words that people bring along from other tools, and what they are called here."""

from __future__ import annotations

from collections.abc import Collection, Mapping

#: Keys by their name elsewhere; of several the first that is known where the key stands.
_KEYS: Mapping[str, tuple[str, ...]] = {
    "at_least": ("min",),
    "at_most": ("max",),
    "base_url": ("api_base",),
    "concurrency": ("in_flight",),
    "context_size": ("context_window",),
    "cost": ("pricing", "budget"),
    "count": ("num", "needles"),
    "depth": ("depth_percents",),
    "dir": ("path",),
    "directory": ("path",),
    "endpoint": ("api_base",),
    "expected_failures": ("known_failures",),
    "file": ("path",),
    "files": ("path",),
    "folder": ("path",),
    "intervals": ("num",),
    "max_concurrency": ("in_flight",),
    "max_context": ("context_window",),
    "max_retries": ("retries",),
    "n": ("needles", "num"),
    "name": ("id",),
    "num_needles": ("needles",),
    "num_trials": ("trials",),
    "points": ("num",),
    "price": ("pricing",),
    "prices": ("pricing",),
    "repeat": ("trials",),
    "repeats": ("trials",),
    "repetitions": ("trials",),
    "rpm": ("requests_per_minute",),
    "runs": ("trials",),
    "samples": ("trials",),
    "step": ("num",),
    "steps": ("num",),
    "threshold": ("min",),
    "tpm": ("tokens_per_minute",),
    "url": ("api_base",),
    "value": ("min",),
    "window": ("context_window",),
    "xfail": ("known_failures",),
}

_REQUEST_KEYS = ("temperature", "max_tokens", "max_completion_tokens", "top_p", "top_k", "stop", "seed", "thinking")
_REQUEST = "it is a parameter of the request; write request: {{{key}: ...}}"
_LIMIT = "it is a limit; write limits: {{{key}: ...}}"
_REPORT = "write report: {{dir: ...}}"
#: What to do with a key that belongs elsewhere, by the mapping that it was found in.
_ELSEWHERE: Mapping[str, Mapping[str, str]] = {
    "": {
        "scorer": "a scorer belongs to a task; write tasks: [{{type: single, scorer: ...}}]",
        "output": _REPORT,
        "output_dir": _REPORT,
        "report_dir": _REPORT,
        "max_cost": "write budget: {{usd: ...}}",
        "context_lengths": "it belongs under sweep",
        "depth_percents": "it belongs under sweep",
        "trials": "it belongs under sweep",
        "seed": "it belongs under sweep",
        "seeds": "it belongs under sweep",
    },
    "models": {
        "provider": "write it before the model's name; e.g. model: openai/gpt-4o-mini",
        **dict.fromkeys(_REQUEST_KEYS, _REQUEST),
        **dict.fromkeys(
            ("requests_per_minute", "tokens_per_minute", "in_flight", "timeout", "retries", "deadline"), _LIMIT
        ),
    },
    "haystack": {"path": "it goes with files; write {{source: files, path: ...}}"},
}

#: Tasks, metrics and sources by their name elsewhere.
_NAMES: Mapping[str, str] = {
    "accuracy": "mean_score",
    "atc": "ancestry",
    "cost": "cost_usd",
    "directory": "files",
    "effective_length": "effective_context_length",
    "file": "files",
    "folder": "files",
    "kv": "key_value",
    "latency": "p95_latency_seconds",
    "m_rs": "reasoning",
    "m_rt": "multi",
    "mean": "mean_score",
    "multi_needle": "multi",
    "needle": "single",
    "niah": "single",
    "s_rt": "single",
    "score": "mean_score",
    "single_needle": "single",
    "text": "files",
}

#: Vocabularies by the models that have them.
_VOCABULARIES = (("gpt-4o", "o200k_base"), ("gpt-4.1", "o200k_base"), ("gpt-5", "o200k_base"), ("gpt-4", "cl100k_base"))


def key_advice(owner: str, key: str, known: Collection[str]) -> str:
    """What to do with an unknown key of the mapping ``owner`` ("" at the top); "" where nothing is known of it."""
    elsewhere = _ELSEWHERE.get(owner, {}).get(key)
    if elsewhere is not None:
        return elsewhere.format(key=key)
    found = next((name for name in _KEYS.get(key, ()) if name in known), None)
    return f"did you mean {found!r}?" if found else ""


def other_name(name: str, known: Collection[str]) -> str | None:
    """The name here of what another tool calls ``name``, None where there is none."""
    found = _NAMES.get(name.lower().replace("-", "_"))
    return found if found in known else None


def vocabulary_advice(name: str) -> str:
    """What a tokenizer that is not known may mean."""
    for model, vocabulary in _VOCABULARIES:
        if name.lower().startswith(model):
            return f"did you mean {vocabulary!r}?"
    if "/" in name:
        return "a model's own is measured with its tokenizer.json; write hf:FILE"
    return ""
