"""Run by the Python of a venv that has needlehaystack 0.1.0: how long it takes to build a context.

    python needlehaystack_0_1.py FOLDER_OF_TEXTS NEEDLE SECONDS LENGTH...

Prints a JSON object: CPU milliseconds of a cell of each length (it keeps nothing from cell to cell), and its tokens.
"""

import asyncio
import json
import os
import statistics
import sys
import time

os.environ.setdefault("NIAH_MODEL_API_KEY", "none")

from needlehaystack import LLMNeedleHaystackTester
from needlehaystack.providers import OpenAI


def main(folder, needle, seconds, *lengths):
    model = OpenAI("gpt-4")
    model.encode_text_to_tokens("warm")
    found = {}
    for length in map(int, lengths):
        tester = LLMNeedleHaystackTester(
            model_to_test=model,
            needle=needle,
            haystack_dir=folder,
            retrieval_question="Which number?",
            context_lengths=[length],
            document_depth_percents=[50],
        )
        taken, text = [], ""
        while len(taken) < 3 or sum(taken) < float(seconds):
            started = time.process_time()
            text = asyncio.run(tester.generate_context(length, (50, 10, 30, 70, 90)[len(taken) % 5]))
            taken.append(time.process_time() - started)
        found[length] = {"later": 1000 * statistics.median(taken), "tokens": len(model.encode_text_to_tokens(text))}
    print(json.dumps(found))


main(*sys.argv[1:])
