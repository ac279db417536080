"""Random identifiers for key-value needles."""

from __future__ import annotations

import random

from pytest_haystack.needles.draws import uuid_text


def fresh_uuids(rng: random.Random, haystack_text: str, count: int) -> list[str]:
    """``count`` different UUIDs of version 4, lower case, none of them in the haystack text."""
    found: list[str] = []
    while len(found) < count:
        drawn = uuid_text(rng)
        if drawn not in found and drawn not in haystack_text:
            found.append(drawn)
    return found
