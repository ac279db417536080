"""The task ancestry: a document of relations, a question over several of them, exactly one answer."""

from __future__ import annotations

import re
from typing import Any

import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_haystack.errors import ConfigError
from pytest_haystack.registry import Registry
from pytest_haystack.tasks.ancestry import Ancestry, AncestryOptions
from tests.tasks.records import Asked, asked

PERSON = r"([A-Z][a-z]+ [A-Z][a-z]+)"
DOWNWARDS = ("is a parent of", "directly manages", "directly precedes")
UPWARDS = ("is a child of", "reports to", "directly follows")
KIN = {"sibling": (1, 1), "aunt or uncle": (2, 1), "first cousin": (2, 2)}
KINDS = [
    ("chain", "ancestor"),
    ("tree", "ancestor"),
    ("tree", "relative"),
    ("tree", "common_ancestor"),
    ("dag", "common_ancestor"),
]


def graph_of(text: str) -> nx.DiGraph[str]:
    """The relations of a document, from the upper to the lower one; every line must be one."""
    graph: nx.DiGraph[str] = nx.DiGraph()
    for line in text.split("\n"):
        match = re.fullmatch(rf"{PERSON} ({'|'.join(DOWNWARDS + UPWARDS)}) {PERSON}\.", line)
        assert match, line
        first, verb, second = match.groups()
        edge = (first, second) if verb in DOWNWARDS else (second, first)
        assert not graph.has_edge(*edge)
        graph.add_edge(*edge)
    assert nx.is_directed_acyclic_graph(graph)
    return graph


def steps_of(question: str) -> tuple[int, int]:
    """How many steps up and then down a question asks for."""
    if great := re.search(r"(?:the|(?<=-)) ?((?:great-)*)grandparent", question):
        return 2 + great[1].count("great-"), 0
    for word, steps in KIN.items():
        if f"Who is the {word} of" in question:
            return steps
    numbers = [int(number) for number in re.findall(r"\b\d+\b", question)]
    return (numbers[0], numbers[1]) if len(numbers) == 2 else (numbers[0], 0)


def solve(graph: nx.DiGraph[str], question: str) -> set[str]:
    """Everyone who answers the question."""
    people = re.findall(PERSON, question)
    people = [name for name in people if name in graph]
    if len(people) == 2:
        common = nx.ancestors(graph, people[0]) & nx.ancestors(graph, people[1])
        lowest = {one for one in common if not common & nx.descendants(graph, one)}
        # Nobody is nearer to both, counted in steps, either.
        distance = {one: sum(nx.shortest_path_length(graph, one, person) for person in people) for one in common}
        assert {one for one in common if distance[one] == min(distance.values())} == lowest
        return lowest
    up, down = steps_of(question)
    paths = [[people[0]]]
    for _ in range(up):
        paths = [[*path, upper] for path in paths for upper in graph.predecessors(path[-1])]
    for _ in range(down):
        paths = [[*path, lower] for path in paths for lower in graph.successors(path[-1]) if lower not in path]
    return {path[-1] for path in paths}


def relations_needed(graph: nx.DiGraph[str], question: str, answer: str) -> int:
    """How many relations lie between the asked and the answer, whichever way they are read."""
    people = [name for name in re.findall(PERSON, question) if name in graph]
    return sum(int(nx.shortest_path_length(graph.to_undirected(), person, answer)) for person in people)


@pytest.mark.parametrize(("structure", "question"), KINDS)
@given(
    seed=st.integers(0, 2**32),
    length=st.integers(300, 6000),
    hops=st.integers(2, 10),
    relation=st.sampled_from(["mixed", "parent", "reports", "precedes"]),
)
@settings(max_examples=12, deadline=None)
def test_the_relations_allow_the_expected_answer_and_no_other(
    structure: str, question: str, seed: int, length: int, hops: int, relation: str
) -> None:
    options = {"structure": structure, "question": question, "hops": hops, "relation": relation}
    cell = asked("ancestry", options, seed=seed, length=length)
    graph, ask = graph_of(cell.text), cell.material.ask

    assert solve(graph, ask.question) == {cell.expected}
    assert relations_needed(graph, ask.question, cell.expected) == hops
    assert cell.expected not in ask.question
    check_shape(graph, structure)
    check_length(cell, length)
    check_scores(cell, graph)


