"""Where an event goes: to the executions that may wait for it, and to the workflows that it starts."""

from __future__ import annotations

from collections.abc import Mapping

from perdure.core.program import Program
from perdure.core.triggers import started_by
from perdure.ids import derived
from perdure.model.records import EventRecord
from perdure.runtime.writes import pending
from perdure.store.port import Candidates, Pending, Route


def route(candidates: Candidates, programs: Mapping[str, Program], now: int) -> Route:
    """The commit that routes one event. The core of each target judges whether it really fits."""
    event = candidates.event
    starts = [
        start
        for digest, number in candidates.workflows
        if (start := _start(programs[digest], number, event, now)) is not None
    ]
    return Route(event, now, candidates.executions, tuple(starts))


def _start(program: Program, number: int, event: EventRecord, now: int) -> Pending | None:
    """An execution that the event starts; its id follows from both, so that it starts once."""
    name = program.workflow.name
    if _is_own(event, name):
        return None
    execution = derived(event.organization, event.id, name, number)
    start = started_by(program, number, event, execution=execution, at=max(now, event.at))
    return None if start is None else pending(start, name, program.digest)


def _is_own(event: EventRecord, name: str) -> bool:
    """A workflow is never started by what its own executions tell of themselves."""
    return event.type.startswith("workflow.") and isinstance(event.data, dict) and event.data.get("name") == name
