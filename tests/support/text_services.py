"""A server on 127.0.0.1 that answers like the APIs of a wiki and of arXiv, with texts of its own, well or badly.

What it sends has the form of the services' documentation; every word of content is invented.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit
from xml.sax.saxutils import escape

HTML = b"<!DOCTYPE html>\n<html><head><title>Error</title></head><body>Our servers are under maintenance.</body></html>"


@dataclass(frozen=True)
class Fault:
    """One bad answer. ``cut`` is how many bytes of the good one are sent before the server hangs up."""

    status: int = 200
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    cut: int | None = None


def json_fault(data: Any, **headers: str) -> Fault:
    """An error that the wiki's API reports, with status 200 as it does."""
    return Fault(body=json.dumps(data).encode(), headers={"content-type": "application/json", **_named(headers)})


def busy(status: int, **headers: str) -> Fault:
    """An answer of a server in front of the service; ``retry_after="7"`` is a header."""
    return Fault(status, b"Rate exceeded.", _named(headers))


def _named(headers: Mapping[str, str]) -> dict[str, str]:
    return {name.replace("_", "-"): value for name, value in headers.items()}


@dataclass(frozen=True)
class Page:
    """A page of a wiki with the wikitext of its revisions, the last being the current one."""

    title: str
    revisions: Mapping[int, str]
    namespace: int = 0
    redirect: bool = False
    disambiguation: bool = False

    @property
    def latest(self) -> int:
        return max(self.revisions)

    @property
    def size(self) -> int:
        return len(self.revisions[self.latest].encode())


@dataclass(frozen=True)
class Paper:
    """A paper of arXiv with the abstract of each version, the first being v1."""

    page: str
    title: str
    abstracts: Sequence[str]
    category: str = "cs.CL"


@dataclass(frozen=True)
class Request:
    """A request as it arrived."""

    path: str
    params: Mapping[str, str]
    headers: Mapping[str, str]


class TextServices:
    """Runs in threads of its own: ``{url}/{language}/w/api.php`` is a wiki, ``{url}/api/query`` is arXiv's."""

    def __init__(self) -> None:
        self.wikis: dict[str, dict[int, Page]] = {}
        self.papers: list[Paper] = []
        #: Given one after another in the place of good answers.
        self.faults: list[Fault] = []
        self.requests: list[Request] = []
        #: Revisions whose text administrators have hidden.
        self.hidden: set[int] = set()
        #: Texts of revisions that fit into one answer; the rest is continued.
        self.texts_an_answer = 50
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.05,), daemon=True)

    def __enter__(self) -> TextServices:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._http.server_address[1]}"

    @property
    def mirrors(self) -> dict[str, str]:
        """The environment that names this server."""
        return {
            "PYTEST_HAYSTACK_WIKIPEDIA_URL": f"{self.url}/{{language}}/w/api.php",
            "PYTEST_HAYSTACK_ARXIV_URL": f"{self.url}/api/query",
        }

    def answer(self, request: Request) -> tuple[str, bytes]:
        """Content type and body of a good answer."""
        if request.path == "/api/query":
            return "application/atom+xml; charset=utf-8", self._feed(request.params).encode()
        language = request.path.split("/")[1]
        data = self._query(self.wikis[language], request.params)
        return "application/json; charset=utf-8", json.dumps(data).encode()

    def _query(self, wiki: Mapping[int, Page], params: Mapping[str, str]) -> dict[str, Any]:
        assert (params["action"], params["format"], params["formatversion"]) == ("query", "json", "2")
        if params.get("meta") == "siteinfo":
            return {"batchcomplete": True, "query": _siteinfo(wiki)}
        if params.get("generator") == "allpages":
            return self._all_pages(wiki, params)
        if "revids" in params:
            return self._revisions(wiki, params)
        ids = [int(number) for number in params["pageids"].split("|")]
        assert len(ids) <= 50
        pages = [
            {"pageid": number, "ns": wiki[number].namespace, "title": wiki[number].title}
            if number in wiki
            else {"pageid": number, "missing": True}
            for number in ids
        ]
        return {"batchcomplete": True, "query": {"pages": pages}}

    def _all_pages(self, wiki: Mapping[int, Page], params: Mapping[str, str]) -> dict[str, Any]:
        assert params["gapfilterredir"] == "nonredirects"
        assert params["gaplimit"] == "1"
        least = int(params["gapminsize"])
        found = sorted(
            (page.title, number)
            for number, page in wiki.items()
            if page.namespace == 0 and not page.redirect and page.size >= least and page.title >= params["gapfrom"]
        )
        if not found:
            return {"batchcomplete": True}
        page = wiki[found[0][1]]
        entry = _page(found[0][1], page) | {"revisions": [self._revision(page, page.latest)]}
        if page.disambiguation:
            entry["pageprops"] = {"disambiguation": ""}
        answer: dict[str, Any] = {"batchcomplete": True, "query": {"pages": [entry]}}
        if len(found) > 1:
            answer["continue"] = {"gapcontinue": found[1][0].replace(" ", "_"), "continue": "gapcontinue||"}
        return answer

    def _revisions(self, wiki: Mapping[int, Page], params: Mapping[str, str]) -> dict[str, Any]:
        wanted = [int(number) for number in params["revids"].split("|")]
        assert len(wanted) <= 50
        owners = {revision: number for number, page in wiki.items() for revision in page.revisions}
        known = sorted(number for number in wanted if number in owners)
        start = known.index(int(params["rvcontinue"])) if "rvcontinue" in params else 0
        now = known[start : start + self.texts_an_answer]
        pages: dict[int, dict[str, Any]] = {}
        for revision in known:
            number = owners[revision]
            entry = pages.setdefault(number, _page(number, wiki[number]))
            if revision in now:
                entry.setdefault("revisions", []).append(self._revision(wiki[number], revision))
        query: dict[str, Any] = {"pages": list(pages.values())} if pages else {}
        bad = {str(number): {"revid": number, "missing": True} for number in wanted if number not in owners}
        if bad:
            query["badrevids"] = bad
        if start + len(now) < len(known):
            more = {"rvcontinue": str(known[start + len(now)]), "continue": "||"}
            return {"continue": more, "query": query}
        return {"batchcomplete": True, "query": query}

    def _revision(self, page: Page, revision: int) -> dict[str, Any]:
        slot: dict[str, Any] = {"contentmodel": "wikitext", "contentformat": "text/x-wiki"}
        if revision in self.hidden:
            slot = {"texthidden": True}
        else:
            slot["content"] = page.revisions[revision]
        return {"revid": revision, "parentid": 0, "slots": {"main": slot}}

    def _feed(self, params: Mapping[str, str]) -> str:
        start, most = int(params.get("start", 0)), int(params.get("max_results", 10))
        if "id_list" in params:
            by_id = {
                f"{paper.page}v{version}": (paper, version)
                for paper in self.papers
                for version in range(1, len(paper.abstracts) + 1)
            }
            found = [by_id[name] for name in params["id_list"].split(",") if name in by_id]
        else:
            assert (params["sortBy"], params["sortOrder"]) == ("submittedDate", "ascending")
            category = params["search_query"].removeprefix("cat:")
            if category == "bad":
                return _atom(1, 0, _ERROR_ENTRY)
            found = [(paper, len(paper.abstracts)) for paper in self.papers if paper.category == category]
        entries = "".join(_entry(paper, version) for paper, version in found[start : start + most])
        return _atom(len(found), start, entries)


