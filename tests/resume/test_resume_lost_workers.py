"""A worker that dies takes neither its answers nor the verdict of its cell along."""

from __future__ import annotations

import pytest

from tests.resume.conftest import Project

#: The second trial of one cell ends its process; ``once`` only the first time.
POISON = "0 < prompt.trial and int(prompt.sha256, 16) % 8 == {number} {once} and os.kill(os.getpid(), signal.SIGKILL)"
ONCE = "and not LOG.with_name('died').exists() and (LOG.with_name('died').touch(), True)[1]"


@pytest.fixture
def number(project: Project) -> int:
    """What marks one of the second trials, and no other one."""
    project.write_own(trials=2)
    assert project.run()[0] == 0
    numbers = [int(row["prompt_sha256"], 16) % 8 for row in project.rows() if row["trial"] == 1]
    return next(number for number in numbers if numbers.count(number) == 1)


def test_a_cell_is_run_again_once_and_its_answers_are_not_asked_again(project: Project, number: int) -> None:
    whole = project.reports()
    (project.path / "asked.log").unlink()
    project.write_own(trials=2, hook=POISON.format(number=number, once=ONCE))

    code, said = project.run("-n", "2")

    assert code == 0, said
    assert "4 passed, 1 rerun" in said
    assert sorted(project.own_asked().values()) == [1] * 7 + [2]
    assert project.reports() == whole


@pytest.mark.parametrize("dist", ["load", "worksteal", "loadfile"])
def test_a_cell_that_kills_its_worker_is_an_error_that_says_so(project: Project, number: int, dist: str) -> None:
    (project.path / "asked.log").unlink()
    project.write_own(trials=2, hook=POISON.format(number=number, once=""))

    code, said = project.run("-n", "2", "--dist", dist)

    assert code == 1, said
    assert "3 passed, " in said
    assert "1 error" in said
    assert "failed" not in said.splitlines()[-1]
    assert "died while it ran this cell" in said
    assert "run again with --haystack-resume" in said
    assert max(project.own_asked().values()) == 2
    error = (project.report / "junit.xml").read_text().partition("<error")[2]
    assert "died while it ran this cell" in error
    project.write_own(trials=2)
    assert project.run("--haystack-resume")[0] == 0
    assert len(project.rows()) == 8


def test_a_cell_that_no_worker_is_left_for_is_an_error(project: Project, number: int) -> None:
    project.write_own(trials=2, hook=POISON.format(number=number, once=""))

    _, said = project.run("-n", "1", "--max-worker-restart", "0")

    assert "1 error" in said
    assert "died while it ran this cell, and the run ended before it could run again" in said
