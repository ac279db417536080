"""How exact documents are, and how long they take: 11 depths x 4 lengths x 6 languages.

    python benchmarks/exactness.py [cl100k_base | o200k_base | p50k_base]

Every document is encoded again as a whole. The table tells, for each language and length, how many documents have
exactly the asked number of tokens, the largest difference of a needle's depth from the asked one (percentage
points), and the mean time of a build (CPU milliseconds, the best of five rounds, without the preparation of the
haystack text).
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from pathlib import Path

sys.path.pop(0)  # this folder, whose names are also those of other modules
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from pytest_haystack.documents.builder import build_document
from pytest_haystack.documents.document import Insert
from pytest_haystack.documents.haystack_text import HaystackText
from pytest_haystack.tokens.vocabularies import load_encoding
from tests.documents.sample_texts import EndlessSource

NEEDLES = {
    "english": "The special magic number for the harbour of Zorbluth is 4719203.",
    "chinese": "佐布鲁斯港的神秘数字是四七一九二零三。",
    "japanese": "ゾルブルス港の秘密の数字は四七一九二〇三です。",
    "hindi": "ज़ोरब्लुथ बंदरगाह की जादुई संख्या ४७१९२०३ है।",
    "arabic": "الرقم السحري لميناء زوربلوث هو ٤٧١٩٢٠٣.",
    "russian": "Волшебное число гавани Зорблут равно 4719203.",
}
LENGTHS = (1000, 4000, 32_000, 128_000)
TOLERANCE = 1.0
ROUNDS = 5


def sigmoid_depths(number: int) -> list[float]:
    """Depth percents from 0 to 100, denser towards both ends."""

    def logistic(x: float) -> float:
        return 1 / (1 + math.exp(-x))

    low, high = logistic(-3), logistic(3)
    return [100 * (logistic(6 * (i / (number - 1) - 0.5)) - low) / (high - low) for i in range(number)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("vocabulary", nargs="?", default="cl100k_base", help="default cl100k_base")
    encoding = load_encoding(parser.parse_args().vocabulary)
    depths = sigmoid_depths(11)
    print(f"{encoding.name}, {len(depths)} depths, tolerance {TOLERANCE} pp")
    print(f"{'language':10} {'tokens':>7} {'exact':>7} {'depth error':>12} {'ms a build':>11}")
    total = exact_total = 0
    worst = 0.0
    for language, needle in NEEDLES.items():
        start = time.process_time()
        haystack = HaystackText.prepare(EndlessSource(language), "\n\n", encoding, max(LENGTHS))
        prepared = time.process_time() - start
        for tokens in LENGTHS:
            seconds = math.inf
            for _ in range(ROUNDS):
                start = time.process_time()
                documents = [
                    build_document(haystack, [Insert(needle, depth)], tokens, tolerance=TOLERANCE) for depth in depths
                ]
                seconds = min(seconds, time.process_time() - start)
            exact = sum(encoding.count(document.text) == tokens for document in documents)
            error = max(
                abs(document.placements[0].actual_depth_percent - depth)
                for document, depth in zip(documents, depths, strict=True)
            )
            print(
                f"{language:10} {tokens:7} {exact:4}/{len(depths)} {error:9.3f} pp {1000 * seconds / len(depths):11.2f}"
            )
            total, exact_total, worst = total + len(depths), exact_total + exact, max(worst, error)
        print(f"{'':10} prepared in {1000 * prepared:.0f} ms")
    print(f"{exact_total} of {total} documents have exactly the asked length; largest depth error {worst:.3f} pp")


if __name__ == "__main__":
    main()
