"""The pages of the documentation and what stands in them: blocks of code, links, headings, code spans."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = (
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md")),
    *sorted((ROOT / "docs").glob("*.md")),
)

_BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
_HEADING = re.compile(r"^#{1,6} (.+)$", re.MULTILINE)
_SPAN = re.compile(r"`([^`\n]+)`")


@dataclass(frozen=True)
class Block:
    """A block of code: its page, the line (1-based) of its fence, its language and its text."""

    page: Path
    line: int
    language: str
    text: str

    @property
    def name(self) -> str:
        """Where it stands, as test ids show it."""
        return f"{self.page.name}:{self.line}"


def blocks(*languages: str) -> list[Block]:
    """Every block in one of these languages, page by page."""
    return [
        Block(page, text.count("\n", 0, match.start()) + 1, match[1], match[2])
        for page in PAGES
        for text in [page.read_text(encoding="utf-8")]
        for match in _BLOCK.finditer(text)
        if match[1] in languages
    ]


def prose(page: Path) -> str:
    """A page without its blocks."""
    return _BLOCK.sub("", page.read_text(encoding="utf-8"))


def links(page: Path) -> list[str]:
    """Targets of the links and pictures of a page."""
    return _LINK.findall(prose(page))


def spans(page: Path) -> list[str]:
    """What stands in code spans."""
    return _SPAN.findall(prose(page))


def anchors(page: Path) -> set[str]:
    """What a link to a heading of the page may end with."""
    headings = _HEADING.findall(prose(page))
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}
