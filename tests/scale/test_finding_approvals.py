"""A page of approvals costs the same however many there are, whichever way it is asked for.

With PERDURE_PATIENCE=1 there are 100,000 of them. Times are compared within one run, at their best: what else the machine
does only adds to them.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from perdure.model.asking import Asked
from perdure.store import port as p
from perdure.store.approvals import Asker, WantedApprovals
from perdure.store.questions import Questions
from store.stores import STORES, Kept
from store.words import COMMITTED, advance, approval, fact, held, one, running

PATIENCE = os.environ.get("PERDURE_PATIENCE") == "1"
FEW, MANY = (10_000, 100_000) if PATIENCE else (1_000, 5_000)
IN_ONE = 500
"""Approvals of one execution."""
RATIO_MAX, MS_MAX = 3.0, 20.0
pytestmark = pytest.mark.flat

WAYS: dict[str, dict[str, Any]] = {
    "all": {},
    "pending": {"status": "pending"},
    "approved": {"status": "approved"},
    "overdue": {"overdue": True},
    "for a member": {"mine": Asker("m3")},
    "for a member in groups, who may approve": {"mine": Asker("m3", ("r1", "r2", "r3"), anybody=True)},
    "pending, for a member": {"mine": Asker("m3", ("r1",)), "status": "pending"},
    "of a workflow": {"workflow": "w2"},
    "of an execution": {"execution": "e1"},
    "about one thing": {"resource": ("order", "7")},
}


def fill(store: Kept, begin: int, end: int) -> None:
    """Most are decided, some are open, a few are overdue; of many members, roles and workflows."""
    for number in range(begin // IN_ONE, end // IN_ONE):
        execution = f"e{number}"
        held(store, execution)
        asked = tuple(_asked(execution, number * IN_ONE + op, op) for op in range(1, IN_ONE + 1))
        changes = p.Changes(approvals_opened=asked)
        record = running(execution, 1)
        assert one(store, advance(fact(), execution=execution, record=record, changes=changes)) == COMMITTED


def _asked(execution: str, number: int, op: int) -> Any:
    kinds = (Asked(f"m{number % 49}"), Asked(role=f"r{number % 31}"), Asked())
    asked = replace(kinds[number % 3], resource_type="order", resource_id=str(number % 1_000))
    status: Any = ("pending", "approved", "rejected", "closed", "approved")[number % 5]
    made = replace(approval(op, execution), asked=asked, workflow=f"w{number % 7}", status=status)
    return replace(made, overdue=status == "pending" and number % 4 == 0)


def took_ms(reader: Questions, wanted: WantedApprovals) -> float:
    taken = []
    for _ in range(25):
        begun = time.perf_counter()
        found = reader.approvals_wanted(wanted)
        taken.append((time.perf_counter() - begun) * 1_000)
        assert found
    return min(taken)


def all_ways(store: Kept) -> dict[str, float]:
    """By a reader that has just come: Postgres keeps the plan that it made when there were few, until it is told otherwise, which
    nobody does here.
    """
    reader: Any = store.reader()
    try:
        return {way: took_ms(reader, WantedApprovals("default", 51, **more)) for way, more in WAYS.items()}
    finally:
        reader.close()


@pytest.mark.parametrize("kind", ["sqlite-together", "postgres-together"])
def test_a_page_costs_what_it_has_and_not_what_there_is(
    kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    open_: Callable[[Path], Kept] = STORES[kind]
    store: Any = open_(tmp_path)
    try:
        fill(store, 0, FEW)
        few = all_ways(store)
        fill(store, FEW, MANY)
        many = all_ways(store)
    finally:
        store.close()
    with capsys.disabled():
        said = "; ".join(f"{way} {few[way]:.2f} → {many[way]:.2f} ms" for way in WAYS)
        print(f"\n{kind}, {FEW:,} → {MANY:,}: {said}")
    slow = {way: (few[way], many[way]) for way in WAYS if many[way] > MS_MAX or many[way] > RATIO_MAX * few[way] + 1}
    assert slow == {}
