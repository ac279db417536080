"""Prefix caches of servers and providers, simulated."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence

from pytest_haystack.models.model import Prompt
from pytest_haystack.models.prompt_cache import sent_messages, with_breakpoints

#: Tokens of a block.
BLOCK = 128
#: Prices of input that is read from a provider's cache, and that is written to it, in prices of other input.
READ, WRITTEN = 0.1, 1.25


class RadixCache:
    """A cache of prompts by their blocks' chained hashes, with a limit on its tokens."""

    def __init__(self, limit: int | None, delay: int = 0) -> None:
        self._limit = limit
        self._delay = delay
        self._blocks: OrderedDict[int, None] = OrderedDict()
        self._coming: list[Sequence[int]] = []

    def serve(self, chain: Sequence[int]) -> int:
        """Leading blocks of a prompt that are there; the prompt is kept when ``delay`` more have been served."""
        hits = next((place for place, block in enumerate(chain) if block not in self._blocks), len(chain))
        self._coming.append(chain)
        if len(self._coming) > self._delay:
            self._keep(self._coming.pop(0))
        return hits

    def _keep(self, chain: Sequence[int]) -> None:
        # A leaf is older than what it hangs on, so that it goes first.
        for block in reversed(chain):
            self._blocks[block] = None
            self._blocks.move_to_end(block)
        while self._limit is not None and len(self._blocks) * BLOCK > self._limit:
            self._blocks.popitem(last=False)


class BreakpointCache:
    """A provider's cache that keeps what ends at a marked block, and looks for it 20 blocks before each mark."""

    def __init__(self) -> None:
        self._kept: set[int] = set()

    def cost(self, prompt: Prompt) -> tuple[float, int]:
        """What a prompt costs, in prices of a character, and its characters."""
        content = with_breakpoints(sent_messages(prompt, "explicit"))[-1]["content"]
        if isinstance(content, str):
            return len(content), len(content)
        names, ends, name, end = [], [], 0, 0
        for block in content:
            name, end = hash((name, block["text"])), end + len(block["text"])
            names.append(name)
            ends.append(end)
        marks = [place for place, block in enumerate(content) if "cache_control" in block]
        looked = {place for mark in marks for place in range(max(0, mark - 20), mark + 1)}
        read = max((ends[place] for place in looked if names[place] in self._kept), default=0)
        self._kept.update(names[mark] for mark in marks)
        written = max(ends[marks[-1]], read)
        return READ * read + WRITTEN * (written - read) + (end - written), end
