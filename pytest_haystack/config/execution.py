"""``execution``: what the gateway sends before it is asked for, and in which order."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from pytest_haystack.config.parts import Natural, Part

SendOrder = Literal["auto", "config", "prefix"]


class Execution(Part):
    """How requests leave. What a cell is asked, and the order of the tests, do not depend on it."""

    order: SendOrder = Field(
        "auto",
        description=(
            "What is sent next, of what may be: config: the cell that comes first; prefix: the prompt that begins most "
            "like the one before; auto: prefix for a server of one's own, else config."
        ),
    )
    warm_up: bool = Field(
        False, description="Send the first of the prompts that begin alike alone, and the others after its answer?"
    )
    look_ahead: Natural | None = Field(
        None, description="Requests a model may be sent before they are asked for, 0: none; default: twice in_flight."
    )
