"""The user's cache folder: what can be made or fetched again, shared by all projects of a user."""

from __future__ import annotations

import os
import sys
import tempfile
from contextlib import suppress
from pathlib import Path


def cache_folder(kind: str) -> Path:
    """Folder for one kind of thing, which may not exist yet.

    It lies in the folder that the environment's PYTEST_HAYSTACK_CACHE_DIR names, else where the system keeps caches.
    The package platformdirs knows such places too, but is itself a plugin that every pytest run would load.
    """
    named = os.environ.get("PYTEST_HAYSTACK_CACHE_DIR")
    return (Path(named) if named else _caches() / "pytest-haystack") / kind


def _caches() -> Path:
    named = os.environ.get("XDG_CACHE_HOME") or (os.environ.get("LOCALAPPDATA") if sys.platform == "win32" else None)
    if named:
        return Path(named)
    try:
        home = Path.home()
    except RuntimeError:
        # In a container, a user may have neither a home nor a name.
        return Path(tempfile.gettempdir()) / f"pytest-haystack-{os.getuid() if hasattr(os, 'getuid') else 'cache'}"
    if sys.platform == "win32":
        return home / "AppData" / "Local"
    return home / ("Library/Caches" if sys.platform == "darwin" else ".cache")


def write_atomically(path: Path, data: bytes) -> Path:
    """Write a file whole or not at all, whoever else writes it at the same time; its folder is made. Raises OSError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}-{os.getpid()}.part")
    try:
        temporary.write_bytes(data)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
    return path


def make_room(folder: Path, largest: int, suffix: str, newest: Path) -> None:
    """Remove files of this suffix, those unused for longest first, until all take at most ``largest`` bytes.

    The ``newest`` stays, and what others use stays where the system wants it to.
    """
    found = []
    for path in folder.iterdir():
        with suppress(OSError):
            status = path.stat()
            found.append((status.st_mtime, status.st_size, path))
    total = sum(size for _, size, _ in found)
    for _, size, path in sorted(found):
        if total <= largest:
            return
        if path != newest and path.suffix in (suffix, ".part"):
            with suppress(OSError):
                path.unlink()
                total -= size
