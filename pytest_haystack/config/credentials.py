"""Keys and passwords that were written into the config: found, refused, never shown."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from pytest_haystack.config.yaml_text import KeyPath

#: What keys of well-known services look like, JSON web tokens and passwords in addresses.
_SHAPES = re.compile(
    r"\bsk-[A-Za-z0-9_-]{16,}"
    r"|\b(?:gsk_|hf_|r8_|xai-|pplx-|gh[pousr]_)[A-Za-z0-9]{20,}"
    r"|\b(?:github_pat_|glpat-|nvapi-)[A-Za-z0-9_-]{20,}"
    r"|\bAIza[A-Za-z0-9_-]{30,}"
    r"|\b(?:AKIA|ASIA)[A-Z0-9]{16}\b"
    r"|\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*"
    r"|(?<=://)[^/\s:@]*:[^/\s@$]+(?=@)"
)
_SECRET_NAME = re.compile(r"(?:^|[^a-z])(?:api_?)?key(?![a-z])|secret|passw|authorization|(?:^|[^a-z])token(?![a-z])")
_TOKEN_LIKE = re.compile(r"^(?:Bearer\s+)?[A-Za-z0-9_\-.+/=:]{20,}$")
_VARIABLE = re.compile(r"^[A-Za-z_][A-Za-z0-9_]*$")


def mask(text: str) -> str:
    """The text without anything that has the shape of a key."""
    return _SHAPES.sub("***", text)


def find_credentials(value: Any, path: KeyPath = ()) -> Iterator[tuple[KeyPath, str]]:
    """Key path and text of each value that looks like a key or holds a password.

    A key is told by its shape, or by being long, without spaces and in a field whose name says so. Task entries are
    judged by shape alone: there, a ``key`` names what a needle is about; but a task's scorer may ask a model.
    """
    if isinstance(value, dict):
        for key, item in value.items():
            yield from find_credentials(item, (*path, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from find_credentials(item, (*path, index))
    elif isinstance(value, str) and _is_credential(value, path):
        yield path, value


def _is_credential(text: str, path: KeyPath) -> bool:
    if _SHAPES.search(text):
        return True
    name = next((part.lower().replace("-", "_") for part in reversed(path) if isinstance(part, str)), "")
    if (path[:1] == ("tasks",) and "scorer" not in path) or "${" in text or not _SECRET_NAME.search(name):
        return False
    if name == "api_key_env" or "headers_env" in path:
        return not _VARIABLE.match(text) and (len(text) >= 16 or text.startswith("sk-"))
    return bool(_TOKEN_LIKE.match(text)) or text.startswith("sk-")
