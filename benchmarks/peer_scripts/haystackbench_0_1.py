"""Run by the Python of a venv that has haystackbench 0.1.0: how long it takes to build a context.

    python haystackbench_0_1.py FOLDER_OF_TEXTS NEEDLE SECONDS LENGTH...

Prints a JSON object: CPU milliseconds of a cell of each length (it keeps nothing from cell to cell), and its tokens.
The steps are those of its runner: a haystack of the length, then the needle put in.
"""

import json
import statistics
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from haystackbench.core.haystack import HaystackBuilder, count_tokens
from haystackbench.core.injector import Injector
from haystackbench.core.needle import Needle


def main(folder, needle_text, seconds, *lengths):
    text = "".join(file.read_text(encoding="utf-8") for file in sorted(Path(folder).glob("*.txt")))
    needle = Needle(text=needle_text, entity="", attribute="", value="4719203", question="Which number?")
    count_tokens("warm")
    found = {}
    with TemporaryDirectory() as cache:
        builder, injector = HaystackBuilder(cache_dir=Path(cache)), Injector()
        for length in map(int, lengths):
            taken, document = [], None
            while len(taken) < 3 or sum(taken) < float(seconds):
                started = time.process_time()
                haystack = builder.build(length, source="custom", custom_text=text)
                depth = (0.5, 0.1, 0.3, 0.7, 0.9)[len(taken) % 5]
                document = injector.inject_multiple(haystack, [needle], [depth], length)
                taken.append(time.process_time() - started)
            found[length] = {"later": 1000 * statistics.median(taken), "tokens": count_tokens(document.text)}
    print(json.dumps(found))


main(*sys.argv[1:])
