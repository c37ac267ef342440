"""Where an event goes: to the executions that may wait for it, and to the workflows that it starts."""

from __future__ import annotations

from collections.abc import Mapping

from perdure.core.program import Program
from perdure.core.triggers import Declined, meant_by, started_by
from perdure.ids import derived
from perdure.model.records import EventRecord
from perdure.runtime.faults import error_text
from perdure.runtime.inputs import unfit
from perdure.runtime.writes import pending
from perdure.store.port import Candidates, Pending, Route

Fault = tuple[str, Exception]
"""(workflow, exception)"""


def route(candidates: Candidates, programs: Mapping[str, Program], now: int) -> tuple[Route, list[Fault]]:
    """The commit that routes one event. The core of each target judges whether it really fits. A trigger that raises an exception
    declines the event for its workflow alone; the exceptions are returned, too.
    """
    event = candidates.event
    started = _Started()
    faults: list[Fault] = []
    for digest, number, workflow in sorted(candidates.workflows, key=lambda each: each[1]):
        if event.told_by == workflow:  # a workflow is never started by what its own executions tell of themselves
            continue
        if workflow in started.begun:  # one event starts it once, by the first trigger that fits
            continue
        try:
            _start(started, programs[digest], number, workflow, event, now)
        except Exception as error:  # noqa: BLE001  one workflow must not keep the event from the others
            faults.append((workflow, error))
            started.declined.append((workflow, f"internal error ({error_text(error)})"))
    far = (candidates.after, candidates.reached)
    starts = (tuple(started.starts), tuple(started.declined), tuple(started.meant))
    return Route(event, now, candidates.executions, *starts, *far), faults


class _Started:
    """What an event starts, and what it does not."""

    def __init__(self) -> None:
        self.starts: list[Pending] = []
        self.declined: list[tuple[str, str]] = []
        self.meant: list[tuple[int, str, str]] = []
        self.begun: set[str] = set()


def _start(started: _Started, program: Program, number: int, workflow: str, event: EventRecord, now: int) -> None:
    # The id follows from both, so that it starts once.
    execution = derived(event.organization, event.id, workflow)
    match started_by(program, number, event, execution=execution, at=max(now, event.at)):
        case Declined(reason=reason):
            started.declined.append((workflow, reason))
        case None:
            pass
        case start:
            means = meant_by(program, number, event, at=start.at)
            # Of one that only the store knows to be meant, it is seen when it begins, and it fails.
            is_meant = means is None or means[0] == workflow
            misfit = unfit(program, start.input) if is_meant else None
            if misfit is not None:
                started.declined.append((workflow, misfit.message))
                return
            if means is None:
                started.begun.add(workflow)
            else:  # the store knows; if it was not meant, the next trigger that fits may start it
                started.meant.append((len(started.starts), means[0], means[1] or workflow))
            started.starts.append(pending(start, workflow, program.digest))
