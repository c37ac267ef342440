"""`perdure executions` and `perdure worker`: what is looked at and steered while others run it."""

from __future__ import annotations

import re
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest

from cli.documents import BROKEN, GREETING, SHORT_REST, TASKS, WAITING, WITH_TASKS, graph
from cli.typing import PERDURE, Ended, environment, here, on_a_terminal, perdure, written

ESCAPES = re.compile("\x1b\\[[^a-zA-Z]*[a-zA-Z]")


class Desk:
    """A database with executions in it, and whoever types there."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder, self._capsys = folder, capsys
        self.database = f"sqlite:///{folder / 'flows.db'}"
        (folder / "tasks.py").write_text(TASKS)

    def run(self, document: dict[str, Any], *options: str, given: str = "{}", seconds: float = 0.05) -> str:
        """The id of an execution, as far as it goes in a moment."""
        path = written(self.folder, f"{document['name']}.json", document)
        typed: list[str | Path] = [
            "run",
            path,
            "--input",
            given,
            "--timeout",
            str(seconds),
            "--json",
            "--db",
            self.database,
            *options,
        ]
        told = here(self._capsys, *typed).object
        assert "id" in told, told
        return str(told["id"])

    def type(self, *typed: str) -> Ended:
        return here(self._capsys, "executions", *typed, "--db", self.database)

    def work(self, *options: str) -> Ended:
        return here(self._capsys, "worker", "--until-idle", "--db", self.database, *options)


@pytest.fixture
def desk(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Desk:
    return Desk(tmp_path, capsys)


def test_executions_are_listed_the_newest_first_and_filtered(desk: Desk) -> None:
    done, asleep = desk.run(GREETING, given='{"name": "Ada"}'), desk.run(WAITING)
    listed = desk.type("list").out.splitlines()
    assert listed[0].split() == ["ID", "WORKFLOW", "STATUS", "STARTED", "TOOK"]
    assert [line.split()[0] for line in listed[1:]] == [asleep, done]
    assert "waits at 'rest' for its time" in listed[1]
    waiting = desk.type("list", "--status", "waiting", "--json").object
    assert [item["id"] for item in waiting["items"]] == [asleep]
    assert waiting["items"][0]["waiting_for"]["kind"] == "timer"
    first = desk.type("list", "--limit", "1", "--json").object
    second = desk.type("list", "--limit", "1", "--cursor", first["next"], "--json").object
    assert ([item["id"] for item in second["items"]], second["next"]) == ([done], None)
    assert desk.type("list", "--status", "failed").out == "there are no such executions\n"


def test_a_workflow_is_named_by_its_name(desk: Desk) -> None:
    document = written(desk.folder, "hello.json", GREETING)
    assert perdure("workflows", "save", document, "--db", desk.database).status == 0
    done = desk.run(GREETING)
    desk.run(WAITING)
    items = desk.type("list", "--workflow", "hello", "--json").object["items"]
    assert [(item["id"], item["name"]) for item in items] == [(done, "hello")]
    assert desk.type("list", "--workflow", "helo").out == "there are no such executions; did you mean 'hello'?\n"


def test_one_is_shown_as_far_as_somebody_wants_to_look(desk: Desk) -> None:
    done = desk.run(WITH_TASKS, "--tasks", str(desk.folder / "tasks.py"), seconds=20)
    plain = desk.type("show", done).out
    assert "status     completed" in plain
    assert '"enriched": true' in plain
    told = desk.type("show", done, "--view", "--history", "--step", "enrich", "--json").object
    assert (told["id"], told["status"], told["view"]["status"]) == (done, "completed", "SUCCESS")
    assert told["history"]["items"][0]["kind"] == "execution.started"
    assert (told["step"]["step"], told["step"]["status"], len(told["step"]["attempts"])) == ("enrich", "completed", 1)
    shown = desk.type("show", done, "--history", "--step", "enrich", "--limit", "3").out
    assert "step enrich: completed" in shown
    assert "there is more: --after 3" in shown
    rest = desk.type("show", done, "--history", "--after", "3", "--json").object["history"]
    assert rest["items"][0]["seq"] == 4


def test_why_says_what_it_waits_for_since_when_and_until_when(desk: Desk) -> None:
    asleep = desk.run(WAITING)
    told = desk.type("why", asleep, "--json").object
    assert (told["id"], told["status"]) == (asleep, "waiting")
    assert (told["waits"][0]["kind"], told["waits"][0]["step"]) == ("timer", "rest")
    assert set(told["waits"][0]) >= {"since", "until", "on"}
    said = desk.type("why", asleep).out
    assert said.startswith("It waits at step 'rest' for its time")
    assert "No worker runs now" in said


def test_what_is_cancelled_without_a_worker_is_noted_and_done_by_the_next(desk: Desk) -> None:
    asleep = desk.run(WAITING)
    assert "it is noted, and no worker has taken it up yet" in desk.type("cancel", asleep, "--reason", "no more").out
    assert desk.work("--json").object == {
        "database": str(desk.folder / "flows.db"),
        "ended": "idle",
        "completed": 0,
        "failed": 0,
        "cancelled": 1,
        "waiting": 0,
    }
    assert desk.type("show", asleep, "--json").object["status"] == "cancelled"
    ended = desk.type("watch", asleep, "--json")
    assert (ended.status, ended.object["status"]) == (4, "cancelled")
    again = desk.type("cancel", asleep, "--json")
    assert (again.status, again.object["error"]["type"]) == (2, "conflict")


def test_what_has_failed_is_retried_by_a_worker(desk: Desk) -> None:
    failed = desk.run(BROKEN, "--tasks", str(desk.folder / "tasks.py"), seconds=20)
    assert desk.type("show", failed, "--json").object["status"] == "failed"
    assert desk.type("retry", failed, "--json").object["noted"]
    (desk.folder / "mended.py").write_text(
        "from perdure import node\n@node('BREAK')\ndef f(p): return {'mended': True}\n"
    )
    assert desk.work("--tasks", str(desk.folder / "mended.py")).err.endswith("idle: 1 completed\n")
    assert desk.type("show", failed, "--json").object["output"] == {"mended": True}


def test_a_rerun_and_a_fork_are_new_executions_of_the_same(desk: Desk) -> None:
    done = desk.run(GREETING, given='{"name": "Ada"}')
    again = desk.type("rerun", done, "--input", '{"name": "Eve"}', "--json").object
    assert (again["origin"], again["parent"]) == (done, done)
    from_step = desk.type("rerun", done, "--from-step", "greet", "--json").object["id"]
    said = desk.type("fork", done, "--at-step", "greet").out
    assert f"was started, from {done}" in said
    desk.work()
    assert desk.type("show", again["id"], "--json").object["output"]["greeting"] == "Hello, Eve!"
    assert desk.type("show", from_step, "--json").object["output"]["greeting"] == "Hello, Ada!"
    assert desk.type("show", said.split()[0], "--json").object["status"] == "completed"


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        (["rerun", "ID", "--from-step", "gret"], "did you mean 'greet'?"),
        (["fork", "ID", "--at-step", "gret"], "did you mean 'greet'?"),
        (["show", "ID", "--step", "gret"], "did you mean 'greet'?"),
        (["retry", "ID"], "only what has failed can be retried"),
        (["cancel", "ID"], "is completed already"),
        (["show", "nope"], "there is no execution 'nope'"),
        (["watch", "nope"], "there is no execution 'nope'"),
        (["why", "nope"], "there is no execution 'nope'"),
        (["show", "ID", "--organization", "acme"], "in organization 'acme'"),
    ],
)
def test_what_does_not_go_is_told_and_changes_nothing(typed: list[str], said: str, desk: Desk) -> None:
    done = desk.run(GREETING)
    typed = [done if word == "ID" else word for word in typed]
    before = desk.type("show", done, "--history", "--json").out
    ended = desk.type(*typed)
    assert (ended.status, ended.out) == (2, "")
    assert said in ended.err
    assert said in desk.type(*typed, "--json").object["error"]["message"]
    assert desk.type("show", done, "--history", "--json").out == before


@pytest.mark.parametrize("output", ["greet", "=1", "greet={"])
def test_an_output_for_a_fork_has_to_be_json(output: str, desk: Desk) -> None:
    done = desk.run(GREETING)
    ended = desk.type("fork", done, "--at-step", "greet", "--output", output)
    assert (ended.status, ended.out) == (2, "")


def test_a_task_that_no_worker_has_is_named_wherever_somebody_looks(desk: Desk) -> None:
    rest, enrich = SHORT_REST["nodes"][1], WITH_TASKS["nodes"][1]
    waits = desk.run(graph(rest, enrich, name="lacking"), seconds=0)
    assert "1 waiting" in desk.work().err
    misses = "for a worker that has the node type 'ENRICH', since "
    way_out = "perdure worker --tasks FILE"
    for shown in (desk.type("show", waits).out, desk.type("why", waits).out):
        assert misses in shown
        assert way_out in shown
    told = desk.type("show", waits, "--json").object
    (missing,) = told["missing_tasks"]
    assert (missing["step"], missing["task"]) == ("enrich", "node:ENRICH")
    assert missing["since"] >= told["started_at"]
    doctor = perdure("doctor", "--db", desk.database)
    assert waits in doctor.out
    assert "task node:ENRICH, since " in doctor.out
    assert way_out in " ".join(doctor.out.split())
    assert "1 completed" in desk.work("--tasks", str(desk.folder / "tasks.py")).err
    told = desk.type("show", waits, "--history", "--json").object
    assert (told["status"], "missing_tasks" in told) == ("completed", False)
    assert "step.lost" not in [entry["kind"] for entry in told["history"]["items"]]
    assert "ENRICH" not in perdure("doctor", "--db", desk.database).out


def test_an_execution_of_another_process_is_watched_to_its_end(desk: Desk) -> None:
    napping = desk.run(SHORT_REST, seconds=0)
    with subprocess.Popen(
        [PERDURE, "worker", "--db", desk.database], stderr=subprocess.PIPE, text=True, env=environment()
    ) as worker:
        watched = on_a_terminal("executions", "watch", napping, "--db", desk.database)
        shown = ESCAPES.sub("", watched.out)
        assert (watched.status, watched.err) == (0, "")
        assert "✓ rest" in shown
        assert "completed: " in shown
        plain = desk.type("watch", napping)
        assert "rest   completed" in plain.out
        worker.send_signal(signal.SIGTERM)
        _, said = worker.communicate(timeout=30)
    assert worker.returncode == 0
    assert said.startswith("perdure worker on ")
    assert said.endswith("stopped\n")
