"""Where an event goes: to the executions that may wait for it, and to the workflows that it starts."""

from __future__ import annotations

from collections.abc import Mapping

from perdure.core.program import Program
from perdure.core.triggers import Declined, meant_by, started_by
from perdure.ids import derived
from perdure.runtime.inputs import unfit
from perdure.runtime.writes import pending
from perdure.store.port import Candidates, Pending, Route


def route(candidates: Candidates, programs: Mapping[str, Program], now: int) -> Route:
    """The commit that routes one event. The core of each target judges whether it really fits."""
    event = candidates.event
    starts: list[Pending] = []
    declined: list[tuple[str, str]] = []
    meant: list[tuple[int, str, str]] = []
    begun: set[str] = set()
    for digest, number, workflow in sorted(candidates.workflows, key=lambda each: each[1]):
        program = programs[digest]
        if event.told_by == workflow:  # a workflow is never started by what its own executions tell of themselves
            continue
        if workflow in begun:  # one event starts it once, by the first trigger that fits
            continue
        # The id follows from both, so that it starts once.
        execution = derived(event.organization, event.id, workflow)
        match started_by(program, number, event, execution=execution, at=max(now, event.at)):
            case Declined(reason=reason):
                declined.append((workflow, reason))
            case None:
                pass
            case start:
                means = meant_by(program, number, event, at=start.at)
                # Of one that only the store knows to be meant, it is seen when it begins, and it fails.
                is_meant = means is None or means[0] == workflow
                misfit = unfit(program, start.input) if is_meant else None
                if misfit is not None:
                    declined.append((workflow, misfit.message))
                    continue
                if means is None:
                    begun.add(workflow)
                else:  # the store knows; if it was not meant, the next trigger that fits may start it
                    meant.append((len(starts), means[0], means[1] or workflow))
                starts.append(pending(start, workflow, program.digest))
    far = (candidates.after, candidates.reached)
    return Route(event, now, candidates.executions, tuple(starts), tuple(declined), tuple(meant), *far)
