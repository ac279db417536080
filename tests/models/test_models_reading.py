"""Reading by lexical overlap: the question, the names in it, the sentence and the value."""

from __future__ import annotations

import pytest

from pytest_haystack.models.reading import answer, content_words, find_question, names

FILLER = (
    "The ferry came in late. Nobody had oiled the gate since spring? It creaked, and Marta laughed about it. "
    "She spent the best part of a morning in San Francisco once."
)


def read(document: str, question: str) -> list[str]:
    return answer(document, question, lambda start, end: True)


@pytest.mark.parametrize(
    ("prompt", "question"),
    [
        ("Text. More text.\n\nWhat is the code of Vault A?", "What is the code of Vault A?"),
        ("Is it? Yes.\n\nQuestion: What is the code?\nReply with the answer only.", "What is the code?"),
        ("You will be asked: What is the code?\n\nWhat a day! Was it? It was. No more. Truly.", "What is the code?"),
        (
            "Was it? It was. What is the code of Vault A? Reply briefly. Thank you. Goodbye.",
            "What is the code of Vault A?",
        ),
        ("Where is the cat? Who has the key? Give all the answers.", "Where is the cat? Who has the key?"),
        ("文本。\n问题：苹果的代码是什么？\n", "苹果的代码是什么？"),
        ("See a.example/?b=c for more.", ""),
        ("Nothing is asked here.", ""),
        ("", ""),
    ],
)
def test_the_question_is_found_wherever_it_stands(prompt: str, question: str) -> None:
    assert find_question(prompt) == question


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("What is the code of Zyranthex-7?", ["Zyranthex-7"]),
        ("What is the code of Velmora Station North?", ["Velmora Station North"]),
        (
            "What is the code of each of Zyra-7, Velmora Station North and Ombral Tau?",
            ["Zyra-7", "Velmora Station North", "Ombral Tau"],
        ),
        ("What is the value of kv_7a3f2b?", ["kv_7a3f2b"]),
        ("Which key does 0a6f5b8e-1111-4222-8333-944445555666 lead to?", ["0a6f5b8e-1111-4222-8333-944445555666"]),
        ("Which 3 codes has Vault A?", ["Vault A"]),
        ("What is the value of key 37?", ["37"]),
        ('Which value is stored under the key "qzvx"?', ["qzvx"]),
        ("Where is the cat? Who has the key?", []),
        ("What did I say about the parrot?", []),
    ],
)
def test_names_are_capitalised_or_hold_a_digit(question: str, found: list[str]) -> None:
    assert names(question) == found


@pytest.mark.parametrize(
    ("sentence", "question", "values"),
    [
        ("The code of Vault A is QR-7749.", "What is the code of Vault A?", ["QR-7749"]),
        ("QR-7749 is the code of Vault A.", "What is the code of Vault A?", ["QR-7749"]),
        ("The code of Zyra-7 is -5.25.", "What is the code of Zyra-7?", ["-5.25"]),
        ("The code of Zyra-7 is 1,250.", "What is the code of Zyra-7?", ["1,250"]),
        ("The Zyra-7 code is teal.", "What is the code of Zyra-7?", ["teal"]),
        ("The code of Zyra-7 is 417.25 hertz.", "What is the code of Zyra-7?", ["417.25 hertz"]),
        (
            "The best thing to do in San Francisco is eat a sandwich in Dolores Park.",
            "What is the best thing to do in San Francisco?",
            ["eat a sandwich in Dolores Park"],
        ),
        ("The lighthouse door was painted green.", "What colour was the lighthouse door painted?", ["green"]),
        ('{"36": "111", "37": "112", "38": "113"}', "What is the value of key 37?", ["112"]),
        ("kv_7a3f2b: 0a6f5b8e-1111-4222-8333-944445555666", "What is the value of kv_7a3f2b?",
         ["0a6f5b8e-1111-4222-8333-944445555666"]),
        ("苹果的访问代码是QR-7749。", "苹果的访问代码是什么？", ["QR-7749"]),
    ],
)  # fmt: skip
def test_the_value_of_the_sentence_is_given(sentence: str, question: str, values: list[str]) -> None:
    assert read(f"{FILLER}\n{sentence}\n{FILLER}", question) == values


