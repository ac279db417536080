"""arXiv's API: a seeded choice of a category's abstracts, and those of given versions, as Atom feeds."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING

from pytest_haystack.errors import SourceError
from pytest_haystack.haystacks.remote.abstracts import RULES, plain_abstract
from pytest_haystack.haystacks.remote.draws import draw, stable_size
from pytest_haystack.haystacks.remote.manifest import Article, Licence
from pytest_haystack.haystacks.remote.polite import PassingError, PoliteClient, is_page
from pytest_haystack.haystacks.remote.service import Fetched, Progress, Service
from pytest_haystack.text import one_line, printable

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

    import httpx

MIRROR = "PYTEST_HAYSTACK_ARXIV_URL"
API = "https://export.arxiv.org/api/query"
#: Seconds between requests, as the terms of use of arXiv's API ask for.
INTERVAL = 3.0
#: Papers in a request. A draw takes so many neighbours in the order of submission.
BATCH = 25
#: The API shows no more of a category than this.
MOST = 30_000
#: An abstract has at least so many characters of prose, and this share of it is prose.
LEAST_PROSE = 400
LEAST_SHARE = 0.6
_ATOM = "{http://www.w3.org/2005/Atom}"
_SEARCH = "{http://a9.com/-/spec/opensearch/1.1/}"
_ID = re.compile(r"/abs/((?:[a-z-]+(?:\.[A-Za-z-]+)?/)?[0-9.]+)(v[0-9]+)$")
_LONGEST_WORDS = 200


@dataclass(frozen=True)
class _Paper:
    revision: str
    page: str
    title: str
    abstract: str


@dataclass(frozen=True)
class _Feed:
    total: int
    papers: tuple[_Paper, ...]


class ArxivApi(Service):
    """Abstracts of one category."""

    rules = RULES
    #: Metadata, which abstracts are part of, is free of rights.
    licence = Licence("CC0 1.0", "https://creativecommons.org/publicdomain/zero/1.0/")
    url = "https://arxiv.org/abs/{revision}"

    def __init__(self, category: str, seed: int) -> None:
        """Raises SourceError where a package is missing or the mirror's address is none."""
        self._category, self._seed = category, seed
        self._client = PoliteClient("arXiv", "arxiv", os.environ.get(MIRROR) or API, INTERVAL)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._client.__exit__(kind, error, trace)

    def choose(self, progress: Progress) -> Iterator[Fetched]:
        """Seeded draws of neighbours in the order of submission, which is the same at any time."""
        known = {article.page for article in progress.articles}
        search = {"search_query": f"cat:{self._category}", "sortBy": "submittedDate", "sortOrder": "ascending"}
        if progress.size is None:
            total = self._feed({**search, "start": 0, "max_results": 1}).total
            if not total:
                raise SourceError(f"{self._client.place}: there is no paper in category {self._category!r}; correct it")
            progress.size = min(total, MOST)
        places = self._places(progress.size)
        for number, start in enumerate(places):
            if number < progress.draws:
                continue
            for paper in self._feed({**search, "start": start, "max_results": BATCH}).papers:
                text = plain_abstract(paper.abstract)
                if paper.page not in known and _is_prose(text, paper.abstract):
                    known.add(paper.page)
                    yield Fetched.of(paper.revision, paper.page, paper.title, text)
            progress.draws += 1
        raise SourceError(
            f"{self._client.place}: the category {self._category!r} has only {len(known)} papers whose abstract is "
            f"plain prose; lower `count` to {len(known) or 1}"
        )

    def again(self, articles: Sequence[Article]) -> Iterator[Fetched]:
        """The same versions, as many in a request as a draw has."""
        for start in range(0, len(articles), BATCH):
            batch = articles[start : start + BATCH]
            ids = ",".join(article.revision for article in batch)
            found = {paper.revision: paper for paper in self._feed({"id_list": ids, "max_results": len(batch)}).papers}
            for article in batch:
                paper = found.get(article.revision)
                if paper is None:
                    raise SourceError(
                        f"{self._client.place}: {article.revision} ({article.title!r}) is not there any more; copy the "
                        "cache of a machine that has its text, or choose anew with --update"
                    )
                yield Fetched.of(paper.revision, paper.page, paper.title, plain_abstract(paper.abstract))

    def _places(self, size: int) -> list[int]:
        """The first papers of all draws, each once, in an order that the seed decides.

        The pages that a category has had for long come first, so that new papers do not change the order.
        """
        stable, pages = max(1, stable_size(size) // BATCH), -(-size // BATCH)
        return [number * BATCH for part in (range(stable), range(stable, pages)) for number in self._shuffled(part)]

    def _shuffled(self, numbers: range) -> list[int]:
        name = f"arxiv {self._category}"
        return sorted(numbers, key=lambda number: (draw(name, self._seed, number, 1 << 62), number))

    def _feed(self, params: Mapping[str, str | int]) -> _Feed:
        return self._client.ask(params, self._read)

    def _read(self, response: httpx.Response) -> _Feed:
        from xml.etree import ElementTree

        try:
            root = ElementTree.fromstring(response.content)
        except ElementTree.ParseError:
            what = "a page of HTML" if is_page(response) else "a broken answer"
            raise PassingError(f"{what} came instead of a feed") from None
        if root.tag != f"{_ATOM}feed":
            what = "a page of HTML" if is_page(response) else "another document"
            raise PassingError(f"{what} came instead of a feed")
        entries = root.findall(f"{_ATOM}entry")
        for entry in entries:
            if "/api/errors" in _field(entry, "id"):
                words = printable(one_line(_field(entry, "summary"), _LONGEST_WORDS))
                raise SourceError(f"{self._client.place}: {words}")
        total = (root.findtext(f"{_SEARCH}totalResults") or "").strip()
        start = (root.findtext(f"{_SEARCH}startIndex") or "").strip()
        feed = _Feed(int(total) if total.isdigit() else len(entries), tuple(filter(None, map(_paper, entries))))
        # The service is known to send such pages now and then.
        if not entries and feed.total > (int(start) if start.isdigit() else 0):
            raise PassingError("an empty page came, although there are more papers")
        return feed


def _field(entry: Element, name: str) -> str:
    return entry.findtext(f"{_ATOM}{name}") or ""


def _paper(entry: Element) -> _Paper | None:
    match = _ID.search(_field(entry, "id").strip())
    if match is None:
        return None
    title = " ".join(_field(entry, "title").split())
    return _Paper(match[1] + match[2], match[1], title, _field(entry, "summary"))


def _is_prose(text: str, abstract: str) -> bool:
    return len(text) >= max(LEAST_PROSE, LEAST_SHARE * len(" ".join(abstract.split())))
