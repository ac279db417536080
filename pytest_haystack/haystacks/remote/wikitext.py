"""Wikitext to plain prose. The same wikitext gives the same text on every machine: no template is looked up."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Any

from pytest_haystack.haystacks.remote.prose import HOLE, LISTED, prose, without_marks
from pytest_haystack.haystacks.remote.wikitext_templates import template_text

#: Raised whenever the same wikitext would give another text.
RULES = 1


def _names(words: str) -> frozenset[str]:
    return frozenset(words.split())


#: Tags that say nothing where they stand, that say something which plain text cannot, and that stand apart.
_SILENT = _names("ref references templatestyles section indicator includeonly noinclude")
_UNSPEAKABLE = _names("math chem ce hiero score maplink")
_APART = _names(
    "table gallery timeline syntaxhighlight source pre imagemap graph mapframe poem blockquote ol ul dl hr inputbox "
    "categorytree"
)
_RAISED = str.maketrans("0123456789+-−n", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻ⁿ")
_LOWERED = str.maketrans("0123456789+-−", "₀₁₂₃₄₅₆₇₈₉₊₋₋")
_FIGURES = re.compile(r"[0-9+\-−n]+$")
#: ``[[fr:Titre]]`` without words of its own: the same article elsewhere.
_OTHER_LANGUAGE = re.compile(r"[a-z]{2,3}(-[a-z]+)*:\S")
_SWITCH = re.compile(r"__\w+?__")
#: Chinese of several regions at once: ``-{zh-hans:甲;zh-hant:乙}-``, ``-{甲}-``, ``-{T|...}-``.
_VARIANTS = re.compile(r"-\{([^{}]*)\}-")
_PREFERRED = ("zh-hans", "zh-cn", "zh")


def plain_text(wikitext: str, hidden: Collection[str] = ()) -> str:
    """The prose of an article, empty where it has none.

    ``hidden`` are names of namespaces in lower case, as the wiki calls them, whose links show no text: files and
    categories.
    """
    import mwparserfromhell
    from mwparserfromhell.parser import ParserError

    try:
        code = mwparserfromhell.parse(without_marks(wikitext))
    except (ParserError, RecursionError):
        return ""
    renderer = _Renderer(frozenset(hidden) | {"file", "image", "category"})
    return prose(_SWITCH.sub("", _VARIANTS.sub(_variant, renderer.render(code))))


class _Renderer:
    def __init__(self, hidden: frozenset[str]) -> None:
        self._hidden = hidden

    def render(self, code: Any) -> str:
        """The text of parsed wikitext, with holes."""
        return "".join(self._node(node) for node in code.nodes) if code is not None else ""

    def _node(self, node: Any) -> str:
        kind = type(node).__name__.lower()
        method = getattr(self, f"_{kind}", None)
        return method(node) if method is not None else HOLE

    def _text(self, node: Any) -> str:
        return str(node.value)

    def _comment(self, node: Any) -> str:
        return ""

    def _heading(self, node: Any) -> str:
        return "\n\n"

    def _htmlentity(self, node: Any) -> str:
        try:
            return without_marks(node.normalize())
        except (ValueError, OverflowError):
            return HOLE

    def _externallink(self, node: Any) -> str:
        return self.render(node.title) if node.title else HOLE

    def _wikilink(self, node: Any) -> str:
        title = str(node.title).strip()
        if not title.startswith(":"):
            prefix = title.partition(":")[0].strip().lower().replace("_", " ")
            if ":" in title and prefix in self._hidden:
                return ""
            if node.text is None and _OTHER_LANGUAGE.match(title):
                return ""
        shown = self.render(node.text).strip() if node.text is not None else ""
        return shown or title.lstrip(":").replace("_", " ")

    def _template(self, node: Any) -> str:
        values = [self.render(param.value).strip() for param in node.params if not param.showkey]
        text = template_text(str(node.name), values)
        return HOLE if text is None else text

    def _tag(self, node: Any) -> str:
        name = str(node.tag).strip().lower()
        if name in ("li", "dd", "dt"):
            return LISTED if node.wiki_markup else f"\n{LISTED}{self.render(node.contents)}\n"
        if name in _SILENT:
            return ""
        if name in _UNSPEAKABLE:
            # With a space before it, it is not taken for the mark of a footnote.
            return f" {HOLE}"
        if name in _APART:
            return "\n\n"
        if name == "br":
            return " "
        text = self.render(node.contents)
        if name in ("sup", "sub"):
            return _moved(text, name)
        return f"\n{text}\n" if name in ("p", "div", "center") else text


def _moved(text: str, name: str) -> str:
    """A raised or lowered text: figures have characters of their own, and letters below are read without them."""
    if _FIGURES.match(text):
        return text.translate(_RAISED if name == "sup" else _LOWERED)
    return f" {HOLE}" if name == "sup" and not text.isalpha() else text


def _variant(match: re.Match[str]) -> str:
    flags, bar, rules = match[1].rpartition("|")
    if bar and set(flags) & set("THN-"):
        return ""
    choices = dict(part.strip().split(":", 1) for part in rules.split(";") if re.match(r"\s*zh[a-z-]*\s*:", part))
    if not choices:
        return rules
    named = {key.strip(): text.strip() for key, text in choices.items()}
    return next((named[name] for name in _PREFERRED if name in named), next(iter(named.values())))
