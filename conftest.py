"""Tests run pytest within pytest; property tests of a contribution's check are the same in every run."""

from contextlib import suppress

pytest_plugins = ["pytester"]

# `pytest --hypothesis-profile=ci`: a red check is the contribution's doing, not the draw's. Without it new examples
# are tried in every run, which is how new faults are found. Sweeps in this checkout run without hypothesis.
with suppress(ImportError):
    from hypothesis import settings

    settings.register_profile("ci", derandomize=True, deadline=None)
