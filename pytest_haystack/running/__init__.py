"""A trial, from prompt to row."""
