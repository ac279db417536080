"""Asking a model of one's own: coroutines, wherever they are asked from."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from pytest_haystack.registry import Registry
from pytest_haystack.running.asking import Asked, ask
from pytest_haystack.running.workbench import Workbench, load_bench

CONFIG = """\
models: [{id: m, model: simulated/perfect}]
haystack: {source: synthetic}
sweep: {context_lengths: [200], depth_percents: [0, 100]}
tasks: [single]
"""


@pytest.fixture
def bench(tmp_path: Path) -> Workbench:
    path = tmp_path / "haystack.yaml"
    path.write_text(CONFIG)
    return load_bench(path, Registry())


class Client:
    """A model that, like an HTTP client, works only in the event loop that it was first used in."""

    def __init__(self) -> None:
        self.loops: list[Any] = []

    async def complete(self, prompt: str) -> str:
        await asyncio.sleep(0)
        self.loops.append(asyncio.get_running_loop())
        return "an answer"


def ask_all(bench: Workbench, model: Client) -> list[Asked]:
    return [ask(bench, cell, bench.material(cell).prompt, model) for cell in bench.cells]


def test_a_coroutine_is_waited_for_in_the_same_loop_each_time(bench: Workbench) -> None:
    model = Client()

    assert [asked.outcome for asked in ask_all(bench, model)] == ["answered", "answered"]
    assert len(set(map(id, model.loops))) == 1


def test_a_coroutine_can_be_asked_for_while_a_loop_is_running(bench: Workbench) -> None:
    model = Client()

    async def inside() -> list[Asked]:
        return ask_all(bench, model)

    assert [asked.outcome for asked in asyncio.run(inside())] == ["answered", "answered"]
    assert len(set(map(id, model.loops))) == 1
