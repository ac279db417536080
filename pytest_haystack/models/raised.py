"""What somebody's own code raised, in a line."""

from __future__ import annotations

import traceback
from pathlib import Path


def told(error: Exception) -> str:
    """``Type: message at file:line``, the place being the last one in the reader's own folder."""
    frames = traceback.extract_tb(error.__traceback__)[1:]  # the first is that of who caught it
    here = Path.cwd()
    own = [frame for frame in frames if _below(frame.filename, here)]
    place = ""
    if frames:
        frame = (own or frames)[-1]
        file = Path(frame.filename)
        place = f" at {file.relative_to(here) if own else file}:{frame.lineno}"
    return f"{' '.join(f'{type(error).__name__}: {error}'.split())}{place}"


def _below(file: str, folder: Path) -> bool:
    path = Path(file)
    return path.is_relative_to(folder) and "site-packages" not in path.parts
