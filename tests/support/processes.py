"""Processes that a test started, found by their parents."""

from __future__ import annotations

import time
from pathlib import Path


def descendants(pid: int) -> dict[int, str]:
    """Command lines of the processes below one, by process id; needs /proc."""
    parents: dict[int, int] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            parents[int(folder.name)] = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
        except (OSError, IndexError):
            continue  # it has ended meanwhile
    below = {pid}
    while more := {child for child, parent in parents.items() if parent in below} - below:
        below |= more
    return {child: command(child) for child in below - {pid}}


def command(pid: int) -> str:
    """The command line of a process, empty where it has ended."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ")
    except OSError:
        return ""


def wait_for(module: str, pid: int, seconds: float = 60) -> list[int]:
    """Ids of the processes below ``pid`` that run a module, as soon as there is one."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        found = [child for child, words in descendants(pid).items() if words.rstrip().endswith(module)]
        if found:
            return found
        time.sleep(0.05)
    raise AssertionError(f"{module} was not started: {descendants(pid)}")


def wait_until_gone(pids: list[int], seconds: float = 30) -> None:
    """Wait until none of the processes is left."""
    until = time.monotonic() + seconds
    while any(command(pid) for pid in pids):
        assert time.monotonic() < until, {pid: command(pid) for pid in pids}
        time.sleep(0.05)
