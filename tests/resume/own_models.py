"""A model of one's own for projects in temporary folders: it finds the value, and tells a file of each ask."""

from __future__ import annotations

#: Written as answers.py; ``hook(prompt, number)`` runs before each answer, number counting the asks of the project.
ANSWERS = """\
import os, re, signal, time
from pathlib import Path
from pytest_haystack.models.model import Completion, Usage

LOG = Path(__file__).with_name("asked.log")


def hook(prompt, number):
    pass


def find(prompt):
    found = re.search(r"Question: What is the (.*) of (.*)\\?", prompt)
    said = re.search(rf"The {re.escape(found[1])} of {re.escape(found[2])} is (.*?)\\.(\\s|$)", prompt)
    return said[1]


def answer(prompt):
    with LOG.open("a") as log:
        log.write(f"{prompt.sha256} {prompt.trial}\\n")
    hook(prompt, len(LOG.read_text().splitlines()))
    return Completion(find(prompt), usage=Usage(input_tokens=len(prompt) // 4, output_tokens=9), cost_usd=0.25)
"""

CONFIG = """\
name: own
models: [{{id: mine, model: "{model}"}}]
haystack: {{source: synthetic}}
sweep: {{context_lengths: [400, 600], depth_percents: [0, 100], trials: {trials}}}
threshold: 0.5
tasks: [single]
"""
