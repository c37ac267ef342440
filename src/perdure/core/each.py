"""forEach: which item is handed out next, and when the step is over. The results are rows; here is only the cursor."""

from __future__ import annotations

from msgspec.structs import replace

from perdure.core import facts as f
from perdure.core.draft import Draft
from perdure.core.moves import Broken, Done, Move, invalid, over_limit
from perdure.core.readiness import has_place
from perdure.core.seat import Seat
from perdure.core.state import EachScope
from perdure.errors import EvaluationError
from perdure.expressions.wording import kind
from perdure.model.failure import Failure
from perdure.model.steps import ForEach


def open_(draft: Draft, seat: Seat, each: ForEach) -> Broken | None:
    """Evaluate the items, once; None: it is open, and the items can be handed out."""
    step = seat.node.step.id
    try:
        items = draft.evaluate(each.items, seat)
    except EvaluationError as error:
        return invalid(f"step {step!r}: {error}", code="EXPRESSION")
    if not isinstance(items, list):
        message = f"step {step!r} is to be repeated for each item of an array, not of {kind(items)}"
        return invalid(message, "NOT_AN_ARRAY")
    if each.items_max is not None and len(items) > each.items_max:
        return over_limit(f"step {step!r} has {len(items)} items, its limit is {each.items_max}; raise maxIterations")
    draft.record(f.ForEachOpened(draft.at, seat.node.number, items))
    return None


def scope_seat(draft: Draft, scope: EachScope) -> Seat:
    """The seat of the step as a whole."""
    return Seat(draft.program.nodes[scope.step], scope.token)


def next_item(draft: Draft, number: int, scope: EachScope) -> Seat | None:
    """The seat of the item to hand out now, if there is one and a place for it."""
    if not has_place(draft.program, scope):
        return None
    item = scope.redo[0] if scope.redo else scope.cursor
    return Seat(draft.program.nodes[scope.step], scope.token, number, item)


def verdict(draft: Draft, number: int, scope: EachScope) -> Move | None:
    """How the step ended, if it has."""
    each = draft.program.nodes[scope.step].step.each
    assert each is not None
    if scope.failed:
        if scope.in_flight and each.in_flight == "drain":
            return None
        fact = draft.fact(scope.failed)
        draft.satisfied()
        return Broken(_of_item(fact.error, fact.item), scope=number)
    if scope.in_flight or scope.redo or scope.cursor < scope.total:
        return None
    return Done(scope=number, total=scope.total)


def _of_item(error: Failure, item: int) -> Failure:
    """Name the item that failed. The failure of a child is passed up unchanged: it would grow from level to level."""
    if error.origin is not None:
        return error
    return replace(error, message=f"item {item}: {error.message}")
