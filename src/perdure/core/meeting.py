"""Where paths meet, their variables become one set: the last writer in topological order wins.

Of two writes of one variable, one that the other path has seen is the older, and gives way. Where neither path has seen
the other's, two branches have written it and one write is lost: the later in topological order is kept, whichever came
first in time, and a warning says so.
"""

from __future__ import annotations

from typing import TypeAlias

from immutables import Map

from perdure.core.draft import Draft
from perdure.core.facts import END, Kept, Warned
from perdure.core.state import Token, Variables, Written, has_seen

Past: TypeAlias = tuple[Variables, Map[int, int]]
"""The variables of a path, and the completions that lie in its past."""


def meet(draft: Draft, step: int, arriving: Past, targets: tuple[int, ...]) -> tuple[Kept, list[Warned]]:
    """What stays of the variables that are already there, when a path arrives from `step`."""
    kept: list[tuple[int, tuple[str, ...]]] = []
    warnings: list[Warned] = []
    for target in targets or (END,):
        there = _past(draft, target)
        if there is not None:
            names = _kept(draft, step, there, arriving, warnings)
            if names:
                kept.append((target, names))
    return tuple(kept), warnings


def _past(draft: Draft, target: int) -> Past | None:
    if target == END:
        return draft.state.vars, draft.state.seen
    token: Token | None = draft.state.tokens.get(target)
    return None if token is None or token.vars is None else (token.vars, token.seen)


def _kept(draft: Draft, step: int, there: Past, arriving: Past, warnings: list[Warned]) -> tuple[str, ...]:
    names: list[str] = []
    for name in sorted(arriving[0]):
        new, old = arriving[0][name], there[0].get(name)
        if old is None or old.seq == new.seq or has_seen(arriving[1], old):
            continue
        if has_seen(there[1], new):
            names.append(name)
            continue
        order = draft.program.graph.order
        winner, loser = (old, new) if order[old.step] > order[new.step] else (new, old)
        if winner is old:
            names.append(name)
        warnings.append(Warned(draft.at, step, _message(draft, name, winner, loser)))
    return tuple(names)


def _message(draft: Draft, name: str, winner: Written, loser: Written) -> str:
    kept, lost = draft.program.known_as(winner.step), draft.program.known_as(loser.step)
    return f"both {lost!r} and {kept!r} wrote {name!r} on paths that meet; what {kept!r} wrote is kept"
