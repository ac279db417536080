"""``haystack.lock.yaml``: the manifests of the sweeps in a folder, to be committed with them.

The articles of a manifest are one text of a line each, ``SHA256  REVISION  PAGE  TITLE``, which takes no time to read
and shows in a diff what has changed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel, ConfigDict, ValidationError

from pytest_haystack.cache import write_atomically
from pytest_haystack.config.yaml_text import read_yaml_file
from pytest_haystack.errors import ConfigError
from pytest_haystack.haystacks.remote.manifest import Article, Licence, Manifest
from pytest_haystack.text import printable

LOCK_FILE = "haystack.lock.yaml"
#: Version of this file's form.
FORM = 1

_HEAD = """\
# What the haystacks of the sweeps in this folder consist of, written by `pytest-haystack fetch`. Commit it: with it,
# every machine gets the same texts. A line of `articles` is the hash of the text, the revision, the page, the title.
"""
_LINE = re.compile(r"([0-9a-f]{64})  (\S+)  (\S+)  (.*)")


class _Entry(BaseModel):
    model_config = ConfigDict(extra="forbid")

    source: str
    options: dict[str, Any]
    rules: int
    licence: str
    licence_url: str
    url: str
    sha256: str
    articles: str


class _File(BaseModel):
    model_config = ConfigDict(extra="forbid")

    form: int
    haystacks: list[_Entry]


def read_manifests(path: Path) -> tuple[Manifest, ...]:
    """The manifests of a file, none where there is no file. Raises ConfigError where it is not as it was written."""
    if not path.is_file():
        return ()
    read = read_yaml_file(path, path.name)
    for _, line, words in read.problems:
        raise ConfigError(f"{path.name}:{line}: {words}; {_ADVICE}")
    form = read.value.get("form") if isinstance(read.value, dict) else None
    if isinstance(form, int) and form > FORM:
        raise ConfigError(f"{path.name}: was written by a newer version of pytest-haystack; upgrade to read it")
    try:
        entries = _File.model_validate(read.value).haystacks
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(map(str, first["loc"]))
        line = _line_of(read.lines, first["loc"])
        raise ConfigError(f"{path.name}:{line}: {key or 'file'}: {first['msg'].lower()}; {_ADVICE}") from None
    return tuple(
        _manifest(entry, f"{path.name}:{read.lines.get(('haystacks', index), 1)}")
        for index, entry in enumerate(entries)
    )


_ADVICE = "restore the file, or remove it and run `pytest-haystack fetch` for a new choice"


def _line_of(lines: Mapping[tuple[str | int, ...], int], path: tuple[str | int, ...]) -> int:
    while path and path not in lines:
        path = path[:-1]
    return lines.get(path, 1)


def _manifest(entry: _Entry, where: str) -> Manifest:
    articles = []
    for number, line in enumerate(entry.articles.splitlines(), 1):
        match = _LINE.fullmatch(line)
        if match is None:
            raise ConfigError(f"{where}: line {number} of articles is not SHA256  REVISION  PAGE  TITLE; {_ADVICE}")
        articles.append(Article(match[2], match[3], match[4], match[1]))
    manifest = Manifest(
        source=entry.source,
        options=entry.options,
        rules=entry.rules,
        licence=Licence(entry.licence, entry.licence_url),
        url=entry.url,
        articles=tuple(articles),
    )
    if manifest.sha256 != entry.sha256:
        raise ConfigError(f"{where}: the articles are not those of sha256 {entry.sha256[:12]}...; {_ADVICE}")
    return manifest


def write_manifests(path: Path, manifests: Iterable[Manifest]) -> Path:
    """Write a file of these manifests, whole or not at all."""
    text = f"{_HEAD}form: {FORM}\nhaystacks:\n" + "".join(map(_entry_text, manifests))
    return write_atomically(path, text.encode())


def _entry_text(manifest: Manifest) -> str:
    head = {
        "source": manifest.source,
        "options": dict(manifest.options),
        "rules": manifest.rules,
        "licence": manifest.licence.name,
        "licence_url": manifest.licence.url,
        "url": manifest.url,
        "sha256": manifest.sha256,
    }
    lines: str = yaml.safe_dump([head], sort_keys=False, allow_unicode=True, width=2**31, default_flow_style=None)
    articles = "".join(
        f"      {article.sha256}  {article.revision}  {article.page}  {_title(article)}\n"
        for article in manifest.articles
    )
    return "".join(f"  {line}\n" for line in lines.splitlines()) + f"    articles: |\n{articles}"


def _title(article: Article) -> str:
    return printable(" ".join(article.title.split()))


def with_manifest(manifests: Iterable[Manifest], added: Manifest) -> list[Manifest]:
    """The manifests, with this one in the place of the one for the same options."""
    others = list(manifests)
    same = (added.source, added.options)
    for index, other in enumerate(others):
        if (other.source, other.options) == same:
            others[index] = added
            return others
    return [*others, added]
