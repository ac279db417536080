"""Configs of other tools turned into this one's."""
