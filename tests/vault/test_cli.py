"""`perdure secrets` and `perdure webhooks`, as people and programs type them."""

from __future__ import annotations

import io
import json
import os
import pty
import re
import sys
import time
from pathlib import Path
from select import select
from typing import Any

import pytest

from cli.typing import PERDURE, environment, here, perdure, written
from perdure.hosts.envelopes import new_key, read_keys

SECRET = "hunter2-hunter2-hunter2"
HOOKED = {
    "name": "hooked",
    "nodes": [{"id": "hook", "type": "WEBHOOK_TRIGGER"}, {"id": "a", "type": "SET", "data": {"values": {"way": "a"}}}],
    "connections": [{"fromNodeId": "hook", "toNodeId": "a"}],
}
DB = ("--db", "sqlite:///flows.db")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in ("PERDURE_DATABASE_URL", "DATABASE_URL", "PERDURE_SECRET_KEY_FILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PERDURE_SECRET_KEY", new_key())
    return tmp_path


def typed_in(monkeypatch: pytest.MonkeyPatch, data: bytes) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))


def test_a_secret_comes_from_stdin_or_a_file_and_is_never_shown(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    typed_in(monkeypatch, f"{SECRET}\n".encode())
    told = here(capsys, "secrets", "set", "ONE", "--as", "ann", *DB)
    assert (told.status, told.err) == (0, "")
    assert told.out.startswith("ONE is set, encrypted with key ")
    assert told.out.endswith(
        "{{ secrets.ONE }} (ports, graph), ${secrets.ONE} (orchestration) or @secrets.ONE (phases)\n"
    )
    (folder / "value").write_text(f"{SECRET}\r\n")
    as_json = here(capsys, "secrets", "set", "TWO", "--value-from", "value", *DB, "--json").object
    assert as_json.keys() == {"id", "name", "keyId", "setAt", "setBy"}
    typed_in(monkeypatch, SECRET.encode())
    assert here(capsys, "secrets", "set", "THREE", "--value-from", "-", *DB).status == 0
    assert here(capsys, "secrets", "set", "FOUR", "--value", SECRET, *DB).status == 0
    assert here(capsys, "secrets", "set", "FIVE", "--value", "-starts-with-a-hyphen", *DB).status == 0
    assert here(capsys, "secrets", "remove", "FIVE", *DB).out == "FIVE is removed\n"
    listed = here(capsys, "secrets", "list", *DB)
    assert [line.split()[0] for line in listed.out.splitlines()] == ["NAME", "FOUR", "ONE", "THREE", "TWO"]
    items = here(capsys, "secrets", "list", *DB, "--json").object["items"]
    assert [(each["name"], each["setBy"]) for each in items][1] == ("ONE", "ann")
    assert SECRET not in told.out + listed.out + json.dumps([as_json, items])
    assert SECRET.encode() not in (folder / "flows.db").read_bytes()
    nodes = [
        {"id": "t", "type": "MANUAL_TRIGGER"},
        {
            "id": "n",
            "type": "SAME",
            "data": {name: f"{{{{secrets.{name}}}}}" for name in ("ONE", "TWO", "THREE", "FOUR")},
        },
    ]
    written(folder, "same.json", {"nodes": nodes, "connections": [{"fromNodeId": "t", "toNodeId": "n"}]})
    (folder / "tasks.py").write_text(
        "from perdure import node\n@node('SAME')\ndef same(params):\n"
        f"    return {{'same': set(params.data.values()) == {{{SECRET!r}}}, 'said': params.data}}\n"
    )
    ran = here(capsys, "run", "same.json", "--tasks", "tasks.py", *DB, "--json").object
    assert ran["output"]["same"] is True
    assert set(ran["output"]["said"].values()) == {"***"}


def typed_on_a_terminal(answers: list[str], *arguments: str) -> tuple[int, str]:
    """All that the terminal shows; each question is answered in its turn."""
    child, terminal = pty.fork()
    if child == 0:
        os.execve(PERDURE, [PERDURE, *arguments], environment())
    shown, waiting, until = b"", list(answers), time.monotonic() + 60
    while time.monotonic() < until:
        if select([terminal], [], [], 0.1)[0]:
            try:
                shown += os.read(terminal, 65_536)
            except OSError:  # it has ended
                break
        if waiting and shown.endswith(b": "):
            os.write(terminal, f"{waiting.pop(0)}\n".encode())
            shown += b"\n"
    os.close(terminal)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), shown.decode()


