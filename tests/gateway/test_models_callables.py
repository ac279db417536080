"""A function of one's own as the model."""

from __future__ import annotations

import asyncio
import sys
import threading
from collections.abc import Generator
from pathlib import Path

import pytest

from pytest_haystack.config.schema import ModelEntry
from pytest_haystack.errors import ModelError
from pytest_haystack.models.callables import PythonCallable
from pytest_haystack.models.model import Completion, Prompt

MODULE = """
import asyncio
from pytest_haystack.errors import ModelError
from pytest_haystack.models.model import Completion

def parts(prompt):
    return f"{prompt.question}|{prompt.document}|{prompt.trial}|{prompt}"

def completion(prompt):
    return Completion("7421", cost_usd=0.5)

def timed(prompt):
    return Completion("7421", latency_seconds=42.0)

loops = []

async def slow(prompt):
    await asyncio.sleep(0.01)
    loops.append(asyncio.get_running_loop())
    return f"{len(set(loops))} {len(loops)}"

async def broken_later(prompt):
    await asyncio.sleep(0)
    raise KeyError("the index")

class Pipeline:
    def answer(self, prompt):
        return "from an object"

pipeline = Pipeline()
number = 7

def helper():
    raise ValueError("no\\nindex for api_key=abcdef123456")

def broken(prompt):
    helper()

def unlucky(prompt):
    raise ModelError("rate_limited", "slow down")

def a_list(prompt):
    return ["7421"]

def interrupted(prompt):
    raise KeyboardInterrupt
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Generator[Path, None, None]:
    """A working directory that holds the module, and is not on ``sys.path``."""
    (tmp_path / "my_rag.py").write_text(MODULE)
    (tmp_path / "my_broken.py").write_text("\n1 / 0\n")
    (tmp_path / "my_needy.py").write_text("import a_library_that_is_not_there\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    yield tmp_path
    for name in ("my_rag", "my_broken", "my_needy"):
        sys.modules.pop(name, None)


def model(target: str) -> PythonCallable:
    return PythonCallable(ModelEntry(id="rag", model=f"python:{target}"))


def failure(target: str) -> ModelError:
    with pytest.raises(ModelError) as caught:
        model(target).complete(Prompt("?"))
    assert "\n" not in str(caught.value)
    return caught.value


@pytest.mark.usefixtures("folder")
def test_the_function_gets_the_prompt_with_its_parts() -> None:
    prompt = Prompt("text and question", document="text", question="question", trial=3)

    completion = model("my_rag:parts").complete(prompt)

    assert completion.text == "question|text|3|text and question"
    assert completion.latency_seconds is not None
    assert completion.latency_seconds > 0
    assert model("my_rag:parts").complete("plain").text == "||0|plain"


@pytest.mark.usefixtures("folder")
def test_a_completion_is_taken_as_it_is_and_timed_where_it_is_not() -> None:
    completion = model("my_rag:completion").complete(Prompt("?"))

    assert (completion.text, completion.cost_usd) == ("7421", 0.5)
    assert completion.latency_seconds is not None
    assert model("my_rag:timed").complete(Prompt("?")) == Completion("7421", latency_seconds=42.0)


@pytest.mark.usefixtures("folder")
def test_a_method_of_an_object_in_the_module_answers_too() -> None:
    assert model("my_rag:pipeline.answer").complete(Prompt("?")).text == "from an object"


@pytest.mark.usefixtures("folder")
def test_a_coroutine_function_keeps_its_event_loop_from_call_to_call_and_thread_to_thread() -> None:
    rag = model("my_rag:slow")
    texts = [rag.complete(Prompt("?")).text for _ in range(2)]
    threads = [threading.Thread(target=lambda: texts.append(rag.complete(Prompt("?")).text)) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    async def from_within() -> None:
        texts.append(rag.complete(Prompt("?")).text)

    asyncio.run(from_within())

    assert sorted(filter(None, texts)) == [f"1 {number}" for number in range(1, 7)]


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("target", "words"),
    [
        ("my_missing:answer", "no module 'my_missing'"),
        ("my_missing.sub:answer", "no module 'my_missing'"),
        ("my_rag:anwser", "'anwser' is not in"),
        ("my_rag:pipeline.ask", "'pipeline.ask' is not in"),
        ("my_rag:number", "'number' is a int, not callable"),
        ("my_rag", "write python:module:callable"),
        (":answer", "write python:module:callable"),
        ("my_needy:answer", "needs 'a_library_that_is_not_there', which is not installed"),
        ("my_broken:answer", "importing it raised ZeroDivisionError: division by zero at my_broken.py:2"),
        ("my_rag:a_list", "returned list"),
    ],
)
def test_a_function_that_cannot_be_used_is_a_config_error_that_says_what_to_do(target: str, words: str) -> None:
    error = failure(target)

    assert error.outcome == "config_error"
    assert words in str(error)
    assert f"python:{target}" in str(error)


@pytest.mark.usefixtures("folder")
def test_what_the_function_raises_is_told_with_its_place_and_without_keys(folder: Path) -> None:
    error = failure("my_rag:broken")

    line = MODULE.splitlines().index('    raise ValueError("no\\nindex for api_key=abcdef123456")') + 1
    assert error.outcome == "infra_error"
    assert str(error) == (f"python:my_rag:broken: ValueError: no index for api_key=[redacted] at my_rag.py:{line}")
    assert "KeyError: 'the index' at my_rag.py:" in str(failure("my_rag:broken_later"))


@pytest.mark.usefixtures("folder")
def test_an_outcome_that_the_function_names_is_kept() -> None:
    error = failure("my_rag:unlucky")

    assert (error.outcome, str(error)) == ("rate_limited", "slow down")


@pytest.mark.usefixtures("folder")
def test_ctrl_c_in_the_function_is_ctrl_c() -> None:
    with pytest.raises(KeyboardInterrupt):
        model("my_rag:interrupted").complete(Prompt("?"))
