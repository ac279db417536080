"""What tests read off a picture."""

from __future__ import annotations

from typing import Any

import numpy as np


def linear(colours: Any) -> Any:
    return np.where(colours <= 0.04045, colours / 12.92, ((colours + 0.055) / 1.055) ** 2.4)


def luminance(colours: Any) -> Any:
    return np.clip(linear(colours), 0, 1) @ np.array([0.2126, 0.7152, 0.0722])


def artists(figure: Any, name: str) -> list[Any]:
    """What was drawn under this name."""
    return [artist for artist in figure.artists if (artist.get_gid() or "") == name]


def words(figure: Any) -> list[str]:
    return [text.get_text() for text in figure.texts]
