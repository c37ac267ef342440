"""The cases, each by the command itself."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from run.cases import CASES
from run.words import Case

NODES = Path(__file__).parent / "nodes.py"


def test_there_are_enough_and_each_has_its_own_name() -> None:
    assert len({case.name for case in CASES}) == len(CASES) >= 100


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name.replace(" ", "-"))
def test_case(case: Case, tmp_path: Path) -> None:
    file = tmp_path / "case.json"
    file.write_text(json.dumps(case.document))
    command = [
        sys.executable,
        "-m",
        "perdure",
        "run",
        str(file),
        "--json",
        "--tasks",
        str(NODES),
        *case.arguments,
    ]
    if case.input is not None:
        command += ["--input", json.dumps(case.input)]
    for number, beside in enumerate(case.beside):
        other = tmp_path / f"beside{number}.json"
        other.write_text(json.dumps(beside))
        command += ["--with", str(other)]
    ended = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert ended.returncode == case.exit, ended.stdout + ended.stderr
    assert "Traceback" not in ended.stderr
    told = json.loads(ended.stdout)
    for part in case.says:
        assert part in ended.stdout
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
