"""Filler text that is ready to build documents from: long enough, indexed, with its origin."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from pytest_haystack.documents.boundaries import Level, insertion_points
from pytest_haystack.errors import SourceError
from pytest_haystack.tokens.encoding import Encoding
from pytest_haystack.tokens.index import TokenIndex
from pytest_haystack.tokens.index_cache import cached_index

if TYPE_CHECKING:
    from pytest_haystack.haystacks.source import Source

#: Tokens and characters prepared beyond what was asked for, so that nothing near the end of a document depends on
#: where the prepared text ends.
SLACK_TOKENS = 256
SLACK_CHARACTERS = 4096

#: Tokens by which a sliding window may move.
SLIDE_TOKENS = 1024

_SAMPLE_CHARACTERS = 20_000


@dataclass(frozen=True, slots=True)
class Window:
    """Which part of a text documents show.

    ``offset`` tokens are left out at its start, up to the next sentence. Where it is ``sliding``, a document may begin
    somewhat later still (see `pytest_haystack.documents.sliding`).
    """

    offset: int = 0
    sliding: bool = False


_WHOLE = Window()


@dataclass(frozen=True, slots=True)
class HaystackText:
    """The text of a haystack source, its token index and what a recipe says about it.

    ``source``, ``sha256`` and ``options`` name the origin; ``separator`` stands between repetitions of a source
    that is shorter than what was asked for, and ``base_length`` is the length of one, in characters (None where
    the source was long enough). ``text`` begins behind the window's offset.
    """

    index: TokenIndex
    source: str
    sha256: str
    options: Mapping[str, Any] = field(default_factory=dict)
    separator: str = "\n\n"
    base_length: int | None = None
    window: Window = _WHOLE
    order: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def prepare(
        cls, source: Source, separator: str, encoding: Encoding, tokens: int, window: Window = _WHOLE
    ) -> HaystackText:
        """Read enough of a source for documents of up to ``tokens`` tokens; repeat it where it is too short.

        The text for more tokens begins with the text for fewer. Raises SourceError where the source has no text.
        """
        wanted = window.offset + tokens + SLACK_TOKENS + (SLIDE_TOKENS if window.sliding else 0)
        base, exhausted = _read(source, _SAMPLE_CHARACTERS)
        text, base_length = base, None
        while not _is_enough(index := cached_index(text, encoding), wanted):
            # A little more than the text so far lets expect; where that was too little, the next round adds.
            missing = wanted / max(index.last.tokens, encoding.count(text[:_SAMPLE_CHARACTERS]), 1)
            characters = int(len(text) * min(max(missing, 1.05), 1000)) + SLACK_CHARACTERS
            if not exhausted:
                base, exhausted = _read(source, characters)
                text = base
            if exhausted:
                base_length = len(base)
                repetitions = max(1, -(-characters // (len(base) + len(separator))))
                text = separator.join([base] * repetitions)
        options = source.options.model_dump(mode="json")
        if window.offset:
            # A first token may be a part of a character, and reach none.
            reached = max(index.position_of(window.offset), 1)
            index = index.starting_at(_sentence_start(text, reached))
        return cls(index, source.name, source.sha256, options, separator, base_length, window, source.order)

    @property
    def text(self) -> str:
        """The text, at least as long as was asked for."""
        return self.index.text

    @property
    def encoding(self) -> Encoding:
        """The encoding that its tokens are counted with."""
        return self.index.encoding

    def counted_whole(self) -> HaystackText | None:
        """The same text without any shortcut in counting it, None where the shortcuts are known to hold."""
        whole = self.encoding.whole
        return None if whole is None else replace(self, index=TokenIndex.of(self.text, whole))

    @property
    def slack(self) -> int:
        """Tokens by which a document may begin later than the text."""
        return SLIDE_TOKENS if self.window.sliding else 0

    def starting_at(self, position: int) -> HaystackText:
        """The text from this character position on."""
        return replace(self, index=self.index.starting_at(position))

    def repeats(self, characters: int) -> float:
        """How many times the source is used in the first characters of the text; 1.0 where once is enough."""
        if self.base_length is None or characters <= self.base_length:
            return 1.0
        return characters / (self.base_length + len(self.separator))

    def origin(self) -> dict[str, Any]:
        """What a recipe says of the haystack: of order and window, what is not as usual."""
        origin = {
            "source": self.source,
            "sha256": self.sha256,
            "options": dict(self.options),
            "separator": self.separator,
            **self.order,
        }
        if self.window.offset:
            origin["offset"] = self.window.offset
        if self.window.sliding:
            origin["window"] = "sliding"
        return origin


def _read(source: Source, characters: int) -> tuple[str, bool]:
    """The first characters of a source, and whether that is all it has."""
    text = source.read(characters)
    exhausted = len(text) < characters
    if exhausted and not text.strip():
        raise SourceError(f"haystack source {source.name!r} has no text; it needs at least one word")
    return text[:characters], exhausted


def _sentence_start(text: str, position: int) -> int:
    """Where the next sentence begins at this position or after it; where none does nearby, the next word."""
    stop = position + SLACK_CHARACTERS // 2
    for levels in ((Level.SENTENCE, Level.PARAGRAPH), (Level.WORD,), (Level.CHARACTER,)):
        starts = [point for level in levels for point in insertion_points(text, level, position, stop)]
        if starts:
            return min(starts)
    return position


def _is_enough(index: TokenIndex, tokens: int) -> bool:
    """Whether the text has this many tokens before a point from where on it may go on in any way."""
    if index.last.tokens >= tokens:
        return True
    open_end = len(index.text) - index.last.position
    return open_end > SLACK_CHARACTERS and index.tokens_before(len(index.text)) >= tokens
