"""Examples whose models are behind HTTP, against a server that speaks the providers' formats."""

from __future__ import annotations

import re
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from tests.examples.conftest import Run, bench_of
from tests.plugin.test_plugin_http import finds_it
from tests.support.openai_server import OpenAIServer, Received, Reply, answer
from tests.support.runs import LEFT_OUT

PARTS = {"a handful of fennel", "a smoked haddock", "a cup of pearl barley"}


def judges(request: Received) -> Reply:
    """A judge that wants all three parts of the one reference."""
    right = re.search(r"Right answer: all of these, none left out: (.*)", request.text)
    reply = re.search(r"\n(=== \w{16} ===)\n(.*)\n\1\n", request.text, re.DOTALL)
    assert right is not None
    assert reply is not None
    assert set(right[1].split("; ")) == PARTS
    return answer("YES. All are there." if all(part in reply[2] for part in PARTS) else "NO. Some are missing.")


def chats(request: Received) -> Reply:
    """Ollama's own format, around an answer to the same question."""
    said = finds_it(request).body["choices"][0]["message"]["content"]
    counts = {"prompt_eval_count": len(request.text) // 4, "eval_count": 9, "total_duration": 1, "load_duration": 1}
    message = {"role": "assistant", "content": said}
    return Reply(body={"model": "qwen3:1.7b", "message": message, "done": True, "done_reason": "stop", **counts})


@pytest.fixture(scope="module")
def server() -> Generator[OpenAIServer, None, None]:
    with OpenAIServer() as running:
        running.base("vllm", finds_it)
        running.base("real", finds_it)
        running.base("judge", judges)
        running.base("api", chats)
        yield running


#: Text of an example to what stands there in its copy: the server of these tests in the place of the user's own.
SERVED = {
    "vllm.yaml": ("api_base: http://127.0.0.1:8000/v1", "api_base: {url}/vllm/v1"),
    "ollama.yaml": ("api_base: http://127.0.0.1:11434", "api_base: {url}"),
    "real-model.yaml": ("api_base: http://127.0.0.1:8190/v1", "api_base: {url}/real/v1"),
    "niah-2023-multi.yaml": ("{name: judge, ", "{{name: judge, api_base: {url}/judge/v1, "),
}
CELLS = [
    "vllm.yaml::test_cell[single-qwen3-8b-len2000-depth0]",
    "ollama.yaml::test_cell[single-qwen3-len1000-depth0]",
    "real-model.yaml::test_cell[single-smollm2-135m-len500-depth0]",
    "niah-2023-multi.yaml::test_cell[stew-reader-len1000-depth0]",
    "niah-2023-multi.yaml::test_cell[stew-reader-len8471-depth0]",
]


def test_each_server_is_asked_in_its_own_way(
    pytester: pytest.Pytester, examples: Path, rows: Any, server: OpenAIServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    for name, (theirs, ours) in SERVED.items():
        text = (examples / name).read_text(encoding="utf-8")
        assert theirs in text
        (examples / name).write_text(text.replace(theirs, ours.format(url=server.url)), encoding="utf-8")
    # One session, as importing the client of all providers takes longer than everything else.
    configs = [part for name in SERVED for part in ("--haystack-config", f"examples/{name}")]
    result = pytester.runpytest_inprocess(*LEFT_OUT, *configs, *(f"examples/{cell}" for cell in CELLS))

    assert result.parseoutcomes()["passed"] >= len(CELLS)
    scores = {
        row["nodeid"].removeprefix("examples/"): row["score"]
        for name in SERVED
        for row in rows(f"haystack-report/{name.removesuffix('.yaml')}")
    }
    assert scores == dict(zip(CELLS, (1, 1, 1, 1, 0), strict=True)), "the judge wants all three parts"

    (vllm,) = server.received("vllm")
    assert vllm.body["model"] == "Qwen/Qwen3-8B"
    assert vllm.body["chat_template_kwargs"] == {"enable_thinking": False}
    assert (vllm.body["temperature"], vllm.body["max_tokens"]) == (0, 64)
    ollama = next(one for one in server.received("api") if "messages" in one.body)
    assert (ollama.path, ollama.body["model"], ollama.body["think"]) == ("/api/chat", "qwen3:1.7b", False)
    assert ollama.body["options"]["num_ctx"] == 10_000
    assert (server.count("real"), server.count("judge")) == (1, 2)


def test_ollamas_window_has_room_for_the_longest_prompt_and_its_answer() -> None:
    bench = bench_of("ollama.yaml")
    (model,) = bench.config.models

    assert max(cell.context_length for cell in bench.cells) + 64 < model.request["num_ctx"] == model.context_window


def test_without_a_judge_the_score_of_several_needles_is_the_share(run: Run, rows: Any) -> None:
    cells = ("--haystack-set", "sweep.context_lengths=[1000, 8000]", "--haystack-set", "sweep.depth_percents=[0, 80]")
    result = run("niah-2023-multi.yaml", *cells, "--haystack-set", "tasks.stew.scorer=multi")

    assert result.ret == 0
    scores = {(row["context_length"], row["depth_percent"]): round(row["score"], 2) for row in rows()}
    assert scores == {(1000, 0): 1, (1000, 80): 1, (8000, 0): 0.33, (8000, 80): 1}


def test_the_grid_of_several_needles_is_that_of_one() -> None:
    cells = bench_of("niah-2023-multi.yaml").cells
    one = bench_of("niah-2023.yaml").cells

    assert [(cell.context_length, cell.depth_percent) for cell in cells] == [
        (cell.context_length, cell.depth_percent) for cell in one
    ]
