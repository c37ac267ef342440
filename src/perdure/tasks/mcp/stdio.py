"""A server that is a program: started here, spoken to by its stdin and stdout, and ended with all that it has started.

It is given an argument list and never a shell, a process group of its own, and nothing of our environment but where programs and
homes are: what the operator has put there for us is not for it. What it writes to stderr goes to the log. If this process is
killed, it finds the end of its stdin, and nobody is left to kill it if it goes on.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import signal
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any, Final

import anyio
import mcp_types as types
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.shared.message import SessionMessage

from perdure.tasks.mcp.connection import Stdio
from perdure.tasks.mcp.failing import McpUnavailable
from perdure.tasks.mcp.lines import Line, Lines, TooLong, id_of
from perdure.tasks.mcp.message_limits import excess_of, id_in
from perdure.tasks.redaction import hidden

INHERITED: Final = ("PATH", "HOME", "LANG")
TOO_LARGE, NO_MESSAGE = -39_001, -39_002
"""The codes of errors that stand for answers which were not let in, or could not be read."""

PIECE_BYTES: Final = 65_536
END_SECONDS: Final = 2.0
"""So long a program has to end by itself when its stdin is closed, and again when it is told to."""

LAST_SECONDS: Final = 0.5
"""So long is waited for what a program that has closed its stdout says at last."""

LOGGED_MAX: Final = 200
TOLD_LINES, TOLD_LENGTH = 5, 300
_log = logging.getLogger("perdure.mcp")


class StdioTransport:
    """`ended` is told when the program is gone, or speaks no more."""

    def __init__(self, connection: Stdio, about: str, bytes_max: int) -> None:
        self._connection, self._about, self._bytes_max = connection, about, bytes_max
        self._process: asyncio.subprocess.Process | None = None
        self._stderr: deque[str] = deque(maxlen=TOLD_LINES)
        self._rubbish = ""
        self._trouble = ""

    @asynccontextmanager
    async def open(self, ended: Callable[[], None]) -> AsyncIterator[tuple[Any, Any]]:
        process = self._process = await self._started()
        arrived, incoming = anyio.create_memory_object_stream[SessionMessage | Exception](0)
        outgoing, leaving = anyio.create_memory_object_stream[SessionMessage](0)
        complains = asyncio.create_task(self._listen(process))
        speaks = asyncio.create_task(self._read(process, arrived, complains, ended))
        is_told = asyncio.create_task(self._write(process, leaving, arrived))
        try:
            yield incoming, outgoing
        finally:
            try:
                await _stop(process)
            finally:
                _kill(process, signal.SIGKILL)
                for each in (speaks, is_told, complains):
                    each.cancel()
                await asyncio.gather(speaks, is_told, complains, return_exceptions=True)
                for stream in (arrived, incoming, outgoing, leaving):
                    stream.close()
                _let_go(process)

    def last_words(self) -> str:
        """What can be told of why it does not speak."""
        process = self._process
        code = None if process is None else process.returncode
        told = [self._trouble] if self._trouble else []
        if code is not None:
            told.append(f"it ended by {signal.Signals(-code).name}" if code < 0 else f"it exited with {code}")
        if self._rubbish:
            told.append(f"it wrote what is no message of the protocol to its stdout: {self._rubbish!r}")
        if self._stderr:
            told.append(f"its last lines on stderr: {' | '.join(self._stderr)}")
        return hidden("; ".join(told)) or "it said nothing"

    async def _started(self) -> asyncio.subprocess.Process:
        connection = self._connection
        inherited = {name: os.environ[name] for name in INHERITED if name in os.environ}
        try:
            return await asyncio.create_subprocess_exec(
                *connection.command,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                env=inherited | connection.env,
                cwd=connection.cwd,
                start_new_session=True,
            )
        except OSError as error:
            what = connection.command[0] if error.filename in (None, connection.command[0]) else error.filename
            raise McpUnavailable(f"{self._about} cannot be started: {what}: {error.strerror}") from error

    async def _read(
        self,
        process: asyncio.subprocess.Process,
        arrived: MemoryObjectSendStream[SessionMessage | Exception],
        complains: asyncio.Task[None],
        ended: Callable[[], None],
    ) -> None:
        assert process.stdout is not None
        lines = Lines(self._bytes_max)
        try:
            while piece := await process.stdout.read(PIECE_BYTES):
                for line in lines.feed(piece):
                    message = self._message(line)
                    if message is not None:
                        await arrived.send(message)
                if self._trouble:
                    return
            await _exited(process, LAST_SECONDS)
            await asyncio.wait([complains], timeout=LAST_SECONDS)
        except (anyio.BrokenResourceError, anyio.ClosedResourceError, OSError):
            return  # nobody listens any more
        finally:
            arrived.close()
            ended()

    def _message(self, line: Line) -> SessionMessage | None:
        if isinstance(line, TooLong):
            said = f"a message of more than {self._bytes_max:,} bytes"
            if line.id is None:
                self._trouble = f"it wrote {said}, the most that is let in"
                return None
            error = types.ErrorData(code=TOO_LARGE, message=said)
            return SessionMessage(types.JSONRPCError(jsonrpc="2.0", id=line.id, error=error))
        if not line.strip():
            return None
        excess = excess_of(line)
        if excess is not None:
            answered = id_in(line)
            if answered is None:
                self._trouble = f"it wrote a message with {excess}, the most that is let in"
                return None
            error = types.ErrorData(code=NO_MESSAGE, message=excess)
            return SessionMessage(types.JSONRPCError(jsonrpc="2.0", id=answered, error=error))
        try:
            return SessionMessage(types.jsonrpc_message_adapter.validate_json(line, by_name=False))
        except ValueError as error:
            answered = id_of(line)
            if answered is None:
                self._tell_rubbish(line)
                return None
            wrong = types.ErrorData(code=NO_MESSAGE, message=str(error).split("\n", 1)[0])
            return SessionMessage(types.JSONRPCError(jsonrpc="2.0", id=answered, error=wrong))

    def _tell_rubbish(self, line: bytes) -> None:
        """The first of it: what comes after is not told again and again."""
        if not self._rubbish:
            self._rubbish = line[:TOLD_LENGTH].decode(errors="replace")
            _log.warning(
                "%s writes what is no message of the protocol to its stdout, which is left out: %s",
                self._about,
                hidden(self._rubbish),
            )

    async def _write(
        self,
        process: asyncio.subprocess.Process,
        leaving: MemoryObjectReceiveStream[SessionMessage],
        arrived: MemoryObjectSendStream[SessionMessage | Exception],
    ) -> None:
        assert process.stdin is not None
        try:
            async for message in leaving:
                process.stdin.write(message.message.model_dump_json(by_alias=True, exclude_unset=True).encode() + b"\n")
                await process.stdin.drain()
        except (anyio.BrokenResourceError, anyio.ClosedResourceError, OSError):
            await _exited(process, LAST_SECONDS)
            arrived.close()  # whoever waits for an answer learns that there is none

    async def _listen(self, process: asyncio.subprocess.Process) -> None:
        assert process.stderr is not None
        lines, logged = Lines(TOLD_LENGTH * 10), 0
        while piece := await process.stderr.read(PIECE_BYTES):
            for line in lines.feed(piece):
                text = "(a long line)" if isinstance(line, TooLong) else line.decode(errors="replace").strip()
                if not text:
                    continue
                self._stderr.append(text[:TOLD_LENGTH])
                logged += 1
                if logged <= LOGGED_MAX:
                    _log.info("%s: %s", self._about, hidden(text[:TOLD_LENGTH]))
                elif logged == LOGGED_MAX + 1:
                    _log.info("%s writes on to stderr; no more of it is logged", self._about)


def _let_go(process: asyncio.subprocess.Process) -> None:
    """Of its pipes, which something that survived it may hold open. Nothing public has them."""
    with contextlib.suppress(AttributeError, ProcessLookupError, PermissionError):
        process._transport.close()  # type: ignore[attr-defined]  # noqa: SLF001


async def _stop(process: asyncio.subprocess.Process) -> None:
    """As the protocol has it: no more input, then it is told, then it is killed."""
    assert process.stdin is not None
    with contextlib.suppress(OSError):
        process.stdin.close()
    for number in (signal.SIGTERM, signal.SIGKILL):
        if await _exited(process, END_SECONDS):
            return
        _kill(process, number)
    await _exited(process, END_SECONDS)


async def _exited(process: asyncio.subprocess.Process, seconds: float) -> bool:
    """Not by `wait`, which waits for the ends of pipes as well: a child of it may hold them open."""
    until = asyncio.get_running_loop().time() + seconds
    while process.returncode is None:
        if asyncio.get_running_loop().time() >= until:
            return False
        await asyncio.sleep(0.005)
    return True


def _kill(process: asyncio.subprocess.Process, number: signal.Signals) -> None:
    """The whole group: what it has started goes with it."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, number)
