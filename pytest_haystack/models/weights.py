"""Telling weights files apart by what is in them, without reading gigabytes."""

from __future__ import annotations

import hashlib
from functools import lru_cache
from pathlib import Path

from pytest_haystack.config.local_names import PREFIX_FILE
from pytest_haystack.models.local import weights_file

#: Bytes of a block, and blocks that are read: training and quantising change all of a file, its head aside.
_BLOCK, _BLOCKS = 65_536, 256


def weights_mark(model: str, base_dir: Path) -> tuple[str, ...]:
    """What tells the weights behind ``local:FILE`` from others that were or will be under that name.

    Empty for other models (``local/NAME`` has its version in the package) and for a file that is not there. Paths are
    relative to ``base_dir``.
    """
    if not model.startswith(PREFIX_FILE):
        return ()
    file = weights_file(model, base_dir)
    try:
        stat = file.stat()
        return (_fingerprint(file, stat.st_size, stat.st_mtime_ns),)
    except OSError:
        return ()


@lru_cache
def _fingerprint(file: Path, size: int, _mtime_ns: int) -> str:
    """Hash over the size and over blocks spread evenly, first and last included: the same on every machine."""
    digest = hashlib.sha256(str(size).encode("ascii"))
    last = max(0, size - _BLOCK)
    with file.open("rb") as opened:
        for start in sorted({last * number // (_BLOCKS - 1) for number in range(_BLOCKS)}):
            opened.seek(start)
            digest.update(opened.read(_BLOCK))
    return digest.hexdigest()
