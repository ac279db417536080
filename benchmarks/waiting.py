"""How much of a sweep's time is waiting for a provider that takes half a second an answer?

    python benchmarks/waiting.py [--cells 1000] [--seconds 0.5] [--in-flight 32] [--workers 0 8] [--look-ahead N]

Each line is a run of pytest against a server in a process of its own. ``start-up`` is the run of a single cell without
the time of its answer: Python, pytest, workers, the import of litellm. ``least`` is cells x seconds / in flight, what
the server needs if it is never left idle. The ratio is (wall - start-up) / least. ``sending`` is the time from the
first request to the last answer over ``least``, as the server saw it.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
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


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--cells", type=int, default=1000, help="a multiple of 100")
    options.add_argument("--seconds", type=float, default=0.5)
    options.add_argument("--in-flight", type=int, default=32)
    options.add_argument("--workers", type=int, nargs="+", default=[0, 8])
    options.add_argument("--look-ahead", type=int, help="default: the plugin's own")
    asked = options.parse_args()
    least = asked.cells * asked.seconds / asked.in_flight
    print(f"{asked.cells} cells, {asked.seconds} s an answer, {asked.in_flight} in flight: least {least:.1f} s")
    print("  workers  start-up s   wall s   ratio   sending   requests   peak in flight   litellm imports")
    for workers in asked.workers:
        start_up = _run(asked, workers, sample=1)["wall"] - asked.seconds
        run = _run(asked, workers)
        print(
            f"{workers:9}{start_up:12.1f}{run['wall']:9.1f}{(run['wall'] - start_up) / least:8.2f}"
            f"{run['sending'] / least:10.2f}{run['requests']:11.0f}{run['peak']:17.0f}{run['imports']:18.0f}"
        )


def _run(asked: argparse.Namespace, workers: int, sample: int | None = None) -> dict[str, float]:
    with tempfile.TemporaryDirectory() as folder, _server(asked.seconds) as server:
        assert server.stdout is not None
        url = server.stdout.readline().strip()
        lengths = asked.cells // 100
        more = "" if asked.look_ahead is None else f"execution: {{look_ahead: {asked.look_ahead}}}"
        text = CONFIG.format(
            base=f"{url}/slow/v1", in_flight=asked.in_flight, lengths=lengths, longest=290 + 10 * lengths, more=more
        )
        Path(folder, "haystack.yaml").write_text(text, encoding="utf-8")
        counter = Path(folder, "counter")
        counter.mkdir()
        counter.joinpath("sitecustomize.py").write_text(COUNTER, encoding="utf-8")
        command = [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-p",
            "no:randomly",
            "-p",
            "no:cacheprovider",
            "-n",
            str(workers),
        ]
        command += ["--haystack-config", "haystack.yaml", *(["--haystack-sample", str(sample)] if sample else [])]
        imports = Path(folder, "imports")
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(counter), str(ROOT)]), "IMPORTS": str(imports)}
        started = time.perf_counter()
        done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
        wall = time.perf_counter() - started
        if done.returncode:
            raise SystemExit(done.stdout + done.stderr)
        with urllib.request.urlopen(url) as response:
            seen = json.load(response)
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
        return {{"requests": len(got), "peak": self.peak("slow"), "sending": self.last - got[0].at}}

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
