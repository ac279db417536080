"""Counting tokens offline."""
