"""No key in anything that is shown."""

from __future__ import annotations

import base64
import string

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_haystack.models.redaction import Redactor, secret_fields, secret_parts, secret_values

keys = st.text(string.ascii_letters + string.digits + "-_+/=.%", min_size=8, max_size=60)


@settings(max_examples=100, deadline=None)
@given(key=keys, before=st.text(), after=st.text())
def test_a_known_key_never_survives(key: str, before: str, after: str) -> None:
    assert key not in Redactor([key])(before + key + after).replace("[redacted]", "")


@settings(max_examples=100, deadline=None)
@given(first=keys, rest=keys)
def test_a_key_that_begins_with_another_leaves_no_rest(first: str, rest: str) -> None:
    assert Redactor([first, first + rest])(f"<{first + rest}>") == "<[redacted]>"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Incorrect API key provided: sk-proj-abc123DEF456.", "Incorrect API key provided: [redacted]"),
        ("key sk-ant-api03-xyz_987 is wrong", "key [redacted] is wrong"),
        ("sk-ab************cd", "[redacted]"),
        ("Authorization: Bearer abc.def.ghi", "Authorization: [redacted]"),
        ("{'authorization': 'Basic dXNlcjpwYXNz'}", "{'authorization': '[redacted]'}"),
        ('"x-api-key": "0123456789"', '"x-api-key": "[redacted]"'),
        ("sent Bearer abc123def456 there", "sent Bearer [redacted] there"),
        ("GET /v1beta/models?key=AbC-123&alt=sse", "GET /v1beta/models?key=[redacted]&alt=sse"),
        ("AIzaSyA0123456789abcdefghij", "[redacted]"),
        ("http://me:secret@proxy:8080/v1", "http://[redacted]@proxy:8080/v1"),
    ],
)
def test_what_looks_like_a_key_is_hidden(text: str, shown: str) -> None:
    assert Redactor()(text) == shown


@pytest.mark.parametrize(
    "text",
    [
        "the disk-space of task-force-12345 is full",
        "basic authentication failed",
        "maximum context length is 8192 tokens",
        "no answer within 120 s (limits.timeout)",
        "check the key in OPENAI_API_KEY",
        "http://127.0.0.1:8000/v1?model=x",
    ],
)
def test_ordinary_words_stay(text: str) -> None:
    assert Redactor()(text) == text


def test_a_key_in_a_url_is_hidden_in_its_other_spelling() -> None:
    assert Redactor(["a/b+c=dd"])("?q=a%2Fb%2Bc%3Ddd") == "?q=[redacted]"


def test_short_values_are_no_keys() -> None:
    assert Redactor(["", "x", "abc"])("abc x") == "abc x"


def test_secrets_are_those_named_and_those_whose_name_says_so() -> None:
    environment = {
        "MY_KEY_FOR_IT": "named",
        "OPENAI_API_KEY": "looks-like-one",
        "GITHUB_TOKEN": "another-one",
        "MAX_TOKEN": "4096",
        "KEYBOARD": "english-us",
        "HOME": "/home/me/long/enough",
    }

    assert secret_values(environment, ["MY_KEY_FOR_IT", "NOT_SET"]) == {"named", "looks-like-one", "another-one"}


def test_secrets_in_a_request_are_found_by_the_names_they_stand_under() -> None:
    request = {
        "temperature": 0,
        "max_tokens": 5,
        "stop": ["END"],
        "extra_headers": {"X-Team": "team-secret", "X-Many": ["one-more"]},
        "extra_body": {"api_key": "body-secret", "user": "me"},
        "aws_secret_access_key": "aws-secret",
    }

    assert secret_fields(request) == {"team-secret", "one-more", "body-secret", "aws-secret"}


@settings(max_examples=100, deadline=None)
@given(key=keys.filter(lambda key: len(key) >= 12), before=st.binary(max_size=8), after=st.binary(max_size=8))
def test_a_known_key_within_base64_is_hidden(key: str, before: bytes, after: bytes) -> None:
    for encode in (base64.b64encode, base64.urlsafe_b64encode):
        shown = Redactor([key])(f"sent {encode(before + key.encode() + after).decode()}")
        assert "[redacted]" in shown
        # What is left of the ends says less than two characters of the key each.
        assert (
            len(shown.replace("[redacted]", "").removeprefix("sent ")) <= 2 * len(base64.b64encode(before + after)) + 8
        )


@pytest.mark.parametrize("broken", ["\n", "\r\n   ", "\\n", " "])
def test_a_known_key_is_hidden_where_a_message_wraps_in_the_middle_of_it(broken: str) -> None:
    assert Redactor(["abcdefgh-12345678"])(f"key abcdefgh-12{broken}345678!") == "key [redacted]!"


def test_user_and_password_of_an_address_are_secrets() -> None:
    assert secret_parts("https://me:p%40ss@host/v1") == {"p%40ss", "p@ss", "me:p%40ss", "me:p@ss"}
    assert secret_parts("https://token@host/v1") == {"token"}
    assert secret_parts("https://host/v1") == secret_parts("http://[") == secret_parts(None) == set()
