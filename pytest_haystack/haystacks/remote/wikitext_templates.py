"""The few templates whose text is known without asking the wiki; all others are holes."""

from __future__ import annotations

from collections.abc import Sequence


def _names(words: str) -> frozenset[str]:
    return frozenset(words.split())


#: Notes that show as marks of footnotes, or not at all.
_SILENT = _names("""
    sfn sfnp sfnm efn efn-ua efn-la refn r rp ref harvnb cn fact when who clarify by_whom which dubious citation_needed
    better_source_needed page_needed verification_needed unreferenced_inline anchor coord use_dmy_dates use_mdy_dates
    short_description notetag main see_also further 来源请求 來源請求 notea refnec quand référence_nécessaire
""")
#: Their first value is what they show.
_FIRST = _names(
    "nowrap nobr nbr small smaller big em strong nihongo abbr abbrlink tooltip ill illm interlanguage_link link-en le "
    "vanchor visible_anchor not_a_typo sic linktext"
)
#: Their last value is what they show.
_LAST = _names("lang transliteration transl tlit tsl langue")
_FIXED = {
    "ndash": "–", "–": "–", "mdash": "—", "—": "—", "snd": " – ", "spaced_ndash": " – ", "spnd": " – ",
    "spaced_mdash": " — ", "'": "'", "'s": "'s", "nbsp": " ", "thinsp": " ", "hair_space": " ", "·": " · ", "!": "|",
    "=": "=", "okina": "ʻ", "zwj": "", "zwnj": "\u200c", "clear": "", "-": "",
}  # fmt: skip
_RANGES = {"-": "–", "–": "–", "to": " to ", "and": " and ", "or": " or ", "x": " × ", "by": " by ", "to(-)": " to "}
_UNITS = {
    "km2": "km²", "m2": "m²", "cm2": "cm²", "m3": "m³", "km3": "km³", "sqmi": "square miles", "sqft": "square feet",
    "acre": "acres", "mi": "miles", "ft": "feet", "in": "inches", "yd": "yards", "lb": "pounds", "oz": "ounces",
    "C": "°C", "F": "°F", "K": "K", "t": "tonnes", "ha": "ha", "nmi": "nautical miles", "kn": "knots", "mph": "mph",
    "km/h": "km/h", "kph": "km/h", "m": "m", "km": "km", "cm": "cm", "mm": "mm", "kg": "kg", "g": "g", "MW": "MW",
    "L": "litres", "l": "litres", "hp": "hp", "kW": "kW", "m/s": "m/s",
}  # fmt: skip


def template_text(name: str, values: Sequence[str]) -> str | None:
    """What a template shows of its unnamed values, None where that is not known here."""
    name = "_".join(name.split()).replace("\u00a0", "_")
    key = name[:1].lower() + name[1:]
    lower = key.lower()
    if lower in _SILENT:
        return ""
    if lower in _FIXED:
        return _FIXED[lower]
    if lower in ("convert", "cvt"):
        return _measure(values)
    if not values or not values[0]:
        return None
    if lower in _FIRST:
        return values[0]
    if lower in _LAST:
        return values[-1] if len(values) > 1 else None
    if lower in ("circa", "c."):
        return f"c. {values[0]}"
    if lower in ("frac", "fraction", "sfrac"):
        return _fraction(values)
    return None


def _measure(values: Sequence[str]) -> str | None:
    """``5|km`` and ``5|to|10|km`` in the unit that they were written in."""
    words, position = "", 0
    while position < len(values):
        value = values[position]
        if value in _RANGES and words:
            words += _RANGES[value]
        elif _is_number(value) and not words[-1:].isdigit():
            words += value
        else:
            break
        position += 1
    unit = _UNITS.get(values[position]) if position < len(values) else None
    return f"{words} {unit}" if unit and words[-1:].isdigit() else None


def _is_number(value: str) -> bool:
    digits = value.replace(",", "").replace(".", "", 1).lstrip("-−")
    return digits.isascii() and digits.isdigit()


def _fraction(values: Sequence[str]) -> str | None:
    if not all(value.isdigit() for value in values) or len(values) > 3:
        return None
    whole = f"{values[0]} " if len(values) == 3 else ""
    return whole + "/".join(values[-2:] if len(values) > 1 else ("1", values[0]))