def test_a_needle_in_the_middle_of_a_sentence_is_read() -> None:
    document = "In the morning we The code of Zyra-7 is QR-7749. walked along the shore. And so on."

    assert read(document, "What is the code of Zyra-7?") == ["QR-7749"]


def test_a_needle_in_a_script_without_spaces_is_read() -> None:
    document = "第一天。The code of Zyra-7 is QR-7749.第二天我们走了。"

    assert read(document, "What is the code of Zyra-7?") == ["QR-7749"]


def test_a_longer_name_is_another_name() -> None:
    document = "The code of Zyranthex-70 is AA-1000. The code of Zyranthex-7 is BB-2000. Zyranthexian tea is nice."

    assert read(document, "What is the code of Zyranthex-7?") == ["BB-2000"]
    assert read(document, "What is the code of Zyranthex-70?") == ["AA-1000"]


def test_where_the_name_is_missing_the_nearest_one_is_taken() -> None:
    assert read("The code of Zyranthex-8 is AA-1000.", "What is the code of Zyranthex-7?") == ["AA-1000"]


def test_among_facts_of_one_entity_the_attribute_decides() -> None:
    document = "The echo delay of Zyra-7 is 12. The spin quotient of Zyra-7 is 99. The tidal lag of Zyra-7 is 3."

    assert read(document, "What is the spin quotient of Zyra-7?") == ["99"]


def test_several_names_give_several_values_in_the_order_of_the_question() -> None:
    document = f"The code of Zyra-7 is AA-1000. {FILLER} The code of Velmora North is BB-2000."

    assert read(document, "What is the code of each of Velmora North and Zyra-7?") == ["BB-2000", "AA-1000"]
    assert read(document, "What is the code of each of Velmora North, Ombral Tau and Zyra-7?") == ["BB-2000", "AA-1000"]


@pytest.mark.parametrize(
    "question",
    [
        "What is the code of Zyra-7?",
        "What is the best museum in San Diego?",
        "Who painted the lighthouse door?",
        "What is the oldest museum in San Francisco?",
        "Who painted the ferry door green?",
        "",
        "?",
    ],
)
def test_nothing_is_answered_where_nothing_matches(question: str) -> None:
    assert read(FILLER, question) == []


def test_a_question_is_never_its_own_answer() -> None:
    assert read("Somebody asked: What is the code of Zyra-7? Nobody knew.", "What is the code of Zyra-7?") == []


def test_what_is_not_attended_to_is_not_read() -> None:
    document = "The code of Zyra-7 is AA-1000. The code of Zyra-7 is BB-2000."

    assert answer(document, "What is the code of Zyra-7?", lambda start, end: start > 20) == ["BB-2000"]
    assert answer(document, "What is the code of Zyra-7?", lambda start, end: False) == []


def test_content_words_are_lower_case_and_without_function_words() -> None:
    assert content_words("What is the Orbital period of it?") == ["orbital", "period"]
    assert content_words("访问代码") == ["访问", "问代", "代码"]


def test_long_lines_of_one_script_are_read_in_linear_time() -> None:
    # Patterns that backtrack would take hours here.
    line = "漢" * 200_000

    assert find_question(f"{line}？\n{line}") == f"{line}？"
    assert find_question("." * 100_000 + "x? " + "!" * 100_000 + "x") == "." * 100_000 + "x?"
    assert read(f"{line} The code of Zyra-7 is QR-7749.", "What is the code of Zyra-7?") == ["QR-7749"]


def test_what_a_question_quotes_is_looked_for_in_quotes() -> None:
    document = '{"8": 12,\n "12": 30,\n "30": 8,\n "ab": "AB",\n "cd": "xy"}'

    assert read(document, 'Which value is stored under the key "12"?') == ["30"]
    assert read(document, 'Which value is stored under the key "ab"?') == ["AB"]
    assert read(document, 'Which value is stored under the key "cd"?') == ["xy"]
    assert read(document, 'Which value is stored under the key "ef"?') == []
