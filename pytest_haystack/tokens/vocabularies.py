"""Encodings that work offline, with vocabulary files that another installed package carries.

tiktoken has the algorithms but no vocabulary, and downloads one on first use. The distribution of litellm holds
the three that are needed. They are found without importing it, which would take seconds.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache, cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from pytest_haystack.errors import ConfigError, SourceError
from pytest_haystack.tokens.encoding import Encoding
from pytest_haystack.tokens.huggingface import PREFIX, load_tokenizer
from pytest_haystack.tokens.safe_points import next_safe_point

if TYPE_CHECKING:
    import numpy as np
    import tiktoken
    from numpy.typing import NDArray


class VocabularyFile(NamedTuple):
    """A vocabulary on disk: tiktoken's name for it (the sha1 of its address) and the sha256 of its content."""

    file_name: str
    sha256: str


VOCABULARIES = {
    "cl100k_base": VocabularyFile(
        "9b5ad71b2ce5302211f9c61530b329a4922fc6a4",
        "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
    ),
    "o200k_base": VocabularyFile(
        "fb374d419588a4632f3f557e76b4b70aebbca790",
        "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
    ),
    "p50k_base": VocabularyFile(
        "ec7223a39ce59f226a68acc30dc1af2788490e15",
        "94b5ca7dff4d00767bc256fdd1b27e5b17361d7b8a5f968547f9f23eb70d2069",
    ),
}

#: Where tiktoken looks for files, in its own order.
CACHE_VARIABLES = ("TIKTOKEN_CACHE_DIR", "DATA_GYM_CACHE_DIR")

#: tiktoken's regex engine overflows its stack on about a million white-space characters in a row, and aborts with
#: an exception that no ``except Exception`` catches. Half of it is refused before it gets there.
WHITE_SPACE_LIMIT = 500_000


#: Texts of up to so many characters, and how many of them, of which the number of tokens is remembered: a document's
#: joints, which cells of one sweep have in common. Of the latest the tokens themselves are.
_SHORT, _REMEMBERED, _LATEST = 256, 8192, 64


class TiktokenEncoding:
    """A vocabulary of tiktoken. Special-token text is ordinary text to it."""

    #: The name says it all, and counts add up at safe points by the way these vocabularies work.
    sha256: str | None = None
    whole: Encoding | None = None

    def __init__(self, name: str, folder: Path) -> None:
        """``folder`` has the vocabulary's file."""
        self._name = name
        self._folder = folder
        self._encode_short = lru_cache(_LATEST)(lambda text: tuple(self._encode(text)))
        self._count_short = lru_cache(_REMEMBERED)(lambda text: len(self._encode_short(text)))

    @property
    def name(self) -> str:
        """The vocabulary's name, e.g. ``cl100k_base``."""
        return self._name

    @cached_property
    def _encoding(self) -> tiktoken.Encoding:
        """Loaded when something is to be encoded: that takes longer than to import tiktoken."""
        import tiktoken

        with cache_folder(self._folder):
            return tiktoken.get_encoding(self._name)

    @cached_property
    def _encode(self) -> Callable[[str], list[int]]:
        return self._encoding.encode_ordinary

    def most(self, text: str) -> int:
        """No fewer tokens than the text has, told without the vocabulary: each takes a byte at least."""
        return len(text.encode("utf-8", "surrogatepass"))

    def encode(self, text: str) -> list[int]:
        """Token ids of the text. Raises SourceError where a run of white space is too long to be encoded."""
        if len(text) <= _SHORT:
            return list(self._encode_short(text))
        if len(text) >= WHITE_SPACE_LIMIT:
            refuse_endless_white_space(text)
        return self._encode(text)

    def decode(self, tokens: list[int]) -> str:
        """Text of token ids; U+FFFD stands for a character of which they hold only a part."""
        return self._encoding.decode(tokens)

    def count(self, text: str) -> int:
        """Number of tokens of the text. Raises what `encode` raises."""
        return self._count_short(text) if len(text) <= _SHORT else len(self.encode(text))

    def reach(self, text: str, tokens: int, ids: Sequence[int] | None = None) -> int:
        """Number of characters that the first ``tokens`` tokens of the text cover. Raises what `encode` raises."""
        if tokens <= 0:
            return 0
        return len(self.decode(list((self.encode(text) if ids is None else ids)[:tokens])).rstrip("\ufffd"))

    def next_safe_point(self, text: str, start: int) -> int | None:
        """The first safe point at ``start`` or after it, None where there is none."""
        return next_safe_point(text, start)

    def token_ends(self, text: str) -> NDArray[np.int64]:
        """Where each token of the text ends, in bytes of UTF-8. Other threads run meanwhile. Raises what `encode` does.

        Lone surrogates count as U+FFFD, as they do to `encode`.
        """
        import numpy

        if len(text) >= WHITE_SPACE_LIMIT:
            refuse_endless_white_space(text)
        ids = self._encoding.encode_to_numpy(text, disallowed_special=())
        sizes = numpy.zeros(self._encoding.n_vocab, dtype=numpy.int64)
        for token in numpy.flatnonzero(numpy.bincount(ids)).tolist():
            sizes[token] = len(self._encoding.decode_single_token_bytes(token))
        ends: NDArray[np.int64] = sizes[ids].cumsum()
        return ends


