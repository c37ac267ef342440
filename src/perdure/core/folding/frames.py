"""Which loop control is in, when loops end: whoever was in one is in the loop around it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from msgspec.structs import replace

from perdure.core.state import EachScope, LoopScope, State, Token, loops_around


def leave_loops(state: State, changes: dict[str, Any], numbers: Iterable[int]) -> None:
    """These loops are gone. Nothing may go on naming them: every path in them is now in the loop around them."""
    scopes = changes.get("scopes", state.scopes)
    around: dict[int, int] = {}
    for number in numbers:
        around[number] = scopes[number].parent
        scopes = scopes.delete(number)
    for number, scope in scopes.items():
        if isinstance(scope, EachScope) and scope.token.frame in around:
            scopes = scopes.set(number, replace(scope, token=_moved(scope.token, around)))
        elif isinstance(scope, LoopScope) and scope.parent in around:
            scopes = scopes.set(number, replace(scope, parent=_outward(scope.parent, around)))
    tokens = changes.get("tokens", state.tokens)
    for step, token in tokens.items():
        if token.frame in around:
            tokens = tokens.set(step, _moved(token, around))
    changes["scopes"], changes["tokens"] = scopes, tokens
    for name in ("ops", "stopped"):
        ops = changes.get(name, getattr(state, name))
        for number, op in ops.items():
            if op.token is not None and op.token.frame in around:
                ops = ops.set(number, replace(op, token=_moved(op.token, around)))
        changes[name] = ops


def in_use(state: State) -> set[int]:
    """The loops that a path is in."""
    frames = {token.frame for token in state.tokens.values()}
    frames |= {op.token.frame for ops in (state.ops, state.stopped) for op in ops.values() if op.token is not None}
    frames |= {scope.token.frame for scope in state.scopes.values() if isinstance(scope, EachScope)}
    return {number for frame in frames for number, _ in loops_around(state, frame)}


def _moved(token: Token, around: dict[int, int]) -> Token:
    return replace(token, frame=_outward(token.frame, around))


def _outward(frame: int, around: dict[int, int]) -> int:
    while frame in around:
        frame = around[frame]
    return frame
