"""Where paths meet, their variables become one set: the last writer in topological order wins.

Of two writes of one variable, the one whose step lies behind the other's on some path is the newer; around a cycle, the
later. Where neither lies behind the other, two branches have written it and one write is lost: the later in topological
order is kept, whichever came first in time, and a warning says so.
"""

from __future__ import annotations

from perdure.core.draft import Draft
from perdure.core.facts import END, Kept, Warned
from perdure.core.state import Variables, Written


def meet(draft: Draft, step: int, variables: Variables, targets: tuple[int, ...]) -> tuple[Kept, list[Warned]]:
    """What stays of the variables that are already there, when `variables` arrive from `step`."""
    kept: list[tuple[int, tuple[str, ...]]] = []
    warnings: list[Warned] = []
    for target in targets or (END,):
        token = draft.state.tokens.get(target)
        there = draft.state.vars if target == END else None if token is None else token.vars
        if there is not None:
            names = _kept(draft, step, there, variables, warnings)
            if names:
                kept.append((target, names))
    return tuple(kept), warnings


def _kept(draft: Draft, step: int, there: Variables, arriving: Variables, warnings: list[Warned]) -> tuple[str, ...]:
    names: list[str] = []
    for name in sorted(arriving):
        new, old = arriving[name], there.get(name)
        if old is None or old.seq == new.seq:
            continue
        if _is_newer(draft, old, new):
            names.append(name)
        if _conflict(draft, old, new):
            winner = old if names and names[-1] == name else new
            loser = new if winner is old else old
            warnings.append(Warned(draft.at, step, _message(draft, name, winner, loser)))
    return tuple(names)


def _is_newer(draft: Draft, one: Written, other: Written) -> bool:
    graph = draft.program.graph
    if one.step < 0 or other.step < 0:  # the start of the execution, or a fork
        return one.seq > other.seq
    before, after = graph.leads(one.step, other.step), graph.leads(other.step, one.step)
    if before != after:
        return after
    if before:
        return one.seq > other.seq
    return graph.order[one.step] > graph.order[other.step]


def _conflict(draft: Draft, one: Written, other: Written) -> bool:
    graph = draft.program.graph
    if one.step < 0 or other.step < 0:
        return False
    return not graph.leads(one.step, other.step) and not graph.leads(other.step, one.step)


def _message(draft: Draft, name: str, winner: Written, loser: Written) -> str:
    kept, lost = draft.program.name(winner.step), draft.program.name(loser.step)
    return f"both {lost!r} and {kept!r} wrote {name!r} on paths that meet; what {kept!r} wrote is kept"
