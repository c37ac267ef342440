"""Bounded queue of log lines, and a thread that writes them to stderr. If stderr is a pipe that is not read, lines are dropped
and counted: the event loop never waits for it.
"""

from __future__ import annotations

import logging
import os
import select
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final, TextIO

BYTES_MAX: Final = 4_000_000
"""Maximum size of all lines that wait."""

CHUNK_BYTES: Final = 65_536
CLOSE_SECONDS: Final = 2.0
"""Timeout for writing what waits when the process ends."""

_DROPPED: Final = "%d log lines were dropped, because %s was not read fast enough or could not be written"


class _Count:
    """A counter for all threads."""

    def __init__(self) -> None:
        self.count = 0
        self._lock = threading.Lock()

    def add(self, count: int) -> None:
        with self._lock:
            self.count += count


_all_dropped: Final = _Count()
"""Lines that this process has dropped, of all queues."""


class LogQueue:
    """`put` takes complete lines, from any thread, and does not wait. `describe_dropped` formats the line that tells how many
    were dropped, once there is room again.
    """

    def __init__(self, stream: TextIO, name: str = "stderr") -> None:
        self._write, self._name = _writer_to(stream), name
        self.describe_dropped: Callable[[int, str], str] = lambda count, name: _DROPPED % (count, name) + "\n"
        self._lines: deque[bytes] = deque()
        self._size = self._unreported = 0
        self.dropped = 0
        """Number of lines that were dropped so far."""
        self._changed = threading.Condition()
        self._is_closing = self._has_failed = False
        self._thread = threading.Thread(target=self._run, name="perdure-log", daemon=True)
        self._thread.start()

    def put(self, line: str) -> None:
        data = line.encode(errors="backslashreplace")
        with self._changed:
            if self._size + len(data) > BYTES_MAX:
                self._count_dropped(1)
                return
            self._lines.append(data)
            self._size += len(data)
            self._changed.notify()

    def close(self, timeout_seconds: float = CLOSE_SECONDS) -> None:
        """Write what waits. What cannot be written in time is lost."""
        with self._changed:
            self._is_closing = True
            self._changed.notify()
        self._thread.join(timeout_seconds)

    def _run(self) -> None:
        while (batch := self._next()) is not None:
            lines, unreported = batch
            report = (
                self.describe_dropped(unreported, self._name).encode(errors="backslashreplace") if unreported else b""
            )
            try:
                self._write(b"".join(lines) + report)
                self._has_failed = False
            except (OSError, ValueError):  # its reader is gone, the disk is full, or it is closed
                with self._changed:
                    self._has_failed = True
                    self._count_dropped(len(lines))
                    self._unreported += unreported

    def _next(self) -> tuple[list[bytes], int] | None:
        """Wait for lines. Return them, and the number of dropped ones to report after them; None at the end."""
        with self._changed:
            while not (self._lines or self._is_closing or self._can_report):
                self._changed.wait()
            if not self._lines and not self._can_report:
                return None
            lines: list[bytes] = []
            size = 0
            while self._lines and size < CHUNK_BYTES:
                lines.append(self._lines.popleft())
                size += len(lines[-1])
            self._size -= size
            unreported = 0
            if not self._lines:  # the report stands where the dropped ones would
                unreported, self._unreported = self._unreported, 0
            return lines, unreported

    @property
    def _can_report(self) -> bool:
        """After a write has failed, the next line is waited for."""
        return self._unreported > 0 and not self._has_failed

    def _count_dropped(self, count: int) -> None:
        self.dropped += count
        self._unreported += count
        _all_dropped.add(count)


def _writer_to(stream: TextIO) -> Callable[[bytes], None]:
    """Return a function that writes to the file of a stream, without the lock of the stream: a thread that holds it while the
    interpreter ends would abort the process.
    """
    try:
        number = stream.fileno()
    except (OSError, ValueError, AttributeError):

        def write_text(data: bytes) -> None:
            stream.write(data.decode())
            stream.flush()

        return write_text

    def write(data: bytes) -> None:
        while data:
            try:
                data = data[os.write(number, data) :]
            except BlockingIOError:  # a process that shares the pipe has made it non-blocking
                writable = select.poll()
                writable.register(number, select.POLLOUT)
                writable.poll()

    return write


class QueuedHandler(logging.Handler):
    """Formats in the thread that logs, which knows what the record is about, and writes in another one. `formatted_by`: the
    handler that formats, if it is another one.
    """

    def __init__(self, queue: LogQueue, formatted_by: logging.Handler | None = None) -> None:
        super().__init__()
        self._queue, self._formatted_by = queue, formatted_by or self

    def emit(self, record: logging.LogRecord) -> None:
        try:
            line = self._formatted_by.format(record)
        except Exception as error:  # noqa: BLE001  wrong arguments; what the standard library would do blocks on stderr
            line = (
                f"log record that cannot be formatted ({type(error).__name__}): {record.name} "
                f"{record.pathname}:{record.lineno} {record.msg!r}"
            )
        self._queue.put(line + "\n")

    def format_dropped(self, count: int, name: str) -> str:
        record = logging.LogRecord("perdure.logs", logging.WARNING, __file__, 0, _DROPPED, (count, name), None)
        return self.format(record) + "\n"


@contextmanager
def queued_streams(queue: LogQueue) -> Iterator[None]:
    """While this lasts, have handlers that write to stderr or stdout, as `logging.basicConfig` makes them, write by a queue.
    Levels, filters and formatters stay theirs. Files, and handlers that write in a way of their own, are left as they are.
    """
    changed: list[logging.Handler] = []
    stdout_queue: LogQueue | None = None
    for handler in _all_handlers():
        stream = getattr(handler, "stream", None)
        if type(handler).emit is not logging.StreamHandler.emit or stream is None:
            continue
        if stream in (sys.stdout, sys.__stdout__):
            own = stdout_queue = stdout_queue or LogQueue(stream, "stdout")
        elif stream in (sys.stderr, sys.__stderr__):
            own = queue
        else:
            continue
        handler.emit = QueuedHandler(own, handler).emit  # type: ignore[method-assign]
        changed.append(handler)
    try:
        yield
    finally:
        for handler in changed:
            del handler.emit  # that of its class again
        if stdout_queue is not None:
            stdout_queue.close()


def _all_handlers() -> list[logging.Handler]:
    loggers = [logging.root, *logging.root.manager.loggerDict.values()]
    found = [handler for logger in loggers if isinstance(logger, logging.Logger) for handler in logger.handlers]
    return list(dict.fromkeys(found))


_current: LogQueue | None = None


@contextmanager
def log_queue() -> Iterator[LogQueue]:
    """The queue to stderr, while this lasts. One within another is the same."""
    global _current  # noqa: PLW0603  there is one stderr
    if _current is not None:
        yield _current
        return
    queue = _current = LogQueue(sys.stderr)
    try:
        yield queue
    finally:
        _current = None
        queue.close()


def write_line(text: str) -> None:
    """Write a line to stderr, by the queue if there is one."""
    if _current is None:
        sys.stderr.write(text + "\n")
        sys.stderr.flush()
    else:
        _current.put(text + "\n")


def dropped_lines() -> int:
    """Return how many lines this process has dropped, of stderr and stdout."""
    return _all_dropped.count
