"""Which version of its text a haystack stands for today, written into its options."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pytest_haystack.config.draft import Draft
from pytest_haystack.config.yaml_text import KeyPath
from pytest_haystack.errors import ConfigError
from pytest_haystack.registry import Registry


def with_pinned_haystacks(draft: Draft, data: dict[str, Any], base_dir: Path, registry: Registry) -> None:
    """Let sources that have a lock file beside the config complete their options by it, in place.

    So the settings name the text, wherever they are written: in rows, in config.resolved.yaml, in their hash.
    """
    tasks = data["tasks"] if isinstance(data.get("tasks"), list) else []
    owners: list[tuple[KeyPath, Any]] = [((), data), *((("tasks", index), task) for index, task in enumerate(tasks))]
    for path, owner in owners:
        haystack = owner.get("haystack") if isinstance(owner, dict) else None
        if not isinstance(haystack, dict) or haystack.get("source") not in registry.sources:
            continue
        pinned = getattr(registry.sources[haystack["source"]], "pinned", None)
        if pinned is None or not haystack.get("options"):
            continue
        try:
            haystack["options"] = pinned(haystack["options"], base_dir)
        except ConfigError as error:
            draft.problem((*path, "haystack"), str(error))
