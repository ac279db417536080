"""Long-context retrieval sweeps as a pytest suite.

Nothing is imported here: loading the plugin must cost an unrelated test run nothing.
"""

__version__ = "0.1.0"
