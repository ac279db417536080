"""``python:module:callable``: a function of one's own as the model, such as a retrieval pipeline."""

from __future__ import annotations

import inspect
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_haystack.errors import ConfigError, ModelError
from pytest_haystack.models.event_loop import EventLoop
from pytest_haystack.models.model import Completion, Model, Prompt
from pytest_haystack.models.raised import told
from pytest_haystack.models.redaction import Redactor

if TYPE_CHECKING:
    from pytest_haystack.config.schema import ModelEntry


class PythonCallable(Model):
    """Calls a function with the `Prompt` and takes what it returns, a ``str`` or a `Completion`, as the answer.

    The module is imported when the first prompt comes, from ``sys.path`` and the working directory. A coroutine
    function runs in an event loop that stays the same from call to call, so that it may keep its HTTP client.
    """

    def __init__(self, entry: ModelEntry) -> None:
        super().__init__(entry)
        self._function: Callable[[Prompt], Any] | None = None
        self._loop: EventLoop | None = None

    @classmethod
    def validate(cls, model: str) -> None:
        """Raises ConfigError where the string does not name a module and something in it."""
        _, *parts = model.split(":")
        if len(parts) != 2 or not all(parts):
            raise ConfigError(f"{model}: write python:module:callable, e.g. python:my_rag:answer")

    def complete(self, prompt: str) -> Completion:
        """Answer a prompt. Raises ModelError: ``config_error`` where the function cannot be had or returns
        something else, ``infra_error`` with the place in the source where it raised.
        """
        function = self._function = self._function or self._find()
        asked = prompt if isinstance(prompt, Prompt) else Prompt(prompt)
        started = time.perf_counter()
        try:
            answer = function(asked)
            if not isinstance(answer, (str, Completion)) and inspect.isawaitable(answer):
                self._loop = self._loop or EventLoop()
                answer = self._loop.run(answer)
        except (ModelError, pytest.exit.Exception):  # the latter ends the whole run
            raise
        except Exception as error:
            raise ModelError("infra_error", Redactor()(f"{self.entry.model}: {told(error)}")) from error
        return self._completion(answer, time.perf_counter() - started)

    def _completion(self, answer: Any, latency_seconds: float) -> Completion:
        if isinstance(answer, str):
            return Completion(str(answer), latency_seconds=latency_seconds)
        if not isinstance(answer, Completion):
            raise ModelError(
                "config_error",
                f"{self.entry.model} returned {type(answer).__name__}; let it return a str or a Completion "
                "(pytest_haystack.models.model)",
            )
        completion: Completion = answer
        if completion.latency_seconds is None:
            completion = replace(completion, latency_seconds=latency_seconds)
        return completion

    def _find(self) -> Callable[[Prompt], Any]:
        spec = self.entry.model
        try:
            self.validate(spec)
        except ConfigError as error:
            raise ModelError("config_error", str(error)) from None
        _, module_name, attribute = spec.split(":")
        module = _import(spec, module_name)
        found: Any = module
        for name in attribute.split("."):
            if not hasattr(found, name):
                where = getattr(module, "__file__", None) or module_name
                raise ModelError("config_error", f"{spec}: {attribute!r} is not in {where}; define it there")
            found = getattr(found, name)
        if not callable(found):
            raise ModelError(
                "config_error",
                f"{spec}: {attribute!r} is a {type(found).__name__}, not callable; name a function",
            )
        function: Callable[[Prompt], Any] = found
        return function


def _import(spec: str, module_name: str) -> Any:
    here = str(Path.cwd())
    if here not in sys.path:
        # Last, so that no file there hides a library; kept, for what the function itself imports later.
        sys.path.append(here)
    try:
        return import_module(module_name)
    except ModuleNotFoundError as error:
        missing = error.name or module_name
        if module_name == missing or module_name.startswith(f"{missing}."):
            problem = f"no module {missing!r} in {here} or on sys.path; set pytest's `pythonpath` or install it"
        else:
            problem = f"importing it needs {missing!r}, which is not installed"
        raise ModelError("config_error", f"{spec}: {problem}") from error
    except Exception as error:
        raise ModelError("config_error", Redactor()(f"{spec}: importing it raised {told(error)}")) from error
