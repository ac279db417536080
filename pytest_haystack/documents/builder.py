"""Building a document: haystack text with needles at their depths, of exactly the asked number of tokens."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from pytest_haystack.documents.document import Document, Insert, Placement, recorded
from pytest_haystack.documents.draft import Block, Draft, Span
from pytest_haystack.documents.ending import Ending, fit_ending
from pytest_haystack.documents.haystack_text import HaystackText
from pytest_haystack.documents.layout import SEPARATION, Layout, lay_out
from pytest_haystack.documents.placing import closing_block, inserted_block, insertion_point
from pytest_haystack.documents.sliding import slide
from pytest_haystack.errors import DocumentError
from pytest_haystack.tokens.encoding import facts_of

#: Tokens that a document with inserts keeps for haystack text.
_LEAST_HAYSTACK = 8

#: What of a recipe's origin must be the same for the same bytes.
_DECISIVE = (
    "source", "sha256", "separator", "parts", "shuffle", "offset", "window", "tokenizer", "tokenizer_sha256",
)  # fmt: skip


class _Step(NamedTuple):
    """A block of inserts in its place, at the end of a draft."""

    members: tuple[int, ...]
    draft: Draft
    block: Block


def tokens_needed(texts: Sequence[str], count: Callable[[str], int]) -> int:
    """The least number of tokens of a document that can hold these inserts, whose tokens ``count`` tells."""
    return _needed([count(text) for text in texts])


def build_document(haystack: HaystackText, inserts: Sequence[Insert], tokens: int, *, tolerance: float) -> Document:
    """A document of exactly ``tokens`` tokens with every insert at its depth.

    Actual depth percent = 100 x tokens before the insert / (document tokens - the insert's own tokens). It differs
    from the asked depth by at most ``tolerance`` percentage points in documents of at least 1,000 tokens, as far as
    the other inserts leave room; inserts whose depths collide stand next to each other, in the given order. An
    insert is put between paragraphs, else sentences, else lines, else words: the first of these that the tolerance
    allows. Placements are in the order of ``inserts``.

    Raises DocumentError where the inserts do not fit or the haystack text is too short.
    """
    sizes = [haystack.encoding.count(insert.text) for insert in inserts]
    needed = _needed(sizes)
    if tokens < needed:
        raise DocumentError(
            f"a document of {tokens} tokens cannot hold {len(inserts)} needle(s), which need {needed}; "
            "choose a longer context length, or fewer or shorter needles"
        )
    texts = [insert.text for insert in inserts]
    layout = lay_out(inserts, sizes, tokens, tolerance)
    whole = haystack.encoding.whole
    first = None
    if haystack.window.sliding and (slid := slide(haystack, layout, texts, tokens)) is not None:
        haystack, first = haystack.starting_at(slid[0]), slid[1] - slid[0]
    steps = _placed(haystack, texts, layout, tokens, first)
    last, ending = _ended(haystack, texts, layout, steps, tokens)
    document = _document(haystack, inserts, tokens, tolerance, [*steps, last], ending)
    if whole is not None and whole.count(document.text) != tokens:
        # A tokenizer of the user's, in a text that it treats otherwise than those it was tried on: the slow way.
        slow = haystack.counted_whole()
        assert slow is not None
        return build_document(slow, inserts, tokens, tolerance=tolerance)
    return document


def _needed(sizes: Sequence[int]) -> int:
    return sum(size + SEPARATION for size in sizes) + _LEAST_HAYSTACK if sizes else 1


def rebuild(haystack: HaystackText, recipe: Mapping[str, Any]) -> Document:
    """The document that a recipe describes, byte for byte.

    The source's content hash decides whether the haystack is the recipe's; its options, such as the folder that it
    was read from, do not. Raises DocumentError where the haystack or the tokenizer is another, or where the needles
    or the filler at the end come out different from what the recipe says.
    """
    here = {**haystack.origin(), **facts_of(haystack.encoding)}
    there = {**recipe["haystack"], **{key: recipe.get(key) for key in ("tokenizer", "tokenizer_sha256")}}
    changed = [
        f"{key} is {here.get(key)!r}, not {there.get(key)!r}" for key in _DECISIVE if here.get(key) != there.get(key)
    ]
    if changed:
        raise DocumentError(f"this haystack cannot give the recipe's document: {'; '.join(changed)}")
    inserts = [Insert(entry["text"], entry["requested_depth_percent"]) for entry in recipe["placements"]]
    document = build_document(haystack, inserts, recipe["document_tokens"], tolerance=recipe["depth_tolerance"])
    if document.recipe["placements"] != recipe["placements"]:
        raise DocumentError("the needles do not come to stand where the recipe says: another version made it")
    if document.recipe["filler"] != recipe.get("filler"):
        raise DocumentError(
            f"the document ends with the filler {document.recipe['filler']!r}, not {recipe.get('filler')!r} as the "
            "recipe says: another version made it"
        )
    return document


def _placed(
    haystack: HaystackText, texts: Sequence[str], layout: Layout, tokens: int, first: int | None
) -> list[_Step]:
    """Every group of the layout in its place, in document order; the first one at ``first`` if that is given."""
    steps: list[_Step] = []
    draft = Draft(haystack)
    for number, group in enumerate(layout.groups):
        added = draft.added
        limit: float = tokens - added - sum(later.width for later in layout.groups[number:]) - layout.tail_width
        if number + 1 < len(layout.groups):
            limit = min(limit, layout.groups[number + 1].aim + group.before - added)
        chosen = number == 0 and first is not None
        draft = draft.advanced(first if chosen and first is not None else insertion_point(draft, group, limit))
        block = inserted_block(haystack.text, draft.position, [texts[member] for member in group.members])
        steps.append(_Step(group.members, draft, block))
        draft = draft.inserted(block)
    return steps


def _ended(
    haystack: HaystackText, texts: Sequence[str], layout: Layout, steps: list[_Step], tokens: int
) -> tuple[_Step, Ending]:
    """The end of the document: the inserts that close it, and the haystack text and filler before them.

    Takes the last groups off ``steps`` where too little would be left after them: they close the document then.
    """
    members = layout.tail
    while True:
        draft = steps[-1].draft.inserted(steps[-1].block) if steps else Draft(haystack)
        block = closing_block([texts[member] for member in members])
        ending = fit_ending(draft, block.text, tokens)
        if ending:
            return _Step(members, draft.advanced(ending.cut), block), ending
        if not steps:
            raise DocumentError(
                f"no ending gives a document of exactly {tokens} tokens under {haystack.encoding.name}; "
                "choose another context length"
            )
        members = steps.pop().members + members


def _document(
    haystack: HaystackText,
    inserts: Sequence[Insert],
    tokens: int,
    tolerance: float,
    steps: Sequence[_Step],
    ending: Ending,
) -> Document:
    """The finished document: its text, where every insert stands, and its recipe."""
    parts: list[str] = []
    placements: dict[int, Placement] = {}
    here = 0
    for number, (members, draft, block) in enumerate(steps):
        parts.append(haystack.text[here : draft.position])
        if number + 1 < len(steps):
            following = haystack.text[draft.position : steps[number + 1].draft.position]
        else:
            parts.append(ending.filler)
            draft = draft.continued(ending.filler)
            following = ""
        parts.append(block.text)
        here = draft.position
        for member, span in zip(members, draft.spans(block, following), strict=True):
            placements[member] = _placement(inserts[member], span, tokens)
    ordered = tuple(placements[member] for member in range(len(inserts)))
    recipe = {
        "haystack": haystack.origin(),
        **facts_of(haystack.encoding),
        "placements": [recorded(placement) for placement in ordered],
        "filler": ending.filler,
        "document_tokens": tokens,
        "depth_tolerance": tolerance,
    }
    return Document("".join(parts), tokens, ordered, recipe, haystack.repeats(ending.cut))


def _placement(insert: Insert, span: Span, tokens: int) -> Placement:
    return Placement(
        insert.text,
        insert.depth_percent,
        100 * span.token_index / (tokens - span.tokens),
        span.token_index,
        span.char_index,
    )
