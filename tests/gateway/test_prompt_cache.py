"""``prompt_cache: explicit``: breakpoints where the prompts' shared beginning ends, and what a cache makes of them."""

from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_haystack.config.loader import load_config
from pytest_haystack.errors import ConfigError
from pytest_haystack.models.model import Prompt
from pytest_haystack.models.prompt_cache import sent_messages, with_breakpoints
from pytest_haystack.registry import Registry
from pytest_haystack.running.gateway.budgets import Ledger
from pytest_haystack.running.gateway.settings import ModelSettings
from pytest_haystack.running.prompts import PRESETS
from tests.documents.sample_texts import sample_text
from tests.gateway.entries import KEY_ENV, entry
from tests.support.openai_server import OpenAIServer, Received, Reply, answer, error
from tests.support.runs import own_process

PER_TOKEN = 4
CONFIG = """\
name: cached
models:
  - {{id: marked, {claude}, prompt_cache: explicit}}
  - {{id: plain, {claude}}}
  - {{id: proxy, model: openai/claude, api_base: "{proxy}", api_key_env: {key}, prompt_cache: explicit}}
haystack: {{source: essays}}
sweep: {{context_lengths: [4000, 8000], depth_percents: [0, 30, 60, 100], trials: 2}}
tasks:
  - single
  - {{id: question-first, type: single, prompt: close-reading, depth_percents: [60]}}
threshold: 0
"""


class CachingServer:
    """Speaks Anthropic's Messages, and caches as it does: up to marked blocks, found again at most 20 blocks back."""

    def __init__(self) -> None:
        self._kept: set[str] = set()

    def __call__(self, request: Received) -> Reply:
        blocks = request.body["messages"][0]["content"]
        marks = [number for number, block in enumerate(blocks) if "cache_control" in block]
        if len(marks) > 4:
            return error(400, "A maximum of 4 blocks with cache_control may be provided.")
        texts = [block["text"] for block in blocks]
        places = sorted({place for mark in marks for place in range(max(0, mark - 20), mark + 1)})
        read = max((place + 1 for place in places if self._name(texts[: place + 1]) in self._kept), default=0)
        self._kept.update(self._name(texts[: mark + 1]) for mark in marks)
        written = max([read, *(mark + 1 for mark in marks)])
        return Reply(
            body={
                "id": "msg_1",
                "type": "message",
                "role": "assistant",
                "model": "claude-served",
                "content": [{"type": "text", "text": "7421"}],
                "stop_reason": "end_turn",
                "usage": {
                    "input_tokens": self._tokens(texts[written:]),
                    "cache_read_input_tokens": self._tokens(texts[:read]),
                    "cache_creation_input_tokens": self._tokens(texts[read:written]),
                    "output_tokens": 3,
                },
            }
        )

    @staticmethod
    def _name(texts: list[str]) -> str:
        return json.dumps(texts)

    @staticmethod
    def _tokens(texts: list[str]) -> int:
        return sum(map(len, texts)) // PER_TOKEN


@dataclass(frozen=True)
class Ran:
    """What a run left: its rows by model and task, and the requests that arrived by the path of the server."""

    rows: dict[tuple[str, str], list[dict[str, Any]]]
    arrived: dict[str, list[Received]]

    def request(self, path: str, row: dict[str, Any], explicit: bool) -> Received:
        """The request of a row."""
        [found] = [
            one for one in self.arrived[path] if row["question"] in text_of(one) and (marked(one) > 0) is explicit
        ]
        return found


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Ran:
    folder = tmp_path_factory.mktemp("cached")
    with OpenAIServer() as server:
        server.base("claude", CachingServer())
        proxy = server.base("proxy", answer("7421", usage=None))
        claude = f'model: anthropic/claude-sonnet-4-5, api_base: "{server.url}/claude", api_key_env: {KEY_ENV}'
        (folder / "haystack.yaml").write_text(CONFIG.format(claude=claude, proxy=proxy, key=KEY_ENV))
        command, environment = own_process("-q")
        said = subprocess.run(
            command, cwd=folder, env=environment, capture_output=True, text=True, timeout=300, check=False
        )
        assert said.returncode == 0, said.stdout
        arrived = {path: server.received(path) for path in ("claude", "proxy")}
    found: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for line in (folder / "haystack-report" / "results.jsonl").read_text(encoding="ascii").splitlines():
        row = json.loads(line)
        found.setdefault((row["model_id"], row["task"]), []).append(row)
    return Ran(found, arrived)


def blocks_of(request: Received) -> list[dict[str, Any]]:
    [message] = request.body["messages"]
    content = message["content"]
    return [{"type": "text", "text": content}] if isinstance(content, str) else list(content)


def text_of(request: Received) -> str:
    return "".join(block["text"] for block in blocks_of(request))


def marked(request: Received) -> int:
    """How many characters stand before the last mark."""
    blocks = blocks_of(request)
    marks = [number for number, block in enumerate(blocks) if "cache_control" in block]
    return sum(len(block["text"]) for block in blocks[: marks[-1] + 1]) if marks else 0


