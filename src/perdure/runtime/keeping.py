"""Who waits for a checkpoint to be durable: a part of a task that is done, and must not be done again.

A checkpoint is an event like any other, and becomes a fact; so whoever waits for it is told when the commit that holds the fact
is answered. If its attempt is no longer the current one, there will be no such fact, and whoever waits is told that.
"""

from __future__ import annotations

import asyncio
from typing import TypeAlias

from perdure.core.events import TaskCheckpointed
from perdure.core.facts import StepCheckpointed
from perdure.core.state import TaskOp
from perdure.errors import PerdureError
from perdure.runtime.held import Held
from perdure.store import port as p
from perdure.tasks.failing import Abandoned

_Part: TypeAlias = tuple[int, str, int]


class Keeping:
    """True while somebody waits."""

    def __init__(self) -> None:
        self._waiting: dict[str, dict[_Part, tuple[TaskCheckpointed, asyncio.Future[None]]]] = {}
        """By execution."""

    def __bool__(self) -> bool:
        return bool(self._waiting)

    def wait(self, held: Held | None, event: TaskCheckpointed) -> asyncio.Future[None]:
        """Raises `Abandoned` if it is known already that nothing will come of it."""
        if held is None or not _is_current(held, event):
            raise _abandoned()
        waiting: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(held.record.id, {})[event.op, event.name, event.n] = (event, waiting)
        return waiting

    def leave(self, execution: str, event: TaskCheckpointed) -> None:
        """Nobody waits for this one any more."""
        here = self._waiting.get(execution)
        if here is not None and here.pop((event.op, event.name, event.n), None) is not None and not here:
            del self._waiting[execution]

    def answered(self, item: p.Advance, outcome: p.Outcome, held: Held | None) -> None:
        """`held` is the execution after the commit."""
        here = self._waiting.get(item.execution)
        if here is None or isinstance(outcome, p.GuardFailed):  # what it held is decided again
            return
        if isinstance(outcome, p.Committed):
            for fact in item.facts:
                if type(fact) is StepCheckpointed:
                    _, kept = here.get((fact.op, fact.name, fact.n), (None, None))
                    if kept is not None and not kept.done():
                        kept.set_result(None)
        for event, waiting in here.values():
            if not waiting.done() and (held is None or not _is_current(held, event)):
                waiting.set_exception(_abandoned())

    def abandon(self, execution: str) -> None:
        """The execution is not held any more: no checkpoint of it will be durable."""
        for _, waiting in self._waiting.get(execution, {}).values():
            if not waiting.done():
                waiting.set_exception(_abandoned())

    def fail(self, error: PerdureError) -> None:
        for here in self._waiting.values():
            for _, waiting in here.values():
                if not waiting.done():
                    waiting.set_exception(error)
        self._waiting.clear()


def _is_current(held: Held, event: TaskCheckpointed) -> bool:
    op = held.state.ops.get(event.op)
    return isinstance(op, TaskOp) and op.attempt == event.attempt


def _abandoned() -> Abandoned:
    return Abandoned("nobody waits for this attempt any more")
