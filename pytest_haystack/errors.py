"""Errors that a user can cause, each written for the reader: what is wrong, where, what to do.

HaystackError
├── ConfigError      haystack.yaml says something that cannot be run (exit code 4)
├── SourceError      a haystack source has no usable text (exit code 4)
│   └── NotFetchedError   its text has not been fetched into the cache of this machine
├── DocumentError    a document cannot hold what must be hidden in it
├── NoRowError       a replay has no row to answer a cell from: it is skipped
└── ModelError       a request has no answer that can be scored; carries the outcome
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any


class HaystackError(Exception):
    """Base of all errors of this plugin; the message is one line, ready to be shown."""


class ConfigError(HaystackError):
    """One or more mistakes in a config file, each one line like ``haystack.yaml:12: key: what is wrong``."""

    def __init__(self, problems: Iterable[str] | str) -> None:
        self.problems: tuple[str, ...] = (problems,) if isinstance(problems, str) else tuple(problems)
        super().__init__("\n".join(self.problems))


class SourceError(HaystackError):
    """A haystack source is missing, empty or unreadable."""


class NotFetchedError(SourceError):
    """The text of a haystack is not in the cache; the message names the command that gets it for ``sweep``."""

    def __init__(self, what: str, sweep: str = "haystack.yaml") -> None:
        self.what = what
        super().__init__(f"{what}; run `pytest-haystack fetch {sweep}`, which needs the network once")


class DocumentError(HaystackError):
    """A document of the asked length cannot hold its needles."""


class NoRowError(HaystackError):
    """A replay has no row to answer from; the test is skipped with these words."""


class ModelError(HaystackError):
    """A request ended without an answer that could be scored.

    ``outcome`` is one of the error or skip outcomes of `pytest_haystack.scoring.outcomes.Outcome`, as its text:
    ``infra_error``, ``rate_limited``, ``config_error``, ``content_filter``, ``silent_truncation``,
    ``context_overflow``, ``budget``. ``details`` are JSON values that the trial's row keeps all the same: what a
    judge without a verdict cost.
    """

    def __init__(self, outcome: str, message: str, details: Mapping[str, Any] | None = None) -> None:
        self.outcome = outcome
        self.details: Mapping[str, Any] = details or {}
        super().__init__(message)