def test_a_secret_that_is_typed_is_not_echoed(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, shown = typed_on_a_terminal([SECRET, SECRET], "secrets", "set", "ONE", *DB)
    assert status == 0, shown
    assert "the value of ONE: " in shown
    assert "ONE is set" in shown
    assert SECRET not in shown
    status, shown = typed_on_a_terminal([SECRET, "another"], "secrets", "set", "TWO", *DB)
    assert status == 2
    assert "these two were not the same; nothing is changed" in shown
    assert SECRET not in shown
    assert [each["name"] for each in here(capsys, "secrets", "list", *DB, "--json").object["items"]] == ["ONE"]


def test_what_cannot_be_set_is_told_before_anybody_types(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "value").write_bytes(b"\xff\xfe")
    assert "is not UTF-8; a secret is a text" in here(capsys, "secrets", "set", "A", "--value-from", "value", *DB).err
    assert "give one of them" in here(capsys, "secrets", "set", "A", "--value", "x", "--value-from", "value", *DB).err
    assert "there is no such file" in here(capsys, "secrets", "set", "A", "--value-from", "valu", *DB).err
    assert "is no name for a secret" in here(capsys, "secrets", "set", "a-b", "--value", SECRET, *DB).err
    monkeypatch.delenv("PERDURE_SECRET_KEY")
    told = here(capsys, "secrets", "set", "A", *DB)
    assert (told.status, told.out) == (2, "")
    assert "set PERDURE_SECRET_KEY, or PERDURE_SECRET_KEY_FILE" in told.err
    assert "perdure secrets new-key" in told.err
    assert "set PERDURE_SECRET_KEY" in here(capsys, "secrets", "encrypt", "A", "--value", SECRET).err


def test_keys_are_made_changed_and_asked_for(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    old = here(capsys, "secrets", "new-key").out.strip()
    new = here(capsys, "secrets", "new-key", "--json").object
    assert read_keys(new["key"]).ids == (new["keyId"],)
    monkeypatch.setenv("PERDURE_SECRET_KEY", old)
    here(capsys, "secrets", "set", "A", "--value", SECRET, *DB)
    monkeypatch.setenv("PERDURE_SECRET_KEY", new["key"])
    for command in (("worker", "--until-idle"), ("secrets", "rotate"), ("executions", "list")):
        told = here(capsys, *command, *DB)
        assert told.status == 2, command
        assert "add the missing key after the others, with a comma" in told.err
    assert "A " in here(capsys, "secrets", "list", *DB).out  # names need no key
    monkeypatch.setenv("PERDURE_SECRET_KEY", f"{new['key']},{old}")
    assert here(capsys, "secrets", "rotate", *DB, "--json").object == {
        "keyId": new["keyId"],
        "rotated": 1,
        "current": 0,
        "failed": [],
    }
    monkeypatch.setenv("PERDURE_SECRET_KEY", new["key"])
    assert here(capsys, "secrets", "rotate", *DB).out.startswith("0 secrets encrypted with key")
    monkeypatch.setenv("PERDURE_SECRET_KEY", "nonsense!")
    told = here(capsys, "executions", "list", *DB)
    assert told.err.startswith("perdure executions list: PERDURE_SECRET_KEY: the key is neither base64 nor hex")
    monkeypatch.setenv("PERDURE_SECRET_KEY", new["key"])
    assert here(capsys, "secrets", "remove", "B", *DB).err.startswith("perdure secrets remove: there is no secret 'B'")
    assert here(capsys, "secrets", "remove", "A", *DB, "--json").object == {"name": "A", "removed": True}
    assert here(capsys, "secrets", "list", *DB).out.startswith("there are no secrets; `perdure secrets set NAME")


def test_a_document_brings_its_own(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    own = here(capsys, "secrets", "encrypt", "KEY", "--value", SECRET).object
    assert own["cipherText"].startswith(f"pse1.{own['keyId']}.")
    node = {"id": "n", "type": "LOG_IT", "data": {"a": "{{secrets.KEY}}"}}
    written(folder, "own.json", {"nodes": [node], "connections": [], "settings": {"secrets": {"KEY": own}}})
    (folder / "tasks.py").write_text(
        f"from perdure import node\n@node('LOG_IT')\ndef it(params):\n    return {{'same': params.data['a'] == {SECRET!r}}}\n"
    )
    ran = here(capsys, "run", "own.json", "--tasks", "tasks.py", *DB, "--json").object
    assert ran["output"] == {"same": True}
    written(folder, "plain.json", {"nodes": [node], "connections": [], "settings": {"secrets": {"KEY": SECRET}}})
    told = here(capsys, "validate", "plain.json")
    assert "/settings/secrets/KEY" in told.err
    assert "this is not the name of a secret" in told.err


def test_a_webhook_is_made_tried_changed_and_removed(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    written(folder, "hooked.json", HOOKED)
    written(folder, "body.json", {"n": 1})
    saved = here(capsys, "workflows", "save", "hooked.json", *DB)
    assert "warning" not in saved.out + saved.err
    made: Any = here(capsys, "webhooks", "create", "hooked", "--signed", "standard", *DB, "--json").object
    (folder / "token").write_text(made["token"] + "\n")
    refused = here(capsys, "webhooks", "send", "body.json", "--token-from", "token", *DB)
    assert (refused.status, refused.out) == (2, "")
    assert "the request is not signed" in refused.err
    sent = here(capsys, "webhooks", "send", "body.json", "--token-from", "token", "--sign", *DB, "--json").object
    assert (sent["created"], sent["deliveryId"][:4]) == (True, "msg_")
    assert here(capsys, "worker", "--until-idle", *DB).status == 0
    shown = here(capsys, "executions", "show", sent["executionId"], *DB, "--json").object
    assert shown["output"]["way"] == "a"
    listed = here(capsys, "webhooks", "list", *DB)
    assert made["id"] in listed.out
    assert made["token"] not in listed.out
    assert made["signingSecret"] not in json.dumps(here(capsys, "webhooks", "list", *DB, "--json").object)
    plain = here(capsys, "webhooks", "create", "hooked", *DB)
    assert "requests are not signed: whoever has the token can start it" in plain.out
    token = re.search(r"^token +(\S+)$", plain.out, re.MULTILINE)
    assert token is not None
    (folder / "plain").write_text(token[1])
    again = ("--header", "Idempotency-Key: 7", "--header", "content-type: application/json", *DB)
    assert "is started" in here(capsys, "webhooks", "send", "body.json", "--token-from", "plain", *again).out
    assert (
        "had been started by this delivery"
        in here(capsys, "webhooks", "send", "body.json", "--token-from", "plain", *again).out
    )
    assert (
        "is not NAME: VALUE"
        in here(capsys, "webhooks", "send", "body.json", "--token-from", "plain", "--header", "x", *DB).err
    )
    rotated = here(capsys, "webhooks", "rotate", made["id"], "--keep-hours", "0", *DB, "--json").object
    assert (rotated["id"], rotated["tokens"], rotated["signingSecret"]) == (made["id"], 1, None)
    gone = here(capsys, "webhooks", "send", "body.json", "--token-from", "token", "--sign", *DB, "--json").object
    assert gone["error"]["type"] == "unknown_webhook"
    signing = here(capsys, "webhooks", "rotate", made["id"], "--what", "signing", *DB, "--json").object
    assert (signing["token"], signing["secrets"], signing["signingSecret"][:6]) == (None, 2, "whsec_")
    for hours in ("-1", "nan", "inf", "1e300", "8761"):
        assert "no number of hours" in here(capsys, "webhooks", "rotate", made["id"], "--keep-hours", hours, *DB).err
    assert here(capsys, "webhooks", "remove", made["id"], *DB).out == f"{made['id']} is removed\n"
    assert "there is no webhook" in here(capsys, "webhooks", "remove", made["id"], *DB).err
    assert "there is no workflow 'hokked'" in here(capsys, "webhooks", "create", "hokked", *DB).err


def test_webhooks_are_told_by_what_people_know_them_by(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    written(folder, "hooked.json", HOOKED)
    plain = {"name": "plain", "nodes": [{"id": "a", "type": "MANUAL_TRIGGER"}], "connections": []}
    written(folder, "plain.json", plain)
    written(folder, "one.json", {"n": 1})
    written(folder, "two.json", {"n": 2})
    for name in ("hooked", "plain"):
        here(capsys, "workflows", "save", f"{name}.json", *DB)
    made = here(capsys, "webhooks", "create", "hooked", *DB).out
    id_, token = re.findall(r"wh_\w+", made)[0], re.findall(r"whk_\S+", made)[0]
    assert made.startswith(f"{id_} starts hooked; requests are not signed")
    assert "WEBHOOK_TRIGGER" not in made
    assert "plain says nothing of webhooks, and begins where" in here(capsys, "webhooks", "create", "plain", *DB).out
    assert re.search(rf"{id_} +hooked ", here(capsys, "webhooks", "list", *DB).out)
    listed: Any = here(capsys, "webhooks", "list", *DB, "--json").object
    assert {each["workflowName"] for each in listed["items"]} == {"hooked", "plain"}
    assert re.search(rf"webhook.created +{id_} ", here(capsys, "audit", "list", *DB).out)
    (folder / "token").write_text(token)
    send = ("--token-from", "token", "--header", "Idempotency-Key: 7", *DB)
    here(capsys, "webhooks", "send", "one.json", *send)
    told = here(capsys, "webhooks", "send", "two.json", *send)
    assert "had been started by this delivery, with another body; this one is not kept" in told.out
    assert here(capsys, "webhooks", "send", "two.json", *send, "--json").object["differs"] is True


def test_the_help_of_both_names_all_that_they_do(folder: Path) -> None:
    for name, commands in (
        ("secrets", ("set", "list", "remove", "rotate", "new-key", "encrypt")),
        ("webhooks", ("create", "list", "rotate", "remove", "send")),
    ):
        told = perdure(name, "--help", cwd=folder)
        assert told.status == 0
        assert all(command in told.out for command in commands)


def test_only_a_secret_that_is_missing_is_warned_of_and_only_by_whoever_has_looked(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    typed_in(monkeypatch, SECRET.encode())
    here(capsys, "secrets", "set", "CRM_KEY", *DB)
    (folder / "tasks.py").write_text("from perdure import node\n@node('ASK')\ndef ask(params):\n    return {}\n")
    for name in ("CRM_KEY", "OTHER"):
        nodes = [
            {"id": "t", "type": "MANUAL_TRIGGER"},
            {"id": "n", "type": "ASK", "data": {"key": f"{{{{secrets.{name}}}}}"}},
        ]
        document = {"name": name, "nodes": nodes, "connections": [{"fromNodeId": "t", "toNodeId": "n"}]}
        written(folder, f"{name}.json", document)
    for command in (("workflows", "save"), ("run",)):
        assert "warning" not in here(capsys, *command, "CRM_KEY.json", "--tasks", "tasks.py", *DB).out
        told = here(capsys, *command, "OTHER.json", "--tasks", "tasks.py", *DB).out
        assert "warning:" in told
        assert "there is no secret 'OTHER'; set it before this runs" in told
    judged = here(capsys, "validate", "OTHER.json", "--tasks", "tasks.py", "--json").object
    assert (judged["warnings"], judged["requires"]["secrets"]) == ([], ["OTHER"])


def test_a_short_secret_is_warned_of_where_it_is_given(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    del folder
    short = here(capsys, "secrets", "set", "PIN", "--value", "1234567", *DB)
    assert (short.status, "warning: PIN has fewer than 8 characters" in short.err) == (0, True)
    assert "1234567" not in short.err
    assert here(capsys, "secrets", "set", "PIN", "--value", "12345678", *DB).err == ""
    assert "warning: PIN has fewer" in here(capsys, "secrets", "encrypt", "PIN", "--value", "x").err


def test_a_worker_with_the_wrong_key_names_where_it_found_it_and_prints_nothing_else(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    here(capsys, "secrets", "set", "KEY", "--value", SECRET, *DB)
    monkeypatch.delenv("PERDURE_SECRET_KEY")
    (folder / "other.key").write_text(new_key())
    monkeypatch.setenv("PERDURE_SECRET_KEY_FILE", "other.key")
    refused = here(capsys, "worker", "--until-idle", *DB)
    assert refused.status == 2
    assert "what the keys of PERDURE_SECRET_KEY_FILE (other.key) (" in refused.err
    assert "perdure worker on" not in refused.err
    (folder / "other.key").unlink()
    monkeypatch.delenv("PERDURE_SECRET_KEY_FILE")
    assert "perdure worker on" in here(capsys, "worker", "--until-idle", *DB).err
