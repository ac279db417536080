"""The value of one key among many pairs, in filler or as a JSON object."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from pytest_haystack.config.axis import Axis
from pytest_haystack.config.parts import BARE
from pytest_haystack.documents.fitting import most_that_fit
from pytest_haystack.needles.draws import whole
from pytest_haystack.needles.needle import Needle
from pytest_haystack.needles.patterns import (
    HYPHENATED,
    PATTERN_ITEMS,
    DataType,
    Pair,
    PairPattern,
    Texts,
    chance_of,
    linear_from,
)
from pytest_haystack.registry import Registry
from pytest_haystack.tasks.task import Ask, Task, TaskOptions, TrialContext, first_of

#: Pairs where the config states no number.
DEFAULT_ITEMS = {"filler": 20, "json": 50}
#: First value of a compound pattern.
COMPOUND_INITIAL = 3
#: Label of an answer that gives what the pattern would give.
INFERRED = "inferred_pattern"


class KeyValueOptions(TaskOptions):
    """``format`` ``filler``: pairs ``kv_7a3f2b: ...`` in the haystack; ``json``: a JSON object and nothing else.

    ``items`` is the number of pairs (default 20 in filler, 50 in JSON), or ``fit``: as many as the context length
    holds (JSON alone). ``item_length`` is the length of the random values, and in JSON of the keys, in characters; of
    ``data_type`` ``uuid`` these are hexadecimal digits of one UUID or two, and 36 is a UUID with its hyphens.
    ``pattern`` (JSON alone) makes 100 pairs that follow a rule, see `PairPattern`; ``multiplier`` (default: 1 to 10,
    drawn), ``initial`` (linear: 1 to 20, drawn; compound: 3) and ``increment`` (2) belong to it. ``mode`` ``break``
    gives the pair that is asked for a value that breaks the rule.
    """

    format: Literal["filler", "json"] = Field(
        "filler", description="filler: pairs in the haystack; json: one JSON object and nothing else."
    )
    items: Annotated[Annotated[int, Field(ge=2)] | Literal["fit"] | None, Axis("n")] = Field(
        None, description="Pairs; fit (json): as many as the context length holds; default: 20 (filler), 50 (json)."
    )
    item_length: Annotated[Literal[8, 16, 32, 36, 48, 56, 64], Axis("len")] = Field(
        32, description="Length of random values, in json of keys too, in characters; 36: a UUID with its hyphens."
    )
    data_type: Annotated[DataType, Axis()] = Field("uuid", description="What random values are made of.")
    pattern: Annotated[Literal["none", "linear", "compound", "letters"], Axis()] = Field(
        "none", description="json: a rule that 100 pairs follow."
    )
    mode: Annotated[Literal["original", "break"], Axis()] = Field(
        "original", description="break: the pair that is asked for does not follow the rule."
    )
    multiplier: Annotated[int, Field(ge=1, le=10), BARE] | None = Field(
        None, description="linear: a key times this, plus initial, is its value; default: drawn, 1 to 10."
    )
    initial: Annotated[int, Field(ge=1, le=20), BARE] | None = Field(
        None, description="First value of a rule; default: drawn, 1 to 20 (linear), or 3 (compound)."
    )
    increment: Annotated[int, Field(ge=1), BARE] = Field(2, description="compound: what is added in each step.")

    @model_validator(mode="after")
    def _options_go_together(self) -> KeyValueOptions:
        if self.format == "filler" and (self.pattern != "none" or self.items == "fit"):
            raise ValueError("pattern and items: fit go with format json")
        if self.item_length == HYPHENATED and self.data_type != "uuid":
            raise ValueError(f"item_length {HYPHENATED} is a UUID with its hyphens; it goes with data_type uuid")
        if self.pattern == "none":
            if self.mode == "break" or self.multiplier or self.initial or self.increment != 2:
                raise ValueError("mode break, multiplier, initial and increment go with a pattern")
            return self
        if self.items not in (None, PATTERN_ITEMS):
            raise ValueError(f"a pattern has {PATTERN_ITEMS} items; leave items out")
        if self.item_length != 32 or self.data_type != "uuid":
            raise ValueError("item_length and data_type go with pattern none: a pattern says what its items are")
        if self.multiplier and self.pattern != "linear":
            raise ValueError("multiplier goes with pattern linear")
        if (self.increment != 2 and self.pattern != "compound") or (self.initial and self.pattern == "letters"):
            raise ValueError("increment goes with pattern compound, initial with linear or compound")
        return self

    @property
    def count(self) -> int | None:
        """Number of pairs, None where the context length decides."""
        if self.pattern != "none":
            return PATTERN_ITEMS
        if self.items == "fit":
            return None
        return self.items or DEFAULT_ITEMS[self.format]


class KeyValue(Task):
    """Many pairs of one form, one of them asked for; the cell's depth is the asked pair's place among them.

    The lost-in-the-middle set-up is ``{format: json, items: 75, item_length: 36}``, or 140 or 300 items. Chance: one
    of the document's values at random; with ``items: fit``, whose number is not known, a blind guess.
    """

    name = "key_value"
    by_position = True
    options_model = KeyValueOptions
    scorer = "value"

    def __init__(self, options: Any, registry: Registry | None = None) -> None:
        super().__init__(options, registry)
        self.chance = 1 / options.count if options.count else chance_of(options.data_type, options.item_length)

    @property
    def filler(self) -> bool:
        """False for JSON, which is the whole document."""
        return bool(self.options.format == "filler")

    def needles(self, context: TrialContext) -> Sequence[Needle]:
        """All pairs in document order: the asked one is a needle, the others are records."""
        if self.filler:
            return self._scattered(context)
        pairs = self._pairs(context)
        count = self.options.count or most_that_fit(
            lambda n: self.compose(self._records(pairs(n), context), context), context.tokens, context.count, least=2
        )
        return self._records(pairs(count), context)

    def compose(self, needles: Sequence[Needle], context: TrialContext) -> str:
        """The pairs as a JSON object, one a line."""
        return "{" + ",\n ".join(needle.statement for needle in needles) + "}"

    def smallest(self, context: TrialContext) -> str:
        """The object with all items, or with two where the context length decides."""
        pairs = self._pairs(context)
        return self.compose(self._records(pairs(self.options.count or 2), context), context)

    def ask(self, needles: Sequence[Needle], context: TrialContext) -> Ask:
        """The question for the asked pair's value; other values, and the one a broken pattern gives, are wrong."""
        first_of(needles, self.name)
        asked = next((needle for needle in needles if needle.role == "needle"), needles[0])
        others = [(needle.key, needle.expected) for needle in needles if needle.key != asked.key]
        values = dict.fromkeys(value for _, value in others)
        labels = {}
        if self.options.mode == "break":
            # Needles of one's own need not follow any rule.
            with suppress(ValueError):
                labels[self._rule(others).value_of(asked.key)] = INFERRED
        wrong = dict.fromkeys((*values, *labels))
        wrong.pop(asked.expected, None)
        # Where the value is the key in capitals, an answer that repeats the key has understood nothing.
        options = {"match_case": True} if self.options.pattern == "letters" else {}
        return Ask(asked.question, asked.expected, tuple(wrong), options, labels=labels)

    def _scattered(self, context: TrialContext) -> list[Needle]:
        """Pairs for the filler: the asked one at the cell's depth, the others anywhere from 5 to 95 percent."""
        rng = context.rng
        texts = Texts(rng, self.options.data_type, self.options.item_length, context.haystack_text)
        keys: dict[str, None] = {}
        while len(keys) < self.options.count:
            keys[f"kv_{whole(rng, 0, 16**6 - 1):06x}"] = None
        asked, *others = keys
        value = texts.fresh()
        needles = [Needle(f"{asked}: {value}.", f"What is the value of {asked}?", value, asked, context.depth_percent)]
        for key in others:
            value = texts.fresh()
            needles.append(Needle(f"{key}: {value}.", "", value, key, 5 + 90 * rng.random(), role="record"))
        return sorted(needles, key=lambda needle: needle.depth_percent or 0.0)

    def _pairs(self, context: TrialContext) -> Callable[[int], list[Pair]]:
        """What gives the first so many pairs of the object; of a pattern there are always as many as it has."""
        if self.options.pattern != "none":
            patterned = self._patterned(context)
            return lambda count: patterned[:count]
        texts = Texts(context.rng, self.options.data_type, self.options.item_length)
        made: list[Pair] = []

        def pairs(count: int) -> list[Pair]:
            made.extend((texts.fresh(), texts.fresh()) for _ in range(count - len(made)))
            return made[:count]

        return pairs

    def _records(self, pairs: Sequence[Pair], context: TrialContext) -> list[Needle]:
        """The pairs as members of a JSON object, asked for the one at the cell's depth."""
        place = _place(len(pairs), context.depth_percent)
        members = []
        for number, (key, value) in enumerate(pairs):
            shown = value if self.options.pattern in ("linear", "compound") else json.dumps(value)
            question = f"Which value is stored under the key {json.dumps(key)}?" if number == place else ""
            role: Literal["needle", "record"] = "needle" if number == place else "record"
            depth = 100 * number / (len(pairs) - 1)
            members.append(Needle(f"{json.dumps(key)}: {shown}", question, value, key, depth, role=role))
        return members

    def _patterned(self, context: TrialContext) -> list[Pair]:
        """The 100 pairs of the pattern, the asked one's value altered where it is to be broken."""
        options, rng = self.options, context.rng
        first = whole(rng, 1, 20) if options.pattern == "linear" else COMPOUND_INITIAL
        rule = PairPattern(
            options.pattern, options.multiplier or whole(rng, 1, 10), options.initial or first, options.increment
        )
        pairs = rule.pairs(rng)
        if options.mode == "break":
            place = _place(len(pairs), context.depth_percent)
            pairs[place] = (pairs[place][0], rule.altered(rng, pairs))
        return pairs

    def _rule(self, pairs: Sequence[Pair]) -> PairPattern:
        """The rule that the pairs follow. Raises ValueError where they follow none."""
        if self.options.pattern == "linear":
            return linear_from(pairs)
        return PairPattern(self.options.pattern, 1, self.options.initial or COMPOUND_INITIAL, self.options.increment)


def _place(count: int, depth_percent: float) -> int:
    """The number (from 0) of the pair at this depth, the first at 0 and the last at 100 percent."""
    return int(depth_percent / 100 * (count - 1) + 0.5)
