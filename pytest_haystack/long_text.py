"""Texts of millions of characters, worked on part by part: another copy of one costs more than the work."""

from __future__ import annotations

import hashlib

_PART = 65_536


def utf8_sha256(text: str, errors: str) -> hashlib._Hash:
    """The SHA-256 of the text's UTF-8 bytes, as hashlib's object; ``errors`` says what lone surrogates become."""
    digest = hashlib.sha256()
    for start in range(0, len(text), _PART):
        digest.update(text[start : start + _PART].encode("utf-8", errors))
    return digest


def folded(text: str) -> str:
    """The text without case. Each character folds by itself; where not all are ASCII it takes twelve bytes a time."""
    return "".join(text[start : start + _PART].casefold() for start in range(0, len(text), _PART))
