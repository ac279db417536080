"""Cells whose fixtures nobody has replaced get their values without pytest's fixture machinery.

Setting up six fixtures takes pytest about as long as it takes to make the needles, the document and the prompt. What
the fixtures would return is the same either way, so where one of them is overridden, parametrised or watched, pytest
sets all of them up as usual.
"""

from __future__ import annotations

from collections.abc import Generator
from functools import cached_property
from typing import Any

import pytest

from pytest_haystack import fixture_values, fixtures
from pytest_haystack.collection import SweepFile, cell_of

#: The fixtures of `pytest_haystack.items.test_cell` and those behind them.
_NAMES = (
    "_haystack_item",
    "haystack_cell",
    "needles",
    "haystack",
    "haystack_model",
    "model",
    "haystack_trials",
)
#: Who implements `pytest_fixture_setup` for fixtures of other kinds alone: pytest, and what runs coroutines.
_INDIFFERENT = ("_pytest.", "anyio.", "pytest_asyncio.")
#: Whether the fixtures of a sweep file's cells, which have them in common, are all this plugin's own.
_UNTOUCHED = pytest.StashKey[bool]()


class DirectCells:
    """Sets up the cells of sweep files."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config

    @pytest.hookimpl(wrapper=True, trylast=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> Generator[None, None, None]:
        """Fixtures of others first, as always; then the cell's own, in the order of their names."""
        cell = cell_of(item)
        if cell is None or not isinstance(item, pytest.Function) or not self._applies(item):
            return (yield)
        # pytest fills in what is missing. The request, which no cell's own test asks for, is as it would be.
        item.funcargs.update(dict.fromkeys(_NAMES))
        if (request := getattr(item, "_request", None)) is not None:
            item.funcargs["request"] = request
        yield
        own = fixture_values.material(item, cell)
        model = fixture_values.model(item, cell)
        trials = fixture_values.trials(item, cell, own.needles, own.document, model)
        values = (item, cell, own.needles, own.document, model, model, trials)
        item.funcargs.update(zip(_NAMES, values, strict=True))

    def _applies(self, item: pytest.Function) -> bool:
        if not isinstance(item.parent, SweepFile) or self._watched:
            return False
        if _UNTOUCHED not in item.parent.stash:
            # Where a version of pytest keeps its fixtures elsewhere, it sets them up itself.
            known = getattr(getattr(item, "_fixtureinfo", None), "name2fixturedefs", {})
            item.parent.stash[_UNTOUCHED] = all(name in known and _is_own(known[name]) for name in _NAMES)
        return item.parent.stash[_UNTOUCHED]

    @cached_property
    def _watched(self) -> bool:
        """True where somebody follows how fixtures are set up."""
        option = self._config.option
        hooks = self._config.hook.pytest_fixture_setup.get_hookimpls()
        modules = (f"{hook.function.__module__}." for hook in hooks)
        return getattr(option, "setupshow", False) or not all(name.startswith(_INDIFFERENT) for name in modules)


def _is_own(definitions: Any) -> bool:
    """True for a fixture of this plugin that no conftest overrides."""
    return len(definitions) == 1 and getattr(definitions[0].func, "__module__", "") == fixtures.__name__
