"""How much of a sweep's time is waiting for a provider that takes half a second an answer?

    python benchmarks/waiting.py [--cells 1000] [--seconds 0.5] [--in-flight 32] [--workers 0 8] [--look-ahead N]

Each line is the median of runs of pytest against a server in a process of its own. ``start-up`` is the run of a single
cell without the time of its answer: Python, pytest, workers, the import of litellm. ``least`` is cells x seconds / in
flight, what the server needs if it is never left idle. The ratio is (wall - start-up) / least. ``sending`` is the time
from the first request to the last answer over ``least``, as the server saw it; the line before is that of a bare loop
which asks litellm for as many answers, as many at once. The last lines tell how long Ctrl-C takes while as many answers
as may be are on their way.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

sys.path.pop(0)  # this folder, whose names are also those of other modules
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from statistics import median

from benchmarks.figures import ROOT, Figure

#: Seconds an answer takes in a run that is interrupted, so that all of a window are on their way at once.
_LONG = 3.0
PYTEST = (
    sys.executable,
    "-m",
    "pytest",
    "-q",
    *(f"-pno:{name}" for name in ("randomly", "hypothesispytest", "cacheprovider")),
)
CONFIG = """\
name: waiting
models:
  - id: m
    model: openai/served
    api_base: {base}
    limits: {{in_flight: {in_flight}, retries: 0}}
    context_window: 100000
haystack: {{source: synthetic}}
sweep: {{context_lengths: {{min: 300, max: {longest}, num: {lengths}}}, depth_percents: {{num: 100}}}}
tasks: [single]
{more}
"""


@dataclass(frozen=True)
class Case:
    """A sweep of ``cells`` (a multiple of 100) against a server that takes ``seconds`` an answer."""

    cells: int = 1000
    seconds: float = 0.5
    in_flight: int = 32
    look_ahead: int | None = None

    @property
    def least(self) -> float:
        """Seconds that it takes if as many as may be are always in flight."""
        return self.cells * self.seconds / self.in_flight


def main() -> None:
    """Print a line for each number of workers."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--cells", type=int, default=1000, help="a multiple of 100")
    options.add_argument("--seconds", type=float, default=0.5)
    options.add_argument("--in-flight", type=int, default=32)
    options.add_argument("--workers", type=int, nargs="+", default=[0, 8])
    options.add_argument("--look-ahead", type=int, help="default: the plugin's own")
    options.add_argument("--times", type=int, default=3, help="how often each number of workers is run")
    options.add_argument("--stops", type=int, default=5, help="how often each number of workers is interrupted")
    asked = options.parse_args()
    case = Case(asked.cells, asked.seconds, asked.in_flight, asked.look_ahead)
    _lines(case, asked.workers, asked.times)
    _stops(case, asked.workers, asked.stops)


def measure(quick: bool) -> list[Figure]:
    """The figures, for `benchmarks.run`."""
    found = _lines(Case(), [0, 8], 1 if quick else 3)
    figures = [
        Figure(f"waiting, -n {workers}: wall without start-up / cells x seconds / in flight", run["ratio"], most=1.15)
        for workers, run in found.items()
    ]
    figures += [Figure(f"imports of litellm, -n {workers}", run["imports"], most=1) for workers, run in found.items()]
    beyond = (found[8]["wall"] - _bare_start_up(8)) / found[0]["wall"]
    figures += [
        Figure(f"Ctrl-C with 32 in flight, -n {workers}, s", max(taken), most=2.0)
        for workers, taken in _stops(Case(), [0, 8], 1 if quick else 5).items()
    ]
    return [*figures, Figure("a sweep of paid models, -n 8 without xdist's own start-up / -n 0", beyond, most=1.3)]


def _lines(case: Case, every: Sequence[int], times: int) -> dict[int, dict[str, float]]:
    print(f"{case.cells} cells, {case.seconds} s an answer, {case.in_flight} in flight: least {case.least:.1f} s")
    if times > 1:
        print(f"a bare loop around litellm, sending: {_bare(case) / case.least:.2f}")
    print("  workers  start-up s   wall s   ratio   sending   requests   peak in flight   litellm imports")
    found: dict[int, dict[str, float]] = {}
    for workers in every:
        # In turn, so that a machine that gets slower is so for both.
        pairs = [(_run(case, workers, sample=1), _run(case, workers)) for _ in range(times)]
        start_up = median(one["wall"] for one, _ in pairs) - case.seconds
        run = found[workers] = {name: median(whole[name] for _, whole in pairs) for name in pairs[0][1]}
        run["ratio"] = (run["wall"] - start_up) / case.least
        print(
            f"{workers:9}{start_up:12.1f}{run['wall']:9.1f}{run['ratio']:8.2f}{run['sending'] / case.least:10.2f}"
            f"{run['requests']:11.0f}{run['peak']:17.0f}{run['imports']:18.0f}",
            flush=True,
        )
    return found


def _bare(case: Case) -> float:
    """Seconds from the first request to the last answer of a loop that does nothing but ask litellm."""
    with _server(case.seconds) as server:
        assert server.stdout is not None
        url = server.stdout.readline().strip()
        code = BARE.format(base=f"{url}/slow/v1", in_flight=case.in_flight, cells=case.cells)
        subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
        seconds = _seen(url)["sending"]
        server.kill()
    return seconds


