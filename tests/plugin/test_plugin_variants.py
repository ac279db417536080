"""Axes of tasks and prompts as items, rows and reports, without and with workers."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Generator
from typing import Any

import pytest

from tests.plugin.conftest import literal
from tests.plugin.test_plugin_http import finds_it
from tests.support.openai_server import OpenAIServer, Received, Reply, answer

Run = Callable[..., pytest.RunResult]

CONFIG = """\
name: varied
models: [{id: reader, model: simulated/lost-in-the-middle}]
haystack: {source: synthetic}
sweep: {context_lengths: [1000, 4000], depth_percents: [0, 50]}
tasks:
  - {type: single, prompts: [default, {id: begun, preset: close-reading, prefill: "<quote>"}]}
  - {type: multi, needles: [2, 5], placement: even_spread}
known_failures:
  - {task: single, context_lengths: [4000], depth_percents: [50], reason: blind}
"""


def test_variants_run_and_are_reported_alike_with_and_without_workers(
    write: Any, run: Run, rows: Any, workers: tuple[str, ...], pytester: pytest.Pytester
) -> None:
    write(CONFIG)
    result = run(*workers)

    result.assert_outcomes(passed=10, xfailed=2, failed=4)
    assert Counter((row["task"], row["family"], row["variant"].get("needles")) for row in rows()) == {
        ("single-default", "single", None): 4,
        ("single-begun", "single", None): 4,
        ("multi-n2", "multi", 2): 4,
        ("multi-n5", "multi", 5): 4,
    }
    result.stdout.fnmatch_lines(
        ["misses by prompt*", "*default  begun", "  reader: single *1/4 *1/4", "mean score by needles"]
    )
    report = pytester.path / "haystack-report"
    assert (report / "curve-multi.png").is_file()
    (prompts, needles) = json.loads((report / "summary.json").read_text())["comparisons"]
    assert [level["misses"] for level in prompts["rows"][0]["levels"]] == [1, 1]
    assert needles["levels"] == [2, 5]
    assert "Misses by prompt" in (report / "summary.md").read_text(encoding="utf-8")


def test_prompts_are_compared_on_the_same_documents_and_needles(write: Any, run: Run, rows: Any) -> None:
    write(CONFIG)
    run("-k", "single")
    seen: dict[str, list[Any]] = {}
    for row in sorted(rows(), key=lambda row: row["nodeid"]):
        seen.setdefault(row["task"], []).append((row["recipe"]["placements"], row["question"], row["expected"]))

    assert seen["single-default"] == seen["single-begun"]
    hashes = {(row["task"], row["recipe"]["template_sha256"]) for row in rows()}
    assert len({sha256 for _, sha256 in hashes}) == 2


def test_variants_and_families_are_selected_by_name_mark_and_node_id(
    write: Any, run: Run, pytester: pytest.Pytester
) -> None:
    write(CONFIG)
    run("-k", "multi-n2").assert_outcomes(passed=2, failed=2, deselected=12)
    run("-m", "haystack_cell(family='multi', depth='0')").assert_outcomes(passed=2, failed=2, deselected=12)
    run("-m", "haystack_cell(task='single-begun')").assert_outcomes(passed=3, xfailed=1, deselected=12)
    node = "haystack.yaml::test_cell[multi-n5-reader-len1000-depth0]"
    run(node).assert_outcomes(passed=1)
    pytester.makepyfile(
        """
        import pytest

        @pytest.mark.haystack(task="multi", context_lengths=1000)
        def test_family(haystack_cell, haystack_score):
            assert haystack_cell.family == "multi"

        @pytest.mark.haystack(task="multi-n5", context_lengths=1000)
        def test_variant(haystack_cell):
            assert dict(haystack_cell.variant) == {"needles": 5}
        """
    )
    pytester.makeini("[pytest]\nhaystack_config = haystack.yaml")
    run(config=None).assert_outcomes(passed=6)


def test_a_variant_is_rebuilt_from_the_resolved_config(
    write: Any, run: Run, rows: Any, command: Any, pytester: pytest.Pytester
) -> None:
    path = write(CONFIG)
    run("-k", "begun or n5")
    path.unlink()
    for row in (rows()[0], rows()[-1]):
        result = command("reconstruct", "haystack-report/results.jsonl", row["nodeid"])
        assert result.returncode == 0, result.stderr
        assert hashlib.sha256(result.stdout.encode()).hexdigest() == row["prompt_sha256"]


def test_a_mistake_in_a_shared_template_is_told_where_it_was_written(write: Any, run: Run) -> None:
    write(CONFIG.replace("prompts: [default", "prompts: [{template: '{{ document }}'}"))
    result = run()

    result.stderr.fnmatch_lines([literal("*haystack.yaml:6: tasks.0.prompts.0.template: {{ question }} is missing*")])


def test_a_task_of_positions_gets_its_curve(write: Any, run: Run, pytester: pytest.Pytester) -> None:
    write(
        CONFIG.replace("type: single, prompts: [default", "type: pairs, prompts: [default").replace(
            "task: single", "task: pairs"
        )
    )
    pytester.makeconftest(
        """
        from pytest_haystack.tasks.single import Single

        class Pairs(Single):
            name = "pairs"
            by_position = True

        def pytest_haystack_register(registry):
            registry.tasks.add("pairs", Pairs)
        """
    )
    run()
    assert {
        path.name for path in (pytester.path / "haystack-report").glob("*-*.png") if "heatmap" not in path.name
    } == {
        "position-pairs.png",
        "curve-multi.png",
    }


# --- prefill


@pytest.fixture(scope="module")
def server() -> Generator[OpenAIServer, None, None]:
    with OpenAIServer() as running:
        yield running


def goes_on(request: Received) -> Reply:
    """A server that goes on with the assistant's turn where there is one."""
    messages = request.body["messages"]
    found = finds_it(Received(request.at, request.path, {"messages": messages[:-1]}, {}))
    value = found.body["choices"][0]["message"]["content"]
    return answer(f"{value}</answer>", usage={"prompt_tokens": len(request.body["messages"][-2]["content"]) // 4})


PREFILLED = """\
name: prefilled
models:
  - {{id: openai, model: openai/served, api_base: "{openai}", api_key_env: PREFILL_KEY}}
  - {{id: mistral, model: mistral/served, api_base: "{mistral}", api_key_env: PREFILL_KEY}}
  - {{id: deepseek, model: deepseek/served, api_base: "{deepseek}", api_key_env: PREFILL_KEY}}
haystack: {{source: synthetic}}
sweep: {{context_lengths: [400], depth_percents: [0, 100]}}
prompts:
  - {{id: plain, preset: default, prefill: "<answer>"}}
  - {{id: reading, preset: close-reading, prefill: "<answer>"}}
  - {{id: own, template: "{{{{ document }}}}\\nQuestion: {{{{ question }}}}", system: "Be brief.", prefill: "<answer>"}}
tasks: [single]
"""


def test_the_assistants_turn_arrives_as_begun_and_the_answer_goes_on_with_it(
    write: Any,
    run: Run,
    rows: Any,
    server: OpenAIServer,
    workers: tuple[str, ...],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PREFILL_KEY", "a-key-of-no-account")
    marks: dict[str, dict[str, Any]] = {"openai": {}, "mistral": {"prefix": True}, "deepseek": {"prefix": True}}
    write(PREFILLED.format(**{name: server.base(name, goes_on) for name in marks}))
    before = {name: server.count(name) for name in marks}
    run(*workers).assert_outcomes(passed=18)

    for name, extra in marks.items():
        arrived = [got.body["messages"] for got in server.received(name)[before[name] :]]
        assert [messages[-1] for messages in arrived] == [{"role": "assistant", "content": "<answer>", **extra}] * 6
        assert Counter(tuple(message["role"] for message in messages) for messages in arrived) == {
            ("user", "assistant"): 4,
            ("system", "user", "assistant"): 2,
        }
        plain = [[{"role": one["role"], "content": one["content"]} for one in messages] for messages in arrived]
        sent = {hashlib.sha256(json.dumps(messages, ensure_ascii=False).encode()).hexdigest() for messages in plain}
        assert sent == {row["prompt_sha256"] for row in rows() if row["model_id"] == name}
    assert all(row["response"].endswith("</answer>") and "<answer>" not in row["response"] for row in rows())
