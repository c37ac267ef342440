"""Cases as somebody types them, in a process of its own or in this one, and whether what is said is what was told."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

import pytest

from cli.typing import Ended, here, written
from run.case import Case, Judged, Warned
from run.expected import UNSAID, differs

TASKS: Final = Path(__file__).parent / "tasks.py"
MEMBERS: Final = {"id", "dialect", "status", "output", "error", "waiting_for", "view"}
STATUSES: Final = {0: "completed", 1: "failed", 3: "waiting", 4: "cancelled"}
SETTINGS: Final = ("PERDURE_", "OPENAI_", "DATABASE_")
"""Of whoever runs the tests: no database, no model."""
EACH: Final = 1 if os.environ.get("PERDURE_PATIENCE") == "1" else 10
"""One of so many is run by a process of its own, which takes half a second; the others by the same command in this one."""


def command(case: Case, folder: Path) -> list[str]:
    """What somebody types."""
    given = [] if case.input is None else ["--input", json.dumps(case.input)]
    for number, beside in enumerate(case.beside):
        given += ["--with", str(written(folder, f"beside{number}.json", beside))]
    file = written(folder, "case.json", case.document)
    return ["run", str(file), "--json", "--tasks", str(TASKS), *given, *case.arguments]


def apart(*arguments: str | Path) -> Ended:
    """In a process of its own."""
    ours = {name: value for name, value in os.environ.items() if not name.startswith(SETTINGS)}
    typed = [sys.executable, "-m", "perdure", *map(str, arguments)]
    ended = subprocess.run(typed, capture_output=True, text=True, check=False, timeout=60, env=ours)
    assert "Traceback" not in ended.stderr, ended.stderr
    return Ended(ended.returncode, ended.stdout, ended.stderr)


def is_run_apart(case: Case, folder: Path, dialect: str) -> None:
    ended = apart(*command(case, folder))
    assert ended.status == case.exit, ended.out + ended.err
    is_as_told(case, ended.object, dialect)


def is_as_told(case: Case, told: Any, dialect: str) -> None:
    """`steps` of the view stand where the dialect has them."""
    assert set(told) == MEMBERS
    stands = (told["dialect"], told["status"])
    assert stands == (dialect, STATUSES[case.exit]), stands
    view = told["view"]
    steps_and_more = next((view[key] for key in ("variables", "state") if key in view), view)
    said = json.dumps(told["error"] or steps_and_more, ensure_ascii=False)
    assert [part for part in case.says if part not in said] == [], said
    if case.output is not UNSAID:
        assert told["output"] == view["output"] == case.output, told["output"]
    if case.ran is not None:
        ran = sorted(steps_and_more["steps"])
        assert ran == sorted(case.ran), ran
    for expected, found in ((case.view, view), (case.error, told["error"]), (case.waits, told["waiting_for"])):
        wrong = differs(found, expected)
        assert not wrong, wrong


def is_refused(case: Case, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """In this process: nothing runs."""
    ended = here(capsys, *command(case, folder))
    assert ended.status == 2, ended.out
    problems = ended.object["problems"]
    said = json.dumps(problems, ensure_ascii=False)
    assert problems, "all of them, and in this shape"
    assert [part for part in case.says if part not in said] == [], said


def is_warned(case: Warned, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ended = here(capsys, "validate", written(folder, "case.json", case.document), "--json", "--tasks", TASKS)
    assert ended.status == 0, ended.out
    warnings = ended.object["warnings"]
    said = json.dumps(warnings, ensure_ascii=False)
    assert (warnings == []) == case.silent, said
    assert [part for part in case.says if part not in said] == [], said
    assert [part for part in case.never if part in said] == [], said


def is_judged(case: Judged, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ended = here(capsys, "validate", written(folder, "case.json", case.document), "--json", "--tasks", TASKS)
    problems, warnings = ended.object["problems"], ended.object.get("warnings", [])
    assert ended.status == (2 if case.problems else 0), problems
    assert len(problems) == len(case.problems), problems
    wrong = [differs(found, expected) for found, expected in zip(problems, case.problems, strict=True)]
    assert not any(wrong), wrong
    assert [each for each in case.warnings if all(differs(found, each) for found in warnings)] == [], warnings
