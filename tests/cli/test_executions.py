"""`perdure executions` and `perdure worker`: what is looked at and steered while others run it."""

from __future__ import annotations

import asyncio
import re
import shlex
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest

from cli.documents import BROKEN, GREETING, PARENT, SHORT_REST, TASKS, WAITING, WITH_TASKS, graph
from cli.typing import PERDURE, Ended, environment, here, on_a_terminal, perdure, written
from perdure.cli.outcome import waits_for
from perdure.clock import now_ms
from perdure.model.records import Waiting
from perdure.model.steps import Compute, Step
from perdure.model.workflow import Entry, Workflow
from perdure.service.engine import Engine

ESCAPES = re.compile("\x1b\\[[^a-zA-Z]*[a-zA-Z]")


class Desk:
    """A database with executions in it, and whoever types there."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder, self.capsys = folder, capsys
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
        told = here(self.capsys, *typed).object
        assert "id" in told, told
        return str(told["id"])

    def type(self, *typed: str) -> Ended:
        return here(self.capsys, "executions", *typed, "--db", self.database)

    def work(self, *options: str) -> Ended:
        return here(self.capsys, "worker", "--until-idle", "--db", self.database, *options)


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
        "next_due": None,
    }
    assert desk.type("show", asleep, "--json").object["status"] == "cancelled"
    ended = desk.type("watch", asleep, "--json")
    assert (ended.status, ended.object["status"]) == (4, "cancelled")
    again = desk.type("cancel", asleep, "--json")
    assert (again.status, again.object["error"]["type"]) == (2, "conflict")


def test_what_is_asked_for_a_version_is_refused_at_another(desk: Desk) -> None:
    asleep, failed = desk.run(WAITING), desk.run(BROKEN, "--tasks", str(desk.folder / "tasks.py"))
    at = desk.type("show", asleep, "--json").object["execution_version"]
    assert f"version    {at}, the number of its facts" in desk.type("show", asleep).out
    refused = desk.type("cancel", asleep, "--if-version", str(at - 1))
    assert (refused.status, refused.out) == (2, "")
    assert f"it was asked for version {at - 1}, and the execution is at version {at}; look at it again" in refused.err
    assert desk.type("cancel", asleep, "--if-version", str(at), "--json").object["noted"]
    at = desk.type("show", failed, "--json").object["execution_version"]
    assert desk.type("retry", failed, "--if-version", str(at + 1)).status == 2
    assert desk.type("retry", failed, "--if-version", str(at), "--json").object["noted"]


def test_what_is_noted_is_shown_until_a_worker_has_taken_it_up(desk: Desk) -> None:
    asleep = desk.run(WAITING)
    desk.type("cancel", asleep, "--reason", "ordered twice")
    (asked,) = desk.type("show", asleep, "--json").object["requested"]
    assert (asked["what"], asked["by"], asked["reason"]) == ("cancel", "program", "ordered twice")
    assert desk.type("why", asleep, "--json").object["requested"] == [asked]
    worker = f"`perdure worker --db {desk.database}`"
    for said in (desk.type("show", asleep).out, desk.type("why", asleep).out):
        assert "A cancellation was asked for by program at " in said
        assert "(ordered twice), and no worker has taken it up yet." in said
        assert worker in said
    desk.work()
    assert desk.type("show", asleep, "--json").object["requested"] == []
    assert "was asked for" not in desk.type("why", asleep).out


def test_the_beginning_of_an_id_is_enough_if_no_other_begins_so(desk: Desk) -> None:
    done, asleep = desk.run(GREETING), desk.run(WAITING)
    short = done[:20]
    assert desk.type("show", short, "--json").object["id"] == done
    assert desk.type("why", short, "--json").object["id"] == done
    assert desk.type("watch", short, "--json").object["id"] == done
    assert desk.type("rerun", short, "--json").object["origin"] == done
    both = done[:6]
    assert asleep.startswith(both), "ids begin with the time"
    ended = desk.type("cancel", both)
    assert (ended.status, ended.out) == (2, "")
    assert f"the ids of several executions begin with {both!r}: {done}, {asleep}" in ended.err
    assert desk.type("cancel", both, "--json").object["error"]["type"] == "ambiguous"
    short = desk.type("show", done[:5]).err
    assert f"there is no execution {done[:5]!r}" in short
    assert short.endswith("of an id, at least 6 characters are needed\n")
    assert "there is no execution" in desk.type("show", done[:20], "--organization", "acme").err


def test_the_steps_of_one_are_shown_each_in_a_line(desk: Desk) -> None:
    failed = desk.run(BROKEN, "--tasks", str(desk.folder / "tasks.py"), seconds=20)
    lines = [line.split() for line in desk.type("show", failed).out.splitlines()]
    at = lines.index(["STEP", "STATUS", "ATTEMPTS", "TOOK"])
    start, broken = lines[at + 1 : at + 3]
    assert (start[:2], broken[:3]) == (["start", "completed"], ["break", "failed", "1"])
    assert " ".join(broken[5:]) == "the lamp is broken; buy another"
    told = desk.type("show", failed, "--json").object["steps"]
    assert [(step["step"], step["status"], step["attempts"]) for step in told] == [
        ("start", "completed", 0),
        ("break", "failed", 1),
    ]
    assert told[1]["error"]["message"] == "the lamp is broken; buy another"


def test_a_retry_that_is_noted_is_shown_as_well(desk: Desk) -> None:
    failed = desk.run(BROKEN, "--tasks", str(desk.folder / "tasks.py"), seconds=20)
    desk.type("retry", failed)
    assert "Another try was asked for by program at " in desk.type("show", failed).out
    assert re.search(r"buy another\. Another try was asked for by program at .* yet\.\n", desk.type("why", failed).out)


def test_commands_that_are_named_can_be_pasted(desk: Desk) -> None:
    database = f"sqlite:///{desk.folder / 'my flows.db'}"
    document = written(desk.folder, "sleeper.json", WAITING)
    tasks = str(desk.folder / "tasks.py")
    here_ = here(desk.capsys, "run", document, "--timeout", "0", "--tasks", tasks, "--db", database)
    assert f"`perdure worker --tasks {tasks} --db '{database}'` goes on with it" in here_.out
    named = re.search("`perdure (executions why [0-9a-f]*) --db '(.*)'`", here_.out)
    assert named is not None
    assert here(desk.capsys, *named[1].split(), "--db", named[2]).status == 0


def test_people_read_their_own_time_and_programs_utc(desk: Desk) -> None:
    asleep = desk.run(WAITING)
    for typed in (["list"], ["show", asleep], ["why", asleep]):
        told = perdure("executions", *typed, "--db", desk.database, TZ="EST5")
        assert re.search(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d EST", told.out), told.out
        assert "UTC" not in told.out
    told = perdure("executions", "show", asleep, "--json", "--db", desk.database, TZ="EST5").object
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", told["started_at"])


def test_a_worker_says_what_it_works_on_and_how_to_stop_it(desk: Desk) -> None:
    desk.run(GREETING)
    said = desk.work("--tasks", str(desk.folder / "tasks.py")).err.splitlines()[0]
    assert said.startswith(
        f"perdure worker on {desk.folder / 'flows.db'}; with 9 tasks: BREAK, ENRICH, FLAKY, LOUD, SLOW, "
    )
    assert said.endswith("; Ctrl-C stops it")


def test_a_worker_that_has_made_a_database_says_so_and_which_may_have_been_meant(desk: Desk) -> None:
    desk.run(GREETING)
    said = here(desk.capsys, "worker", "--until-idle", "--db", f"sqlite:///{desk.folder / 'flow.db'}").err
    assert "flow.db, a new database; with " in said.splitlines()[0]
    assert f"if you meant {desk.folder / 'flows.db'}, stop, and name that" in said.splitlines()[1]
    alone = here(desk.capsys, "worker", "--until-idle", "--db", f"sqlite:///{desk.folder / 'else' / 'x.db'}")
    assert alone.status == 2
    (desk.folder / "else").mkdir()
    alone = here(desk.capsys, "worker", "--until-idle", "--db", f"sqlite:///{desk.folder / 'else' / 'x.db'}")
    assert "x.db, a new database; with " in alone.err
    assert "if you meant" not in alone.err


def test_a_worker_that_is_idle_says_what_is_due_next(desk: Desk) -> None:
    asleep = desk.run(WAITING)
    until = desk.type("show", asleep, "--json").object["waiting_for"]["until"]
    assert desk.work("--json").object["next_due"] == {"execution": asleep, "at": until}
    assert re.search(f"idle: 1 waiting; next is execution {asleep}, at .*, in (59 minutes|1 hour)\n$", desk.work().err)


def test_how_long_it_has_waited_is_said_in_english() -> None:
    since = now_ms() - 180_000
    assert waits_for(Waiting("event", "pay", since, on="paid")) == "waits at 'pay' for an event paid, for 3 minutes now"


def test_what_has_failed_is_retried_by_a_worker(desk: Desk) -> None:
    failed = desk.run(BROKEN, "--tasks", str(desk.folder / "tasks.py"), seconds=20)
    assert desk.type("show", failed, "--json").object["status"] == "failed"
    assert desk.type("retry", failed, "--json").object["noted"]
    (desk.folder / "mended.py").write_text(
        "from perdure import node\n@node('BREAK')\ndef f(p): return {'mended': True}\n"
    )
    assert desk.work("--tasks", str(desk.folder / "mended.py")).err.endswith("idle: 1 completed\n")
    assert desk.type("show", failed, "--json").object["output"] == {"mended": True}


def test_an_input_that_does_not_fit_is_refused_and_shown_part_by_part(desk: Desk) -> None:
    schema = {"type": "object", "required": ["n"], "properties": {"n": {"type": "integer"}, "a": {"type": "null"}}}
    picky = Workflow("picky", (Step("go", Compute()),), (Entry("go"),), input_schema=schema)

    async def started() -> str:
        async with Engine(desk.database) as engine:
            execution = await engine.executions.start(picky, {"n": 1})
            await execution.result()
            return execution.id

    done = asyncio.run(started())
    refused = desk.type("rerun", done, "--input", '{"n": "one", "a": 1}')
    assert refused.status == 2
    assert refused.err.startswith("perdure executions rerun: the input has 2 problems\n")
    assert 'the input  /n\n  "one" is not of type "integer"\n' in refused.err
    alone = desk.type("rerun", done, "--input", "[]")
    assert alone.err == 'perdure executions rerun: the input: an array is not of type "object"\n'
    told = desk.type("rerun", done, "--input", '{"n": "one"}', "--json")
    assert told.status == 2
    (problem,) = told.object["problems"]
    assert (problem["type"], problem["path"]) == ("invalid_input", "/n")


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


def test_a_text_without_its_quotes_is_told_as_it_has_to_be_typed(desk: Desk) -> None:
    done = desk.run(GREETING)
    said = desk.type("fork", done, "--at-step", "greet", "--set", "name=O'Hara").err
    wanted = re.search(r"what stands after the = is not JSON; if it is a text, write --set (.*)\n", said)
    assert wanted is not None
    assert shlex.split(wanted[1]) == ['name="O\'Hara"']
    assert desk.type("fork", done, "--at-step", "greet", "--set", *shlex.split(wanted[1])).status == 0


def test_what_waits_cannot_be_retried_and_is_told_what_can_be_done(desk: Desk) -> None:
    asleep = desk.run(WAITING)
    said = desk.type("retry", asleep).err
    assert "is waiting, and only what has failed can be retried; `why` says what it waits for, `cancel` ends it" in said
    done = desk.run(GREETING)
    assert desk.type("retry", done).err.endswith("can be retried; `rerun` runs it again, as a new one\n")


def test_what_an_execution_was_made_from_is_told_apart_from_what_has_started_it(desk: Desk) -> None:
    document = written(desk.folder, "hello.json", GREETING)
    parent = desk.run(PARENT, "--with", str(document), seconds=20)
    (child,) = desk.type("list", "--parent", parent, "--json").object["items"]
    assert re.search(f"^started by +{parent}$", desk.type("show", child["id"]).out, re.MULTILINE)
    again, fork = (
        desk.type(verb, child["id"], *more, "--json").object
        for verb, more in (("rerun", ()), ("fork", ("--at-step", "greet")))
    )
    for made in (again, fork):
        assert (made["origin"], made["parent"]) == (child["id"], child["id"])
        shown = desk.type("show", made["id"]).out
        assert re.search(f"^made from +{child['id']}$", shown, re.MULTILINE)
        assert "started by" not in shown
    assert desk.type("show", child["id"], "--json").object["origin"] is None


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
