"""Models behind a provider's API: their requests leave through the gateway."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from pytest_haystack.config.local_names import is_local
from pytest_haystack.models.model import Completion, Model, Prompt
from pytest_haystack.models.prompt_cache import sent_messages

if TYPE_CHECKING:
    from pytest_haystack.config.schema import ModelEntry

#: Bytes of UTF-8 that make a token, about: 4.5 in English, 2.5 in Chinese. Low, so that limits are kept.
_BYTES_PER_TOKEN = 3


class Asker(Protocol):
    """What carries a request to the gateway: `pytest_haystack.running.gateway.client.GatewayClient`."""

    def complete(
        self,
        model_id: str,
        messages: Sequence[dict[str, str]],
        request_tokens: int | None,
        trial: int,
        cell: str = "",
        afresh: bool = False,
    ) -> Completion:
        """Answer of the model that the gateway knows by this id. Raises ModelError."""

    def context_window(self, model_id: str) -> int | None:
        """What the model's server says of its window, in tokens. Raises ModelError."""

    def input_tokens(self, model_id: str, messages: Sequence[dict[str, str]]) -> int | None:
        """How many tokens the model's server makes of messages. Raises ModelError."""


class GatewayModel(Model):
    """A litellm model, asked through the gateway.

    ``gateway_id`` is the model's name there (default: the entry's id). Tokens of a prompt that does not know them are
    estimated from its bytes: they serve ``tokens_per_minute`` alone.
    """

    paid: ClassVar[bool] = True

    def __init__(
        self,
        entry: ModelEntry,
        client: Asker,
        gateway_id: str | None = None,
    ) -> None:
        super().__init__(entry)
        self._client = client
        self._gateway_id = gateway_id if gateway_id is not None else entry.id

    def context_window(self) -> int | None:
        """Context window in tokens as a server of one's own tells it, None where it does not."""
        return self._client.context_window(self._gateway_id) if self._has_server() else None

    def input_tokens(self, prompt: Prompt) -> int | None:
        """Tokens of a prompt as a server of one's own counts it, None where that cannot be asked."""
        return self._client.input_tokens(self._gateway_id, prompt.messages) if self._has_server() else None

    def _has_server(self) -> bool:
        return self.entry.api_base is not None or is_local(self.entry.model)

    def complete(self, prompt: str) -> Completion:
        """Answer a prompt. Raises ModelError where there is no answer to score."""
        asked = prompt if isinstance(prompt, Prompt) else Prompt(prompt)
        return self._client.complete(
            self._gateway_id,
            self.request_messages(asked),
            self.request_tokens(asked),
            asked.trial,
            cell=asked.cell,
            afresh=asked.afresh,
        )

    def request_messages(self, prompt: Prompt) -> list[dict[str, Any]]:
        """What goes to the gateway for a prompt."""
        return sent_messages(prompt, self.entry.prompt_cache)

    def request_tokens(self, prompt: Prompt) -> int:
        """What the request counts under ``tokens_per_minute``, about: its input and the longest answer."""
        known = prompt.tokens if prompt.tokens is not None else _estimate(prompt.contents)
        return known + self._longest_answer()

    def _longest_answer(self) -> int:
        request = self.entry.request
        limits = (request.get(name) for name in ("max_completion_tokens", "max_tokens", "max_output_tokens"))
        return next((limit for limit in limits if isinstance(limit, int)), 0)


def _estimate(text: str) -> int:
    return -(-len(text.encode("utf-8", "replace")) // _BYTES_PER_TOKEN)
