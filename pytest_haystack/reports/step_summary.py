"""The job summary of GitHub Actions: a file that every step appends Markdown to."""

from __future__ import annotations

from pathlib import Path

#: A larger file is not cut but thrown away by the runner, with all that other steps wrote.
LIMIT_BYTES = 1024 * 1024


def append_step_summary(markdown: str, path: Path) -> str | None:
    """Append to the summary; returns a line that says why not, None where it was appended."""
    try:
        size = path.stat().st_size if path.exists() else 0
        if size + len(markdown.encode()) >= LIMIT_BYTES:
            return f"{path}: not appended to, for it would grow over 1 MiB; summary.md in the report folder has it"
        with path.open("a", encoding="utf-8", newline="\n") as file:
            file.write(markdown + "\n")
    except OSError as error:
        return f"{path}: not appended to: {error}"
    return None
