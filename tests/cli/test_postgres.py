"""The command line on a real Postgres: what is typed works as on a file, and what goes wrong is told without a password."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from cli.documents import GREETING, SLOW, TASKS, WAITING
from cli.typing import PERDURE, Ended, environment, here, perdure, written
from perdure.store.postgres.database import known_version
from perdure.store.postgres.store import PostgresStore
from perdure.store.postgres.urls import without_password
from postgres import FOLDER, fresh_schema, server

SECRET = "hunter2"


@pytest.fixture
def url() -> str:
    return fresh_schema()


@pytest.fixture
def secret_url(url: str) -> str:
    """With a password that the server does not ask for."""
    return url.replace("postgres@", f"postgres:{SECRET}@", 1)


def _tables(url: str) -> list[str]:
    with psycopg.connect(url) as connection:
        found = connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = current_schema()")
        return [name for (name,) in found]


def _silent(ended: Ended) -> None:
    assert SECRET not in ended.out + ended.err
    assert "Traceback" not in ended.out + ended.err


def test_what_is_run_stays_and_is_carried_on_and_told(secret_url: str, tmp_path: Path) -> None:
    short, long = written(tmp_path, "hello.json", GREETING), written(tmp_path, "sleeper.json", WAITING)
    ran = perdure("run", short, "--input", '{"name": "Ada"}', "--db", secret_url)
    assert ran.status == 0
    assert "completed: hello" in ran.out
    waits = perdure("run", long, "--timeout", "0", "--db", secret_url)
    assert waits.status == 3
    worked = perdure("worker", "--until-idle", "--db", secret_url)
    assert worked.status == 0
    listed = perdure("executions", "list", "--json", "--db", secret_url)
    assert sorted(one["status"] for one in listed.object["items"]) == ["completed", "waiting"]
    (sleeper,) = (one["id"] for one in listed.object["items"] if one["status"] == "waiting")
    why = perdure("executions", "why", sleeper[:12], "--db", secret_url)
    assert "rest" in why.out
    cancelled = perdure("executions", "cancel", sleeper, "--db", secret_url)
    assert cancelled.status == 0
    told = (ran, waits, worked, listed, why, cancelled)
    assert "--db 'postgresql://postgres@/postgres?" in waits.out, "a command to paste"
    assert "perdure worker on postgresql://postgres@/postgres?" in worked.err
    for ended in told:
        _silent(ended)


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("postgresql://ann:pw@host:5432/flows", "postgresql://ann@host:5432/flows"),
        ("postgresql://ann@host/flows", "postgresql://ann@host/flows"),
        ("postgresql://host:5432/flows?sslmode=require", "postgresql://host:5432/flows?sslmode=require"),
        ("postgres://ann:p%40w@host/flows?sslpassword=x&port=1", "postgres://ann@host/flows?port=1"),
        ("postgresql:///flows?user=ann&password=pw", "postgresql:///flows?user=ann"),
        ("postgresql://ann:p@w/?pw@host/flows", "postgresql://ann@host/flows"),
        ("sqlite:////home/ann:x@y.db", "sqlite:////home/ann:x@y.db"),
    ],
)
def test_a_url_is_shown_without_its_password(url: str, shown: str) -> None:
    assert without_password(url) == shown


def test_workflows_are_saved_listed_shown_and_activated(url: str, tmp_path: Path) -> None:
    document = written(tmp_path, "hello.json", GREETING)
    assert perdure("workflows", "save", document, "--db", url).status == 0
    assert perdure("workflows", "save", document, "--db", url).out.startswith("hello is already version 1")
    (listed,) = perdure("workflows", "list", "--json", "--db", url).object["items"]
    assert listed["name"] == "hello"
    shown = perdure("workflows", "show", "hello", "--json", "--db", url).object
    assert shown["document"]["name"] == "hello"
    assert perdure("workflows", "activate", "hello", "1", "--db", url).status == 0


def test_the_doctor_tells_how_it_stands(secret_url: str, tmp_path: Path) -> None:
    document = written(tmp_path, "hello.json", GREETING)
    assert perdure("run", document, "--input", '{"name": "Ada"}', "--db", secret_url).status == 0
    healthy = perdure("doctor", "--db", secret_url)
    assert (healthy.status, healthy.err) == (0, "")
    assert ": healthy" in healthy.out
    assert "write-ahead" not in healthy.out
    with psycopg.connect(secret_url) as connection:
        connection.execute("DELETE FROM history WHERE seq = 2")
    broken = perdure("doctor", "--json", "--db", secret_url)
    assert broken.status == 1
    assert "gaps" in [one["check"] for one in broken.object["broken"]]
    for ended in (healthy, broken):
        _silent(ended)


@pytest.mark.parametrize(
    "command", [("doctor",), ("executions", "list"), ("workflows", "list"), ("executions", "why", "abcdefgh")]
)
def test_whoever_only_looks_makes_no_tables(
    url: str, command: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    ended = here(capsys, *command, "--db", url)
    assert ended.status == 2
    assert "holds nothing of Perdure" in ended.err
    assert _tables(url) == []


def test_tables_are_made_by_an_upgrade_and_a_second_one_finds_them(
    secret_url: str, capsys: pytest.CaptureFixture[str]
) -> None:
    first = here(capsys, "db", "upgrade", "--json", "--db", secret_url)
    assert (first.object["from"], first.object["to"]) == (0, known_version())
    second = here(capsys, "db", "upgrade", "--db", secret_url)
    assert "is up to date" in second.out
    assert here(capsys, "doctor", "--db", secret_url).status == 0
    for ended in (first, second):
        _silent(ended)


def test_a_backup_is_left_to_pg_dump(secret_url: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ended = here(capsys, "db", "backup", tmp_path / "copy", "--db", secret_url)
    assert ended.status == 2
    assert f"pg_dump --format=custom --file={tmp_path / 'copy'} 'postgresql://postgres@/" in ended.err
    _silent(ended)
    assert list(tmp_path.iterdir()) == []


COMMANDS = (
    ("doctor",),
    ("worker", "--until-idle"),
    ("executions", "list"),
    ("workflows", "list"),
    ("db", "upgrade"),
)


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_a_newer_database_is_refused(url: str, command: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    PostgresStore(url).close()
    with psycopg.connect(url) as connection:
        connection.execute("UPDATE perdure SET version = 99")
    ended = here(capsys, *command, "--db", url)
    assert ended.status == 2
    assert "version 99" in ended.err
    assert "install a newer Perdure" in ended.err


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
@pytest.mark.parametrize(
    ("given", "says"),
    [
        (f"postgresql://ann:{SECRET}@127.0.0.1:9/flows", "no server answers at 127.0.0.1:9: Connection refused"),
        (f"postgresql://ann:{SECRET}@/flows?host=/nowhere", "no server answers at /nowhere:5432"),
        (f"postgresql://postgres:{SECRET}@/nobodys?host=FOLDER", "there is no database nobodys at"),
        (f"postgresql://nobody:{SECRET}@/postgres?host=FOLDER", 'refuses: role "nobody" does not exist'),
        (f"postgresql://ann:{SECRET}/x@127.0.0.1:9/flows", "cannot be read"),
        (f"postgresql://ann:x@{SECRET}@127.0.0.1:9/flows", "cannot be read"),
        (f"postgresql://ann:{SECRET}?x@127.0.0.1:9/flows", "no server answers at 127.0.0.1:9"),
        (f"postgresql://ann@127.0.0.1:9/flows?password={SECRET}", "no server answers"),
        (f"postgresql://ann:{SECRET}@127.0.0.1:nine/flows", "cannot be read"),
    ],
)
def test_what_keeps_one_from_it_is_told_in_one_line_without_the_password(
    given: str, says: str, command: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    server()
    given = given.replace("FOLDER", str(FOLDER))  # each process has its own: no name of a test may hold it
    ended = here(capsys, *command, "--db", given)
    assert (ended.status, ended.out) == (2, "")
    assert says in ended.err
    assert ended.err.count("\n") == 1
    _silent(ended)


@pytest.fixture
def strict() -> Iterator[str]:
    """An address at which the server asks for a password."""
    rules = FOLDER / "data" / "pg_hba.conf"
    server()
    before = rules.read_text()
    with psycopg.connect(server(), autocommit=True) as connection:
        if not connection.execute("SELECT 1 FROM pg_roles WHERE rolname = 'guarded'").fetchall():
            connection.execute("CREATE ROLE guarded LOGIN PASSWORD 'right'")
        rules.write_text(f"local all guarded scram-sha-256\n{before}")
        connection.execute("SELECT pg_reload_conf()")
        yield f"postgresql://guarded:{{}}@/postgres?host={FOLDER}"
        rules.write_text(before)
        connection.execute("SELECT pg_reload_conf()")


@pytest.mark.parametrize("password", [f"{SECRET}", ""])
def test_a_wrong_password_is_told_with_the_ways_to_give_one(
    strict: str, password: str, capsys: pytest.CaptureFixture[str]
) -> None:
    ended = here(capsys, "doctor", "--json", "--db", strict.format(password))
    assert ended.status == 2
    (problem,) = ended.object["problems"]
    assert "refuses the user: a wrong password, or none" in problem["message"]
    _silent(ended)


def test_without_the_driver_it_says_what_to_install(tmp_path: Path) -> None:
    document = written(tmp_path, "hello.json", GREETING)
    code = "import sys; sys.modules['psycopg'] = None; from perdure.cli.main import main; sys.exit(main(sys.argv[1:]))"
    for command in (*COMMANDS, ("run", str(document)), ("workflows", "save", str(document))):
        typed = [sys.executable, "-c", code, *command, "--db", "postgresql://localhost/flows"]
        done = subprocess.run(typed, capture_output=True, text=True, timeout=60, check=False, env=environment())
        assert done.returncode == 2, command
        assert "pip install 'perdure[postgres]'" in done.stderr
        assert "Traceback" not in done.stderr
    demo = [sys.executable, "-c", code, "demo"]
    assert subprocess.run(demo, capture_output=True, timeout=60, check=False, env=environment()).returncode == 0


def test_who_may_make_no_tables_is_told_what_to_ask_for(url: str, capsys: pytest.CaptureFixture[str]) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        if not connection.execute("SELECT 1 FROM pg_roles WHERE rolname = 'poor'").fetchall():
            connection.execute("CREATE ROLE poor LOGIN")
        connection.execute(f"GRANT USAGE ON SCHEMA {url.rpartition('%3D')[2]} TO poor".encode())
    ended = here(capsys, "db", "upgrade", "--db", url.replace("postgres@", "poor@", 1))
    assert ended.status == 2
    assert "permission denied for schema" in ended.err
    assert "a schema of its own" in ended.err


def test_another_worker_goes_on_where_one_was_killed(url: str, tmp_path: Path) -> None:
    tasks = tmp_path / "tasks.py"
    tasks.write_text(TASKS.replace("asyncio.sleep(30)", "asyncio.sleep(30 if params.attempt == 1 else 0)"))
    document = written(tmp_path, "slow.json", SLOW)
    run = [PERDURE, "run", str(document), "--tasks", str(tasks), "--db", url]
    more = environment(PERDURE_LEASE_SECONDS="2")
    with subprocess.Popen(run, stdout=subprocess.PIPE, env=more) as first:
        assert first.stdout is not None
        while b"slow" not in first.stdout.readline():
            pass
        first.kill()
    worker = [PERDURE, "worker", "--tasks", str(tasks), "--db", url]
    with subprocess.Popen(worker, stderr=subprocess.PIPE, env=more) as second:
        until = time.monotonic() + 60
        while _statuses(url) != ["completed"]:
            assert time.monotonic() < until
        second.terminate()
        second.communicate(timeout=60)
    assert second.returncode == 0
    assert perdure("doctor", "--db", url).status == 0


def _statuses(url: str) -> list[str]:
    return [one["status"] for one in perdure("executions", "list", "--json", "--db", url).object["items"]]
