"""YAML of other tools, read as they read it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from pytest_haystack.errors import HaystackError
from pytest_haystack.text import one_line


def read_foreign(path: Path) -> Any:
    """The value that a YAML file holds, by the rules of YAML 1.1 that those tools go by: ``1_000`` is a number there.

    Raises HaystackError, one line, where there is none.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise HaystackError(f"{path}: is not UTF-8") from None
    except OSError as error:
        raise HaystackError(f"{path}: cannot be read: {error.strerror or error}") from None
    try:
        return yaml.safe_load(text)
    except yaml.MarkedYAMLError as error:
        line = f":{error.problem_mark.line + 1}" if error.problem_mark else ""
        raise HaystackError(f"{path}{line}: is no YAML: {one_line(str(error.problem), 200)}") from None
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise HaystackError(f"{path}: is no YAML: {one_line(str(error), 200)}") from None
