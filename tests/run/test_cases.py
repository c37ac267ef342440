"""The cases, each by the command itself."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from cli.typing import here
from run.cases import CASES
from run.words import Case

NODES = Path(__file__).parent / "nodes.py"
EACH = 1 if os.environ.get("PERDURE_PATIENCE") == "1" else 10
"""One of so many is run by a process of its own, which takes half a second; the others by the same command in this one."""


def test_there_are_enough_and_each_has_its_own_name() -> None:
    assert len({case.name for case in CASES}) == len(CASES) >= 100


@pytest.mark.parametrize("case", CASES[::EACH], ids=lambda case: case.name.replace(" ", "-"))
def test_case(case: Case, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "perdure", *_typed(case, tmp_path)]
    ended = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert ended.returncode == case.exit, ended.stdout + ended.stderr
    assert "Traceback" not in ended.stderr
    _is_as_told(case, ended.stdout)


@pytest.mark.parametrize(
    "case", [case for case in CASES if case not in CASES[::EACH]], ids=lambda case: case.name.replace(" ", "-")
)
def test_case_in_this_process(case: Case, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ended = here(capsys, *_typed(case, tmp_path))
    assert ended.status == case.exit, ended.out + ended.err
    _is_as_told(case, ended.out)


def _typed(case: Case, tmp_path: Path) -> list[str]:
    """What somebody types."""
    file = tmp_path / "case.json"
    file.write_text(json.dumps(case.document))
    command = ["run", str(file), "--json", "--tasks", str(NODES), *case.arguments]
    if case.input is not None:
        command += ["--input", json.dumps(case.input)]
    for number, beside in enumerate(case.beside):
        other = tmp_path / f"beside{number}.json"
        other.write_text(json.dumps(beside))
        command += ["--with", str(other)]
    return command


def _is_as_told(case: Case, said: str) -> None:
    told = json.loads(said)
    for part in case.says:
        assert part in said
    if case.exit == 2:
        assert told["problems"], "all of them, and in this shape"
        return
    assert set(told) == {"id", "dialect", "status", "output", "error", "waiting_for", "view"}
    assert told["dialect"] == "graph"
    if case.exit == 0:
        assert _without_times(told["output"]) == case.output
    for name, value in case.view.items():
        assert told["view"][name] == value
    for name, value in case.error.items():
        assert told["error"][name] == value


def _without_times(output: object) -> object:
    """When a trigger fired is another moment each time."""
    if isinstance(output, dict):
        return {name: _without_times(value) for name, value in output.items() if name != "firedAt"}
    return output
