"""What a fetched haystack consists of: the exact version of every article, and the hash of its text."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any


@dataclass(frozen=True)
class Article:
    """One version of one article, which never changes where it comes from.

    ``revision`` is a revision id of Wikipedia or an arXiv id with its version, ``page`` the id that all versions of
    the article share, ``sha256`` the hash of its text as it is read.
    """

    revision: str
    page: str
    title: str
    sha256: str


@dataclass(frozen=True)
class Licence:
    """Under which terms a text may be passed on."""

    name: str
    url: str


@dataclass(frozen=True)
class Manifest:
    """The articles that were chosen for the options of a source, in reading order.

    ``rules`` is the version of the rules that made plain text of them, ``url`` the address of a revision, with
    ``{revision}`` in its place: together with the titles the attribution that the licence asks for.
    """

    source: str
    options: Mapping[str, Any]
    rules: int
    licence: Licence
    url: str
    articles: tuple[Article, ...]

    @cached_property
    def sha256(self) -> str:
        """Hash of what decides the text: which revisions, in which order, with which text."""
        what = [self.source, [[article.revision, article.sha256] for article in self.articles]]
        return hashlib.sha256(json.dumps(what).encode("ascii")).hexdigest()

    @property
    def asked(self) -> str:
        """The options as a reader knows them, e.g. ``language: en, count: 50, seed: 1``."""
        return options_text(self.options)


def options_text(options: Mapping[str, Any]) -> str:
    """Options on one line."""
    return ", ".join(f"{key}: {value}" for key, value in options.items())


def sha256_of_text(text: str) -> str:
    """Hash of a text's bytes."""
    return hashlib.sha256(text.encode()).hexdigest()
