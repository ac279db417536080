"""Tests run pytest within pytest."""

pytest_plugins = ["pytester"]
