"""Every command that a server can be asked, typed with --db and with --server: what it says is the same."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from cli.documents import GREETING, graph
from cli.typing import here, written
from client.serving import Served, served
from client.worlds import World

ASKING = graph(
    {"id": "ask", "type": "APPROVAL", "data": {"approverRole": "finance", "variableName": "review"}},
    {"id": "ship", "type": "SET", "data": {"values": {"shipped": True}}},
    name="asking",
)
DAILY = {
    "name": "daily",
    "nodes": [{"id": "at-nine", "type": "SCHEDULE_TRIGGER", "data": {"schedule": "0 9 * * *"}}],
    "connections": [],
}
HOOKED = {"name": "hooked", "nodes": [{"id": "start", "type": "WEBHOOK_TRIGGER"}], "connections": []}
CHANGED = graph({"id": "greet", "type": "SET", "data": {"values": {"greeting": "Good day, {{ name }}!"}}})
WRONG = graph({"id": "greet", "type": "SET", "data": {"values": 7}}, {"id": "greet", "type": "NOPE"}, name="wrong")
SECRET_KEY = "".join(f"{byte:02x}" for byte in range(32))

Line = tuple[str, ...]
"""What is typed. `=name`, `~name`: with --json, and what stands there at a place is called so from then on."""

WORKFLOWS: list[Line] = [
    ("workflows", "list"),
    ("workflows", "save", "<folder>/hello.json"),
    ("workflows", "save", "<folder>/hello.json"),
    ("workflows", "save", "<folder>/changed.json", "--draft", "--json"),
    ("workflows", "save", "<folder>/wrong.json"),
    ("workflows", "save", "<folder>/wrong.json", "--json"),
    ("workflows", "save", "<folder>/no.json"),
    ("workflows", "save", "<folder>/no.json", "--json"),
    ("workflows", "save", "<folder>/nowhere.json"),
    ("workflows", "list"),
    ("workflows", "list", "--json"),
    ("workflows", "list", "--limit", "0"),
    ("workflows", "list", "--cursor", "x"),
    ("workflows", "show", "hello"),
    ("workflows", "show", "hello", "--version", "2", "--json"),
    ("workflows", "show", "hello", "--version", "7"),
    ("workflows", "show", "helo"),
    ("workflows", "show", "a/b", "--json"),
    ("workflows", "diff", "hello", "1", "2"),
    ("workflows", "diff", "hello", "1", "2", "--json"),
    ("workflows", "activate", "hello", "2"),
    ("workflows", "activate", "hello", "9", "--json"),
    ("workflows", "deactivate", "hello", "2"),
    ("workflows", "activate", "hello", "1", "--json"),
    ("validate", "<folder>/hello.json"),
    ("validate", "<folder>/hello.json", "--json"),
    ("validate", "<folder>/wrong.json"),
    ("validate", "<folder>/wrong.json", "--json"),
    ("validate", "<folder>/no.json", "--json"),
]

EXECUTIONS: list[Line] = [
    ("run", "<folder>/hello.json", "--input", '{"name": "Ada"}'),
    ("=done", "id", "run", "<folder>/hello.json", "--input", '{"name": "Ada"}'),
    ("run", "<folder>/wrong.json"),
    ("run", "<folder>/hello.json", "--input", "{"),
    ("=asks", "id", "run", "<folder>/asking.json", "--input", '{"sum": 5}'),
    ("executions", "list"),
    ("executions", "list", "--json"),
    ("executions", "list", "--status", "failed"),
    ("executions", "list", "--workflow", "asking", "--json"),
    ("executions", "show", "<done>"),
    ("executions", "show", "<done>", "--view", "--history", "--step", "greet"),
    ("executions", "show", "<done>", "--view", "--history", "--step", "greet", "--json"),
    ("executions", "show", "<done>", "--step", "gret"),
    ("executions", "show", "<done>", "--history", "--after", "1", "--limit", "2"),
    ("executions", "show", "abc"),
    ("executions", "show", "abcdefgh", "--json"),
    ("executions", "why", "<asks>"),
    ("executions", "why", "<asks>", "--json"),
    ("executions", "watch", "<done>"),
    ("executions", "watch", "<asks>", "--json"),
    ("executions", "retry", "<done>"),
    ("executions", "cancel", "<done>", "--json"),
    ("executions", "cancel", "<asks>", "--if-version", "77"),
    ("executions", "refire", "<done>"),
    ("executions", "rerun", "<done>", "--input", '{"name": "Eve"}'),
    ("~again", "id", "executions", "rerun", "<done>", "--input", '{"name": "Eve"}'),
    ("executions", "watch", "<again>"),
    ("executions", "rerun", "<done>", "--from-step", "nowhere"),
    ("~forked", "id", "executions", "fork", "<done>", "--at-step", "greet", "--set", 'name="Bob"'),
    ("executions", "watch", "<forked>", "--json"),
]

MANY: list[Line] = [
    ("=first", "id", "run", "<folder>/asking.json", "--input", '{"sum": 5}'),
    ("=second", "id", "run", "<folder>/asking.json", "--input", '{"sum": 6}'),
    ("bulk", "cancel"),
    ("bulk", "cancel", "--workflow", "asking"),
    ("bulk", "cancel", "--workflow", "asking", "--json"),
    ("bulk", "cancel", "--workflow", "asking", "--dry-run"),
    ("bulk", "cancel", "--workflow", "asking", "--dry-run", "--json"),
    ("bulk", "cancel", "--started-before", "2020-01-01T00:00:00Z", "--yes"),
    ("bulk", "cancel", "--started-before", "2020-01-01T00:00:00Z", "--yes", "--json"),
    ("bulk", "cancel", "--started-after", "yesterday", "--yes"),
    ("bulk", "retry", "--all", "--yes"),
    ("bulk", "rerun", "--all", "--status", "failed"),
    ("bulk", "cancel", "--all", "--reason", "too many", "--yes", "--json"),
    ("bulk", "cancel", "--all", "--yes"),
    ("executions", "show", "<first>"),
    ("bulk", "rerun", "--status", "cancelled", "--dry-run"),
]

APPROVALS: list[Line] = [
    ("=approval", "items.0.id", "approvals", "list"),
    ("approvals", "list"),
    ("approvals", "list", "--status", "all", "--workflow", "asking"),
    ("approvals", "show", "<approval>", "--json"),
    ("approvals", "show", "nobody"),
    ("approvals", "history", "<approval>"),
    ("approvals", "history", "<approval>", "--limit", "1", "--json"),
    ("approvals", "history", "nobody"),
    ("approvals", "link", "nobody", "--as", "ann"),
    ("approvals", "link", "<approval>", "--as", "ann", "--expires", "P400D"),
    ("approvals", "claim", "<approval>"),
    ("approvals", "release", "<approval>"),
    ("approvals", "approve", "<approval>", "--comments", "fine", "--json"),
    ("executions", "watch", "<asks>"),
    ("approvals", "reject", "<approval>"),
]

TRIGGERS: list[Line] = [
    ("workflows", "save", "<folder>/daily.json"),
    ("schedules", "list"),
    ("schedules", "list", "--json"),
    ("schedules", "next", "daily", "--count", "3"),
    ("schedules", "next", "daily/at-nine", "--json"),
    ("schedules", "next", "daily", "--count", "0"),
    ("schedules", "next", "dayly"),
    ("schedules", "pause", "daily"),
    ("schedules", "pause", "daily", "--json"),
    ("schedules", "resume", "daily", "--skip-missed"),
    ("schedules", "add", "hello", "--schedule", "0 7 * * *", "--timezone", "Europe/Berlin", "--id", "mornings"),
    (
        "schedules",
        "add",
        "hello",
        "--schedule",
        "0 7 * * *",
        "--timezone",
        "Europe/Berlin",
        "--id",
        "mornings",
        "--json",
    ),
    ("schedules", "add", "hello", "--every", "P1D", "--id", "mornings"),
    ("schedules", "add", "hello", "--schedule", "0 25 * * *", "--timezone", "Mars", "--id", "a/b"),
    ("schedules", "add", "nobody", "--every", "P1D"),
    ("schedules", "change", "hello", "--every", "P2D", "--input", '{"name": "Eve"}'),
    ("schedules", "change", "daily/at-nine", "--every", "P2D"),
    ("schedules", "list", "--json"),
    ("schedules", "remove", "daily/at-nine"),
    ("schedules", "remove", "hello/mornings", "--json"),
    ("schedules", "remove", "hello/mornings"),
    ("=event", "id", "events", "send", "order.paid", "--payload", '{"order": 7}', "--id", "order-7"),
    ("events", "send", "order.paid", "--payload", '{"order": 8}', "--id", "order-7", "--json"),
    ("events", "send", '[{"type": "a.b", "id": "a"}, {"type": "", "id": "b"}]', "--json"),
    ("events", "list", "--type", "order.*"),
    ("events", "list", "--type", "order.*", "--json"),
    ("events", "show", "order-8"),
    ("workflows", "save", "<folder>/hooked.json", "--json"),
    ("=webhook", "id", "webhooks", "create", "hooked"),
    ("webhooks", "create", "hoked"),
    ("webhooks", "list"),
    ("webhooks", "list", "--json"),
    ("webhooks", "rotate", "<webhook>"),
    ("webhooks", "rotate", "<webhook>", "--what", "signing"),
    ("webhooks", "remove", "<webhook>"),
    ("webhooks", "remove", "<webhook>", "--json"),
    ("triggers", "list", "--subject", "nothing"),
    ("triggers", "list", "--until", "2020-01-01T00:00:00Z", "--json"),
    ("triggers", "list", "--since", "noon"),
    ("triggers", "list", "--limit", "0"),
]

ORGANIZATION: list[Line] = [
    ("members", "list"),
    ("members", "add", "ann", "--role", "admin", "--group", "finance"),
    ("members", "add", "ann", "--role", "viewer", "--json"),
    ("members", "add", "bob", "--json"),
    ("members", "set", "bob", "--role", "operator", "--email", "bob@example.com"),
    ("members", "set", "bo", "--role", "operator"),
    ("members", "list"),
    ("members", "list", "--json"),
    ("members", "remove", "bob"),
    ("members", "remove", "ann", "--json"),
    ("=key", "id", "keys", "create", "ann", "--scope", "viewer", "--name", "page"),
    ("keys", "create", "zoe"),
    ("keys", "list"),
    ("keys", "list", "--json"),
    ("sessions", "list"),
    ("sessions", "list", "--json"),
    ("sessions", "end", "nothing"),
    ("keys", "revoke", "<key>"),
    ("keys", "revoke", "<key>"),
    ("secrets", "set", "TOKEN", "--value", "hushhushhush"),
    ("secrets", "set", "no good", "--value", "hushhushhush"),
    ("secrets", "list"),
    ("secrets", "list", "--json"),
    ("secrets", "remove", "TOKEN", "--json"),
    ("secrets", "remove", "TOKEN"),
    ("notifiers", "list"),
    ("notifiers", "add", "page", "log"),
    ("notifiers", "add", "page", "log", "--json"),
    ("notifiers", "list", "--json"),
    ("notifiers", "remove", "page"),
    ("connections", "add", "crm", "https://crm.example.com/mcp", "--header", "Authorization=Bearer {{secrets.CRM}}"),
    ("connections", "add", "crm", "ftp://crm.example.com", "--json"),
    ("connections", "list"),
    ("connections", "list", "--json"),
    ("connections", "remove", "crm"),
    ("connections", "tools", "crm"),
]
EVERYTHING = {
    "workflows": WORKFLOWS,
    "executions": EXECUTIONS + APPROVALS,
    "many": MANY,
    "triggers": TRIGGERS,
    "organization": [*ORGANIZATION, ("audit", "list")],
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PERDURE_SECRET_KEY", SECRET_KEY)
    monkeypatch.delenv("PERDURE_DATABASE_URL", raising=False)
    documents = {
        "hello": GREETING,
        "changed": CHANGED,
        "wrong": WRONG,
        "asking": ASKING,
        "daily": DAILY,
        "hooked": HOOKED,
    }
    for name, document in documents.items():
        written(tmp_path, f"{name}.json", document)
    (tmp_path / "no.json").write_text('{"name": "no",\n "nodes": [}')
    return tmp_path


def _served(folder: Path, name: str) -> Iterator[Served]:
    (folder / name).mkdir()
    with served(folder / name, "--no-examples", PERDURE_SECRET_KEY=SECRET_KEY, PERDURE_PUBLIC_URL="http://page") as it:
        yield it


@pytest.fixture
def one(folder: Path) -> Iterator[Served]:
    yield from _served(folder, "one")


@pytest.fixture
def other(folder: Path) -> Iterator[Served]:
    yield from _served(folder, "other")


@pytest.mark.parametrize("group", EVERYTHING)
def test_what_a_command_says_is_the_same_of_a_database_and_of_a_server(
    group: str,
    folder: Path,
    one: Served,
    other: Served,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PERDURE_PUBLIC_URL", "http://page")
    worlds = [World(capsys, folder, "--db", one.db), World(capsys, folder, "--server", other.url)]
    for world in worlds:
        world.known["folder"] = str(folder)
    for line in EVERYTHING[group]:
        if line[0].startswith(("=", "~")):
            said = [world.learn(line[0][1:], *line[2:], at=line[1]) for world in worlds]
            if line[0].startswith("~"):  # it may have ended by the time that it is told
                continue
        else:
            said = [world.say(*line) for world in worlds]
        assert said[0] == said[1], line


def test_what_can_be_looked_at_is_the_same_to_the_letter_on_one_database(
    folder: Path, one: Served, capsys: pytest.CaptureFixture[str]
) -> None:
    id_ = here(capsys, "run", folder / "asking.json", "--server", one.url, "--json").object["id"]
    here(capsys, "workflows", "save", folder / "daily.json", "--db", one.db)
    here(capsys, "events", "send", "order.paid", "--server", one.url)
    for line in (
        ("executions", "show", id_, "--view", "--history", "--step", "ask"),
        ("executions", "list"),
        ("executions", "why", id_[:9]),
        ("workflows", "list"),
        ("workflows", "show", "daily"),
        ("schedules", "list"),
        ("events", "list"),
        ("triggers", "list"),
        ("triggers", "list", "--outcome", "accepted", "--subject", "order.paid"),
        ("bulk", "cancel", "--workflow", "asking", "--dry-run"),
        ("audit", "list"),
        ("members", "list"),
    ):
        asked = [here(capsys, *line, *where, "--json") for where in (("--db", one.db), ("--server", one.url))]
        assert asked[0].object == asked[1].object, line
        assert json.loads(asked[0].out), line


def test_how_an_approval_is_decided_is_told_as_it_can_be_typed(
    folder: Path, one: Served, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    here(capsys, "run", folder / "asking.json", "--db", one.db)
    id_ = here(capsys, "approvals", "list", "--db", one.db, "--json").object["items"][0]["id"]
    shown = here(capsys, "approvals", "show", id_, "--db", one.db).out
    assert f"decide it: `perdure approvals approve {id_} --as MEMBER --db {one.db}`" in shown
    shown = here(capsys, "approvals", "show", id_, "--server", one.url).out
    assert f"decide it: `perdure approvals approve {id_} --server {one.url}`" in shown
    monkeypatch.setenv("PERDURE_SERVER_URL", one.url)
    assert f"decide it: `perdure approvals approve {id_}`" in here(capsys, "approvals", "show", id_).out
    assert here(capsys, "approvals", "approve", id_).status == 0
