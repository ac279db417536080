"""What a prompt is as text, and what its template makes of it."""

from __future__ import annotations

import copy
import json
import pickle
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jinja2 import StrictUndefined
from jinja2.sandbox import ImmutableSandboxedEnvironment

from pytest_haystack.config.schema import ModelEntry, PromptEntry
from pytest_haystack.models.model import Completion, Prompt
from pytest_haystack.models.simulated import SimulatedReader
from pytest_haystack.registry import Registry
from pytest_haystack.running.asking import classified
from pytest_haystack.running.prompts import PRESETS, PromptTemplate
from pytest_haystack.running.sizing import prompt_tokens
from pytest_haystack.running.workbench import load_bench
from pytest_haystack.scoring.outcomes import Outcome
from pytest_haystack.tokens.vocabularies import VOCABULARIES, load_encoding

TEXT = st.text(st.characters(exclude_categories=("Cs",)), max_size=30)
DOCUMENT = "The sky was clear. The code of Vault Kelmar is QR-7749. Nobody saw it."


@settings(max_examples=50, deadline=None)
@given(TEXT, st.none() | TEXT, st.none() | TEXT)
def test_the_text_of_a_prompt_is_the_user_message_or_all_messages(
    user: str, system: str | None, prefill: str | None
) -> None:
    prompt = Prompt(user, system=system, prefill=prefill)
    parts = {"system": system, "user": user, "assistant": prefill}
    messages = [{"role": role, "content": text} for role, text in parts.items() if text is not None]

    assert prompt.messages == messages
    if len(messages) == 1:
        assert prompt == user
    else:
        assert json.loads(prompt) == messages


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("system", [None, "Be brief."])
def test_every_preset_takes_a_prefill_and_it_is_part_of_the_templates_hash(preset: str, system: str | None) -> None:
    bare, begun, other = (
        PromptTemplate(PromptEntry(preset=preset, system=system, prefill=prefill)) for prefill in (None, "So:", "So")
    )
    prompt = begun.render("text", "What?")

    assert prompt.messages[-1] == {"role": "assistant", "content": "So:"}
    assert prompt.messages[:-1] == bare.render("text", "What?").messages
    assert len({bare.sha256, begun.sha256, other.sha256}) == 3


def test_the_turn_is_what_was_begun_and_the_answer_once() -> None:
    prompt = Prompt("?", prefill="The code is ")

    assert prompt.turn("QR-7749") == "The code is QR-7749"
    assert prompt.turn("The code is QR-7749") == "The code is QR-7749"
    assert Prompt("?").turn("  x") == "  x"


@pytest.mark.parametrize(
    ("prefill", "text", "outcome"),
    [
        ("<think>", "thoughts</think>QR-7749", Outcome.answered),
        ("<think>", "thoughts without an end", Outcome.no_final_answer),
        ("<think></think>", "QR-7749", Outcome.answered),
        ("Answer:", "", Outcome.empty),
        ("Answer:", "QR-7749", Outcome.answered),
    ],
)
def test_reasoning_that_the_prompt_opened_is_no_answer(prefill: str, text: str, outcome: Outcome) -> None:
    assert classified(None, None, Prompt("?", prefill=prefill), Completion(text)).outcome == outcome  # type: ignore[arg-type]


def test_the_embedded_reader_answers_as_if_nothing_had_been_begun() -> None:
    reader = SimulatedReader(ModelEntry(id="r", model="simulated/perfect"))
    template = PromptEntry(preset="default", prefill="The code of Vault Kelmar is XX-0000.")
    question = "What is the code of Vault Kelmar?"

    assert reader.complete(PromptTemplate(template).render(DOCUMENT, question)).text == "QR-7749"
    bare = Prompt(f"Question: {question}\n\nThe sky was clear. Nobody saw it.", prefill=template.prefill)
    assert "XX-0000" not in (reader.complete(bare).text or "")


@pytest.mark.parametrize("system", [None, "Be brief."])
@pytest.mark.parametrize("prefill", [None, "So:"])
def test_the_same_question_can_be_asked_of_another_text(system: str | None, prefill: str | None) -> None:
    template = PromptTemplate(PromptEntry(preset="close-reading", system=system, prefill=prefill))
    whole = template.render(DOCUMENT, "What is the code?", trial=3).anew()
    whole.cell = "single-m-len100-depth0"
    part = whole.about("The code is QR-7749.")

    assert part.messages == template.render("The code is QR-7749.", "What is the code?").messages
    assert (part.document, part.question, part.trial) == ("The code is QR-7749.", "What is the code?", 3)
    assert (part.afresh, part.cell, part.prefill) == (True, "single-m-len100-depth0", prefill or "")


