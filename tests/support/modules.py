"""What runs of pytest within these tests import: once, instead of each for itself."""

from __future__ import annotations

from pkgutil import walk_packages

import pytest_haystack

_ALL = (module.name for module in walk_packages(pytest_haystack.__path__, "pytest_haystack."))
#: The package.
PACKAGE = tuple(name for name in _ALL if not name.endswith("__main__"))
#: What else every process of a run imports.
SPREAD = ("xdist.dsession", "xdist.remote", "tiktoken", "tokenizers", "jinja2", "yaml", "pydantic")
#: What draws and reports, in one of them.
DRAWN = ("junitparser", "matplotlib.backends.backend_agg", "matplotlib.figure", "matplotlib.style", "scipy.special")
#: A conftest that writes down whether drawing is loaded in the process that is told of the tests.
DRAWS = """
import sys
from pathlib import Path

def pytest_runtest_logreport():
    Path("drawing.txt").write_text(str("matplotlib.figure" in sys.modules))
"""
