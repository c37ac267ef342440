"""Children: other workflows, waited for or not."""

from __future__ import annotations

from msgspec.structs import replace

from perdure.core import facts as f
from perdure.core.commands import StartChild
from perdure.core.draft import Draft
from perdure.core.events import ChildEnded
from perdure.core.moves import Broken, Done, Move
from perdure.core.seat import Seat
from perdure.core.state import ChildOp
from perdure.core.steps.immediate import text
from perdure.expressions.protocol import UNDEFINED
from perdure.ids import derived
from perdure.model.failure import Failure, refusal
from perdure.model.steps import Child


def begin(draft: Draft, seat: Seat, work: Child) -> Move | None:
    state = draft.state
    workflow = text(draft.evaluate(work.workflow, seat), "the workflow to start")
    given = draft.evaluate(work.input, seat)
    limit = draft.program.workflow.depth_max
    if state.depth >= limit:
        reason = f"{workflow!r} was not started: the depth of {state.depth} has reached the limit of {limit}"
        if work.wait:
            return Broken(refusal(reason, code="DEPTH"))
        draft.record(f.ChainSkipped(draft.at, reason, step=seat.node.number))
        return Done(None)
    digest = draft.version_of(workflow)
    if not digest:
        return Broken(unknown_workflow(workflow))
    op = state.seq + 1
    child = derived(state.execution, "child", op)
    given = None if given is UNDEFINED else given
    draft.record(f.ChildStarted(draft.at, seat.node.number, child, workflow, digest, given, seat.scope, seat.item))
    draft.command(
        StartChild(
            op=op if work.wait else 0,
            child=child,
            workflow=workflow,
            digest=digest,
            input=given,
            depth=state.depth + 1,
            deadline_ms=work.deadline_ms,
            retries_max=work.retries_max,
            by=state.by,
        )
    )
    return None if work.wait else Done(child, op=op)


def unknown_workflow(name: str) -> Failure:
    message = f"there is no active workflow {name!r}; save it, or activate one of its versions"
    return refusal(message, code="UNKNOWN_WORKFLOW")


def ended(op: ChildOp, event: ChildEnded) -> Move:
    """Complete the step with the child's output, or fail it with the child's failure, which is passed up unchanged."""
    error = event.error
    if error is None:
        return Done(event.output, op=op.op)
    origin = op.child if error.origin is None else error.origin
    return Broken(replace(error, retriable=False, origin=origin), op=op.op)
