"""A project in a temporary folder, as the tests of the plugin have it."""

from tests.plugin.conftest import rows, run, write

__all__ = ["rows", "run", "write"]
