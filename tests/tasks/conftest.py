"""Fixtures for tests of tasks."""

from tests.tasks.benches import bench

__all__ = ["bench"]
