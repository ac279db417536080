"""The way out: litellm, imported once and only when a request really leaves."""

from __future__ import annotations

import asyncio
import re
import threading
import time
from collections.abc import Iterable, Mapping, MutableMapping, Sequence
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

from pytest_haystack.models.model import Completion, Usage
from pytest_haystack.models.prices import model_facts
from pytest_haystack.models.prompt_cache import with_breakpoints
from pytest_haystack.running.gateway.answers import completion_of
from pytest_haystack.running.gateway.credentials import key_from, without_user
from pytest_haystack.running.gateway.failures import RequestError, request_error
from pytest_haystack.running.gateway.hiding import without_keys
from pytest_haystack.running.gateway.local_server import KEY_VARIABLE, LocalServers
from pytest_haystack.running.gateway.redirects import stay_with_the_server
from pytest_haystack.running.gateway.settings import ModelSettings
from pytest_haystack.running.gateway.unheard import leave_out

#: No call home, no `.env` of the working directory, no advertising in error messages. A user's own values win.
ENVIRONMENT = {
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    "LITELLM_OFFLINE_MODE": "true",
    "LITELLM_MODE": "PRODUCTION",
    "LITELLM_LOG": "CRITICAL",
    "LITELLM_SUPPRESS_STARTUP_OUTPUT": "true",
    "LITELLM_DISABLE_BUG_REPORT_LINK": "true",
}
#: Sent to a server of one's own that wants no key, because the client library insists on one.
_NO_KEY = "not-needed"
#: Providers whose API takes a last message of the assistant's as finished unless it says ``prefix``.
_WANT_PREFIX = ("mistral/", "codestral/", "deepseek/")
#: Seconds that litellm's own timeout comes after ours, so that ours is the one that counts.
_LATER = 10.0


class Provider:
    """Asks models through litellm. ``environment`` is this process's own: it holds the keys, and litellm reads it.

    ``models`` are those that it may be asked for; local ones among them it serves itself.
    """

    def __init__(self, environment: MutableMapping[str, str], models: Iterable[ModelSettings] = ()) -> None:
        self._environment = environment
        self._local = LocalServers(models, environment)
        self._litellm: asyncio.Future[Any] | None = None
        #: Request parameters that a model does not take, by the model's id.
        self._dropped: dict[str, tuple[str, ...]] = {}

    def warm(self) -> asyncio.Future[Any]:
        """Import litellm in a thread of its own, if that has not begun; the future gives the module."""
        if self._litellm is None:
            self._litellm = asyncio.get_running_loop().create_future()
            threading.Thread(target=self._import, args=(self._litellm,), daemon=True).start()
        return self._litellm

    async def complete(
        self, settings: ModelSettings, messages: Sequence[dict[str, str]], seconds: float | None = None
    ) -> Completion:
        """One try, of so many seconds where less than the entry's timeout is left. Raises RequestError."""
        timeout, limit = settings.timeout, "limits.timeout"
        if seconds is not None and seconds < timeout:
            timeout, limit = seconds, "limits.deadline"
        request = self._request(settings, messages)
        loading = asyncio.shield(self.warm())
        if settings.local_file is not None:
            # While litellm is imported, which takes longer.
            request["api_base"] = await self.api_base(settings)
        litellm = await loading
        while True:
            raw: list[str] = []
            started = time.perf_counter()
            try:
                response = await asyncio.wait_for(
                    litellm.acompletion(**request, logger_fn=lambda event, raw=raw: _keep_raw(event, raw)),
                    timeout,
                )
            except asyncio.TimeoutError:
                words = f"no answer within {timeout:.3g} s ({limit})"
                raise RequestError(words, status=408, code="timeout") from None
            except Exception as error:
                name = _unsupported(error, settings, request)
                if name is None:
                    raise request_error(error, settings.model) from error
                # Nothing was sent yet: litellm knows what the model takes.
                del request[name]
                dropped = self._dropped.get(settings.id, ())
                if name not in dropped:  # another request may have met it at the same time
                    self._dropped[settings.id] = (*dropped, name)
                continue
            latency = time.perf_counter() - started
            completion = without_keys(completion_of(response, raw[-1] if raw else None), settings, self._environment)
            return replace(
                completion,
                cost_usd=_cost(litellm, settings, response, completion.usage),
                latency_seconds=latency,
                dropped_parameters=self._dropped.get(settings.id, ()),
            )

    async def api_base(self, settings: ModelSettings) -> str | None:
        """Address of a model's server where it is not its provider's own. Raises RequestError."""
        if settings.local_file is None:
            return settings.api_base and without_user(settings.api_base)[0]
        return await asyncio.to_thread(self._local.api_base, settings.local_file)

    def close(self) -> None:
        """End the servers of local models."""
        self._local.close()

    def headers(self, settings: ModelSettings) -> dict[str, str]:
        """Headers that a model's server lets a request in by. Raises RequestError where a variable is not set."""
        key = self._key(settings)
        bearer = {"Authorization": f"Bearer {key}"} if key else {}
        return {**bearer, **_user_of(settings), **headers_of(settings, self._environment)}

    def _request(self, settings: ModelSettings, messages: Sequence[dict[str, str]]) -> dict[str, Any]:
        if settings.request.get("stream"):
            raise RequestError("request.stream: answers are read whole; remove it", code="unusable_entry")
        dropped = self._dropped.get(settings.id, ())
        request = {name: value for name, value in settings.request.items() if name not in dropped}
        request.update(
            model=settings.model if settings.local_file is None else f"openai/{Path(settings.local_file).stem}",
            messages=with_breakpoints(_continued(messages, settings.model)),
            timeout=settings.timeout + _LATER,
            max_retries=0,
            num_retries=0,
        )
        if settings.api_base is not None:
            request["api_base"] = without_user(settings.api_base)[0]
        key = self._key(settings)
        if key is not None:
            request["api_key"] = key
        headers = {**_user_of(settings), **headers_of(settings, self._environment)}
        if headers:
            request["extra_headers"] = {**(request.get("extra_headers") or {}), **headers}
        return request

    def _key(self, settings: ModelSettings) -> str | None:
        if settings.local_file is not None:
            return self._environment[KEY_VARIABLE]
        name = settings.api_key_env
        if name is not None:
            return key_from(self._environment, name, "api_key_env")
        if settings.api_base is not None and settings.model.startswith("openai/"):
            # A key that happens to be in OPENAI_API_KEY is OpenAI's: it goes to no other server unasked.
            return _NO_KEY
        return None

    def _import(self, done: asyncio.Future[Any]) -> None:
        loop = done.get_loop()
        try:
            for name, value in ENVIRONMENT.items():
                self._environment.setdefault(name, value)
            litellm: Any = import_module("litellm")
            litellm.telemetry = False
            litellm.suppress_debug_info = True
            stay_with_the_server()
            leave_out(litellm)
        except BaseException as error:
            words = f"litellm cannot be imported: {type(error).__name__}: {error}; install it anew"
            loop.call_soon_threadsafe(done.set_exception, RequestError(words, code="broken_install"))
        else:
            loop.call_soon_threadsafe(done.set_result, litellm)


