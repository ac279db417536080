"""How relations between people are worded: as statements, and as questions about several of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from pytest_haystack.needles.lineage import Sought

#: Relatives that have a name, by steps up and down.
KIN = {(1, 1): "sibling", (2, 1): "aunt or uncle", (2, 2): "first cousin"}


@dataclass(frozen=True, slots=True)
class Relation:
    """``statements`` say that ``{upper}`` stands directly above ``{lower}``, read in one direction or the other.

    The others are the questions about ``{asked}`` (and ``{other}``) over ``{up}`` and ``{down}`` steps; ``{great}``
    is ``great-`` for each step up beyond two. ``kin`` are relatives that have a name, by steps up and down.
    """

    statements: tuple[str, ...]
    ancestor: str
    relative: str
    common_ancestor: str
    kin: Mapping[tuple[int, int], str] = field(default_factory=dict)

    def question(self, sought: Sought, asked: Sequence[str], up: int, down: int) -> str:
        """The question for the one who is ``up`` steps above, or from there ``down`` steps below by another line."""
        wording: str = getattr(self, sought)
        if sought == "relative" and (up, down) in self.kin:
            wording = f"Who is the {self.kin[up, down]} of {{asked}}?"
        worded = wording.format(asked=asked[0], other=asked[-1], up=up, down=down, great="great-" * (up - 2))
        return f"{worded} Give the full name."


RELATIONS: Mapping[str, Relation] = {
    "parent": Relation(
        ("{upper} is a parent of {lower}.", "{lower} is a child of {upper}."),
        ancestor="Who is the {great}grandparent of {asked}, {up} generations up?",
        relative=(
            "Who is reached from {asked} by going up {up} generations from child to parent, "
            "and then down {down} by another line?"
        ),
        common_ancestor="Who is the closest common ancestor of {asked} and {other}?",
        kin={(1, 1): "sibling", (2, 1): "aunt or uncle", (2, 2): "first cousin"},
    ),
    "reports": Relation(
        ("{lower} reports to {upper}.", "{upper} directly manages {lower}."),
        ancestor="Who stands {up} levels above {asked} in the line of reporting?",
        relative=(
            "Who is reached from {asked} by going up the line of reporting by {up}, "
            "and then down another line by {down}?"
        ),
        common_ancestor=(
            "Among those whom both {asked} and {other} report to, directly or through others, "
            "who stands closest to them?"
        ),
    ),
    "precedes": Relation(
        ("{upper} directly precedes {lower}.", "{lower} directly follows {upper}."),
        ancestor="Who comes {up} places before {asked}?",
        relative=(
            "Who is reached from {asked} by going {up} back to those who come before, "
            "and then {down} forward by another line?"
        ),
        common_ancestor=(
            "Among those who come before both {asked} and {other}, directly or through others, who comes last?"
        ),
    ),
}
