"""Abstracts of papers to plain prose: what TeX there is becomes characters, or takes its sentence with it."""

from __future__ import annotations

import re
import unicodedata

from pytest_haystack.haystacks.remote.prose import HOLE, prose, without_marks

#: Raised whenever the same abstract would give another text.
RULES = 1

_ACCENTS = {
    "`": "\u0300", "'": "\u0301", "^": "\u0302", "~": "\u0303", "=": "\u0304", "u": "\u0306", ".": "\u0307",
    '"': "\u0308", "r": "\u030a", "H": "\u030b", "v": "\u030c", "c": "\u0327", "k": "\u0328",
}  # fmt: skip
_ACCENT = re.compile(
    r"\\([`'^~=.\"])\s*(?:\{\s*\\?([A-Za-z])\s*\}|\\?([A-Za-z]))"
    r"|\\([uvHckr])(?:\{\s*\\?([A-Za-z])\s*\}|\s+([A-Za-z]))"
)
_SYMBOLS = {
    "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ε", "varepsilon": "ε", "zeta": "ζ", "eta": "η",
    "theta": "θ", "kappa": "κ", "lambda": "λ", "mu": "μ", "nu": "ν", "xi": "ξ", "pi": "π", "rho": "ρ", "sigma": "σ",
    "tau": "τ", "phi": "φ", "varphi": "φ", "chi": "χ", "psi": "ψ", "omega": "ω", "Gamma": "Γ", "Delta": "Δ",
    "Theta": "Θ", "Lambda": "Λ", "Sigma": "Σ", "Phi": "Φ", "Psi": "Ψ", "Omega": "Ω", "ell": "ℓ", "infty": "∞",
    "times": "×", "cdot": "·", "pm": "±", "leq": "≤", "le": "≤", "geq": "≥", "ge": "≥", "neq": "≠", "approx": "≈",
    "sim": "∼", "to": "→", "rightarrow": "→", "ll": "≪", "gg": "≫", "ldots": "...", "dots": "...", "degree": "°",
    "ss": "ß", "ae": "æ", "AE": "Æ", "oe": "œ", "o": "ø", "O": "Ø", "aa": "å", "AA": "Å", "l": "ł", "L": "Ł", "i": "i",
    "S": "§", "textendash": "–", "textemdash": "—", "textasciitilde": "~", "textbackslash": "", "quad": " ",
}  # fmt: skip
_SYMBOL = re.compile(r"\\([A-Za-z]+)")
#: Commands whose argument is shown, in another type.
_TYPE = re.compile(
    r"\\(?:emph|textit|textbf|textsc|texttt|textrm|textsf|text|mbox|mathrm|mathit|mathbf|mathcal|mathsf|mathbb|it|bf|em"
    r"|tt|sc|rm|underline|operatorname)\s*\{([^{}]*)\}"
)
_ADDRESS = re.compile(r"\\(?:url|href|cite\w*|ref|footnote)\b\s*(?:\{[^{}]*\}){0,2}|(?:https?://|www\.)\S+")
_ESCAPED = re.compile(r"\\([%&$#_{} ,;:!/\-])")
_MATHS = re.compile(r"\$\$?([^$]*)\$\$?|\\\((.*?)\\\)")
_POWERS = re.compile(r"\^\{?([0-9+-]+)\}?")
_INDICES = re.compile(r"_\{?([0-9+-]+)\}?")
_RAISED = str.maketrans("0123456789+-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻")
_LOWERED = str.maketrans("0123456789+-", "₀₁₂₃₄₅₆₇₈₉₊₋")
_QUOTES = ((re.compile(r"``|''"), '"'), (re.compile(r"`"), "'"), (re.compile(r"---"), "—"), (re.compile(r"--"), "–"))
_MARKUP = re.compile(r"\\|\$|[{}]|(?<=\w)[\^_](?=[\w{\\])")
_PLAIN_SIGNS = {" ": " ", ",": "", ";": "", ":": "", "!": "", "/": ""}


def plain_abstract(abstract: str) -> str:
    """The prose of an abstract as arXiv gives it, one paragraph or several; empty where there is none."""
    text = without_marks(abstract)
    # A line that is indented begins a paragraph; other lines are broken at a width.
    text = re.sub(r"\n[ \t]*\n|\n[ \t]{2,}(?=\S)", "\n\n", text.strip()).replace("\r", "")
    text = _ACCENT.sub(_accented, text)
    text = _ADDRESS.sub(HOLE, text)
    text = _MATHS.sub(_maths, text)
    while (shown := _TYPE.sub(r"\1", text)) != text:
        text = shown
    text = _ESCAPED.sub(lambda match: _PLAIN_SIGNS.get(match[1], match[1]), text)
    text = _SYMBOL.sub(_symbol, text).replace("~", " ")
    for pattern, character in _QUOTES:
        text = pattern.sub(character, text)
    text = re.sub(r"\{([^{}\\^_$]*)\}", r"\1", text)
    return prose(_MARKUP.sub(HOLE, text))


def _accented(match: re.Match[str]) -> str:
    accent = match[1] or match[4]
    letter = match[2] or match[3] or match[5] or match[6]
    return unicodedata.normalize("NFC", letter + _ACCENTS[accent])


def _maths(match: re.Match[str]) -> str:
    """A formula that is as plain as ``n``, ``10^{-3}`` or ``95\\%`` in characters; a hole for any other."""
    text = match[1] if match[1] is not None else match[2]
    while (shown := _TYPE.sub(r"\1", text)) != text:
        text = shown
    text = _SYMBOL.sub(_symbol, text)
    text = _POWERS.sub(lambda power: power[1].translate(_RAISED), text)
    text = _INDICES.sub(lambda index: index[1].translate(_LOWERED), text)
    text = _ESCAPED.sub(lambda escaped: _PLAIN_SIGNS.get(escaped[1], escaped[1]), text)
    return HOLE if re.search(r"[\\{}^_]", text) or not text.strip() else " ".join(text.split())


def _symbol(match: re.Match[str]) -> str:
    return _SYMBOLS.get(match[1], HOLE)
