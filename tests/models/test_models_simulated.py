"""The embedded reader: right wherever its profile lets it look, and honest where it does not."""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_haystack.errors import ConfigError
from pytest_haystack.haystacks.synthetic import Synthetic, SyntheticOptions
from pytest_haystack.models.model import Completion, Prompt
from pytest_haystack.models.simulated import NOT_FOUND, PROFILES, SimulatedReader, count_tokens
from pytest_haystack.needles.needle import Needle
from pytest_haystack.registry import Registry
from pytest_haystack.tasks.task import Ask, TrialContext
from pytest_haystack.tokens.vocabularies import load_encoding


@cache
def filler(tokens: int) -> str:
    """Synthetic text of about this many tokens."""
    return Synthetic(SyntheticOptions(seed=9), Path()).read(int(tokens * 4.6))


@cache
def reader(profile: str) -> SimulatedReader:
    return SimulatedReader(SimpleNamespace(model=f"simulated/{profile}"))


def hide(text: str, needles: Sequence[Needle]) -> str:
    """The text with each needle at the space nearest to its depth, in characters."""
    spaces = [i for i, character in enumerate(text) if character == " "]
    for needle in sorted(needles, key=lambda needle: -(needle.depth_percent or 0)):
        wanted = len(text) * (needle.depth_percent or 0) / 100
        place = min([0, *spaces, len(text)], key=lambda i: abs(i - wanted))
        text = f"{text[:place].rstrip()} {needle.statement} {text[place:].lstrip()}".strip()
        spaces = [i for i in spaces if i < place]
    return text


def material(task: str, tokens: int, depth: float, seed: int, options: dict[str, Any] | None = None) -> tuple[str, Ask]:
    cls = Registry().tasks[task]
    made = cls(cls.options_model.model_validate(options or {}))
    context = TrialContext(tokens, depth, 0, random.Random(seed), filler(tokens), tokens, len)
    needles = made.needles(context)
    hidden = [needle for needle in needles if needle.role != "absent"]
    return hide(filler(tokens), hidden), made.ask(needles, context)


def prompt_of(document: str, question: str) -> Prompt:
    user = f"Read this.\n\n[text begins]\n{document}\n[text ends]\n\nQuestion: {question}\nReply with the answer only."
    return Prompt(user, document=document, question=question)


def ask(profile: str, tokens: int, depth: float, seed: int = 1) -> str | None:
    document, asked = material("single", tokens, depth, seed)
    said = reader(profile).complete(prompt_of(document, asked.question)).text
    assert said in (asked.expected, NOT_FOUND)
    return said


FRAMES = [
    lambda document, question: prompt_of(document, question),
    lambda document, question: f"{document}\n\n{question}",
    lambda document, question: f"{document} {question}",
    lambda document, question: f"You will be asked: {question}\n\n{document}",
    lambda document, question: f"You will be asked: {question}\n\n{document}\n\nQuestion: {question}",
    lambda document, question: Prompt(
        f'<text>\n{document}\n</text>\n"{question}"', system="Be short.", document=document, question=question
    ),
]


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize(
    ("task", "options"),
    [
        ("single", {}),
        ("single", {"value": {"type": "int"}}),
        ("single", {"value": {"type": "float", "min": -9, "max": 9}}),
        ("multi", {}),
        ("multi", {"needles": 20, "placement": "random", "value": {"type": "int"}}),
        ("uuid", {}),
        ("uuid_chain", {"chain_length": 1}),
        ("counting", {}),
        ("distractor", {}),
        ("distractor", {"distance": "spread", "value": {"type": "int"}}),
    ],
)
@settings(max_examples=12, deadline=None)
@given(
    seed=st.integers(0, 2**32),
    depth=st.sampled_from([0.0, 100.0]) | st.floats(0, 100),
    tokens=st.sampled_from([300, 1_000, 5_000]),
)
def test_the_perfect_reader_is_right_at_every_depth_and_length(
    frame: Any, task: str, options: dict[str, Any], seed: int, depth: float, tokens: int
) -> None:
    document, asked = material(task, tokens, depth, seed, options)
    expected = asked.expected if isinstance(asked.expected, tuple) else (asked.expected,)

    said = reader("perfect").complete(frame(document, asked.question)).text

    assert said == ", ".join(map(str, expected))


