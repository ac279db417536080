"""A config of another tool as a sweep file: which tool it is of, and what comes out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from pytest_haystack.config.interpolation import escape
from pytest_haystack.config.loader import load_config
from pytest_haystack.config.resolved import block_yaml
from pytest_haystack.errors import ConfigError, HaystackError
from pytest_haystack.importing.foreign import Foreign, FromVariable
from pytest_haystack.importing.haystackbench import from_haystackbench
from pytest_haystack.importing.needlehaystack import from_needlehaystack
from pytest_haystack.importing.yaml_file import read_foreign
from pytest_haystack.registry import Registry
from pytest_haystack.running.prompts import PRESETS
from pytest_haystack.text import one_line, printable

_BENCH_KEYS = frozenset(
    {"task_type", "num_needles", "needle_config", "haystack_config", "trials_per_cell", "depth_distribution", "scoring"}
)


@dataclass(frozen=True, slots=True)
class Turned:
    """The sweep file as ``yaml``; ``notes``, a line each, say what it does not carry over and why."""

    yaml: str
    notes: tuple[str, ...]


def turn(path: Path, model_dirs: Sequence[Path], out_dir: Path, environ: Mapping[str, str]) -> Turned:
    """Turn a run config of needlehaystack 2, or a config of HaystackBench 0.1, into a valid sweep file.

    ``model_dirs`` are further folders of needlehaystack's model files; ``out_dir`` is where the sweep file will be.
    Raises HaystackError, with one line, where the format is not known or a value is none that a sweep can have.
    """
    data = read_foreign(path)
    if not isinstance(data, dict):
        raise HaystackError(f"{path}: holds no mapping, so it is a config of no tool that is known here")
    notes: list[str] = []
    try:
        source = Foreign(data, "", notes)
        tool = _tool(data)
        if tool == "needlehaystack 2":
            settings = from_needlehaystack(source, path, model_dirs, out_dir)
        else:
            settings = from_haystackbench(source, path, out_dir)
    except HaystackError as error:
        raise HaystackError(f"{path}: {error}") from None
    written = _as_written(settings)
    text = "\n".join([*_head(path, tool, data, notes), block_yaml(written)])
    _check(path, text, environ)
    return Turned(text, tuple(notes))


def _tool(data: Mapping[str, Any]) -> str:
    """The tool that a config is of. Raises HaystackError where it is of none, or no config to run."""
    if isinstance(data.get("task"), dict) and "sweep" in data:
        return "needlehaystack 2"
    if "tasks" in data and "sweep" in data:
        raise HaystackError("is a sweep file of pytest-haystack already; there is nothing to turn")
    if "runtime" in data and "request" in data:
        raise HaystackError("is a model file of needlehaystack 2; give the run config that names it")
    models = data.get("models")
    of_bench = isinstance(models, list) and any(isinstance(one, dict) and "provider" in one for one in models)
    if of_bench or _BENCH_KEYS & data.keys():
        return "HaystackBench"
    raise HaystackError(
        "its format is not known; known are run configs of needlehaystack 2 (task, haystack, sweep) and configs of "
        "HaystackBench 0.1 (task_type, context_lengths, models)"
    )


def _head(path: Path, tool: str, data: Mapping[str, Any], notes: Sequence[str]) -> list[str]:
    lines = [f"Turned from {path.name}, a config of {tool}. It measures and gates nothing: threshold is 0."]
    if isinstance(data.get("description"), str):
        lines.append(one_line(data["description"], 300))
    if notes:
        lines += ["", "Not carried over, or not as it was:", *(f"- {note}" for note in notes)]
    return [f"# {printable(line)}".rstrip() for line in lines]


def _as_written(value: Any) -> Any:
    """Settings with text as a config file has to write it."""
    if isinstance(value, dict):
        return {key: _as_written(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_as_written(item) for item in value]
    if isinstance(value, FromVariable):
        return str(value)
    return escape(value) if isinstance(value, str) else value


class _AnyVariable(dict[str, str]):
    """Every variable is set, to an address: which ones are is a matter of the machine that the sweep runs on."""

    def __missing__(self, key: str) -> str:
        return "http://127.0.0.1:1"

    def __contains__(self, key: object) -> bool:
        return True


def _check(path: Path, text: str, environ: Mapping[str, str]) -> None:
    """Raise HaystackError where the sweep file is not valid: then a value of the other config was not."""
    with TemporaryDirectory() as folder:
        file = Path(folder, "haystack.yaml")
        file.write_text(text, encoding="utf-8")
        try:
            load_config(file, Registry(), environ=_AnyVariable(environ), presets=PRESETS)
        except ConfigError as error:
            first = error.problems[0].partition(": ")[2] or error.problems[0]
            words = f"cannot be turned, as a sweep cannot have one of its values: {first}"
            raise HaystackError(f"{path}: {words}") from None
