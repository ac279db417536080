"""Before a request is sent: whether its prompt can fit into the model's window at all."""

from __future__ import annotations

from typing import Any

from pytest_haystack.errors import ModelError
from pytest_haystack.models.model import Model, Prompt
from pytest_haystack.running.sizing import context_window, tokens_of
from pytest_haystack.running.workbench import Workbench
from pytest_haystack.sweep import Cell

#: Tokens that the prompt's parts may count more together than apart, which ``reserve: auto`` goes by.
_SEAMS = 8


def refuse_overflow(bench: Workbench, cell: Cell, prompt: Prompt, model: Any) -> None:
    """Raise ModelError (``context_overflow``) where the prompt exceeds the window.

    The window is the config's, else litellm's figure, else what the model's server tells. The prompt is counted by
    the server where it can do that, else estimated from our count and the provider's counts so far.
    """
    window = context_window(bench, cell.model)
    own = model if isinstance(model, Model) else None
    if window is not None and cell.context_length > window:
        raise _overflow(f"{cell.context_length:,} tokens exceed", window)
    if window is None and own is not None:
        window = own.context_window()
    # A token is a byte at least.
    if window is None or len(prompt.encode("utf-8", "replace")) <= window:
        return
    counted = own.input_tokens(prompt) if own is not None else None
    if counted is not None:
        if counted > window:
            raise _overflow(f"the prompt's {counted:,} tokens, as its server counts them, exceed", window)
        return
    ours = tokens_of(bench, prompt)
    ratio = bench.ratios.of(cell.model, cell.task)
    estimate = ratio.estimate(ours)
    if estimate > window + _SEAMS:
        words = f"the prompt's {ours:,} tokens"
        if ratio.longest is not None:
            words += f", about {estimate:,} as the provider has counted so far,"
        raise _overflow(f"{words} exceed", window)


def surely_fits(bench: Workbench, cell: Cell, prompt: Prompt, model: Model) -> bool:
    """True where the prompt fits into the window however its tokens are counted, or no window is known."""
    window = context_window(bench, cell.model) or model.context_window()
    return window is None or len(prompt.encode("utf-8", "replace")) <= window


def _overflow(words: str, window: int) -> ModelError:
    return ModelError("context_overflow", f"{words} the model's window of {window:,}")
