"""Whether a store keeps what is promised, after scenarios were played on it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any, cast

from perdure.core import facts as f
from perdure.expressions.language import compile_value
from perdure.testing.invariants import violations
from perdure.testing.world import World
from scenarios.names import History
from scenarios.running import Played


class _AsWorld:
    """What the invariants ask of a world: all that was started is there, and everything has ended."""

    compile = staticmethod(compile_value)

    def __init__(self, store: Any, played: Iterable[Played]) -> None:
        self.store = store
        self.acknowledged: list[str] = []
        self.fencing_faults: list[str] = []
        self.silent: set[tuple[str, int, str, int]] = set()
        self.effects: Counter[tuple[str, int]] = Counter()
        for each in played:
            self.acknowledged += [history.record.id for history in each.histories.values()]
            self.effects.update(each.answering.effects)
            for history in each.histories.values():
                self.effects.update(_of_its_origin(history))


def _of_its_origin(history: History) -> Iterator[tuple[str, int]]:
    """What a fork has a copy of was done under the name of another."""
    copied = [seq for seq, fact in enumerate(history.facts, start=1) if isinstance(fact, f.ExecutionForked)]
    for seq, fact in enumerate(history.facts[: max(copied, default=0)], start=1):
        if isinstance(fact, f.StepScheduled):
            yield f"{history.record.id}:{seq}", 1


def broken(store: Any, played: Iterable[Played]) -> list[str]:
    """What should hold of this store and does not. It is one that can be looked into: in memory, or `testing.inspected`."""
    return violations(cast("World", _AsWorld(store, played)))
