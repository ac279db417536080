"""Text files of one's own as filler."""

from __future__ import annotations

import glob
import hashlib
import os
from functools import cached_property
from pathlib import Path

from pydantic import Field

from pytest_haystack.errors import SourceError
from pytest_haystack.haystacks.source import Source, SourceOptions

#: What a folder is searched for.
SUFFIXES = (".txt", ".md")
#: More bytes than any document needs: 10 million tokens of Chinese are about half of it.
MOST_BYTES = 128 * 1024 * 1024


class FilesOptions(SourceOptions):
    """``path`` is a folder, a glob or a file, relative to the config file's folder."""

    path: str = Field(min_length=1, description="Folder, glob or file, relative to the sweep file.")


class Files(Source):
    """UTF-8 text files, sorted by their path, with a blank line between them.

    A folder stands for all its ``*.txt`` and ``*.md`` files, those of its subfolders included, hidden ones not.
    """

    name = "files"
    options_model = FilesOptions

    def read(self, characters: int) -> str:
        """All text of all files, line ends as ``\\n``.

        Raises SourceError for a path without files, and for a file that is empty, not UTF-8 or binary.
        """
        return self._text

    @property
    def sha256(self) -> str:
        """Hash of the joined text. Raises SourceError like `read`."""
        return hashlib.sha256(self._text.encode()).hexdigest()

    def documents(self) -> list[str]:
        """The text of each file. Raises SourceError like `read`."""
        return self._documents

    @cached_property
    def _text(self) -> str:
        return "\n\n".join(self._documents)

    @cached_property
    def _documents(self) -> list[str]:
        files = self.files()
        total = sum(self._size(file) for file in files)
        if total > MOST_BYTES:
            raise SourceError(
                f"haystack path {self.options.path!r}: {len(files)} files hold {total / 2**20:.0f} MiB, more than "
                f"the {MOST_BYTES // 2**20} MiB that are read; name fewer files"
            )
        return [self._decoded(file) for file in files]

    def files(self) -> list[Path]:
        """The files that the path stands for, in reading order. Raises SourceError where there is none."""
        path = self.base_dir / Path(self.options.path).expanduser()
        if path.is_file():
            return [path]
        if path.is_dir():
            found, root = list(_text_files_below(path)), path
            missing = f"the folder has no {' or '.join(SUFFIXES)} file"
        elif glob.has_magic(self.options.path):
            # An absolute pattern takes the place of the folder before it.
            pattern = Path(glob.escape(str(self.base_dir)), Path(self.options.path).expanduser())
            # pathlib's own ** means one thing before Python 3.13 and another from there on.
            matches = map(Path, glob.iglob(str(pattern), recursive=True))  # noqa: PTH207
            found, root = [match for match in matches if match.is_file()], self.base_dir
            missing = "the glob matches no file"
        else:
            found, root, missing = [], self.base_dir, "there is no such file or folder"
        if not found:
            raise SourceError(
                f"haystack path {self.options.path!r}: {missing} (looked from the config file's folder, "
                f"{self.base_dir}); correct `haystack.path`"
            )
        return sorted(found, key=lambda file: Path(os.path.relpath(file, root)).as_posix())

    def _shown(self, file: Path) -> str:
        return Path(os.path.relpath(file, self.base_dir)).as_posix()

    def _size(self, file: Path) -> int:
        try:
            return file.stat().st_size
        except OSError as error:
            raise SourceError(f"haystack file {self._shown(file)} cannot be read: {error.strerror}") from None

    def _decoded(self, file: Path) -> str:
        try:
            data = file.read_bytes()
        except OSError as error:
            raise SourceError(f"haystack file {self._shown(file)} cannot be read: {error.strerror}") from None
        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise SourceError(
                f"haystack file {self._shown(file)} is not UTF-8 (byte 0x{data[error.start]:02x} at offset "
                f"{error.start}); save it as UTF-8 or leave it out of `haystack.path`"
            ) from None
        if "\0" in text:
            raise SourceError(
                f"haystack file {self._shown(file)} is not text (it holds NUL bytes); leave it out of `haystack.path`"
            )
        text = text.replace("\r\n", "\n").replace("\r", "\n").strip("\n")
        if not text.strip():
            raise SourceError(f"haystack file {self._shown(file)} is empty; fill it or leave it out of `haystack.path`")
        return text


def _text_files_below(folder: Path) -> list[Path]:
    found: list[Path] = []
    for parent, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        found += [
            Path(parent, name)
            for name in names
            if name.lower().endswith(SUFFIXES) and not name.startswith(".") and Path(parent, name).is_file()
        ]
    return found
