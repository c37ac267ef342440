"""Each example of the phases dialect: as somebody types it, with what its triggers start, and every command of the README."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from connections import servers
from connections.servers import connected, filesystem, installed
from docs.pages import follow

FOLDER = Path(__file__).parent.parent.parent / "examples" / "phases"
OVER_MCP = ("word-count", "connections")
"""What needs a server of MCP, and the file that names it."""
FILES = sorted(path.stem for path in FOLDER.glob("*.json") if path.stem not in OVER_MCP)
WAITING = 3
TEXT = "a text to work on"
ENDS: tuple[tuple[str, Any, Any], ...] = (
    ("simple-pipeline", {"query": "new"}, {"id": 1, "stored": {"sum": 12, "query": "new"}}),
    ("parallel-pipeline", {}, {"together": {"fromB": TEXT.upper(), "fromC": len(TEXT), "original": TEXT}}),
    ("extract-emails", {}, {"sent": 2}),
    ("active-users", {"limit": 1}, {"sent": 1}),
    ("for-each", {"items": [1, "two"]}, [{"processed": 1}, {"processed": "two"}]),
    ("for-each", {"items": []}, []),
    ("batch-dispatcher", {"items": [{"id": 1}]}, [{"id": 1, "data": {"id": 1}}]),
    ("collector", {"batchId": "b", "count": 0}, {"items": 0, "letters": 0}),
    (
        "process-single-item",
        {"item": {"id": "a", "text": "abc"}, "batchId": "b"},
        {"id": "a", "length": 3, "batchId": "b"},
    ),
    ("send-confirmation", {"orderDetails": {"orderId": "O1"}, "email": "ann@example.com"}, {"sent": 1}),
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    shutil.copytree(FOLDER, tmp_path / "phases", ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path / "phases"


def told(folder: Path, *arguments: str, status: int = 0) -> Any:
    """What a command prints with `--json`."""
    ended = subprocess.run(
        [sys.executable, "-m", "perdure", *arguments, "--json"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert ended.returncode == status, ended.stdout + ended.stderr
    return json.loads(ended.stdout)


def run(folder: Path, name: str, given: Any, *more: str, status: int = 0) -> Any:
    return told(
        folder, "run", f"{name}.json", "--tasks", "tasks.py", "--input", json.dumps(given), *more, status=status
    )


@pytest.mark.parametrize("name", FILES)
def test_nothing_is_wrong_with_an_example(name: str, folder: Path) -> None:
    found = told(folder, "validate", f"{name}.json", "--tasks", "tasks.py")
    assert (found["dialect"], found["problems"], found["name"]) == ("phases", [], name)
    assert [each["type"] for each in found["warnings"]] == ODD.get(name, [])


ODD = {"batch-dispatcher": ["untyped"]}
"""As the seed writes it."""


@pytest.mark.parametrize(("name", "given", "expected"), ENDS)
def test_example(name: str, given: Any, expected: Any, folder: Path) -> None:
    assert run(folder, name, given)["output"] == expected


def test_a_sleep_is_waited_for(folder: Path) -> None:
    begun = run(folder, "wait", {}, "--timeout", "0.5", status=WAITING)
    assert (begun["waiting_for"]["kind"], begun["waiting_for"]["step"]) == ("timer", "wait")
    assert begun["view"]["steps"]["start-job"]["output"] == {"job": "j1"}


@pytest.mark.parametrize(
    ("given", "fires", "skips", "output"),
    [
        ({"orderId": "O1", "email": "ann@example.com"}, "send-confirmation", "handle-failure", {"sent": 1}),
        ({"orderId": "O2", "email": "a@b.c", "count": 11}, "handle-failure", "send-confirmation", {"id": 1}),
    ],
)
def test_the_output_of_an_order_decides_what_is_started(
    given: Any, fires: str, skips: str, output: Any, folder: Path
) -> None:
    database = ("--db", "sqlite:///flows.db")
    others = ("--with", "send-confirmation.json", "--with", "handle-failure.json")
    begun = run(folder, "order-processor", given, *others, *database)
    told(folder, "worker", "--until-idle", "--tasks", "tasks.py", *database)
    view = told(folder, "executions", "show", begun["id"], "--view", *database)["view"]
    results = {each["workflowId"]: each for each in view["triggerResults"]}
    assert (results[fires]["status"], results[skips]["status"]) == ("triggered", "skipped")
    (child,) = view["triggeredExecutionIds"]
    ended = told(folder, "executions", "show", child, *database)
    assert (ended["status"], ended["parent"], ended["name"]) == ("completed", begun["id"], fires)
    assert {key: ended["output"][key] for key in output} == output


def test_a_trigger_whose_items_are_nowhere_is_skipped(folder: Path) -> None:
    view = run(folder, "batch-dispatcher", {"items": [{"id": 1}]})["view"]
    (result,) = view["triggerResults"]
    assert (view["triggerStatus"], view["triggeredExecutionIds"], result["status"]) == ("triggered", [], "skipped")


def test_a_batch_is_dispatched_and_collected(folder: Path) -> None:
    database = ("--db", "sqlite:///flows.db")
    items = [{"id": f"i{number:02}", "text": "x" * number} for number in range(40)]
    others = ("--with", "process-single-item.json", "--with", "collector.json")
    begun = run(folder, "dispatch-and-collect", {"items": items}, *others, *database)
    told(folder, "worker", "--until-idle", "--tasks", "tasks.py", *database)
    (collected,) = told(folder, "executions", "list", "--workflow", "collector", *database)["items"]
    assert collected["output"] == {"items": 40, "letters": sum(range(40))}
    view = told(folder, "executions", "show", begun["id"], "--view", *database)["view"]
    assert len(view["triggeredExecutionIds"]) == 41


def test_a_real_server_finds_reads_and_writes_files(folder: Path) -> None:
    """The one of `connections.json`, as it is installed for the tests."""
    notes, file = folder / "notes", folder / "installed.json"
    file.write_text(json.dumps({"files": connected(filesystem(notes))}))
    over = ("--connections", "installed.json", "--input", json.dumps({"folder": str(notes)}))
    ended = told(folder, "run", "word-count.json", *over)
    assert ended["view"]["steps"]["count"]["output"]["words"] == 22
    assert (notes / "report.md").read_text() == "13 durable.txt\n9 steps.txt\n22 in all\n"
    assert ended["view"]["_schemas"]["read"]["output"]["items"]["properties"]["content"] == {"type": "string"}
    wrong = json.loads((folder / "word-count.json").read_text())
    wrong["steps"][4][0]["input"]["content"] = "@count.output.words"
    (folder / "wrong.json").write_text(json.dumps(wrong))
    (problem,) = told(folder, "validate", "wrong.json", "--connections", "installed.json", status=2)["problems"]
    assert (problem["type"], problem["step"], problem["field"]) == ("type_mismatch", "write", "content")
    assert problem["message"] == "Expected string but got number"


def test_the_connections_of_the_example_name_the_server_that_the_tests_have() -> None:
    given = json.loads((FOLDER / "connections.json").read_text())["mcpServers"]["files"]
    locked = json.loads((Path(servers.__file__).parent / "package.json").read_text())["dependencies"]
    package, _, version = given["args"][1].rpartition("@")
    assert locked[package] == version


def test_every_command_of_the_readme(folder: Path) -> None:
    (folder / "node_modules").symlink_to(installed().parent)  # npx takes what is there before it downloads anything
    assert follow((folder / "README.md").read_text(), folder)
