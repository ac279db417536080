"""The pytest plugin: hooks of a few lines each, the work is in the modules beside it.

Only pytest and the standard library are imported here, for a test run that has no sweep pays for all of it.
"""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path

import pytest

from pytest_haystack import collection, distributed, fixtures, hookspecs, options
from pytest_haystack.errors import HaystackError
from pytest_haystack.session import SWEEPS, Sweeps, usage_error


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare the options."""
    options.add_options(parser)


def pytest_addhooks(pluginmanager: pytest.PytestPluginManager) -> None:
    """Declare the hooks of this plugin."""
    pluginmanager.add_hookspecs(hookspecs)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_load_initial_conftests(
    early_config: pytest.Config, parser: pytest.Parser, args: list[str]
) -> Generator[None, object, object]:
    """Make ``--haystack-config FILE`` an argument of the run, before conftests are looked for."""
    collection.add_sweep_files(early_config, parser, args)
    return (yield)


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config: pytest.Config) -> None:
    """A dry run needs no workers."""
    if options.Settings(config).dry_run:
        distributed.without_workers(config)


def pytest_configure(config: pytest.Config) -> None:
    """Read the sweeps that this run was asked for; a mistake in one ends it here."""
    config.addinivalue_line("markers", "haystack(task, model, context_lengths, depth_percents): narrow a test's cells")
    config.addinivalue_line(
        "markers",
        "haystack_cell(task, model, context_length, depth_percent, depth): on every cell, to select by -m",
    )
    config.addinivalue_line("markers", "haystack_search(id, metric, task, family, model): on every search of a sweep")
    config.pluginmanager.register(fixtures, "haystack-fixtures")
    sweeps = config.stash[SWEEPS] = Sweeps(config)
    try:
        for path in sweeps.run_paths:
            sweeps.at(path)
    except HaystackError as error:
        raise usage_error(error) from None
    if sweeps.paths:
        distributed.register(config, sweeps)


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Collect a sweep file."""
    return collection.collect_file(file_path, parent)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Parametrise tests over cells."""
    collection.parametrize(metafunc)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """End the run where a sweep could not be read."""
    collection.raise_failed(config, items)
