"""From a completion to a score; the outcome is decided before any scoring."""
