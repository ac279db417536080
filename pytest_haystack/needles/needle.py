"""A needle: the fact that is hidden, with the question that asks for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from pytest_haystack.documents.document import Placement


@dataclass(frozen=True, slots=True)
class Needle:
    """A hidden fact.

    ``statement`` is the text put into the haystack; ``question`` asks for it and ``expected`` is its answer
    (both may be empty where a task asks one question about several needles). ``key`` names what the fact is
    about (an entity, a link). Depths are in percent of the document, 0 to 100; ``depth_percent`` is the
    asked depth (None: the cell's), ``actual_depth_percent`` and ``token_index`` are known once the document
    is built. ``role``: a ``needle`` is asked about; a ``distractor`` only looks like one; a ``record`` is one of many
    that make up the text; an ``absent`` one is asked about and left out of the document.
    """

    statement: str
    question: str = ""
    expected: str = ""
    key: str = ""
    depth_percent: float | None = None
    actual_depth_percent: float | None = None
    token_index: int | None = None
    role: Literal["needle", "distractor", "record", "absent"] = "needle"

    def at(self, depth_percent: float) -> Needle:
        """The same needle, asked to stand at this depth."""
        return self._standing(depth_percent, self.actual_depth_percent, self.token_index)

    def placed(self, place: Placement) -> Needle:
        """The same needle, as it came to stand in a document."""
        return self._standing(place.requested_depth_percent, place.actual_depth_percent, place.token_index)

    def _standing(self, asked: float | None, actual: float | None, token_index: int | None) -> Needle:
        # Done for every document; `dataclasses.replace` takes three times as long.
        known = (self.statement, self.question, self.expected, self.key)
        return Needle(*known, asked, actual, token_index, self.role)
