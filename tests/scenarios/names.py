"""Which execution is which: a name for each that says where it comes from, as `scenario.py` has it."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from perdure.core import facts as f
from perdure.ids import derived
from perdure.model.records import ExecutionRecord
from perdure.model.workflow import Workflow
from scenarios.scenario import MAIN

OPENED = (f.StepScheduled, f.TimerOpened, f.WaitOpened, f.ApprovalOpened, f.ChildStarted, f.ForEachOpened)


class History(Struct, frozen=True):
    """An execution: how it stands, and what happened."""

    record: ExecutionRecord
    facts: list[f.Fact]


def named(histories: list[History], main: str, workflows: Mapping[str, Workflow]) -> dict[str, History]:
    """By their names, those that have one by now: what an event has started has none before it begins."""
    names: dict[str, str] = {}
    by_id = {history.record.id: history for history in histories}
    for history in histories:  # a parent comes before its children
        record = history.record
        parent = by_id.get(record.parent or "")
        if record.id == main:
            names[record.id] = MAIN
        elif record.trigger == "event" and history.facts and isinstance(history.facts[0], f.ExecutionStarted):
            by = history.facts[0].event_id if parent is None else names.get(parent.record.id)
            names[record.id] = f"{record.workflow} by {by}"
        elif parent is not None and parent.record.id in names:
            steps = [step.id for step in workflows[parent.record.workflow].steps]
            names[record.id] = f"{names[parent.record.id]}{_birth(parent, record.id, steps)}"
    found: dict[str, History] = {}
    for id_, name in names.items():
        unique = name
        while unique in found:
            unique += "*" if unique.endswith("*") else " again"
        found[unique] = by_id[id_]
    return found


def _birth(parent: History, child: str, steps: list[str]) -> str:
    for seq, fact in enumerate(parent.facts, start=1):
        if isinstance(fact, f.ChildStarted) and fact.child == child:
            return f"/{steps[fact.step]}{_run(parent.facts, seq)}{_item(fact.item)}"
        if isinstance(fact, f.ChainPlanned):
            for item in range(fact.total):
                if derived(parent.record.id, "chain", fact.number, item) == child:
                    return f"/chain {fact.number}{_item(item if fact.items is not None else -1)}"
    return "*"


def _run(facts: list[f.Fact], seq: int) -> str:
    """Which time it was that the step was entered, if not the first."""
    opened = facts[seq - 1]
    assert isinstance(opened, f.ChildStarted)
    entered = [
        at
        for at, fact in enumerate(facts[: opened.scope or seq], start=1)
        if isinstance(fact, OPENED) and fact.step == opened.step and not getattr(fact, "scope", 0)
    ]
    return f".{len(entered)}" if len(entered) > 1 else ""


def _item(item: int) -> str:
    return f"[{item}]" if item >= 0 else ""
