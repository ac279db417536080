"""How long a cell's document takes to build, beside the byte join of its size and other builders from PyPI.

    python benchmarks/building.py [--quick]

CPU milliseconds of a cell, the median over needles and depths of which no two are alike, from the bundled essays; the
peers read the same texts. ``join`` joins two slices and a needle to as many bytes. ``document`` is the document alone,
``and prompt`` includes the prompt and its SHA-256, ``whole cell`` all that a cell needs before it asks: needles,
question, document, prompt. needlehaystack 2.0 keeps the tokens of a length: its first cell and later ones are told
apart. ``tokens`` are those of a document, counted again as a whole.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Mapping
from functools import partial
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.pop(0)  # this folder, whose names are also those of other modules
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.figures import NEEDLE, Figure, cpu_ms, number, print_figures, table
from benchmarks.peers import PEERS, AbsentError, Building, building_times
from pytest_haystack.config.schema import PromptEntry
from pytest_haystack.documents.builder import build_document
from pytest_haystack.documents.document import Document, Insert
from pytest_haystack.documents.haystack_text import HaystackText
from pytest_haystack.haystacks.essays import Essays
from pytest_haystack.haystacks.source import SourceOptions
from pytest_haystack.models.model import Prompt
from pytest_haystack.registry import Registry
from pytest_haystack.running.prompts import PromptTemplate
from pytest_haystack.running.workbench import Workbench, load_bench
from pytest_haystack.tokens.vocabularies import load_encoding

LENGTHS = (4_000, 32_000, 128_000, 1_000_000)
GOLDEN = 0.6180339887498949
QUESTION = "What is the special magic number for the harbour of Zorbluth?"
#: What is promised of a document without prompt and hash, in CPU milliseconds; and against the peers, in ratios.
MOST_MS = {4_000: 0.3, 128_000: 0.8, 1_000_000: 5.0}
LEAST_RATIOS = {128_000: 100.0, 1_000_000: 500.0}
SLOW_PEERS = ("needlehaystack 0.1.0", "haystackbench 0.1.0")
CONFIG = """\
name: building
models: [{model: simulated/perfect}]
haystack: {source: essays}
sweep: {context_lengths: [4000, 32000, 128000, 1000000], depth_percents: [50]}
tasks: [single]
"""


class Ours:
    """This package's builders, ready for documents of up to a million tokens."""

    def __init__(self, folder: Path) -> None:
        source = Essays(SourceOptions(), Path())
        self.haystack = HaystackText.prepare(source, "\n\n", load_encoding("cl100k_base"), max(LENGTHS))
        self._template = PromptTemplate(PromptEntry(preset="default"))
        self._numbers = count(1)
        file = folder / "haystack.yaml"
        file.write_text(CONFIG, encoding="utf-8")
        self._bench: Workbench = load_bench(file, Registry())
        self._bench.expect(self._bench.cells)
        self._trial = 0

    def document(self, tokens: int) -> Document:
        """A document with a needle and a depth of its own, as every cell of a sweep has: nothing is built twice."""
        which = next(self._numbers)
        needle = f"{NEEDLE[:-1]} {which}."
        # Multiples of the golden ratio spread over all depths and repeat none.
        return build_document(self.haystack, [Insert(needle, 100 * (which * GOLDEN % 1))], tokens, tolerance=1.0)

    def prompt(self, tokens: int) -> str:
        """A document in its prompt, and the hash."""
        prompt: Prompt = self._template.render(self.document(tokens).text, QUESTION)
        return prompt.sha256

    def cell(self, tokens: int) -> str:
        """Another trial of the cell of this length, from needles to hash."""
        self._trial += 1
        cell = next(cell for cell in self._bench.cells if cell.context_length == tokens)
        return self._bench.material(cell, self._trial).prompt.sha256


