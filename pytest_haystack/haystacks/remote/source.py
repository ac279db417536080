"""A haystack whose text was fetched before: read from the cache, checked by the manifest, never from the network."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from pydantic import Field

from pytest_haystack.cache import cache_folder
from pytest_haystack.config.parts import BARE, NO_FLAG
from pytest_haystack.errors import NotFetchedError
from pytest_haystack.haystacks.remote.lock_file import LOCK_FILE, read_manifests
from pytest_haystack.haystacks.remote.manifest import Article, Manifest, options_text, sha256_of_text
from pytest_haystack.haystacks.source import Source, SourceOptions

if TYPE_CHECKING:
    from pytest_haystack.haystacks.remote.service import Service


class RemoteOptions(SourceOptions):
    """``count`` articles chosen by ``seed``; ``manifest`` is the list of them that is meant."""

    count: Annotated[int, Field(ge=1, le=2000), NO_FLAG] = Field(100, description="How many articles.")
    seed: Annotated[int, NO_FLAG, BARE] = Field(42, description="Which articles.")
    manifest: str | None = Field(
        None,
        pattern=r"^[0-9a-f]{64}$",
        description="Hash of the list of articles; default: that of haystack.lock.yaml for these options.",
    )


class RemoteSource(Source):
    """Articles in the order of their manifest, with a blank line between them."""

    options_model: ClassVar[type[SourceOptions]] = RemoteOptions
    #: The options that decide which articles are chosen.
    choice: ClassVar[tuple[str, ...]]

    @abstractmethod
    def service(self) -> Service:
        """A connection to where the articles come from. Raises SourceError where a package for it is missing."""

    @classmethod
    def pinned(cls, options: Mapping[str, Any], base_dir: Path) -> dict[str, Any]:
        """The options with the manifest that the lock file beside the config has for them, None where it has none.

        Raises ConfigError where the lock file is damaged.
        """
        if options["manifest"] is not None:
            return dict(options)
        chosen = {key: options[key] for key in cls.choice}
        for manifest in read_manifests(base_dir / LOCK_FILE):
            if (manifest.source, manifest.options) == (cls.name, chosen):
                return {**options, "manifest": manifest.sha256}
        return dict(options)

    def read(self, characters: int) -> str:
        """All text. Raises NotFetchedError where an article is not in the cache."""
        return self._text

    @property
    def sha256(self) -> str:
        """Hash of the manifest, which holds the hash of every text."""
        return self.manifest.sha256

    @property
    def chosen_by(self) -> dict[str, Any]:
        """The options that decide which articles are chosen."""
        return {key: getattr(self.options, key) for key in self.choice}

    @property
    def title(self) -> str:
        """Name and options, for messages."""
        return f"{self.name} ({options_text(self.chosen_by)})"

    @cached_property
    def manifest(self) -> Manifest:
        """What the text consists of: by the lock file, else by the cache. Raises NotFetchedError."""
        wanted = self.pinned(self.options.model_dump(), self.base_dir)["manifest"]
        if wanted is None:
            raise NotFetchedError(f"{self.title} has not been fetched yet")
        for file in (self.base_dir / LOCK_FILE, manifest_file(wanted)):
            for manifest in read_manifests(file):
                if (manifest.source, manifest.sha256) == (self.name, wanted):
                    return manifest
        raise NotFetchedError(
            f"{self.title}: the list of articles {wanted[:12]}... is neither in {LOCK_FILE} nor in the cache of this "
            "machine; put that of the first run beside the sweep file"
        )

    def documents(self) -> Sequence[str]:
        """The text of each article. Raises NotFetchedError like `read`."""
        return self._texts

    @cached_property
    def _text(self) -> str:
        return "\n\n".join(self._texts)

    @cached_property
    def _texts(self) -> list[str]:
        texts = [cached_text(article) for article in self.manifest.articles]
        missing = texts.count(None)
        if missing:
            raise NotFetchedError(f"{self.title}: {missing} of {len(texts)} texts are not in the cache of this machine")
        return [text for text in texts if text is not None]


def remote_folder() -> Path:
    """Where fetched texts are kept, by their hash: sweeps share them."""
    return cache_folder("haystacks")


def manifest_file(sha256: str) -> Path:
    """Where the cache keeps a manifest, for rows whose lock file has moved on."""
    return remote_folder() / "manifests" / f"{sha256}.yaml"


def text_file(article: Article) -> Path:
    """Where the cache keeps the text of an article."""
    return remote_folder() / "texts" / article.sha256[:2] / f"{article.sha256}.txt"


def cached_text(article: Article) -> str | None:
    """The text of an article, None where the cache has not these very bytes."""
    try:
        text = text_file(article).read_bytes().decode("utf-8")
    except (OSError, UnicodeDecodeError):
        return None
    return text if sha256_of_text(text) == article.sha256 else None


#: Tells the user a line.
Say = Callable[[str], None]
