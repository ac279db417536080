"""What pytest loads. Every pytest run does, so the task is imported where a sweep asks for it and not before."""

from __future__ import annotations

from typing import Any

import pytest


@pytest.hookimpl(optionalhook=True)  # also where pytest-haystack is switched off
def pytest_haystack_register(registry: Any) -> None:
    """Add ``type: timeline``."""
    from haystack_timeline.timeline import Timeline

    registry.tasks.add(Timeline.name, Timeline)
