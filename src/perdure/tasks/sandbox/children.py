"""One child: a process that runs one transform at a time, seen from the engine. It is trusted with nothing: what it sends is
measured before it is kept, and more than was asked for is its end.
"""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Final, Protocol, cast

from perdure.settings import table
from perdure.tasks.sandbox import wire
from perdure.tasks.sandbox.failures import SandboxBroken

REQUIRE: Final = table.SANDBOX_REQUIRE.name
START_SECONDS: Final = 10.0
RETIRES_AFTER_SECONDS: Final = 60.0
"""Of work; then another takes its place. The kernel ends a child that has computed for twice as long."""

RESET_SECONDS_MAX: Final = 0.2
"""Maximum CPU time between an answer and READY. Freeing the context of a transform can take seconds if the code means it to."""

RESET_WAIT_SECONDS_MAX: Final = 2.0
"""The same in wall-clock time, for a machine that does not let the child compute."""

RESET_SLOW_SECONDS: Final = 0.02
"""After this time, another child is started for waiting calls instead of waiting for READY."""

_PROGRAM: Final = Path(__file__).with_name("child.py")


class Owner(Protocol):
    """Who is told of a child."""

    def ready(self, child: Child, missing: Sequence[str], /) -> None:
        """It waits for work, after its start or after a reset. `missing`: what it could not lock, after its start."""

    def answered(self, child: Child, kind: bytes, body: bytes, logged: bytes, /) -> None:
        """It has answered its call, and resets itself. It takes no other call before it is ready."""

    def slow_reset(self, child: Child, /) -> None:
        """Its reset takes longer than starting another child would."""

    def expired(self, child: Child, has_had_its_time: bool, /) -> None:
        """The time of its call is over; it has been killed. `has_had_its_time`: it has computed for so long."""

    def ended(self, child: Child, why: str, exit_code: int, /) -> None:
        """It is gone, whatever it was at. `why` is for people."""


