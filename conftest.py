"""Tests run pytest within pytest; property tests of a contribution's check are the same in every run."""

import signal
from contextlib import suppress

pytest_plugins = ["pytester"]

# A shell starts what runs in the background deaf to Ctrl-C, and so would be the runs that are interrupted in tests.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# `pytest --hypothesis-profile=ci`: a red check is the contribution's doing, not the draw's. Without it new examples
# are tried in every run, which is how new faults are found. Sweeps in this checkout run without hypothesis.
with suppress(ImportError):
    from hypothesis import settings

    settings.register_profile("ci", derandomize=True, deadline=None)
