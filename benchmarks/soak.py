"""A long sweep against a server that fails, with workers and controllers that are killed: is anything lost?

    python benchmarks/soak.py [--cells 5000] [--workers 4] [--share 0.2] [--worker-kill 10] [--controller-kills 2]

First the sweep runs undisturbed for comparison. Then it runs against the failing server: every ``--worker-kill``
seconds a worker is killed, and the controller ``--controller-kills`` times, each time resumed with
``--haystack-resume``; a last resumed run without kills completes what was left. The table tells what came of it, by
the rows and by the server's own count. Exit code 1 where a row is missing, an error was scored, or an answer that had
been delivered whole was asked for again. Linux only: it finds workers in /proc.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import Any

sys.path.pop(0)  # this folder, whose names are also those of other modules
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.soak_server import ANSWERS

ROOT = Path(__file__).resolve().parent.parent
SCORED = {"answered", "refused", "truncated", "no_final_answer", "empty"}
#: Seconds before a kill in which a response may have left the server and not yet have been kept.
ON_ITS_WAY = 2.0
CONFIG = """\
name: soak
models:
  - id: m
    model: openai/served
    api_base: {base}
    request: {{max_tokens: 64}}
    limits: {{retries: 8, timeout: 2, in_flight: 16}}
haystack: {{source: synthetic}}
sweep: {{context_lengths: {{min: 300, max: {longest}, num: {lengths}}}, depth_percents: {{num: {depths}}}}}
tasks: [single]
"""


class Sweep:
    """The sweep in a folder of its own, run as often as need be."""

    def __init__(self, folder: Path, base: str, cells: int, workers: int) -> None:
        self.folder, self._workers = folder, workers
        depths = min(cells, 100)
        lengths = -(-cells // depths)
        self.cells = depths * lengths
        text = CONFIG.format(base=base, longest=300 + 10 * (lengths - 1), lengths=lengths, depths=depths)
        folder.mkdir()
        (folder / "haystack.yaml").write_text(text)

    def start(self, *arguments: str) -> subprocess.Popen[bytes]:
        """A run in a process of its own."""
        command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "no:randomly", "-q", "--tb=no"]
        command += ["-n", str(self._workers), "--max-worker-restart=100000", "--haystack-config", "haystack.yaml"]
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        log = (self.folder / "log.txt").open("ab")
        return subprocess.Popen(
            [*command, *arguments], cwd=self.folder, env=environment, stdout=log, stderr=log, start_new_session=True
        )

    def rows(self) -> dict[str, dict[str, Any]]:
        """The last row of each cell."""
        path = self.folder / "haystack-report" / "results.jsonl"
        found = {}
        for line in path.read_text().splitlines() if path.exists() else ():
            with suppress(ValueError):
                row = json.loads(line)
                found[row["nodeid"]] = row
        return found


class Killer:
    """Kills workers of a run at intervals."""

    def __init__(self, seconds: float, seed: int) -> None:
        self._seconds, self._chance = seconds, random.Random(seed)
        self._next = time.monotonic() + seconds
        self.times: list[float] = []

    def look(self, controller: int) -> None:
        """Kill one worker where it is time to."""
        if not self._seconds or time.monotonic() < self._next:
            return
        self._next = time.monotonic() + self._seconds
        workers = children(controller, b"sys.stdin.readline()")
        if workers:
            with suppress(ProcessLookupError):
                os.kill(self._chance.choice(workers), signal.SIGKILL)
                self.times.append(time.monotonic())


def children(parent: int, word: bytes) -> list[int]:
    """Processes that another one has started and that have a word in their command line."""
    found = []
    for process in Path("/proc").iterdir():
        with suppress(OSError, IndexError, ValueError):
            pid = int(process.name)
            its_parent = int((process / "stat").read_text().rpartition(")")[2].split()[1])
            if its_parent == parent and word in (process / "cmdline").read_bytes():
                found.append(pid)
    return found


def seen(url: str, path: str) -> list[dict[str, Any]]:
    """The server's log of a path."""
    with urllib.request.urlopen(url, timeout=60) as response:
        return [entry for entry in json.load(response) if entry["path"] == path]


def answered(url: str) -> int:
    """Prompts that have had an answer that counts."""
    return len({entry["key"] for entry in seen(url, "soak") if entry["whole"] and entry["fault"] in ANSWERS})


