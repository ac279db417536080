"""The colours of scores can be told apart by everybody, and written on."""

from __future__ import annotations

import numpy as np
import pytest

from pytest_haystack.reports.palette import INK, PAPER, ink_on, score_colours
from tests.reports.pictures import linear, luminance

#: Viénot, Brettel and Mollon's idea with the matrices of Machado, Oliveira and Fernandes (2009), severity 1.
COLOUR_VISION = {
    "normal": np.eye(3),
    "deuteranopia": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    ),
    "protanopia": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
}


@pytest.mark.parametrize("vision", COLOUR_VISION)
def test_a_better_score_is_lighter_for_everybody(vision: str) -> None:
    colours = score_colours(np.linspace(0, 1, 201).tolist())[:, :3]
    seen = np.clip(linear(colours) @ COLOUR_VISION[vision].T, 0, 1)
    light = seen @ np.array([0.2126, 0.7152, 0.0722])

    assert (np.diff(light) > 0).all()
    assert (light[-1] + 0.05) / (light[0] + 0.05) > 5


def test_values_can_be_read_on_every_colour() -> None:
    for score in np.linspace(0, 1, 101).tolist():
        ground = luminance(score_colours([score])[0, :3])
        ink = luminance(np.array([int(ink_on(score)[i : i + 2], 16) / 255 for i in (1, 3, 5)]))
        contrast = (max(ground, ink) + 0.05) / (min(ground, ink) + 0.05)
        assert contrast > 4, f"score {score}"
    assert {ink_on(0), ink_on(1)} == {PAPER, INK}
