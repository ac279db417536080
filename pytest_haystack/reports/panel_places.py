"""Where the panels of a picture stand that has one for each model and task."""

from __future__ import annotations

import math
from collections.abc import Sequence

Group = tuple[str, str]


def panel_places(groups: Sequence[Group], models: Sequence[str], tasks: Sequence[str]) -> dict[Group, tuple[int, int]]:
    """(row, column) of the panel of each (model, task): models below each other and tasks side by side where that fits.

    With more tasks the models of a task stand side by side, each in columns of its own; else panels follow each other.
    """
    if len(models) > 1 and 1 < len(tasks) <= 6:
        return {(model, task): (models.index(model), tasks.index(task)) for model, task in groups}
    columns = min(6, len(groups), max(1, math.ceil(math.sqrt(len(groups) * 1.2))))
    if 1 < len(models) <= 6 and len(tasks) > 1:
        columns = max(columns // len(models), 1) * len(models)
        return {
            (model, task): divmod(tasks.index(task) * len(models) + models.index(model), columns)
            for model, task in groups
        }
    return {group: divmod(number, columns) for number, group in enumerate(groups)}
