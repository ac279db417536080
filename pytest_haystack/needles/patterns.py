"""Keys and values after DENIAHL: random texts of a given kind and length, and pairs that follow a pattern."""

from __future__ import annotations

import random
import string
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from pytest_haystack.needles.draws import pick, uuid_text, whole

DataType: TypeAlias = Literal["uuid", "letters", "numbers", "mixed"]
Pair: TypeAlias = tuple[str, str]

#: Length of a UUID with its hyphens.
HYPHENATED = 36
#: Pairs of a pattern.
PATTERN_ITEMS = 100
#: An answer that holds one of these may be a sentence and not a value.
TWO_LETTER_WORDS = (
    "ad ah am an as at ax be by do eh er ex go ha he hi ho id if in is it lo ma me my no of oh ok on or ox pa re sh so "
    "to up us we ye"
)
_ALPHABETS: Mapping[DataType, str] = {
    "uuid": "0123456789abcdef",
    "letters": string.ascii_lowercase,
    "numbers": string.digits,
    "mixed": string.ascii_lowercase + string.digits,
}


def chance_of(data_type: DataType, length: int) -> float:
    """Probability of guessing a random text of this kind blindly, rounded up; of a UUID six bits are fixed."""
    guess = float(len(_ALPHABETS[data_type])) ** -length
    return guess * (64 if data_type == "uuid" else 10 / 9 if data_type == "numbers" else 1)


class Texts:
    """Draws keys and values of one document: no two alike, none of them in ``taken``."""

    def __init__(self, rng: random.Random, data_type: DataType, length: int, taken: str = "") -> None:
        """``length`` in characters: hexadecimal digits of one UUID or two, 36 for a UUID with hyphens."""
        self._rng = rng
        self._type = data_type
        self._length = length
        self._taken = taken
        self._drawn: set[str] = set()

    def fresh(self) -> str:
        """One more text. Numbers do not begin with 0; texts with both letters and digits have at least one of each."""
        while True:
            text = self._text()
            wanted = self._type in ("letters", "numbers") or not (text.isdigit() or text.isalpha())
            if wanted and text[0] != "0" * (self._type == "numbers") and self._is_new(text):
                return text

    def _text(self) -> str:
        if self._type != "uuid":
            return "".join(pick(self._rng, _ALPHABETS[self._type]) for _ in range(self._length))
        first = uuid_text(self._rng)
        if self._length == HYPHENATED:
            return first
        second = uuid_text(self._rng) if self._length > 32 else ""
        return (first + second).replace("-", "")[: self._length]

    def _is_new(self, text: str) -> bool:
        if text in self._drawn or text in self._taken:
            return False
        self._drawn.add(text)
        return True


@dataclass(frozen=True, slots=True)
class PairPattern:
    """A rule that gives the value of each key.

    ``linear``: key x ``multiplier`` + ``initial``, for keys 1 to 100. ``compound``, for the same keys: the first value
    is ``initial``; every fifth one from there is the value five before plus ``increment``; the others are twice the
    one before. ``letters``: the key in upper case, for random keys of two letters.
    """

    kind: Literal["linear", "compound", "letters"]
    multiplier: int
    initial: int
    increment: int

    def pairs(self, rng: random.Random) -> list[Pair]:
        """The 100 pairs, numbers in the order of their keys."""
        if self.kind != "letters":
            keys = [str(key) for key in range(1, PATTERN_ITEMS + 1)]
        else:
            texts = Texts(rng, "letters", 2, TWO_LETTER_WORDS)
            keys = [texts.fresh() for _ in range(PATTERN_ITEMS)]
        return [(key, self.value_of(key)) for key in keys]

    def value_of(self, key: str) -> str:
        """What the rule gives for a key. Raises ValueError for a key that is no number where numbers are meant."""
        if self.kind == "letters":
            return key.upper()
        if self.kind == "linear":
            return str(int(key) * self.multiplier + self.initial)
        block, place = divmod(int(key) - 1, 5)
        return str((self.initial + block * self.increment) * 2**place)

    def altered(self, rng: random.Random, pairs: Sequence[Pair]) -> str:
        """A value like the others that is neither one of them nor one of the keys."""
        taken = {text for pair in pairs for text in pair}
        # At least five times as many numbers as are taken.
        most = 0 if self.kind == "letters" else max(1000, *(int(value) for _, value in pairs))
        while True:
            value = str(whole(rng, 1, most)) if most else "".join(pick(rng, string.ascii_uppercase) for _ in range(2))
            if value not in taken and value.lower() not in TWO_LETTER_WORDS.split():
                return value


def linear_from(pairs: Sequence[Pair]) -> PairPattern:
    """The linear rule that two pairs or more follow, told from the first two of them."""
    (key, value), (other_key, other_value) = ((int(k), int(v)) for k, v in pairs[:2])
    multiplier = (other_value - value) // (other_key - key)
    return PairPattern("linear", multiplier, value - key * multiplier, 0)
