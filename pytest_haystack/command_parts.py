"""What the commands of `pytest-haystack` share: how they print, how mistakes end them, how a sweep file is opened."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pytest_haystack.errors import HaystackError
from pytest_haystack.text import printable

if TYPE_CHECKING:
    from pytest_haystack.registry import Registry
    from pytest_haystack.running.workbench import Workbench


def say(text: str) -> None:
    """Print a text in which nothing steers the terminal: it may hold what models and documents say."""
    click.echo(printable(text))


class UsersMistake(click.ClickException):
    """A mistake of the user: its message alone, exit code 4 as pytest has for it."""

    exit_code = 4

    def show(self, file: Any = None) -> None:
        """Print the message, one mistake a line."""
        click.echo(printable(self.message), err=True)


def plainly(command: Callable[..., Any]) -> Callable[..., Any]:
    """Show this plugin's errors as their message, without traceback."""

    @wraps(command)
    def run(*args: Any, **kwargs: Any) -> Any:
        try:
            return command(*args, **kwargs)
        except HaystackError as error:
            raise UsersMistake(str(error)) from None

    return run


CONFIG = click.argument("config", type=click.Path(path_type=Path), default="haystack.yaml")
SET = click.option("--set", "overrides", multiple=True, metavar="KEY=VALUE", help="Override one value (repeatable).")


def rows_file(path: Path) -> Path:
    from pytest_haystack.results.baseline import find_baseline

    return find_baseline(path)


def bench_of(path: Path, overrides: tuple[str, ...]) -> Workbench:
    from pytest_haystack.running.workbench import load_bench

    path = Path(path)
    if not path.is_file():
        raise HaystackError(f"{path}: no such file; `pytest-haystack init` writes one")
    return load_bench(path.absolute(), registry_of(path), overrides)


def registry_of(path: Path) -> Registry:
    """The names that the conftest beside a sweep file and installed plugins register.

    pytest itself finds and imports them: its start-up is run as far as the command line, and no test.
    """
    import pytest

    from pytest_haystack.session import make_registry

    class Borrow:
        registry: Registry | None = None
        error: HaystackError | None = None

        @pytest.hookimpl(tryfirst=True)
        def pytest_cmdline_main(self, config: pytest.Config) -> int:
            try:
                self.registry = make_registry(config)
            except HaystackError as error:
                self.error = error
            return 0

    borrow = Borrow()
    # This package is imported before pytest could rewrite its assertions; it has none that would gain by it.
    quiet = ("-W", "ignore::pytest.PytestAssertRewriteWarning")
    code = pytest.main(["--haystack-config", str(path), *quiet], plugins=[borrow])
    if borrow.error is not None:
        raise borrow.error
    if borrow.registry is None:
        raise HaystackError(f"pytest did not start (exit code {int(code)}); see its message above")
    return borrow.registry
