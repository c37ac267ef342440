"""What becomes durable here, told as spans of steps and executions; and attempts that were lost with a worker, of which nobody
else can tell.

It follows behind: whoever commits does not wait for it. An operation is known by the number of the fact that opened it, so that
one which was opened elsewhere, or long ago, is looked up by that.
"""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Callable
from typing import Any, Final

from msgspec import Struct

from perdure.core import facts as f
from perdure.errors import PerdureError
from perdure.hosts.tracing.ids import Place, span_id
from perdure.hosts.tracing.spans import (
    ATTEMPT,
    ATTEMPT_SPAN,
    EXECUTION,
    MS_NS,
    OPERATION,
    STATUS,
    STEP,
    Attribute,
    Emit,
    Span,
    error_type,
)
from perdure.hosts.tracing.whereabouts import Read, Traces, Whereabouts
from perdure.store.port import Advance

BEHIND_MAX: Final = 20_000
"""So many commits may wait to be told. What comes when there are more is left out."""

OPEN_MAX: Final = 50_000
"""So many operations are remembered; others are looked up."""

FINISH_SECONDS: Final = 5.0

_log: Final = logging.getLogger("perdure.tracing")
_OPENS: Final = (
    *(f.StepScheduled, f.TimerOpened, f.WaitOpened, f.ApprovalOpened, f.ChildStarted, f.ForEachOpened, f.LoopOpened),
)
_ENDS: Final = (f.StepCompleted, f.StepFailed, f.ItemCompleted, f.ItemFailed)
_OVER: Final = (f.ExecutionCompleted, f.ExecutionFailed, f.ExecutionCancelled)
_TOLD: Final = frozenset((*_OPENS, *_ENDS, *_OVER, f.StepLost))
_STATUS: Final[dict[type, str]] = {
    f.ExecutionCompleted: "completed",
    f.ExecutionFailed: "failed",
    f.ExecutionCancelled: "cancelled",
}


class Opened(Struct, frozen=True, gc=False):
    """An operation, by the fact that opened it. `scope`: the one that it is an item of, or 0."""

    step: int
    at: int
    scope: int = 0


