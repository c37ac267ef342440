"""Which steps can be entered now, without anything happening first."""

from __future__ import annotations

from perdure.core.joins import bits, may_enter
from perdure.core.program import Program
from perdure.core.state import EachScope, State


def ready(program: Program, state: State) -> list[int]:
    """The steps to enter next. The earliest activated comes first where only so many may be open at once."""
    activated = state.forward | state.backward
    if not activated or state.failing or state.status != "running" or state.retry_at is not None:
        return []
    if not state.running and not activated & (activated - 1):
        return [activated.bit_length() - 1]  # one token, nothing else: no join can hold it up
    places = list(bits(activated))
    if program.workflow.parallel_max is not None:
        places.sort(key=lambda step: (state.tokens[step].since, step))
    return [step for step in places if may_start(program, state, step)]


def may_start(program: Program, state: State, step: int) -> bool:
    """Whether nothing holds up the step that control stands before."""
    limit = program.workflow.parallel_max
    if limit is not None and state.running.bit_count() >= limit:
        return False
    if program.workflow.steps[step].join == "any":
        return not state.running >> step & 1
    return may_enter(program.graph, state, step)


def has_ready(program: Program, state: State) -> bool:
    """Whether a step could be entered, or an item handed out."""
    if state.status != "running" or state.retry_at is not None:
        return False
    return bool(ready(program, state)) or any(
        isinstance(scope, EachScope) and has_place(program, scope) for scope in state.scopes.values()
    )


def has_place(program: Program, scope: EachScope) -> bool:
    """Whether a forEach has an item to hand out, and may."""
    each = program.nodes[scope.step].step.each
    assert each is not None
    if scope.stopped or scope.failed or scope.in_flight >= each.concurrency:
        return False
    return bool(scope.redo) or scope.cursor < scope.total
