"""The haystack.yaml that ``pytest-haystack init`` writes."""

from __future__ import annotations

_STARTER = """\
# A sweep that hides facts in long texts and asks a model for them, run as tests:
#
#     pytest --haystack-config haystack.yaml
#
# It runs as it is: the model below is a reader that comes with the package and needs no key and no network.
name: first-sweep

models:
  # Reads everything, but nothing in the middle of long texts.
  - id: reader
    model: simulated/lost-in-the-middle

  # A real model: any model string of litellm. The key stays in the environment.
  # - id: gpt-4o-mini
  #   model: openai/gpt-4o-mini
  #   api_key_env: OPENAI_API_KEY
  #   request: {temperature: 0, max_tokens: 64}
  #   limits: {requests_per_minute: 500, tokens_per_minute: 200000}

  # A model of your own that speaks the API of OpenAI:
  # - id: local
  #   model: openai/my-model
  #   api_base: http://127.0.0.1:8000/v1

  # Your own pipeline, as a function from prompt to answer:
  # - {id: my-rag, model: "python:my_package.rag:answer"}

# The text that the facts are hidden in. Your own: {source: files, path: texts/}
haystack: {source: essays}

# Counts the tokens of context_lengths: cl100k_base, o200k_base or p50k_base.
tokenizer: cl100k_base

sweep:
  context_lengths: [1000, 2000, 4000, 8000] # tokens
  # Percent of the document in front of the fact. The sigmoid scale looks closer at both ends.
  depth_percents: {min: 0, max: 100, num: 11, scale: sigmoid}
  trials: 1 # facts for each cell; more trials, less chance
  seed: 42

tasks:
  # One fact, one question.
  - single
  # Five facts all over the document, one question for all of them. Their places do not depend on the depth, so
  # there is one cell for each length.
  - {id: multi, type: multi, needles: 5, placement: uniform}

# Least mean score of a cell. A model or task may have its own.
threshold: 1.0

# Cells that are known to fail. They are reported as expected failures (xfail) and do not fail the run.
known_failures:
  - model: reader
    context_lengths: {min: 4000}
    depth_percents: {min: 30, max: 70}
    reason: loses the middle of long texts

# What must hold of all answers together. A gate that fails fails the run.
gates:
  - {metric: effective_context_length, by: [model], min: 2000}

# Where reports go, seen from the folder that pytest is started in.
report: {dir: haystack-report}
"""


def starter_config() -> str:
    """A commented config that runs as it is, ends with passed and expected failures, and shows what to change."""
    return _STARTER
