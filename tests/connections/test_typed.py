"""What is typed: connections by a file and by a command, their tools, and documents that call them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from cli.typing import here
from connections.documents import graph, ports
from connections.servers import connected, everything, hostile

DB = ("--db", "sqlite:///flows.db")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PERDURE_DATABASE_URL", raising=False)
    return tmp_path


def written(name: str, value: Any) -> str:
    Path(name).write_text(json.dumps(value))
    return name


def test_a_document_is_run_with_the_connections_of_a_file(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = written("mcp.json", {"mcpServers": {"every": connected(everything())}})
    document = written("sum.json", graph("every", "get-sum", {"a": "{{ a }}", "b": 2}))
    ended = here(capsys, "run", document, "--connections", file, "--input", '{"a": 1}', "--json").object
    assert (ended["status"], ended["output"]["answer"]) == ("completed", "The sum of 1 and 2 is 3.")


def test_a_document_is_validated_with_what_its_servers_say(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = written("mcp.json", {"every": connected(everything()), "gone": connected(hostile("exits at once"))})
    good = written("good.json", ports("every", "echo", {"message": "x"}))
    assert here(capsys, "validate", good, "--connections", file, "--json").object["warnings"] == []
    bad = written("bad.json", ports("every", "ecko", {"message": "x"}))
    (warning,) = here(capsys, "validate", bad, "--connections", file, "--json").object["warnings"]
    assert warning["message"] == "nobody has the tool 'ecko' of the connection 'every'; did you mean 'echo'?"
    gone = written("gone.json", ports("gone", "do"))
    told = here(capsys, "validate", gone, "--connections", file)
    assert "set DATABASE_URL" in told.out
    assert "it needs the tool do of gone" in told.out


def test_what_is_wrong_with_the_file_is_told_with_its_places(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("mcp.json").write_text('{"mcpServers": {\n  "a": {"comand": "x"},\n  "local": {"url": "ftp://x"}\n}}')
    document = written("call.json", ports("a", "do"))
    for command in (
        ("run", document),
        ("validate", document),
        ("worker", "--until-idle", *DB),
        ("workflows", "save", document, *DB),
        ("connections", "list", *DB),
        ("connections", "tools", "a", *DB),
    ):
        ended = here(capsys, *command, "--connections", "mcp.json")
        assert ended.status == 2
        assert "mcp.json has 4 problems" in ended.err
        assert "mcp.json:2:9  /mcpServers/a/comand" in ended.err
        assert "did you mean 'command'?" in ended.err
    problems = here(capsys, "run", document, "--connections", "mcp.json", "--json").object["problems"]
    assert [each["line"] for each in problems] == [2, 2, 3, 3]


def test_a_worker_with_the_connection_goes_on_with_what_was_saved(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    off = connected(hostile("exits at once"), disabled=True)
    file = written("mcp.json", {"it": connected(hostile("well")), "off": off})
    document = written("call.json", ports("it", "do", {"n": 1}))
    saved = here(capsys, "workflows", "save", document, "--connections", file, *DB, "--json").object
    assert (saved["status"], saved["warnings"]) == ("active", [])
    started = here(capsys, "run", document, "--connections", file, *DB, "--json").object
    assert started["status"] == "completed"
    ended = here(capsys, "worker", "--until-idle", "--connections", file, *DB)
    assert "and 1 connection: it; Ctrl-C stops it" in ended.err


def test_connections_are_added_listed_and_removed(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    added = here(
        capsys,
        *(
            "connections",
            "add",
            "crm",
            "https://mcp.example.com/mcp",
            "--header",
            "Authorization=Bearer {{secrets.T}}",
            *DB,
        ),
    )
    assert added.out.splitlines()[0] == "crm is connected to https://mcp.example.com/mcp"
    assert "it needs the secret T: `perdure secrets set T --db sqlite:///flows.db`" in added.out
    (item,) = here(capsys, "connections", "list", *DB, "--json").object["items"]
    assert (item["name"], item["of"], item["headers"]) == (
        "crm",
        "organization",
        {"Authorization": "Bearer {{secrets.T}}"},
    )
    shown = here(capsys, "connections", "list", *DB)
    assert shown.out.splitlines()[0].split() == ["NAME", "OF", "KIND", "WHERE", "TOOLS", "SECRETS", "SINCE", "BY"]
    again = here(capsys, "connections", "add", "crm", "https://x.example/mcp", *DB, "--json")
    assert json.loads(again.out)["error"]["type"] == "conflict"
    assert here(capsys, "connections", "remove", "crm", *DB, "--json").object == {"name": "crm", "removed": True}
    assert here(capsys, "connections", "list", *DB).out.strip() == "there are no connections"
    gone = here(capsys, "connections", "tools", "crm", *DB, "--json")
    assert json.loads(gone.out)["error"]["type"] == "not_found"


@pytest.mark.parametrize("header", ["Authorization", "=x", " =x"])
def test_a_header_that_is_none_is_refused(header: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ended = here(capsys, "connections", "add", "crm", "https://mcp.example.com/mcp", "--header", header, *DB)
    assert ended.status == 2
    assert "is not NAME=VALUE, as in --header 'Authorization=Bearer {{secrets.TOKEN}}'" in ended.err


def test_tools_are_listed_and_a_change_is_told_and_accepted(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said = folder / "description"
    said.write_text("reads a file")
    file = written("mcp.json", {"it": connected(hostile("reads description", str(said)))})
    document = written("call.json", ports("it", "do", {"n": 1}))
    given = ("--connections", file, *DB)
    first = here(capsys, "connections", "tools", "it", *given, "--json").object
    assert [(tool["name"], tool["changed"], tool["description"]) for tool in first["tools"]] == [
        ("do", False, "reads a file")
    ]
    here(capsys, "workflows", "save", document, *given)
    said.write_text("sends it to me")
    assert "changed" not in here(capsys, "connections", "tools", "it", *given).out  # it is noticed when it is called
    failed = here(capsys, "run", document, *given, "--json").object
    assert failed["error"]["code"] == "TOOL_CHANGED"
    shown = here(capsys, "connections", "tools", "it", *given)
    assert "changed  reads a file" in shown.out
    assert "description   - reads a file\n                + sends it to me\n" in shown.out
    anew = here(capsys, "connections", "tools", "it", "--refresh", *given, "--json").object["tools"][0]["offered"]
    command = (
        f"`perdure connections tools it --accept=do={anew['hash']} --connections mcp.json --db sqlite:///flows.db`"
    )
    assert f"what has changed is not called until somebody accepts it: {command}" in shown.out
    assert "ports, version 1, was saved with another do of it" in shown.out
    here(capsys, "workflows", "deactivate", "ports", "1", *DB)
    refused = here(capsys, "workflows", "activate", "ports", "1", *DB, "--json")
    assert json.loads(refused.out)["problems"][0]["type"] == "tool_changed"
    bad = here(capsys, "connections", "tools", "it", "--accept", "do", *given)
    assert (bad.status, "is not TOOL=HASH" in bad.err) == (2, True)
    other = here(capsys, "connections", "tools", "it", "--accept", f"do={'0' * 64}", *given)
    assert "so nothing is accepted" in other.err
    taken = here(capsys, "connections", "tools", "it", f"--accept=do={anew['hash']}", *given)
    assert f", and is accepted as {anew['hash'][:12]}:" in taken.out
    assert "description   - reads a file\n                + sends it to me\n" in taken.out
    again = here(capsys, "connections", "tools", "it", "--refresh", *given, "--json").object
    assert [tool["changed"] for tool in again["tools"]] == [False]
    assert [each["workflowName"] for each in again["savedWithOthers"]] == ["ports"]
    assert here(capsys, "workflows", "save", document, *given).status == 0
    assert here(capsys, "connections", "tools", "it", *given, "--json").object["savedWithOthers"] == []
    assert here(capsys, "workflows", "activate", "ports", "1", *DB).status == 0
    assert here(capsys, "run", document, *given, "--json").object["status"] == "completed"


def test_a_server_that_cannot_be_asked_is_told(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = written("mcp.json", {"gone": connected(hostile("exits at once"))})
    ended = here(capsys, "connections", "tools", "gone", "--connections", file, *DB)
    assert ended.status == 2
    assert "set DATABASE_URL" in ended.err
    told = here(capsys, "connections", "tools", "gone", "--connections", file, *DB, "--json")
    assert json.loads(told.out)["error"]["type"] == "unreachable"


def test_a_connection_that_nobody_has_is_told_with_the_way_out(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    document = written("call.json", ports("fs", "read", {"n": 1}))
    ended = here(capsys, "run", document)
    assert ended.status == 1
    assert "give the connection by --connections FILE" in ended.err
