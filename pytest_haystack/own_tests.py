"""What became of a test of one's own that asked a model and got no answer: it is skipped or an error, no failure."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import pytest

from pytest_haystack.errors import HaystackError, ModelError
from pytest_haystack.text import printable

#: Outcomes that say nothing about the model; the fixture `haystack_trials` skips after the same.
_NOT_RUN = ("budget", "context_overflow")


class Unanswered:
    """Tells a test whose model gave no answer from one whose answer was wrong."""

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self) -> Generator[None, None, None]:
        """The test itself may ask, by the fixture `haystack_model`: beyond a window or a budget it was not run."""
        try:
            yield
        except ModelError as error:
            if error.outcome in _NOT_RUN:
                pytest.skip(printable(f"{error.outcome}: {error}"))
            raise

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Mark the report of a test that this plugin's own error has ended."""
        report = yield
        if report.failed and call.excinfo is not None and isinstance(call.excinfo.value, HaystackError):
            report.haystack_error = True  # type: ignore[attr-defined]  # pytest carries added attributes
        return report

    @pytest.hookimpl(tryfirst=True)
    def pytest_report_teststatus(self, report: Any) -> tuple[str, str, str] | None:
        """Such a test is counted and shown among the errors."""
        return ("error", "E", "ERROR") if report.when == "call" and report.failed and is_error(report) else None


def is_error(report: Any) -> bool:
    """True where something other than the model's answer ended the test."""
    return report.when != "call" or hasattr(report, "haystack_error")
