"""The models that scorers ask, as entries like those of models under test."""

from __future__ import annotations

from pytest_haystack.config.entries import id_safe
from pytest_haystack.config.options import scorer_options_model
from pytest_haystack.config.schema import Config, ModelEntry
from pytest_haystack.registry import Registry
from pytest_haystack.scoring.options import ScorerOptions


def judges_of(config: Config, registry: Registry) -> dict[str, ModelEntry]:
    """The model that the scorer of a task asks, by task id; tasks whose scorer asks none are left out."""
    judges = {}
    for task in config.tasks:
        model = scorer_options_model(registry, task.scorer.name) if task.scorer else None
        if task.scorer is None or model is None or not issubclass(model, ScorerOptions):
            continue
        asked = model.model_validate(task.scorer.options).asks()
        if asked is not None and asked.model is not None:
            judges[task.id] = ModelEntry(
                # No model under test should be called so: what the gateway learns of a model goes by its id.
                id=id_safe(f"judge-{asked.model}"),
                model=asked.model,
                api_key_env=asked.api_key_env,
                api_base=asked.api_base,
                request=asked.request,
                limits=asked.limits,
                pricing=asked.pricing,
            )
    return judges
