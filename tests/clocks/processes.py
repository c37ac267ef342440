"""Servers in processes of their own, each with a wall clock that the test sets."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any

import apsw
import httpx2
import psycopg

from perdure.service.engine import Engine
from postgres import fresh_schema

PROGRAM = Path(__file__).parent / "shifted.py"
DAY_SECONDS = 86_400.0
SOON_SECONDS = 60.0
READY = re.compile(r"perdure on (http://\S+:\d+),")

_numbers = count()


def database(folder: Path, kind: str) -> str:
    return fresh_schema() if kind == "postgres" else f"sqlite:///{folder}/flows.db"


def ask(url: str, query: str) -> list[tuple[Any, ...]]:
    """Ask the database itself, or change something in it."""
    if url.startswith("sqlite"):
        file = apsw.Connection(url.removeprefix("sqlite:///"))
        file.set_busy_timeout(10_000)
        return list(file.execute(query))
    with psycopg.connect(url) as connection:
        cursor = connection.execute(query.encode())
        return cursor.fetchall() if cursor.description else []


def count_of(url: str, table: str) -> int:
    return int(ask(url, f"SELECT count(*) FROM {table}")[0][0])


def until(is_so: Callable[[], Any], what: str, seconds: float = SOON_SECONDS) -> float:
    """Wait until something is so. Return the seconds that it took."""
    began = time.monotonic()
    while not is_so():
        assert time.monotonic() - began < seconds, what
        time.sleep(0.02)
    return time.monotonic() - began


def stays(is_so: Callable[[], Any], seconds: float) -> bool:
    """Watch for a while. Return whether something was so all the time."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if not is_so():
            return False
        time.sleep(0.02)
    return True


def set_up(url: str, *documents: dict[str, Any]) -> str:
    """Save workflows; return the key of a member who may start them."""

    async def save() -> str:
        async with Engine(url, works=False) as engine:
            for document in documents:
                await engine.workflows.save(document)
            await engine.members.add("ann", roles=["operator", "viewer", "editor"])
            return (await engine.keys.create("ann")).token

    return asyncio.run(save())


class Process:
    """One server; `shift` sets its clock."""

    def __init__(
        self, folder: Path, url: str, token: str, shift: float, constants: dict[str, Any], **settings: str
    ) -> None:
        number = next(_numbers)
        self._clock, self._log, self._token = folder / f"clock-{number}", folder / f"log-{number}", token
        self.environment = (
            os.environ
            | settings
            | {
                "PERDURE_TEST_CLOCK": str(self._clock),
                "PERDURE_TEST_CONSTANTS": json.dumps(constants),
                "PERDURE_LEASE_SECONDS": "2",
                "PERDURE_METRICS_OPEN": "1",
            }
        )
        self.shift(shift)
        command = [sys.executable, str(PROGRAM), "serve", "--port", "0", "--db", url]
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(command, env=self.environment, stdout=log, stderr=log)
        until(lambda: READY.search(self.log()) or self._process.poll() is not None, "it does not start")
        found = READY.search(self.log())
        assert found is not None, self.log()
        self.client = httpx2.Client(
            base_url=found[1], headers={"Authorization": f"Bearer {token}"}, timeout=30, trust_env=False
        )

    def shift(self, seconds: float) -> None:
        written = self._clock.with_suffix(".new")
        written.write_text(str(seconds))
        written.replace(self._clock)

    def log(self) -> str:
        return self._log.read_text()

    def start(self, name: str, key: str | None = None, **input_: Any) -> str:
        headers = {} if key is None else {"Idempotency-Key": key}
        answer = self.client.post("/api/executions", json={"name": name, "input": input_}, headers=headers)
        assert answer.status_code in (200, 201), answer.text
        return str(answer.json()["id"])

    def status(self, execution: str) -> str:
        return str(self.client.get(f"/api/executions/{execution}").json()["status"])

    def reasons(self) -> str:
        """What degrades it."""
        answer = self.client.get("/readyz")
        assert answer.status_code == 200, answer.text
        return "; ".join(answer.json().get("reasons", ()))

    def metric(self, name: str) -> float:
        found = re.search(rf"^{re.escape(name)} (\S+)$", self.client.get("/metrics").text, re.MULTILINE)
        assert found is not None, name
        return float(found[1])

    def end(self) -> None:
        self.client.close()
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGTERM)
        self._process.wait(30)


@contextmanager
def serving(
    folder: Path, url: str, token: str, shift: float = 0.0, constants: dict[str, Any] | None = None, **settings: str
) -> Iterator[Process]:
    process = Process(folder, url, token, shift, constants or {}, **settings)
    try:
        yield process
    finally:
        process.end()


def typed(folder: Path, *arguments: str, shift: float = 0.0, **settings: str) -> subprocess.CompletedProcess[str]:
    """A command in a process of its own."""
    clock = folder / f"clock-{next(_numbers)}"
    clock.write_text(str(shift))
    environment = os.environ | settings | {"PERDURE_TEST_CLOCK": str(clock)}
    return subprocess.run(
        [sys.executable, str(PROGRAM), *arguments],
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


class Table:
    """Lines of (scenario, database, expected, seen), printed at the end."""

    def __init__(self, title: str, kind: str) -> None:
        self._title, self._kind = title, kind
        self._lines: list[tuple[str, str, str, str]] = [("scenario", "database", "expected", "seen")]

    def add(self, scenario: str, expected: str, seen: object) -> None:
        self._lines.append((scenario, self._kind, expected, str(seen)))

    def show(self) -> None:
        widths = [max(len(line[column]) for line in self._lines) for column in range(4)]
        print(f"\n{self._title}")
        for line in self._lines:
            print("  " + "  ".join(text.ljust(width) for text, width in zip(line, widths, strict=True)).rstrip())