def test_what_prompts_share_is_marked(ran: Ran) -> None:
    for model, path in (("marked", "claude"), ("proxy", "proxy")):
        assert len(ran.rows[model, "single"]) == 16
        for row in ran.rows[model, "single"]:
            if row["depth_percent"] == 0:
                continue
            request = ran.request(path, row, explicit=True)
            needle = row["recipe"]["placements"][0]["text"]
            # Up to the white space before the needle.
            assert text_of(request).index(needle) - 2 <= marked(request) <= text_of(request).index(needle)
            assert {json.dumps(block.get("cache_control")) for block in blocks_of(request)} == {
                "null",
                '{"type": "ephemeral"}',
            }


def test_what_is_marked_comes_out_of_the_providers_cache(ran: Ran) -> None:
    usages = [row["usage"] for row in ran.rows["marked", "single"]]
    last = [row["usage"] for row in ran.rows["marked", "single"] if row["depth_percent"] == 100][1:]

    assert sum(usage["cached_tokens"] for usage in usages) > 0.35 * sum(usage["input_tokens"] for usage in usages)
    assert all(usage["cached_tokens"] > 0.5 * usage["input_tokens"] for usage in last)


def test_without_it_the_message_is_one_text_and_the_same_words(ran: Ran) -> None:
    for row, other in zip(ran.rows["plain", "single"], ran.rows["marked", "single"], strict=True):
        assert row["prompt_sha256"] == other["prompt_sha256"]
        assert row["usage"]["cached_tokens"] == 0
        if row["depth_percent"]:
            request = ran.request("claude", row, explicit=False)
            assert len(blocks_of(request)) == 1
            # An answer to this prompt is none to that with marks: both were sent, though model and words are the same.
            assert text_of(request) == text_of(ran.request("claude", row, explicit=True))


def test_a_question_before_the_document_leaves_nothing_to_share(ran: Ran) -> None:
    questions = [row["question"] for row in ran.rows["marked", "question-first"]]
    asked = [one for one in ran.arrived["claude"] if any(text_of(one).count(words) == 2 for words in questions)]

    assert [marked(request) for request in asked] == [0] * len(questions)


@pytest.mark.parametrize(
    ("entry_text", "words"),
    [
        ("model: openai/m, prompt_cache: explict", "'explicit'"),
        ("model: local/smollm2, prompt_cache: explicit", "a local model has its own server; remove this key"),
    ],
)
def test_a_misspelt_word_and_a_local_model_are_mistakes(tmp_path: Path, entry_text: str, words: str) -> None:
    file = tmp_path / "haystack.yaml"
    text = f"name: n\nmodels: [{{{entry_text}}}]\ntasks: [single]\n"
    file.write_text(text + "sweep: {context_lengths: [400], depth_percents: [0]}\n")

    with pytest.raises(ConfigError) as caught:
        load_config(file, Registry(), presets=tuple(PRESETS))
    [problem] = caught.value.problems
    assert problem.startswith("haystack.yaml:2: models.0.prompt_cache: ")
    assert words in problem


def test_a_budget_reckons_with_what_writing_to_the_cache_costs() -> None:
    plain = entry("m", None, pricing={"input": 8.0, "output": 0.0})
    limits = [{"name": "budget.usd", "kind": "usd", "limit": 1.0, "models": None}]
    estimates = [
        Ledger(limits).account("m", ModelSettings.from_entry({**plain, "prompt_cache": word})).estimate(1_000_000).usd
        for word in ("automatic", "explicit")
    ]

    assert estimates == [8.0, 10.0]


@given(first=st.integers(2048, 200_000), second=st.integers(2048, 200_000), system=st.booleans())
@settings(max_examples=60, deadline=None)
def test_blocks_of_one_prompt_are_those_of_another_as_far_as_both_go(first: int, second: int, system: bool) -> None:
    document = sample_text("english", 200_000)
    sent = []
    for number, shared in enumerate(sorted((first, second))):
        own = f"{document[:shared]} needle {number} {document[shared:]}"
        prompt = Prompt(f"Read.\n{own}\nWhat?", system="Be brief." if system else None, document=own, question="What?")
        prompt.shared = shared
        messages = with_breakpoints(sent_messages(prompt, "explicit"))
        assert [message["role"] for message in messages] == ["system", "user"][not system :]
        parts = messages[-1]["content"]
        assert "".join(part["text"] for part in parts) == prompt.messages[-1]["content"]
        assert "".join(part["text"] for part in parts[:-1]) == f"Read.\n{document[:shared]}"
        marks = [place for place, part in enumerate(parts) if "cache_control" in part]
        assert 1 <= len(marks) <= 4
        assert marks[-1] == len(parts) - 2
        assert all(later - earlier <= 20 for earlier, later in pairwise(marks))
        sent.append([part["text"] for part in parts])
    shorter, longer = sent
    assert longer[: len(shorter) - 2] == shorter[:-2]
    # What is not shared is less than two blocks, i.e. a sixteenth.
    lost = min(first, second) - len("".join(shorter[:-2])) + len("Read.\n")
    assert lost <= max(1024, min(first, second) / 16)
