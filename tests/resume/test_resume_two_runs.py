"""Two runs at once do not mix their rows."""

from __future__ import annotations

import re

from tests.resume.conftest import Project, kill


def test_the_second_run_stops_and_names_the_first(project: Project) -> None:
    project.write_own(
        hook="(LOG.with_name('now').touch(), [time.sleep(0.05) for _ in range(1200)"
        " if not LOG.with_name('on').exists()])"
    )
    first = project.start()
    project.until((project.path / "now").exists)

    code, said = project.run()
    assert code == 4
    errors = [line for line in said.splitlines() if line.startswith("ERROR")]
    assert len(errors) == 1
    assert re.search(rf"haystack-report is in use by another run \(process {first.pid} on \S+, run \S+\)", errors[0])
    assert "--haystack-report-dir" in errors[0]
    assert project.own_asked().total() == 1

    # In a folder of its own it may run, and answers of both are kept.
    (project.path / "on").touch()
    code, said = project.run("--haystack-report-dir", "other")
    assert code == 0, said
    first.communicate(timeout=60)
    assert first.returncode == 0
    assert len(project.rows()) == 4
    assert not [path.name for path in project.report.iterdir() if path.name.startswith(".")]


def test_a_run_that_was_killed_holds_nothing(project: Project) -> None:
    project.write_own(hook="(LOG.with_name('now').touch(), time.sleep(60))")
    first = project.start()
    project.until((project.path / "now").exists)
    kill(first)
    project.write_own()

    code, said = project.run()

    assert code == 0, said
    assert len(project.rows()) == 4
