"""One request until it has an answer or an error: tries, pauses between them, and when to give up."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace

from pytest_haystack.errors import ModelError
from pytest_haystack.models.model import Completion
from pytest_haystack.running.gateway.failures import RequestError
from pytest_haystack.running.gateway.lanes import Lane
from pytest_haystack.running.gateway.provider import Provider
from pytest_haystack.scoring.outcomes import Outcome, classify, classify_error

#: Seconds before the first retry; each further one waits twice as long, up to the longest.
FIRST_PAUSE, LONGEST_PAUSE = 0.5, 30.0
#: A provider that asks for a longer pause than this has refused for today.
LONGEST_RETRY_AFTER = 300.0
_PASSING = frozenset({Outcome.rate_limited, Outcome.infra_error})


async def send(
    lane: Lane, provider: Provider, messages: Sequence[dict[str, str]], tokens: int, chance: random.Random
) -> Completion:
    """The answer of the lane's model. Raises ModelError when retries are used up or of no use.

    An empty answer is asked for once more, and both are paid: the cost is that of both.
    """
    retries, empty = 0, None
    while True:
        try:
            async with lane.admitted(tokens):
                completion = await provider.complete(lane.settings, messages)
        except RequestError as failure:
            outcome = _outcome(failure)
            seconds = pause_before_retry(failure, retries, chance)
            again = outcome in _PASSING and retries < lane.settings.retries
            if not again or seconds is None:
                raise _given_up(lane, failure, outcome, retries) from failure
            retries += 1
            if failure.status == 429:
                lane.pause(seconds)
            await lane.sleep(seconds)
            continue
        if empty is None and classify(completion) == Outcome.empty:
            empty = completion
            continue
        return completion if empty is None else replace(completion, cost_usd=_both(completion, empty))


def pause_before_retry(failure: RequestError, retries: int, chance: random.Random) -> float | None:
    """Seconds to wait after so many retries: what the provider asks for, else doubling, with jitter.

    None where the provider asks for longer than anyone would wait.
    """
    doubling = min(LONGEST_PAUSE, FIRST_PAUSE * 2.0 ** min(retries, 10)) * chance.uniform(0.5, 1.0)
    if failure.retry_after is None:
        return doubling
    if failure.retry_after > LONGEST_RETRY_AFTER:
        return None
    # A little later than asked, each request by another bit: all at once would be refused again.
    return failure.retry_after + doubling / 10


def _outcome(failure: RequestError) -> Outcome:
    """What the failure counts as: the words of the provider decide, then what is known of the code."""
    outcome = classify_error(failure.status, failure.code, failure.message)
    return Outcome.config_error if failure.hopeless and outcome in _PASSING else outcome


def _given_up(lane: Lane, failure: RequestError, outcome: Outcome, retries: int) -> ModelError:
    words = f"{lane.settings.id}: {_label(failure)}{failure.message.rstrip(' .')}{_advice(lane, failure)}"
    if outcome == Outcome.config_error and failure.hopeless:
        lane.close(str(outcome), words)
    tries = f" (tried {retries + 1} times)" if retries else ""
    return ModelError(str(outcome), words + tries)


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
    if failure.status is None and failure.code is None and base:
        return f"; check {base}"
    if failure.retry_after is not None and failure.retry_after > LONGEST_RETRY_AFTER:
        return f"; it asks to wait {failure.retry_after:.0f} s"
    return ""


def _both(completion: Completion, empty: Completion) -> float | None:
    if completion.cost_usd is None or empty.cost_usd is None:
        return None
    return completion.cost_usd + empty.cost_usd