def test_half_of_a_value_passes_for_no_part_of_a_name() -> None:
    # The decoy Joband-33 comes first, and its value begins like the suffix of Joband-35.
    said = "The licence of Joband-33 is VT-3566. The licence of Joband-35 is FH-7490."

    assert reader("perfect").complete(prompt_of(said, "What is the licence of Joband-35?")).text == "FH-7490"


@pytest.mark.parametrize("task", ["single", "multi", "uuid"])
def test_the_perfect_reader_is_right_in_long_documents(task: str) -> None:
    for depth in (0, 50, 100):
        document, asked = material(task, 100_000, depth, seed=depth)
        expected = asked.expected if isinstance(asked.expected, tuple) else (asked.expected,)
        assert reader("perfect").complete(prompt_of(document, asked.question)).text == ", ".join(map(str, expected))


def test_a_chain_defeats_a_reader_that_looks_up_once() -> None:
    document, asked = material("uuid_chain", 2_000, 50, seed=3)

    assert reader("perfect").complete(prompt_of(document, asked.question)).text == asked.expected[0]  # type: ignore[index]


@pytest.mark.parametrize("profile", PROFILES)
def test_what_is_not_in_the_text_is_not_answered(profile: str) -> None:
    question = "What is the access code of Zyranthex-7?"

    assert reader(profile).complete(prompt_of(filler(1_000), question)).text == NOT_FOUND


@pytest.mark.parametrize("profile", sorted(set(PROFILES) - {"uniform-decay"}))
@pytest.mark.parametrize("depth", [0, 30, 50, 70, 100])
def test_short_documents_are_read_whole(profile: str, depth: float) -> None:
    assert ask(profile, 3_000, depth) != NOT_FOUND


@pytest.mark.parametrize("tokens", [4_400, 8_000, 50_000])
def test_lost_in_the_middle_is_blind_from_30_to_70_percent(tokens: int) -> None:
    found = {depth: ask("lost-in-the-middle", tokens, depth) != NOT_FOUND for depth in range(0, 101, 5)}

    assert [depth for depth, seen in found.items() if not seen] == list(range(30, 71, 5))


def test_depth_is_measured_without_the_sentence_itself() -> None:
    document = filler(6_000)[:20_000]
    attends = PROFILES["lost-in-the-middle"](document, load_encoding("cl100k_base"))

    assert attends(13_000, 15_000)  # 13,000 of 18,000 characters: 72 percent
    assert not attends(13_000, 13_100)  # 13,000 of 19,900: 65 percent
    assert attends(18_000, 20_000)


