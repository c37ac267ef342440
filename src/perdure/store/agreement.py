"""Whether the rows of an execution agree with its state (I6). The testing kit and the doctor judge by this alone."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from perdure.core.outstanding import in_flight
from perdure.core.program import Program
from perdure.core.readiness import has_ready
from perdure.core.state import ApprovalOp, EventOp, State, is_live, wake_at


class Rows(Struct, frozen=True):
    """What the store says of an execution: which of its operations wait for events, and which for people."""

    live: bool
    wake_at: int | None
    waits: frozenset[int]
    pending: frozenset[int]
    mail: bool
    """Whether something is in its inbox: a decision may be there that it has not taken in."""


def disagreements(program: Program, state: State, rows: Rows) -> Iterator[str]:
    """What the rows say and the state does not, or the other way round. They hold after every commit."""
    if rows.live != is_live(state):
        yield f"the row is {_live(rows.live)}, the state is {_live(is_live(state))}"
    if rows.wake_at != wake_at(state):
        yield f"the row wakes at {rows.wake_at}, the state at {wake_at(state)}"
    waits = awaited(program, state)
    if rows.waits != waits:
        yield f"waits {sorted(rows.waits)} in rows, {sorted(waits)} in the state"
    asked = {op.op for op in state.ops.values() if isinstance(op, ApprovalOp)}
    if not rows.pending <= asked if rows.mail else rows.pending != asked:
        yield f"approvals {sorted(rows.pending)} in rows, {sorted(asked)} in the state"


def awaited(program: Program, state: State) -> set[int]:
    """Which waits for events are open: those of its operations, and those that would cancel it (numbered from -1 down)."""
    cancels = {-1 - number for number in range(len(program.workflow.cancels))} if state.status == "running" else set()
    return cancels | {op.op for op in state.ops.values() if isinstance(op, EventOp)}


def to_be_done(program: Program, state: State, uncalled: frozenset[int] = frozenset()) -> Iterator[str]:
    """What only a worker can do. Nobody lets go of an execution while there is any, but for what waits for a task: `uncalled`."""
    for op in in_flight(state):
        if op.op in uncalled:
            continue
        yield f"operation {op.op} is under way and nobody performs it"
    for number, firing in state.chains.items():
        if not firing.failed:
            yield f"chain {number} is to be fired"
    if has_ready(program, state):
        yield "steps are ready and nobody enters them"


def _live(live: bool) -> str:
    return "live" if live else "not live"
