"""Seeded draws that stay the same while what is drawn from grows."""

from __future__ import annotations

import hashlib


def stable_size(size: int) -> int:
    """The largest power of two within a size: what grows has the same one for years."""
    return 1 << (size.bit_length() - 1) if size > 0 else 0


def draw(name: str, seed: int, number: int, below: int) -> int:
    """The draw of this number (from 0) of a seed, an integer from 0 to below ``below``."""
    digest = hashlib.sha256(f"{name}\n{seed}\n{number}".encode()).digest()
    return int.from_bytes(digest[:8], "big") % below
