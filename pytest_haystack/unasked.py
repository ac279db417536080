"""The model of a replay: it stands where a model would, and is never asked."""

from __future__ import annotations

import pytest

from pytest_haystack.models.model import Completion, Model


class Unasked(Model):
    """What `haystack_model` is in a replay. The plugin's own fixtures take their answers from rows instead."""

    def complete(self, prompt: str) -> Completion:
        """Skip the test: its own prompts are in no row."""
        pytest.skip(f"not replayed: this test asks {self.entry.id} itself, and a replay asks nobody")
