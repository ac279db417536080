"""The user's cache folder: what can be made or fetched again, shared by all projects of a user."""

from __future__ import annotations

import os
from pathlib import Path


def cache_folder(kind: str) -> Path:
    """Folder for one kind of thing, which may not exist yet.

    It lies in the folder that the environment's PYTEST_HAYSTACK_CACHE_DIR names, else where the system keeps caches.
    """
    from platformdirs import user_cache_path

    named = os.environ.get("PYTEST_HAYSTACK_CACHE_DIR")
    base = Path(named) if named else user_cache_path("pytest-haystack", appauthor=False)
    return base / kind
