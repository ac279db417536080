"""Wikipedia's action API: a seeded choice of articles, and revisions by their id, as wikitext.

Wikitext of a revision never changes. What the API can make of it (HTML, extracts) does, with every template in it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from importlib.util import find_spec
from types import TracebackType
from typing import TYPE_CHECKING, Any

from pytest_haystack.errors import SourceError
from pytest_haystack.haystacks.remote.draws import draw, stable_size
from pytest_haystack.haystacks.remote.manifest import Article, Licence
from pytest_haystack.haystacks.remote.polite import PassingError, PoliteClient, is_page, needs, retry_after
from pytest_haystack.haystacks.remote.service import Fetched, Progress, Service
from pytest_haystack.haystacks.remote.wikitext import RULES, plain_text
from pytest_haystack.text import one_line, printable

if TYPE_CHECKING:
    import httpx

#: A mirror, with ``{language}`` for the language of the wiki.
MIRROR = "PYTEST_HAYSTACK_WIKIPEDIA_URL"
API = "https://{language}.wikipedia.org/w/api.php"
#: Seconds between requests. The service asks for one request after another and sets no figure.
INTERVAL = 1.0
#: What may be asked for in one request.
BATCH = 50
#: An article has at least so many bytes of wikitext, and of prose when all else is gone.
LEAST_WIKITEXT = 6000
LEAST_PROSE = 2000
#: Requests in a row that bring no article before a choice is given up.
IN_VAIN = 100
#: Errors that pass.
_BUSY = frozenset({"maxlag", "ratelimited", "readonly", "internal_api_error_DBQueryTimeoutError"})
_LICENCE = Licence("CC BY-SA 4.0", "https://creativecommons.org/licenses/by-sa/4.0/")
_LONGEST_WORDS = 200


class WikipediaApi(Service):
    """One language's Wikipedia."""

    rules = RULES
    licence = _LICENCE

    def __init__(self, language: str, seed: int) -> None:
        """Raises SourceError where a package is missing or the mirror's address is none."""
        if find_spec("mwparserfromhell") is None:
            raise needs("Wikipedia", "wikipedia", "mwparserfromhell")
        self.url = f"https://{language}.wikipedia.org/w/index.php?oldid={{revision}}"
        self._name, self._seed = f"wikipedia {language}", seed
        address = os.environ.get(MIRROR) or API
        self._client = PoliteClient("Wikipedia", "wikipedia", address.replace("{language}", language), INTERVAL)
        self._hidden: frozenset[str] = frozenset()
        #: Pages that were looked at and are not chosen.
        self._no_good: set[str] = set()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._client.__exit__(kind, error, trace)

    def choose(self, progress: Progress) -> Iterator[Fetched]:
        """A seeded draw of page ids; from the title of each, the next article in the alphabet that is long enough."""
        self._look_around(progress)
        assert progress.size is not None
        known = {article.page for article in progress.articles}
        in_vain = 0
        while in_vain < IN_VAIN:
            in_vain += 1
            for title in self._titles(progress):
                found = self._article_from(title, known)
                progress.draws += 1
                in_vain += 1
                if found is not None:
                    in_vain = 0
                    known.add(found.article.page)
                    yield found
                elif in_vain >= IN_VAIN:
                    break
        if not known:
            raise SourceError(f"{self._client.place}: no article with enough prose was found")
        raise SourceError(
            f"{self._client.place}: only {len(known)} articles with enough prose were found in {progress.draws:,} "
            f"draws; lower `count` to {len(known)}"
        )

    def again(self, articles: Sequence[Article]) -> Iterator[Fetched]:
        """The same revisions, as many in a request as it takes."""
        self._look_around(Progress())
        for start in range(0, len(articles), BATCH):
            batch = articles[start : start + BATCH]
            query = self._query(
                {**_CONTENT, "prop": "revisions", "revids": "|".join(article.revision for article in batch)}
            )
            found = {
                str(revision.get("revid")): (page, revision)
                for page in query.get("pages", ())
                for revision in page.get("revisions", ())
            }
            for article in batch:
                page, revision = found.get(article.revision, ({}, {}))
                text = _content(revision)
                if text is None:
                    raise SourceError(
                        f"{self._client.place}: revision {article.revision} of {article.title!r} is not there any "
                        "more; copy the cache of a machine that has its text, or choose anew with --update"
                    )
                yield Fetched.of(article.revision, article.page, str(page.get("title")), self._plain(text))

    def _look_around(self, progress: Progress) -> None:
        """What the wiki calls files and categories, under which licence it stands, how large it is."""
        facts = "general|statistics|rightsinfo|namespaces|namespacealiases"
        query = self._query({"meta": "siteinfo", "siprop": facts})
        spaces = [space for space in query.get("namespaces", {}).values() if space.get("id") in (6, 14)]
        aliases = [alias for alias in query.get("namespacealiases", ()) if alias.get("id") in (6, 14)]
        names = (entry.get(key) for entry in (*spaces, *aliases) for key in ("name", "canonical", "alias"))
        self._hidden = frozenset(str(name).lower() for name in names if name)
        rights = query.get("rightsinfo", {})
        if rights.get("text") and rights.get("url"):
            self.licence = Licence(str(rights["text"]), str(rights["url"]))
        if progress.size is None:
            # Ids are given in order and never again, so that there are at least as many as there are pages.
            progress.size = stable_size(int(query.get("statistics", {}).get("pages", 0)))
            if not progress.size:
                raise SourceError(f"{self._client.place}: the wiki has no pages")

    def _titles(self, progress: Progress) -> Iterator[str]:
        """Titles of drawn pages, from where the progress stands; ids that are no article's count as a draw."""
        assert progress.size is not None
        ids = [
            draw(self._name, self._seed, number, progress.size) + 1
            for number in range(progress.draws, progress.draws + BATCH)
        ]
        query = self._query({"pageids": "|".join(str(number) for number in dict.fromkeys(ids))})
        titles = {page.get("pageid"): page["title"] for page in query.get("pages", ()) if _is_article(page)}
        for number in ids:
            if number in titles:
                yield titles[number]
            else:
                progress.draws += 1

    def _article_from(self, title: str, known: set[str]) -> Fetched | None:
        """The first article from this title on that is long enough, None where it is no good."""
        query = self._query({**_NEXT_ARTICLE, **_CONTENT, "gapfrom": title})
        for page in query.get("pages", ()):
            revision = (page.get("revisions") or [{}])[0]
            text = _content(revision)
            if str(page["pageid"]) in known | self._no_good:
                continue
            self._no_good.add(str(page["pageid"]))
            if text is None or "disambiguation" in page.get("pageprops", {}):
                continue
            prose = self._plain(text)
            if len(prose.encode()) >= LEAST_PROSE:
                self._no_good.remove(str(page["pageid"]))
                return Fetched.of(str(revision["revid"]), str(page["pageid"]), page["title"], prose)
        return None

    def _plain(self, wikitext: str) -> str:
        return plain_text(wikitext, self._hidden)

    def _query(self, params: Mapping[str, str | int]) -> dict[str, Any]:
        """The whole result of a query, in as many parts as the wiki gives it."""
        merged: dict[str, Any] = {}
        more: dict[str, str] = {}
        while True:
            data = self._client.ask({**_ALWAYS, **params, **more}, self._read)
            _merge(merged, data.get("query", {}))
            # With a generator, what is to be continued after a complete batch is the next one.
            if data.get("batchcomplete") or "continue" not in data or data["continue"] == more:
                return merged
            more = data["continue"]

    def _read(self, response: httpx.Response) -> dict[str, Any]:
        try:
            data = response.json()
        except ValueError:
            what = "a page of HTML" if is_page(response) else "a broken answer"
            raise PassingError(f"{what} came instead of JSON") from None
        if not isinstance(data, dict):
            raise PassingError("an answer of another form came")
        if "error" in data:
            error = data["error"] if isinstance(data["error"], dict) else {}
            words = printable(one_line(f"{error.get('code')}: {error.get('info')}", _LONGEST_WORDS))
            if error.get("code") in _BUSY or str(error.get("code")).startswith("internal_api_error"):
                raise PassingError(words, max(retry_after(response.headers), float(error.get("lag") or 0)))
            raise SourceError(f"{self._client.place}: {words}")
        return data


