"""The one loop: enters the steps that are ready, plays the moves they answer with, and stops when nothing is ready."""

from __future__ import annotations

from typing import assert_never

from msgspec.structs import replace

from perdure.core import each, ending
from perdure.core import facts as f
from perdure.core.commands import Continue
from perdure.core.draft import Draft
from perdure.core.finishing import choose, fail, finish
from perdure.core.moves import Broken, Done, Move, Ticked, invalid
from perdure.core.readiness import may_start, ready
from perdure.core.scope import loop_output
from perdure.core.seat import Seat
from perdure.core.state import EachScope, LoopScope
from perdure.core.steps import begin
from perdure.expressions.faults import InternalExpressionError
from perdure.model.failure import Category, refusal
from perdure.model.values import Json


def play(draft: Draft) -> None:
    """Enter what is ready until nothing is, or until others should have a turn.

    Steps that are ready together start together: one of them that fails on the spot does not keep the others from it.
    """
    while steps := ready(draft.program, draft.state):
        for step in steps:
            if not draft.room:
                _ask_for_a_turn(draft)
                return
            if len(steps) == 1 or may_start(draft.program, draft.state, step):
                draft.room -= 1
                _enter(draft, step)


def play_move(draft: Draft, seat: Seat, move: Move | None) -> None:
    """Record what a piece of work answered with, and hand out further items of the forEach it belongs to."""
    match move:
        case None:
            pass
        case Done():
            finish(draft, seat, move)
        case Broken():
            fail(draft, seat, move)
        case Ticked():
            _tick(draft, seat, move)
        case _:
            assert_never(move)
    if seat.scope and draft.state.status == "running":
        feed(draft, seat.scope)


def feed(draft: Draft, number: int) -> None:
    """Hand out items of a forEach while there is a place for them, and end the step when it is over."""
    while isinstance(scope := draft.state.scopes.get(number), EachScope) and not scope.stopped:
        verdict = each.verdict(draft, number, scope)
        if verdict is not None:
            _give_up_items(draft, number, verdict)
            play_move(draft, each.scope_seat(draft, scope), verdict)
            return
        seat = each.next_item(draft, number, scope)
        if seat is None:
            return
        if not draft.room:
            _ask_for_a_turn(draft)
            return
        draft.room -= 1
        match begin(draft, seat):
            case Done() as done:
                finish(draft, seat, done)
            case Broken() as broken:
                fail(draft, seat, broken)
            case _:
                pass


def feed_all(draft: Draft) -> None:
    """After a pause or a retry: every forEach may hand out items."""
    for number, scope in draft.state.scopes.items():
        if isinstance(scope, EachScope):
            feed(draft, number)


def _enter(draft: Draft, step: int) -> None:
    program, state = draft.program, draft.state
    limit = program.workflow.steps_max
    if limit is not None and state.entered - _parts_entered(draft) >= limit and not program.nodes[step].step.part_of:
        message = (
            f"the execution has entered {limit} steps, which is its limit, and would enter {program.name(step)!r}; "
            "it may run in circles. Raise the limit if it does not"
        )
        error = refusal(message, code="LIMIT", category=Category.PERMANENT)
        draft.record(f.StepFailed(draft.at, step, error, refused=True))
        return
    seat = Seat(program.nodes[step], state.tokens[step])
    repeat = seat.node.step.each
    if repeat is None:
        play_move(draft, seat, begin(draft, seat))
        return
    broken = each.open_(draft, seat, repeat)
    if broken is None:
        feed(draft, draft.state.seq)
    else:
        play_move(draft, seat, broken)


def _parts_entered(draft: Draft) -> int:
    """How many of the steps that were entered are parts of others, and do not count."""
    return sum(draft.state.runs.get(part, 0) for part in draft.program.parts)


def _tick(draft: Draft, seat: Seat, move: Ticked) -> None:
    """To the body, or at once back to the loop if it has none."""
    number, state = seat.node.number, draft.state
    extra: dict[str, Json] = {}
    if seat.node.chooses:  # its conditions see the tick, which no fact holds yet
        scope = state.scopes[move.scope]
        assert isinstance(scope, LoopScope)
        ticked = replace(scope, start=move.start, ticks=scope.ticks + 1)
        seat, output = draft.as_if_in(seat, move.scope, ticked), loop_output(draft, move.scope, ticked)
        draft.satisfied()
        extra = {"output": output, "port": "loop"}
        draft.outcome_now = (number, {"status": "running", "output": output, "port": "loop"})
    try:
        way, warnings = choose(draft, seat, seat.node.ways, ("loop",), extra)
    except InternalExpressionError as error:
        draft.outcome_now, draft.state = None, state
        fail(draft, seat, invalid(f"step {seat.node.step.id!r}: {error}", code="EXPRESSION"))
        return
    draft.outcome_now, draft.state = None, state
    if way is None:
        draft.record(f.LoopTicked(draft.at, number, move.scope, move.start, again=(number,)))
    else:
        draft.record(f.LoopTicked(draft.at, number, move.scope, move.start, way.next, way.again))
    for warning in warnings:
        draft.record(warning)


def _give_up_items(draft: Draft, number: int, verdict: Move) -> None:
    """A forEach that does not wait for its other items tells them so."""
    if isinstance(verdict, Broken):
        ending.give_up(draft, [op for op in draft.state.ops.values() if op.scope == number])


def _ask_for_a_turn(draft: Draft) -> None:
    if Continue() not in draft.commands:
        draft.command(Continue())
