"""Reading by lexical overlap: find the question, the sentence that shares its words, and the value in it.

Everything here works on the prompt's text alone. It is a baseline that gets plain look-ups right and is lost
where words do not match, where near-identical facts compete, or where two facts must be joined.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

#: Whether a reader attends to the sentence at these character offsets (start, end) of the document.
Attends = Callable[[int, int], bool]

UUID = r"[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}"
WORD = re.compile(rf"{UUID}|\w+(?:[-.,'’:/]\w+)*")
#: A word with a digit that nothing but punctuation follows; a number keeps its sign. In scripts that write no
#: spaces the next sentence follows at once, hence ASCII.
BARE_VALUE = re.compile(rf"(?:{UUID}|(?=[\w.,:/-]*\d)-?\w+(?:[-.,:/]\w+)*)(?![\w ]|[-.,:/]\w)", re.ASCII)
SENTENCE_END = re.compile(r"(?<![.!?…])[.!?…]+[\"'”’)\]]*(?=\s|$)|[。！？]|\n")
#: What may stand before a question on its line, such as ``Question:``.
LABEL = re.compile(r"[\W_]*(?:[^\W\d]{1,20} ){0,3}[^\W\d]{1,20}[:：][\W_]*")
#: What links a name to its value.
LINK = re.compile(r"(?:[^\w-]|-(?!\d)|(?:is|was|are|were|equals|leads?|to)\b|(?:the )?(?:key|value)\b)+", re.IGNORECASE)
#: Between a value and the name that follows it.
VERB = re.compile(r"\s(?:is|was|are|were)\s")
CJK = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]")
STOPWORDS = frozenset((
    "a", "all", "an", "and", "any", "are", "as", "at", "be", "been", "by", "did", "do", "does", "each",
    "for", "from", "give", "given", "had", "has", "have", "how", "if", "in", "into", "is", "it", "its",
    "many", "much", "of", "on", "or", "that", "the", "their", "there", "these", "this", "those", "to",
    "under", "was", "were", "what", "when", "where", "which", "who", "whom", "whose", "why", "with",
))  # fmt: skip
#: A question that asks how often a quoted phrase is there.
HOW_OFTEN = re.compile(r"\bhow (?:many times|often)\b.*?[\"“](.+?)[\"”]", re.IGNORECASE)
#: Sentences are cut at this many characters before and after the words that were found.
REACH = 1000
#: Places looked at for one name; more say nothing new.
MOST_PLACES = 2000


@dataclass(frozen=True, slots=True)
class Place:
    """Where something was found: its own offsets and those of the sentence around it."""

    start: int
    end: int
    sentence_start: int
    sentence_end: int


def find_question(text: str) -> str:
    """The last line that opens with a question, else the last sentence that is one, else ``""``."""
    fallback = ""
    for line in reversed(text.splitlines()):
        if "?" not in line and "？" not in line:
            continue
        label = LABEL.match(line)
        parts = list(_sentences(line[label.end() :] if label else line))
        asked = [part for part in parts if _is_question(part)]
        # With more than two further sentences it is a paragraph of the text that opens with a question.
        if asked and asked == parts[: len(asked)] and len(parts) - len(asked) <= 2:
            return " ".join(asked)
        fallback = fallback or "".join(asked[-1:])
    return fallback


def answer(document: str, question: str, attends: Attends) -> list[str]:
    """The values that the document gives, one for each name that the question asks about; empty for none.

    How often a quoted phrase is there is counted.
    """
    if counted := HOW_OFTEN.search(question):
        # Where it is quoted, a question asks for it.
        seen = re.finditer(rf"(?<![\"“]){re.escape(counted[1])}", document)
        return [str(sum(attends(match.start(), match.end()) for match in seen))]
    question = _asking(question)
    asked = names(question)
    words = [word for word in content_words(question) if not any(word in name.lower() for name in asked)]
    found = []
    for name in asked:
        places, quoted = list(_places_of(document, name)), f'"{name}"' in question
        if quoted:
            # What the question quotes is meant as the text quotes it: the key "12", not the number 12.
            places = [place for place in places if _is_quoted(document, place.start, place.end)] or places
        place = _best(document, places, name, [] if quoted else words, attends)
        found.append(value_at(document, place, question) if place else "")
    if not asked:
        place = _by_words(document, words, attends)
        found.append(value_at(document, place, question) if place else "")
    return list(dict.fromkeys(value for value in found if value))


def _asking(question: str) -> str:
    """The question up to its last question mark: what comes after says how to answer."""
    end = max(question.rfind("?"), question.rfind("？"))
    return question[: end + 1] if end >= 0 else question


def names(question: str) -> list[str]:
    """What a question asks about: runs of words with a digit, an underscore or a capital, and what it quotes."""
    found: list[str] = []
    last_end = -1
    for match in WORD.finditer(question):
        word = match.group()
        opens = not question[: match.start()].rstrip(" \"'“‘(") or question[: match.start()].rstrip()[-1:] in ".?!:"
        marked = any(c.isdigit() or c == "_" for c in word) or (word[0].isupper() and not opens and word != "I")
        marked = marked or _is_quoted(question, match.start(), match.end())
        if not marked:
            continue
        joined = last_end >= 0 and question[last_end : match.start()] == " "
        if joined:
            found[-1] += f" {word}"
        else:
            found.append(word)
        last_end = match.end()
    # "Which 3 keys ..." asks about no 3, unless there is nothing else that it could ask about.
    return list(dict.fromkeys(name for name in found if not name.isdigit())) or found


def content_words(text: str) -> list[str]:
    """Lower-case words that carry meaning; pairs of characters where a script writes no spaces."""
    found: list[str] = []
    for match in WORD.finditer(text.lower()):
        word = match.group()
        if CJK.search(word):
            found += [word[i : i + 2] for i in range(len(word) - 1)]
        elif word not in STOPWORDS:
            found.append(word)
    return list(dict.fromkeys(found))


def value_at(document: str, place: Place, question: str) -> str:
    """The value that a sentence gives: what follows the found words, else what precedes them."""
    words = WORD.findall(question)
    # Not in other capitals: the value QX of the key qx is no repetition.
    known = {form for word in words for form in (word, word.lower(), word.capitalize())}
    after = document[place.end : place.sentence_end]
    before = document[place.sentence_start : place.start]
    return _value_in(after, known) or _value_in(VERB.split(before)[0], known)


def _value_in(part: str, known: set[str]) -> str:
    phrase = _without_link(part)
    while (match := WORD.match(phrase)) and match.group() in known:
        phrase = _without_link(phrase[match.end() :])
    bare = BARE_VALUE.match(phrase)
    return bare.group() if bare else phrase.strip(" \t\n.!,;:\"'“”‘’]}")


def _without_link(phrase: str) -> str:
    link = LINK.match(phrase)
    return phrase[link.end() :] if link else phrase


def _places_of(document: str, name: str) -> Iterator[Place]:
    head = _head(name)
    start, left = document.find(head), MOST_PLACES
    while start >= 0 and left:
        end = start + len(head)
        if not (_is_word(document[start - 1 : start]) or _is_word(document[end : end + 1])):
            tail = re.compile(r"(?:-\w+)*").match(document, end)
            yield _around(document, start, tail.end() if tail else end)
            left -= 1
        start = document.find(head, end)


def _head(name: str) -> str:
    """The part of a name that must be there for it to be the one that is meant, or nearly so."""
    stem = name.partition(" ")[0].partition("-")[0]
    return stem if len(stem) >= 4 and stem.isalpha() else name


def _best(document: str, places: list[Place], name: str, words: list[str], attends: Attends) -> Place | None:
    """The place that shares most with the name, then with the question; None where nothing does."""
    parts = set(re.findall(r"\w+", name.lower()))
    identifier = any(c.isdigit() or c == "_" for c in name)
    best, most = None, (0, 0)
    for place in places:
        sentence = document[place.sentence_start : place.sentence_end]
        if _is_question(sentence) or not attends(place.sentence_start, place.sentence_end):
            continue
        # Up to the end of a word: half of "VT-3566" must not pass for the "35" of a name.
        end = min(len(document), place.end + len(name))
        while end < len(document) and _is_word(document[end]):
            end += 1
        near = set(re.findall(r"\w+", document[place.start : end].lower()))
        shared = len(set(words) & set(content_words(sentence)))
        # A word with a capital may be in any sentence; an identifier is proof enough by itself.
        if words and not shared and not identifier:
            continue
        score = (len(parts & near), shared)
        if score > most:
            best, most = place, score
    return best


def _by_words(document: str, words: list[str], attends: Attends) -> Place | None:
    """The sentence that shares at least half of the question's words, rare words counting more."""
    lowered = document.lower()
    if len(lowered) != len(document):
        lowered = document  # a few letters change length: offsets matter more than capitals
    counts = {word: lowered.count(word) for word in words}
    rare = sorted((word for word in words if counts[word]), key=lambda word: (counts[word], word))[:3]
    total = sum(1 / (1 + counts[word]) for word in words)
    best, most = None, total / 2
    for word in rare:
        start, left = lowered.find(word), MOST_PLACES
        while start >= 0 and left:
            place = _around(document, start, start + len(word))
            sentence = lowered[place.sentence_start : place.sentence_end]
            shared = [other for other in words if other in sentence]
            weight = sum(1 / (1 + counts[other]) for other in shared)
            seen = attends(place.sentence_start, place.sentence_end) and not _is_question(sentence)
            if seen and weight > most:
                last = max(sentence.rfind(other) + len(other) for other in shared)
                first = min(sentence.find(other) for other in shared)
                base = place.sentence_start
                best, most = Place(base + first, base + last, base, place.sentence_end), weight
            start, left = lowered.find(word, max(place.sentence_end, start + 1)), left - 1
    return best


def _around(document: str, start: int, end: int) -> Place:
    low = max(0, start - REACH)
    sentence_start = low
    for match in SENTENCE_END.finditer(document, low, start):
        sentence_start = match.end()
    closing = SENTENCE_END.search(document, end, end + REACH)
    sentence_end = closing.end() if closing else min(len(document), end + REACH)
    while sentence_start < start and document[sentence_start].isspace():
        sentence_start += 1
    return Place(start, end, sentence_start, sentence_end)


def _sentences(line: str) -> Iterator[str]:
    start = 0
    for match in SENTENCE_END.finditer(line):
        yield line[start : match.end()].strip()
        start = match.end()
    if line[start:].strip():
        yield line[start:].strip()


def _is_question(sentence: str) -> bool:
    return sentence.rstrip(" \n\"'”’)").endswith(("?", "？"))


def _is_quoted(text: str, start: int, end: int) -> bool:
    return text[start - 1 : start] == '"' == text[end : end + 1]


def _is_word(character: str) -> bool:
    return character.isalnum() or character == "_"
