"""One file per kind of work. A handler answers with a move, or with None: it opened an operation and waits.

Handlers record the fact that opens their operation and emit the commands that belong to it. They never call each
other, never choose a route and never enter a step.
"""

from __future__ import annotations

from typing import assert_never

from perdure.core.draft import Draft
from perdure.core.moves import Move, invalid
from perdure.core.seat import Seat
from perdure.core.steps import approval, child, event, immediate, loop, task, timer
from perdure.errors import EvaluationError
from perdure.model import steps as m


def begin(draft: Draft, seat: Seat) -> Move | None:
    """Begin the work of a step, or of one item. A value that cannot be computed breaks the step."""
    work = seat.node.step.work
    try:
        match work:
            case m.Task():
                return task.begin(draft, seat, work)
            case m.Compute():
                return immediate.compute(draft, seat, work)
            case m.Condition():
                return immediate.condition(draft, seat, work)
            case m.SetVariables():
                return immediate.set_variables(draft, seat, work)
            case m.Publish():
                return immediate.publish(draft, seat, work)
            case m.Fail():
                return immediate.fail(draft, seat, work)
            case m.Loop():
                return loop.enter(draft, seat, work)
            case m.Timer():
                return timer.begin(draft, seat, work)
            case m.EventWait():
                return event.begin(draft, seat, work)
            case m.Approval():
                return approval.begin(draft, seat, work)
            case m.Child():
                return child.begin(draft, seat, work)
            case _:
                assert_never(work)
    except EvaluationError as error:
        step = seat.node.step
        return invalid(f"step {(step.part_of or step.id)!r}: {error}", code="EXPRESSION")
