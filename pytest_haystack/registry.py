"""Names to the things they stand for: tasks, placements, scorers, haystack sources, model providers, gate metrics.

Built-in names point at modules as text and are imported when used; others come through the hook
``pytest_haystack_register`` (see `pytest_haystack.hookspecs`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

from pytest_haystack.errors import ConfigError

if TYPE_CHECKING:
    from pytest_haystack.haystacks.source import Source
    from pytest_haystack.models.model import Model
    from pytest_haystack.needles.placements import Placement
    from pytest_haystack.results.gates import GateMetric
    from pytest_haystack.scoring.score import Scorer
    from pytest_haystack.tasks.task import Task

T = TypeVar("T")


class Names(Generic[T]):
    """The known names of one kind of thing."""

    def __init__(self, kind: str, builtin: Mapping[str, str], needs: str = "", of: str = "") -> None:
        """``needs`` names, with spaces between, what a thing must have; ``of`` says where that is described."""
        self.kind = kind
        self._needs, self._of = needs.split(), of
        self._builtin = dict(builtin)
        self._entries: dict[str, Any] = dict(builtin)

    def add(self, name: str, thing: T) -> None:
        """Register a thing under a name. Raises ConfigError where the name is taken."""
        if name in self._entries:
            raise ConfigError(f"{self.kind} {name!r} is registered twice; choose another name")
        lacking = [need for need in self._needs if not hasattr(thing, need)]
        if lacking or not callable(thing):
            lack = f"has no {', '.join(lacking)}" if lacking else "is not callable"
            raise ConfigError(f"{self.kind} {name!r}: {thing!r} {lack}; see {self._of}")
        self._entries[name] = thing

    def __getitem__(self, name: str) -> T:
        """The thing of this name. Raises ConfigError with a suggestion where there is none."""
        try:
            entry = self._entries[name]
        except KeyError:
            raise ConfigError(self.unknown(name)) from None
        if isinstance(entry, str):
            module, _, attribute = entry.partition(":")
            entry = self._entries[name] = getattr(import_module(module), attribute)
        return cast(T, entry)

    def __contains__(self, name: object) -> bool:
        return name in self._entries

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def is_builtin(self, name: str) -> bool:
        """True where the name comes with this package, so that another process knows it too."""
        return name in self._builtin

    def unknown(self, name: str) -> str:
        """The words for a name that nothing is registered under."""
        from pytest_haystack.config.synonyms import other_name

        other = other_name(name, list(self))
        advice = f"did you mean {other!r}?" if other else suggestion(name, self)
        return f"{name!r} is no known {self.kind}; {advice}"


def suggestion(name: str, known: Names[Any] | list[str]) -> str:
    """``did you mean 'single'?`` where something is close, else the list of what there is."""
    import difflib

    names = list(known)
    close = difflib.get_close_matches(name, names, n=1, cutoff=0.6)
    # A part of one name alone is meant for it: `lost` for `lost-in-the-middle`.
    longer = [known for known in names if len(name) >= 3 and name in known]
    if not close and len(longer) == 1:
        close = longer
    return f"did you mean {close[0]!r}?" if close else f"known: {', '.join(names)}"


#: Built-in names of each kind, and where the things are.
TASKS = {
    "ancestry": "pytest_haystack.tasks.ancestry:Ancestry",
    "key_value": "pytest_haystack.tasks.key_value:KeyValue",
    "single": "pytest_haystack.tasks.single:Single",
    "multi": "pytest_haystack.tasks.multi:Multi",
    "uuid": "pytest_haystack.tasks.uuid_value:UuidValue",
    "uuid_chain": "pytest_haystack.tasks.uuid_chain:UuidChain",
    "reasoning": "pytest_haystack.tasks.reasoning:Reasoning",
    "counting": "pytest_haystack.tasks.counting:Counting",
    "conflicting": "pytest_haystack.tasks.conflicting:Conflicting",
    "distractor": "pytest_haystack.tasks.distractor:Distractor",
    "unanswerable": "pytest_haystack.tasks.unanswerable:Unanswerable",
}
PLACEMENTS = {
    "uniform": "pytest_haystack.needles.placements:uniform",
    "bookends": "pytest_haystack.needles.placements:uniform",
    "centered": "pytest_haystack.needles.placements:centered",
    "random": "pytest_haystack.needles.placements:scattered",
    "even_spread": "pytest_haystack.needles.placements:even_spread",
}
SCORERS = {
    "auto": "pytest_haystack.scoring.auto:score",
    "value": "pytest_haystack.scoring.value:score",
    "numeric": "pytest_haystack.scoring.numeric:score",
    "multi": "pytest_haystack.scoring.multi:score",
    "uuid": "pytest_haystack.scoring.uuid_value:score",
    "substring": "pytest_haystack.scoring.literal:substring",
    "exact": "pytest_haystack.scoring.literal:substring",
    "count": "pytest_haystack.scoring.count:score",
    "ordered": "pytest_haystack.scoring.ordered:score",
    "set_f1": "pytest_haystack.scoring.set_f1:score",
    "conflict": "pytest_haystack.scoring.conflict:score",
    "abstain": "pytest_haystack.scoring.abstain:score",
    "entity": "pytest_haystack.scoring.entity:score",
    "verbatim": "pytest_haystack.scoring.verbatim:score",
    "chain": "pytest_haystack.scoring.chain:score",
    "equality": "pytest_haystack.scoring.literal:equality",
    "numeric_1pct": "pytest_haystack.scoring.literal:numeric_1pct",
    "keyword_or_levenshtein": "pytest_haystack.scoring.levenshtein:score",
    "rails": "pytest_haystack.scoring.rails:score",
    "rouge1": "pytest_haystack.scoring.rouge:score",
    "semantic": "pytest_haystack.scoring.semantic:score",
    "judge": "pytest_haystack.scoring.judge:score",
}
SOURCES = {
    "arxiv": "pytest_haystack.haystacks.arxiv:Arxiv",
    "essays": "pytest_haystack.haystacks.essays:Essays",
    "essays@1": "pytest_haystack.haystacks.essays:FirstEssays",
    "essays@2": "pytest_haystack.haystacks.essays:Essays",
    "files": "pytest_haystack.haystacks.files:Files",
    "synthetic": "pytest_haystack.haystacks.synthetic:Synthetic",
    "synthetic@1": "pytest_haystack.haystacks.synthetic_1:FirstSynthetic",
    "synthetic@2": "pytest_haystack.haystacks.synthetic:Synthetic",
    "wikipedia": "pytest_haystack.haystacks.wikipedia:Wikipedia",
}
#: What the name of a source with several versions stands for where no version is given: the newest.
NEWEST = {"essays": "essays@2", "synthetic": "synthetic@2"}
PROVIDERS = {
    "simulated": "pytest_haystack.models.simulated:SimulatedReader",
    "python": "pytest_haystack.models.callables:PythonCallable",
}
METRICS = {
    "mean_score": "pytest_haystack.results.gate_metrics:MeanScore",
    "lower_bound": "pytest_haystack.results.gate_metrics:LowerBound",
    "weighted_score": "pytest_haystack.results.gate_metrics:WeightedScore",
    "worst_depth_mean": "pytest_haystack.results.gate_metrics:WorstDepthMean",
    "effective_context_length": "pytest_haystack.results.gate_metrics:EffectiveContextLength",
    "primacy_bias_rate": "pytest_haystack.results.gate_metrics:PrimacyBiasRate",
    "recency_bias_rate": "pytest_haystack.results.gate_metrics:RecencyBiasRate",
    "abstention": "pytest_haystack.results.gate_metrics:Abstention",
    "error_rate": "pytest_haystack.results.gate_metrics:ErrorRate",
    "cost_usd": "pytest_haystack.results.gate_metrics:CostUsd",
    "p95_latency_seconds": "pytest_haystack.results.gate_metrics:P95LatencySeconds",
    "regression": "pytest_haystack.results.regression_gate:Regression",
}


class Registry:
    """All names that a config may use. The hook ``pytest_haystack_register`` gets it and adds to it."""

    def __init__(self) -> None:
        self.tasks: Names[type[Task]] = Names(
            "task", TASKS, needs="options_model needles ask", of="pytest_haystack.tasks.task.Task"
        )
        self.placements: Names[Placement] = Names("placement", PLACEMENTS, of="pytest_haystack.needles.placements")
        self.scorers: Names[Scorer] = Names("scorer", SCORERS, of="pytest_haystack.scoring.score")
        self.sources: Names[type[Source]] = Names(
            "haystack source", SOURCES, needs="options_model read sha256", of="pytest_haystack.haystacks.source.Source"
        )
        self.providers: Names[type[Model]] = Names(
            "model provider", PROVIDERS, needs="complete", of="pytest_haystack.models.model.Model"
        )
        self.metrics: Names[type[GateMetric]] = Names(
            "gate metric", METRICS, needs="measure", of="pytest_haystack.results.gates.GateMetric"
        )

    def provider_of(self, model: str) -> str | None:
        """The registered provider of a model string (``simulated/x``, ``python:a:b``), None for litellm's."""
        for separator in ("/", ":"):
            prefix = model.partition(separator)[0]
            if separator in model and prefix in self.providers:
                return prefix
        return None
