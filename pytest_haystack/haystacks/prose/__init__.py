"""Prose from grammars: one file of phrases and sentence patterns for each language and domain."""
