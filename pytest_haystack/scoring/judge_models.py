"""Models that judge where the config names none: small ones that keep to YES or NO, by the key they need."""

from __future__ import annotations

from collections.abc import Mapping

from pytest_haystack.models.prices import model_facts

#: Environment variable to models, the preferred one of a provider first; those that the installed litellm does not
#: list (too new for it, or withdrawn) are passed over.
_MODELS: Mapping[str, tuple[str, ...]] = {
    "OPENAI_API_KEY": ("openai/gpt-6-luna", "openai/gpt-5-nano", "openai/gpt-4.1-nano", "openai/gpt-4o-mini"),
    "ANTHROPIC_API_KEY": ("anthropic/claude-haiku-5-5", "anthropic/claude-haiku-4-5"),
    "GEMINI_API_KEY": ("gemini/gemini-2.5-flash-lite", "gemini/gemini-3.1-flash-lite"),
    "MISTRAL_API_KEY": ("mistral/mistral-small-latest",),
    "GROQ_API_KEY": ("groq/openai/gpt-oss-20b", "groq/llama-3.3-70b-versatile"),
    "DEEPSEEK_API_KEY": ("deepseek/deepseek-chat",),
    "COHERE_API_KEY": ("cohere_chat/command-r-08-2024", "cohere/command-r7b-12-2024"),
}
#: Tokens of a verdict: question, rules and a short answer in, one sentence out.
_INPUT, _OUTPUT = 400, 60


def known_keys() -> list[str]:
    """Names of the environment variables that a judge can be chosen by."""
    return list(_MODELS)


def cheapest_with_key(environ: Mapping[str, str]) -> tuple[str, str] | None:
    """The model whose verdict costs least among those with a key, and the key's variable; None without a key."""
    priced = [
        (cost, order, model, key)
        for order, (key, models) in enumerate(_MODELS.items())
        if environ.get(key)
        for model in models
        if (cost := _cost(model)) is not None
    ]
    if not priced:
        return None
    # Of a provider's models only the first that is listed competes: the others stand in for it.
    first: dict[str, tuple[float, int, str, str]] = {}
    for cost, order, model, key in priced:
        first.setdefault(key, (cost, order, model, key))
    _, _, model, key = min(first.values())
    return model, key


def _cost(model: str) -> float | None:
    facts = model_facts(model)
    if facts.input_usd_per_million is None or facts.output_usd_per_million is None:
        return None
    return _INPUT * facts.input_usd_per_million + _OUTPUT * facts.output_usd_per_million
