"""What reports say of the embedded reader's profiles, from real runs."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

Run = Callable[..., pytest.RunResult]

#: What each profile cannot read is in `pytest_haystack.models.simulated`.
PROFILES = {
    "perfect": ({"perfect square"}, "at least 16,000 tokens (the longest asked)"),
    "context-cliff": ({"context cliff"}, "8,000 tokens (mean score 0.45 at 16,000)"),
    "lost-in-the-middle": ({"lost in the middle"}, "2,000 tokens (mean score 0.73 at 4,000)"),
    "recency": ({"context cliff", "end advantage"}, "4,000 tokens (mean score 0.45 at 8,000)"),
    "primacy": ({"diagonal fade"}, "4,000 tokens (mean score 0.55 at 8,000)"),
    "uniform-decay": (set[str](), ""),
}
SWEEP = """\
name: profiles
models: [{{id: reader, model: simulated/{profile}}}]
haystack: {{source: synthetic@1}}
sweep:
  context_lengths: [2000, 4000, 8000, 16000]
  depth_percents: {{min: 0, max: 100, num: 11, scale: sigmoid}}
tasks: [single]
threshold: 0
"""


@pytest.mark.parametrize("profile", PROFILES)
def test_each_profile_shows_what_it_is(profile: str, write: Any, run: Run, pytester: Any) -> None:
    patterns, length = PROFILES[profile]
    write(SWEEP.format(profile=profile))

    result = run("-q")

    report = pytester.path / "haystack-report"
    (summary,) = json.loads((report / "summary.json").read_text())["results"]
    assert {pattern["name"] for pattern in summary["patterns"]} == patterns
    page = (report / "summary.md").read_text(encoding="utf-8")
    assert all(f"**{name}**" in page for name in patterns)
    assert ("## Patterns" in page) == bool(patterns)
    # The headline stands in quiet runs too.
    assert length in result.stdout.str()
