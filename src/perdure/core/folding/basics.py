"""What every part of the fold does: count the fact, add amounts."""

from __future__ import annotations

from typing import Any

from immutables import Map
from msgspec.structs import replace

from perdure.core import facts as f
from perdure.core.state import State
from perdure.model.steps import Amounts

AMOUNT_MAX = 2**63 - 1
"""A sum that is more stays at this: a snapshot has no larger integers."""


def after(state: State, fact: f.Fact, **changes: Any) -> State:
    return replace(state, seq=state.seq + 1, at=fact.at, **changes)


def plus(amounts: Map[str, int], more: Amounts, sign: int = 1) -> Map[str, int]:
    for unit, amount in more:
        amounts = amounts.set(unit, min(amounts.get(unit, 0) + sign * amount, AMOUNT_MAX))
    return amounts
