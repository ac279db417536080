"""From a document and a question to a prompt: presets and templates of one's own."""

from __future__ import annotations

import hashlib
from typing import Any

from jinja2 import StrictUndefined, TemplateError, meta, nodes
from jinja2.sandbox import ImmutableSandboxedEnvironment

from pytest_haystack.config.schema import PromptEntry
from pytest_haystack.errors import ConfigError
from pytest_haystack.models.model import Prompt
from pytest_haystack.tokens.encoding import Encoding

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

#: Stands for a question, or for a document.
_MARK = "\x00"
_VARIABLES = frozenset({"document", "question", "system"})


class PromptTemplate:
    """A compiled prompt template. Raises ConfigError where the template cannot be used."""

    def __init__(self, entry: PromptEntry) -> None:
        source = entry.template if entry.template is not None else PRESETS[entry.preset or "default"]
        environment: Any = ImmutableSandboxedEnvironment(
            undefined=StrictUndefined, keep_trailing_newline=True, autoescape=False
        )
        try:
            parsed = environment.parse(source)
            used = meta.find_undeclared_variables(parsed)
            self._template = environment.from_string(source)
        except TemplateError as error:
            raise ConfigError(f"template: {error}") from None
        for name in sorted(used - _VARIABLES):
            raise ConfigError(f"template: unknown variable {name!r}; known: {', '.join(sorted(_VARIABLES))}")
        for name in sorted({"document", "question"} - used):
            raise ConfigError(f"template: {{{{ {name} }}}} is missing, so the model would never see it")
        self._pieces = _pieces(parsed)
        self._system, self._prefill = entry.system, entry.prefill
        self._system_in_user = "system" in used
        begun = "" if entry.prefill is None else f"\x00{entry.prefill}"
        #: Hash of the wording: template, system message and where it goes, beginning of the assistant's turn.
        self.sha256 = hashlib.sha256(f"{source}\x00{entry.system}{begun}".encode()).hexdigest()
        #: How often it holds the document, as far as that can be told from a short one.
        self.documents = self._user(_MARK, "?").count(_MARK)
        #: True where it does more than insert, so that some other document may fare otherwise.
        self.computes = self._pieces is None
        sides = self.frame(_MARK).split(_MARK) if self._pieces is not None else []
        self._beside: dict[Encoding, tuple[str, str, int]] = {}
        #: What the frame says before and after the question, None where that cannot be told.
        self._sides = (sides[0], sides[1]) if len(sides) == 2 else None
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

    def frame_tokens(self, question: str, encoding: Encoding) -> int:
        """Tokens of `frame`. Where counts add up around the question, no more than it is counted each time."""
        if self._sides is None:
            return encoding.count(self.frame(question))
        if encoding not in self._beside:
            self._beside[encoding] = _beside(*self._sides, encoding)
        before, after, further = self._beside[encoding]
        return further + encoding.count(before + question + after)

    def _user(self, document: str, question: str) -> str:
        if self._pieces is not None:
            values = {"document": document, "question": question, "system": self._system or ""}
            return "".join(values[piece] if inserted else piece for piece, inserted in self._pieces)
        try:
            user: str = self._template.render(document=document, question=question, system=self._system or "")
        except (TemplateError, TypeError, ValueError, ArithmeticError, LookupError, AttributeError) as error:
            raise ConfigError(f"template: {type(error).__name__}: {error}") from None
        return user


def _beside(before: str, after: str, encoding: Encoding) -> tuple[str, str, int]:
    """What is counted together with what stands between these texts, and the tokens of all that is further away."""
    first, point = 0, encoding.next_safe_point(before, 1) if before else None
    while point is not None:
        first, point = point, encoding.next_safe_point(before, point + 1)
    last = (encoding.next_safe_point(after, 1) if after else None) or len(after)
    return before[first:], after[:last], encoding.count(before[:first]) + encoding.count(after[last:])


def _pieces(template: nodes.Template) -> list[tuple[str, bool]] | None:
    """What a template that does nothing but insert its variables is made of: texts, and names (True) of variables.

    Joining them is what such a template renders to, in a tenth of the time. None for every other template.
    """
    pieces = []
    for part in template.body:
        for node in part.nodes if isinstance(part, nodes.Output) else [part]:
            if isinstance(node, nodes.TemplateData):
                pieces.append((node.data, False))
            elif isinstance(node, nodes.Name) and node.name in _VARIABLES:
                pieces.append((node.name, True))
            else:
                return None
    return pieces
