"""All trials of a search: asked round by round, at the lengths that its algorithm comes to."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, TypeAlias

from pytest_haystack.results.length_search import find_effective_length
from pytest_haystack.results.length_tests import LengthTests
from pytest_haystack.results.search_values import SEARCH, row_nodeid, values_of
from pytest_haystack.running.trial import Trial, run_trial
from pytest_haystack.running.workbench import Workbench
from pytest_haystack.scoring.outcomes import Outcome
from pytest_haystack.scoring.score import Complete
from pytest_haystack.searches import Search
from pytest_haystack.sweep import Cell, seed_of

#: A trial of a search: context length (tokens), depth as in ids, number of the trial (from 0).
TrialKey: TypeAlias = tuple[int, str, int]


class UnscoredError(Exception):
    """Trials without a score, which end the search: an error, or something that was not run."""

    def __init__(self, trials: Sequence[Trial]) -> None:
        super().__init__(trials)
        self.trials = tuple(trials)


@dataclass(frozen=True, slots=True)
class SearchOutcome:
    """What a search found: its JSON values (see `search_values`), and all trials that it asked."""

    values: Mapping[str, Any]
    trials: tuple[Trial, ...]


class SearchRun:
    """One run of a search.

    A model behind the gateway is asked a whole round at once, from threads; whatever answers or judges in this process
    is asked one prompt after another, for it may be no friend of threads. The verdict is the same. ``kept`` are trials
    that the search has had, which are asked again only where they have no score; ``keep`` takes each new one.
    """

    def __init__(
        self,
        bench: Workbench,
        search: Search,
        model: Any,
        nodeid: str,
        *,
        kept: dict[TrialKey, Trial],
        keep: Callable[[Trial], None],
        complete: Complete | None = None,
    ) -> None:
        self._bench = bench
        self._search = search
        self._model = model
        self._nodeid = nodeid
        self._kept = kept
        self._keep = keep
        self._complete = complete
        judge = bench.judges.get(search.task)
        judged_here = judge is not None and bench.registry.provider_of(judge.model) is not None
        self._at_once = bool(getattr(model, "paid", False)) and not judged_here
        self._building = threading.Lock()
        self._last: Trial | None = None
        self._unsupported: dict[int, UnscoredError] = {}
        self._tests = LengthTests(search.rule, self._round)

    def run(self) -> dict[str, Any]:
        """Ask until the verdict is there; returns its JSON values, which the last trial's row holds as well.

        Raises UnscoredError where a trial has no score. A length that the model does not take is one that it does not
        reach; where only that keeps it from what is claimed, the search was not run (UnscoredError).
        """
        search = self._search
        found = None
        if search.metric == "mean_score":
            self._tests.passes(search.least)
        else:
            rng = random.Random(seed_of(search.seed, "audit", search.family, search.name))
            found = find_effective_length(search.lengths, search.rule.threshold, self._passes, self._tests.sample, rng)
            _, longer = found.bounds(search.lengths)
            if found.length < search.least and longer in self._unsupported:
                raise self._unsupported[longer]
        values = values_of(
            search.metric,
            search.rule.stop,
            search.rule.threshold,
            search.least,
            self._tests.decisions(),
            found,
            lengths=search.lengths,
            unsupported=tuple(self._unsupported),
        )
        if self._last is not None:
            self._last.row["score_details"] = {**self._last.row["score_details"], SEARCH: values}
        return values

    def _passes(self, length: int) -> bool:
        try:
            return self._tests.passes(length)
        except UnscoredError as missing:
            if any(trial.outcome != Outcome.context_overflow for trial in missing.trials):
                raise
            self._unsupported[length] = missing
            return False

    def _round(self, length: int, number: int) -> Iterator[float]:
        prompts = self._search.round(length, number)
        if self._at_once:
            trials = self._together(prompts)
            missing = [trial for trial in trials if trial.score is None]
            if missing:
                raise UnscoredError(missing)
            yield from (trial.require_score() for trial in trials)
            return
        for cell, trial_number in prompts:
            trial = self._told(cell, self._trial(cell, trial_number))
            if trial.score is None:
                raise UnscoredError([trial])
            yield trial.score

    def _together(self, prompts: Sequence[tuple[Cell, int]]) -> list[Trial]:
        in_flight = self._bench.models[self._search.model].limits.in_flight
        threads = ThreadPoolExecutor(min(len(prompts), in_flight))
        try:
            asked = [threads.submit(self._trial, cell, number) for cell, number in prompts]
            trials = [one.result() for one in asked]
        finally:
            # Not waited for: at Ctrl-C the gateway has to be told first, which answers whoever still waits.
            threads.shutdown(wait=False, cancel_futures=True)
        return [self._told(cell, trial) for (cell, _), trial in zip(prompts, trials, strict=True)]

    def _trial(self, cell: Cell, number: int) -> Trial:
        known = self._kept.get(_key(cell, number))
        if known is not None and known.score is not None:
            return known
        with self._building:
            material = self._bench.material(cell, number)
        nodeid = row_nodeid(self._nodeid, cell.context_length, cell.depth)
        return run_trial(self._bench, cell, number, material, self._model, nodeid, self._complete)

    def _told(self, cell: Cell, trial: Trial) -> Trial:
        """The trial, kept where it is a new one."""
        key = _key(cell, trial.number)
        if self._kept.get(key) is not trial:
            self._kept[key] = self._last = trial
            self._keep(trial)
        return trial


def _key(cell: Cell, number: int) -> TrialKey:
    return cell.context_length, cell.depth, number
