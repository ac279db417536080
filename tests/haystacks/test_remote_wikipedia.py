"""Articles of a wiki: which are chosen, what is kept of them, and that a second machine gets the same bytes."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pytest_haystack.errors import NotFetchedError, SourceError
from pytest_haystack.haystacks.remote import polite, wikitext
from pytest_haystack.haystacks.remote.lock_file import LOCK_FILE, read_manifests, write_manifests
from tests.support.invented_texts import arabic, chinese, english, english_wiki, wiki_of
from tests.support.invented_texts import wikitext as article_of
from tests.support.text_services import Page, TextServices

Make = Callable[..., Any]

ARTICLES = {number for number in range(1, 65) if number % 8 in (6, 7, 0)}


def texts_of(read: str) -> set[int]:
    """The numbers of the articles of the English wiki that a text consists of."""
    found = {number for number in ARTICLES if "\n\n".join(english(number)) in read}
    assert len("\n\n".join("\n\n".join(english(number)) for number in found)) == len(read)
    return found


def test_the_text_is_the_prose_of_as_many_articles_as_were_asked_for(
    services: TextServices, source: Make, told: Any
) -> None:
    services.wikis["en"] = english_wiki()
    fetched = told.fetch(source("wikipedia", count=12, seed=3))
    articles = fetched.manifest.articles

    assert len(texts_of(fetched.read(1))) == len(articles) == 12
    assert {article.title for article in articles} == {f"Mill {int(article.page):03}" for article in articles}
    assert all(article.revision == f"{article.page}0" for article in articles)
    assert told[-1].startswith("wikipedia (language: en, count: 12, seed: 3): 12 texts of ")
    assert told[-1].endswith(" characters, CC BY-SA 9.9; wrote haystack.lock.yaml: commit it with the sweep file")


def test_a_seed_chooses_the_same_articles_everywhere_and_another_seed_others(
    services: TextServices, source: Make, told: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    services.wikis["en"] = english_wiki()
    chosen = {}
    for name, seed in (("a", 3), ("b", 3), ("c", 4)):
        monkeypatch.setenv("PYTEST_HAYSTACK_CACHE_DIR", str(tmp_path / f"cache-{name}"))
        chosen[name] = told.fetch(source("wikipedia", tmp_path / name, count=8, seed=seed))

    assert chosen["a"].read(1) == chosen["b"].read(1)
    assert chosen["a"].sha256 == chosen["b"].sha256
    assert (tmp_path / "a" / LOCK_FILE).read_bytes() == (tmp_path / "b" / LOCK_FILE).read_bytes()
    assert texts_of(chosen["a"].read(1)) != texts_of(chosen["c"].read(1))


def test_a_second_machine_gets_the_listed_revisions_whatever_the_wiki_says_now(
    services: TextServices, source: Make, told: Any, tmp_path: Path, cache: Path
) -> None:
    services.wikis["en"] = english_wiki()
    first = told.fetch(source("wikipedia", count=9, seed=1))
    text, sha256 = first.read(1), first.sha256
    shutil.rmtree(cache)
    for number, page in services.wikis["en"].items():
        newer = {number * 10 + 5: article_of("New", english(number + 500))}
        services.wikis["en"][number] = replace(page, title=f"Renamed {number}", revisions={**page.revisions, **newer})
    services.requests.clear()
    lock = (tmp_path / LOCK_FILE).read_bytes()
    again = told.fetch(source("wikipedia", count=9, seed=1))

    assert (again.read(1), again.sha256) == (text, sha256)
    assert (tmp_path / LOCK_FILE).read_bytes() == lock
    assert [request.params.get("meta", "revisions") for request in services.requests] == ["siteinfo", "revisions"]
    assert told[-1].startswith("wikipedia (language: en, count: 9, seed: 1): fetched as haystack.lock.yaml has them, 9")


def test_what_is_in_the_cache_is_not_asked_for_again(services: TextServices, source: Make, told: Any) -> None:
    services.wikis["en"] = english_wiki()
    text = told.fetch(source("wikipedia", count=4)).read(1)
    services.requests.clear()
    again = told.fetch(source("wikipedia", count=4))

    assert again.read(1) == text
    assert services.requests == []
    assert told[-1].startswith("wikipedia (language: en, count: 4, seed: 42): already here, 4 texts of ")


def test_only_texts_that_the_cache_lacks_are_fetched(
    services: TextServices, source: Make, told: Any, cache: Path
) -> None:
    services.wikis["en"] = english_wiki()
    first = told.fetch(source("wikipedia", count=5))
    lost = first.manifest.articles[2]
    next((cache / "haystacks/texts").rglob(f"{lost.sha256}.txt")).write_text("damaged")
    with pytest.raises(NotFetchedError, match=r"1 of 5 texts are not in the cache of this machine; run `pytest-hay"):
        source("wikipedia", count=5).read(1)
    services.requests.clear()
    again = told.fetch(source("wikipedia", count=5))

    assert again.read(1) == first.read(1)
    assert services.requests[-1].params["revids"] == lost.revision


def test_a_result_in_parts_is_put_together(services: TextServices, source: Make, told: Any, cache: Path) -> None:
    services.wikis["en"] = english_wiki()
    text = told.fetch(source("wikipedia", count=7)).read(1)
    shutil.rmtree(cache)
    services.texts_an_answer = 2
    services.requests.clear()

    assert told.fetch(source("wikipedia", count=7)).read(1) == text
    assert len(services.requests) == 1 + 4


def test_more_revisions_than_fit_into_a_request_take_several(
    services: TextServices, source: Make, told: Any, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pytest_haystack.haystacks.remote.wikipedia_api.BATCH", 5)
    services.wikis["en"] = english_wiki()
    text = told.fetch(source("wikipedia", count=12)).read(1)
    shutil.rmtree(cache)
    services.requests.clear()

    assert told.fetch(source("wikipedia", count=12)).read(1) == text
    assert [len(request.params.get("revids", "").split("|")) for request in services.requests] == [1, 5, 5, 2]


@pytest.mark.parametrize("how", ["deleted", "hidden"])
def test_a_revision_that_is_gone_is_named_with_what_to_do(
    services: TextServices, source: Make, told: Any, cache: Path, how: str
) -> None:
    services.wikis["en"] = english_wiki()
    first = told.fetch(source("wikipedia", count=4))
    shutil.rmtree(cache)
    lost = first.manifest.articles[1]
    if how == "deleted":
        del services.wikis["en"][int(lost.page)]
    else:
        services.hidden.add(int(lost.revision))

    with pytest.raises(SourceError) as raised:
        told.fetch(source("wikipedia", count=4))
    assert str(raised.value) == (
        f"Wikipedia ({services.url.removeprefix('http://')}): revision {lost.revision} of {lost.title!r} is not there "
        "any more; copy the cache of a machine that has its text, or choose anew with --update"
    )


def test_other_bytes_than_the_listed_ones_are_an_error_and_not_kept(
    services: TextServices, source: Make, told: Any, cache: Path
) -> None:
    services.wikis["en"] = english_wiki()
    first = told.fetch(source("wikipedia", count=4))
    shutil.rmtree(cache)
    last = first.manifest.articles[-1]
    page = services.wikis["en"][int(last.page)]
    changed = {number: text.replace(".", "!", 9) for number, text in page.revisions.items()}
    services.wikis["en"][int(last.page)] = replace(page, revisions=changed)

    with pytest.raises(SourceError) as raised:
        told.fetch(source("wikipedia", count=4))
    line = str(raised.value)
    assert f"the text of {last.title!r} (https://en.wikipedia.org/w/index.php?oldid={last.revision})" in line
    assert f"haystack.lock.yaml says {last.sha256[:12]}...; it was not kept." in line
    assert len(list((cache / "haystacks/texts").rglob("*.txt"))) == 3
    with pytest.raises(NotFetchedError, match="1 of 4 texts"):
        source("wikipedia", count=4).read(1)


def test_a_lock_file_of_other_rules_is_refused_before_anything_is_asked(
    services: TextServices, source: Make, told: Any, cache: Path, tmp_path: Path
) -> None:
    services.wikis["en"] = english_wiki()
    told.fetch(source("wikipedia", count=2))
    shutil.rmtree(cache)
    [manifest] = read_manifests(tmp_path / LOCK_FILE)
    write_manifests(tmp_path / LOCK_FILE, [replace(manifest, rules=wikitext.RULES + 1)])
    services.requests.clear()

    with pytest.raises(SourceError, match=r"with version 2 of the rules .* has version 1; fetch with the one that"):
        told.fetch(source("wikipedia", count=2))
    assert services.requests == []


def test_update_chooses_from_the_wiki_of_today(services: TextServices, source: Make, told: Any, tmp_path: Path) -> None:
    services.wikis["en"] = english_wiki()
    first = told.fetch(source("wikipedia", count=4))
    for number, page in services.wikis["en"].items():
        if number in ARTICLES:
            newer = {number * 10 + 5: article_of("New", english(number + 500))}
            services.wikis["en"][number] = replace(page, revisions={**page.revisions, **newer})
    anew = told.fetch(source("wikipedia", count=4), anew=True)
    pinned = source("wikipedia", count=4, manifest=first.sha256)

    assert anew.sha256 != first.sha256
    assert all(article.revision.endswith("5") for article in anew.manifest.articles)
    assert source("wikipedia", count=4).sha256 == anew.sha256
    assert len(read_manifests(tmp_path / LOCK_FILE)) == 1
    # The rows of the first choice can still be rebuilt.
    assert pinned.read(1) == first.read(1)


def test_a_choice_goes_on_where_it_broke_off(
    services: TextServices, source: Make, told: Any, clock: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    services.wikis["en"] = english_wiki()
    whole = told.fetch(source("wikipedia", tmp_path / "whole", count=10))
    needed = len(services.requests)
    monkeypatch.setenv("PYTEST_HAYSTACK_CACHE_DIR", str(tmp_path / "other"))
    services.requests.clear()

    def interrupted(seconds: float) -> None:
        if len(services.requests) == needed // 2:
            raise KeyboardInterrupt
        clock.sleep(seconds)

    monkeypatch.setattr(polite, "sleep", interrupted)
    with pytest.raises(KeyboardInterrupt):
        told.fetch(source("wikipedia", count=10))
    assert not (tmp_path / LOCK_FILE).exists()
    monkeypatch.setattr(polite, "sleep", clock.sleep)
    again = told.fetch(source("wikipedia", count=10))

    assert re.search(r"choosing articles, \d so far", told[-2])
    assert again.read(1) == whole.read(1)
    # What was asked before it broke off is not asked again, but for a few draws that brought nothing.
    assert len(services.requests) < needed + needed // 2
    assert not list((tmp_path / "other/haystacks/choosing").iterdir())


def test_a_wiki_with_too_few_articles_says_how_many_there_are(
    services: TextServices, source: Make, told: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pytest_haystack.haystacks.remote.wikipedia_api.IN_VAIN", 30)
    services.wikis["en"] = english_wiki(16)

    with pytest.raises(
        SourceError, match=r"only 6 articles with enough prose were found in [\d,]+ draws; lower `count` to 6"
    ):
        told.fetch(source("wikipedia", count=7))
    assert len(told.fetch(source("wikipedia", count=6)).manifest.articles) == 6


def test_a_wiki_without_pages_is_told(services: TextServices, source: Make, told: Any) -> None:
    services.wikis["en"] = {}

    with pytest.raises(SourceError, match=r"Wikipedia \(127\.0\.0\.1:\d+\): the wiki has no pages"):
        told.fetch(source("wikipedia", count=1))


@pytest.mark.parametrize(("language", "write"), [("zh", chinese), ("ar", arabic)])
def test_other_scripts_come_through_letter_by_letter(
    services: TextServices, source: Make, told: Any, language: str, write: Callable[[int], list[str]], cache: Path
) -> None:
    pages = wiki_of({number: write(number) for number in range(1, 9)})
    hidden = "[[图像:磨坊.jpg|thumb|磨坊]][[تصنيف:طواحين]]\n"
    services.wikis[language] = {
        number: Page(page.title, {key: hidden + text for key, text in page.revisions.items()})
        for number, page in pages.items()
    }
    fetched = told.fetch(source("wikipedia", language=language, count=5))
    expected = ["\n\n".join(write(int(article.page))) for article in fetched.manifest.articles]

    assert fetched.read(1) == "\n\n".join(expected)
    shutil.rmtree(cache)
    assert told.fetch(source("wikipedia", language=language, count=5)).read(1) == "\n\n".join(expected)
    assert fetched.manifest.url.startswith(f"https://{language}.wikipedia.org/")


def test_every_request_is_polite(services: TextServices, source: Make, told: Any, clock: Any, monkeypatch: Any) -> None:
    monkeypatch.setenv("PYTEST_HAYSTACK_CONTACT", "ada@example.org")
    services.wikis["en"] = english_wiki()
    told.fetch(source("wikipedia", count=3))

    assert all(request.params["maxlag"] == "5" for request in services.requests)
    for request in services.requests:
        assert request.headers["user-agent"].startswith("pytest-haystack/")
        assert request.headers["user-agent"].endswith("(+https://pypi.org/project/pytest-haystack/; ada@example.org)")
        assert "gzip" in request.headers["accept-encoding"]
    # All but the first wait for their turn, a second each.
    assert sum(clock.sleeps) >= len(services.requests) - 1 - 1e-6
