"""Tokens arrive before steps; where one stands already, the two become one."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from perdure.core import facts as f
from perdure.core.state import LoopScope, State, Token, Variables


def arrive(state: State, next_: tuple[int, ...], again: tuple[int, ...], kept: f.Kept, token: Token) -> dict[str, Any]:
    """Tokens at the steps that come next. Where one stands already, the two become one."""
    tokens, forward, backward = state.tokens, state.forward, state.backward
    stays = dict(kept)
    for step in next_:
        tokens = tokens.set(step, joined(state, tokens.get(step), token, stays.get(step, ())))
        forward |= 1 << step
        backward &= ~(1 << step)
    for step in again:
        there = tokens.get(step)
        tokens = tokens.set(step, joined(state, there, replace(token, forward=False), stays.get(step, ())))
        if there is None or not there.forward:
            backward |= 1 << step
    changes = {"tokens": tokens, "forward": forward, "backward": backward}
    if token.vars is not None and not next_ and not again:
        changes["vars"] = merged(state.vars, token.vars, stays.get(f.END, ()))
    return changes


def joined(state: State, there: Token | None, token: Token, kept: tuple[str, ...]) -> Token:
    if there is None:
        return token
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
    )


def merged(there: Variables, arriving: Variables, kept: tuple[str, ...]) -> Variables:
    merged = there.update(arriving)
    for name in kept:
        merged = merged.set(name, there[name])
    return merged


def _innermost_common(state: State, one: int, other: int) -> int:
    around = set()
    while one:
        around.add(one)
        one = _parent(state, one)
    while other and other not in around:
        other = _parent(state, other)
    return other


def _parent(state: State, frame: int) -> int:
    scope = state.scopes.get(frame)
    return scope.parent if isinstance(scope, LoopScope) else 0
