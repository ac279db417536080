"""Names of invented people, such as ``Tobias Fenridge``: plainly human, and no two that sound alike.

Given names differ in their consonants even where voiced and voiceless ones (b and p, d and t, v and f) are taken for
the same, and so do surnames, which are made up of two syllables. So no name is a misspelling of another.
"""

from __future__ import annotations

import random

from pytest_haystack.errors import DocumentError
from pytest_haystack.needles.draws import shuffled

#: 127 of them, a prime number: see `People`.
GIVEN_NAMES = (
    "Abigail", "Adrian", "Agnes", "Alistair", "Alma", "Archibald", "Augustin", "Bartholomew", "Beatrix",
    "Bernard", "Bertram", "Boris", "Bridget", "Bruno", "Camilla", "Candice", "Cecily", "Clara",
    "Clement", "Conrad", "Constance", "Dagmar", "Desmond", "Dexter", "Dominic", "Dorothy", "Drusilla",
    "Edith", "Elena", "Emmett", "Ephraim", "Ernest", "Esther", "Fatima", "Felix", "Fiona", "Florian",
    "Francis", "Frieda", "Gemma", "Gilbert", "Godfrey", "Gregor", "Greta", "Gwendolen", "Harriet",
    "Hector", "Herbert", "Hilda", "Horace", "Hugo", "Imogen", "Ingrid", "Irma", "Isabel", "Ivan",
    "Jasper", "Jerome", "Joanna", "Jonas", "Josephine", "Judith", "Kaspar", "Kenneth", "Kirsten",
    "Klaus", "Lambert", "Leonard", "Lorenzo", "Louisa", "Lucas", "Lydia", "Magnus", "Marta", "Matilda",
    "Maximilian", "Melvin", "Milton", "Miriam", "Monica", "Nadia", "Naomi", "Nicholas", "Nigel",
    "Norbert", "Olga", "Orlando", "Oskar", "Ottilie", "Pascal", "Patrick", "Percival", "Petra",
    "Philippa", "Priscilla", "Quentin", "Ramona", "Reginald", "Roland", "Rosalind", "Rupert", "Ruth",
    "Sabina", "Samuel", "Sigrid", "Simon", "Stefan", "Tamara", "Terence", "Thora", "Tobias", "Tristan",
    "Ulrich", "Ursula", "Valerie", "Vernon", "Veronica", "Viktor", "Vincent", "Virgil", "Walter",
    "Wendell", "Wesley", "Wilma", "Winifred", "Zachary", "Zelda",
)  # fmt: skip
FIRST_SYLLABLES = (
    "Bar", "Dol", "Fen", "Gram", "Hes", "Jor", "Lum", "Mav", "Nor", "Rus", "Sab", "Tem", "Vik", "Cal", "Brin",
    "Dreb", "Fos", "Kip", "Lan", "Mig", "Nap", "Pel", "Rod", "Sten", "Tuck", "Zan", "Wim", "Yar", "El",
)  # fmt: skip
LAST_SYLLABLES = (
    "bury", "combe", "dane", "field", "gate", "kell", "land", "mere", "pole", "ridge", "stead", "thorpe",
    "vane", "wick", "ford", "ler", "mont", "bright", "grove", "lock", "shaw", "croft", "tree", "man", "burn",
)  # fmt: skip
SURNAMES = tuple(first + last for first in FIRST_SYLLABLES for last in LAST_SYLLABLES)
#: How many people can have a name of their own.
MOST_PEOPLE = len(GIVEN_NAMES) * len(SURNAMES)


class People:
    """The people of one document, each with a given name and a surname; no two have both in common.

    As long as there are no more people than given names, no two share even that.
    """

    def __init__(self, rng: random.Random) -> None:
        self._given = shuffled(rng, GIVEN_NAMES)
        self._surnames = shuffled(rng, SURNAMES)

    def name(self, number: int) -> str:
        """The name of person ``number`` (from 0). Raises DocumentError from `MOST_PEOPLE` on."""
        if number >= MOST_PEOPLE:
            raise DocumentError(f"there are {MOST_PEOPLE:,} names of people, too few for this context length")
        # The numbers of given names and of surnames have no factor in common, so that no pair comes twice.
        return f"{self._given[number % len(self._given)]} {self._surnames[number % len(self._surnames)]}"
