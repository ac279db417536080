"""Invented names for the things that needles are about, such as ``Zyranthex-7`` or ``Velmora Station North``.

No model can have learnt anything about them, and no ordinary text holds them by accident.
"""

from __future__ import annotations

import random

from pytest_haystack.needles.draws import pick, whole

FIRST_ONSETS = ("z", "v", "th", "dr", "m", "br", "kr", "k", "t", "l", "n", "qu", "gl", "j", "y")
INNER_ONSETS = ("r", "l", "n", "m", "th", "v", "d", "t", "b", "dr", "vr")
VOWELS = ("a", "e", "i", "o", "a", "e", "o", "y", "ae", "ei")
INNER_CODAS = ("", "", "", "n", "r", "l", "m")
LAST_CODAS = ("x", "n", "r", "l", "th", "s", "sk", "nd", "rn", "", "a", "is", "us", "or")
GREEK = (
    "Alpha",
    "Beta",
    "Gamma",
    "Delta",
    "Epsilon",
    "Zeta",
    "Theta",
    "Kappa",
    "Lambda",
    "Sigma",
    "Tau",
    "Omega",
)
COMPASS = ("North", "South", "East", "West", "Northeast", "Northwest", "Southeast", "Southwest")
PLACES = ("Station", "Reach", "Basin", "Terrace", "Relay", "Quay")


def stem(rng: random.Random) -> str:
    """An invented, capitalised word of 2 to 4 syllables."""
    word = pick(rng, FIRST_ONSETS) + pick(rng, VOWELS)
    for _ in range(pick(rng, (1, 1, 2, 2, 2, 3))):
        word += pick(rng, INNER_CODAS) + pick(rng, INNER_ONSETS) + pick(rng, VOWELS)
    last = pick(rng, LAST_CODAS)
    # An ending that starts with a vowel takes the place of the last one: Velmo-ra, not Velmo-rea.
    return ((word.rstrip("aeioy") if last[:1] in "aiou" and last else word) + last).capitalize()


def suffix(rng: random.Random) -> str:
    """What follows the stem: a number from 2 to 99, a Greek letter, or a compass point."""
    kind = whole(rng, 0, 3)
    if kind <= 1:
        return f"-{whole(rng, 2, 99)}"
    if kind == 2:
        return f" {pick(rng, GREEK)}"
    return f" {pick(rng, PLACES)} {pick(rng, COMPASS)}" if rng.random() < 0.5 else f" {pick(rng, COMPASS)}"


def neighbours(name: str) -> list[str]:
    """The names that differ from this one in the suffix alone, the most alike first.

    ``Zyra-7`` has ``Zyra-8``, ``Zyra-6``, ``Zyra-9`` and so on; Greek letters and compass points have the others of
    their kind, the next ones first.
    """
    word, _, number = name.rpartition("-")
    if word and number.isdigit():
        own = int(number)
        near = [own + sign * step for step in range(1, 99) for sign in (1, -1)]
        return [f"{word}-{other}" for other in near if 1 <= other <= 99]
    head, _, last = name.rpartition(" ")
    kind = GREEK if last in GREEK else COMPASS
    at = kind.index(last)
    turned = [kind[(at + sign * step) % len(kind)] for step in range(1, len(kind)) for sign in (1, -1)]
    return [f"{head} {other}" for other in dict.fromkeys(turned) if other != last]


def stem_of(name: str) -> str:
    """The invented word of a name: ``Zyranthex`` of ``Zyranthex-7``."""
    return name.partition(" ")[0].partition("-")[0]


def entity_name(rng: random.Random) -> str:
    """A stem of 6 to 13 letters with a suffix."""
    word = stem(rng)
    # Shorter ones are too often a real name (Sara, Tyra), longer ones cannot be pronounced.
    while not 6 <= len(word) <= 13:
        word = stem(rng)
    return word + suffix(rng)
