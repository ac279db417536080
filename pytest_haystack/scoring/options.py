"""Options of scorers: how a scorer says which it takes, and what they may ask of the machine."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from pytest_haystack.config.parts import Text
from pytest_haystack.config.schema import Limits, Pricing
from pytest_haystack.scoring.score import Scorer


class ScorerOptions(BaseModel):
    """Options that stand beside a scorer's name; a scorer with options subclasses this and is marked by `takes`."""

    model_config = ConfigDict(extra="forbid", frozen=True, protected_namespaces=(), allow_inf_nan=False)

    def asks(self) -> AskedModel | None:
        """The model that the scorer asks, None where it asks none. Its requests leave as those of a sweep do."""
        return None


class AskedModel(ScorerOptions):
    """A model that a scorer asks, with the keys that a model under test has in the config."""

    model: Text | None = Field(None, description="A litellm model string, simulated/PROFILE or python:MODULE:CALLABLE.")
    api_key_env: str | None = Field(
        None,
        pattern=r"^[A-Za-z_][A-Za-z0-9_]*$",
        description="Name of the environment variable that holds the key; never the key.",
    )
    api_base: str | None = Field(None, description="Address of the API, where it is not the provider's own.")
    request: dict[str, Any] = Field(default_factory=dict, description="Request parameters, forwarded as they are.")
    limits: Limits = Field(default_factory=Limits, description="What the provider may be asked at once.")
    pricing: Pricing | None = Field(None, description="USD per million tokens; default: what is known of the model.")


def takes(options_model: type[ScorerOptions]) -> Callable[[Scorer], Scorer]:
    """Mark a scorer with the model of its options.

    They are checked when a config is read, and reach the scorer complete, as ``reference.options``. Options of a
    scorer of one's own without this mark are passed on unchecked.
    """

    def mark(scorer: Scorer) -> Scorer:
        scorer.options_model = options_model  # type: ignore[attr-defined]  # functions carry added attributes
        return scorer

    return mark


def missing_extra(scorer: str, module: str, extra: str) -> str | None:
    """What to install for a scorer whose module is absent; None where it is there."""
    if find_spec(module) is not None:
        return None
    return f"scorer {scorer!r} needs a package that is not installed: pip install 'pytest-haystack[{extra}]'"
