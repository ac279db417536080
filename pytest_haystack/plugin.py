"""The pytest plugin: hooks of a few lines each, the work is in the modules beside it.

A test run that has no sweep pays for whatever is imported here: options, fixtures and the hook's declaration. Where a
sweep is known, `pytest_haystack.collection` and what `pytest_haystack.distributed` registers join in.
"""

from __future__ import annotations

from collections.abc import Generator

import pytest

from pytest_haystack import fixtures, hookspecs, options


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
    if early_config.known_args_namespace.haystack_config:
        from pytest_haystack import collection

        collection.add_sweep_files(early_config, parser, args)
    return (yield)


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config: pytest.Config) -> None:
    """A dry run needs no workers."""
    if options.Settings(config).dry_run:
        from pytest_haystack import distributed

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
    settings = options.Settings(config)
    if settings.run_paths or settings.known_paths:
        from pytest_haystack import distributed

        distributed.register(config)
    elif config.getoption("haystack_dry_run"):
        raise pytest.UsageError("--haystack-dry-run: there is no sweep to plan; name one with --haystack-config FILE")
