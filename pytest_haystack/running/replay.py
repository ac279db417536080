"""Answers out of rows: an earlier run scored again, and nobody asked."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from pytest_haystack.config.schema import ModelEntry
from pytest_haystack.errors import ModelError, NoRowError
from pytest_haystack.models.model import Completion, Prompt, Usage
from pytest_haystack.results.baseline import find_baseline
from pytest_haystack.results.store import read_rows
from pytest_haystack.scoring.outcomes import Outcome

Row: TypeAlias = "Mapping[str, Any]"
#: A row in which all of these are empty tells of a request that had no answer.
_ANSWER = ("response", "reasoning", "finish_reason", "provider_model", "latency_seconds")


class Replay:
    """The answers that rows hold, by test and trial."""

    def __init__(self, rows: Iterable[Row]) -> None:
        self._rows: dict[tuple[str, int], Row] = {}
        self._named: dict[tuple[str, int], list[Row]] = {}
        self._verdicts: dict[tuple[str, str], Row] = {}
        for row in rows:
            nodeid, trial = row["nodeid"], row["trial"]
            self._rows[nodeid, trial] = row
            self._named.setdefault((_name(nodeid), trial), []).append(row)
            judge = row["score_details"].get("judge")
            if isinstance(judge, dict) and judge.get("prompt_sha256"):
                self._verdicts[str(judge.get("model")), judge["prompt_sha256"]] = judge

    @classmethod
    def of_files(cls, paths: Sequence[Path]) -> Replay:
        """The rows of these files or report folders; later ones win. Raises HaystackError where one cannot be read."""
        return cls(row for path in paths for row in read_rows(find_baseline(path)))

    @property
    def names(self) -> frozenset[str]:
        """Names of the tests that there are rows of, parameters included and without their file."""
        return frozenset(name for name, _ in self._named)

    def answer(self, nodeid: str, entry: ModelEntry, prompt: Prompt) -> Completion:
        """The answer to a prompt in the row of this test and the prompt's trial.

        A file that has moved is no other test. Raises NoRowError where there is no such row, or it is of another prompt
        or model; ModelError where the row tells of an error.
        """
        row = self._rows.get((nodeid, prompt.trial))
        if row is None:
            others = self._named.get((_name(nodeid), prompt.trial), [])
            row = others[0] if len(others) == 1 else None
        if row is None:
            raise NoRowError(f"not replayed: there is no row of trial {prompt.trial} of this cell")
        if row["model"] != entry.model:
            raise NoRowError(f"not replayed: its row is an answer of {row['model']}, not of {entry.model}")
        if row["prompt_sha256"] != prompt.sha256:
            raise NoRowError(
                "not replayed: its row answers another prompt, so the sweep or its haystack has changed since "
                f"(prompt_sha256 {row['prompt_sha256'][:12]}..., now {prompt.sha256[:12]}...)"
            )
        return completion_of(row)

    def judge(self, entry: ModelEntry, kept: Callable[[Prompt], Completion | None]) -> Callable[[Prompt], Completion]:
        """Gives a judge's earlier reply to the same prompt: that of a row, else what ``kept`` has."""

        def complete(prompt: Prompt) -> Completion:
            judge = self._verdicts.get((entry.model, prompt.sha256))
            if judge is not None:
                return _reply_of(judge)
            found = kept(prompt)
            if found is None or prompt.afresh:
                raise ModelError(
                    "config_error",
                    f"{entry.model} needs asking, for it has not judged this answer to this question before; "
                    "a replay asks nobody: run with --haystack-resume in place of --haystack-replay",
                )
            return found

        return complete


def completion_of(row: Row) -> Completion:
    """The answer in a row. Raises ModelError with the row's outcome and words where it has none."""
    if all(row.get(name) is None for name in _ANSWER):
        raise ModelError(str(Outcome(row["outcome"])), str(row["error"] or "no words for it"))
    details, usage = row["score_details"], row["usage"]
    refusal = details.get("refusal")
    if refusal is None and row["outcome"] == Outcome.refused and row["response"] is None:
        refusal = "(its words were not kept)"
    return Completion(
        text=row["response"],
        reasoning=row["reasoning"],
        refusal=refusal,
        finish_reason=row["finish_reason"],
        usage=Usage(**{name: usage.get(name) for name in Usage.__dataclass_fields__}),
        cost_usd=row["cost_usd"],
        latency_seconds=row["latency_seconds"],
        provider_model=row["provider_model"],
        dropped_parameters=tuple(details.get("dropped_parameters", ())),
        from_store=True,
    )


def _reply_of(judge: Mapping[str, Any]) -> Completion:
    return Completion(
        text=f"{judge['verdict']}\n{judge['reason']}",
        usage=Usage(input_tokens=judge["input_tokens"], output_tokens=judge["output_tokens"]),
        cost_usd=judge["cost_usd"],
        from_store=True,
    )


def _name(nodeid: str) -> str:
    return nodeid.partition("::")[2]
