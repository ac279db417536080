"""One spelling for what differs in presentation only: Unicode forms, dashes, quotes, digits, markup.

Everything here is linear in the length of the text and never raises, whatever the text holds.
"""

from __future__ import annotations

import html
import re
import unicodedata

_DASHES = dict.fromkeys(map(ord, "\u2010\u2011\u2012\u2013\u2212\u2043\ufe58\ufe63\uff0d\u1806"), "-")
#: An em dash sets off a remark as often as it stands for a hyphen, so it stays a sign of its own.
_EM_DASHES = dict.fromkeys(map(ord, "\u2015\u2e3a\u2e3b\u2014"), "—")
_QUOTES = {
    **dict.fromkeys(map(ord, "\u2018\u2019\u201a\u201b\u2032\u02bc\u00b4\uff07\u2039\u203a"), "'"),
    **dict.fromkeys(map(ord, "\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb\u300a\u300b\u300c\u300d\u300e\u300f"), '"'),
}
_MARKS = {
    **dict.fromkeys(map(ord, "。．｡"), ". "),
    **dict.fromkeys(map(ord, "、､"), ", "),
    **dict.fromkeys(map(ord, "।॥۔"), ". "),
    **dict.fromkeys(map(ord, "،"), ", "),
    ord("№"): "#",
    ord("؛"): "; ",
    ord("؟"): "?",
    ord("٫"): ".",
    ord("٬"): ",",
    ord("ـ"): None,
    **dict.fromkeys(map(ord, "→⇒⟶➔➜↓⇓⬇"), "->"),
    **dict.fromkeys(map(ord, "•·▪●◦‣∙"), "•"),
}
_TABLE = {**_DASHES, **_EM_DASHES, **_QUOTES, **_MARKS}
#: Spaces that group digits.
_DIGIT_SPACES = re.compile("(?<=\\d)[\u00a0\u2007\u2008\u2009\u202f](?=\\d{3})")
_INVISIBLE = re.compile("[\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufe00-\ufe0f]")
_VULGAR = re.compile("[\u00bc-\u00be\u2150-\u215e\u2189]")
_SUPERSCRIPT = re.compile("(?<=\\w)([\u2070\u00b9\u00b2\u00b3\u2074-\u2079\u207b]+)")
_CIRCLED = re.compile("[\u2460-\u2473]")
_OTHER_DIGIT = re.compile(r"[^\D0-9]")

_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,30});")
_INLINE_TAG = re.compile(
    r"</?(?:b|i|u|s|em|strong|code|span|mark|sub|sup|kbd|tt|font|small|big|a|q|cite|samp|var)(?:\s[^<>]*)?>", re.I
)
_BLOCK_TAG = re.compile(r"</?(?:br|p|div|li|ul|ol|pre|h[1-6]|td|tr|table|blockquote)(?:\s[^<>]*)?/?>", re.I)
_STRUCK = re.compile(r"~~[^~\n]{1,300}~~|<(s|del|strike)>[^<]{1,300}</\1>", re.I)
_LINK = re.compile(r"\[([^\[\]\n]*)\]\((?:[^()\s]*)\)")
_LATEX_WRAPPER = re.compile(
    r"\\(?:text(?:bf|it|tt|rm|sf|sc|normal)?|math(?:rm|bf|tt|it|sf|normal)|emph|mbox|underline|operatorname)"
    r"\s*\{([^{}]*)\}"
)
_LATEX_FRACTION = re.compile(r"\\[dt]?frac\s*\{\s*(-?\d+)\s*\}\s*\{\s*(\d+)\s*\}")
_LATEX_WORDS = re.compile(r"\\(?:left|right|displaystyle|big|Big|quad|qquad)(?![A-Za-z])")
_LATEX_SIGNS = (
    (re.compile(r"\\(?:times|cdot)(?![A-Za-z])"), "×"),
    (re.compile(r"\\(?:to|rightarrow|longrightarrow|Rightarrow)(?![A-Za-z])"), "->"),
    (re.compile(r"(?<=\d)\\[,;:! ](?=\d)"), "_"),
    (re.compile(r"\\[,;:! ]"), " "),
    (re.compile(r"\\([\[\]()])"), " "),
    (re.compile(r"\\([-_*#.{}&%$|<>~`+])"), r"\1"),
)
_LINE_START = re.compile(r"(?m)^[ \t]*(?:#{1,6}[ \t]+|>[ \t])+")
_EMPHASIS = re.compile(r"(?<!\w)_+(?=\w)|(?<=[^\W_])_+(?!\w)")
_PRODUCT = re.compile(r"(?<=\d) ?(?<!\*)\*(?!\*) ?(?=\d)")
#: A backtick within a word stands for an apostrophe.
_TICK = re.compile(r"(?<=[^\W\d_])`(?=[^\W\d_])")
_SIGNS = re.compile(r"[*`$]")
#: What all of the above needs a character of.
_ANY_MARKUP = re.compile(r"[~<\\`{*$#>_\]]")
_BLANKS = re.compile(r"[^\S\n]+")