class Child(asyncio.Protocol):
    """Made by `start`; `ended` is told once, also if it could not be started."""

    def __init__(self, owner: Owner, *, requires_all: bool = False) -> None:
        self._owner = owner
        self._requires_all = requires_all
        self._loop = asyncio.get_running_loop()
        self._transport: asyncio.Transport | None = None
        self._received = bytearray()
        self._limit: asyncio.TimerHandle | None = None
        self._asked_at = self._computes_until = self._waits_until = self._grace_seconds = 0.0
        self._said = ""
        self._has_process = self._is_over = False
        self.is_starting = True
        self.is_busy = self.is_resetting = self.has_slow_reset = False
        self.worked_seconds = 0.0

    async def start(self) -> None:
        """With nothing of this process but a socket: no environment, no files, no terminal."""
        self._limit = self._loop.call_later(START_SECONDS, self._too_slow)
        try:
            ours, theirs = socket.socketpair()
        except OSError as error:
            self._end(str(error))
            return
        try:
            with theirs:
                # In this very thread: the kernel ends the child when the thread ends that has started it.
                self._process = subprocess.Popen(  # noqa: ASYNC220, S603  it takes a millisecond
                    _command(),
                    stdin=theirs.fileno(),
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    env={name: os.environ[name] for name in ("LD_LIBRARY_PATH",) if name in os.environ},
                    cwd="/",
                    start_new_session=True,
                )
            self._has_process = True
            await self._loop.create_unix_connection(lambda: self, sock=ours)
        except (OSError, SandboxBroken) as error:
            ours.close()
            self._end(str(error))

    def ask(self, code: bytes, given: bytes, timeout_ms: int, grace_seconds: float, wait_seconds: float) -> None:
        """It may compute for `timeout_ms`, and then has `grace_seconds` to say so itself; if it is not let, it is waited for
        `wait_seconds` and no longer.
        """
        assert self._transport is not None
        self.is_busy = True
        self._asked_at, self._grace_seconds = self._loop.time(), grace_seconds
        self._computes_until = self._computed_seconds() + timeout_ms / 1_000
        self._waits_until = self._asked_at + wait_seconds
        self._look_in(timeout_ms / 1_000)
        self._transport.writelines((wire.REQUEST.pack(len(code), len(given), timeout_ms), code, given))

    def hurry(self, seconds: float) -> None:
        """Give the call `seconds` more: its caller has been cancelled."""
        if not self.is_busy:
            return
        self._waits_until = min(self._waits_until, self._loop.time() + seconds)
        self._look_in(0)

    @property
    def will_be_ready(self) -> bool:
        """It takes calls in a moment: no other child has to be started for them."""
        return self.is_starting or (self.is_resetting and not self.has_slow_reset)

    @property
    def is_ready(self) -> bool:
        """It waits for a call."""
        return not (self.is_starting or self.is_busy or self.is_resetting or self._said)

    def kill(self, why: str = "it was told to") -> None:
        self._said = self._said or why
        if self._transport is not None:
            self._process.kill()
            self._transport.abort()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)  # uvloop has transports of its own
        if self._is_over:
            self._transport.abort()

    def data_received(self, data: bytes) -> None:
        received = self._received
        received += data
        while len(received) >= wire.ANSWER.size and not self._said:
            kind, body_size, logged_size = wire.ANSWER.unpack_from(received)
            logged_at = wire.ANSWER.size + body_size
            whole = logged_at + logged_size
            if body_size > wire.TEXT_BYTES_MAX or logged_size > wire.LOGGED_BYTES_MAX:
                self.kill("it said more than it may")
            elif not (self.is_starting or self.is_busy or self.is_resetting):
                self.kill("it spoke without being asked")
            elif not self.is_busy and len(received) > whole:
                self.kill("it said more than it may")  # nothing follows READY before the next request
            elif len(received) < whole:
                return
            else:
                body, logged = bytes(received[wire.ANSWER.size : logged_at]), bytes(received[logged_at:whole])
                del received[:whole]
                self._message(kind, body, logged)

    def _message(self, kind: bytes, body: bytes, logged: bytes) -> None:
        assert self._limit is not None
        self._limit.cancel()
        if self.is_busy:
            self._reset_begins()
            self._owner.answered(self, kind, body, logged)
            return
        said = body.decode("utf-8", "replace")
        if kind != wire.READY:
            self.kill(said or "it spoke without being asked")
        elif said and self.is_resetting:
            self.kill("it said more than it may")
        elif said and self._requires_all:
            self.kill(
                f"it lacks a part of what shuts it in, and {REQUIRE} asks for all: {'; '.join(said.splitlines())}"
            )
        else:
            self._count_work()
            self.is_starting = self.is_resetting = self.has_slow_reset = False
            self._owner.ready(self, said.splitlines())

    def _reset_begins(self) -> None:
        """The reset has a time limit of its own: the next caller does not pay for it."""
        self._count_work()
        self.is_busy, self.is_resetting = False, True
        self._asked_at = self._loop.time()
        self._limit = self._loop.call_at(self._asked_at + RESET_SLOW_SECONDS, self._reset_is_slow)

    def _reset_is_slow(self) -> None:
        self.has_slow_reset = True
        left = max(0.0, RESET_SECONDS_MAX - RESET_SLOW_SECONDS)
        self._grace_seconds, self._computes_until = 0.0, self._computed_seconds() + left
        self._waits_until = self._asked_at + RESET_WAIT_SECONDS_MAX
        self._look_in(left)
        self._owner.slow_reset(self)

    def _count_work(self) -> None:
        if not self.is_starting:
            self.worked_seconds += self._loop.time() - self._asked_at

    def connection_lost(self, exc: Exception | None) -> None:
        del exc
        self._end("")

    def _end(self, why: str) -> None:
        """Once, whoever notices first."""
        if self._is_over:
            return
        self._is_over = True
        self._said = self._said or why
        if self._limit is not None:
            self._limit.cancel()
        if self._has_process:
            self._process.kill()
            self._burial = self._loop.create_task(self._buried())
        else:
            self._owner.ended(self, self._said, -1)

    async def _buried(self) -> None:
        """Not in a thread: those may all be taken by what others wait for."""
        pause = 0.000_5
        while (code := self._process.poll()) is None:
            await asyncio.sleep(pause)
            pause = min(2 * pause, 0.05)
        self._owner.ended(self, self._said or _in_words(code), code)

    def _look_in(self, seconds: float) -> None:
        if self._limit is not None:
            self._limit.cancel()
        at = self._loop.time() + seconds + self._grace_seconds
        self._limit = self._loop.call_at(min(at, self._waits_until), self._look)

    def _look(self) -> None:
        """By the clock it should be done; but others may have had the processor meanwhile, and that is no fault of the code."""
        left = self._computes_until - self._computed_seconds()
        if left > 0 and self._loop.time() < self._waits_until:
            self._look_in(left)
            return
        self.kill("it took too long to reset" if self.is_resetting else "its time was over")
        self._owner.expired(self, left <= 0)

    def _computed_seconds(self) -> float:
        """In its life. Where the kernel does not tell it of others, it counts as if nobody else were there."""
        try:
            return time.clock_gettime(_processor_clock(self._process.pid))
        except (OSError, AttributeError):
            return self._loop.time()

    def _too_slow(self) -> None:
        why = f"it was not ready within {START_SECONDS:g} seconds"
        self.kill(why)
        if self._transport is None:  # then nobody tells that it is gone
            self._end(why)


def _command() -> list[str]:
    """`-I -S`: nothing of the environment or of installed packages is asked what the interpreter should do."""
    found = find_spec("_quickjs")
    if found is None or found.origin is None:
        raise SandboxBroken("the package quickjs-ng is not installed")
    return [sys.executable, "-I", "-S", str(_PROGRAM), str(os.getpid()), str(Path(found.origin).parent)]


def _processor_clock(pid: int) -> int:
    """Of another process, as Linux numbers them: what `clock_getcpuclockid` answers, which Python has not for processes."""
    return ~pid << 3 | 2


def _in_words(code: int) -> str:
    if code >= 0:
        return f"it ended with exit code {code}"
    try:
        return f"it was ended by {signal.Signals(-code).name}"
    except ValueError:
        return f"it was ended by signal {-code}"
