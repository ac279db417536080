"""What the gateway keeps of paid answers, and what stands for asking."""

from __future__ import annotations

import os
import signal
from dataclasses import replace

from tests.resume.conftest import Project, finds_it
from tests.support.openai_server import Received, Reply, answer, error

#: Beside the interpreter's own start-up: tells a file when litellm is imported anywhere.
SPY = """\
import sys
class Spy:
    def find_spec(self, name, path=None, target=None):
        if name.startswith("litellm."):
            open(r"{file}", "a").write("imported")
sys.meta_path.insert(0, Spy())
"""


def test_where_all_is_answered_nothing_is_sent_and_no_client_is_loaded(project: Project) -> None:
    spy = project.path / "spy"
    spy.mkdir()
    (spy / "sitecustomize.py").write_text(SPY.format(file=project.path / "imported"))
    assert project.run(pythonpath=spy)[0] == 0
    assert (project.path / "imported").exists()
    (project.path / "imported").unlink()
    whole = project.reports()

    code, said = project.run("--haystack-resume", pythonpath=spy)

    assert code == 0, said
    assert set(project.asked().values()) == {1}
    assert project.reports() == whole
    assert not (project.path / "imported").exists()


def test_only_what_is_sent_makes_an_answer_another_one(project: Project) -> None:
    assert project.run()[0] == 0
    path = project.path / "haystack.yaml"
    text = path.read_text()
    path.write_text(
        text.replace("id: good", "id: better").replace("threshold: 0.5", "threshold: 0.9")
        + "\nknown_failures: [{task: single, context_lengths: [400], reason: why not}]\n"
    )
    code, said = project.run("--haystack-resume", "--haystack-set", "tasks.0.scorer=exact")
    assert code == 0, said
    assert {row["model_id"] for row in project.rows() if "better" in row["nodeid"]} == {"better"}
    assert project.asked().total() == 6

    # Other parameters make it another request.
    path.write_text(text.replace("max_tokens: 32", "max_tokens: 33"))
    assert project.run("--haystack-resume", "-k", "len400-")[0] == 0
    assert project.asked().total() == 9


def filtered(request: Received) -> Reply:
    return answer("It is", finish_reason="content_filter")


def cut(request: Received) -> Reply:
    return answer("It is 4", usage={"prompt_tokens": 90, "completion_tokens": 4})


def test_an_error_is_no_answer(project: Project) -> None:
    path = project.path / "haystack.yaml"
    text = path.read_text()
    entry = text.partition("  - id: good")[2].partition("haystack:")[0]
    bad = {"broken": error(500), "prim": filtered, "small": cut}
    entries = ""
    for name, script in bad.items():
        base = project.server.base(f"{project.name}-{name}", script)
        entries += f"  - id: {name}{entry}".replace(project.server.base(project.name), base)
    path.write_text(text.replace(f"  - id: good{entry}", entries))
    code, said = project.run("-k", "len400-depth0")
    assert code == 1, said
    assert [row["outcome"] for row in project.rows()] == ["infra_error", "content_filter", "silent_truncation"]
    for name in bad:
        project.server.base(f"{project.name}-{name}", finds_it)

    code, said = project.run("--haystack-resume", "-k", "len400-depth0")

    assert code == 0, said
    assert [row["outcome"] for row in project.rows()] == ["answered"] * 3
    assert [project.server.count(f"{project.name}-{name}") for name in bad] == [2, 2, 2]


def test_what_is_under_way_at_ctrl_c_is_waited_for_and_kept(project: Project) -> None:
    project.server.base(project.name, lambda request: replace(finds_it(request), delay=0.5))
    process = project.start()
    project.wait_for(1)
    os.kill(process.pid, signal.SIGINT)
    process.communicate(timeout=60)
    assert process.returncode == 2
    first = project.asked()
    project.server.base(project.name, finds_it)

    assert project.run("--haystack-resume")[0] == 0

    assert all(project.asked()[text] == 1 for text in first)
    assert project.asked().total() == 6


def test_a_verdict_is_kept_and_what_is_none_is_asked_again(project: Project) -> None:
    judge = f"{project.name}-judge"
    base = project.server.base(judge, answer("I could not say."))
    path = project.path / "haystack.yaml"
    path.write_text(
        path.read_text().replace(
            "tasks: [single]",
            f"tasks: [{{type: single, scorer: {{name: judge, model: openai/judge, api_base: '{base}', "
            "api_key_env: RESUME_KEY}}]",
        )
    )
    code, said = project.run("-k", "len400-")
    assert code == 1, said
    assert project.server.count(judge) == 3
    for count in (6, 6):
        project.server.base(judge, answer("YES. It does."))

        code, said = project.run("--haystack-resume", "-k", "len400-")

        assert code == 0, said
        assert project.server.count(judge) == count
        assert project.asked().total() == 3


def test_entries_of_one_model_share_its_answers(project: Project) -> None:
    path = project.path / "haystack.yaml"
    text = path.read_text()
    entry = text.partition("  - id: good")[2].partition("haystack:")[0]
    path.write_text(text.replace("haystack:", f"  - id: twin{entry}haystack:", 1))

    code, said = project.run("-k", "len400-")

    assert code == 0, said
    assert "6 passed" in said
    assert sorted(project.asked().values()) == [1, 1, 1]