def _page(number: int, page: Page) -> dict[str, Any]:
    return {"pageid": number, "ns": page.namespace, "title": page.title}


def _siteinfo(wiki: Mapping[int, Page]) -> dict[str, Any]:
    return {
        "general": {"sitename": "Wikipedia", "generator": "MediaWiki 1.47.0-wmf.5", "case": "first-letter"},
        "statistics": {"pages": len(wiki), "articles": len(wiki), "edits": 9 * len(wiki)},
        "rightsinfo": {"url": "https://creativecommons.org/licenses/by-sa/9.9/", "text": "CC BY-SA 9.9"},
        "namespaces": {
            "0": {"id": 0, "case": "first-letter", "name": "", "content": True},
            "6": {"id": 6, "case": "first-letter", "name": "Bild", "canonical": "File"},
            "14": {"id": 14, "case": "first-letter", "name": "Ordner", "canonical": "Category"},
        },
        "namespacealiases": [{"id": 6, "alias": "图像"}, {"id": 14, "alias": "تصنيف"}],
    }


def _atom(total: int, start: int, entries: str) -> str:
    return f"""<?xml version='1.0' encoding='UTF-8'?>
<feed xmlns:opensearch="http://a9.com/-/spec/opensearch/1.1/" xmlns:arxiv="http://arxiv.org/schemas/atom" \
xmlns="http://www.w3.org/2005/Atom">
  <id>https://arxiv.org/api/aBcDeFgHiJkLmNoPqRsTuVwXyZ0</id>
  <title>arXiv Query</title>
  <updated>2026-01-01T00:00:00Z</updated>
  <opensearch:itemsPerPage>10</opensearch:itemsPerPage>
  <opensearch:totalResults>{total}</opensearch:totalResults>
  <opensearch:startIndex>{start}</opensearch:startIndex>
{entries}</feed>
"""


def _entry(paper: Paper, version: int) -> str:
    return f"""  <entry>
    <id>http://arxiv.org/abs/{paper.page}v{version}</id>
    <title>{escape(paper.title)}</title>
    <updated>2025-05-0{version}T17:00:00Z</updated>
    <link href="https://arxiv.org/abs/{paper.page}v{version}" rel="alternate" type="text/html"/>
    <summary>  {escape(paper.abstracts[version - 1])}
    </summary>
    <category term="{paper.category}" scheme="http://arxiv.org/schemas/atom"/>
    <published>2025-05-01T17:00:00Z</published>
    <arxiv:primary_category term="{paper.category}"/>
    <author><name>Ada Nobody</name></author>
  </entry>
"""


_ERROR_ENTRY = """  <entry>
    <id>http://arxiv.org/api/errors#incorrect_query</id>
    <title>Error</title>
    <summary>incorrect query</summary>
    <updated>2026-01-01T00:00:00Z</updated>
    <author><name>arXiv api core</name></author>
  </entry>
"""


def _handler(services: TextServices) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        #: An answer leaves at once and whole, so that nobody waits for the rest of it.
        wbufsize = -1

        def do_GET(self) -> None:
            address = urlsplit(self.path)
            params = {name: values[0] for name, values in parse_qs(address.query).items()}
            request = Request(address.path, params, {name.lower(): value for name, value in self.headers.items()})
            services.requests.append(request)
            fault = services.faults.pop(0) if services.faults else Fault()
            kind, body = services.answer(request) if not fault.body and fault.status == 200 else ("text/html", b"")
            body = fault.body or body
            self.send_response(fault.status)
            headers = {"content-type": kind, "content-length": str(len(body)), **fault.headers}
            if fault.cut is not None and "transfer-encoding" in fault.headers:
                del headers["content-length"], headers["transfer-encoding"]
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body if fault.cut is None else body[: fault.cut])
            if fault.cut is not None:
                self.close_connection = True

        def log_message(self, *args: Any) -> None:
            """Nothing: pytest shows what is printed."""

    return Handler
