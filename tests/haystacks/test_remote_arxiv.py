"""Abstracts of a category: pages of a feed, versions, and what an API that answers oddly leads to."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pytest_haystack.errors import SourceError
from pytest_haystack.haystacks.remote.lock_file import LOCK_FILE
from tests.support.invented_texts import abstract, papers
from tests.support.text_services import Fault, TextServices

Make = Callable[..., Any]


def prose_of(number: int, version: int) -> str:
    """What remains of an abstract: its TeX said plainly, the sentence that cannot be gone."""
    text = " ".join(abstract(number, version).split()).partition(" It obeys ")[0]
    return text.replace(r"$10^{-3}$ \emph{barrels} -- as Erd\H{o}s", "10⁻³ barrels – as Erdős")


def test_the_text_is_the_prose_of_the_latest_versions(services: TextServices, source: Make, told: Any) -> None:
    services.papers = papers(100)
    fetched = told.fetch(source("arxiv", category="cs.CL", count=30, seed=2))
    numbers = [int(article.page.partition(".")[2]) for article in fetched.manifest.articles]

    assert len(set(numbers)) == 30
    assert not [number for number in numbers if number % 5 == 4]
    versions = [2 if number % 3 == 0 else 1 for number in numbers]
    revisions = [f"2501.{number:05}v{version}" for number, version in zip(numbers, versions, strict=True)]
    assert [article.revision for article in fetched.manifest.articles] == revisions
    expected = [prose_of(number, version) for number, version in zip(numbers, versions, strict=True)]
    assert fetched.read(1) == "\n\n".join(expected)
    assert fetched.manifest.articles[0].title == f"On mills, part {numbers[0]}"
    assert told[-1].endswith(", CC0 1.0; wrote haystack.lock.yaml: commit it with the sweep file")


def test_pages_of_the_feed_are_drawn_by_the_seed(services: TextServices, source: Make, told: Any) -> None:
    services.papers = papers(200)
    starts = {}
    for seed in (1, 2):
        services.requests.clear()
        told.fetch(source("arxiv", category="cs.CL", count=70, seed=seed))
        starts[seed] = [request.params["start"] for request in services.requests[1:]]

    # 128 of the 200 are drawn from: five pages of 25, each asked for once.
    assert all(len(set(found)) == len(found) == 4 for found in starts.values())
    assert starts[1] != starts[2]
    assert {start for found in starts.values() for start in found} <= {"0", "25", "50", "75", "100"}


def test_a_second_machine_gets_the_same_versions_after_newer_ones(
    services: TextServices, source: Make, told: Any, cache: Path
) -> None:
    services.papers = papers(60)
    text = told.fetch(source("arxiv", category="cs.CL", count=28)).read(1)
    shutil.rmtree(cache)
    services.papers = [
        replace(paper, abstracts=[*paper.abstracts, abstract(number, 9)]) for number, paper in enumerate(papers(60))
    ]
    services.requests.clear()

    assert told.fetch(source("arxiv", category="cs.CL", count=28)).read(1) == text
    asked = [request.params["id_list"].split(",") for request in services.requests]
    assert [len(ids) for ids in asked] == [25, 3]
    assert [request.params["max_results"] for request in services.requests] == ["25", "3"]


def test_ids_from_before_2007_have_a_slash(
    services: TextServices, source: Make, told: Any, cache: Path, tmp_path: Path
) -> None:
    services.papers = [
        replace(paper, page=f"hep-th/99010{number:02}", category="hep-th") for number, paper in enumerate(papers(40))
    ]
    fetched = told.fetch(source("arxiv", category="hep-th", count=5))
    text = fetched.read(1)
    shutil.rmtree(cache)

    assert all(article.page.startswith("hep-th/99010") for article in fetched.manifest.articles)
    assert told.fetch(source("arxiv", category="hep-th", count=5)).read(1) == text
    assert "  hep-th/99010" in (tmp_path / LOCK_FILE).read_text()


def test_a_version_that_is_gone_is_named(services: TextServices, source: Make, told: Any, cache: Path) -> None:
    services.papers = papers(60)
    lost = told.fetch(source("arxiv", category="cs.CL", count=6)).manifest.articles[3]
    shutil.rmtree(cache)
    services.papers = [paper for paper in services.papers if paper.page != lost.page]

    with pytest.raises(SourceError, match=rf"\): {lost.revision} \('{lost.title}'\) is not there any more; copy the"):
        told.fetch(source("arxiv", category="cs.CL", count=6))


def test_a_category_without_papers_is_told(services: TextServices, source: Make, told: Any) -> None:
    with pytest.raises(SourceError, match=r"arXiv \(127\.0\.0\.1:\d+\): there is no paper in category 'cs\.XY'; corr"):
        told.fetch(source("arxiv", category="cs.XY", count=6))


def test_a_category_with_too_few_papers_says_how_many_there_are(
    services: TextServices, source: Make, told: Any
) -> None:
    services.papers = papers(32)
    with pytest.raises(SourceError, match=r"'cs\.CL' has only 26 papers whose abstract is plain prose; lower `count`"):
        told.fetch(source("arxiv", category="cs.CL", count=27))


def test_an_error_that_the_feed_reports_is_passed_on(services: TextServices, source: Make, told: Any) -> None:
    with pytest.raises(SourceError, match=r"arXiv \(127\.0\.0\.1:\d+\): incorrect query$"):
        told.fetch(source("arxiv", category="bad", count=6))


def test_an_empty_page_before_the_end_is_asked_for_again(
    services: TextServices, source: Make, told: Any, clock: Any
) -> None:
    services.papers = papers(60)
    empty = (
        b'<feed xmlns="http://www.w3.org/2005/Atom" xmlns:opensearch="http://a9.com/-/spec/opensearch/1.1/">'
        b"<opensearch:totalResults>60</opensearch:totalResults><opensearch:startIndex>0</opensearch:startIndex></feed>"
    )
    services.faults = [Fault(), Fault(body=empty, headers={"content-type": "application/atom+xml"})]

    assert len(told.fetch(source("arxiv", category="cs.CL", count=6)).manifest.articles) == 6
    _, first, again = [request.params["start"] for request in services.requests]
    assert first == again


def test_requests_are_three_seconds_apart_and_one_at_a_time(
    services: TextServices, source: Make, told: Any, clock: Any
) -> None:
    services.papers = papers(100)
    told.fetch(source("arxiv", category="cs.CL", count=30))

    assert sum(clock.sleeps) == pytest.approx(3.0 * (len(services.requests) - 1))
    assert all("user-agent" in request.headers for request in services.requests)
    assert services.requests[0].headers["user-agent"].startswith("pytest-haystack/")
