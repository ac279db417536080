"""From a document and a question to a prompt: presets and templates of one's own."""

from __future__ import annotations

import hashlib
from typing import Any

from jinja2 import StrictUndefined, TemplateError, meta
from jinja2.sandbox import ImmutableSandboxedEnvironment

from pytest_haystack.config.schema import PromptEntry
from pytest_haystack.errors import ConfigError
from pytest_haystack.models.model import Prompt

#: The document comes first and the question last, so that prompts of a sweep share prefixes a provider can cache.
PRESETS = {
    "default": (
        "Read the text between the markers, then answer the question below it from that text alone.\n\n"
        "[text begins]\n{{ document }}\n[text ends]\n\n"
        "Question: {{ question }}\n"
        "Reply with the answer only, without explanation."
    ),
    "unanswerable": (
        "Read the text between the markers, then answer the question below it from that text alone.\n\n"
        "[text begins]\n{{ document }}\n[text ends]\n\n"
        "Question: {{ question }}\n"
        "Reply with the answer only. If the text does not contain it, reply UNANSWERABLE."
    ),
    "close-reading": (
        "You will be asked: {{ question }}\n\n"
        "[text begins]\n{{ document }}\n[text ends]\n\n"
        "First quote the sentence of the text that bears most on the question. "
        "Then give the answer, and only the answer, between <answer> and </answer>.\n"
        "Question: {{ question }}"
    ),
}

_VARIABLES = frozenset({"document", "question", "system"})


class PromptTemplate:
    """A compiled prompt template. Raises ConfigError where the template cannot be used."""

    def __init__(self, entry: PromptEntry) -> None:
        source = entry.template if entry.template is not None else PRESETS[entry.preset or "default"]
        environment: Any = ImmutableSandboxedEnvironment(
            undefined=StrictUndefined, keep_trailing_newline=True, autoescape=False
        )
        try:
            used = meta.find_undeclared_variables(environment.parse(source))
            self._template = environment.from_string(source)
        except TemplateError as error:
            raise ConfigError(f"template: {error}") from None
        for name in sorted(used - _VARIABLES):
            raise ConfigError(f"template: unknown variable {name!r}; known: {', '.join(sorted(_VARIABLES))}")
        for name in sorted({"document", "question"} - used):
            raise ConfigError(f"template: {{{{ {name} }}}} is missing, so the model would never see it")
        self._system, self._prefill = entry.system, entry.prefill
        self._system_in_user = "system" in used
        begun = "" if entry.prefill is None else f"\x00{entry.prefill}"
        #: Hash of the wording: template, system message and where it goes, beginning of the assistant's turn.
        self.sha256 = hashlib.sha256(f"{source}\x00{entry.system}{begun}".encode()).hexdigest()
        # A template that fails whatever the document is told of before anything runs.
        self.render("", "")

    def render(self, document: str, question: str, trial: int = 0) -> Prompt:
        """The prompt that asks ``question`` about ``document``. Raises ConfigError where the template fails."""
        return Prompt(
            self._user(document, question),
            system=None if self._system_in_user else self._system,
            prefill=self._prefill,
            document=document,
            question=question,
            trial=trial,
        )

    def frame(self, question: str) -> str:
        """What all messages say around an empty document. Raises ConfigError where the template fails."""
        system = None if self._system_in_user else self._system
        return "\n".join(part for part in (system, self._user("", question), self._prefill) if part is not None)

    def _user(self, document: str, question: str) -> str:
        try:
            user: str = self._template.render(document=document, question=question, system=self._system or "")
        except (TemplateError, TypeError, ValueError, ArithmeticError, LookupError, AttributeError) as error:
            raise ConfigError(f"template: {type(error).__name__}: {error}") from None
        return user