def check_shape(graph: nx.DiGraph[str], structure: str) -> None:
    """Chains have one above and one below each, trees one above, dags at most two and lines that meet again."""
    above = max(degree for _, degree in graph.in_degree())
    below = max(degree for _, degree in graph.out_degree())
    assert above == (2 if structure == "dag" else 1)
    assert below == 1 if structure == "chain" else below >= 2


def check_length(cell: Asked, length: int) -> None:
    """All of the length is used, but for less than one more relation."""
    assert cell.document_tokens == cell.tokens(cell.text) <= length
    longest = max(cell.tokens(line) for line in cell.text.split("\n"))
    assert length - cell.document_tokens <= longest + 8


def check_scores(cell: Asked, graph: nx.DiGraph[str]) -> None:
    """The expected name is right, anyone else and a list of several is not."""
    answer = cell.expected
    assert cell.score(answer) == 1
    assert cell.score(f"It is {answer}.") == 1
    others = sorted(nx.node_connected_component(graph.to_undirected(), answer) - {answer})
    strangers = sorted(set(graph) - {answer, *others})
    for other in [*others[:6], *strangers[:2]]:
        assert cell.score(other) == 0
        assert cell.score(f"{answer} or {other}") == 0
    assert cell.score(", ".join([*others, answer])) == 0


def test_the_same_seed_gives_the_same_document_and_another_seed_another() -> None:
    texts = [asked("ancestry", {}, seed=seed).text for seed in (1, 1, 2)]

    assert texts[0] == texts[1] != texts[2]


def test_the_relations_that_lead_to_the_answer_are_needles_and_are_found_in_the_document() -> None:
    cell = asked("ancestry", {"hops": 6})
    needles = [needle for needle in cell.material.needles if needle.role == "needle"]

    assert len(needles) == 6
    assert len(cell.material.needles) == len(cell.text.split("\n"))
    places = cell.material.document.placements
    assert [place.text for place in places] == [needle.statement for needle in needles]
    for place in places:
        assert cell.text[place.char_index :].startswith(place.text)
        assert cell.tokens(cell.text[: place.char_index]) == place.token_index
    assert [place.char_index for place in places] == sorted(place.char_index for place in places)


def test_any_question_of_the_structure_comes_up_by_default() -> None:
    questions = [asked("ancestry", {"structure": "tree", "hops": 4}, seed=seed).material.ask for seed in range(30)]
    found = {len(re.findall(PERSON, ask.question)) for ask in questions}

    assert found == {1, 2}
    assert len({re.sub(PERSON, "X", ask.question) for ask in questions}) >= 6


@pytest.mark.parametrize(
    ("structure", "question"), [("chain", "relative"), ("chain", "common_ancestor"), ("dag", "ancestor")]
)
def test_a_question_without_a_unique_answer_is_refused(structure: Any, question: Any) -> None:
    with pytest.raises(ConfigError, match=f"question: '{question}' has no unique answer in a {structure}"):
        Ancestry(AncestryOptions(structure=structure, question=question))


def test_a_length_that_cannot_hold_the_relations_is_an_error_line() -> None:
    with pytest.raises(ConfigError, match=r"haystack.yaml:\d+: task-reader-len60-depth50: its records take \d+ tokens"):
        asked("ancestry", {"hops": 10}, length=60)


def test_ancestry_runs_by_its_bare_name_and_has_no_depth() -> None:
    task = Registry().tasks["ancestry"](AncestryOptions())

    assert (task.filler, task.depth_matters, task.scorer) == (False, False, "entity")
    assert 0 < task.chance < 1e-4
