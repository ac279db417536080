"""`execution` in the sweep file, and what the gateway makes of it."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_haystack.config.execution import Execution
from pytest_haystack.config.schema import ModelEntry
from pytest_haystack.running.gateway.settings import ModelSettings
from pytest_haystack.running.send_order import sending_of
from tests.config.conftest import load, problems, registry  # noqa: F401  (fixtures)

TEXT = """\
models: [{id: m, model: openai/served, limits: {in_flight: 5}}]
sweep: {context_lengths: [1000, 2000], depth_percents: [0, 50]}
tasks: [count]
"""
OWN = "http://127.0.0.1:8000/v1"


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (
            "{order: prefixes}",
            "haystack.yaml:4: execution.order: 'prefixes' is not one of auto, config, prefix; did you",
        ),
        ("{look_ahead: -1}", "haystack.yaml:4: execution.look_ahead: -1 is too small"),
        ("{warm_up: 3}", "haystack.yaml:4: execution.warm_up: "),
        ("{lookahead: 3}", "haystack.yaml:4: execution.lookahead: unknown key; did you mean 'look_ahead'?"),
    ],
)
def test_a_mistake_is_one_line(problems: Any, line: str, words: str) -> None:  # noqa: F811
    [problem] = problems(f"{TEXT}execution: {line}\n")
    assert problem.startswith(words)


def test_what_is_written_reaches_the_gateway(load: Any) -> None:  # noqa: F811
    config = load(f"{TEXT}execution: {{order: prefix, warm_up: true, look_ahead: 7}}\n").config
    entry = config.models[0]
    told = {**entry.model_dump(mode="json"), "sending": sending_of(config.execution, entry, [1000], None)}

    settings = ModelSettings.from_entry(told)
    assert (settings.order, settings.warm_up, settings.look_ahead) == ("prefix", True, 7)


@pytest.mark.parametrize(
    ("model", "base", "in_flight", "lengths", "concurrency", "order", "look_ahead"),
    [
        ("openai/served", None, 4, [2000], None, "config", 8),
        ("openai/served", OWN, 4, [500, 2000], None, "prefix", 8),
        ("openai/served", OWN, 16, [2000], None, "config", 32),
        ("openai/served", OWN, 16, [2000], 8, "prefix", 16),
        ("openai/served", OWN, 4, [500, 1000], None, "config", 8),
        ("local/smollm2", None, 1, [2000], 8, "prefix", 2),
    ],
)
def test_auto_follows_prefixes_where_that_helps(
    model: str,
    base: str | None,
    in_flight: int,
    lengths: list[int],
    concurrency: int | None,
    order: str,
    look_ahead: int,
) -> None:
    entry = ModelEntry(id="m", model=model, api_base=base, limits={"in_flight": in_flight})
    told = sending_of(Execution(), entry, lengths, concurrency)
    assert told == {"order": order, "warm_up": False, "look_ahead": look_ahead}