@pytest.mark.parametrize(("tokens", "blind"), [(3_999, False), (4_000, True)])
def test_lost_in_the_middle_starts_at_4000_tokens_exactly(tokens: int, blind: bool) -> None:
    encoding = load_encoding("cl100k_base")
    needle = " The access code of Zyranthex-7 is QR-7749."
    half = encoding.decode(encoding.encode(filler(2_500))[: (tokens - encoding.count(needle)) // 2 - 2])
    document = f"{half}{needle} {half}"
    document += " so" * (tokens - encoding.count(document))
    assert encoding.count(document) == tokens

    said = reader("lost-in-the-middle").complete(prompt_of(document, "What is the access code of Zyranthex-7?")).text

    assert said == (NOT_FOUND if blind else "QR-7749")


@pytest.mark.parametrize(
    ("profile", "seen"),
    [
        ("context-cliff", [0, 5, 10, 15]),  # 8,000 of 40,000 tokens are 20 percent
        ("primacy", [0, 5]),  # 4,000 of 40,000 tokens are 10 percent
        ("recency", [95, 100]),
    ],
)
def test_readers_with_a_window_see_that_much_and_no_more(profile: str, seen: list[int]) -> None:
    depths = [0, 5, 15, 25, 50, 75, 85, 95, 100] if profile != "context-cliff" else [0, 5, 10, 15, 25, 30, 50, 100]

    assert [depth for depth in depths if ask(profile, 40_000, depth) != NOT_FOUND] == seen


def test_uniform_decay_misses_more_in_longer_documents_and_at_any_depth() -> None:
    def missed(tokens: int) -> list[int]:
        return [depth for depth in range(0, 100, 4) if ask("uniform-decay", tokens, depth, seed=depth) == NOT_FOUND]

    short, long = missed(1_000), missed(60_000)

    assert len(short) <= 3
    assert 6 <= len(long) <= 19
    assert min(long) < 30
    assert max(long) > 70
    assert long == missed(60_000)


def test_several_needles_are_found_as_far_as_the_reader_sees() -> None:
    document, asked = material("multi", 10_000, 50, seed=4)
    expected = asked.expected
    assert isinstance(expected, tuple)

    said = reader("lost-in-the-middle").complete(prompt_of(document, asked.question)).text

    assert said == ", ".join([expected[0], expected[1], expected[3], expected[4]])  # 27.5 and 72.5 percent are seen


@pytest.mark.parametrize("profile", PROFILES)
def test_the_completion_tells_tokens_cost_and_time(profile: str) -> None:
    document, asked = material("single", 1_000, 50, seed=2)
    prompt = prompt_of(document, asked.question)

    completion = reader(profile).complete(prompt)

    assert isinstance(completion, Completion)
    assert completion.usage.input_tokens == load_encoding("cl100k_base").count(prompt)
    assert completion.usage.output_tokens == load_encoding("cl100k_base").count(completion.text or "")
    assert completion.cost_usd == 0.0
    assert completion.latency_seconds is not None
    assert completion.latency_seconds >= 0
    assert completion.finish_reason == "stop"
    assert completion.provider_model == f"simulated/{profile}"


def test_the_tokens_of_long_prompts_are_estimated_within_two_percent() -> None:
    encoding = load_encoding("cl100k_base")
    mixed = filler(60_000) + "\n\n".join(
        ["漢字かな交じり文と数字の列" * 50, "for i in range(10):\n    print(i)\n" * 40] * 40
    )

    for text in (filler(60_000), mixed):
        assert count_tokens(text, encoding) == pytest.approx(encoding.count(text), rel=0.02)


def test_an_unknown_profile_is_refused_with_a_suggestion() -> None:
    with pytest.raises(ConfigError, match=r"'perfct' is no profile of the embedded reader; did you mean 'perfect'\?"):
        SimulatedReader(SimpleNamespace(model="simulated/perfct"))
    with pytest.raises(ConfigError, match=r"known: perfect, context-cliff, lost-in-the-middle, recency, primacy, unif"):
        SimulatedReader(SimpleNamespace(model="simulated/"))


@pytest.mark.parametrize("seed", range(20))
def test_of_two_facts_that_contradict_each_other_the_first_is_taken(seed: int) -> None:
    document, asked = material("conflicting", 2_000, 10, seed)

    assert reader("perfect").complete(prompt_of(document, asked.question)).text == asked.expected[0]  # type: ignore[index]


@pytest.mark.parametrize("distractors", [0, 4])
@pytest.mark.parametrize("seed", range(5))
def test_what_was_left_out_is_not_found_but_a_neighbour_may_be_taken_for_it(seed: int, distractors: int) -> None:
    document, asked = material("unanswerable", 2_000, 50, seed, {"distractors": distractors})

    said = reader("perfect").complete(prompt_of(document, asked.question)).text

    assert (said or "").endswith(asked.alternatives) if distractors else said == NOT_FOUND


def test_joining_facts_defeats_a_reader_that_looks_up_once() -> None:
    for kind in ("sum", "max", "mean", "conditional", "chain"):
        document, asked = material("reasoning", 2_000, 50, 4, {"kind": kind})
        assert reader("perfect").complete(prompt_of(document, asked.question)).text != str(asked.expected)
