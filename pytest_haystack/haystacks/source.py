"""What a haystack source is: a named origin of filler text with a content hash."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict


class SourceOptions(BaseModel):
    """Options that stand beside ``source:`` in the config; a source with options subclasses this."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Source(ABC):
    """An origin of filler text.

    Deterministic: the same options give the same text on every machine. Prefix-stable: ``read(m)`` starts with
    ``read(n)`` for every n < m. An instance is made once per process and config.
    """

    name: ClassVar[str]
    options_model: ClassVar[type[SourceOptions]] = SourceOptions

    def __init__(self, options: Any, base_dir: Path) -> None:
        """``options`` is an instance of ``options_model``; ``base_dir`` is the config file's folder."""
        self.options = options
        self.base_dir = base_dir

    @abstractmethod
    def read(self, characters: int) -> str:
        """At least ``characters`` characters of text, or all there is. Line ends are ``\\n``.

        Raises SourceError where there is no usable text.
        """

    def documents(self) -> Sequence[str] | None:
        """The documents that the text is made of, in order; None where it is endless or all of one piece.

        `read` gives them with a blank line between them. Raises SourceError like `read`.
        """
        return None

    @property
    def order(self) -> dict[str, Any]:
        """What a recipe says of how the documents are put together, where that is not as usual."""
        return {}

    @property
    @abstractmethod
    def sha256(self) -> str:
        """Hash of the content (for endless sources: of generator version, options and a sample)."""
