"""How much memory a cell of a million tokens takes, and what processes share of the token index. Linux only.

    python benchmarks/memory.py [--quick]

MB of 10^6 bytes. The first table tells how far a process's peak rises above what it holds with package and vocabulary
loaded, while it makes cells of that length, from the haystack to the prompt's hash: with the index on disk, and where
it has to be made first. The second has eight processes that hold such a cell at once: their proportional set size (PSS)
counts a page that several of them map once over all.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.pop(0)  # this folder, whose names are also those of other modules
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.figures import ROOT, Figure, number, print_figures, table

PROCESSES = 8
TOKENS = 1_000_000
#: What is promised of the rise of one process, in MB.
MOST_MB = 60.0
CONFIG = """\
name: memory
models: [{model: simulated/perfect}]
haystack: SOURCE
sweep: {context_lengths: [TOKENS], depth_percents: [10, 50, 90]}
tasks: [single]
"""
SOURCES = {
    "essays (ASCII)": "{source: essays}",
    "files (typographic quotes)": "{source: files, path: quotes.txt}",
    "files (Chinese)": "{source: files, path: chinese.txt}",
}
#: Run in a process of its own: it loads the vocabulary, then makes cells, then waits to be looked at.
CELL = """\
import json, sys
from pathlib import Path

sys.path[0] = ROOT
from pytest_haystack.registry import Registry
from pytest_haystack.running.workbench import load_bench
import pytest_haystack.tokens.index_cache, pytest_haystack.running.token_ratio

def status(name):
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1e3 * 1.024 for line in lines if line.startswith(name))

bench = load_bench(Path("haystack.yaml"), Registry(), environ={})
bench.encoding.count("The vocabulary is loaded.")
Path("/proc/self/clear_refs").write_text("5")  # the peak is measured from here on
before = status("VmRSS")
bench.expect(bench.cells)
for trial in range(2):
    for cell in bench.cells:
        digest = bench.material(cell, trial).prompt.sha256
print(json.dumps({"before": before, "peak": status("VmHWM"), "after": status("VmRSS")}), flush=True)
sys.stdin.read()
"""


def measure(quick: bool = False) -> list[Figure]:
    """Print the tables; returns the figures that have bounds."""
    if not Path("/proc/self/smaps").exists():
        return [Figure("memory of a cell of 1M tokens, MB", None, most=MOST_MB, note="needs Linux")]
    names = list(SOURCES)[:1] if quick else list(SOURCES)
    rows, worst = [], 0.0
    with TemporaryDirectory() as folder:
        _write_texts(Path(folder))
        for name in names:
            _write_config(Path(folder), name)
            made, found = (_rise(folder) for _ in range(2))
            rows.append(
                (name, *(number(value) for value in (made["before"], found["rise"], found["held"], made["rise"])))
            )
            worst = max(worst, found["rise"])
        print(table(("one process, MB", "before", "rise", "held", "rise, making the index"), rows), flush=True)
        _write_config(Path(folder), names[0])
        shared, size = _shared(folder)
    print(
        table(
            (f"{PROCESSES} processes, MB", "PSS of each", "index file", "index, all together"),
            [(names[0], number(shared["pss"] / PROCESSES), number(size), number(shared["index"]))],
        ),
        flush=True,
    )
    return [
        Figure("rise of a process over the vocabulary for a cell of 1M tokens, MB", worst, most=MOST_MB),
        Figure(f"index in {PROCESSES} processes, in sizes of its file", shared["index"] / size, most=1.1),
    ]


def _write_texts(folder: Path) -> None:
    from pytest_haystack.haystacks.essays import Essays
    from pytest_haystack.haystacks.source import SourceOptions
    from tests.documents.sample_texts import sample_text

    essays = Essays(SourceOptions(), Path()).read(1)
    (folder / "quotes.txt").write_text(essays.replace("'", "\u2019"), encoding="utf-8")
    (folder / "chinese.txt").write_text(sample_text("chinese", 1_000_000), encoding="utf-8")


def _write_config(folder: Path, name: str) -> None:
    text = CONFIG.replace("SOURCE", SOURCES[name]).replace("TOKENS", str(TOKENS))
    (folder / "haystack.yaml").write_text(text, encoding="utf-8")


def _start(folder: str) -> subprocess.Popen[str]:
    environment = {**os.environ, "PYTEST_HAYSTACK_CACHE_DIR": str(Path(folder) / "cache")}
    command = [sys.executable, "-c", CELL.replace("ROOT", repr(str(ROOT)))]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, cwd=folder, env=environment, stdin=pipe, stdout=pipe, text=True)


def _rise(folder: str) -> dict[str, float]:
    """What a process held before (MB), how far its peak rose above that, and what it held more at the end."""
    process = _start(folder)
    out, _ = process.communicate()
    if process.returncode:
        raise RuntimeError("the process that makes cells failed; see above")
    said = json.loads(out)
    return {
        "before": said["before"],
        "rise": said["peak"] - said["before"],
        "held": said["after"] - said["before"],
    }


def _shared(folder: str) -> tuple[dict[str, float], float]:
    """PSS of all processes together, that of their maps of the index, and the size of its file, in MB."""
    processes = [_start(folder) for _ in range(PROCESSES)]
    try:
        for process in processes:
            assert process.stdout is not None
            process.stdout.readline()
        maps = [_pss(process.pid) for process in processes]
    finally:
        for process in processes:
            process.communicate("")
    sizes = {one["file"]: Path(one["file"]).stat().st_size for one in maps}
    return {name: sum(float(one[name]) for one in maps) for name in ("pss", "index")}, sum(sizes.values()) / 1e6


def _pss(pid: int) -> dict[str, float | str]:
    found: dict[str, float | str] = {"pss": 0.0, "index": 0.0, "file": ""}
    inside = False
    for line in Path(f"/proc/{pid}/smaps").read_text().splitlines():
        words = line.split()
        if not words[0].endswith(":"):
            inside = line.endswith(".index")
            if inside:
                found["file"] = words[-1]
        elif words[0] == "Pss:":
            size = int(words[1]) * 1024 / 1e6
            found["pss"] = float(found["pss"]) + size
            found["index"] = float(found["index"]) + size * inside
    return found


def main() -> None:
    """Tables and figures."""
    print_figures(measure("--quick" in sys.argv))


if __name__ == "__main__":
    main()
