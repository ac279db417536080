"""Redirects: neither keys nor prompts go to another server than the one that the sweep names.

The HTTP libraries follow a redirect wherever it leads. They leave out ``Authorization`` on the way to another host,
but not ``x-api-key``, nor the headers of a gateway, nor the prompt.
"""

from __future__ import annotations

from contextlib import suppress
from functools import wraps
from importlib import import_module
from typing import Any

#: The HTTP libraries that litellm and its SDKs use.
LIBRARIES = ("httpx", "httpx2")
#: Redirects in a row after which a server is going round in circles.
_MOST = 5
_PORTS = {"http": 80, "https": 443}


class RedirectedError(Exception):
    """A server answered with a redirect that is not followed; the message says where to, and what to do.

    ``status`` is that of the redirect.
    """

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message)
        self.status = status


def stay_with_the_server() -> None:
    """From now on this process follows redirects within one server alone."""
    for name in LIBRARIES:
        with suppress(ImportError):
            library: Any = import_module(name)
            library.AsyncClient.send = _following_async(library.AsyncClient.send)
            library.Client.send = _following(library.Client.send)


def _following_async(send: Any) -> Any:
    @wraps(send)
    async def following(client: Any, request: Any, *, follow_redirects: Any = None, **arguments: Any) -> Any:
        for _ in range(_MOST):
            response = await send(client, request, follow_redirects=False, **arguments)
            if (following := _next(client, follow_redirects, request, response)) is None:
                return response
            await response.aclose()
            request = following
        raise _in_circles(response)

    return following


def _following(send: Any) -> Any:
    @wraps(send)
    def following(client: Any, request: Any, *, follow_redirects: Any = None, **arguments: Any) -> Any:
        for _ in range(_MOST):
            response = send(client, request, follow_redirects=False, **arguments)
            if (following := _next(client, follow_redirects, request, response)) is None:
                return response
            response.close()
            request = following
        raise _in_circles(response)

    return following


def _next(client: Any, wanted: Any, request: Any, response: Any) -> Any:
    """The request that a redirect leads to, None where it leads nowhere. Raises RedirectedError."""
    follows = wanted if isinstance(wanted, bool) else client.follow_redirects
    following = response.next_request
    if not follows or following is None:
        return None
    status, where = response.status_code, f"the server redirects to {_shown(following.url)}"
    if not _same_server(request.url, following.url):
        raise RedirectedError(f"{where}, which gets neither key nor prompt: to trust it, name it in api_base", status)
    if following.method != request.method:
        # What was asked would be lost on the way.
        raise RedirectedError(f"{where}, and no {request.method} survives that: name that address in api_base", status)
    return following


def _in_circles(response: Any) -> RedirectedError:
    where = _shown(response.next_request.url)
    return RedirectedError(f"the server redirects again and again, at last to {where}", response.status_code)


def _same_server(before: Any, after: Any) -> bool:
    """True for the same scheme, host and port, and for the step from HTTP to HTTPS at one host."""
    if before.host != after.host:
        return False
    ports = [url.port or _PORTS.get(url.scheme) for url in (before, after)]
    return (before.scheme == after.scheme and ports[0] == ports[1]) or (
        (before.scheme, after.scheme) == ("http", "https") and ports == [80, 443]
    )


def _shown(url: Any) -> str:
    """Scheme, host and path: whatever else is in an address may be secret."""
    port = f":{url.port}" if url.port else ""
    return f"{url.scheme}://{url.host}{port}{url.path}"
