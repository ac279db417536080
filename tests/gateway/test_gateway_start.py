"""When the gateway is started at all, and what a run needs of the machine that it is started on."""

from __future__ import annotations

from typing import Any

import pytest

from tests.gateway.entries import KEY_ENV
from tests.support.needles import good
from tests.support.openai_server import OpenAIServer
from tests.support.runs import LEFT_OUT

CONFIG = """\
name: start
models:
  - {{id: m, model: openai/served, api_base: {base}, api_key_env: {key}, limits: {{retries: 0}}}}
haystack: {{source: synthetic}}
sweep: {{context_lengths: [300], depth_percents: [0, 100]}}
tasks: [single]
"""


@pytest.mark.parametrize("arguments", [("--setup-plan",), ("--collect-only",), ("--haystack-dry-run",)])
def test_who_only_wants_to_see_a_plan_needs_no_key_and_leaves_nothing(
    write: Any,
    run: Any,
    server: OpenAIServer,
    pytester: pytest.Pytester,
    monkeypatch: pytest.MonkeyPatch,
    workers: tuple[str, ...],
    arguments: tuple[str, ...],
) -> None:
    write(CONFIG.format(base=server.base("plan", good), key=KEY_ENV))
    monkeypatch.delenv(KEY_ENV)

    assert run(*arguments, *workers).ret == 0
    assert server.count("plan") == 0
    assert [path.name for path in pytester.path.glob("*hay*")] == ["haystack.yaml"]


def test_a_user_without_home_and_name_runs_a_sweep(
    write: Any, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, server: OpenAIServer
) -> None:
    write(CONFIG.format(base=server.base("homeless", good), key=KEY_ENV))
    for name in ("HOME", "XDG_CACHE_HOME", "PYTEST_HAYSTACK_CACHE_DIR"):
        monkeypatch.delenv(name, raising=False)
    # No test can make a user whom the system does not know.
    pytester.makepyfile(nameless="import pwd\n\ndef unknown(uid):\n    raise KeyError(uid)\n\npwd.getpwuid = unknown\n")
    result = pytester.runpytest_subprocess(
        "-p", "nameless", *LEFT_OUT, "--haystack-config", "haystack.yaml",
        "--haystack-set", "haystack.source=essays", "--haystack-set", "sweep.context_lengths=[60000]",
    )  # fmt: skip

    result.assert_outcomes(passed=2)
