"""Keys have no place in a sweep file, and are not shown where they stand in one."""

from __future__ import annotations

import pytest

from tests.config.test_config_problems import VALID, model_problems


@pytest.mark.parametrize(
    "value",
    [
        "sk-abcdefghijklmnop1234",
        "sk-proj-AbCdEf0123456789",
        "gsk_abcdefghij0123456789",
        "hf_abcdefghij0123456789",
        "AIza" + "Sy0123456789abcdefghijklmnopqrstuv",
        "AKIA" + "IOSFODNN7EXAMPLE",
        "Bearer sk-abcdefghijklmnop1234",
        "https://user:hunter2@host/v1",
    ],
)
@pytest.mark.parametrize(
    "place", ["request: {extra: V}", "api_base: V", "api_key_env: V", "id: V", "request: {x: [V]}"]
)
def test_keys_in_the_file_are_refused_and_not_shown(problems, value, place):
    lines = model_problems(problems, f"[{{model: a/b, {place.replace('V', repr(value))}}}]")
    assert len(lines) == 1
    assert "looks like a key" in lines[0]
    assert "NAME" in lines[0] or "OPENAI_API_KEY" in lines[0]
    for secret in (value, "hunter2", "abcdefghij"):
        assert secret not in lines[0]


@pytest.mark.parametrize(
    "field", ["api_key", "x-api-key", "apiKey", "client_secret", "Authorization", "access_token", "password"]
)
def test_long_tokens_in_fields_named_after_keys_are_refused(problems, field):
    token = "0123456789abcdef0123456789abcdef"
    lines = model_problems(problems, f"[{{model: a/b, request: {{extra_headers: {{{field}: {token}}}}}}}]")
    assert len(lines) == 1
    assert "looks like a key" in lines[0]
    assert token not in lines[0]


@pytest.mark.parametrize(
    "request_",
    [
        "{api_key: not-needed}",
        "{max_tokens: 64}",
        "{monkey: 0123456789abcdef0123456789abcdef}",
        "{user: task-0123456789abcdef}",
    ],
)
def test_what_is_no_key_may_stand_in_the_file(problems, request_):
    assert (
        model_problems(problems, f"[{{model: a/b, request: {request_}, api_key_env: MY_COMPANY_OPENAI_API_KEY_2}}]")
        == []
    )


def test_a_key_as_a_key_of_a_mapping_is_not_shown(problems):
    (line,) = problems(VALID + "sk-abcdefghijklmnop1234: 1\n")
    assert line.startswith("haystack.yaml:4: ***: unknown key")


def test_control_characters_in_keys_do_not_reach_the_terminal(problems):
    (line,) = problems(VALID + '"a\\e[31m\\nb": 1\n')
    assert line.startswith("haystack.yaml:4: a\\x1b[31m b: unknown key")
