"""The user's cache folder: what can be made or fetched again, shared by all projects of a user."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def cache_folder(kind: str) -> Path:
    """Folder for one kind of thing, which may not exist yet.

    It lies in the folder that the environment's PYTEST_HAYSTACK_CACHE_DIR names, else where the system keeps caches.
    The package platformdirs knows such places too, but is itself a plugin that every pytest run would load.
    """
    named = os.environ.get("PYTEST_HAYSTACK_CACHE_DIR")
    return (Path(named) if named else _caches() / "pytest-haystack") / kind


def _caches() -> Path:
    home = Path.home()
    if os.environ.get("XDG_CACHE_HOME"):
        return Path(os.environ["XDG_CACHE_HOME"])
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or home / "AppData" / "Local")
    return home / ("Library/Caches" if sys.platform == "darwin" else ".cache")


def write_atomically(path: Path, data: bytes) -> Path:
    """Write a file whole or not at all, whoever else writes it at the same time; its folder is made."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}-{os.getpid()}.part")
    try:
        temporary.write_bytes(data)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
    return path
