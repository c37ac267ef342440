"""A hundred secrets, each used in another way with another outcome, by a program that is killed twice: found nowhere but where they
were sent to.

With PERDURE_PATIENCE=1 there are three times as many, and on Postgres, too.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import os
import signal
import subprocess
import sys
import time
from base64 import b64encode
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import psycopg
import pytest
from psycopg import sql

from perdure.cli.main import main
from perdure.hosts.envelopes import new_key
from postgres import start, stop
from vault.canary import BY_LOG, KINDS, OUTCOMES
from vault.echoing import HANGS, Told, echoing_http, echoing_smtp

PATIENCE = os.environ.get("PERDURE_PATIENCE") == "1"
ROUNDS = 3 if PATIENCE else 1
SECONDS_MAX = 120
TESTS = Path(__file__).parents[1]


def canaries() -> dict[str, str]:
    """By kind, outcome and round. Half of each is hard to write in any notation, half is easy to search for."""
    names = [f"{kind}/{outcome}/{number}" for number in range(ROUNDS) for kind in KINDS for outcome in OUTCOMES]
    hard = ("", "/+% \"'\\&<", "é€ß", "::@=[]{}|^`")
    return {name: f"{hard[n % len(hard)]}canary{os.urandom(12).hex()}" for n, name in enumerate(names)}


def needles(secret: str) -> Iterator[bytes]:
    easy = secret[secret.index("canary") + 6 :].encode()
    yield from (easy, easy.hex().encode(), easy.hex().upper().encode())
    for shift in range(3):
        yield b64encode(b"\0" * shift + easy)[4:-4]


def assert_nowhere(secrets: dict[str, str], places: dict[str, bytes]) -> None:
    found = [
        (name, place, held[max(0, held.index(needle) - 200) : held.index(needle) + 60])
        for name, secret in secrets.items()
        for needle in needles(secret)
        for place, held in places.items()
        if needle in held
    ]
    assert found == []


def lives(folder: Path, url: str, secrets: dict[str, str], told: Told, environment: dict[str, str]) -> int:
    """Run the program until it has done all, and kill it whenever all that is to crash is under way."""
    crashing = [name for name in secrets if "/crash/" in name and name.split("/")[0] not in BY_LOG]
    for life in range(1, HANGS + 2):
        with (folder / f"out{life}").open("wb") as out, (folder / f"log{life}").open("wb") as log:
            program = subprocess.Popen(
                [sys.executable, "-m", "vault.canary", str(folder), url],
                stdin=subprocess.PIPE,
                stdout=out,
                stderr=log,
                cwd=TESTS,
                env=environment,
            )
            assert program.stdin is not None
            program.stdin.write(json.dumps(secrets).encode())
            program.stdin.close()
            until = time.monotonic() + SECONDS_MAX
            while program.poll() is None and time.monotonic() < until:
                if life <= HANGS and under_way(folder, told, life) >= len(crashing):
                    os.kill(program.pid, signal.SIGKILL)
                    break
                time.sleep(0.02)
            else:
                program.kill()
            status = program.wait()
        if life > HANGS:
            assert status == 0, (folder / f"log{life}").read_bytes()[-3_000:]
        else:
            assert status == -signal.SIGKILL, (folder / f"log{life}").read_bytes()[-3_000:]
    return HANGS


def under_way(folder: Path, told: Told, life: int) -> int:
    """How many that are to crash hang by now, in this life."""
    file = folder / "seen"
    seen = [line.split()[:2] for line in file.read_text().splitlines()] if file.exists() else []
    in_program = sum(name.startswith("crash/") and attempt == str(life) for name, attempt in seen)
    # A server hears of each round under one name: its hanging calls come one after the other.
    at_servers = (
        sum(name.startswith("crash/") and count >= life * ROUNDS for name, count in told.times.items()) * ROUNDS
    )
    return in_program + at_servers


def told_by_commands(url: str, ids: list[tuple[str, str]]) -> dict[str, bytes]:
    """What the command line tells of it, to people and to programs. It reads what is searched as well, so one round is enough."""
    shown: dict[str, bytes] = {}
    for name, execution in ids[:100]:
        for words in (("show", execution), ("show", execution, "--json"), ("why", execution, "--json")):
            typed = ["executions", *words, "--db", url, "--organization", name]
            told = io.StringIO()
            with contextlib.redirect_stdout(told), contextlib.redirect_stderr(told):
                main(typed)
            assert execution in told.getvalue()
            shown[" ".join(typed)] = told.getvalue().encode()
    for typed in (["secrets", "list", "--json"], ["doctor", "--json"], ["events", "list", "--json", "--limit", "500"]):
        told = io.StringIO()
        with contextlib.redirect_stdout(told), contextlib.redirect_stderr(told):
            status = main([*typed, "--db", url])
        assert status == 0, told.getvalue()
        shown[" ".join(typed)] = told.getvalue().encode()
    return shown


@contextlib.contextmanager
def own_postgres() -> Iterator[tuple[str, Path]]:
    """A server of its own, whose files hold nothing else: the address of its database, and the folder."""
    with TemporaryDirectory(prefix="perdure-canaries-") as made:
        folder = Path(made)
        folder.chmod(0o755)
        start(folder / "data", folder)
        try:
            yield f"postgresql://postgres@/postgres?host={folder}", folder
        finally:
            stop(folder / "data", "immediate")


def of_postgres(url: str, folder: Path) -> dict[str, bytes]:
    """Every row of every table, and the files below, the write-ahead log among them."""
    held: dict[str, bytes] = {}
    with psycopg.connect(url) as connection:
        tables = connection.execute(
            "select table_name from information_schema.tables where table_schema = current_schema()"
        ).fetchall()
        for (table,) in tables:
            rows = connection.execute(sql.SQL("select t::text from {} t").format(sql.Identifier(table))).fetchall()
            held[table] = "\n".join(row for (row,) in rows).encode()
        connection.rollback()
        connection.autocommit = True
        connection.execute("checkpoint")
    for part in ("base", "pg_wal", "log"):
        for file in [folder / "data" / part, *(folder / "data" / part).rglob("*")]:
            if file.is_file():
                held[str(file)] = file.read_bytes()
    assert any("pg_wal" in name for name in held)
    return held


def test_no_secret_is_found_anywhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert_none_is_found(f"sqlite:///{tmp_path}/flows.db", tmp_path, monkeypatch)


@pytest.mark.skipif(not PATIENCE, reason="it takes minutes; PERDURE_PATIENCE=1 runs it")
def test_no_secret_is_found_anywhere_on_postgres(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with own_postgres() as (url, server):
        assert_none_is_found(url, tmp_path, monkeypatch, server)


def assert_none_is_found(url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, server: Path | None = None) -> None:
    secrets, told, key = canaries(), Told(), new_key()
    assert len(secrets) == 105 * ROUNDS
    with echoing_http(told) as http, echoing_smtp(told) as smtp_port:
        environment = {
            **os.environ,
            "CANARY_HTTP": http.url("").rstrip("/"),
            "PERDURE_ALLOW_ADDRESSES": f"127.0.0.1:{http.port}",
            "SMTP_URL": f"smtp://127.0.0.1:{smtp_port}?starttls=never&from=us@example.com",
            "PERDURE_SECRET_KEY": key,
            "PERDURE_LEASE_SECONDS": "1",
        }
        lives(tmp_path, url, secrets, told, environment)
    out = (tmp_path / f"out{HANGS + 1}").read_text().splitlines()
    ended = [json.loads(line) for line in out if line.startswith("[")]
    _all_were_used_and_came_to_what_they_should(secrets, ended, told, tmp_path)
    monkeypatch.setenv("PERDURE_SECRET_KEY", key)
    places = told_by_commands(url, [(name, execution) for name, execution, *_ in ended])
    if server is None:
        assert main(["db", "backup", f"{tmp_path}/copy.db", "--db", url]) == 0
    else:
        places |= of_postgres(url, server)
    places |= {str(file): file.read_bytes() for file in tmp_path.rglob("*") if file.is_file()}
    assert len(b"".join(places.values())) > 500_000
    assert_nowhere(secrets, places)
    assert_nowhere({key: f"canary{key}"}, places)


def _all_were_used_and_came_to_what_they_should(
    secrets: dict[str, str], ended: list[tuple[str, str, str, str, object]], told: Told, folder: Path
) -> None:
    """Otherwise it would be no wonder that nothing is found."""
    statuses = {name: status for name, _, status, *_ in ended}
    assert statuses.keys() == secrets.keys()
    for name, status in statuses.items():
        kind, outcome, _ = name.split("/")
        fails = outcome in ("fail", "timeout") and kind not in BY_LOG
        assert status == ("failed" if fails else "completed"), (
            name,
            status,
            [each for each in ended if each[0] == name],
        )
    said = "\n".join(told.texts)
    seen = (folder / "seen").read_text()
    for name, secret in secrets.items():
        kind = name.split("/")[0]
        if kind.startswith(("http-", "mail-")):
            assert secret[secret.index("canary") :] in said, name
        elif kind not in BY_LOG:
            values = [secret, f"Basic {secret}"]
            assert any(hashlib.sha256(value.encode()).hexdigest() in seen for value in values), name


def test_what_is_looked_for_would_be_found() -> None:
    for text in ("canary0123456789abcdef01234567", "é/canary0123456789abcdef01234567"):
        for held in (
            text.encode(),
            text.encode().hex().encode(),
            *(b64encode(b"x" * n + text.encode() + b"y" * m) for n in range(4) for m in range(4)),
        ):
            with pytest.raises(AssertionError):
                assert_nowhere({"name": text}, {"somewhere": b"before" + held + b"after"})
