"""What a run may spend, held where all requests leave: a request that could exceed it is not sent."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from pytest_haystack.errors import ModelError
from pytest_haystack.models.model import Completion
from pytest_haystack.running.gateway.failures import RequestError
from pytest_haystack.running.gateway.settings import ModelSettings
from pytest_haystack.running.prices import Price, price_of

#: Sums of many prices differ from the exact one by less.
_ROUNDING = 1e-9
#: Prompts of one sweep weigh about the same a token: so much more than the heaviest one so far is allowed for.
_MARGIN = 1.05


@dataclass(frozen=True, slots=True)
class Limit:
    """What may be spent: ``limit`` of ``kind`` usd, requests or tokens; ``name`` is the user's word for it.

    ``models`` are the names at the gateway of the models that it holds for, None for all.
    """

    name: str
    kind: Literal["usd", "requests", "tokens"]
    limit: float
    models: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Charge:
    """What a request costs, or may cost."""

    usd: float = 0.0
    requests: int = 0
    tokens: int = 0

    def of(self, kind: str) -> float:
        """The part that a limit of this kind counts."""
        return float(getattr(self, kind))


@dataclass(slots=True)
class Purse:
    """One limit: ``kind`` is usd, requests or tokens, ``name`` the user's word for it.

    ``spent`` is gone; ``held`` is what requests under way may cost.
    """

    name: str
    kind: str
    limit: float
    spent: float = 0.0
    held: float = 0.0

    def refusal(self, charge: Charge) -> str | None:
        """Words for why the charge can never be met, None where it can be once nothing else is under way."""
        wanted = charge.of(self.kind)
        if self.spent + wanted <= self.limit + _ROUNDING:
            return None
        if self.kind == "usd":
            return (
                f"{self.name} has {max(0.0, self.limit - self.spent):.6g} of {self.limit:.6g} USD left, "
                f"and this request may cost {wanted:.6g}"
            )
        if self.kind == "requests":
            return f"{self.name} is spent: {self.spent:,.0f} of {self.limit:,.0f} requests"
        left = max(0.0, self.limit - self.spent)
        return f"{self.name} has {left:,.0f} of {self.limit:,.0f} tokens left, and this request may use {wanted:,.0f}"

    def waits(self, charge: Charge) -> bool:
        """True where the charge must wait for what is under way to tell its true cost."""
        return self.spent + self.held + charge.of(self.kind) > self.limit + _ROUNDING


@dataclass(slots=True)
class Account:
    """The purses that a model's requests are paid from, and how its requests are estimated."""

    price: Price | None
    purses: Sequence[Purse]
    changed: asyncio.Condition
    #: The most tokens that the provider counted for one of ours. Fewer than one are not counted on: a prompt that
    #: weighs more than those before it would exceed the limit, and what was put aside too much comes back.
    _ratio: float = field(default=1.0)

    def estimate(self, input_tokens: int) -> Charge:
        """The most that one try of a request can cost: its input, and an answer as long as it may be."""
        if self.price is None:
            return Charge(requests=1)
        ratio = self._ratio * _MARGIN if self._ratio > 1.0 else 1.0
        sent, answered = round(input_tokens * ratio), self.price.longest_answer
        return Charge(self.price.usd(sent, answered) or 0.0, 1, sent + answered)

    async def reserve(self, model: str, input_tokens: int) -> Charge:
        """Put aside what a try may cost, waiting for others where that decides it. Raises ModelError (``budget``)."""
        if not self.purses:
            return Charge()
        async with self.changed:
            while True:
                charge = self.estimate(input_tokens)
                for purse in self.purses:
                    if (words := purse.refusal(charge)) is not None:
                        raise ModelError("budget", f"{model}: not asked: {words}")
                if not any(purse.waits(charge) for purse in self.purses):
                    break
                await self.changed.wait()
            for purse in self.purses:
                purse.held += charge.of(purse.kind)
        return charge

    async def settle(self, reserved: Charge, outcome: Completion | RequestError | None, input_tokens: int) -> None:
        """Count what a try did cost. ``outcome`` is None where nothing left; a lost answer may have been paid."""
        if not self.purses:
            return
        actual = reserved
        if outcome is None:
            actual = Charge()
        elif isinstance(outcome, Completion):
            actual = self._cost_of(outcome, reserved)
            seen = outcome.usage.input_tokens
            if seen and input_tokens:
                self._ratio = max(self._ratio, seen / input_tokens)
        elif not outcome.sent:
            actual = Charge()
        elif not outcome.perhaps_paid:
            actual = Charge(requests=1)
        async with self.changed:
            for purse in self.purses:
                purse.held -= reserved.of(purse.kind)
                purse.spent += actual.of(purse.kind)
            self.changed.notify_all()

    def _cost_of(self, completion: Completion, reserved: Charge) -> Charge:
        usage, usd = completion.usage, completion.cost_usd
        if usage.input_tokens is None or usage.output_tokens is None:
            return reserved if usd is None else Charge(usd, 1, reserved.tokens)
        if usd is None and self.price is not None:
            usd = self.price.usd(usage.input_tokens, usage.output_tokens)
        return Charge(reserved.usd if usd is None else usd, 1, usage.input_tokens + usage.output_tokens)


class Ledger:
    """All limits of a run. ``limits`` are dumps of `Limit`."""

    def __init__(self, limits: Iterable[Mapping[str, Any]] = ()) -> None:
        self._changed = asyncio.Condition()
        self._purses: list[tuple[frozenset[str] | None, Purse]] = [
            (
                None if limit["models"] is None else frozenset(limit["models"]),
                Purse(limit["name"], limit["kind"], float(limit["limit"])),
            )
            for limit in limits
        ]

    def account(self, name: str, settings: ModelSettings) -> Account:
        """The account of the model that the gateway knows by this name."""
        purses = [purse for models, purse in self._purses if models is None or name in models]
        price = None
        if any(purse.kind != "requests" for purse in purses):
            price = price_of(
                settings.model,
                settings.input_price,
                settings.output_price,
                settings.request,
                settings.prompt_cache,
            )
        return Account(price, purses, self._changed)
