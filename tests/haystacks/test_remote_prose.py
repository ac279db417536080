"""Markup to prose: what stays, what goes, and what goes with it, in several scripts."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_haystack.haystacks.remote.abstracts import plain_abstract
from pytest_haystack.haystacks.remote.prose import HOLE, LISTED
from pytest_haystack.haystacks.remote.wikitext import plain_text

#: Long enough to be a paragraph, so that a case can be about a few words.
BEFORE = "The mill at the river turned through the winter, and nobody in the village went without bread."
AFTER = "The miller slept at noon."


@pytest.mark.parametrize(
    ("wikitext", "expected"),
    [
        ("It is '''old''' and ''dear''.", "It is old and dear."),
        ("See [[Orvel (river)|the Orvel]] and [[weir]]s.", "See the Orvel and weirs."),
        ("It is [[:Category:Mills|a mill]].", "It is a mill."),
        ("It has a [https://example.org/x page].", "It has a page."),
        ("It burnt.<ref>Dow, ''Mills''.</ref><ref name=x/> It was rebuilt.", "It burnt. It was rebuilt."),
        ("It burnt,{{sfn|Dow|1990}} and was rebuilt.{{citation needed|date=May 2020}}", "It burnt, and was rebuilt."),
        ("It is {{convert|12|km|mi|abbr=on}} off.", "It is 12 km off."),
        ("It holds {{convert|3|to|5|t|lb}} of flour.", "It holds 3 to 5 tonnes of flour."),
        ("They say {{lang|fr|moulin}} there.", "They say moulin there."),
        ("Its wheel is {{frac|1|2}} mile off.", "Its wheel is 1/2 mile off."),
        ("Area 3 m<sup>2</sup>, CO<sub>2</sub> and 4<sup>th</sup>.", "Area 3 m², CO₂ and 4th."),
        ("Salt&nbsp;&amp; bread &#8211; daily.", "Salt & bread – daily."),
        ("One<!-- not two --> loaf.", "One loaf."),
        ("Called ({{IPA|x}}; {{lang-de|Mühle}}) a mill.", "Called a mill."),
        ("Called (since 1900, {{IPA|x}}) a mill ( ).", "Called a mill."),
        ("__NOTOC__It is old.", "It is old."),
        ("A line\nthat goes on.", "A line that goes on."),
        ("[[File:Mill.jpg|thumb|A [[mill]] in ''snow''.]]It is old.", "It is old."),
        ("{{Use dmy dates}}It is old.", "It is old."),
        ("<nowiki>[[It]]</nowiki> is old.", "[[It]] is old."),
    ],
)
def test_words_stay_and_markup_goes(wikitext: str, expected: str) -> None:
    assert plain_text(f"{wikitext} {BEFORE} {AFTER}") == f"{expected} {BEFORE} {AFTER}"


@pytest.mark.parametrize(
    "sentence",
    [
        "It weighs {{weight of|mill}} in all.",
        "The law is <math>x^2</math>.",
        "The speed<math>v</math> grows.",
        "It stands at {{{place}}} today.",
        "It holds approx. {{barrels|9}} each year.",
        "By J. R. {{surname}} it was built.",
        "It is at https://example.org/mill today.",
        "Power 10<sup>a+b</sup> is needed.",
    ],
)
def test_a_sentence_with_a_hole_goes_whole_and_alone(sentence: str) -> None:
    assert plain_text(f"{BEFORE} {sentence} {AFTER}") == f"{BEFORE} {AFTER}"


@pytest.mark.parametrize(
    "block",
    [
        "* One\n* Two\n## Three\n: Indented {{x}}\n; Term: words",
        '{| class="wikitable"\n|+ Caption\n! Year\n! Mills\n|-\n| 1900 || 12\n|}',
        "== Heading ==",
        "<gallery>\nFile:A.jpg|One\n</gallery>",
        "{{Infobox mill\n| name = Mill\n| map = {{Map|[[x]]}}\n}}",
        "<blockquote>A word.</blockquote>",
        "<ul><li>One.</li><li>Two.</li></ul>",
        "[[Category:Mills]]\n[[fr:Moulin]]\n[[Image:X.png]]",
        "<!--\nnothing\n-->",
        "Too short.",
        "A line that does not end, although it is as long as a paragraph has to be, and so is no sentence",
        "<references/>\n{{reflist|30em}}",
        "<syntaxhighlight lang=c>\nint main() { return 0; }\n</syntaxhighlight>",
    ],
)
def test_what_is_no_prose_leaves_no_trace(block: str) -> None:
    assert plain_text(f"{BEFORE}\n\n{block}\n\n{BEFORE} {AFTER}") == f"{BEFORE}\n\n{BEFORE} {AFTER}"


def test_an_introduction_to_a_list_goes_with_the_list() -> None:
    assert plain_text(f"{BEFORE} It has these parts:\n* Wheel\n* Stone\n\n{AFTER} {BEFORE}") == (
        f"{BEFORE}\n\n{AFTER} {BEFORE}"
    )


def test_namespaces_are_hidden_as_the_wiki_calls_them() -> None:
    text = f"[[Datei:X.jpg|mini|Eine Mühle.]] [[Kategorie:Mühlen]] {BEFORE} [[Hilfe:Mühle|Hilfe]] kam."

    assert plain_text(text, ["datei", "kategorie"]) == f"{BEFORE} Hilfe kam."


def test_chinese_of_several_regions_becomes_one() -> None:
    text = (
        "-{T|zh-hans:磨坊;zh-hant:磨坊館}-'''磨坊'''（{{lang-en|Mill}}）是河边的-{zh-hant:舊建築;zh-hans:旧建筑}-，-{磨}-粉用。{{unknown}}"
        "它的水轮{{measure|5}}重。孩子们在岸上追着船跑，直到桥头才停下来{{来源请求}}。「真的吗？」她问。冬天来了，"
        "钟楼的门都推不开。"
    )

    assert plain_text(text) == (
        "磨坊是河边的旧建筑，磨粉用。孩子们在岸上追着船跑，直到桥头才停下来。「真的吗？」她问。冬天来了，钟楼的门都推不开。"
    )


def test_arabic_sentences_end_at_their_own_marks() -> None:
    text = (
        "'''الطاحونة''' ({{إنج|Mill}}) بناء قديم على ضفة النهر،{{مصدر}} يملكه أهل القرية. هل يزن {{وزن|5}} أطنان؟ "
        "لا أحد يعرف ذلك؛ فقد ضاعت الأوراق منذ زمن بعيد. متى ضاعت؟"
    )

    assert plain_text(text) == (
        "الطاحونة بناء قديم على ضفة النهر، يملكه أهل القرية. لا أحد يعرف ذلك؛ فقد ضاعت الأوراق منذ زمن بعيد. متى ضاعت؟"
    )


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.sampled_from([*"[[]]{{}}|''<ref></ref>\n*=: ", "text. ", "{|", "|}", "-{", "}-", HOLE, LISTED, "。"]))
)
def test_no_wikitext_breaks_it_and_no_mark_stays(parts: list[str]) -> None:
    text = plain_text(BEFORE + "".join(parts))

    assert not {HOLE, LISTED} & set(text)
    assert text == text.strip()
    assert plain_text(BEFORE + "".join(parts)) == text


@pytest.mark.parametrize(
    ("tex", "expected"),
    [
        (r"We use $n$ mills.", "We use n mills."),
        (r"It fell by $10^{-3}$ to $x_1$.", "It fell by 10⁻³ to x₁."),
        (r"Up to $95\%$ or 5\% \& more.", "Up to 95% or 5% & more."),
        (r"Erd\H{o}s, Schr\"odinger, Poincar\'{e}, \v{C}ech, \ss{}.", "Erdős, Schrödinger, Poincaré, Čech, ß."),
        (r"It is \emph{very \textbf{old}}, {\em indeed}.", None),
        (r"It is \emph{very \textbf{old}}.", "It is very old."),
        ("It is ``old'' -- and dear --- both~ways.", 'It is "old" – and dear — both ways.'),
        (r"Let $\alpha \leq \beta$ hold.", "Let α ≤ β hold."),
        (r"Let \(k\) be odd.", "Let k be odd."),
        (r"Hence $\sum_i x_i = \frac{1}{2}$ holds.", None),
        (r"See \url{https://x.org/a} for it.", None),
        ("See https://x.org/a for it.", None),
        (r"By \cite{dow} it is so.", None),
        (r"A lone \unknown{word} stands.", None),
        ("A lone $ stands.", None),
        ("Snake_case names stay not.", None),
    ],
)
def test_tex_becomes_characters_or_takes_its_sentence(tex: str, expected: str | None) -> None:
    whole = f"{expected} " if expected else ""

    assert plain_abstract(f"  {BEFORE} {tex} {AFTER}\n") == f"{BEFORE} {whole}{AFTER}"


def test_lines_of_an_abstract_are_joined_and_indented_ones_begin_a_paragraph() -> None:
    first, second = BEFORE.replace(" river ", "\nriver\n"), f"{AFTER} {BEFORE}"

    assert plain_abstract(f"  {first}\n  {second}\n") == f"{BEFORE}\n\n{second}"


@settings(max_examples=150, deadline=None)
@given(st.text(st.sampled_from("\\$ {}_^~%\n.ab'\"`-" + HOLE), max_size=60))
def test_no_abstract_breaks_it(tex: str) -> None:
    text = plain_abstract(BEFORE + tex)

    assert not {HOLE, "\\", "$"} & set(text)
