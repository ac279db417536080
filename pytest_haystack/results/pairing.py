"""Rows of two runs, paired where both asked the same: only then does a difference say something of the model."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

from pytest_haystack.results.row_groups import task_label
from pytest_haystack.results.statistics import Row

#: Why a row has no partner, apart from other prompts, whose reasons `prompt_changes` gives.
ONLY_BASELINE = "only in the baseline"
ONLY_NEW = "only in this run"
NO_OLD_SCORE = "no score in the baseline"
NO_NEW_SCORE = "no score in this run"

#: Model id in the new run, task as reports name it.
Group: TypeAlias = "tuple[str, str]"


class Place(NamedTuple):
    """Where a row stands in its run. ``model`` is the id in the new run, ``task`` as reports name it."""

    model: str
    task: str
    context_length: int
    depth_percent: float
    trial: int

    @property
    def group(self) -> Group:
        """Model and task."""
        return self.model, self.task

    @property
    def cell(self) -> tuple[int, float]:
        """Context length in tokens and depth percent."""
        return self.context_length, self.depth_percent


@dataclass(frozen=True, slots=True)
class Pair:
    """The scores (0 to 1) that one prompt got in both runs."""

    place: Place
    old: float
    new: float

    @property
    def difference(self) -> float:
        """New minus old, -1 to 1."""
        return self.new - self.old


@dataclass(frozen=True, slots=True)
class Unpaired:
    """A row without partner; ``refused`` where both runs have the trial and asked it with different prompts."""

    place: Place
    reason: str
    refused: bool = False


@dataclass(frozen=True, slots=True)
class Pairing:
    """All pairs, and all rows that are in none, in the order of the new run, then of the baseline."""

    pairs: tuple[Pair, ...]
    unpaired: tuple[Unpaired, ...]


def pair_rows(old: Iterable[Row], new: Iterable[Row], models: Mapping[str, str] | None = None) -> Pairing:
    """Pair rows of the same model, task, context length, depth and trial that asked the very same prompt.

    ``models`` maps ids of the old run to ids of the new one; an id that is not in it stands for itself, unless
    another one is held against it: its own rows in the old run are then left out. The prompts of two models are the
    same, for no seed depends on the model.
    """
    renamed = models or {}
    taken = set(renamed.values()) - set(renamed)
    before = {place_of(row, renamed): row for row in old if row["model_id"] not in taken}
    pairs: list[Pair] = []
    unpaired: list[Unpaired] = []
    for row in new:
        place = place_of(row)
        earlier = before.pop(place, None)
        if earlier is None:
            unpaired.append(Unpaired(place, ONLY_NEW))
        elif earlier["prompt_sha256"] != row["prompt_sha256"]:
            unpaired.append(Unpaired(place, "; ".join(prompt_changes(earlier, row)), refused=True))
        elif earlier["score"] is None or row["score"] is None:
            unpaired.append(Unpaired(place, NO_NEW_SCORE if row["score"] is None else NO_OLD_SCORE))
        else:
            pairs.append(Pair(place, float(earlier["score"]), float(row["score"])))
    unpaired += [Unpaired(place, ONLY_BASELINE) for place in before]
    return Pairing(tuple(pairs), tuple(unpaired))


def place_of(row: Row, models: Mapping[str, str] | None = None) -> Place:
    """Where a row stands, its model renamed by ``models``."""
    model = str(row["model_id"])
    # Depths are written with two decimals.
    depth = round(float(row["depth_percent"]), 2) + 0.0
    return Place(
        (models or {}).get(model, model), task_label(row), int(row["context_length"]), depth, int(row["trial"])
    )


def prompt_changes(old: Row, new: Row) -> list[str]:
    """What made the prompts of two rows different, as far as their recipes tell: causes, not what follows from them."""
    was, now = old["recipe"], new["recipe"]
    causes = [*_haystack_changes(was, now), *_other_causes(old, new)]
    if causes:
        return causes
    if (old["question"], old["expected"], _texts(was)) != (new["question"], new["expected"], _texts(now)):
        return ["needles or question changed"]
    if was.get("document_tokens") != now.get("document_tokens"):
        before, after = was.get("document_tokens"), now.get("document_tokens")
        return [f"document length changed ({before} tokens, now {after})"]
    if _indices(was) != _indices(now):
        return ["position of the needles changed"]
    versions = str(old.get("plugin_version")), str(new.get("plugin_version"))
    return [
        f"built by other versions of pytest-haystack ({versions[0]}, now {versions[1]})"
        if versions[0] != versions[1]
        else "prompt changed, its recipe did not"
    ]


def _haystack_changes(was: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[str]:
    old, new = was.get("haystack"), now.get("haystack")
    if not old or not new:
        if bool(old) != bool(new):
            yield "haystack changed (one document came from a fixture or has no filler)"
    elif old["source"] != new["source"]:
        yield f"haystack changed ({old['source']}, now {new['source']})"
    elif old != new:
        yield f"haystack changed (text or options of {new['source']})"


def _other_causes(old: Row, new: Row) -> Iterator[str]:
    was, now = old["recipe"], new["recipe"]
    if was.get("tokenizer") != now.get("tokenizer"):
        yield f"tokenizer changed ({was.get('tokenizer')}, now {now.get('tokenizer')})"
    if was.get("template_sha256") != now.get("template_sha256"):
        yield "wording of the prompt changed"
    if old["seed"] != new["seed"]:
        yield f"seed changed ({old['seed']}, now {new['seed']})"


def _texts(recipe: Mapping[str, Any]) -> list[Any]:
    return [place.get("text") for place in recipe.get("placements") or ()]


def _indices(recipe: Mapping[str, Any]) -> list[Any]:
    return [place.get("token_index") for place in recipe.get("placements") or ()]
