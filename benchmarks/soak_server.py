"""The server of `soak.py`: fails a share of its requests in every way that leaves the model alive, and keeps count.

    python benchmarks/soak_server.py SEED SHARE

Path ``soak`` fails, path ``clean`` does not. A GET returns what it has seen: for each request the prompt's hash, when
it came and when its response had left whole (seconds of the monotonic clock, null where it had not), and its fault.
"""

from __future__ import annotations

import hashlib
import json
import random
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

sys.path.pop(0)  # this folder, whose names are also those of other modules
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tests.support.faults import FAULTS
from tests.support.openai_server import OpenAIServer, Received, Reply

#: Whole answers that count: with a score, whatever it is. An empty one is asked for again by design.
ANSWERS = ("good", "latency", "no-usage", "wrong-type", "length", "reasoning", "reasoning-content", "think", "refusal")
#: Faults that one request of a long sweep may meet. Left out: those that stop the model for good.
MIXED = (
    *(name for name in ANSWERS if name != "good"),
    *("429", "500", "502", "503", "529", "dropped", "half", "no-json", "html", "hang", "empty", "no-choices"),
    *("think-only", "refusal-in-words", "filtered", "filtered-400", "cut-input", "echo-key"),
    *("long-openai", "long-anthropic", "long-gemini", "long-vllm"),
)
HANG = 5.0
_MARK = "x-soak"


class SoakServer(OpenAIServer):
    """Draws a fault for a share of the requests, the same for the same prompt and try."""

    def __init__(self, seed: int, share: float) -> None:
        super().__init__()
        self._seed, self._share = seed, share
        self._log: list[dict[str, Any]] = []
        self._tries: dict[str, int] = {}
        self._guard = threading.Lock()
        self.base("soak", lambda request: self._answer(request, self._share))
        self.base("clean", lambda request: self._answer(request, 0.0))

    def delivered(self, path: str, request: Received, reply: Reply) -> None:
        """The response has left whole."""
        self._log[int(reply.headers[_MARK])]["whole"] = time.monotonic()

    def report(self) -> Any:
        """What was seen so far."""
        with self._guard:
            return list(self._log)

    def _answer(self, request: Received, share: float) -> Reply:
        path = request.path.split("/")[1]
        key = hashlib.sha256(json.dumps(request.body["messages"]).encode()).hexdigest()
        with self._guard:
            number = self._tries[path + key] = self._tries.get(path + key, 0) + 1
            chance = random.Random(f"{self._seed} {key} {number}")
            fault = chance.choice(MIXED) if chance.random() < share else "good"
            entry = {"path": path, "key": key, "came": request.at, "whole": None, "fault": fault}
            self._log.append(entry)
            place = len(self._log) - 1
        reply = FAULTS[fault](request)
        delay = HANG if fault == "hang" else reply.delay
        return replace(reply, delay=delay, headers={**reply.headers, _MARK: str(place)})


def main() -> None:
    with SoakServer(int(sys.argv[1]), float(sys.argv[2])) as server:
        print(server.url, flush=True)
        sys.stdin.read()


if __name__ == "__main__":
    main()
