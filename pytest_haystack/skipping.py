"""A test of one's own that asks a model beyond its window, or beyond the budget, was not run: it is skipped."""

from __future__ import annotations

from collections.abc import Generator

import pytest

from pytest_haystack.errors import ModelError
from pytest_haystack.text import printable

#: Outcomes that say nothing about the model; the fixture `haystack_trials` skips after the same.
_NOT_RUN = ("budget", "context_overflow")


class Skipper:
    """Turns such an error of the model into a skip, with its words."""

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self) -> Generator[None, None, None]:
        """The test itself may ask, by the fixture `haystack_model`."""
        try:
            yield
        except ModelError as error:
            if error.outcome in _NOT_RUN:
                pytest.skip(printable(f"{error.outcome}: {error}"))
            raise
