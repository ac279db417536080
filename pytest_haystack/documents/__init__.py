"""Haystack text with needles in it, of exactly the asked number of tokens."""
