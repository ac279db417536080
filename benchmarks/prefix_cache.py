"""How much of a sweep's input a prefix cache serves, by the order of sending.

    python benchmarks/prefix_cache.py [--quick]

The prompts are those of real sweeps over the bundled essays, whose insertion points snap to places that other cells
choose too, within the depth tolerance of one percentage point: with a needle of its own in every cell, as is the
default, and with the same needle everywhere, which lets prompts share what stands after it too.

First a simulated radix cache as in vLLM and SGLang: blocks of 128 tokens (of cl100k_base), least recently used leaves
evicted first, a limit on the resident tokens. Figures are shares of input tokens; ``8 in flight`` means that a prompt
is kept only when the eighth one after it leaves. ``prefix`` is the order of the alphabet, in which neighbours have most
in common; ``random`` is a mean over shuffles.

Then a provider with explicit breakpoints: what input costs with ``prompt_cache: explicit``, as a multiple of the price
without a cache, where reading from the cache costs 0.1 and writing to it 1.25 of it.

Last the real llama.cpp server with SmolLM2-135M, one request at a time: tokens that it says came out of its cache, and
what the prompts took. As it comes it keeps old prompts in RAM, up to 8 GB of them, so that order matters little to it;
without that it holds the last prompt alone, as any server does whose memory is full. It needs
`pip install 'pytest-haystack[local]'` and `pytest-haystack fetch local/smollm2`.
"""

from __future__ import annotations

import sys

sys.path.pop(0)  # this folder, whose names are also those of other modules

import random
from collections.abc import Sequence
from pathlib import Path
from statistics import mean
from tempfile import TemporaryDirectory

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.cache_models import BLOCK, BreakpointCache, RadixCache
from benchmarks.figures import Figure, number, print_figures, table
from benchmarks.llama_server import MODEL, ask_in_turn
from pytest_haystack.errors import ConfigError
from pytest_haystack.models.local import check_ready
from pytest_haystack.models.model import Prompt
from pytest_haystack.registry import Registry
from pytest_haystack.running.workbench import Workbench, load_bench

SHUFFLES = 3
#: Resident tokens that a cache may hold, None for all.
LIMITS = (None, 256_000, 140_000)
#: Share that any order reaches where all is resident, and the best one with 140,000 tokens, by reckoning for this grid
#: with the same needle everywhere and without snapping; random order reaches .333 there.
REFERENCE = 0.566
#: Orders that are compared.
BOTH = ("random", "prefix")
CONFIG = """\
name: prefixes
models: [{model: local/smollm2}]
haystack: {source: essays}
sweep:
  context_lengths: {min: SHORTEST, max: LONGEST, num: LENGTHS}
  depth_percents: {num: DEPTHS}
tasks: [TASK]
"""
TASKS = {
    "a needle of its own in every cell": "single",
    "the same needle in every cell": (
        "{type: single, rotate: false, fixed: [{needle: 'The magic number of Zorbluth is 4719203.', "
        "question: 'What is the magic number of Zorbluth?', answer: '4719203'}]}"
    ),
}
#: Shortest and longest length, how many of them, and depths: of the simulation and of the live server.
GRIDS = {False: (2000, 128_000, 15, 11), True: (2000, 32_000, 8, 11)}
LIVE_GRIDS = {False: (300, 600, 2, 5), True: (256, 384, 2, 3)}


def orders(prompts: Sequence[Prompt]) -> dict[str, list[list[int]]]:
    """Ways to send the prompts, by name; several of those that are drawn."""
    numbers = list(range(len(prompts)))
    shuffles = [random.Random(seed).sample(numbers, len(numbers)) for seed in range(SHUFFLES)]
    return {
        "random": shuffles,
        "config (short to long)": [numbers],
        "prefix": [sorted(numbers, key=lambda place: prompts[place])],
    }


def measure(quick: bool = False) -> list[Figure]:
    """Print the tables; returns the figures."""
    figures = []
    with TemporaryDirectory() as folder:
        for name, task in TASKS.items():
            figures += _simulated(_bench(Path(folder), GRIDS[quick], task), name, quick)
        figures += _live(_bench(Path(folder), LIVE_GRIDS[quick], "single"), quick)
    return figures


