"""Servers on this machine are asked directly, also where a proxy leads to the rest of the world."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable, MutableMapping
from urllib.parse import urlsplit

#: Names of this machine. A server on it is the default of some providers, without any address in the sweep file.
_ALWAYS = ("localhost", "127.0.0.1", "::1")
_NAMES = ("NO_PROXY", "no_proxy")


def pass_by_proxies(environment: MutableMapping[str, str], addresses: Iterable[str | None] = ()) -> None:
    """Except this machine from the proxies of an environment, under each name that ``addresses`` (URLs) give it.

    No proxy can reach it: its own loopback is another one. What the environment excepts already stays so.
    """
    excepted = [host for name in _NAMES for host in environment.get(name, "").split(",") if host.strip()]
    hosts = [*_ALWAYS, *filter(_is_here, map(_host, addresses))]
    value = ",".join(dict.fromkeys([*map(str.strip, excepted), *hosts]))
    for name in _NAMES:
        environment[name] = value


def _host(address: str | None) -> str:
    try:
        return urlsplit(address or "").hostname or ""
    except ValueError:
        return ""


def _is_here(host: str) -> bool:
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host.endswith(".localhost")
    return address.is_loopback or address.is_unspecified
