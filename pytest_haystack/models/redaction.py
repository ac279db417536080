"""Keeping keys out of everything that is shown or written."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import quote

HIDDEN = "[redacted]"

#: Shorter values are no keys, and hiding them would eat ordinary words.
_SHORTEST, _SHORTEST_GUESSED = 4, 8
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
        known = {secret.strip() for secret in secrets}
        spellings = known | {quote(secret, safe="") for secret in known}
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
        for pattern, replacement in _LOOKS:
            text = pattern.sub(replacement, text)
        return text


def secret_values(environment: Mapping[str, str], names: Iterable[str] = ()) -> set[str]:
    """Values of the named environment variables, and long ones of all whose name ends like that of a key."""
    named = {environment[name] for name in names if name in environment}
    return named | {
        value
        for name, value in environment.items()
        if len(value) >= _SHORTEST_GUESSED and _SECRET_VARIABLE.search(name)
    }


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
