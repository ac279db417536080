"""``budget``: what a run may spend on models that are asked through the gateway."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from pytest_haystack.config.parts import NO_FLAG, Part, Positive, Unit


class Budget(Part):
    """Limits of one run on one machine, judges included; None does not limit."""

    usd: Annotated[float, Field(gt=0), NO_FLAG, Unit("USD")] | None = Field(
        None, description="USD that a run may spend."
    )
    requests: Positive | None = Field(None, description="Requests that a run may send, retries included.")
    tokens: Positive | None = Field(None, description="Input and output tokens that a run may use.")

    @property
    def limits(self) -> bool:
        """True where anything is limited."""
        return any(limit is not None for limit in (self.usd, self.requests, self.tokens))
