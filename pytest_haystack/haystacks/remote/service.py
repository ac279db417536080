"""What a service that haystacks come from can do: choose articles by a seed, and give a version of one again."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from types import TracebackType

from pytest_haystack.haystacks.remote.manifest import Article, Licence, sha256_of_text


@dataclass(frozen=True)
class Fetched:
    """An article with its text."""

    article: Article
    text: str

    @classmethod
    def of(cls, revision: str, page: str, title: str, text: str) -> Fetched:
        """An article whose text has just come in."""
        return cls(Article(revision, page, title, sha256_of_text(text)), text)


@dataclass
class Progress:
    """How far a choice has come, so that it can go on where it broke off.

    ``size`` is what is drawn from (None before the first request), ``draws`` the number of draws that are done,
    ``articles`` those that were chosen.
    """

    size: int | None = None
    draws: int = 0
    articles: list[Article] = field(default_factory=list)


class Service(ABC):
    """Talks to one service for one set of options. To be closed."""

    #: Version of the rules that make plain text of what comes in.
    rules: int
    licence: Licence
    #: Address of a revision, with ``{revision}`` in its place.
    url: str

    @abstractmethod
    def choose(self, progress: Progress) -> Iterator[Fetched]:
        """Articles one after another, from where the progress stands; it is kept up by the taker, but for draws.

        Raises SourceError where there are not as many as were asked for.
        """

    @abstractmethod
    def again(self, articles: Sequence[Article]) -> Iterator[Fetched]:
        """The same revisions of these articles. Raises SourceError where one is gone."""

    def __enter__(self) -> Service:
        return self

    @abstractmethod
    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the connection."""
