"""Cells whose fixtures nobody has replaced get their values without pytest's fixture machinery.

Setting up six fixtures takes pytest about as long as it takes to make the needles, the document and the prompt. What
the fixtures would return is the same either way, so where one of them is overridden, parametrised or watched, pytest
sets all of them up as usual.
"""

from __future__ import annotations

from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import pytest

from pytest_haystack import fixture_values, fixtures
from pytest_haystack.collection import SweepFile, cell_of

if TYPE_CHECKING:
    from pytest_haystack.sweep import Cell

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
#: Who implements these hooks for fixtures of other kinds alone: pytest, and what runs coroutines.
_INDIFFERENT = ("_pytest.", "anyio.", "pytest_asyncio.")
#: Whether the fixtures of a sweep file's cells, which have them in common, are all this plugin's own.
_UNTOUCHED = pytest.StashKey[bool]()


class DirectCells:
    """Sets up the cells of sweep files."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        """Have the item set itself up without fixtures of this plugin; whatever comes before or after is as ever."""
        cell = cell_of(item)
        if cell is not None and isinstance(item, pytest.Function) and self._applies(item):
            item.setup = partial(_set_up, item, cell)  # type: ignore[method-assign]  # of this item, this once

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
        """True where somebody follows how fixtures are set up or go down."""
        hook, option = self._config.hook, self._config.option
        callers = (hook.pytest_fixture_setup, hook.pytest_fixture_post_finalizer)
        modules = (f"{impl.function.__module__}." for caller in callers for impl in caller.get_hookimpls())
        return getattr(option, "setupshow", False) or not all(name.startswith(_INDIFFERENT) for name in modules)


def _set_up(item: pytest.Function, cell: Cell) -> None:
    """Fixtures of others first, as always; then the cell's own, each known as soon as it is made."""
    del item.setup
    known = item.funcargs
    # pytest fills in what is missing. The request, which no cell's own test asks for, is as it would be.
    known.update(dict.fromkeys(_NAMES))
    if (request := getattr(item, "_request", None)) is not None:
        known["request"] = request
    try:
        item.setup()
        known.update(_haystack_item=item, haystack_cell=cell)
        own = fixture_values.material(item, cell)
        known.update(needles=own.needles, haystack=own.document)
        model = known["model"] = known["haystack_model"] = fixture_values.model(item, cell)
        known["haystack_trials"] = fixture_values.trials(item, cell, own.needles, own.document, model)
    except BaseException:
        for name in _NAMES:
            if known.get(name) is None:
                known.pop(name, None)
        raise


def _is_own(definitions: Any) -> bool:
    """True for a fixture of this plugin that no conftest overrides."""
    return len(definitions) == 1 and getattr(definitions[0].func, "__module__", "") == fixtures.__name__
