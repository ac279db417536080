"""Runs of pytest within these tests."""

from __future__ import annotations

# Imported once here: the runs within these tests would import them anew, each for itself.
import jinja2  # noqa: F401
import junitparser  # noqa: F401
import matplotlib.backends.backend_agg
import matplotlib.figure  # noqa: F401
import pydantic  # noqa: F401
import scipy.special  # noqa: F401
import tiktoken  # noqa: F401
import yaml  # noqa: F401
