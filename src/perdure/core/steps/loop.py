"""Loops: hand out the next batch, or be done. The body is whatever control passes through until it comes back."""

from __future__ import annotations

from msgspec.structs import replace

from perdure.core import facts as f
from perdure.core.draft import Draft
from perdure.core.moves import Done, Move, Ticked, invalid, over_limit
from perdure.core.scope import loop_errors, loop_state
from perdure.core.seat import Seat
from perdure.core.state import LoopScope, loops_around
from perdure.expressions.wording import kind
from perdure.model.steps import Loop


def enter(draft: Draft, seat: Seat, work: Loop) -> Move:
    """Control reached the loop: from outside, a new round begins; from inside, the next batch is due."""
    number, inside = _frames(draft, seat)
    if number:
        if inside:
            draft.record(f.LoopsLeft(draft.at, inside))
        return _tick(draft, number)
    step = seat.node.step.id
    items = draft.evaluate(work.items, seat)
    if not isinstance(items, list):
        return invalid(f"the items of loop {step!r} must be an array, not {kind(items)}", "NOT_AN_ARRAY")
    batches = -(-len(items) // work.batch_size)
    if batches > work.iterations_max:
        return over_limit(
            f"loop {step!r} has {batches} batches, its limit is {work.iterations_max}; raise maxIterations or batchSize"
        )
    draft.record(f.LoopOpened(draft.at, seat.node.number, items, work.batch_size))
    return _tick(draft, draft.state.seq)


def _frames(draft: Draft, seat: Seat) -> tuple[int, tuple[int, ...]]:
    """The open round of this loop that control is in, 0 for none; and the loops inside it that control has left."""
    inside: list[int] = []
    for frame, scope in loops_around(draft.state, seat.token.frame):
        if scope.step == seat.node.number and not scope.complete:
            return frame, tuple(inside)
        inside.append(frame)
    return 0, ()


def _tick(draft: Draft, number: int) -> Move:
    scope = draft.state.scopes[number]
    assert isinstance(scope, LoopScope)
    start = scope.ticks * scope.batch_size
    if start < scope.total:
        return Ticked(number, start)
    meta = None
    if scope.errors:
        meta = {"errors": loop_errors(draft, number)}
        draft.satisfied()
    end = replace(scope, start=scope.total, complete=True)
    return Done({"state": loop_state(end), "batch": None}, port="done", meta=meta, scope=number)
