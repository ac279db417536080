"""Services that are busy, broken or out of reach: what is tried again, when, and what is said in the end."""

from __future__ import annotations

import socket
from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from email.utils import format_datetime
from pathlib import Path
from typing import Any

import pytest

from pytest_haystack.errors import SourceError
from tests.support.invented_texts import english_wiki, papers
from tests.support.text_services import HTML, Fault, TextServices, busy, json_fault

Make = Callable[..., Any]

LAG = {"error": {"code": "maxlag", "info": "Waiting for db1: 9.5 seconds lagged", "host": "db1", "lag": 9.5}}
PAGE = Fault(body=HTML, headers={"content-type": "text/html; charset=utf-8"})


@pytest.fixture(params=["wikipedia", "arxiv"])
def remote(request: pytest.FixtureRequest, services: TextServices, source: Make) -> Any:
    """A source of each service, with articles to be had."""
    services.wikis["en"] = english_wiki(16)
    services.papers = papers(40)
    return source("arxiv", category="cs.CL", count=2) if request.param == "arxiv" else source("wikipedia", count=2)


@pytest.mark.parametrize(
    "fault",
    [
        busy(429, retry_after="1"),
        busy(500),
        busy(503),
        PAGE,
        Fault(cut=100),
        Fault(cut=100, headers={"transfer-encoding": "until closed"}),
        Fault(cut=0),
    ],
    ids=["429", "500", "503", "html", "cut short", "cut short without length", "nothing"],
)
def test_what_passes_is_tried_again(services: TextServices, remote: Any, told: Any, fault: Fault) -> None:
    services.faults = [Fault(), fault, fault]
    fetched = told.fetch(remote)

    assert len(fetched.manifest.articles) == 2
    assert services.faults == []


@pytest.mark.parametrize(
    ("faults", "least"),
    [
        ([busy(429, retry_after="77")], 77),
        ([busy(503, retry_after="120"), busy(503, retry_after="60")], 180),
        ([busy(500), busy(500), busy(500), busy(500)], 1 + 2 + 4 + 8),
    ],
    ids=["seconds", "twice", "later each time"],
)
def test_nobody_asks_again_before_the_service_said(
    services: TextServices, remote: Any, told: Any, clock: Any, faults: list[Fault], least: float
) -> None:
    began = clock.now
    services.faults = list(faults)
    told.fetch(remote)
    pace = len(services.requests) * 3

    assert least <= clock.now - began <= least + pace


def test_a_date_is_waited_for_too(services: TextServices, remote: Any, told: Any, clock: Any) -> None:
    began = clock.now
    then = format_datetime(datetime.now(timezone.utc) + timedelta(seconds=90), usegmt=True)
    services.faults = [busy(429, retry_after=then)]
    told.fetch(remote)

    # Less what has passed on the real clock by then.
    assert clock.now - began > 60


def test_a_lagging_wiki_is_left_alone_as_long_as_it_lags(
    services: TextServices, source: Make, told: Any, clock: Any
) -> None:
    services.wikis["en"] = english_wiki(16)
    services.faults = [json_fault(LAG), json_fault(LAG, retry_after="30")]
    told.fetch(source("wikipedia", count=2))

    assert max(clock.sleeps) == 30
    assert sum(clock.sleeps) >= 39.5


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        (busy(503), "HTTP 503"),
        (PAGE, "a page of HTML came instead of "),
        (Fault(cut=100), "the answer broke off ("),
        (json_fault(LAG), ""),
    ],
    ids=["503", "html", "cut short", "other form"],
)
def test_what_does_not_pass_ends_in_one_line(
    services: TextServices, remote: Any, told: Any, fault: Fault, words: str
) -> None:
    services.faults = [fault] * 20
    with pytest.raises(SourceError) as raised:
        told.fetch(remote)
    line = str(raised.value)

    assert line.startswith(("Wikipedia (127.0.0.1:", "arXiv (127.0.0.1:"))
    assert words in line
    assert line.endswith(", 6 times in a row; what has been fetched is kept: run the command again later")
    assert "\n" not in line
    assert len(services.requests) == 6


