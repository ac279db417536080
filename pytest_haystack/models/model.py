"""What a prompt, a completion and a model are."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable
from copy import copy
from dataclasses import dataclass, field
from typing import Any, ClassVar

from pytest_haystack.long_text import utf8_sha256


class Prompt(str):
    """What is sent to a model: a plain ``str`` that also knows its parts.

    As text it is the user message; with a system message, or an assistant's turn begun by ``prefill``, it is the JSON
    list of all messages, so that the text's UTF-8 bytes are the whole prompt and ``sha256`` is their hash.
    ``document`` and ``question`` are the parts that a retrieval pipeline under test wants to have apart. ``trial``
    (from 0) tells identical prompts apart. ``cell`` is the id of the cell that asks, where that is known. ``afresh`` is
    True where an answer that was kept from before is of no use. ``shared`` is how many characters of the document are
    haystack text that other prompts of the sweep begin with too: those before its first insert. ``tokens`` is what all
    messages take under the sweep's tokenizer, give or take a few where their parts meet; None is unknown.
    """

    document: str
    question: str
    trial: int
    prefill: str
    afresh: bool = False
    cell: str = ""
    shared: int = 0
    _tokens: int | None = None
    _count: Callable[[], int] | None = None
    #: None where the text is all there is.
    _messages: list[dict[str, str]] | None

    def __new__(
        cls,
        user: str,
        *,
        system: str | None = None,
        prefill: str | None = None,
        document: str = "",
        question: str = "",
        trial: int = 0,
    ) -> Prompt:
        messages = None
        text: str = user
        if system is not None or prefill is not None:
            messages = [{"role": "system", "content": system}] if system is not None else []
            messages.append({"role": "user", "content": str(user)})
            if prefill is not None:
                messages.append({"role": "assistant", "content": prefill})
            text = json.dumps(messages, ensure_ascii=False)
        self = super().__new__(cls, text)
        self._messages, self.document, self.question, self.trial = messages, document, question, trial
        self.prefill = prefill or ""
        return self

    @property
    def tokens(self) -> int | None:
        """Counted when it is first asked for: most models do without."""
        if self._count is not None:
            self._tokens, self._count = self._count(), None
        return self._tokens

    @tokens.setter
    def tokens(self, tokens: int | None) -> None:
        self._tokens, self._count = tokens, None

    def counted_by(self, count: Callable[[], int]) -> None:
        """Tell how `tokens` are counted."""
        self._count = count

    def __getstate__(self) -> dict[str, Any]:
        """A copy, also one for another process, knows the number rather than how to count."""
        return {**self.__dict__, "_tokens": self.tokens, "_count": None}

    @property
    def messages(self) -> list[dict[str, str]]:
        """The messages of a chat, ``role`` and ``content``; a single one is made when it is wanted: it can be long."""
        return [{"role": "user", "content": str(self)}] if self._messages is None else self._messages

    def turn(self, answer: str) -> str:
        """The assistant's whole turn: what was begun, and the answer that goes on with it or repeats it."""
        return answer if answer.lstrip().startswith(self.prefill.strip()) else self.prefill + answer

    def about(self, document: str) -> Prompt:
        """The same question, asked of another text: what a retrieval pipeline found in the document.

        Raises ValueError where this prompt does not know its document.
        """
        if not self.document:
            raise ValueError("this prompt does not know its document, so that no other can take its place")
        messages = [{**one, "content": one["content"].replace(self.document, document)} for one in self.messages]
        by_role = {one["role"]: one["content"] for one in messages}
        other = Prompt(
            by_role["user"],
            system=by_role.get("system"),
            prefill=by_role.get("assistant"),
            document=document,
            question=self.question,
            trial=self.trial,
        )
        other.afresh, other.cell = self.afresh, self.cell
        return other

    def anew(self) -> Prompt:
        """The same prompt, to be asked whatever is kept."""
        other = copy(self)
        other.afresh = True
        return other

    @property
    def contents(self) -> str:
        """What all messages say, without the JSON around them, whose escapes take tokens that no model sees."""
        return "\n".join(message["content"] for message in self.messages)

    @property
    def sha256(self) -> str:
        """Hash of the prompt's UTF-8 bytes; lone surrogates count as their backslash escapes."""
        return utf8_sha256(self, "backslashreplace").hexdigest()


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens as the provider counted them; None is unknown."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    cached_tokens: int | None = None
    reasoning_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class Completion:
    """An answer as it came back.

    ``text`` may be None or hold inline reasoning; ``reasoning`` is what the provider kept apart; ``refusal`` its
    refusal text. ``cost_usd`` in USD and ``latency_seconds`` are None where unknown, never invented.
    ``dropped_parameters`` are names of the entry's ``request`` that the model does not take and that were left out.
    ``from_store`` is True where the answer was not asked for now but kept from before.
    """

    text: str | None
    reasoning: str | None = None
    refusal: str | None = None
    finish_reason: str | None = None
    usage: Usage = field(default_factory=Usage)
    cost_usd: float | None = None
    latency_seconds: float | None = None
    provider_model: str | None = None
    dropped_parameters: tuple[str, ...] = ()
    from_store: bool = False


class Model(ABC):
    """Something that answers prompts. A provider subclasses this and registers under the prefix of its model strings.

    ``entry`` is the `pytest_haystack.config.schema.ModelEntry` of the config.
    """

    #: True where requests leave through the gateway (and may cost money).
    paid: ClassVar[bool] = False
    #: False where an answer costs so little that asking again is as good as keeping it.
    worth_keeping: ClassVar[bool] = True

    def __init__(self, entry: Any) -> None:
        self.entry = entry

    @classmethod  # noqa: B027  (most strings can only be judged by asking)
    def validate(cls, model: str) -> None:
        """Check a model string when the config is read. Raises ConfigError where nothing could answer to it."""

    def context_window(self) -> int | None:
        """Context window in tokens as the model's own server tells it, None where it does not."""
        return None

    def input_tokens(self, prompt: Prompt) -> int | None:
        """Tokens of a prompt as the model's own server counts it, None where that cannot be asked."""
        return None

    @abstractmethod
    def complete(self, prompt: str) -> Completion:
        """Answer a prompt (usually a `Prompt`). Raises ModelError where there is no answer to score."""