_ALWAYS: dict[str, str | int] = {"action": "query", "format": "json", "formatversion": 2, "maxlag": 5}
_NEXT_ARTICLE: dict[str, str | int] = {
    "generator": "allpages",
    "gapnamespace": 0,
    "gapfilterredir": "nonredirects",
    "gapminsize": LEAST_WIKITEXT,
    "gaplimit": 1,
    "prop": "revisions|pageprops",
    "ppprop": "disambiguation",
}
_CONTENT: dict[str, str | int] = {"rvprop": "ids|content", "rvslots": "main"}


def _merge(merged: dict[str, Any], part: Mapping[str, Any]) -> None:
    """Add a part of a result: each page once, with what its parts say of it."""
    for key, value in part.items():
        if key != "pages":
            merged[key] = {**merged.get(key, {}), **value} if isinstance(value, dict) else value
            continue
        pages = {page.get("pageid", page.get("title")): page for page in merged.setdefault("pages", [])}
        for page in value:
            known = pages.get(page.get("pageid", page.get("title")))
            if known is None:
                merged["pages"].append(dict(page))
            else:
                revisions = [*known.get("revisions", ()), *page.get("revisions", ())]
                known.update(page, **({"revisions": revisions} if revisions else {}))


def _is_article(page: Mapping[str, Any]) -> bool:
    return page.get("ns") == 0 and "missing" not in page and bool(page.get("title"))


def _content(revision: Mapping[str, Any]) -> str | None:
    """The wikitext of a revision, None where it is hidden, or not wikitext."""
    slot = revision.get("slots", {}).get("main", {})
    content = slot.get("content")
    return content if isinstance(content, str) and slot.get("contentmodel", "wikitext") == "wikitext" else None
