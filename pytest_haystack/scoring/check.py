"""Holding scorers to a table of cases whose scores are known."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pytest_haystack.errors import ConfigError
from pytest_haystack.models.model import Completion
from pytest_haystack.registry import Registry
from pytest_haystack.scoring.outcomes import Outcome, classify, classify_error
from pytest_haystack.scoring.reasoning import split_reasoning
from pytest_haystack.scoring.score import Expected, Reference

#: Tables give scores to four decimals.
TOLERANCE = 0.0005
_SHORTENED = 80


@dataclass(frozen=True, slots=True)
class Mismatch:
    """A case (counted from 1) whose score or label is not the expected one."""

    number: int
    scorer: str
    response: str
    wanted: str
    got: str
    why: str

    def __str__(self) -> str:
        reason = f" ({self.why})" if self.why else ""
        return f"case {self.number}: {self.scorer}: {self.response}: {self.got} instead of {self.wanted}{reason}"


@dataclass(frozen=True, slots=True)
class CheckResult:
    """How many of the cases agree."""

    agree: int
    total: int
    mismatches: tuple[Mismatch, ...]

    @property
    def all_agree(self) -> bool:
        """True where there is no mismatch."""
        return not self.mismatches

    def lines(self) -> list[str]:
        """One line a mismatch, then ``N/M cases agree``."""
        return [*map(str, self.mismatches), f"{self.agree}/{self.total} cases agree"]


def check_file(path: Path, registry: Registry) -> CheckResult:
    """Check the list ``cases`` of a YAML file. Raises ConfigError where the file is no such table."""
    import yaml

    try:
        table = yaml.safe_load(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror or error}") from None
    except (UnicodeDecodeError, yaml.YAMLError) as error:
        raise ConfigError(f"{path}: no readable YAML: {' '.join(str(error).split())}") from None
    cases = table.get("cases") if isinstance(table, dict) else table
    if not isinstance(cases, list):
        raise ConfigError(f"{path}: a table of cases has a list under `cases:`")
    return check_cases(cases, registry)


def check_cases(cases: Iterable[Mapping[str, Any]], registry: Registry) -> CheckResult:
    """Score every case: a mapping with ``scorer``, ``expected``, ``response`` and ``score``.

    It may hold ``question``, ``alternatives``, ``options`` (and ``prefix`` or ``answerable``, which are options
    too) and ``why``. For ``conflict`` the score is the label, for ``outcome`` the response is what a provider
    returned and ``expected`` its outcome. Reasoning in a response is taken off first, as in a run. Raises
    ConfigError for a case that lacks a key or names no known scorer.
    """
    total = 0
    mismatches: list[Mismatch] = []
    for number, case in enumerate(cases, start=1):
        total += 1
        _require(number, case)
        wanted, got = _compare(number, case, registry)
        if wanted != got:
            response = " ".join(str(case["response"]).split())
            if len(response) > _SHORTENED:
                response = f"{response[:_SHORTENED]}..."
            mismatches.append(
                Mismatch(number, str(case["scorer"]), repr(response), wanted, got, str(case.get("why") or ""))
            )
    return CheckResult(total - len(mismatches), total, tuple(mismatches))


def _require(number: int, case: Any) -> None:
    if not isinstance(case, Mapping):
        raise ConfigError(f"case {number}: a case is a mapping with scorer, expected, response and score")
    missing = [key for key in ("scorer", "expected", "response", "score") if key not in case]
    if missing:
        raise ConfigError(f"case {number}: {', '.join(missing)} missing")


def _compare(number: int, case: Mapping[str, Any], registry: Registry) -> tuple[str, str]:
    """The wanted and the actual result, equal texts where they agree."""
    name = str(case["scorer"])
    if name == "outcome":
        return str(case["expected"]), str(outcome_of(case["response"]))
    try:
        scorer = registry.scorers[name]
    except ConfigError as error:
        raise ConfigError(f"case {number}: scorer: {error}") from None
    answer, _ = split_reasoning(str(case["response"] or ""))
    score = scorer(answer or "", _reference(case))
    wanted = case["score"]
    if isinstance(wanted, str):
        return wanted, str(score.details.get("label", score.value))
    near = abs(score.value - float(wanted)) <= TOLERANCE
    return f"{float(wanted):g}", f"{float(wanted):g}" if near else f"{score.value:.4g}"


def _reference(case: Mapping[str, Any]) -> Reference:
    options = dict(case.get("options") or {})
    options.update({key: case[key] for key in ("prefix", "answerable") if key in case})
    return Reference(
        expected=_expected(case["expected"]),
        question=str(case.get("question") or ""),
        alternatives=tuple(str(value) for value in case.get("alternatives") or ()),
        options=options,
    )


def _expected(value: Any) -> Expected:
    if isinstance(value, Mapping):
        value = [value.get("first"), value.get("last")]
    if isinstance(value, (list, tuple)):
        return tuple(str(item) for item in value)
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return value
    return "" if value is None else str(value)


def outcome_of(response: Mapping[str, Any]) -> Outcome:
    """The outcome of what a provider returned, written down as a mapping.

    An answer has ``content``, ``finish_reason``, ``reasoning``, ``refusal``; a failure ``error`` with ``status``,
    ``code`` and ``message``.
    """
    error = response.get("error")
    if error is not None:
        return classify_error(error.get("status"), error.get("code"), str(error.get("message") or ""))
    return classify(
        Completion(
            text=response.get("content"),
            reasoning=response.get("reasoning") or response.get("reasoning_content"),
            refusal=response.get("refusal"),
            finish_reason=response.get("finish_reason"),
        )
    )
