"""Text that a terminal would act on, in every place where users write text: no command prints it as it is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cli.typing import Ended, perdure

ODD = "a\x9b31mb\x85c\u202ed\u2066e\u200bf\u061cg\U000e0041h"
STEPS = {
    "name": f"name {ODD}",
    "id": f"id {ODD}",
    "description": ODD,
    "nodes": [
        {"id": "start", "type": "MANUAL_TRIGGER"},
        {"id": f"set {ODD}", "type": "SET", "data": {"values": {f"key {ODD}": f"value {ODD} {{{{x}}}}"}}},
        {"id": f"ask {ODD}", "type": "APPROVAL", "data": {"approverRole": "finance", "title": ODD, "description": ODD}},
    ],
    "connections": [
        {"fromNodeId": "start", "toNodeId": f"set {ODD}"},
        {"fromNodeId": f"set {ODD}", "toNodeId": f"ask {ODD}"},
    ],
}
BREAKS = {
    "name": "breaks",
    "nodes": [
        {"id": "start", "type": "MANUAL_TRIGGER"},
        {"id": f"set {ODD}", "type": "SET", "data": {"values": {"a": f"{{{{ JSON.parse('{ODD}') }}}}"}}},
    ],
    "connections": [{"fromNodeId": "start", "toNodeId": f"set {ODD}"}],
}
WRONG = {
    "name": ODD,
    "nodes": [{"id": f"x {ODD}", "type": f"SET {ODD}"}],
    "connections": [{"fromNodeId": f"no {ODD}", "toNodeId": f"x {ODD}"}],
    ODD: ODD,
}
WRONG_VALUE = {
    "name": "wrong value",
    "nodes": [
        {"id": "start", "type": "MANUAL_TRIGGER"},
        {"id": "set", "type": "SET", "data": {"values": {f"key {ODD}": "{{ x( }}"}}},
    ],
    "connections": [{"fromNodeId": "start", "toNodeId": "set"}],
}
TYPED = {
    "name": "typed",
    "inputSchema": {"type": "object", "properties": {f"p {ODD}": {"type": "integer"}}},
    "nodes": [{"id": "start", "type": "MANUAL_TRIGGER"}],
    "connections": [],
}
HOURLY = {
    "name": "hourly",
    "nodes": [{"id": f"every {ODD}", "type": "SCHEDULE_TRIGGER", "data": {"schedule": "0 * * * *"}}],
    "connections": [],
}


def unprintable(ended: Ended) -> set[str]:
    return {char for char in ended.out + ended.err if not char.isprintable() and char != "\n"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("odd")
    for name, document in (
        ("steps", STEPS),
        ("breaks", BREAKS),
        ("wrong", WRONG),
        ("value", WRONG_VALUE),
        ("typed", TYPED),
        ("hourly", HOURLY),
    ):
        (made / f"{name}.json").write_text(json.dumps(document))
    return made


@pytest.mark.parametrize("as_json", [(), ("--json",)], ids=["people", "json"])
def test_no_command_prints_what_a_terminal_acts_on(folder: Path, as_json: tuple[str, ...]) -> None:
    db = ("--db", f"sqlite:///{folder}/{len(as_json)}.db")
    data = json.dumps({"x": ODD, ODD: ODD})
    said: dict[str, Ended] = {}

    def typed(*words: str | Path) -> Ended:
        found = said[" ".join(map(str, words))] = perdure(*words, *as_json, cwd=folder)
        return found

    typed("validate", "wrong.json")
    typed("validate", "steps.json")
    typed("workflows", "save", "wrong.json", *db)
    typed("workflows", "save", "steps.json", *db)
    typed("run", "breaks.json", "--input", data, *db)
    typed("run", "steps.json", "--input", data, *db)
    typed("workflows", "list", *db)
    typed("workflows", "show", str(STEPS["name"]), *db)
    typed("workflows", "show", f"no {ODD}", *db)
    typed("workflows", "diff", str(STEPS["name"]), "1", "1", *db)
    typed("executions", "list", *db)
    listed = perdure("executions", "list", "--json", *db, cwd=folder).object["items"]
    assert len(listed) == 2
    for each in listed:
        typed("executions", "show", each["id"], *db)
        typed("executions", "why", each["id"], *db)
        typed("executions", "history", each["id"], *db)
        typed("executions", "show", each["id"], "--step", f"set {ODD}", *db)
        typed("executions", "show", each["id"], "--view", *db)
    typed("approvals", "list", *db)
    approval = perdure("approvals", "list", "--json", *db, cwd=folder).object["items"][0]["id"]
    typed("approvals", "show", approval, *db)
    typed("approvals", "history", approval, *db)
    typed("events", "send", "a.b", "--payload", data, "--id", "e1", *db)
    typed("events", "list", *db)
    typed("events", "show", "e1", *db)
    typed("approvals", "reject", approval, "--comments", ODD, *db)
    typed("events", "send", "a.b", "--payload", data, "--id", f"e2 {ODD}", *db)
    typed("events", "reroute", f"e2 {ODD}", *db)
    typed("triggers", "list", *db)
    typed("validate", "value.json")
    typed("workflows", "save", "value.json", *db)
    typed("run", "typed.json", "--input", json.dumps({f"p {ODD}": "no number"}), *db)
    typed("workflows", "save", "hourly.json", *db)
    typed("schedules", "list", *db)
    schedule = perdure("schedules", "list", "--json", *db, cwd=folder).object["items"][0]["id"]
    for command in ("next", "pause", "resume", "reset"):
        assert typed("schedules", command, schedule, *db).status == 0
    typed("doctor", *db)
    wrong = {command: found for command, ended in said.items() if (found := unprintable(ended))}
    assert not wrong
    shown = said[f"workflows show {STEPS['name']} {' '.join(db)}"]
    assert "\\u009b31m" in shown.out
    assert "\\u202e" in shown.out
