"""The cases, each by the command itself."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from cli.typing import here, written
from postgres import fresh_schema
from run.ports.actions import ACTIONS
from run.ports.approvals import APPROVALS
from run.ports.conditions import CONDITIONS
from run.ports.corners import CORNERS
from run.ports.documents import DOCUMENTS
from run.ports.ending import ENDING
from run.ports.failing import FAILING
from run.ports.loops import LOOPS
from run.ports.mappings import MAPPINGS
from run.ports.nested import NESTED
from run.ports.outputs import OUTPUTS
from run.ports.policies import POLICIES
from run.ports.refused import REFUSED
from run.ports.routing import ROUTING
from run.ports.secrets import SECRETS
from run.ports.starting import STARTING
from run.ports.templates import TEMPLATES
from run.ports.triggers import TRIGGERS
from run.ports.variables import VARIABLES
from run.ports.views import VIEWS
from run.ports.warned import WARNED
from run.ports.words import ABSENT, UNSAID, Case, Warned
from sql_views import row

CASES = (
    *STARTING,
    *ROUTING,
    *ENDING,
    *FAILING,
    *VARIABLES,
    *MAPPINGS,
    *CONDITIONS,
    *LOOPS,
    *NESTED,
    *APPROVALS,
    *ACTIONS,
    *OUTPUTS,
    *POLICIES,
    *TRIGGERS,
    *DOCUMENTS,
    *SECRETS,
    *TEMPLATES,
    *VIEWS,
    *REFUSED,
    *CORNERS,
)
TASKS = Path(__file__).parent / "tasks.py"
MEMBERS = {"id", "dialect", "status", "output", "error", "waiting_for", "view"}
SETTINGS = ("PERDURE_", "OPENAI_", "DATABASE_")
"""Of whoever runs the tests: no database, no model."""
STATUSES = {0: "completed", 1: "failed", 3: "waiting"}
REFUSALS = [case for case in CASES if case.exit == 2]
VALUES = (*VARIABLES, *MAPPINGS, *CONDITIONS, *TEMPLATES)
RUN = [case for case in CASES if case.exit != 2 and case not in VALUES]
SEEN = (*LOOPS, *NESTED, *MAPPINGS, *VIEWS, *CORNERS)
EACH = 1 if os.environ.get("PERDURE_PATIENCE") == "1" else 10
"""One of so many is run by a process of its own, which takes half a second; the others by the same command in this one."""


def named(case: Case | Warned) -> str:
    return case.name.replace(" ", "-")


def test_there_are_enough_and_each_has_its_own_name() -> None:
    assert len({case.name for case in CASES}) == len(CASES) >= 170


@pytest.mark.parametrize("case", RUN[::EACH], ids=named)
def test_case(case: Case, tmp_path: Path) -> None:
    ours = {name: value for name, value in os.environ.items() if not name.startswith(SETTINGS)}
    command = [sys.executable, "-m", "perdure", *_typed(case, tmp_path)]
    ended = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60, env=ours)
    assert ended.returncode == case.exit, ended.stdout + ended.stderr
    assert "Traceback" not in ended.stderr
    _is_as_told(case, json.loads(ended.stdout))


@pytest.mark.parametrize("case", [*VALUES, *(case for case in RUN if case not in RUN[::EACH])], ids=named)
def test_case_in_this_process(case: Case, tmp_path: Path, alone: pytest.CaptureFixture[str]) -> None:
    """Kept in a file, where SQL finds what the dialect tells."""
    url = f"sqlite:///{tmp_path}/flows.db"
    ended = here(alone, *_typed(case, tmp_path), "--db", url)
    assert ended.status == case.exit, ended.out
    _is_as_told(case, ended.object)
    assert row(url, ended.object["id"]) == ended.object["view"]


@pytest.mark.parametrize("case", [case for case in SEEN if case.exit != 2], ids=named)
def test_what_postgres_tells_of_a_case(
    case: Case, tmp_path: Path, alone: pytest.CaptureFixture[str], on_postgres: str
) -> None:
    told = here(alone, *_typed(case, tmp_path), "--db", on_postgres).object
    assert row(on_postgres, told["id"]) == told["view"]


@pytest.mark.parametrize("case", REFUSALS, ids=named)
def test_refused(case: Case, tmp_path: Path, alone: pytest.CaptureFixture[str]) -> None:
    """In this process, too: nothing runs."""
    ended = here(alone, *_typed(case, tmp_path))
    assert ended.status == 2, ended.out
    problems = ended.object["problems"]
    said = json.dumps(problems, ensure_ascii=False)
    assert problems, "all of them, and in this shape"
    assert [part for part in case.says if part not in said] == [], said


@pytest.mark.parametrize("case", WARNED, ids=named)
def test_warning(case: Warned, tmp_path: Path, alone: pytest.CaptureFixture[str]) -> None:
    ended = here(alone, "validate", written(tmp_path, "case.json", case.document), "--json", "--tasks", TASKS)
    assert ended.status == 0, ended.out
    warnings = ended.object["warnings"]
    said = json.dumps(warnings, ensure_ascii=False)
    assert (warnings == []) == case.silent, said
    assert [part for part in case.says if part not in said] == [], said


@pytest.fixture(scope="module")
def on_postgres() -> str:
    return fresh_schema()


@pytest.fixture
def alone(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> pytest.CaptureFixture[str]:
    for name in [name for name in os.environ if name.startswith(SETTINGS)]:
        monkeypatch.delenv(name)
    return capsys


def _typed(case: Case, folder: Path) -> list[str]:
    """What somebody types."""
    given = [] if case.input is None else ["--input", json.dumps(case.input)]
    for number, beside in enumerate(case.beside):
        given += ["--with", str(written(folder, f"beside{number}.json", beside))]
    file = written(folder, "case.json", case.document)
    return ["run", str(file), "--json", "--tasks", str(TASKS), *given, *case.arguments]


def _is_as_told(case: Case, told: Any) -> None:
    assert set(told) == MEMBERS
    assert (told["dialect"], told["status"]) == ("ports", STATUSES[case.exit])
    said = json.dumps(told["error"] or told["view"]["variables"], ensure_ascii=False)
    assert [part for part in case.says if part not in said] == [], said
    if case.output is not UNSAID:
        assert told["output"] == case.output
        assert told["view"]["output"] == case.output
    if case.ran is not None:
        assert sorted(told["view"]["variables"]["steps"]) == sorted(case.ran)
    for expected, found in ((case.view, told["view"]), (case.error, told["error"]), (case.waits, told["waiting_for"])):
        assert {path: _at(found, path) for path in expected} == expected


def _at(value: Any, path: str) -> Any:
    """What stands there: `variables.steps.a`."""
    for name in path.split("."):
        if not isinstance(value, dict) or name not in value:
            return ABSENT
        value = value[name]
    return value
