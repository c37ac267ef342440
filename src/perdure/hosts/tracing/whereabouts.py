"""To which trace an execution belongs: its own, that of whoever started it from outside, or that of the execution whose step it
is. What is not at hand is read from the history, whoever wrote it.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Awaitable, Callable
from typing import Any, Protocol

from msgspec import Struct

from perdure.core.facts import ExecutionStarted, Fact
from perdure.hosts.tracing.ids import Place, read, span_id, trace_id
from perdure.model.records import ExecutionRecord

KNOWN_MAX = 10_000
DEPTH_MAX = 20
"""So many executions above one are looked at."""


class Read(Protocol):
    """Asks the store."""

    def __call__(self, question: Callable[[Any], Any], /) -> Awaitable[Any]: ...


class Whereabouts(Struct, frozen=True):
    """Of an execution: its own span, the one above it, and one that it is linked to."""

    place: Place
    parent: Place | None = None
    link: Place | None = None
    organization: str = "default"
    workflow: str = ""


class Traces:
    """`is_sampled`: whether a trace is told, by its id and what is above it. Remembers those that were asked for last."""

    def __init__(self, read_: Read, is_sampled: Callable[[int, Place | None], bool]) -> None:
        self._read, self._is_sampled = read_, is_sampled
        self._known: OrderedDict[str, Whereabouts] = OrderedDict()

    def begun(self, record: ExecutionRecord, first: ExecutionStarted) -> None:
        """One that begins here. Most are known by this alone, and nothing has to be read when they call something."""
        above = read(_traceparent(first))
        if above is not None or record.parent is None:
            self._keep(record.id, self._placed(record.id, record, above))

    async def of(self, execution: str, depth: int = 0) -> Whereabouts:
        known = self._known.get(execution)
        if known is None:
            record, first = await self._read(lambda store: _looked_up(store, execution))
            known = await self._found(execution, record, first, depth)
            self._keep(execution, known)
        return known

    def _keep(self, execution: str, found: Whereabouts) -> None:
        self._known[execution] = found
        if len(self._known) > KNOWN_MAX:
            self._known.popitem(last=False)

    async def _found(
        self, execution: str, record: ExecutionRecord | None, first: Fact | None, depth: int
    ) -> Whereabouts:
        above = link = None
        if isinstance(first, ExecutionStarted):
            above = read(_traceparent(first))
        if above is None and record is not None and record.parent is not None and depth < DEPTH_MAX:
            whole = (await self.of(record.parent, depth + 1)).place
            span = span_id(record.parent, record.parent_op) if record.parent_op else whole.span
            beside = Place(whole.trace, span, whole.sampled)
            # what nobody waits for is a trace of its own: chains may go on for ever
            above, link = (beside, None) if record.parent_op else (None, beside)
        return self._placed(execution, record, above, link)

    def _placed(
        self, execution: str, record: ExecutionRecord | None, above: Place | None, link: Place | None = None
    ) -> Whereabouts:
        trace = trace_id(execution) if above is None else above.trace
        place = Place(trace, span_id(execution), self._is_sampled(trace, above))
        whose = ("default", "") if record is None else (record.organization, record.workflow)
        return Whereabouts(place, above, link, *whose)


def _looked_up(store: Any, execution: str) -> tuple[ExecutionRecord | None, Fact | None]:
    entries = store.history(execution, 0, 1)
    return store.record(execution), entries[0].fact if entries else None


def _traceparent(started: ExecutionStarted) -> str | None:
    """What came with the request that started it; else with the event that did."""
    if started.traceparent is not None or started.trigger != "event":
        return started.traceparent
    event = started.trigger_data if isinstance(started.trigger_data, dict) else {}
    metadata = event.get("metadata")
    found = metadata.get("traceparent") if isinstance(metadata, dict) else None
    return found if isinstance(found, str) else None
