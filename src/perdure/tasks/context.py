"""What a task is told about the call it is in, and what it can say."""

from __future__ import annotations

import logging
from collections.abc import Callable, Generator
from typing import Any

from msgspec import Struct, field

from perdure.clock import now_ms
from perdure.model.values import Json
from perdure.tasks.checkpoints import Checkpoints
from perdure.tasks.results import InvalidOutput, plain

LOGGER_NAME = "perdure.tasks"


class Published(Struct, frozen=True):
    """What a task says to whoever watches, while it runs. It is not kept."""

    execution_id: str
    step: str
    attempt: int
    data: Json
    channel: str | None = None


class Said:
    """There is nothing to wait for, but whoever is used to it may write `await publish(…)`."""

    def __await__(self) -> Generator[Any, None, None]:
        yield from ()


_SAID = Said()


def _unheard() -> None:
    """Nobody listens: outside of an engine there is no lease to keep."""


def _unseen(_: Published) -> None:
    """Nobody watches."""


class TaskContext(Struct, frozen=True):
    """Every attempt of one operation carries the same `idempotency_key`: hand it on to whom you call.

    `setup` is what the workflow has for the task beside its input, always the same.
    `now_ms` is the clock that decides what is due.
    `on_heartbeat` and `on_published` must be callable from any thread: tasks that are not async run in one of their own.
    """

    execution_id: str
    step: str
    attempt: int
    idempotency_key: str
    logger: logging.Logger | logging.LoggerAdapter[logging.Logger] = logging.getLogger(LOGGER_NAME)
    on_heartbeat: Callable[[], None] = _unheard
    on_published: Callable[[Published], None] = _unseen
    checkpoints: Checkpoints = field(default_factory=Checkpoints)
    setup: Json = None
    now_ms: Callable[[], int] = now_ms

    def heartbeat(self) -> None:
        """Say that the task is still at work. A task that was registered with `heartbeat_seconds` has to, at least so often.

        Raises `Abandoned` if nobody waits for it any more. That is how a function that runs in a thread learns of it; an
        async one is cancelled.
        """
        self.on_heartbeat()

    def run(self, name: str, function: Callable[..., Any], /, *arguments: Any, **named: Any) -> Any:
        """A part of the task that is done once, whatever becomes of attempts: see `Checkpoints.run`. To be awaited, if the
        task is async.
        """
        return self.checkpoints.run(name, function, *arguments, **named)

    def publish(self, data: Json, channel: str | None = None) -> Said:
        """Tell whoever watches. What cannot be told is left out, and the log says so: it is no reason to fail."""
        try:
            told = plain("what was published", data)
        except InvalidOutput:
            self.logger.warning("step %r could not publish %s, which is not JSON", self.step, type(data).__name__)
            return _SAID
        self.on_published(Published(self.execution_id, self.step, self.attempt, told, channel))
        return _SAID
