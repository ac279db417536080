"""The hook by which a conftest or another plugin adds to what a config may name."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pytest_haystack.registry import Registry


def pytest_haystack_register(registry: Registry) -> None:
    """Add tasks, placements, scorers, haystack sources, model providers or gate metrics by name.

    Called once per process before a config is read, never in a run without a sweep. Each kind has an ``add``::

        def pytest_haystack_register(registry):
            registry.tasks.add("proverb", Proverb)                # a pytest_haystack.tasks.task.Task
            registry.placements.add("edges", edges)               # a function, see needles/placements.py
            registry.scorers.add("first_line", first_line)        # a function, see scoring/score.py
            registry.sources.add("tickets", Tickets)              # a pytest_haystack.haystacks.source.Source
            registry.providers.add("mycorp", MyCorp)              # a Model; answers for `model: mycorp/...`
            registry.metrics.add("median_score", MedianScore)     # a pytest_haystack.results.gates.GateMetric

    A conftest beside a sweep file that the command line names is read in time, wherever the file lies; for a sweep
    of the ini file, register in a conftest that pytest reads at its start, such as that of the rootdir. The names
    hold for all sweeps of a session.
    """
