"""Whether synthetic text repeats a sentence in many tokens, how fast it is written, and how varied it stays.

    python benchmarks/synthetic.py [MILLIONS_OF_TOKENS] [LANGUAGE/DOMAIN ...]

The text is written paragraph by paragraph; only a hash of each sentence is kept. The table tells sentences, those that
came before, characters a second of CPU time, how far the last 200,000 characters pack, and the share of their runs of
eight words that come again.
"""

from __future__ import annotations

import argparse
import hashlib
import re
import sys
import time
from pathlib import Path

sys.path.pop(0)  # this folder, whose names are also those of other modules
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from pytest_haystack.haystacks.prose.grammar import DOMAINS, LANGUAGES
from pytest_haystack.haystacks.repetition import repetition
from pytest_haystack.haystacks.synthetic import SyntheticOptions, paragraphs
from pytest_haystack.tokens.vocabularies import load_encoding

ENDS = {"zh": re.compile(r"(?<=。)(?!”)")}
OTHER_ENDS = re.compile(r"(?<=[.])[\"”»]?\s+")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    every = [f"{language}/{domain}" for language in LANGUAGES for domain in DOMAINS]
    parser.add_argument("millions", nargs="?", type=float, default=10, help="million tokens of each text (default 10)")
    parser.add_argument("texts", nargs="*", default=every, metavar="LANGUAGE/DOMAIN", help="default: all")
    options = parser.parse_args()
    millions, wanted = options.millions, options.texts
    encoding = load_encoding("cl100k_base")
    print(f"{'text':14} {'tokens':>10} {'sentences':>10} {'repeated':>8} {'char/s':>10} {'packed':>7} {'8-word':>7}")
    for name in wanted:
        language, domain = name.split("/")
        written = paragraphs(SyntheticOptions(language=language, domain=domain))  # type: ignore[arg-type]
        said: set[bytes] = set()
        sentences = characters = sampled = 0
        tokens, seconds = 0.0, 0.0
        last = ""
        while tokens < millions * 1e6:
            start = time.process_time()
            paragraph = next(written)
            seconds += time.process_time() - start
            characters += len(paragraph)
            if sampled < 200_000:
                sampled += len(paragraph)
                tokens += encoding.count(paragraph) + 1
                rate = tokens / characters
            else:
                tokens += rate * len(paragraph)
            last = (last + "\n\n" + paragraph)[-200_000:]
            for sentence in ENDS.get(language, OTHER_ENDS).split(paragraph):
                if sentence:
                    sentences += 1
                    said.add(hashlib.blake2b(sentence.encode(), digest_size=8).digest())
        found = repetition(last)
        print(
            f"{name:14} {tokens:10,.0f} {sentences:10,} {sentences - len(said):8,} {characters / seconds:10,.0f} "
            f"{found.compressed:7.3f} {found.repeated:7.4f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
