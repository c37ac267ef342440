"""Rate limit for log lines that anyone who reaches the server can cause: malformed requests, failed sign-ins, wrong signatures.

Of each kind of line, the first ones of a minute are written, and at its end one line tells how many others there were. A kind is
a logger and a message without its arguments; of other libraries, the place in the code.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Final
from weakref import WeakKeyDictionary

LINES_PER_PERIOD: Final = 10
PERIOD_SECONDS: Final = 60.0
LIMITED: Final = ("perdure.api", "uvicorn", "mcp", "starlette", "asyncio")
"""Loggers whose lines are limited, with those below them."""

UNLIMITED: Final = frozenset({"request"})
"""Messages that are not limited: the access log, which has a level of its own."""


def _is_limited(name: str) -> bool:
    return any(name == each or name.startswith(f"{each}.") for each in LIMITED)


def _kind_of(record: logging.LogRecord) -> tuple[str, str]:
    """Our messages are constants. Other libraries build theirs, so that the place in the code says which line it is."""
    return record.name, str(record.msg) if record.name.startswith("perdure.") else f"{record.pathname}:{record.lineno}"


def _text_of(record: logging.LogRecord) -> str:
    try:
        return record.getMessage()
    except Exception:  # noqa: BLE001  the arguments do not fit, or cannot be shown
        return repr(record.msg)


class _Kind:
    def __init__(self, began: float) -> None:
        self.began, self.count = began, 0
        self.last: logging.LogRecord | None = None


class LogLimit(logging.Filter):
    """Filter of handlers that drops and counts records beyond the limit. `seconds` is a clock that only goes forward."""

    def __init__(self, period_seconds: float = PERIOD_SECONDS, seconds: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._period, self._seconds = period_seconds, seconds
        self._kinds: dict[tuple[str, str], _Kind] = {}
        self._decided: WeakKeyDictionary[logging.LogRecord, bool] = WeakKeyDictionary()
        """Whether a record is written: each handler that gets it does the same."""
        self._lock = threading.RLock()  # a finalizer may log while the lock is held
        self._timer: threading.Timer | None = None

    def filter(self, record: logging.LogRecord) -> bool:
        if not _is_limited(record.name) or (isinstance(record.msg, str) and record.msg in UNLIMITED):
            return True
        with self._lock:
            decided = self._decided.get(record)
            if decided is None:
                decided = self._decided[record] = self._decide(record)
        return decided

    def _decide(self, record: logging.LogRecord) -> bool:
        key, now = _kind_of(record), self._seconds()
        kind = self._kinds.get(key)
        if kind is None or (kind.last is None and now - kind.began >= self._period):
            kind = self._kinds[key] = _Kind(now)
        kind.count += 1
        if kind.count <= LINES_PER_PERIOD:
            return True
        kind.last = record
        if self._timer is None:
            self._timer = threading.Timer(self._period, self.summarize)
            self._timer.daemon = True
            self._timer.start()
        return False

    def summarize(self) -> None:
        """Tell what was dropped."""
        with self._lock:
            dropped = [kind for kind in self._kinds.values() if kind.last is not None]
            self._kinds.clear()
            timer, self._timer = self._timer, None
        if timer is not None:
            timer.cancel()
        for kind in dropped:
            last = kind.last
            assert last is not None
            logger, count = logging.getLogger(last.name), kind.count - LINES_PER_PERIOD
            summary = logger.makeRecord(
                last.name,
                last.levelno,
                __file__,
                0,
                "%d more like this within a minute, the last one: %s",
                (count, _text_of(last)),
                None,
            )
            with self._lock:
                self._decided[summary] = True
            logger.handle(summary)


@contextmanager
def limited_logs(handlers: Iterable[logging.Handler]) -> Iterator[None]:
    """Limit what these handlers write, while this lasts."""
    limit, limited = LogLimit(), tuple(handlers)
    for handler in limited:
        handler.addFilter(limit)
    try:
        yield
    finally:
        limit.summarize()
        for handler in limited:
            handler.removeFilter(limit)
