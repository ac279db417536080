"""``${NAME}`` in text values of the config, taken from the environment; ``$${`` stands for the characters ``${``."""

from __future__ import annotations

import re
from collections.abc import Mapping

_PLACE = re.compile(r"\$\$\{|\$\{(?P<name>[A-Za-z_][A-Za-z0-9_]*)\}|\$\{")


class FromEnvironment(str):
    """Text that came, at least in part, from the environment: ``template`` is what the file says.

    Messages and files show the template, never the text. ``unset`` names a variable that was not there.
    """

    __slots__ = ("secrets", "template", "unset")
    template: str
    secrets: Mapping[str, str]
    unset: str | None

    def __new__(cls, text: str, template: str, secrets: Mapping[str, str], unset: str | None) -> FromEnvironment:
        self = super().__new__(cls, text)
        self.template, self.secrets, self.unset = template, secrets, unset
        return self


class BadReferenceError(ValueError):
    """``${`` without a name; the message says what to write."""


def interpolate(text: str, environ: Mapping[str, str]) -> str:
    """The text with its variables filled in: a `FromEnvironment` where there is one, else plain text.

    Raises BadReferenceError where ``${`` names no variable. An unset variable leaves its place empty.
    """
    used: dict[str, str] = {}
    unset: list[str] = []

    def fill(match: re.Match[str]) -> str:
        if match.group() == "$${":
            return "${"
        name = match["name"]
        if name is None:
            raise BadReferenceError(
                "'${' names no environment variable; write ${NAME}, or $${ for the characters themselves"
            )
        if name not in environ:
            unset.append(name)
            return ""
        used[name] = environ[name]
        return environ[name]

    filled = _PLACE.sub(fill, text)
    if not used and not unset:
        return filled
    return FromEnvironment(
        filled, text, {value: f"${{{name}}}" for name, value in used.items()}, next(iter(unset), None)
    )


def escape(text: str) -> str:
    """The text as a config has to write it, so that nothing in it is taken for a variable."""
    return text.replace("${", "$${")
