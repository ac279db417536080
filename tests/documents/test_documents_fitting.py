"""How many records fit: exactly, and with few counts."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_haystack.documents.fitting import most_that_fit
from pytest_haystack.errors import DocumentError
from pytest_haystack.tokens.vocabularies import load_encoding

CL100K = load_encoding("cl100k_base")


@given(
    sizes=st.lists(st.integers(1, 60), min_size=400, max_size=400),
    tokens=st.integers(1, 400),
    least=st.integers(1, 5),
    head=st.integers(0, 30),
)
@settings(max_examples=200, deadline=None)
def test_the_number_is_the_largest_that_fits(sizes: list[int], tokens: int, least: int, head: int) -> None:
    def compose(records: int) -> str:
        return "x" * (head + sum(sizes[:records]))

    if len(compose(least)) > tokens:
        with pytest.raises(DocumentError, match=f"at least, {tokens} are free"):
            most_that_fit(compose, tokens, len, least)
        return
    found = most_that_fit(compose, tokens, len, least)

    assert found >= least
    assert len(compose(found)) <= tokens < len(compose(found + 1))


@pytest.mark.parametrize("tokens", [100, 2_000, 128_000])
def test_a_handful_of_counts_is_enough(tokens: int) -> None:
    records = [f"Record {number} says {number * 7919 % 10007} of {'x' * (number % 9)}." for number in range(20_000)]
    counted = []

    def count(text: str) -> int:
        counted.append(CL100K.count(text))
        return counted[-1]

    found = most_that_fit(lambda n: "\n".join(records[:n]), tokens, count)

    assert CL100K.count("\n".join(records[:found])) <= tokens < CL100K.count("\n".join(records[: found + 1]))
    assert len(counted) <= 7


def test_records_of_very_different_sizes_end_too() -> None:
    sizes = [1] * 500 + [1000] + [1] * 500
    counted = []

    def count(text: str) -> int:
        counted.append(text)
        return len(text)

    assert most_that_fit(lambda n: "x" * sum(sizes[:n]), 1600, count) == 601
    assert len(counted) <= 30
