"""One request until it has an answer or an error: tries, pauses between them, and when to give up."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Sequence
from dataclasses import replace

from pytest_haystack.errors import ModelError
from pytest_haystack.models.model import Completion
from pytest_haystack.running.gateway.failures import NO_CONNECTION, RequestError
from pytest_haystack.running.gateway.lanes import Lane
from pytest_haystack.running.gateway.provider import Provider
from pytest_haystack.running.prices import answer_limit
from pytest_haystack.scoring.outcomes import Outcome, classify, classify_error
from pytest_haystack.scoring.wire_errors import larger_than_a_minute
from pytest_haystack.text import one_line

#: Seconds before the first retry; each further one waits twice as long, up to the longest.
FIRST_PAUSE, LONGEST_PAUSE = 0.5, 30.0
#: A provider that asks for a longer pause than this has refused for today.
LONGEST_RETRY_AFTER = 300.0
#: Seconds in which a provider refuses what it is going to refuse, such as a wrong key.
TAKEN = 1.0
_PASSING = frozenset({Outcome.rate_limited, Outcome.infra_error})


async def send(
    lane: Lane,
    provider: Provider,
    messages: Sequence[dict[str, str]],
    tokens: int,
    chance: random.Random,
    cell: str = "",
    left: Callable[[], None] | None = None,
    taken: Callable[[], None] | None = None,
) -> Completion:
    """The answer of the lane's model. Raises ModelError when retries are used up or of no use.

    ``cell`` names who asks, for those who are refused because this request showed that asking is of no use. ``left``
    is called when a try leaves, ``taken`` when the first one has been on its way for `TAKEN` seconds: it was not
    refused. An empty answer is asked for once more, and both are paid: the cost is that of both.
    """
    sending, retries, empty = Sending(lane, provider, messages, tokens, left, taken), 0, None
    while True:
        try:
            completion = await sending.attempt()
        except RequestError as failure:
            if failure.code != NO_CONNECTION:
                lane.found_server()
            outcome = _outcome(failure)
            seconds = pause_before_retry(failure, retries, chance)
            if outcome not in _PASSING or retries >= lane.settings.retries or seconds is None:
                raise _given_up(lane, failure, outcome, retries, cell) from failure
            if seconds >= sending.seconds_left:
                late = f"; no time for another try within {lane.settings.deadline:g} s (limits.deadline)"
                raise _given_up(lane, failure, outcome, retries, cell, late) from failure
            retries += 1
            if outcome == Outcome.rate_limited:
                lane.refused(sending.left_at, seconds)
            elif failure.retry_after is not None:
                # Overloaded, as 503 and 529 say it: when to come again is meant for every request.
                lane.pause(failure.retry_after)
            await lane.sleep(seconds)
            continue
        lane.answered()
        if empty is None and classify(completion) == Outcome.empty:
            empty = completion
            continue
        return completion if empty is None else replace(completion, cost_usd=_both(completion, empty))


class Sending:
    """The tries of one request, which share one deadline and are each paid for.

    ``left_at`` is when the last one left, on the lane's clock.
    """

    def __init__(
        self,
        lane: Lane,
        provider: Provider,
        messages: Sequence[dict[str, str]],
        tokens: int,
        left: Callable[[], None] | None = None,
        taken: Callable[[], None] | None = None,
    ) -> None:
        self._lane = lane
        self._left = left
        self._taken = taken
        self._provider = provider
        self._messages = messages
        self._tokens = tokens
        self._input_tokens = max(0, tokens - (answer_limit(lane.settings.request) or 0))
        self._until: float | None = None
        self.left_at = 0.0

    @property
    def seconds_left(self) -> float:
        """Seconds until the deadline, which counts from when the first try left: waiting for its turn is no fault."""
        return self._lane.settings.deadline if self._until is None else self._until - self._lane.clock()

    async def attempt(self) -> Completion:
        """One try. Raises RequestError, and ModelError where it may not leave."""
        lane = self._lane
        reserved = await lane.account.reserve(lane.settings.id, self._input_tokens)
        outcome: Completion | RequestError | None = None
        watching: asyncio.Task[None] | None = None
        try:
            async with lane.admitted(self._tokens, self._until) as self.left_at:
                if self._left is not None:
                    self._left()
                if self._until is None:
                    self._until = self.left_at + lane.settings.deadline
                    if self._taken is not None:
                        watching = asyncio.create_task(self._watch(self._taken))
                outcome = RequestError("called off")  # what an interruption here leaves: perhaps it was paid
                outcome = await self._provider.complete(lane.settings, self._messages, self.seconds_left)
            return outcome
        except RequestError as failure:
            outcome = failure
            raise
        except asyncio.TimeoutError:
            words = f"its turn did not come within {lane.settings.deadline:g} s (limits.deadline)"
            raise RequestError(words, status=408, code="timeout") from None
        finally:
            if watching is not None:
                watching.cancel()
            await lane.account.settle(reserved, outcome, self._input_tokens)

    async def _watch(self, taken: Callable[[], None]) -> None:
        await asyncio.shield(self._provider.warm())
        await asyncio.sleep(TAKEN)
        taken()


def pause_before_retry(failure: RequestError, retries: int, chance: random.Random) -> float | None:
    """Seconds to wait after so many retries: what the provider asks for, else doubling, with jitter.

    None where the provider asks for longer than anyone would wait.
    """
    doubling = min(LONGEST_PAUSE, FIRST_PAUSE * 2.0 ** min(retries, 10)) * chance.uniform(0.5, 1.0)
    if failure.retry_after is None:
        return doubling
    if _asks_for_too_long(failure):
        return None
    # A little later than asked, each request by another bit: all at once would be refused again.
    return failure.retry_after + doubling / 10


def _asks_for_too_long(failure: RequestError) -> bool:
    return failure.retry_after is not None and failure.retry_after > LONGEST_RETRY_AFTER


def _outcome(failure: RequestError) -> Outcome:
    """What the failure counts as: the words of the provider decide, then what is known of the code."""
    outcome = classify_error(failure.status, failure.code, failure.message)
    return Outcome.config_error if failure.staying and outcome in _PASSING else outcome


def _given_up(
    lane: Lane, failure: RequestError, outcome: Outcome, retries: int, cell: str, late: str = ""
) -> ModelError:
    """The error of a request; where every other one of the model would fail like it, the first closes the lane."""
    name = lane.settings.id
    # A pause of hours is meant for all requests of the account.
    stays = outcome == Outcome.config_error or (outcome in _PASSING and _asks_for_too_long(failure))
    if failure.code == NO_CONNECTION:
        stays = lane.found_no_server()
    if stays and (closed := lane.closed) is not None:
        # It was under way when another one failed.
        return ModelError(closed[0], f"{name}: {closed[1].removeprefix(f'{name}: not asked: ')}")
    words = f"{name}: {_label(failure)}{failure.message.rstrip(' .')}{_advice(lane, failure)}"
    if stays and not larger_than_a_minute(failure.message.lower()):
        lane.close(
            str(outcome), f"{name}: not asked: {name} was given up ({_brief(failure)}): see {cell or 'its first error'}"
        )
        words += f"; {name} is not asked again"
    tries = f" (tried {retries + 1} times)" if retries else ""
    return ModelError(str(outcome), words + tries + late)


def _brief(failure: RequestError) -> str:
    """The reason in a few words: those of a provider stand at the first request alone."""
    if failure.code == NO_CONNECTION:
        return "no connection"
    if failure.status is None:
        return one_line(failure.message, 100)
    return one_line(f"HTTP {failure.status} {failure.code or ''}", 50)


def _label(failure: RequestError) -> str:
    if failure.status is None or failure.code == "timeout":
        return ""
    return f"HTTP {failure.status}{f' {failure.code}' if failure.code else ''}: "


def _advice(lane: Lane, failure: RequestError) -> str:
    settings = lane.settings
    if failure.status in (401, 403):
        return f"; check the key in {settings.api_key_env}" if settings.api_key_env else "; name a key with api_key_env"
    base = f"api_base {settings.api_base!r}" if settings.api_base else ""
    if failure.status == 404:
        return f"; check model {settings.model!r}{base and f' and {base}'}"
    if failure.status is None and failure.code in (None, NO_CONNECTION) and base:
        return f"; check {base}"
    if failure.retry_after is not None and _asks_for_too_long(failure):
        return f"; it asks to wait {failure.retry_after:.0f} s"
    return ""


def _both(completion: Completion, empty: Completion) -> float | None:
    if completion.cost_usd is None or empty.cost_usd is None:
        return None
    return completion.cost_usd + empty.cost_usd