def normalise(text: str) -> str:
    """The text without markup, in one Unicode spelling; letter case and line breaks stay.

    Digits of all scripts become ASCII, typographic dashes (but the em dash) hyphens, quotes straight ones;
    invisible characters, Markdown, HTML and LaTeX wrappers go, and so does what is struck through.
    """
    if "&" in text:
        text = _ENTITY.sub(lambda m: html.unescape(m[0]), text)
    return _BLANKS.sub(" ", _without_markup(_one_spelling(text))).strip()


def _one_spelling(text: str) -> str:
    if text.isascii():
        return text
    text = _INVISIBLE.sub("", text)
    text = _DIGIT_SPACES.sub("_", text)
    # Compatibility forms glue what is not one number: 7½ would become 71/2, x² x2, ①7 17.
    text = _VULGAR.sub(_fraction, text)
    text = _SUPERSCRIPT.sub(lambda m: "^" + unicodedata.normalize("NFKC", m[1]).replace("\u2212", "-"), text)
    text = _CIRCLED.sub(lambda m: f" {ord(m[0]) - 0x245F}) ", text)
    text = text.translate(_TABLE)
    text = unicodedata.normalize("NFKC", text).translate(_TABLE)
    return _OTHER_DIGIT.sub(lambda m: str(unicodedata.decimal(m[0])), text)


def _fraction(match: re.Match[str]) -> str:
    glyph = unicodedata.normalize("NFKC", match[0]).replace("\u2044", "/")
    before = match.string[match.start() - 1 : match.start()]
    return f" {glyph}" if before.isdigit() else glyph


def _without_markup(text: str) -> str:
    if not _ANY_MARKUP.search(text):
        return text
    if "~~" in text or "<" in text:
        text = _STRUCK.sub(" ", text)
        text = _INLINE_TAG.sub("", text)
        text = _BLOCK_TAG.sub("\n", text)
    if "](" in text:
        text = _LINK.sub(r"\1", text)
    if "\\" in text:
        text = _LATEX_FRACTION.sub(r"\1/\2", text)
        for _ in range(3):
            text = _LATEX_WRAPPER.sub(r"\1", text)
        text = _LATEX_WORDS.sub("", text)
        for pattern, sign in _LATEX_SIGNS:
            text = pattern.sub(sign, text)
    text = _TICK.sub("'", text.replace("{,}", ","))
    text = _SIGNS.sub("", _PRODUCT.sub("×", text))
    text = _LINE_START.sub("", text)
    return _EMPHASIS.sub("", text)


def fold(text: str) -> str:
    """The text for comparison without regard to letter case."""
    folded = text.casefold()
    if folded.isascii():
        return folded
    # Folding a dotted capital I leaves a combining dot that the small letter never had.
    return unicodedata.normalize("NFC", folded.replace("i\u0307", "i"))


def without_accents(text: str) -> str:
    """The text with the accents of Latin, Greek and Cyrillic letters dropped."""
    return "".join(
        c for c in unicodedata.normalize("NFD", text) if not (unicodedata.combining(c) and "\u0300" <= c <= "\u036f")
    )


def sentences(text: str) -> list[str]:
    """The sentences of a normalised text, without their closing marks."""
    return [piece.strip() for piece in re.split(r"[.!?;]+(?:\s|$)|\n+", text) if piece.strip()]
