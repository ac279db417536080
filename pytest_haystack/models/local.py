"""Real models without a key: where their weights are, and what it takes to serve them."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_haystack.cache import cache_folder
from pytest_haystack.config.local_names import PREFIX_FILE, weights_of
from pytest_haystack.errors import ConfigError

if TYPE_CHECKING:
    from pytest_haystack.config.schema import ModelEntry

#: Tokens of the prompt's frame and of the chat template, at most.
_FRAME = 512
#: A model's own vocabulary may need this many times the tokens of the one that lengths are counted with.
_LEANER = 2
#: Tokens for a model of which only a scorer's short prompts are known.
_UNKNOWN_LENGTH = 2048


def weights_folder() -> Path:
    """The user's folder for fetched weights."""
    return cache_folder("models")


def weights_file(model: str, base_dir: Path) -> Path:
    """The file of a local model, whether or not it is there; paths are relative to ``base_dir``."""
    if model.startswith(PREFIX_FILE):
        return base_dir / Path(model[len(PREFIX_FILE) :]).expanduser()
    return weights_folder() / weights_of(model).file_name


def check_ready(model: str, base_dir: Path) -> None:
    """Raises ConfigError, with the command to run, where the runtime or the weights of a local model are missing."""
    if find_spec("xllamacpp") is None:
        raise ConfigError(f"{model} needs llama.cpp: run `pip install 'pytest-haystack[local]'`")
    file = weights_file(model, base_dir)
    if file.is_file():
        return
    if model.startswith(PREFIX_FILE):
        raise ConfigError(f"{model}: no such file: {file}")
    raise ConfigError(f"the weights of {model} are not here yet: run `pytest-haystack fetch {model}`")


def serving(entry: ModelEntry, base_dir: Path, longest: int | None) -> dict[str, Any]:
    """What the gateway needs to serve the model of an entry: its file and, in tokens, the context for one request.

    ``longest`` is the longest context length that it will be asked about, None where that is unknown.
    """
    limits = (entry.request.get(name) for name in ("max_completion_tokens", "max_tokens"))
    answer = next((limit for limit in limits if isinstance(limit, int)), 0)
    needed = _LEANER * (longest or _UNKNOWN_LENGTH) + answer + _FRAME
    return {"file": str(weights_file(entry.model, base_dir)), "context": entry.context_window or needed}
