"""Run by the Python of a venv that has needlehaystack 2.0: how long it takes to build the contexts of a length.

    python needlehaystack_2.py FOLDER_OF_TEXTS NEEDLE SECONDS LENGTH...

Prints a JSON object: CPU milliseconds of the first and of later cells of each length, and the tokens of a later one.
The runner builds a context in the steps that are repeated here: `Runner._load_context`, the task's `insert`, `decode`.
"""

import json
import statistics
import sys
import time

from needlehaystack.core import tokens
from needlehaystack.core.runner import Runner
from needlehaystack.core.sweep import Sweep
from needlehaystack.haystacks.files import FilesHaystack
from needlehaystack.tasks.single_needle import SingleNeedleTask


def main(folder, needle_text, seconds, *lengths):
    task = SingleNeedleTask(needle_text=needle_text)
    tokens.encode("warm")
    found = {}
    for length in map(int, lengths):
        first, later, text = [], [], ""
        while len(first) < 2 or sum(first) < float(seconds):
            runner = Runner(task, None, FilesHaystack(folder), Sweep([length], [0.0]), None)
            for number, depth in enumerate((50.0, 10.0, 30.0, 70.0, 90.0)):
                started = time.process_time()
                context = runner._load_context(length)
                needle = task.generate_needle(seed=None)
                spliced, _ = task.insert(context, needle, depth)
                text = tokens.decode(spliced)
                taken = time.process_time() - started
                (later if number else first).append(taken)
        found[length] = {
            "first": 1000 * statistics.median(first),
            "later": 1000 * statistics.median(later),
            "tokens": tokens.count(text),
        }
    print(json.dumps(found))


main(*sys.argv[1:])