def measure(quick: bool = False) -> list[Figure]:
    """Print the table; returns the ratios."""
    seconds = 0.3 if quick else 1.5
    with TemporaryDirectory() as folder:
        ours = Ours(Path(folder))
        rows, times = _own_rows(ours, seconds)
    peers: dict[str, dict[int, Building] | str] = {}
    for peer in PEERS:
        try:
            peers[peer.name] = building_times(peer, LENGTHS, seconds)
        except AbsentError as reason:
            peers[peer.name] = str(reason)
    for name, found in peers.items():
        rows += _peer_rows(name, found)
    print(table(("CPU ms a cell", *(f"{length:,}" for length in LENGTHS)), rows), flush=True)
    return _figures(times, peers)


def _own_rows(ours: Ours, seconds: float) -> tuple[list[tuple[str, ...]], dict[str, dict[int, float]]]:
    names = {
        "join": "joining bytes of the same size",
        "pass": "one pass: encoding and SHA-256",
        "document": "pytest-haystack: document",
        "prompt": "  and prompt and hash",
        "cell": "  whole cell",
    }
    times: dict[str, dict[int, float]] = {name: {} for name in names}
    counts = []
    for length in LENGTHS:
        text = ours.document(length).text
        counts.append(_told(length, len(ours.haystack.encoding.encode(text))))
        [times["join"][length]] = cpu_ms(partial(_join, text.encode()), seconds=seconds / 3)
        times["pass"][length], times["document"][length], times["prompt"][length] = cpu_ms(
            partial(_hash, text), partial(ours.document, length), partial(ours.prompt, length), seconds=2 * seconds
        )
        [times["cell"][length]] = cpu_ms(partial(ours.cell, length), seconds=seconds)
    rows = [(words, *(number(times[key][length]) for length in LENGTHS)) for key, words in names.items()]
    return [*rows, ("  tokens", *counts)], times


def _join(data: bytes) -> bytes:
    view, half = memoryview(data), len(data) // 2
    return b"".join((view[:half], NEEDLE.encode(), view[half:]))


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _peer_rows(name: str, found: dict[int, Building] | str) -> list[tuple[str, ...]]:
    if isinstance(found, str):
        return [(f"{name}: {found}", *("" for _ in LENGTHS))]
    rows = [(f"{name}", *(number(found[length].later) for length in LENGTHS))]
    firsts = [found[length].first for length in LENGTHS]
    if all(first is not None for first in firsts):
        rows = [
            (f"{name}: first of a length", *(number(first or 0.0) for first in firsts)),
            ("  later ones", *rows[0][1:]),
        ]
    return [*rows, ("  tokens", *(_told(length, found[length].tokens) for length in LENGTHS))]


def _told(length: int, tokens: int) -> str:
    return "exact" if tokens == length else f"{tokens - length:+,}"


def _figures(times: Mapping[str, Mapping[int, float]], peers: Mapping[str, dict[int, Building] | str]) -> list[Figure]:
    document, prompt, one_pass = times["document"], times["prompt"], times["pass"]
    figures = [
        Figure(f"document of {length:,} tokens, CPU ms", document[length], most=most)
        for length, most in MOST_MS.items()
    ]
    for name in SLOW_PEERS:
        found = peers[name]
        for length, least in LEAST_RATIOS.items():
            words = f"{name} / document, {length:,} tokens"
            if isinstance(found, str):
                figures.append(Figure(words, None, least=least, note=found))
            else:
                figures.append(Figure(words, found[length].later / document[length], least=least))
    growth = {name: times[name][1_000_000] / times[name][128_000] for name in ("document", "join")}
    figures.append(
        Figure(
            "document: 1M / 128K tokens, against the byte join's",
            growth["document"] / growth["join"],
            most=1.0,
            note=f"{number(growth['document'])} and {number(growth['join'])}",
        )
    )
    figures += [
        Figure(
            f"prompt and hash of {length:,} tokens, in passes",
            (prompt[length] - document[length]) / one_pass[length],
            most=2.0,
        )
        for length in (128_000, 1_000_000)
    ]
    return figures


def main() -> None:
    """The table and the ratios."""
    print_figures(measure("--quick" in sys.argv))


if __name__ == "__main__":
    main()
