"""Keys as the environment has them, fit for a header or refused in words that do not show them."""

from __future__ import annotations

import base64
from collections.abc import Mapping, MutableMapping
from urllib.parse import unquote, urlsplit, urlunsplit

from pytest_haystack.models.redaction import names_a_secret
from pytest_haystack.running.gateway.failures import RequestError


def key_from(environment: Mapping[str, str], name: str, where: str) -> str:
    """The value of a variable, without the white space around it that files and secret stores leave there.

    ``where`` is the key of the sweep file that names it. Raises RequestError where it is not set, or cannot stand in a
    header.
    """
    value = environment.get(name, "").strip()
    if not value:
        raise RequestError(f"{where}: the environment variable {name} is not set", code="unusable_entry")
    if not (value.isascii() and value.isprintable()):
        what = "a line break or another control character" if value.isascii() else "a character that is not ASCII"
        raise RequestError(
            f"{where}: the value of {name} has {what} in it, which no header can hold; set it anew",
            code="unusable_entry",
        )
    return value


def without_user(address: str) -> tuple[str, dict[str, str]]:
    """An address without user and password, and the header that stands for them: HTTP libraries take no such address
    beside a header of their own.
    """
    there = urlsplit(address)
    if there.username is None:
        return address, {}
    user = f"{unquote(there.username)}:{unquote(there.password or '')}"
    bare = urlunsplit(there._replace(netloc=there.netloc.rpartition("@")[2]))
    return bare, {"Authorization": f"Basic {base64.b64encode(user.encode()).decode('ascii')}"}


def tidy(environment: MutableMapping[str, str]) -> None:
    """Take the white space off the ends of all keys: libraries that find theirs by themselves send it as it is."""
    for name, value in list(environment.items()):
        if names_a_secret(name) and value != value.strip():
            environment[name] = value.strip()
