"""Tasks that this worker is to call and does not have: what nobody has called yet, and whether there is anything else to do."""

from __future__ import annotations

from perdure.core.outstanding import in_flight
from perdure.core.readiness import has_ready
from perdure.core.state import TaskOp
from perdure.runtime.held import Held
from perdure.store.port import Uncalled


def never_called(held: Held) -> Uncalled:
    """What is under way, as the history tells it, and nobody has called for want of the task."""
    if held.recovering or not held.lacking:
        return held.uncalled
    return tuple((op.op, held.lacking[op.op].task) for op in in_flight(held.state) if _lacks(held, op))


def waits_for_tasks(held: Held) -> bool:
    """Whether there is nothing to do but to call tasks that this worker does not have."""
    state = held.state
    return (
        bool(held.lacking)
        and all(_lacks(held, op) for op in in_flight(state))
        and not any(not firing.failed for firing in state.chains.values())
        and not has_ready(held.program, state)
    )


def _lacks(held: Held, op: TaskOp) -> bool:
    command = held.lacking.get(op.op)
    return command is not None and command.attempt == op.attempt