def encoding_of(name: str, base_dir: Path) -> Encoding:
    """The encoding that a config names: one of `load_encoding`, or ``hf:FILE`` with a file relative to ``base_dir``.

    Never uses the network. Raises ConfigError where there is none.
    """
    return load_tokenizer(name, base_dir) if name.startswith(PREFIX) else load_encoding(name)


@cache
def load_encoding(name: str) -> Encoding:
    """The encoding of this name (``cl100k_base``, ``o200k_base`` or ``p50k_base``), made once per process.

    Never uses the network. Raises ConfigError where the name is unknown or the vocabulary file is missing.
    """
    if name not in VOCABULARIES:
        raise ConfigError(f"{name!r} is no known tokenizer; known: {', '.join(VOCABULARIES)}")
    return TiktokenEncoding(name, vocabulary_folder(name))


def vocabulary_folder(name: str) -> Path:
    """The folder that has the vocabulary's file: the user's own cache of tiktoken, else litellm's.

    A file with another content than the vocabulary's does not count: tiktoken would delete it and download.
    Raises ConfigError where no folder has it.
    """
    wanted = VOCABULARIES[name]
    for folder in candidate_folders():
        file = folder / wanted.file_name
        if file.is_file() and hashlib.sha256(file.read_bytes()).hexdigest() == wanted.sha256:
            return folder
    raise ConfigError(
        f"the vocabulary of {name} was not found: install litellm again (pip install --force-reinstall litellm), "
        f"or set TIKTOKEN_CACHE_DIR to a folder that has tiktoken's file {wanted.file_name}"
    )


def candidate_folders() -> list[Path]:
    """Folders that may hold vocabulary files, the user's own first."""
    folders = [Path(folder) for variable in CACHE_VARIABLES if (folder := os.environ.get(variable))]
    litellm = importlib.util.find_spec("litellm")
    for package in (litellm and litellm.submodule_search_locations) or ():
        folders.append(Path(package) / "litellm_core_utils" / "tokenizers")
    return folders


@contextmanager
def cache_folder(folder: Path) -> Iterator[None]:
    """Let tiktoken read its files from this folder, and leave the environment as it was."""
    before = os.environ.get("TIKTOKEN_CACHE_DIR")
    os.environ["TIKTOKEN_CACHE_DIR"] = str(folder)
    try:
        yield
    finally:
        if before is None:
            del os.environ["TIKTOKEN_CACHE_DIR"]
        else:
            os.environ["TIKTOKEN_CACHE_DIR"] = before


def refuse_endless_white_space(text: str) -> None:
    """Raise SourceError where the text may hold a run of `WHITE_SPACE_LIMIT` white-space characters.

    A run of that length covers a whole block of half of it, wherever it starts; other blocks are left at their
    first visible character, so this costs next to nothing.
    """
    block = WHITE_SPACE_LIMIT // 2
    for start in range(0, len(text) - block + 1, block):
        if text[start : start + block].isspace():
            raise SourceError(
                f"the text has more than {block:,} white-space characters in a row from character {start:,} on, "
                "which tiktoken cannot encode; shorten that run"
            )
