"""What a request may cost: known before it is sent, from above."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pytest_haystack.models.prices import model_facts

#: Tokens that an answer is taken for where neither the config nor litellm limits it.
ASSUMED_ANSWER = 4096
#: Input that a provider puts into its cache at a breakpoint costs a quarter more (Anthropic's price for five minutes).
_CACHE_WRITE = 1.25
#: Models that run here cost nothing.
_OWN_MACHINE = ("local/", "local:")
_LIMITS = ("max_completion_tokens", "max_tokens", "max_output_tokens")


@dataclass(frozen=True, slots=True)
class Price:
    """USD per million tokens (None: unknown) and the tokens of the longest answer; ``assumed`` where none is known."""

    input: float | None
    output: float | None
    longest_answer: int
    assumed: bool

    @property
    def known(self) -> bool:
        """True where both prices are."""
        return self.input is not None and self.output is not None

    def usd(self, input_tokens: float, output_tokens: float) -> float | None:
        """USD for so many tokens, None where a price is unknown."""
        if self.input is None or self.output is None:
            return None
        return (input_tokens * self.input + output_tokens * self.output) / 1e6


def answer_limit(request: Mapping[str, Any]) -> int | None:
    """The most output tokens that request parameters ask for, None where they set no limit."""
    limits = (request.get(name) for name in _LIMITS)
    return next((limit for limit in limits if isinstance(limit, int) and not isinstance(limit, bool)), None)


def dearest_input(prompt_cache: str) -> float:
    """How many times the input price a request may cost at most: writing to a provider's cache costs more."""
    return _CACHE_WRITE if prompt_cache == "explicit" else 1.0


def price_of(
    model: str,
    input_price: float | None,
    output_price: float | None,
    request: Mapping[str, Any],
    prompt_cache: str = "automatic",
) -> Price:
    """The price of a litellm model string: the config's (USD per million tokens) where given, else litellm's.

    The input price is that of `dearest_input`.
    """
    facts = model_facts(model)
    if model.startswith(_OWN_MACHINE) and input_price is None:
        input_price = output_price = 0.0
    if input_price is None or output_price is None:
        input_price, output_price = facts.input_usd_per_million, facts.output_usd_per_million
    if input_price is not None:
        input_price *= dearest_input(prompt_cache)
    limit = answer_limit(request)
    if limit is None:
        limit = facts.longest_answer
    return Price(input_price, output_price, ASSUMED_ANSWER if limit is None else limit, limit is None)
