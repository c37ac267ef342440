"""A successor that does not come about: the server goes on, and answers also while it finds that out."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import signal
import socket
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from perdure.api import handing_over
from perdure.api.handing_over import Restarts
from perdure.api.server import given, listening


class Told:
    def __init__(self) -> None:
        self.lines: list[str] = []
        self.said = asyncio.Event()

    def __call__(self, line: str) -> None:
        self.lines.append(line)
        if "goes on as before" in line:
            self.said.set()


@pytest.fixture
def place() -> Iterator[socket.socket]:
    with contextlib.closing(listening("127.0.0.1", 0)) as found:
        yield found
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


def test_a_program_that_is_not_there_any_more_ends_nothing(
    place: socket.socket, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    async def scenario() -> None:
        told = Told()
        restarts = Restarts(place, told)
        waiting = asyncio.create_task(restarts.succeeded())
        open_before = files()
        with restarts.heard():
            for _ in range(2):
                os.kill(os.getpid(), signal.SIGHUP)
                await asyncio.wait_for(told.said.wait(), 10)
                told.said.clear()
        assert told.lines[1:] == [
            "no successor could be started: No such file or directory; this one goes on as before",
            "asked to restart: a successor is started",
            "no successor could be started: No such file or directory; this one goes on as before",
        ]
        assert not waiting.done()
        assert files() == open_before
        waiting.cancel()

    monkeypatch.setattr(sys, "executable", str(tmp_path / "upgraded"))
    asyncio.run(scenario())


def test_while_a_successor_is_ended_that_does_not_end_the_server_answers(
    place: socket.socket, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scenario() -> None:
        told, before = Told(), children()
        restarts = Restarts(place, told)
        waiting = asyncio.create_task(restarts.succeeded())
        with restarts.heard():
            signal.pthread_sigmask(
                signal.SIG_BLOCK, {signal.SIGTERM}
            )  # so the successor has it too, and is not to be ended so
            try:
                os.kill(os.getpid(), signal.SIGHUP)
                await asyncio.wait_for(told.said.wait(), 10)
            finally:
                signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})
            assert "was not ready after" in told.lines[-1]
            assert children() - before, "the loop goes round while it is still there"
            while children() - before:  # noqa: ASYNC110
                await asyncio.sleep(0.005)
        assert not waiting.done()
        waiting.cancel()

    monkeypatch.setattr(sys, "executable", shutil.which("sleep"))
    monkeypatch.setattr(sys, "orig_argv", ["", "60"])
    for name in ("READY_SECONDS", "GONE_SECONDS", "END_SECONDS"):
        monkeypatch.setattr(handing_over, name, 0.05)
    asyncio.run(scenario())


def children() -> set[str]:
    return set(Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children").read_text().split())


def files() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def test_a_socket_is_handed_to_a_successor_and_to_no_other_program(place: socket.socket) -> None:
    passed = os.dup(place.fileno())
    os.set_inheritable(passed, True)  # as whoever passes one leaves it
    with contextlib.closing(given(passed)) as again:
        assert not place.get_inheritable()
        assert not again.get_inheritable()