def soak(sweep: Sweep, url: str, killer: Killer, kills: int) -> tuple[float, list[float]]:
    """Run until done, with kills; returns the seconds it took and when controllers were killed."""
    started, controller_kills = time.monotonic(), []
    for number in range(kills + 1):
        run = sweep.start(*(("--haystack-resume",) if number else ()))
        goal = sweep.cells * (number + 1) // (kills + 1)
        while run.poll() is None:
            time.sleep(0.3)
            killer.look(run.pid)
            if number < kills and answered(url) >= goal:
                run.kill()
                controller_kills.append(time.monotonic())
                time.sleep(5)  # for what the killed one has left behind to end
                break
        run.wait()
    return time.monotonic() - started, controller_kills


def asked_again(log: list[dict[str, Any]], kills: list[float]) -> tuple[int, int]:
    """Requests for an answer that had been delivered whole: without excuse, and those delivered just before a kill."""
    without_excuse = on_their_way = 0
    last: dict[str, float] = {}
    for entry in sorted(log, key=lambda one: one["came"]):
        had = last.get(entry["key"])
        if had is not None and entry["came"] > had:
            if any(had <= kill + ON_ITS_WAY and kill - ON_ITS_WAY <= had for kill in kills):
                on_their_way += 1
            else:
                without_excuse += 1
        if entry["whole"] and entry["fault"] in ANSWERS:
            last.setdefault(entry["key"], entry["whole"])
    return without_excuse, on_their_way


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cells", type=int, default=5000)
    parser.add_argument("--workers", type=int, default=4)
    parser.add_argument("--share", type=float, default=0.2, help="share of requests that fail")
    parser.add_argument("--worker-kill", type=float, default=10, help="seconds between kills of a worker, 0 for none")
    parser.add_argument("--controller-kills", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--folder", type=Path, help="where to work (default: a temporary folder)")
    return parser.parse_args()


def can_resume() -> bool:
    """True where the plugin knows ``--haystack-resume``."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    said = subprocess.run([sys.executable, "-m", "pytest", "--help"], capture_output=True, env=environment, check=False)
    return b"--haystack-resume" in said.stdout


def main() -> int:
    options = arguments()
    kills = options.controller_kills
    if kills and not can_resume():
        print("this version cannot resume: controllers are not killed")
        kills = 0
    folder = Path(tempfile.mkdtemp(prefix="soak-")) if options.folder is None else options.folder
    folder.mkdir(exist_ok=True)
    command = [sys.executable, str(ROOT / "benchmarks" / "soak_server.py"), str(options.seed), str(options.share)]
    server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    url = server.stdout.readline().strip()
    try:
        clean = Sweep(folder / "clean", f"{url}/clean/v1", options.cells, options.workers)
        started = time.monotonic()
        clean.start().wait()
        undisturbed = time.monotonic() - started
        sweep = Sweep(folder / "soak", f"{url}/soak/v1", options.cells, options.workers)
        killer = Killer(options.worker_kill, options.seed)
        seconds, controller_kills = soak(sweep, url, killer, kills)
        before_last = sweep.rows()
        if can_resume():
            sweep.start("--haystack-resume").wait()
        return report(sweep, seen(url, "soak"), before_last, (undisturbed, seconds), killer.times, controller_kills)
    finally:
        server.kill()
        print(f"all of it is in {folder}")


def report(
    sweep: Sweep,
    log: list[dict[str, Any]],
    before_last: dict[str, Any],
    seconds: tuple[float, float],
    worker_kills: list[float],
    controller_kills: list[float],
) -> int:
    """Print the table; 1 where something was lost, scored wrongly or paid twice."""
    rows = sweep.rows()
    wrong = [row for row in rows.values() if row["outcome"] not in SCORED and row["score"] is not None]
    outcomes = Counter(row["outcome"] for row in rows.values())
    without_excuse, on_their_way = asked_again(log, controller_kills)
    failed = sum(entry["fault"] != "good" for entry in log)
    figures = {
        "cells": sweep.cells,
        "rows": len(rows),
        "rows before the last, undisturbed run": len(before_last),
        "outcomes": ", ".join(f"{name} {count}" for name, count in outcomes.most_common()),
        "errors with a score": len(wrong),
        "requests": f"{len(log)}, {failed} of them failed or odd ({failed / max(1, len(log)):.1%})",
        "workers killed": len(worker_kills),
        "controllers killed": len(controller_kills),
        "seconds, undisturbed and clean": f"{seconds[0]:.1f}",
        "seconds, with faults and kills": f"{seconds[1]:.1f}",
        "delivered whole and asked again": without_excuse,
        "on their way at a controller's kill and asked again": on_their_way,
    }
    for name, figure in figures.items():
        print(f"{name:52} {figure}")
    return int(bool(wrong or without_excuse or len(rows) < sweep.cells))


if __name__ == "__main__":
    sys.exit(main())