def _stops(case: Case, every: Sequence[int], times: int) -> dict[int, list[float]]:
    """Seconds from Ctrl-C to the end of a run, by workers, each time while all that may be is in flight."""
    taken = {workers: [_stop(case, workers) for _ in range(times)] for workers in every}
    for workers, seconds in taken.items():
        print(f"Ctrl-C with {case.in_flight} in flight, -n {workers}: {', '.join(f'{one:.2f}' for one in seconds)} s")
    return taken


def _stop(case: Case, workers: int) -> float:
    with tempfile.TemporaryDirectory() as folder, _server(_LONG) as server:
        assert server.stdout is not None
        url = server.stdout.readline().strip()
        _configure(case, url, Path(folder))
        command = [*PYTEST, "-n", str(workers), "--haystack-config", "haystack.yaml"]
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        quiet = subprocess.DEVNULL
        # Whoever started this in the background has it ignored, and the run would inherit that.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        with subprocess.Popen(
            command, cwd=folder, env=environment, stdout=quiet, stderr=quiet, start_new_session=True
        ) as run:
            # The first answer has to be there before more is asked than there are tests at once.
            while (peak := _seen(url)["peak"]) < case.in_flight:
                if run.poll() is not None:
                    raise SystemExit(f"the run ended with {run.returncode} while {peak:.0f} were in flight")
                time.sleep(0.1)
            started = time.perf_counter()
            os.killpg(run.pid, signal.SIGINT)  # as a terminal does: to all processes of the run
            run.wait()
            seconds = time.perf_counter() - started
        server.kill()
    return seconds


def _seen(url: str) -> dict[str, float]:
    with urllib.request.urlopen(url) as response:
        seen: dict[str, float] = json.load(response)
    return seen


def _configure(case: Case, url: str, folder: Path) -> None:
    lengths = case.cells // 100
    more = "" if case.look_ahead is None else f"execution: {{look_ahead: {case.look_ahead}}}"
    text = CONFIG.format(
        base=f"{url}/slow/v1", in_flight=case.in_flight, lengths=lengths, longest=290 + 10 * lengths, more=more
    )
    folder.joinpath("haystack.yaml").write_text(text, encoding="utf-8")


def _bare_start_up(workers: int) -> float:
    """Seconds that pytest-xdist takes for a test that does nothing, beyond pytest's own."""
    taken = []
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "test_nothing.py").write_text("def test_nothing(): pass\n", encoding="utf-8")
        for count in (0, workers):
            started = time.perf_counter()
            subprocess.run([*PYTEST, "-n", str(count), "test_nothing.py"], cwd=folder, capture_output=True, check=True)
            taken.append(time.perf_counter() - started)
    return taken[1] - taken[0]


def _run(case: Case, workers: int, sample: int | None = None) -> dict[str, float]:
    with tempfile.TemporaryDirectory() as folder, _server(case.seconds) as server:
        assert server.stdout is not None
        url = server.stdout.readline().strip()
        _configure(case, url, Path(folder))
        counter = Path(folder, "counter")
        counter.mkdir()
        counter.joinpath("sitecustomize.py").write_text(COUNTER, encoding="utf-8")
        command = [*PYTEST, "-n", str(workers), "--haystack-config", "haystack.yaml"]
        command += ["--haystack-sample", str(sample)] if sample else []
        imports = Path(folder, "imports")
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(counter), str(ROOT)]), "IMPORTS": str(imports)}
        started = time.perf_counter()
        done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
        wall = time.perf_counter() - started
        if done.returncode:
            raise SystemExit(done.stdout + done.stderr)
        seen = _seen(url)
        server.kill()
        count = len(imports.read_text().splitlines())
    return {"wall": wall, "imports": count, **seen}


def _server(seconds: float) -> subprocess.Popen[str]:
    code = SERVER.format(root=str(ROOT), seconds=seconds)
    return subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


#: Imported by every Python process of a run: notes which of them import litellm.
COUNTER = """\
import os, sys

class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == "litellm.main":  # the package alone is also looked for, to find its files
            with open(os.environ["IMPORTS"], "a") as file:
                file.write(f"{os.getpid()}\\n")

sys.meta_path.insert(0, Finder())
"""
BARE = """\
import asyncio, os
os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
import litellm

async def main():
    room = asyncio.Semaphore({in_flight})

    async def ask(number):
        messages = [dict(role="user", content="The code of depot " + str(number) + " is 4711. " + "Rain fell. " * 90)]
        async with room:
            await litellm.acompletion("openai/served", messages, api_base={base!r}, api_key="none", max_retries=0)

    await asyncio.gather(*map(ask, range({cells})))

asyncio.run(main())
"""
SERVER = """\
import sys, time
sys.path.insert(0, {root!r})
from tests.support.needles import good
from tests.support.openai_server import OpenAIServer, Reply

class Slow(OpenAIServer):
    last = 0.0

    def delivered(self, path, request, reply):
        self.last = time.monotonic()

    def report(self):
        got = self.received("slow")
        return {{"requests": len(got), "peak": self.peak("slow"), "sending": self.last - got[0].at if got else 0.0}}

def slow(request):
    reply = good(request)
    return Reply(reply.status, reply.body, reply.headers, {seconds})

with Slow() as server:
    server.base("slow", slow)
    print(server.url, flush=True)
    sys.stdin.read()
"""

if __name__ == "__main__":
    main()
