"""Which test a row is of: the sweep file's own, or a function of the user's."""

from __future__ import annotations

from pytest_haystack.results.statistics import Row
from pytest_haystack.sweep import depth_text


def group_name(nodeid: str, cell: str) -> str:
    """A user's own test apart from its cell: file and function, and its parameters beside the cell."""
    test, _, parameters = nodeid.partition("[")
    file, _, function = test.partition("::")
    module = file.removesuffix(".py").replace("/", ".").lstrip(".")
    function = function.replace("::", ".")
    name = module if module.rpartition(".")[2] == function else f"{module}.{function}"
    rest = parameters.rstrip("]").replace(cell, "").strip("-")
    return f"{name}.{rest}" if rest else name


def group_of(row: Row) -> str:
    """The group of a row's test, empty for the sweep file's own."""
    nodeid = str(row["nodeid"])
    file, _, function = nodeid.partition("[")[0].rpartition("::")
    if function == "test_cell" and file.endswith((".yaml", ".yml")):
        return ""
    depth = depth_text(row["depth_percent"])
    return group_name(nodeid, f"{row['task']}-{row['model_id']}-len{row['context_length']}-depth{depth}")


def task_label(row: Row) -> str:
    """A row's task as reports name it: ``FUNCTION:TASK`` where a user's own test asked."""
    group = group_of(row)
    return f"{group}:{row['task']}" if group else str(row["task"])
