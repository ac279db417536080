"""Asking a public service politely: one request at a time, at its pace, saying who asks, and waiting when told to."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from email.utils import parsedate_to_datetime
from importlib.util import find_spec
from types import TracebackType
from typing import TYPE_CHECKING, TypeVar

from pytest_haystack import __version__
from pytest_haystack.errors import SourceError
from pytest_haystack.text import one_line, printable

if TYPE_CHECKING:
    import httpx

T = TypeVar("T")

#: How often a request is sent before it is given up, and the longest wait between two, in seconds.
TRIES = 6
LONGEST_WAIT = 600.0
_TIMEOUT = 60.0
_LONGEST_WORDS = 200

#: The clock of this module, in seconds, and how it waits.
clock = time.monotonic
sleep = time.sleep

#: Says who the operator is, for a service that wants to reach them: a mail address or a page.
CONTACT = "PYTEST_HAYSTACK_CONTACT"


class PassingError(Exception):
    """An answer that may be another one if it is asked for again, after ``wait`` seconds at least."""

    def __init__(self, words: str, wait: float = 0.0) -> None:
        self.wait = wait
        super().__init__(words)


class PoliteClient:
    """Sends GET requests to one address, at least ``interval`` seconds apart."""

    def __init__(self, service: str, extra: str, url: str, interval: float) -> None:
        """``service`` is its name for messages, ``extra`` what of this package needs it. Raises SourceError."""
        if find_spec("httpx") is None:
            raise needs(service, extra, "httpx")
        import httpx

        try:
            self._url = httpx.URL(url)
        except (httpx.InvalidURL, TypeError):
            self._url = httpx.URL("")
        if self._url.scheme not in ("http", "https") or not self._url.host:
            raise SourceError(f"{service}: {url!r} is no address; write http:// or https://, a host and a path")
        self._service = service
        self._interval = interval
        self._next = clock()
        #: Whether an answer of any kind has come so far.
        self._reached = False
        self._client = httpx.Client(headers={"user-agent": user_agent()}, follow_redirects=True, timeout=_TIMEOUT)

    def __enter__(self) -> PoliteClient:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._client.close()

    @property
    def place(self) -> str:
        """Service and host, for messages: nothing else of the address, which might hold a password."""
        port = f":{self._url.port}" if self._url.port else ""
        return f"{self._service} ({self._url.host}{port})"

    def ask(self, params: Mapping[str, str | int], read: Callable[[httpx.Response], T]) -> T:
        """What ``read`` makes of the answer. It raises PassingError where asking again may help, else SourceError.

        Busy answers (429, 5xx) and broken connections are asked again, later each time and never before the moment
        that ``Retry-After`` names. Raises SourceError.
        """
        for number in range(TRIES):
            self._keep_pace()
            try:
                return self._once(params, read)
            except PassingError as passing:
                wait = max(passing.wait, 2.0**number)
                if wait > LONGEST_WAIT:
                    raise SourceError(
                        f"{self.place} asks to come back in {wait:,.0f} seconds; what has been fetched is kept: run "
                        "the command again then"
                    ) from None
                words = str(passing)
            self._next = max(self._next, clock() + wait)
        raise SourceError(
            f"{self.place}: {words}, {TRIES} times in a row; what has been fetched is kept: run the command again later"
        )

    def _keep_pace(self) -> None:
        while (wait := self._next - clock()) > 0:
            sleep(wait)
        self._next = clock() + self._interval

    def _once(self, params: Mapping[str, str | int], read: Callable[[httpx.Response], T]) -> T:
        import httpx

        try:
            response = self._client.get(self._url, params=self._url.params.merge(dict(params)))
        except httpx.ConnectError as error:
            if self._reached:
                raise PassingError(f"no connection ({_words(error)})") from None
            raise SourceError(
                f"{self.place} cannot be reached ({_words(error)}); are you online? Nothing else needs the network: "
                "a machine whose cache has the texts runs without it"
            ) from None
        except httpx.TooManyRedirects:
            raise SourceError(f"{self.place} sends from one address to the next without end") from None
        except httpx.HTTPError as error:
            raise PassingError(f"the answer broke off ({_words(error)})") from None
        finally:
            self._next = clock() + self._interval
        self._reached = True
        status = response.status_code
        if status == 429 or status >= 500:
            raise PassingError(f"HTTP {status}", retry_after(response.headers))
        if status >= 400:
            raise SourceError(f"{self.place}: HTTP {status}: {_gist(response)}")
        return read(response)


def needs(service: str, extra: str, package: str) -> SourceError:
    """The error of a missing package."""
    return SourceError(f"{service} needs {package}: run `pip install 'pytest-haystack[{extra}]'`")


def user_agent() -> str:
    """Who asks: this project with its version and page, and the operator's contact where the environment names one."""
    contact = " ".join(os.environ.get(CONTACT, "").split())
    comment = "+https://pypi.org/project/pytest-haystack/" + (f"; {contact}" if contact.isascii() and contact else "")
    return f"pytest-haystack/{__version__} ({comment})"


def retry_after(headers: Mapping[str, str]) -> float:
    """The seconds that a ``Retry-After`` header asks to wait, as a number or as a date; 0 where there is none."""
    value = headers.get("retry-after", "").strip()
    if value.isascii() and value.isdigit():
        return float(value)
    try:
        return max(0.0, parsedate_to_datetime(value).timestamp() - time.time())
    except (TypeError, ValueError):
        return 0.0


def is_page(response: httpx.Response) -> bool:
    """True for a page for people: of a proxy, a login or an outage."""
    kind = response.headers.get("content-type", "")
    return "text/html" in kind or response.content[:200].lstrip().lower().startswith((b"<!doctype html", b"<html"))


def _gist(response: httpx.Response) -> str:
    if is_page(response):
        return "a page of HTML"
    return printable(one_line(response.text, _LONGEST_WORDS)) or response.reason_phrase


def _words(error: Exception) -> str:
    return printable(one_line(str(error), _LONGEST_WORDS)) or type(error).__name__
