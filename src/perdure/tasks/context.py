"""What a task is told about the call it is in, and what it can say."""

from __future__ import annotations

import logging
from collections.abc import Callable

from msgspec import Struct

LOGGER_NAME = "perdure.tasks"


class Abandoned(Exception):
    """Nobody waits for this attempt any more: it was cancelled, its time is over, or its worker stops."""


def _unheard() -> None:
    """Nobody listens: outside of an engine there is no lease to keep."""


class TaskContext(Struct, frozen=True):
    """Every attempt of one operation carries the same `idempotency_key`: hand it on to whom you call.

    `on_heartbeat` must be callable from any thread: tasks that are not async run in one of their own.
    """

    execution_id: str
    step: str
    attempt: int
    idempotency_key: str
    logger: logging.Logger | logging.LoggerAdapter[logging.Logger] = logging.getLogger(LOGGER_NAME)
    on_heartbeat: Callable[[], None] = _unheard

    def heartbeat(self) -> None:
        """Say that the task is still at work. A task that was registered with `heartbeat_seconds` has to, at least so often.

        Raises `Abandoned` if nobody waits for it any more. That is how a function that runs in a thread learns of it; an
        async one is cancelled.
        """
        self.on_heartbeat()
