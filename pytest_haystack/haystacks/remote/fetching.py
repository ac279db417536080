"""Fetching the articles of a haystack into the cache, and writing down which they are."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path

from pytest_haystack.cache import write_atomically
from pytest_haystack.errors import NotFetchedError, SourceError
from pytest_haystack.haystacks.remote.lock_file import LOCK_FILE, read_manifests, with_manifest, write_manifests
from pytest_haystack.haystacks.remote.manifest import Article, Manifest
from pytest_haystack.haystacks.remote.service import Fetched, Progress, Service
from pytest_haystack.haystacks.remote.source import (
    RemoteSource,
    Say,
    cached_text,
    manifest_file,
    remote_folder,
    text_file,
)

#: Articles between two lines of progress.
_STEP = 10


def fetch(source: RemoteSource, say: Say, *, anew: bool = False) -> Manifest:
    """Get every text of a source into the cache, and its manifest into cache and lock file.

    What the lock file lists is fetched as it is listed, and must come out with the same bytes. Where it lists nothing
    for these options, or with ``anew``, articles are chosen and listed. What was fetched stays if this breaks off.
    Raises SourceError, ConfigError.
    """
    try:
        manifest = None if anew else _listed(source)
        if manifest is None:
            manifest = _choose(source, say)
            lock = source.base_dir / LOCK_FILE
            write_manifests(lock, with_manifest(read_manifests(lock), manifest))
            say(f"{source.title}: {_amount(manifest)}; wrote {lock.name}: commit it with the sweep file")
        elif not (missing := _missing(manifest)):
            say(f"{source.title}: already here, {_amount(manifest)}")
        else:
            _fetch_again(source, manifest, missing, say)
            say(f"{source.title}: fetched as {LOCK_FILE} has them, {_amount(manifest)}")
        write_manifests(manifest_file(manifest.sha256), [manifest])
    except OSError as error:
        raise SourceError(f"{error.filename or remote_folder()}: {error.strerror or error}") from None
    return manifest


def _listed(source: RemoteSource) -> Manifest | None:
    """The manifest that the config or the lock file asks for, None where articles are still to be chosen."""
    try:
        return source.manifest
    except NotFetchedError:
        if source.options.manifest is not None:
            raise
        return None


def _choose(source: RemoteSource, say: Say) -> Manifest:
    file = _progress_file(source)
    progress = _read_progress(file)
    count = source.options.count
    say(f"{source.title}: choosing articles" + (f", {len(progress.articles)} so far" if progress.articles else ""))
    with source.service() as service:
        if len(progress.articles) < count:
            for fetched in service.choose(progress):
                _keep(fetched)
                progress.articles.append(fetched.article)
                _write_progress(file, progress)
                _tell(say, len(progress.articles), count)
                if len(progress.articles) == count:
                    break
        manifest = _manifest(source, service, progress.articles)
    file.unlink(missing_ok=True)
    return manifest


def _manifest(source: RemoteSource, service: Service, articles: Iterable[Article]) -> Manifest:
    return Manifest(
        source=source.name,
        options=source.chosen_by,
        rules=service.rules,
        licence=service.licence,
        url=service.url,
        articles=tuple(articles),
    )


def _fetch_again(source: RemoteSource, manifest: Manifest, missing: list[Article], say: Say) -> None:
    say(f"{source.title}: {len(missing)} of {len(manifest.articles)} texts to fetch")
    with source.service() as service:
        if manifest.rules != service.rules:
            raise SourceError(
                f"{source.title}: {LOCK_FILE} was written with version {manifest.rules} of the rules that make plain "
                f"text, and this pytest-haystack has version {service.rules}; fetch with the one that wrote it, or "
                "choose anew with --update"
            )
        for number, (article, fetched) in enumerate(zip(missing, service.again(missing), strict=True), 1):
            if fetched.article.sha256 != article.sha256:
                raise SourceError(
                    f"{source.title}: the text of {article.title!r} ({manifest.url.format(revision=article.revision)}) "
                    f"has sha256 {fetched.article.sha256[:12]}..., and {LOCK_FILE} says {article.sha256[:12]}...; it "
                    "was not kept. Copy the cache of a machine that has the text, or choose anew with --update"
                )
            _keep(fetched)
            _tell(say, number, len(missing))


def _missing(manifest: Manifest) -> list[Article]:
    return [article for article in manifest.articles if cached_text(article) is None]


def _keep(fetched: Fetched) -> None:
    write_atomically(text_file(fetched.article), fetched.text.encode())


def _tell(say: Say, number: int, count: int) -> None:
    if number % _STEP == 0 and number < count:
        say(f"  {number} of {count}")


def _amount(manifest: Manifest) -> str:
    characters = sum(len(cached_text(article) or "") for article in manifest.articles)
    return f"{len(manifest.articles)} texts of {characters:,} characters, {manifest.licence.name}"


def _progress_file(source: RemoteSource) -> Path:
    digest = hashlib.sha256(json.dumps([source.name, source.chosen_by]).encode()).hexdigest()
    return remote_folder() / "choosing" / f"{digest[:32]}.json"


def _write_progress(file: Path, progress: Progress) -> None:
    articles = [[a.revision, a.page, a.title, a.sha256] for a in progress.articles]
    text = json.dumps({"size": progress.size, "draws": progress.draws, "articles": articles})
    write_atomically(file, text.encode("ascii"))


def _read_progress(file: Path) -> Progress:
    """How far an earlier choice came; from the start where that is not known or its texts are gone."""
    try:
        found = json.loads(file.read_bytes())
        articles = [Article(*entry) for entry in found["articles"]]
        if all(cached_text(article) is not None for article in articles):
            return Progress(found["size"], found["draws"], articles)
    except (OSError, ValueError, KeyError, TypeError):
        pass
    return Progress()
