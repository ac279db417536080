"""What an encoding is: a named vocabulary that turns text into tokens."""

from __future__ import annotations

from typing import Protocol


class Encoding(Protocol):
    """A tokenizer. Special-token text such as ``<|endoftext|>`` is ordinary text to it."""

    @property
    def name(self) -> str:
        """The name in the config, e.g. ``cl100k_base``."""

    def encode(self, text: str) -> list[int]:
        """Token ids of the text."""

    def decode(self, tokens: list[int]) -> str:
        """Text of token ids."""

    def count(self, text: str) -> int:
        """Number of tokens of the text."""