def test_a_prompt_that_does_not_know_its_document_says_so() -> None:
    with pytest.raises(ValueError, match="does not know its document"):
        Prompt("What?").about("a text")


#: Templates that only insert, and templates that do more; what each renders to is jinja2's business.
TEMPLATES = (
    "{{ document }}\n\nQ: {{ question }}",
    "{{system}}{{- document -}}\r\n  {{ question }}\n",
    "{# a remark #}Asked: {{ question }} of {{ document }}, once more: {{ question }}",
    "{% raw %}{{ document }}{% endraw %}{{ document }}{{ question }}",
    "{{ document | upper }} {{ question }}",
    "{% if question %}{{ document }}{% endif %}? {{ question }}",
    "{{ document }}{{ question ~ '!' }}",
    "{{ document[:3] }}{{ question }}{{ document }}",
)


@pytest.mark.parametrize("template", TEMPLATES)
@settings(max_examples=50, deadline=None)
@given(document=TEXT, question=TEXT, system=st.none() | TEXT)
def test_a_template_says_what_jinja_makes_of_it(
    template: str, document: str, question: str, system: str | None
) -> None:
    made = PromptTemplate(PromptEntry(template=template, system=system))
    rendered = (
        ImmutableSandboxedEnvironment(undefined=StrictUndefined, keep_trailing_newline=True)
        .from_string(template)
        .render(document=document, question=question, system=system or "")
    )

    assert made.render(document, question).messages[-1]["content"] == rendered


@pytest.mark.parametrize("template", [*TEMPLATES, *PRESETS.values()])
@pytest.mark.parametrize("vocabulary", VOCABULARIES)
@settings(max_examples=30, deadline=None)
@given(
    question=TEXT | st.sampled_from(["", " ", "What is it?", " of  the 12", "\x00", "它是什么？"]),
    system=st.none() | TEXT,
)
def test_the_frame_has_as_many_tokens_as_when_it_is_counted_whole(
    template: str, vocabulary: str, question: str, system: str | None
) -> None:
    encoding = load_encoding(vocabulary)
    made = PromptTemplate(PromptEntry(template=template, system=system, prefill="So: "))

    for _ in range(2):
        assert made.frame_tokens(question, encoding) == encoding.count(made.frame(question))


@pytest.mark.parametrize(
    "template",
    [
        "{{ document }}\n{{ question }}",
        "{{ document }}\n{{ question }}\nRead it again:\n{{ document }}\n{{ question }}",
        "{% if question %}{{ document }}\n{% endif %}{{ question }}\n{{ document }}",
        "{{ document | upper }}\n{{ question }}",
        "{{ document[:100] }}\n{{ question }}",
    ],
)
def test_a_prompt_knows_its_tokens_however_often_it_holds_the_document(tmp_path: Path, template: str) -> None:
    config = {
        "models": [{"id": "m", "model": "simulated/perfect"}],
        "haystack": {"source": "synthetic"},
        "sweep": {"context_lengths": [2000], "depth_percents": [50]},
        "prompt": {"template": template},
        "tasks": ["single"],
    }
    (tmp_path / "haystack.yaml").write_text(json.dumps(config))
    bench = load_bench(tmp_path / "haystack.yaml", Registry())

    prompt = bench.material(bench.cells[0]).prompt

    assert prompt.tokens == pytest.approx(bench.encoding.count(prompt.contents), abs=4)
    if "upper" not in template and "100" not in template:
        assert prompt_tokens(bench, bench.cells[0]) == pytest.approx(prompt.tokens, abs=4)


def test_a_copy_of_a_prompt_knows_its_tokens_and_they_can_be_told() -> None:
    prompt = Prompt("What?")
    assert prompt.tokens is None
    prompt.counted_by(lambda: 7)

    for other in (copy.copy(prompt), copy.deepcopy(prompt), pickle.loads(pickle.dumps(prompt)), prompt.anew()):
        assert (other, other.tokens) == (prompt, 7)

    prompt.tokens = 8
    assert prompt.tokens == 8
