"""Compensation: what was done is undone, last first. It goes on over failures and crashes until the plan is through.

It begins when no attempt is in flight any more, so that a late success is undone too. The plan is made once, then
carried out one step at a time; a step that fails to undo is recorded and the next one has its turn.
"""

from __future__ import annotations

from perdure.core import facts as f
from perdure.core.commands import PublishEvent
from perdure.core.draft import NOWHERE, Draft
from perdure.core.finishing import fail
from perdure.core.moves import invalid
from perdure.core.scope import outcome
from perdure.core.seat import Seat
from perdure.core.state import Undoing
from perdure.core.steps import task
from perdure.errors import EvaluationError
from perdure.expressions.faults import InternalExpressionError
from perdure.expressions.protocol import truthy
from perdure.ids import derived
from perdure.model.steps import Task
from perdure.model.values import Json
from perdure.model.workflow import Compensation


def proceed(draft: Draft) -> None:
    """Plan, undo the next step, or be done; nothing while something is open."""
    while (undoing := draft.state.undoing) is not None and not draft.state.ops:
        if undoing.phase == "settling":
            _plan(draft, undoing)
        elif undoing.phase == "running" and undoing.done < len(undoing.plan):
            _undo(draft, *undoing.plan[undoing.done])
        elif undoing.phase == "running":
            _finish(draft, undoing)
        else:
            return


def _plan(draft: Draft, undoing: Undoing) -> None:
    """The steps that have completed, the last first, each once, with its last output."""
    state = draft.state
    plan: list[tuple[int, int]] = []
    for step in sorted(state.completed, key=state.completed.__getitem__, reverse=True):
        found = draft.program.compensations.get(step)
        if found is not None and _applies(draft, step, found[1]):
            plan.append((found[0], step))
    draft.record(f.CompensationPlanned(draft.at, tuple(plan), undoing.unknown))


def _applies(draft: Draft, step: int, compensation: Compensation) -> bool:
    try:
        return _holds(draft, step, compensation)
    except InternalExpressionError:
        return True  # it is planned, so that `_undo` fails it: nobody knows whether the step has to be undone
    except EvaluationError as error:
        message = f"the condition of its compensation could not be computed and counts as false: {error}"
        draft.record(f.Warned(draft.at, step, message))
        return False


def _holds(draft: Draft, step: int, compensation: Compensation) -> bool:
    return compensation.when is None or truthy(draft.evaluate(compensation.when, undone=_undone(draft, step)))


def _bug_in_condition(draft: Draft, step: int) -> EvaluationError | None:
    """Return the internal error of the condition of a compensation, which decides nothing."""
    try:
        _holds(draft, step, draft.program.compensations[step][1])
    except EvaluationError as error:
        return error if isinstance(error, InternalExpressionError) else None
    return None


def _undo(draft: Draft, by: int, step: int) -> None:
    node = draft.program.nodes[by]
    work = node.step.work
    assert isinstance(work, Task)
    seat = Seat(node, NOWHERE)
    try:
        if (bug := _bug_in_condition(draft, step)) is not None:
            raise bug
        broken = task.begin(draft, seat, work, step, undone=_undone(draft, step))
    except EvaluationError as error:
        broken = invalid(f"step {node.step.id!r}: {error}", code="EXPRESSION")
    if broken is not None:
        fail(draft, seat, broken)


def _undone(draft: Draft, step: int) -> dict[str, Json]:
    """The step to undo, as expressions see it."""
    done = outcome(draft, step, draft.state.completed[step])
    return {"step": draft.program.name(step), **done}


def _finish(draft: Draft, undoing: Undoing) -> None:
    state, program = draft.state, draft.program
    draft.record(f.CompensationFinished(draft.at, undoing.failed))
    data = {
        "executionId": state.execution,
        "name": program.workflow.name,
        "status": "COMPLETED_WITH_ERRORS" if undoing.failed else "COMPLETED",
        "completed": [program.name(by) for at, (by, _) in enumerate(undoing.plan) if at not in undoing.failed],
        "failed": [program.name(undoing.plan[at][0]) for at in undoing.failed],
        "unknown": [program.name(step) for step in undoing.unknown],
    }
    event_id = derived(state.execution, "compensation")
    draft.command(PublishEvent(event_id, "workflow.compensation.completed", data, of_itself=True))