def headers_of(settings: ModelSettings, environment: Mapping[str, str]) -> dict[str, str]:
    """The headers that ``headers_env`` asks for. Raises RequestError where a variable is not set or fits in none."""
    return {
        header: key_from(environment, name, f"headers_env.{header}") for header, name in settings.headers_env.items()
    }


def _user_of(settings: ModelSettings) -> dict[str, str]:
    """The header for user and password in the address, where they are."""
    return without_user(settings.api_base)[1] if settings.api_base else {}


def _continued(messages: Sequence[dict[str, str]], model: str) -> list[dict[str, Any]]:
    """The messages, with a last one of the assistant's marked where a provider goes on with it only when told to."""
    last: dict[str, Any] = messages[-1]
    if last["role"] == "assistant" and model.startswith(_WANT_PREFIX):
        last = {**last, "prefix": True}
    return [*messages[:-1], last]


def _keep_raw(event: Any, raw: list[str]) -> None:
    """Keep the provider's own answer. litellm tells of several events, and of some with a coroutine in its place."""
    answer = event.get("original_response") if isinstance(event, dict) else None
    if isinstance(answer, str):
        raw.append(answer)


def _unsupported(error: Exception, settings: ModelSettings, request: dict[str, Any]) -> str | None:
    """The parameter that litellm refuses to send to this model, None where the error is another one."""
    if type(error).__name__ != "UnsupportedParamsError" or settings.request.get("drop_params") is False:
        return None
    words = str(error)
    places = {
        name: found.start()
        for name in settings.request
        if name in request and (found := re.search(rf"(?<![\w.]){re.escape(name)}(?!\w)", words))
    }
    # The first that is named is the one refused; later ones explain when it would be taken.
    return min(places, key=places.__getitem__, default=None)


def _cost(litellm: Any, settings: ModelSettings, response: Any, usage: Usage) -> float | None:
    """USD by the entry's pricing, else by litellm's price map; None where either price or tokens are unknown."""
    if usage.input_tokens is None or usage.output_tokens is None:
        return None
    if settings.local_file is not None and settings.input_price is None:
        return 0.0
    if settings.input_price is not None and settings.output_price is not None:
        return (usage.input_tokens * settings.input_price + usage.output_tokens * settings.output_price) / 1e6
    hidden = getattr(response, "_hidden_params", None) or {}
    try:
        # Adding it up again would take a tenth of the gateway's time.
        cost = (
            hidden["response_cost"]
            if "response_cost" in hidden
            else litellm.completion_cost(completion_response=response, model=settings.model)
        )
    except Exception:  # it raises whatever it meets for a model that it does not know
        return None
    if not isinstance(cost, int | float):
        return None
    if not cost and model_facts(settings.model).input_usd_per_million is None:
        return None  # listed without a price, which litellm adds up to zero
    return float(cost)
