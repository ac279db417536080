"""What an encoding is: a named vocabulary that turns text into tokens."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol


class Encoding(Protocol):
    """A tokenizer. Special-token text such as ``<|endoftext|>`` is ordinary text to it."""

    @property
    def name(self) -> str:
        """The name that recipes record, e.g. ``cl100k_base``."""

    @property
    def sha256(self) -> str | None:
        """Hash of the file that it was read from, None where the name says it all."""

    @property
    def whole(self) -> Encoding | None:
        """The same vocabulary, counting every text as a whole; None where counts are known to add up.

        Where it is given, counts add up as far as that has been tried, and a finished document is to be counted
        again with this.
        """

    def encode(self, text: str) -> list[int]:
        """Token ids of the text."""

    def decode(self, tokens: list[int]) -> str:
        """Text of token ids."""

    def count(self, text: str) -> int:
        """Number of tokens of the text."""

    def most(self, text: str) -> int:
        """No fewer tokens than the text has, perhaps more: what can be told at once."""

    def reach(self, text: str, tokens: int, ids: Sequence[int] | None = None) -> int:
        """Number of characters that the first ``tokens`` tokens of the text cover, within a character or two.

        ``ids`` are its tokens, where the caller has them.
        """

    def next_safe_point(self, text: str, start: int) -> int | None:
        """The first place at ``start`` (at least 1) or after it where counts add up, None where there is none."""


def facts_of(encoding: Encoding) -> dict[str, Any]:
    """What a recipe says of an encoding."""
    facts: dict[str, Any] = {"tokenizer": encoding.name}
    return facts if encoding.sha256 is None else {**facts, "tokenizer_sha256": encoding.sha256}
