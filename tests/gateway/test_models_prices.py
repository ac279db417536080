"""Windows and prices from litellm's map."""

from __future__ import annotations

import subprocess
import sys

import pytest

from pytest_haystack.models.prices import ModelFacts, model_facts


@pytest.mark.parametrize("model", ["gpt-4o-mini", "openai/gpt-4o-mini"])
def test_a_listed_model_is_found_with_and_without_its_provider(model: str) -> None:
    assert model_facts(model) == ModelFacts(128_000, 0.15, 0.6, 16_384)


@pytest.mark.parametrize(
    "model",
    [
        "openai/a-model-of-my-own",
        "sample_spec",
        "simulated/perfect",
        "python:my_rag:answer",
        "",
        "openai/",
        # The same name at another provider is another offer.
        "hosted_vllm/gpt-4o-mini",
        "openai/claude-sonnet-4-5",
    ],
)
def test_what_is_not_listed_is_unknown(model: str) -> None:
    assert model_facts(model) == ModelFacts(None, None, None)


def test_the_window_is_that_of_the_input() -> None:
    facts = model_facts("anthropic/claude-sonnet-4-5")

    assert facts.context_window == 200_000
    assert facts.output_usd_per_million == 15


def test_litellm_is_not_imported_for_it() -> None:
    code = (
        "import sys\n"
        "from pytest_haystack.models.prices import model_facts\n"
        "assert model_facts('gpt-4o-mini').context_window\n"
        "print([name for name in sys.modules if name.split('.')[0] in ('litellm', 'openai', 'pydantic')])"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert out.stdout.strip() == "[]"
