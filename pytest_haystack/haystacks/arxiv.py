"""Abstracts of arXiv papers as filler: chosen by a seed, fetched once, the same versions everywhere."""

from __future__ import annotations

from pydantic import Field

from pytest_haystack.haystacks.remote.service import Service
from pytest_haystack.haystacks.remote.source import RemoteOptions, RemoteSource


class ArxivOptions(RemoteOptions):
    """``category`` is one of arXiv's own: cs.CL, math.NT, hep-th."""

    category: str = Field(
        pattern=r"^[a-z]+(-[a-z]+)*(\.[A-Za-z]+(-[a-z]+)*)?$", description="Category of arXiv, e.g. cs.CL."
    )


class Arxiv(RemoteSource):
    """Abstracts of the papers of an arXiv category, one a paragraph; see `pytest-haystack fetch`."""

    name = "arxiv"
    options_model = ArxivOptions
    choice = ("category", "count", "seed")

    def service(self) -> Service:
        """arXiv's API for the category. Raises SourceError."""
        from pytest_haystack.haystacks.remote.arxiv_api import ArxivApi

        return ArxivApi(self.options.category, self.options.seed)
