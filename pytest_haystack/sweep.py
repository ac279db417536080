"""Axes to an ordered tuple of cells, with ids and seeds."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Cell:
    """One point of the sweep: a model, a task, a context length and a depth.

    ``context_length`` is in tokens, ``depth_percent`` in percent from 0 (start of the document) to 100 (its end),
    ``depth`` is the depth as it stands in the id, ``threshold`` the least mean score (0 to 1) that passes,
    ``line`` the line of the task in the config file (1-based).
    """

    sweep: str
    task: str
    model: str
    context_length: int
    depth_percent: float
    depth: str
    trials: int
    threshold: float
    line: int

    @property
    def id(self) -> str:
        """Text between the brackets of the node id, e.g. ``single-reader-len4000-depth50``."""
        return f"{self.task}-{self.model}-len{self.context_length}-depth{self.depth}"

    @property
    def mark(self) -> dict[str, Any]:
        """Keyword arguments of the cell's ``haystack_cell`` mark."""
        return {
            "task": self.task,
            "model": self.model,
            "context_length": self.context_length,
            "depth_percent": self.depth_percent,
            "depth": self.depth,
        }


def depth_text(depth_percent: float) -> str:
    """Depth percent as ids show it: at most two decimals, no trailing zeros (``50``, ``3.95``)."""
    return f"{depth_percent:.2f}".rstrip("0").rstrip(".")


def seed_of(*parts: object) -> int:
    """A 64-bit seed that depends on the parts alone, the same on every machine and Python version."""
    digest = hashlib.sha256("\x1f".join(str(part) for part in parts).encode()).digest()
    return int.from_bytes(digest[:8], "big")