def _bench(folder: Path, grid: tuple[int, int, int, int], task: str) -> Workbench:
    text = CONFIG.replace("TASK", task)
    for name, value in zip(("SHORTEST", "LONGEST", "LENGTHS", "DEPTHS"), grid, strict=True):
        text = text.replace(name, str(value))
    (folder / "haystack.yaml").write_text(text, encoding="utf-8")
    bench = load_bench(folder / "haystack.yaml", Registry(), environ={})
    bench.expect(bench.cells)
    return bench


def _prompts(bench: Workbench) -> list[Prompt]:
    return [bench.material(cell).prompt for cell in bench.cells]


def _simulated(bench: Workbench, task: str, quick: bool) -> list[Figure]:
    prompts = _prompts(bench)
    chains = [_chain(bench.encoding.encode(prompt)) for prompt in prompts]
    total = sum(map(len, chains))
    kinds = [(limit, 0) for limit in LIMITS] + [(None, 7), (LIMITS[-1], 7)]
    rows, shares, factors = [], {}, {}
    for name, ways in orders(prompts).items():
        shares[name] = [mean(_share(chains, way, *kind) / total for way in ways) for kind in kinds]
        factors[name] = mean(_cost_factor(prompts, way) for way in ways)
        rows.append((name, *(f"{share:.3f}" for share in shares[name]), f"{factors[name]:.3f}"))
    heads = [f"{limit // 1000}K resident" if limit else "all resident" for limit in LIMITS]
    heads += ["all, 8 in flight", "140K, 8 in flight", "cost with breakpoints"]
    print(f"{task}: {len(prompts)} prompts of {total * BLOCK:,} tokens in all")
    print(table(("share served from cache", *heads), rows), flush=True)
    best, drawn = shares["prefix"][2], shares["random"][2]
    own = task == next(iter(TASKS))
    reference = None if own or quick else REFERENCE
    return [
        Figure(f"share served with 140K tokens resident, prefix order, {task}", best, least=reference),
        Figure("  against random order", best / drawn, least=None if quick else 1.0, note=f"there {drawn:.3f}"),
        Figure("  cost of input with explicit breakpoints, prefix order", factors["prefix"], most=1.0),
    ]


def _chain(ids: Sequence[int]) -> list[int]:
    """A prompt's blocks, each named after all before it."""
    chain, name = [], 0
    for start in range(0, len(ids) - BLOCK + 1, BLOCK):
        name = hash((name, *ids[start : start + BLOCK]))
        chain.append(name)
    return chain


def _share(chains: Sequence[Sequence[int]], way: Sequence[int], limit: int | None, delay: int) -> int:
    cache = RadixCache(limit, delay)
    return sum(cache.serve(chains[place]) for place in way)


def _cost_factor(prompts: Sequence[Prompt], way: Sequence[int]) -> float:
    cache = BreakpointCache()
    costs = [cache.cost(prompts[place]) for place in way]
    return sum(cost for cost, _ in costs) / sum(size for _, size in costs)


def _live(bench: Workbench, quick: bool) -> list[Figure]:
    words = {"tokens": "tokens computed by llama.cpp, prefix / random order", "wall": "seconds of the clock, the same"}
    try:
        check_ready(MODEL, Path())
    except ConfigError as error:
        return [Figure(name, None, most=1.0, note=str(error)) for name in words.values()]
    prompts = _prompts(bench)
    ways = {name: found[0] for name, found in orders(prompts).items()}
    seen = {
        ("one prompt", name): ask_in_turn([prompts[place] for place in way], 0)
        for name, way in ways.items()
        if not quick or name in BOTH
    }
    if not quick:
        seen |= {("as it comes", name): ask_in_turn([prompts[place] for place in ways[name]]) for name in BOTH}
    print(f"llama.cpp with SmolLM2-135M: {len(prompts)} prompts, one at a time")
    rows = [
        (f"{kept}, {name}", *(number(one[key]) for key in ("tokens", "cached", "share", "wall", "cpu")))
        for (kept, name), one in seen.items()
    ]
    print(table(("what it keeps, order", "input tokens", "from cache", "share", "wall s", "CPU s"), rows), flush=True)
    prefix, shuffled = seen["one prompt", "prefix"], seen["one prompt", "random"]
    computed = [one["tokens"] - one["cached"] for one in (prefix, shuffled)]
    return [
        Figure(words["tokens"], computed[0] / computed[1], most=1.0),
        Figure(words["wall"], prefix["wall"] / shuffled["wall"], most=1.0),
    ]


def main() -> None:
    """Tables and figures."""
    print_figures(measure("--quick" in sys.argv))


if __name__ == "__main__":
    main()
