"""The one loop: enters the steps that are ready, plays the moves they answer with, and stops when nothing is ready."""

from __future__ import annotations

from typing import assert_never

from perdure.core import each, ending
from perdure.core import facts as f
from perdure.core.commands import Continue
from perdure.core.draft import Draft, Seat
from perdure.core.finishing import choose, fail, finish
from perdure.core.joins import bits, may_enter
from perdure.core.moves import Broken, Done, Move, Ticked
from perdure.core.program import Program
from perdure.core.state import EachScope, State
from perdure.core.steps import begin
from perdure.model.failure import Category, refusal


def play(draft: Draft) -> None:
    """Enter what is ready until nothing is, or until others should have a turn."""
    while (step := ready(draft.program, draft.state)) is not None:
        if not _room(draft):
            return
        _enter(draft, step)


def ready(program: Program, state: State) -> int | None:
    """The next step to enter, if there is one. The earliest activated comes first where only so many may be open."""
    activated = state.forward | state.backward
    if not activated or state.failing or state.status != "running" or state.retry_at is not None:
        return None
    if not state.running and not activated & (activated - 1):
        return activated.bit_length() - 1  # one token, nothing else: no join can hold it up
    places = bits(activated)
    limit = program.workflow.parallel_max
    if limit is not None:
        if state.running.bit_count() >= limit:
            return None
        places = iter(sorted(places, key=lambda step: (state.tokens[step].since, step)))
    for step in places:
        if program.workflow.steps[step].join == "any":
            if not state.running >> step & 1:
                return step
        elif may_enter(program.graph, state, step):
            return step
    return None


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
        if seat is None or not _room(draft):
            return
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
    if limit is not None and state.entered >= limit:
        message = (
            f"the execution has entered {limit} steps, which is its limit, and would enter {program.name(step)!r}; "
            "it may run in circles. Raise the limit if it does not"
        )
        ending.fail(draft, refusal(message, code="LIMIT", category=Category.PERMANENT), (step,))
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


def _tick(draft: Draft, seat: Seat, move: Ticked) -> None:
    """To the body, or at once back to the loop if it has none."""
    way, _ = choose(draft, seat, seat.node.ways, ("loop",), {})
    number = seat.node.number
    if way is None:
        draft.record(f.LoopTicked(draft.at, number, move.scope, move.start, again=(number,)))
    else:
        draft.record(f.LoopTicked(draft.at, number, move.scope, move.start, way.next, way.again))


def _give_up_items(draft: Draft, number: int, verdict: Move) -> None:
    """A forEach that does not wait for its other items tells them so."""
    if isinstance(verdict, Broken):
        ending.give_up(draft, [op for op in draft.state.ops.values() if op.scope == number])


def _room(draft: Draft) -> bool:
    if draft.room:
        draft.room -= 1
        return True
    if Continue() not in draft.commands:
        draft.command(Continue())
    return False
