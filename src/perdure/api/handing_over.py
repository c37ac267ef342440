"""A server that is followed by another one, on the same socket, without anybody who connects being refused.

SIGHUP asks for it. The successor is the same command, started anew: with new code, if it was upgraded, and with new settings
that are in files. It is given the socket, which goes on listening whoever has it, and a pipe, by which it says that it takes
requests. Only then does this one take no more, answer what was asked of it, and end. A successor that cannot be started, ends
before it is ready, or takes too long, changes nothing: this one goes on, and says so. It answers also while it waits for that.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Final

from msgspec import Struct

from perdure.settings.environment import environment, take
from perdure.settings.table import HANDED_OVER

READY_SECONDS: Final = 60.0
"""Within this time a successor has to take requests: it may have to bring the database up to date first."""

GONE_SECONDS: Final = 1.0
"""It may have said nothing more because it is about to end, which takes a moment."""

END_SECONDS: Final = 10.0


class Inheritance(Struct, frozen=True):
    """What a successor was given, by the numbers of the files: the socket, and where to say that it is ready."""

    place: int
    pipe: int

    def say_ready(self) -> None:
        with contextlib.suppress(OSError):  # whoever asked has ended meanwhile: there is nobody to wait for
            os.write(self.pipe, b".")
        os.close(self.pipe)


def inherited() -> Inheritance | None:
    """None: nobody was here before."""
    given = take(HANDED_OVER)
    return None if given is None else Inheritance(*given)


class Restarts:
    """What SIGHUP asks for. `tell` is called with what becomes of it, in words, and `followed_by` with the id of the process that
    has taken over, which `pid` is from then on.
    """

    def __init__(
        self, place: socket.socket, tell: Callable[[str], object], followed_by: Callable[[int], object] = lambda _: None
    ) -> None:
        self._place, self._tell, self._followed_by = place, tell, followed_by
        self._asked = asyncio.Event()
        self.pid: int | None = None

    @contextlib.contextmanager
    def heard(self) -> Iterator[None]:
        loop = asyncio.get_running_loop()
        loop.add_signal_handler(signal.SIGHUP, self._asked.set)
        try:
            yield
        finally:
            loop.remove_signal_handler(signal.SIGHUP)
            signal.signal(signal.SIGHUP, signal.SIG_IGN)  # who asks again while it ends has got what they want

    async def succeeded(self) -> None:
        """Until there is a successor that takes requests."""
        while self.pid is None:
            await self._asked.wait()
            self._asked.clear()
            self._tell("asked to restart: a successor is started")
            try:
                reading, process = _started(self._place)
            except OSError as error:  # there is no such program any more, or no memory
                self._tell(f"no successor could be started: {error.strerror}; this one goes on as before")
                continue
            try:
                if await _is_ready(reading):
                    self.pid = process.pid
                    self._followed_by(process.pid)
                    self._tell(f"process {process.pid} has taken over; this one answers what has begun, and ends")
                else:
                    self._tell(f"the successor {await asyncio.to_thread(_how, process)}; this one goes on as before")
            finally:
                os.close(reading)
                if self.pid is None:
                    await asyncio.to_thread(_end, process)


def _started(place: socket.socket) -> tuple[int, subprocess.Popen[bytes]]:
    reading, writing = os.pipe()
    fds = (place.fileno(), writing)
    try:
        command = [sys.executable, *sys.orig_argv[1:]]
        given = {**environment(), HANDED_OVER.name: ",".join(map(str, fds))}
        return reading, subprocess.Popen(command, env=given, pass_fds=fds)  # noqa: S603  what this process itself is
    except OSError:
        os.close(reading)
        raise
    finally:
        os.close(writing)


async def _is_ready(reading: int) -> bool:
    """Whether it says so; it says nothing more when it has ended, or when its time is over."""
    loop, readable = asyncio.get_running_loop(), asyncio.Event()
    loop.add_reader(reading, readable.set)
    try:
        async with asyncio.timeout(READY_SECONDS):
            await readable.wait()
        return os.read(reading, 1) == b"."
    except TimeoutError:
        return False
    finally:
        loop.remove_reader(reading)


def _how(process: subprocess.Popen[bytes]) -> str:
    try:
        status = process.wait(GONE_SECONDS)
    except subprocess.TimeoutExpired:
        return f"was not ready after {READY_SECONDS:.0f} seconds, and is ended"
    return f"has ended with status {status} before it was ready, and has said why"


def _end(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(END_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
