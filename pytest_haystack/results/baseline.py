"""The rows of an earlier run, found and read; and which models of two runs are held against each other."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from pytest_haystack.errors import HaystackError
from pytest_haystack.results.search_values import search_nodeid
from pytest_haystack.results.statistics import Row
from pytest_haystack.results.store import RESULTS, read_rows


def find_baseline(path: Path, sweep: str = "") -> Path:
    """The results.jsonl that a path means: the file, or the one in a report folder.

    In the folder of a session with several sweeps, ``sweep`` names the one. Raises HaystackError where there is none.
    """
    if not path.is_dir():
        if not path.is_file():
            raise HaystackError(f"{path}: no such file; name the results.jsonl of an earlier run, or its report folder")
        return path
    for found in ([path / sweep / RESULTS] if sweep else []) + [path / RESULTS]:
        if found.is_file():
            return found
    inside = sorted(one.relative_to(path).as_posix() for one in path.glob(f"*/{RESULTS}"))
    advice = f"name one of {', '.join(inside)}" if inside else "name the results.jsonl of an earlier run"
    raise HaystackError(f"{path}: the folder has no {RESULTS}; {advice}")


def read_baseline(path: Path) -> list[dict[str, object]]:
    """The rows of an earlier run, without those of its searches, whose trials depend on one another's answers.

    Raises HaystackError where the file is unreadable or has no row.
    """
    rows = [row for row in read_rows(path) if search_nodeid(row["nodeid"]) is None]
    if not rows:
        raise HaystackError(f"{path}: has no rows; name the results.jsonl of a run that has")
    return rows


def model_names(old: Iterable[Row], new: Iterable[Row], wanted: Sequence[str] = ()) -> Mapping[str, str]:
    """Model ids of the old run by those of the new one that they are held against.

    ``wanted`` are texts ``OLD=NEW``. Without one, runs that share no model and have one each are held against each
    other. Raises HaystackError for an id that its run does not have.
    """
    before, after = _models(old), _models(new)
    if not wanted:
        lone = len(before) == len(after) == 1 and before != after
        return {before[0]: after[0]} if lone else {}
    names: dict[str, str] = {}
    for text in wanted:
        was, equals, now = text.partition("=")
        if not equals:
            raise HaystackError(f"--model {text}: write OLD=NEW, the ids of a model in either run")
        for name, known, run in ((was, before, "first"), (now, after, "second")):
            if name not in known:
                raise HaystackError(f"--model {text}: the {run} run has no model {name!r}; it has {', '.join(known)}")
        names[was] = now
    return names


def _models(rows: Iterable[Row]) -> list[str]:
    return list(dict.fromkeys(str(row["model_id"]) for row in rows))
