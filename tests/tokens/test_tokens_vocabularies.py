"""Vocabularies: found offline, without importing what carries them, and safe to feed with anything."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from pytest_haystack.errors import ConfigError, SourceError
from pytest_haystack.tokens import vocabularies
from pytest_haystack.tokens.vocabularies import VOCABULARIES, load_encoding, vocabulary_folder

OFFLINE = """
import os, socket, sys

def refuse(*args, **kwargs):
    raise AssertionError("the network was used")

socket.socket.connect = socket.getaddrinfo = socket.create_connection = refuse
from pytest_haystack.tokens.vocabularies import VOCABULARIES, load_encoding
for name in VOCABULARIES:
    print(name, load_encoding(name).count("Leave at dawn."))
print("litellm" in sys.modules, os.environ.get("TIKTOKEN_CACHE_DIR"))
"""


def run_offline(**environment: str) -> list[str]:
    """Load all vocabularies in a process of its own that has no network; the lines it prints."""
    inherited = {key: value for key, value in os.environ.items() if key not in vocabularies.CACHE_VARIABLES}
    done = subprocess.run(
        [sys.executable, "-c", OFFLINE], env={**inherited, **environment}, capture_output=True, text=True, check=True
    )
    return done.stdout.splitlines()


def test_all_vocabularies_load_without_network_and_without_importing_litellm() -> None:
    assert run_offline() == ["cl100k_base 4", "o200k_base 4", "p50k_base 4", "False None"]


def test_a_users_cache_variable_is_left_as_it_was(tmp_path: Path) -> None:
    assert run_offline(TIKTOKEN_CACHE_DIR=str(tmp_path))[-1] == f"False {tmp_path}"


def test_a_users_own_cache_folder_comes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    name = VOCABULARIES["p50k_base"].file_name
    shutil.copy(vocabulary_folder("p50k_base") / name, tmp_path / name)
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))

    assert vocabulary_folder("p50k_base") == tmp_path
    assert vocabulary_folder("cl100k_base") != tmp_path


def test_a_damaged_file_in_a_users_cache_is_neither_used_nor_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    damaged = tmp_path / VOCABULARIES["p50k_base"].file_name
    damaged.write_bytes(b"IQ== 0\n")
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))

    assert vocabulary_folder("p50k_base") != tmp_path
    assert damaged.read_bytes() == b"IQ== 0\n"


def test_a_missing_vocabulary_is_an_error_that_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vocabularies, "candidate_folders", lambda: [tmp_path])

    with pytest.raises(ConfigError, match=r"pip install --force-reinstall litellm.*TIKTOKEN_CACHE_DIR") as error:
        vocabulary_folder("o200k_base")

    assert "\n" not in str(error.value)


def test_an_unknown_name_is_an_error_that_lists_the_known_ones() -> None:
    with pytest.raises(ConfigError, match="'gpt9' is no known tokenizer; known: cl100k_base, o200k_base, p50k_base"):
        load_encoding("gpt9")


def test_an_encoding_is_made_once_per_process() -> None:
    assert load_encoding("cl100k_base") is load_encoding("cl100k_base")


@pytest.mark.parametrize("name", VOCABULARIES)
def test_special_token_text_is_ordinary_text(name: str) -> None:
    encoding = load_encoding(name)
    text = "before <|endoftext|> after <|fim_prefix|><|endofprompt|>"

    tokens = encoding.encode(text)

    assert encoding.name == name
    assert encoding.decode(tokens) == text
    assert encoding.count("<|endoftext|>") > 1


@pytest.mark.parametrize("name", VOCABULARIES)
@pytest.mark.parametrize("lead", [0, 1, 249_999, 250_001])
def test_an_endless_run_of_white_space_is_a_clear_error(name: str, lead: int) -> None:
    with pytest.raises(SourceError, match="white-space characters in a row") as error:
        load_encoding(name).count("x" * lead + " " * 1_000_000 + "x")

    assert "\n" not in str(error.value)


@pytest.mark.parametrize("name", VOCABULARIES)
def test_a_long_run_of_white_space_is_counted(name: str) -> None:
    assert load_encoding(name).count("x" * 300_000 + "\u3000" * 240_000 + "x" * 300_000) > 1000
