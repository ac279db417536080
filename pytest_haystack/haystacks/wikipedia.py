"""Articles of Wikipedia as filler: chosen by a seed, fetched once, the same revisions everywhere."""

from __future__ import annotations

from pydantic import Field

from pytest_haystack.haystacks.remote.service import Service
from pytest_haystack.haystacks.remote.source import RemoteOptions, RemoteSource


class WikipediaOptions(RemoteOptions):
    """``language`` is the wiki's, as in its address: en, de, zh, ar."""

    language: str = Field(
        "en", pattern=r"^[a-z]{2,12}(-[a-z]{2,12})*$", description="Language of the wiki, as in its address."
    )


class Wikipedia(RemoteSource):
    """Prose of Wikipedia articles, without markup, tables, lists and references; see `pytest-haystack fetch`."""

    name = "wikipedia"
    options_model = WikipediaOptions
    choice = ("language", "count", "seed")

    def service(self) -> Service:
        """Wikipedia's API for the language. Raises SourceError."""
        from pytest_haystack.haystacks.remote.wikipedia_api import WikipediaApi

        return WikipediaApi(self.options.language, self.options.seed)
