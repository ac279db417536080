"""tokenizer.json files of several families: two that another package carries, and small ones trained here."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, trainers

from tests.documents.sample_texts import LANGUAGES, sample_text

_VOCABULARY = 1500
#: In the distribution of litellm: byte-level with Unicode normalisation, and byte-level with rules for scripts.
CARRIED = {"claude": "anthropic_tokenizer.json", "deepseek": "deepseek_tokenizer.json"}


def _word_piece() -> Tokenizer:
    """As BERT's: lower-cased, without accents, punctuation apart; truncates and pads."""
    made = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    made.normalizer = normalizers.BertNormalizer()
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    _train(made, trainers.WordPieceTrainer(vocab_size=_VOCABULARY, special_tokens=["[UNK]"], show_progress=False))
    made.enable_truncation(64)
    made.enable_padding(length=64)
    return made


def _unigram() -> Tokenizer:
    """As T5's: words behind a mark that stands for the space."""
    made = Tokenizer(models.Unigram())
    made.normalizer = normalizers.NFKC()
    made.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="always")
    _train(made, _unigram_trainer())
    return made


def _unigram_raw() -> Tokenizer:
    """Pieces may reach over spaces: counts add up nowhere."""
    made = Tokenizer(models.Unigram())
    made.normalizer = normalizers.Replace(" ", "▁")
    _train(made, _unigram_trainer())
    return made


def _llama() -> Tokenizer:
    """As Llama 2's: a mark before the text, no rule that cuts it into words."""
    made = Tokenizer(models.BPE(unk_token="<unk>"))
    made.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="always")
    _train(made, trainers.BpeTrainer(vocab_size=_VOCABULARY, special_tokens=["<unk>"], show_progress=False))
    # An empty sequence: the library cannot take a rule away again.
    made.pre_tokenizer = pre_tokenizers.Sequence([])
    made.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    return made


def _bytes() -> Tokenizer:
    """As GPT-2's."""
    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    _train(made, _byte_trainer())
    return made


def _bytes_raw() -> Tokenizer:
    """Byte pairs over the whole text."""
    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    _train(made, _byte_trainer())
    return made


_MADE: dict[str, Callable[[], Tokenizer]] = {
    "word-piece": _word_piece,
    "unigram": _unigram,
    "unigram-raw": _unigram_raw,
    "llama": _llama,
    "bytes": _bytes,
    "bytes-raw": _bytes_raw,
}
FAMILIES = (*CARRIED, *_MADE)


@cache
def tokenizer_json(family: str) -> bytes:
    """The file of a family."""
    if family in CARRIED:
        spec = find_spec("litellm")
        assert spec is not None
        assert spec.submodule_search_locations is not None
        folder = Path(spec.submodule_search_locations[0]) / "litellm_core_utils" / "tokenizers"
        return (folder / CARRIED[family]).read_bytes()
    return _MADE[family]().to_str().encode()


def _train(tokenizer: Tokenizer, trainer: object) -> None:
    texts = [line for kind in LANGUAGES for line in sample_text(kind, 20_000).split("\n")]
    tokenizer.train_from_iterator(texts, trainer)


def _unigram_trainer() -> trainers.UnigramTrainer:
    return trainers.UnigramTrainer(
        vocab_size=_VOCABULARY, special_tokens=["<unk>"], unk_token="<unk>", show_progress=False
    )


def _byte_trainer() -> trainers.BpeTrainer:
    return trainers.BpeTrainer(
        vocab_size=_VOCABULARY,
        special_tokens=["<|endoftext|>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
