"""``tokenizer: hf:FILE``: the tokenizer.json that a model comes with, read by the package tokenizers."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_haystack.errors import ConfigError
from pytest_haystack.text import one_line
from pytest_haystack.tokens.safe_points import next_safe_point, next_space

if TYPE_CHECKING:
    from tokenizers import Tokenizer

PREFIX = "hf:"
_LONGEST_WORDS = 200

#: Text that stands before a part of a text while it is encoded, so that it is not taken for a text's beginning.
_LEAD = "a"

#: What cuts are tried on when a tokenizer is loaded: scripts, digits, quotes, code, runs, emoji, several spaces.
_PROBES = (
    "The ferry left at dawn, before the bakers (all nine of them) had opened. It's 42.7 metres; isn't it?",
    '"If the tide turns," she said, "we shall simply walk home." — Café naïve, Ångström, ﬁne ½ №5 …',
    "def add(a, b=1): return {'sum': a + b, \"ok\": True}  # x != y && z <= 0x1F; https://a.example/b?c=d",
    "two  spaces   three\tand a tab \n a line\n\n a paragraph 12 345 6789 01 -- *** !!! ... $%& ##_ a",
    "他说：“潮水退了，我们就走路回家吧！”（井深42.7米，水温12度）。 你好 world 图书馆。",
    "「潮が引いたら、歩いて帰りましょう」と彼女は言った。コンピューターのログ、３件！ テスト です。",
    "नाव सुबह होने से पहले ही घाट से निकल गई। क्या पुल कभी पूरा हुआ? ४७१९२०३ है।",
    "غادرت العبّارة عند الفجر، قبل أن يفتح الخبازون. هل اكتمل الجسر؟ ٤٧١٩٢٠٣ .",
    "Паром ушёл на рассвете, до того как пекари открыли ставни; «был ли мост достроен?» №7 .",
    "한국어 문장은 띄어쓰기가 있다. 다리는 완성되었을까? 🙂 👍🏽 😀😀 x 👨‍👩‍👧 end <|endoftext|> </s> [CLS] z",
)


@dataclass(frozen=True, slots=True)
class Cuts:
    """Where a tokenizer's counts add up: not at all, before a space, or at every safe point of the GPT family.

    ``lead`` is True where the part after a cut must be encoded with something in front of it, because the tokenizer
    treats the beginning of a text in its own way.
    """

    spaces: bool = False
    ideographs: bool = False
    lead: bool = False


#: From the most useful to the least. Behind a lead only a part that begins with a space is known to be no beginning.
_CANDIDATES = (Cuts(True, True), Cuts(True), Cuts(True, lead=True))


class HuggingFaceEncoding:
    """A tokenizer.json. Tokens are those without special ones, e.g. without [CLS] and <s>.

    ``cuts`` is where counts add up. Each count of a text that begins with a space is, where ``cuts.lead`` says so,
    what that text adds to one before it.
    """

    def __init__(self, tokenizer: Tokenizer, name: str, sha256: str, cuts: Cuts) -> None:
        self._tokenizer = tokenizer
        self._cuts = cuts
        self._lead = len(_encoded(tokenizer, _LEAD).ids) if cuts.lead else 0
        self.name = name
        self.sha256: str | None = sha256

    @property
    def whole(self) -> HuggingFaceEncoding | None:
        """The same tokenizer without any shortcut, None where this is it."""
        if not self._cuts.spaces:
            return None
        return HuggingFaceEncoding(self._tokenizer, self.name, self.sha256 or "", Cuts())

    def encode(self, text: str) -> list[int]:
        """Token ids of the text; none is a special token, whatever the text says."""
        if self._lead and text.startswith(" "):
            ids: list[int] = _encoded(self._tokenizer, _LEAD + text).ids[self._lead :]
            return ids
        return list(_encoded(self._tokenizer, text).ids)

    def decode(self, tokens: list[int]) -> str:
        """Text of token ids, as far as the tokenizer keeps it: some lower-case what they read."""
        return str(self._tokenizer.decode(tokens, skip_special_tokens=False))

    def count(self, text: str) -> int:
        """Number of tokens of the text."""
        return len(self.encode(text))

    def most(self, text: str) -> int:
        """The same: a tokenizer may make several characters of one before it counts."""
        return self.count(text)

    def reach(self, text: str, tokens: int, ids: Sequence[int] | None = None) -> int:
        """Number of characters that the first ``tokens`` tokens of the text cover."""
        leads = bool(self._lead) and text.startswith(" ")
        offsets = _encoded(self._tokenizer, _LEAD + text if leads else text).offsets
        last = min(tokens + (self._lead if leads else 0), len(offsets)) - 1
        return max(offsets[last][1] - (len(_LEAD) if leads else 0), 0) if tokens > 0 and last >= 0 else 0

    def next_safe_point(self, text: str, start: int) -> int | None:
        """The first place at ``start`` or after it where counts add up, None where there is none."""
        if not self._cuts.spaces:
            return None
        return next_safe_point(text, start) if self._cuts.ideographs else next_space(text, start)


def tokenizer_path(name: str, base_dir: Path) -> Path:
    """The file behind ``hf:FILE``, relative to ``base_dir``."""
    return base_dir / Path(name[len(PREFIX) :]).expanduser()


def load_tokenizer(name: str, base_dir: Path) -> HuggingFaceEncoding:
    """The encoding of a tokenizer.json, made once per process and content.

    Raises ConfigError where the file is missing or is no tokenizer.
    """
    path = tokenizer_path(name, base_dir)
    try:
        data = path.read_bytes()
    except OSError as error:
        what = "is a folder; name the tokenizer.json in it" if path.is_dir() else (error.strerror or str(error)).lower()
        raise ConfigError(f"{name}: {what}") from None
    return _loaded(data, f"{PREFIX}{path.name}", name)


@cache
def _loaded(data: bytes, recorded_name: str, name: str) -> HuggingFaceEncoding:
    from tokenizers import Tokenizer

    try:
        tokenizer = Tokenizer.from_buffer(data)
    except Exception as error:  # the library raises bare exceptions
        words = one_line(str(error), _LONGEST_WORDS)
        raise ConfigError(f"{name}: is no tokenizer.json of the package tokenizers: {words}") from None
    # A model's own limit on its input is not about lengths that are measured here.
    tokenizer.no_truncation()
    tokenizer.no_padding()
    tokenizer.encode_special_tokens = True
    sha256 = hashlib.sha256(data).hexdigest()
    tried = (HuggingFaceEncoding(tokenizer, recorded_name, sha256, cuts) for cuts in _CANDIDATES)
    return next(
        (encoding for encoding in tried if _adds_up(encoding)),
        HuggingFaceEncoding(tokenizer, recorded_name, sha256, Cuts()),
    )


def _adds_up(encoding: HuggingFaceEncoding) -> bool:
    """Whether the two parts of every probe have the tokens of the whole, wherever it is cut."""
    for text in _PROBES:
        ids = encoding.encode(text)
        point = encoding.next_safe_point(text, 1)
        while point is not None:
            if encoding.encode(text[:point]) + encoding.encode(text[point:]) != ids:
                return False
            point = encoding.next_safe_point(text, point + 1)
    return True


def _encoded(tokenizer: Tokenizer, text: str) -> Any:
    try:
        return tokenizer.encode(text, add_special_tokens=False)
    except (TypeError, UnicodeError):
        # Half a surrogate pair is no text to it.
        whole = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        return tokenizer.encode(whole, add_special_tokens=False)
