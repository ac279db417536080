"""What tasks with several needles share: where they stand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from pydantic import Field

from pytest_haystack.config.parts import Unit
from pytest_haystack.errors import ConfigError
from pytest_haystack.needles.needle import Needle
from pytest_haystack.needles.placements import DEPTHLESS
from pytest_haystack.registry import Registry
from pytest_haystack.tasks.task import Task, TaskOptions, TrialContext


class SeveralOptions(TaskOptions):
    """``placement`` is the name of a placement; ``delta`` (percentage points) belongs to ``centered``."""

    placement: str = Field("uniform", description="Name of the placement: where the needles stand.")
    delta: Annotated[float, Field(ge=0, le=100), Unit("percentage points")] = Field(
        10, description="centered: how far from the cell's depth needles may stand."
    )


class SeveralNeedles(Task):
    """Base of tasks that hide several needles by a placement."""

    options_model = SeveralOptions

    def __init__(self, options: Any, registry: Registry | None = None) -> None:
        super().__init__(options, registry)
        if options.placement not in self.registry.placements:
            raise ConfigError(f"placement: {self.registry.placements.unknown(options.placement)}")

    @property
    def count(self) -> int:
        """Number of needles."""
        raise NotImplementedError

    @property
    def depth_matters(self) -> bool:
        """False for several needles that are spread over the whole document whatever the cell's depth."""
        return self.count == 1 or self.options.placement not in DEPTHLESS

    def place(self, needles: Sequence[Needle], context: TrialContext) -> list[Needle]:
        """The needles with the depths of the placement, in this order.

        Raises ConfigError where a placement does not give one depth from 0 to 100 for each needle.
        """
        name = self.options.placement
        placement = self.registry.placements[name]
        depths = placement(len(needles), context.depth_percent, context.rng, self.options.model_dump())
        if len(depths) != len(needles) or not all(0 <= depth <= 100 for depth in depths):
            raise ConfigError(
                f"placement {name!r} gave {list(depths)} for {len(needles)} needles; it must give one depth "
                "from 0 to 100 percent for each"
            )
        return [needle.at(depth) for needle, depth in zip(needles, depths, strict=True)]
