"""`perdure run`, as people and programs type it."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import tempfile
import time
from pathlib import Path

import pytest

from cli.documents import (
    BROKEN,
    GREETING,
    LONG_REST,
    LOUD,
    PARENT,
    SHORT_REST,
    SLOW,
    TASKS,
    UNKNOWN,
    WAITING,
    WITH_TASKS,
)
from cli.typing import PERDURE, environment, here, on_a_terminal, perdure, written

COMPLETED, FAILED, REFUSED, WAITS, CANCELLED = 0, 1, 2, 3, 4
ADA = '{"name": "Ada"}'
ESCAPES = re.compile("\x1b\\[[^a-zA-Z]*[a-zA-Z]")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "tasks.py").write_text(TASKS)
    return tmp_path


def test_a_document_is_run_and_its_output_shown(folder: Path) -> None:
    ended = perdure("run", written(folder, "hello.json", GREETING), "--input", ADA)
    assert (ended.status, ended.err) == (COMPLETED, "")
    assert "greet  completed" in ended.out
    assert '"greeting": "Hello, Ada!"' in ended.out
    assert ended.out.splitlines()[-1].startswith("completed: hello in ")


def test_for_a_program_it_is_one_object(folder: Path) -> None:
    ended = perdure("run", written(folder, "hello.json", GREETING), "--input", ADA, "--json")
    told = ended.object
    assert ended.status == COMPLETED
    assert list(told) == ["id", "dialect", "status", "output", "error", "waiting_for", "view"]
    assert (told["dialect"], told["status"], told["error"], told["waiting_for"]) == ("graph", "completed", None, None)
    assert told["output"]["greeting"] == "Hello, Ada!"
    assert told["view"]["status"] == "SUCCESS"


def test_input_may_come_from_a_file(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    given = written(folder, "ada.json", {"name": "Ada"})
    ended = here(capsys, "run", written(folder, "hello.json", GREETING), "--input", f"@{given}", "--json")
    assert ended.object["output"]["greeting"] == "Hello, Ada!"


def test_on_a_terminal_it_shows_a_tree(folder: Path) -> None:
    ended = on_a_terminal("run", written(folder, "nap.json", LONG_REST))
    assert ended.status == COMPLETED
    shown = ESCAPES.sub("", ended.out)
    assert "◷ rest" in shown, "while it waits"
    assert "└─ ✓ rest" in shown
    assert "\x1b[" in ended.out, "it is drawn over"
    assert re.search(r"completed: napper in 1\.[5-9] s", shown)


def test_tasks_of_a_module_are_called(folder: Path) -> None:
    document = written(folder, "enriched.json", WITH_TASKS)
    told = perdure("run", document, "--tasks", folder / "tasks.py", "--json").object
    assert (told["output"]["enriched"], told["output"]["flaky"]) == (True, "done")


def test_a_failure_is_told_on_stderr_with_its_status(folder: Path) -> None:
    ended = perdure("run", written(folder, "broken.json", BROKEN), "--tasks", folder / "tasks.py")
    assert ended.status == FAILED
    assert "break  failed" in ended.out
    assert ended.err.startswith("failed: broken after ")
    assert "the lamp is broken; buy another" in ended.err
    assert "Traceback" not in ended.err


def test_a_failure_for_a_program_is_an_error_in_the_object(folder: Path) -> None:
    ended = perdure("run", written(folder, "broken.json", BROKEN), "--tasks", folder / "tasks.py", "--json")
    assert (ended.status, ended.object["status"]) == (FAILED, "failed")
    assert "the lamp is broken; buy another" in ended.object["error"]["message"]


def test_a_node_that_nobody_has_fails_by_name(folder: Path) -> None:
    ended = perdure("run", written(folder, "unknown.json", UNKNOWN))
    assert ended.status == FAILED
    assert "FROBNICATE" in ended.err
    assert "--tasks FILE.py" in ended.err


def test_time_that_runs_out_is_status_3(folder: Path) -> None:
    document = written(folder, "slow.json", SLOW)
    begun = time.monotonic()
    ended = perdure("run", document, "--tasks", folder / "tasks.py", "--timeout", "0.3", "--json")
    assert time.monotonic() - begun < 10
    assert (ended.status, ended.object["status"]) == (WAITS, "running")


def test_a_timer_is_waited_for_up_to_the_timeout(folder: Path) -> None:
    ended = perdure("run", written(folder, "wait.json", WAITING), "--timeout", "0.3", "--json")
    told = ended.object
    assert (ended.status, told["status"]) == (WAITS, "waiting")
    assert (told["waiting_for"]["kind"], told["waiting_for"]["step"]) == ("timer", "rest")
    assert perdure("run", written(folder, "nap.json", SHORT_REST)).status == COMPLETED


def test_the_temporary_database_is_removed(folder: Path) -> None:
    mine = folder / "temporary"
    mine.mkdir()
    assert perdure("run", written(folder, "hello.json", GREETING), TMPDIR=str(mine)).status == COMPLETED
    assert list(mine.iterdir()) == []
    assert Path(tempfile.gettempdir()) != mine


def test_with_a_database_the_execution_stays_and_another_goes_on(folder: Path) -> None:
    database = f"sqlite:///{folder / 'flows.db'}"
    ended = perdure("run", written(folder, "nap.json", SHORT_REST), "--db", database, "--timeout", "0.01", "--json")
    assert ended.status == WAITS
    time.sleep(0.4)
    idle = perdure("worker", "--until-idle", "--db", database, "--json")
    assert (idle.status, idle.object["ended"], idle.object["completed"]) == (0, "idle", 1)
    shown = perdure("executions", "show", ended.object["id"], "--db", database, "--json").object
    assert shown["status"] == "completed"


def test_further_documents_are_saved_first(folder: Path) -> None:
    child = written(folder, "hello.json", GREETING)
    told = perdure("run", written(folder, "parent.json", PARENT), "--with", child, "--json").object
    assert told["status"] == "completed", told
    assert told["output"]["said"]["greeting"] == "Hello, Eve!"


def test_a_child_whose_task_is_not_here_waits_for_a_worker_if_it_stays_and_fails_if_nobody_else_can_have_it(
    folder: Path,
) -> None:
    database = f"sqlite:///{folder / 'flows.db'}"
    child = written(folder, "hello.json", {**WITH_TASKS, "name": "hello"})
    parent = written(folder, "parent.json", PARENT)
    gone = perdure("run", parent, "--with", child)
    assert (gone.status, "no node type 'ENRICH' here" in gone.err) == (FAILED, True), gone.err
    kept = perdure("run", parent, "--with", child, "--db", database, "--json")
    assert (kept.status, "waits for a worker that has the task 'node:ENRICH'" in kept.err) == (WAITS, True), kept.err
    perdure("worker", "--until-idle", "--tasks", folder / "tasks.py", "--db", database)
    shown = perdure("executions", "show", json.loads(kept.out)["id"], "--db", database, "--json").object
    assert shown["status"] == "completed"


def test_a_document_that_is_to_be_started_and_is_not_there_is_asked_for(folder: Path) -> None:
    ended = perdure("run", written(folder, "parent.json", PARENT))
    assert ended.status == 1
    assert "there is no active workflow 'hello'" in ended.err
    assert ended.err.endswith("can be given along: --with FILE\n")


def test_ctrl_c_is_status_130_and_leaves_nothing(folder: Path) -> None:
    mine = folder / "temporary"
    mine.mkdir()
    document = written(folder, "slow.json", SLOW)
    command = [PERDURE, "run", str(document), "--tasks", str(folder / "tasks.py")]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment(TMPDIR=str(mine))
    ) as running:
        assert running.stdout is not None
        assert "start" in running.stdout.readline()
        os.kill(running.pid, signal.SIGINT)
        _, said = running.communicate(timeout=30)
    assert running.returncode == 130
    assert said == "perdure run: stopped\n"
    assert list(mine.iterdir()) == []


def test_what_a_task_prints_does_not_get_into_the_object(folder: Path) -> None:
    (folder / "tasks.py").write_text(f"print('on import')\n{TASKS}")
    document, tasks = written(folder, "loud.json", LOUD), folder / "tasks.py"
    ended = perdure("run", document, "--tasks", tasks, "--json")
    assert json.loads(ended.out)["status"] == "completed"
    assert ended.err == "on import\na task that prints\n"
    assert json.loads(perdure("validate", document, "--tasks", tasks, "--json").out)["valid"]


def test_what_a_task_publishes_is_shown_while_it_runs(folder: Path) -> None:
    ended = perdure("run", written(folder, "loud.json", LOUD), "--tasks", folder / "tasks.py")
    assert 'loud   running  {"progress":0.5}' in ended.out
    assert "loud   running  half of it" in ended.out


def test_the_environment_names_a_database_as_well(folder: Path) -> None:
    database = f"sqlite:///{folder / 'flows.db'}"
    document = written(folder, "hello.json", GREETING)
    told = perdure("run", document, "--json", PERDURE_DATABASE_URL=database).object
    assert perdure("executions", "show", told["id"], DATABASE_URL=database).status == COMPLETED


def test_ctrl_c_says_where_it_stays(folder: Path) -> None:
    document = written(folder, "slow.json", SLOW)
    database = f"sqlite:///{folder / 'flows.db'}"
    command = [PERDURE, "run", str(document), "--tasks", str(folder / "tasks.py"), "--db", database]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment()
    ) as running:
        assert running.stdout is not None
        assert "start" in running.stdout.readline()
        os.kill(running.pid, signal.SIGINT)
        _, said = running.communicate(timeout=30)
    assert running.returncode == 130
    worker = f"`perdure worker --tasks {folder / 'tasks.py'} --db {database}`"
    assert said.startswith(f"what was begun stays in {database}; {worker} goes on with it")


def test_a_run_does_not_fail_what_others_left_in_the_database(folder: Path) -> None:
    """Their tasks are elsewhere, and it has no business with them."""
    database = f"sqlite:///{folder / 'flows.db'}"
    others = written(folder, "others.json", WITH_TASKS)
    assert perdure("workflows", "save", others, "--db", database).status == 0
    left = perdure("run", others, "--tasks", folder / "tasks.py", "--timeout", "0", "--db", database, "--json").object
    perdure("run", written(folder, "unknown.json", UNKNOWN), "--db", database)
    shown = json.loads(perdure("executions", "show", left["id"], "--db", database, "--json").out)
    assert shown["status"] != "failed"
    assert perdure("worker", "--until-idle", "--tasks", folder / "tasks.py", "--db", database).status == 0
    assert perdure("executions", "show", left["id"], "--db", database, "--json").object["status"] == "completed"
