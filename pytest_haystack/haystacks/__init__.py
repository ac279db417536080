"""Sources of filler text."""
