"""What cannot be used is refused: a clear problem, status 2, no traceback, and nothing has changed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from cli.documents import GREETING, TASKS, graph
from cli.typing import Ended, here, perdure, written

REFUSED = 2


def deep(levels: int) -> bytes:
    return b'{"nodes": ' + b"[" * levels + b"]" * levels + b"}"


FILES: list[tuple[str, bytes, str, str]] = [
    ("broken", b'{"name": "x",\n  "nodes": [}', "not_json", "line 2"),
    ("empty", b"", "not_json", "is empty"),
    ("no dialect", b'{"hello": 1}', "unknown_dialect", "nodes"),
    ("not utf-8", b'{"name": "\xff"}', "not_utf8", "0xff"),
    ("nul", b'{"name": "x\\u0000"}', "not_a_character", "NUL"),
    ("raw nul", b'{"name"\x00: 1}', "not_json", "NUL"),
    ("large", b'{"name": "' + b"x" * 10_000_000 + b'"}', "too_large", "10.0 MB"),
    ("deep", deep(100_000), "too_deep", "levels deep"),
    ("a list", b"[1, 2]", "", ""),
    ("twice", b'{"nodes": [], "nodes": []}', "duplicate_key", "twice"),
    (
        "dangling",
        json.dumps({**GREETING, "connections": [{"fromNodeId": "start", "toNodeId": "gret"}]}).encode(),
        "",
        "gret",
    ),
]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in ("PERDURE_DATABASE_URL", "DATABASE_URL"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


def refused(ended: Ended) -> list[dict[str, Any]]:
    assert ended.status == REFUSED
    assert "Traceback" not in ended.out + ended.err
    problems: list[dict[str, Any]] = ended.object["problems"]
    assert problems
    for problem in problems:
        assert {"type", "step", "field", "message", "path"} <= set(problem)
        assert problem["message"]
    return problems


@pytest.mark.parametrize("command", ["run", "validate"])
@pytest.mark.parametrize(("what", "text", "type_", "said"), FILES, ids=[name for name, *_ in FILES])
def test_a_document_that_is_none_is_refused(
    command: str, what: str, text: bytes, type_: str, said: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "bad.json").write_bytes(text)
    first, *_ = problems = refused(here(capsys, command, "bad.json", "--json"))
    assert type_ in ("", first["type"])
    assert said in json.dumps(problems) or said == f"line {first.get('line')}"
    told = here(capsys, command, "bad.json")
    assert (told.status, told.out) == (REFUSED, "")
    assert told.err.startswith(f"perdure {command}: ")
    assert [path.name for path in folder.iterdir()] == ["bad.json"]


@pytest.mark.parametrize("command", ["run", "validate"])
def test_an_empty_file_is_named(command: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "empty.json").write_bytes(b"")
    assert here(capsys, command, "empty.json").err == f"perdure {command}: empty.json: the document is empty\n"


def test_the_place_is_shown_with_a_caret(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "bad.json").write_text('{\n  "name": "x",\n  "nodes": oops\n}\n')
    told = here(capsys, "validate", "bad.json")
    assert told.err.splitlines()[-2:] == ['     3 |   "nodes": oops', " " * 20 + "^"]
    assert "bad.json:3:12" in told.err
    assert refused(here(capsys, "validate", "bad.json", "--json"))[0]["line"] == 3


@pytest.mark.parametrize("command", ["run", "validate"])
@pytest.mark.parametrize(
    ("file", "said"),
    [
        ("helo.json", "did you mean 'hello.json'?"),
        ("HELLO.JSON", "did you mean 'hello.json'?"),
        ("nowhere/hello.json", "there is no folder nowhere either"),
        (".", "is a folder; name a file in it, hello.json say"),
        ("hello\0.json", "cannot be read"),
        ("x" * 5_000, "cannot be read"),
    ],
)
def test_a_file_that_cannot_be_read_is_told_with_what_was_meant(
    command: str, file: str, said: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    written(folder, "hello.json", GREETING)
    told = here(capsys, command, file)
    assert (told.status, told.out) == (REFUSED, "")
    assert said in told.err
    assert refused(here(capsys, command, file, "--json"))


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("{name: 1}", "the input is not JSON"),
        ("ada.json", "did you mean --input @ada.json?"),
        ("@nowhere.json", "there is no such file"),
        ("@", "is a folder"),
        ("", "the input is empty"),
        ('{"a": 1, "a": 2}', "stands twice"),
        ("NaN", "no number"),
    ],
)
def test_input_that_is_no_json_is_refused(
    given: str, said: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    written(folder, "hello.json", GREETING)
    written(folder, "ada.json", {"name": "Ada"})
    told = here(capsys, "run", "hello.json", "--input", given, "--db", "sqlite:///flows.db")
    assert (told.status, told.out) == (REFUSED, "")
    assert said in told.err
    assert refused(here(capsys, "run", "hello.json", "--input", given, "--json"))
    assert not (folder / "flows.db").exists()


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("raise RuntimeError('no luck today')", "RuntimeError: no luck today"),
        ("def broken(:\n", "not Python"),
        ("import sys; sys.exit(3)", "exit"),
        ("import nothing_of_this_name", "nothing_of_this_name"),
        ("x = 1", "declares no task"),
        ("from perdure import task\n@task('')\ndef f(x): ...", ""),
    ],
)
def test_a_task_module_that_cannot_be_used_is_refused(
    source: str, said: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    written(folder, "hello.json", GREETING)
    (folder / "tasks.py").write_text(source)
    for command in (["run", "hello.json"], ["validate", "hello.json"], ["worker"]):
        told = here(capsys, *command, "--tasks", "tasks.py", "--db", "sqlite:///flows.db")
        assert (told.status, told.out) == (REFUSED, ""), command
        assert said in told.err
        assert "tasks.py" in told.err
        assert "Traceback" not in told.err
    assert refused(here(capsys, "run", "hello.json", "--tasks", "tasks.py", "--json"))
    assert not (folder / "flows.db").exists()


def test_a_misspelt_task_module_is_told_with_what_was_meant(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    written(folder, "hello.json", GREETING)
    (folder / "tasks.py").write_text(TASKS)
    assert "did you mean 'tasks.py'?" in here(capsys, "run", "hello.json", "--tasks", "taks.py").err


def test_the_line_of_what_a_task_module_raises_is_told(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    written(folder, "hello.json", GREETING)
    (folder / "tasks.py").write_text("x = 1\n\nraise RuntimeError('no luck today')\n")
    (problem,) = refused(here(capsys, "run", "hello.json", "--tasks", "tasks.py", "--json"))
    assert problem["line"] == 3
    assert here(capsys, "run", "hello.json", "--tasks", "tasks.py").err.startswith("perdure run: tasks.py:3: ")


@pytest.mark.parametrize("tasks", ["nowhere.py", "no_such_module", "."])
def test_tasks_that_are_not_there_are_refused(tasks: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    written(folder, "hello.json", GREETING)
    told = here(capsys, "run", "hello.json", "--tasks", tasks)
    assert (told.status, told.out) == (REFUSED, "")
    assert tasks in told.err


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("flows.db", "did you mean sqlite:///flows.db?"),
        ("mysql://localhost/x", "no database that this command knows"),
        ("sqlite:///nowhere/flows.db", "there is no folder nowhere"),
        ("sqlite:///.", "is a folder"),
        ("memory://", "use sqlite:///path"),
    ],
)
def test_a_database_that_cannot_be_used_is_refused(
    url: str, said: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    written(folder, "hello.json", GREETING)
    for command in (["run", "hello.json"], ["worker"], ["workflows", "save", "hello.json"]):
        told = here(capsys, *command, "--db", url)
        assert (told.status, told.out) == (REFUSED, ""), command
        assert said in told.err
        assert refused(here(capsys, *command, "--db", url, "--json"))
    assert [path.name for path in folder.iterdir()] == ["hello.json"]


def test_a_file_that_is_no_database_is_refused_and_stays_as_it_is(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    written(folder, "hello.json", GREETING)
    (folder / "letter").write_text("a letter to a friend\n" * 500)
    for command in (["run", "hello.json"], ["workflows", "list"], ["worker", "--until-idle"]):
        told = here(capsys, *command, "--db", "sqlite:///letter")
        assert (told.status, told.out) == (REFUSED, ""), command
        assert "Traceback" not in told.err
    assert (folder / "letter").read_text() == "a letter to a friend\n" * 500


def test_who_looks_makes_no_database(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for command in (["workflows", "list"], ["executions", "list"], ["executions", "why", "x"]):
        told = here(capsys, *command, "--db", "sqlite:///flows.db")
        assert told.status == REFUSED
        assert "there is no such file" in told.err
    assert list(folder.iterdir()) == []


def test_a_misspelt_database_is_told_with_what_was_meant(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    here(capsys, "run", written(folder, "hello.json", GREETING), "--db", "sqlite:///flows.db")
    assert "did you mean 'flows.db'?" in here(capsys, "executions", "list", "--db", "sqlite:///flow.db").err
    assert not (folder / "flow.db").exists()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--connections", "mcp.json"], "there is no such file"),
        (["--timeout", "-1"], "no number of seconds"),
        (["--timeout", "nan"], "no number of seconds"),
        (["--with", "nowhere.json"], "there is no such file"),
    ],
)
def test_options_that_cannot_be_used_are_refused(
    options: list[str], said: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    written(folder, "hello.json", GREETING)
    told = here(capsys, "run", "hello.json", *options, "--db", "sqlite:///flows.db")
    assert (told.status, told.out) == (REFUSED, "")
    assert said in told.err
    assert not (folder / "flows.db").exists()


def test_a_folder_that_cannot_be_written_is_told(folder: Path) -> None:
    """Whoever may do everything can write everywhere but where nothing can be."""
    document = written(folder, "hello.json", GREETING)
    ended = perdure("run", document, "--db", "sqlite:////proc/flows.db")
    assert (ended.status, ended.out) == (REFUSED, "")
    assert "Traceback" not in ended.err


def test_good_input_is_not_refused(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    written(folder, "hello.json", GREETING)
    (folder / "tasks.py").write_text(TASKS)
    ended = here(capsys, "validate", "hello.json", "--tasks", "tasks.py")
    assert (ended.status, ended.err) == (0, "")
    assert ended.out == "hello.json is a valid graph document: hello\n"
    told = here(capsys, "validate", "hello.json", "--json").object
    assert told == {
        "valid": True,
        "dialect": "graph",
        "name": "hello",
        "problems": [],
        "warnings": [],
        "requires": {"tasks": [], "tools": [], "secrets": [], "webhooks": []},
    }


def test_what_a_document_needs_is_told(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    call = {"variableName": "page", "endpoint": "https://example.com", "headers": {"key": "{{secrets.KEY}}"}}
    hook, enrich = {"id": "hook", "type": "WEBHOOK_TRIGGER"}, {"id": "e", "type": "ENRICH"}
    written(folder, "calls.json", graph({"id": "call", "type": "HTTP_REQUEST", "data": call}, enrich, hook))
    (folder / "tasks.py").write_text(TASKS)
    told = here(capsys, "validate", "calls.json", "--tasks", "tasks.py")
    assert told.out.endswith("\nit needs ENRICH, the secret KEY, a webhook for hook\n")
    told = here(capsys, "validate", "calls.json", "--tasks", "tasks.py", "--json")
    assert told.object["requires"] == {
        "tasks": ["http", "node:ENRICH"],
        "tools": [],
        "secrets": ["KEY"],
        "webhooks": ["hook"],
    }
    here(capsys, "workflows", "save", "calls.json", "--db", "sqlite:///flows.db")
    shown = here(capsys, "workflows", "show", "hello", "--db", "sqlite:///flows.db")
    assert "needs     ENRICH, the secret KEY, a webhook for hook\n" in shown.out
    shown = here(capsys, "workflows", "show", "hello", "--db", "sqlite:///flows.db", "--json")
    assert shown.object["requires"] == told.object["requires"]
    assert "requires" not in shown.object["versions"][0]