class Following:
    """`name_of`: what a step is called, by the digest of its workflow and its number. `made_here`: whether an attempt was made
    in this process, which then tells of it.
    """

    def __init__(
        self,
        traces: Traces,
        emit: Emit,
        read: Read,
        name_of: Callable[[str, int], tuple[str, str]],
        made_here: Callable[[str, int, int], bool],
    ) -> None:
        self._traces, self._emit, self._read, self._name_of, self._made_here = traces, emit, read, name_of, made_here
        self._opened: OrderedDict[tuple[str, int], Opened] = OrderedDict()
        self._items: asyncio.Queue[Advance] = asyncio.Queue(BEHIND_MAX)
        self._leaves_out = False
        self._going = asyncio.create_task(self._go())

    def committed(self, item: Advance) -> None:
        """In the turn that hears of it: nothing is done here that takes time."""
        facts = item.facts
        if facts and item.after == 0 and isinstance(facts[0], f.ExecutionStarted):
            self._traces.begun(item.record, facts[0])
        if not any(type(fact) in _TOLD for fact in facts):
            return
        try:
            self._items.put_nowait(item)
        except asyncio.QueueFull:
            if not self._leaves_out:
                _log.warning("more happens than can be traced; spans are left out")
            self._leaves_out = True

    async def finish(self) -> None:
        """What is durable is told, if that does not take long."""
        try:
            async with asyncio.timeout(FINISH_SECONDS):
                await self._items.join()
        except TimeoutError:
            _log.warning("%d commits have not been traced", self._items.qsize())
        self._going.cancel()
        await asyncio.gather(self._going, return_exceptions=True)

    async def _go(self) -> None:
        while True:
            item = await self._items.get()
            try:
                await self._tell(item)
            except PerdureError as error:  # the database is away, and a trace has a gap
                _log.warning("execution %s could not be traced: %s", item.execution, error)
            except Exception:  # noqa: BLE001  what is wrong with one must not keep all others from being told
                _log.exception("execution %s could not be traced", item.execution)
            finally:
                self._items.task_done()

    async def _tell(self, item: Advance) -> None:
        where = await self._traces.of(item.execution)
        for number, fact in enumerate(item.facts, item.after + 1):
            if isinstance(fact, _OPENS):
                self._remember(item.execution, number, _opened(fact))
            elif isinstance(fact, _ENDS):
                await self._step(item, where, number, fact)
            elif isinstance(fact, f.StepLost):
                await self._lost(item, where, fact)
            elif isinstance(fact, _OVER):
                self._execution(item, where, fact)

    async def _step(self, item: Advance, where: Whereabouts, number: int, fact: Any) -> None:
        """Done on the spot, it has the number of the fact that says so, and no duration."""
        op = fact.op or (0 if isinstance(fact, f.ItemCompleted | f.ItemFailed) else fact.scope)
        opened = Opened(fact.step, fact.at)
        if op:
            opened = await self._of(item.execution, op, opened)
        scope = opened.scope if op else getattr(fact, "scope", 0)
        self._opened.pop((item.execution, op), None)
        _, name = self._name_of(item.record.digest, fact.step)
        error = getattr(fact, "error", None)
        attributes: dict[str, Attribute] = {
            **_about(item, where),
            STEP: name,
            OPERATION: op or number,
            STATUS: "failed" if error else "completed",
        }
        if isinstance(fact, f.ItemCompleted | f.ItemFailed):
            attributes["perdure.item"] = fact.item
        self._emit(
            Span(
                f"step {name}",
                _place(where, item.execution, op or number),
                _place(where, item.execution, scope) if scope else where.place,
                opened.at * MS_NS,
                fact.at * MS_NS,
                attributes,
                None if error is None else error_type(error),
            )
        )

    async def _lost(self, item: Advance, where: Whereabouts, fact: f.StepLost) -> None:
        """Of an attempt that nobody here made: it was its worker's, which is gone."""
        if self._made_here(item.execution, fact.op, fact.attempt):
            return
        opened = await self._of(item.execution, fact.op, Opened(0, fact.at))
        _, name = self._name_of(item.record.digest, opened.step)
        told: dict[str, Attribute] = {
            STEP: name,
            OPERATION: fact.op,
            ATTEMPT: fact.attempt,
            STATUS: "lost",
        }
        self._emit(
            Span(
                f"{ATTEMPT_SPAN} {name}",
                _place(where, item.execution, fact.op, fact.attempt),
                _place(where, item.execution, fact.op),
                (opened.at if fact.attempt == 1 else fact.at) * MS_NS,
                fact.at * MS_NS,
                {**_about(item, where), **told},
                "lost",
            )
        )

    def _execution(self, item: Advance, where: Whereabouts, fact: Any) -> None:
        name, _ = self._name_of(item.record.digest, -1)
        error = error_type(fact.error) if isinstance(fact, f.ExecutionFailed) else None
        told = {STATUS: _STATUS[type(fact)], "perdure.trigger": item.record.trigger}
        self._emit(
            Span(
                f"execution {name}",
                where.place,
                where.parent,
                item.record.started_at * MS_NS,
                fact.at * MS_NS,
                {**_about(item, where), "perdure.workflow.name": name, **told},
                error,
                link=where.link,
            )
        )

    async def _of(self, execution: str, op: int, otherwise: Opened) -> Opened:
        """`otherwise`: what is known of it, should that be all."""
        known = self._opened.get((execution, op))
        if known is None:
            found = await self._read(lambda store: store.history(execution, op - 1, 1))
            known = _opened(found[0].fact) if found and isinstance(found[0].fact, _OPENS) else otherwise
            self._remember(execution, op, known)
        return known

    def _remember(self, execution: str, op: int, opened: Opened) -> None:
        self._opened[execution, op] = opened
        if len(self._opened) > OPEN_MAX:
            self._opened.popitem(last=False)


def _opened(fact: Any) -> Opened:
    return Opened(fact.step, fact.at, getattr(fact, "scope", 0))


def _place(where: Whereabouts, execution: str, *parts: int) -> Place:
    return Place(where.place.trace, span_id(execution, *parts), where.place.sampled)


def _about(item: Advance, where: Whereabouts) -> dict[str, Attribute]:
    return {
        EXECUTION: item.execution,
        "perdure.workflow.id": item.record.workflow,
        "perdure.organization": where.organization,
    }