def test_a_long_wait_is_the_users_to_decide(services: TextServices, remote: Any, told: Any) -> None:
    services.faults = [busy(429, retry_after="3600")]
    with pytest.raises(SourceError, match=r"asks to come back in 3,600 seconds; what has been fetched is kept: run"):
        told.fetch(remote)
    assert len(services.requests) == 1


def test_a_refusal_is_not_tried_again(services: TextServices, remote: Any, told: Any) -> None:
    services.faults = [Fault(403, b"Please set\n a user-agent.", {"content-type": "text/plain"})]
    with pytest.raises(SourceError, match=r"HTTP 403: Please set a user-agent\.$"):
        told.fetch(remote)
    assert len(services.requests) == 1


def test_an_error_of_the_wiki_is_passed_on(services: TextServices, source: Make, told: Any) -> None:
    services.faults = [json_fault({"error": {"code": "badvalue", "info": "Unrecognized value."}})]
    with pytest.raises(SourceError, match=r"Wikipedia \(127\.0\.0\.1:\d+\): badvalue: Unrecognized value\.$"):
        told.fetch(source("wikipedia", count=2))


def test_redirects_are_followed_as_far_as_they_lead(services: TextServices, remote: Any, told: Any) -> None:
    answer = "/api/query?search_query=cat:cs.CL&start=0&max_results=1&sortBy=submittedDate&sortOrder=ascending"
    if remote.name == "wikipedia":
        answer = "/en/w/api.php?action=query&format=json&formatversion=2&meta=siteinfo"
    services.faults = [Fault(301, b"moved", {"location": answer})]
    assert len(told.fetch(remote).manifest.articles) == 2


def test_redirects_without_end_are_told(services: TextServices, remote: Any, told: Any) -> None:
    services.faults = [Fault(302, b"moved", {"location": "/round"})] * 50
    with pytest.raises(SourceError, match="sends from one address to the next without end"):
        told.fetch(remote)


@pytest.mark.parametrize("name", ["wikipedia", "arxiv"])
def test_offline_is_told_at_once_and_in_one_line(
    source: Make, told: Any, clock: Any, cache: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
    monkeypatch.setenv(f"PYTEST_HAYSTACK_{name.upper()}_URL", f"http://someone:secret@127.0.0.1:{port}/x")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    options = {"category": "cs.CL"} if name == "arxiv" else {}
    with pytest.raises(SourceError) as raised:
        told.fetch(source(name, count=2, **options))
    line = str(raised.value)

    assert f" (127.0.0.1:{port}) cannot be reached (" in line
    assert "refused" in line
    assert "are you online?" in line
    assert "secret" not in line
    assert clock.sleeps == []


@pytest.mark.parametrize("name", ["wikipedia", "arxiv"])
@pytest.mark.parametrize("url", ["ftp://127.0.0.1/x", "en.wikipedia.org", "http://", "http://[::"])
def test_a_mirror_that_is_no_address_is_told(
    source: Make, told: Any, cache: Path, monkeypatch: pytest.MonkeyPatch, name: str, url: str
) -> None:
    monkeypatch.setenv(f"PYTEST_HAYSTACK_{name.upper()}_URL", url)
    options = {"category": "cs.CL"} if name == "arxiv" else {}
    with pytest.raises(SourceError, match="is no address; write http:// or https://, a host and a path"):
        told.fetch(source(name, count=2, **options))


@pytest.mark.parametrize(
    ("name", "service", "package"),
    [("wikipedia", "Wikipedia", "mwparserfromhell"), ("wikipedia", "Wikipedia", "httpx"), ("arxiv", "arXiv", "httpx")],
)
def test_a_missing_package_is_told_with_the_command_that_installs_it(
    source: Make, told: Any, cache: Path, monkeypatch: pytest.MonkeyPatch, name: str, service: str, package: str
) -> None:
    for module in ("polite", "wikipedia_api"):
        monkeypatch.setattr(
            f"pytest_haystack.haystacks.remote.{module}.find_spec", lambda asked: None if asked == package else asked
        )
    options = {"category": "cs.CL"} if name == "arxiv" else {}
    with pytest.raises(SourceError) as raised:
        told.fetch(source(name, count=2, **options))
    assert str(raised.value) == f"{service} needs {package}: run `pip install 'pytest-haystack[{name}]'`"
