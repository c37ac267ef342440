"""Tokens arrive before steps; where one stands already, the two become one."""

from __future__ import annotations

from typing import Any, TypeAlias

from immutables import Map
from msgspec.structs import replace

from perdure.core import facts as f
from perdure.core.state import PauseOp, State, Token, Variables, loops_around

Leading: TypeAlias = f.StepCompleted | f.StepFailed | f.LoopTicked | PauseOp
"""What says which steps come next."""

_NOTHING: dict[int, tuple[str, ...]] = {}


def arrive(state: State, changes: dict[str, Any], fact: Leading, token: Token, kept: f.Kept = ()) -> None:
    """Adds to `changes` the tokens at the steps that come next. Where one stands already, the two become one."""
    tokens = changes.get("tokens", state.tokens)
    forward = changes.get("forward", state.forward)
    backward = changes.get("backward", state.backward)
    stays = dict(kept) if kept else _NOTHING
    for step in fact.next:
        there = tokens.get(step)
        tokens = tokens.set(step, token if there is None else joined(state, there, token, stays.get(step, ())))
        forward |= 1 << step
        backward &= ~(1 << step)
    for step in fact.again:
        there = tokens.get(step)
        back = replace(token, forward=False)
        tokens = tokens.set(step, back if there is None else joined(state, there, back, stays.get(step, ())))
        if there is None or not there.forward:
            backward |= 1 << step
    changes["tokens"], changes["forward"], changes["backward"] = tokens, forward, backward
    if token.vars is not None and not fact.next and not fact.again:
        changes["vars"] = merged(state.vars, token.vars, stays.get(f.END, ()))
        changes["seen"] = _latest(state.seen, token.seen)


def joined(state: State, there: Token, token: Token, kept: tuple[str, ...]) -> Token:
    """Two tokens before one step are one."""
    came = (*(step for step in there.came if step not in token.came), *token.came)
    variables = token.vars
    if variables is not None and there.vars is not None:
        variables = merged(there.vars, variables, kept)
    return Token(
        came=came,
        frame=_innermost_common(state, there.frame, token.frame),
        vars=variables,
        since=there.since,
        forward=there.forward or token.forward,
        seen=_latest(there.seen, token.seen),
    )


def _latest(one: Map[int, int], other: Map[int, int]) -> Map[int, int]:
    for step, seq in other.items():
        if seq > one.get(step, 0):
            one = one.set(step, seq)
    return one


def merged(there: Variables, arriving: Variables, kept: tuple[str, ...]) -> Variables:
    merged = there.update(arriving)
    for name in kept:
        merged = merged.set(name, there[name])
    return merged


def _innermost_common(state: State, one: int, other: int) -> int:
    around = {frame for frame, _ in loops_around(state, one)}
    return next((frame for frame, _ in loops_around(state, other) if frame in around), 0)
