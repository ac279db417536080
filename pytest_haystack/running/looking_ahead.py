"""Offers the gateway what the cells to come are going to ask, in a thread for each model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from threading import Lock, Thread
from typing import TYPE_CHECKING

from pytest_haystack.errors import ModelError
from pytest_haystack.models.model import Prompt
from pytest_haystack.models.paid import GatewayModel
from pytest_haystack.running.preflight import refuse_overflow, surely_fits
from pytest_haystack.running.sizing import tokens_of
from pytest_haystack.running.store.kept import key_of
from pytest_haystack.running.upcoming import Upcoming

if TYPE_CHECKING:
    from pytest_haystack.config.schema import ModelEntry
    from pytest_haystack.running.gateway.client import GatewayClient
    from pytest_haystack.running.workbench import Workbench
    from pytest_haystack.sweep import Cell

#: Seconds for the threads to see that they are to end.
_END = 0.5


@dataclass(frozen=True, slots=True)
class Coming:
    """The cells of one model that will ask, in the order of their tests; ``gateway_id`` names the model there.

    ``mark`` is that of its weights.
    """

    gateway_id: str
    entry: ModelEntry
    cells: Sequence[Cell]
    mark: tuple[str, ...] = ()


class LookAhead:
    """Of one sweep. ``bench`` is for it alone: threads take turns at it, and no test waits for them.

    It goes on only while what it offers is what the tests then ask, which the gateway watches: where a fixture of the
    user's has replaced something it ends, for that model.
    """

    def __init__(self, bench: Workbench, client: GatewayClient, models: Sequence[Coming]) -> None:
        self._bench = bench
        self._client = client
        self._building = Lock()
        self._models = {coming.entry.id: Upcoming(coming.cells) for coming in models}
        self._threads = [
            Thread(target=self._look, args=(coming,), name=f"look-ahead {coming.gateway_id}", daemon=True)
            for coming in models
        ]

    def start(self) -> None:
        """Begin."""
        for thread in self._threads:
            thread.start()

    def started(self, cell: Cell) -> None:
        """A test of the cell has begun."""
        upcoming = self._models.get(cell.model)
        if upcoming is not None:
            upcoming.started(cell.id)

    def stop(self) -> None:
        """Offer nothing more."""
        for upcoming in self._models.values():
            upcoming.stop()

    def end(self) -> None:
        """Wait for the threads, after `stop` and when the gateway has gone."""
        for thread in self._threads:
            thread.join(_END)
        self._client.close()

    def _look(self, coming: Coming) -> None:
        try:
            cells: Mapping[str, Cell] = {cell.id: cell for cell in coming.cells}
            model, counts = GatewayModel(coming.entry, self._client, coming.gateway_id), _Counts(self._bench)
            number = 0
            # Others may ask before: searches, tests of one's own, a cell that was not sure to run.
            while (first := self._client.first_asked(coming.gateway_id, number)) and first.cell not in cells:
                number += 1
            if first is None:
                return
            prompt = self._prompt(cells[first.cell], first.trial, counts)
            if key_of(coming.entry, prompt, *coming.mark) != first.key:
                return
            if first.input_tokens is not None:
                counts.observe(cells[first.cell], first.trial, first.input_tokens)
            self._offer(coming, cells, model, counts, None if first.answered else number + 1)
        except Exception:
            # Nothing is lost: whatever it is, the test that comes to it tells of it.
            return

    def _offer(
        self,
        coming: Coming,
        cells: Mapping[str, Cell],
        model: GatewayModel,
        counts: _Counts,
        uncounted: int | None,
    ) -> None:
        """``uncounted`` is the number of the next first request where none has been answered, and so counted, yet."""
        upcoming, more = self._models[coming.entry.id], True
        while more and (request := upcoming.next()) is not None:
            cell, trial = request
            prompt = self._prompt(cell, trial, counts)
            if uncounted is not None and not surely_fits(self._bench, cell, prompt, model):
                self._wait_for_count(coming, cells, counts, uncounted)
                uncounted = None
            try:
                refuse_overflow(self._bench, cell, prompt, model)
            except ModelError:
                continue
            more, seen = self._client.offer(
                coming.gateway_id, model.request_messages(prompt), model.request_tokens(prompt), trial, cell.id
            )
            for cell_id, number, tokens in seen:
                counts.observe(cells[cell_id], number, tokens)

    def _wait_for_count(self, coming: Coming, cells: Mapping[str, Cell], counts: _Counts, number: int) -> None:
        """What is long may exceed the window, which the provider's count of another prompt tells."""
        while (first := self._client.first_asked(coming.gateway_id, number)) is not None and not first.answered:
            number += 1
        if first is not None and first.cell in cells and first.input_tokens is not None:
            counts.observe(cells[first.cell], first.trial, first.input_tokens)

    def _prompt(self, cell: Cell, trial: int, counts: _Counts) -> Prompt:
        with self._building:
            material = self._bench.material(cell, trial)
            counts.note(cell, trial, material.prompt)
            return material.prompt


class _Counts:
    """How long the prompts of one model are, so that its answers teach how its provider counts."""

    def __init__(self, bench: Workbench) -> None:
        self._bench = bench
        self._tokens: dict[tuple[str, int], int] = {}

    def note(self, cell: Cell, trial: int, prompt: Prompt) -> None:
        self._tokens[cell.id, trial] = tokens_of(self._bench, prompt)

    def observe(self, cell: Cell, trial: int, tokens: int) -> None:
        ours = self._tokens.pop((cell.id, trial), 0)
        self._bench.ratios.of(cell.model, cell.task).observe(ours, tokens)
