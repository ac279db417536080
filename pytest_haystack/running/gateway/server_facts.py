"""What a server of open models tells about itself: its window, and how it counts tokens.

``GET /v1/models`` has ``meta.n_ctx`` (llama.cpp) or ``max_model_len`` (vLLM, SGLang); ``POST /tokenize`` counts
(llama.cpp, vLLM). A server without them is none the worse for being asked once.
"""

from __future__ import annotations

import asyncio
import json
import urllib.request
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pytest_haystack.errors import ModelError
from pytest_haystack.running.gateway.failures import RequestError
from pytest_haystack.running.gateway.provider import Provider
from pytest_haystack.running.gateway.settings import ModelSettings

#: Seconds to wait for an answer that a server has at hand, and for a long prompt to be counted.
_ASK, _COUNT = 5.0, 60.0
_LLAMA = "llamacpp"
#: Providers of litellm that stand for a server with OpenAI's API; others list their models otherwise, or not at all.
_OPENAI_LIKE = ("openai/", "hosted_vllm/", "vllm/", "llamafile/", "lm_studio/", "local/", "local:")


@dataclass(frozen=True, slots=True)
class _Facts:
    """Window in tokens and kind of a server; None is unknown."""

    window: int | None = None
    kind: str | None = None


class ServerFacts:
    """Asks the servers of ``models`` about themselves, each once. Used from one event loop."""

    def __init__(self, models: Mapping[str, ModelSettings], provider: Provider) -> None:
        self._models = models
        self._provider = provider
        self._known: dict[str, asyncio.Task[_Facts]] = {}
        #: Models whose server does not count: it is not sent prompts for that again.
        self._uncounted: set[str] = set()

    async def number(self, model: str, what: str, messages: Sequence[dict[str, str]]) -> int | None:
        """``what`` is ``window``, or ``tokens`` for those of ``messages``; None where the server does not tell.

        Raises ModelError where a local model's server does not come up.
        """
        settings = self._models.get(model)
        if settings is None:
            return None
        if model not in self._known:
            self._known[model] = asyncio.create_task(self._facts(settings))
        try:
            facts = await asyncio.shield(self._known[model])
            if what == "window":
                return facts.window
            if facts.window is None or model in self._uncounted:
                return None
            count = await self._count(settings, facts, messages)
            if count is None:
                self._uncounted.add(model)
            return count
        except RequestError as error:
            self._known.pop(model, None)
            raise ModelError("config_error", f"{settings.id}: {error.message}") from error

    async def _facts(self, settings: ModelSettings) -> _Facts:
        base = await self._provider.api_base(settings)
        if base is None or not base.startswith(("http://", "https://")) or not settings.model.startswith(_OPENAI_LIKE):
            return _Facts()
        listed = await self._ask(settings, f"{base.rstrip('/')}/models", None, _ASK)
        entry = _entry(listed, settings)
        windows = (_mapping(entry.get("meta")).get("n_ctx"), entry.get("max_model_len"))
        window = next((number for number in windows if isinstance(number, int) and number > 0), None)
        kind = entry.get("owned_by")
        return _Facts(window, kind if isinstance(kind, str) else None)

    async def _count(self, settings: ModelSettings, facts: _Facts, messages: Sequence[dict[str, str]]) -> int | None:
        base = await self._provider.api_base(settings)
        root = str(base).rstrip("/").removesuffix("/v1")
        content = "\n".join(message["content"] for message in messages)
        if facts.kind == _LLAMA:
            told = await self._ask(settings, f"{root}/apply-template", {"messages": list(messages)}, _ASK)
            content = told["prompt"] if isinstance(told.get("prompt"), str) else content
        # One body for both: vLLM reads the messages, llama.cpp the content.
        body = {"model": _served_name(settings), "messages": list(messages), "content": content, "add_special": True}
        told = await self._ask(settings, f"{root}/tokenize", body, _COUNT)
        if isinstance(told.get("count"), int):
            return int(told["count"])
        return len(told["tokens"]) if isinstance(told.get("tokens"), list) else None

    async def _ask(self, settings: ModelSettings, url: str, body: Any, seconds: float) -> dict[str, Any]:
        """The JSON object behind a URL; empty where there is none, for whatever reason."""
        keys = self._provider.headers(settings)
        data = None if body is None else json.dumps(body).encode("ascii")

        def read() -> dict[str, Any]:
            request = urllib.request.Request(url, data, {"Content-Type": "application/json"})
            for name, value in keys.items():
                # A server that sends elsewhere does not send its key along.
                request.add_unredirected_header(name, value)
            try:
                with urllib.request.urlopen(request, timeout=seconds) as response:
                    return _mapping(json.load(response))
            except Exception:  # HTTP errors, no JSON, no connection: the request itself will tell what is wrong
                return {}

        return await asyncio.to_thread(read)


def _entry(listed: Mapping[str, Any], settings: ModelSettings) -> Mapping[str, Any]:
    """What a server lists of the model: the entry of its name, or the only one."""
    data = listed.get("data")
    entries = [_mapping(entry) for entry in data] if isinstance(data, list) else []
    name = _served_name(settings)
    named = next((entry for entry in entries if entry.get("id") == name), None)
    return named or (entries[0] if len(entries) == 1 else {})


def _served_name(settings: ModelSettings) -> str:
    """The model's name at its server: what stands behind litellm's name of the provider."""
    return settings.model.partition("/")[2] or settings.model


def _mapping(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
