"""The real llama.cpp server with SmolLM2-135M: what it says came out of its cache, and how long it took."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import urllib.request
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from pytest_haystack.models.local import weights_file
from pytest_haystack.models.model import Prompt

MODEL = "local/smollm2"
#: Serves one request at a time on a free port, which it tells, until standard input ends.
SERVER = """\
import json, os, sys
import xllamacpp

order = json.loads(sys.argv[1])
announce = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)
params = xllamacpp.CommonParams()
params.model.path = order["file"]
params.hostnames = ["127.0.0.1"]
params.port = 0
params.n_ctx = order["context"]
params.n_parallel = 1
params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
params.offline, params.fit_params, params.ui, params.verbosity = True, False, False, 1
if order["ram"] is not None:
    params.cache_ram_mib = order["ram"]
server = xllamacpp.Server(params)
print(server.listening_address.rpartition(":")[2], file=announce, flush=True)
sys.stdin.read()
os._exit(0)
"""


def ask_in_turn(prompts: Sequence[Prompt], ram: int | None = None) -> dict[str, float]:
    """Ask a fresh server one prompt after the other; ``ram`` is MiB for old prompts (default: its own).

    Tells tokens of input, those from the cache and their share, seconds of the clock and of CPU. Needs the weights.
    """
    order = {
        "file": str(weights_file(MODEL, Path())),
        "context": max(map(len, prompts)) // 2 + 256,
        "ram": ram,
    }
    pipe = subprocess.PIPE
    server = subprocess.Popen([sys.executable, "-c", SERVER, json.dumps(order)], stdin=pipe, stdout=pipe, text=True)
    assert server.stdin is not None
    assert server.stdout is not None
    try:
        base = f"http://127.0.0.1:{int(server.stdout.readline())}"
        _await(base)
        found = {"tokens": 0.0, "cached": 0.0}
        started = time.perf_counter()
        for prompt in prompts:
            usage = _asked(base, prompt)
            found["tokens"] += usage["prompt_tokens"]
            found["cached"] += usage["prompt_tokens_details"]["cached_tokens"]
        found["wall"] = time.perf_counter() - started
    finally:
        server.stdin.close()
        _, _, spent = os.wait4(server.pid, 0)
        server.returncode = 0
        server.stdout.close()
    return {**found, "share": found["cached"] / found["tokens"], "cpu": spent.ru_utime + spent.ru_stime}


def _await(base: str) -> None:
    for _ in range(600):
        with suppress(OSError), urllib.request.urlopen(f"{base}/health", timeout=5):
            return
        time.sleep(0.1)
    raise RuntimeError("llama.cpp does not answer")


def _asked(base: str, prompt: Prompt) -> Any:
    """What the server counted."""
    body = {"model": "any", "messages": prompt.messages, "max_tokens": 1, "temperature": 0}
    request = urllib.request.Request(
        f"{base}/v1/chat/completions", json.dumps(body).encode(), {"content-type": "application/json"}
    )
    with urllib.request.urlopen(request, timeout=600) as response:
        return json.load(response)["usage"]
