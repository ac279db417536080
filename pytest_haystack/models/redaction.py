"""Keeping keys out of everything that is shown or written."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterable, Mapping
from functools import cached_property, lru_cache
from typing import Any
from urllib.parse import quote, unquote, urlsplit

HIDDEN = "[redacted]"

#: Shorter values are no keys, and hiding them would eat ordinary words.
_SHORTEST, _SHORTEST_GUESSED = 4, 8
#: Those that are also found in base64 and across line ends.
_SHORTEST_TWISTED = 12
_SECRET_VARIABLE = re.compile(r"(API_?KEY|_KEY|SECRET|TOKEN|PASSWORD|CREDENTIALS?)$", re.IGNORECASE)
_SECRET_FIELD = re.compile(r"(key|secret|token|password|authorization|credentials?)$", re.IGNORECASE)

#: Keys by their looks, for those that no variable told of: an echoed header, a key shown in part.
_LOOKS: tuple[tuple[re.Pattern[str], str], ...] = (
    (
        re.compile(
            r"(?P<name>\b(?:proxy-)?authorization|\bx-api-key|\bapi[-_ ]?key)(?P<sign>[\"']?\s*[:=]\s*[\"']?)"
            r"(?!(?:(?:bearer|basic)\s+)?\[redacted\])(?:(?:bearer|basic)\s+)?[^\s\"',;})\]]{4,}",
            re.IGNORECASE,
        ),
        rf"\g<name>\g<sign>{HIDDEN}",
    ),
    (
        re.compile(r"\b(?P<name>bearer|basic)\s+(?=\S*\d)[\w.~+/=*-]{6,}", re.IGNORECASE),
        rf"\g<name> {HIDDEN}",
    ),
    (
        re.compile(r"(?P<name>[?&](?:key|api[-_]key|token|access_token)=)[^&\s\"']+", re.I),
        rf"\g<name>{HIDDEN}",
    ),
    (re.compile(r"(?P<name>://)[^\s/@:]+:[^\s/@]+@"), rf"\g<name>{HIDDEN}@"),
    (re.compile(r"(?<![\w-])(?:sk|gsk|xai|pplx|hf|r8|ghp|nvapi|fw)[-_][\w.*-]{6,}"), HIDDEN),
    (re.compile(r"\b(?:AIza[\w-]{20,}|AKIA[A-Z0-9]{12,}|eyJ[\w-]{10,}\.[\w.-]{10,})"), HIDDEN),
)


class Redactor:
    """Replaces known secrets, and what looks like one, by ``[redacted]``."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        self._secrets = {secret.strip() for secret in secrets}
        spellings = {text for secret in self._secrets for text in _spellings(secret)}
        # The longest first: a secret may begin with another.
        self._known = sorted((text for text in spellings if len(text) >= _SHORTEST), key=len, reverse=True)

    def exactly(self, text: str) -> str:
        """The text without the known keys, and otherwise as it is: for answers, where looks may deceive."""
        for secret in self._known:
            text = text.replace(secret, HIDDEN)
        return text

    def __call__(self, text: str) -> str:
        """The text without keys. Call it before the text is cut: half a key is a secret too."""
        text = self.exactly(text)
        if self._broken is not None:
            text = self._broken.sub(HIDDEN, text)
        for pattern, replacement in _LOOKS:
            text = pattern.sub(replacement, text)
        return text

    @cached_property
    def _broken(self) -> re.Pattern[str] | None:
        """Finds known keys that a message was wrapped in the middle of, None where there are none."""
        keys = sorted((key for key in self._secrets if len(key) >= _SHORTEST_TWISTED), key=len, reverse=True)
        between = r"(?:\s|\\[nrt])*"
        return re.compile("|".join(between.join(map(re.escape, key)) for key in keys)) if keys else None


@lru_cache(maxsize=1000)
def _spellings(secret: str) -> frozenset[str]:
    """A secret as it is, in a URL, in JSON, in Python's words for a text or for bytes, and within base64."""
    raw = secret.encode("utf-8", "surrogatepass")
    plain = {secret, quote(raw, safe=""), json.dumps(secret)[1:-1], repr(secret)[1:-1], repr(raw)[2:-1]}
    if len(raw) < _SHORTEST_TWISTED:
        return frozenset(plain)
    return frozenset(plain | {text for before in range(3) for text in _in_base64(raw, before)})


def _in_base64(raw: bytes, before: int) -> set[str]:
    """What base64 makes of the bytes after others, such as a user's name: without the characters shared with those."""
    for_others, for_rest = (0, 2, 3)[before], (0, 2, 1)[(before + len(raw)) % 3]
    encoded = base64.b64encode(b"\0" * before + raw).decode("ascii").rstrip("=")
    kept = encoded[for_others : len(encoded) - bool(for_rest)]
    return {kept, kept.replace("+", "-").replace("/", "_")}


@lru_cache(maxsize=10_000)
def names_a_secret(variable: str) -> bool:
    """True where the name of an environment variable ends like that of a key."""
    return bool(_SECRET_VARIABLE.search(variable))


def secret_values(environment: Mapping[str, str], names: Iterable[str] = ()) -> set[str]:
    """Values of the named environment variables, and long ones of all whose name ends like that of a key."""
    named = {environment[name] for name in names if name in environment}
    return named | {
        value for name, value in environment.items() if len(value) >= _SHORTEST_GUESSED and names_a_secret(name)
    }


def secret_parts(address: str | None) -> set[str]:
    """User and password of a URL, which are sent as a header; a user without a password is a key."""
    try:
        there = urlsplit(address or "")
        user, password = there.username, there.password
    except ValueError:
        return set()
    if not password:
        return {user, unquote(user)} if user else set()
    return {password, unquote(password), f"{user}:{password}", unquote(f"{user}:{password}")}


def secret_fields(value: Any, *, inside: bool = False) -> set[str]:
    """Texts in nested JSON values that stand under a name like ``api_key``, or anywhere in ``extra_headers``."""
    if isinstance(value, Mapping):
        return {
            secret
            for name, part in value.items()
            for secret in secret_fields(
                part, inside=inside or "headers" in str(name) or bool(_SECRET_FIELD.search(str(name)))
            )
        }
    if isinstance(value, list):
        return {secret for part in value for secret in secret_fields(part, inside=inside)}
    return {value} if inside and isinstance(value, str) else set()
