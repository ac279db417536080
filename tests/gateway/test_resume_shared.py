"""Entries of one model share its answers, and not each other's mistakes."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from pytest_haystack.errors import ModelError
from pytest_haystack.running.gateway.client import GatewayClient
from pytest_haystack.running.gateway.process import GatewayProcess
from pytest_haystack.running.store.kept import KeepSettings
from tests.gateway.entries import CANARY, entry, say
from tests.support.openai_server import OpenAIServer, Received, Reply, answer, error


def only_the_good_key(request: Received) -> Reply:
    if CANARY not in request.headers.get("authorization", ""):
        return replace(error(401, "Incorrect API key provided."), delay=0.5)
    return answer("7421")


def test_a_bad_key_of_one_entry_is_no_error_of_the_other(server: OpenAIServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BAD_KEY", "not-the-one")
    base = server.base("two-keys", only_the_good_key)
    entries = {"bad": entry("bad", base, api_key_env="BAD_KEY"), "good": entry("good", base)}
    with GatewayProcess.start(entries, None, True) as gateway, ThreadPoolExecutor(2) as threads:
        client = GatewayClient(gateway.address, gateway.authkey)
        bad = threads.submit(client.complete, "bad", say("Which number?"), 10, 0)
        while not server.count("two-keys"):
            pass
        good = threads.submit(client.complete, "good", say("Which number?"), 10, 0)

        with pytest.raises(ModelError, match="Incorrect API key"):
            bad.result(60)
        assert good.result(60).text == "7421"
        # It answers for both from now on.
        assert client.complete("bad", say("Which number?"), 10, 0).text == "7421"
    assert server.count("two-keys") == 2


def test_what_an_earlier_run_kept_is_used_where_that_was_asked_for(server: OpenAIServer, tmp_path: Path) -> None:
    entries = {"kept": entry("kept", server.base("kept-or-not", answer("7421")))}
    for run, resume, sent in (("first", False, 1), ("second", False, 2), ("third", True, 2)):
        keep = KeepSettings(str(tmp_path / "store"), run, resume)
        with GatewayProcess.start(entries, None, False, keep=keep) as gateway:
            client = GatewayClient(gateway.address, gateway.authkey)
            for _ in range(2):
                completion = client.complete("kept", say("Which number?"), 10, 0)
                assert (completion.text, completion.from_store) == ("7421", resume)
            assert server.count("kept-or-not") == sent
            if resume:
                # It can be passed over, once.
                for _ in range(2):
                    assert not client.complete("kept", say("Which number?"), 10, 0, afresh=True).from_store
                assert server.count("kept-or-not") == 3
