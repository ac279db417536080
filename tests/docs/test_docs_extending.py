"""Each extension of the documentation runs as it is written: its code as conftest.py, its YAML as haystack.yaml."""

from __future__ import annotations

import ast

import pytest

from tests.docs.pages import ROOT, Block, blocks
from tests.support.runs import LEFT_OUT

PAGE = ROOT / "docs" / "extending.md"
_BLOCKS = [block for block in blocks("python", "yaml") if block.page == PAGE]
PAIRS = list(zip(_BLOCKS[::2], _BLOCKS[1::2], strict=True))


@pytest.mark.parametrize(("code", "sweep"), PAIRS, ids=[code.name for code, _ in PAIRS])
def test_an_extension_runs_as_it_is_written(code: Block, sweep: Block, pytester: pytest.Pytester) -> None:
    assert (code.language, sweep.language) == ("python", "yaml")
    (pytester.path / "conftest.py").write_text(code.text, encoding="utf-8")
    (pytester.path / "haystack.yaml").write_text(sweep.text, encoding="utf-8")

    result = pytester.runpytest_inprocess(*LEFT_OUT, "--haystack-config", "haystack.yaml")

    outcomes = result.parseoutcomes()
    assert result.ret == 0, result.outlines + result.errlines
    assert outcomes.pop("passed") >= 1
    assert not outcomes


def test_all_python_of_the_documentation_can_be_read() -> None:
    found = blocks("python")

    assert len(found) > len(PAIRS) == 6
    for block in found:
        ast.parse(block.text)
