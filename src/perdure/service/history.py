"""The history of an execution, entry by entry, with the names of steps instead of their places."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec
from msgspec import Struct

from perdure.core.facts import Fact
from perdure.model.steps import Compute
from perdure.model.values import Json
from perdure.model.workflow import Workflow
from perdure.service.documents import history_name
from perdure.store.port import Unreadable
from perdure.store.questions import Entry, Questions
from perdure.store.versions import MODEL

STEPS = ("next", "again", "steps", "entry", "unknown")
"""Fields of facts that hold places of steps."""


class HistoryEntry(Struct, frozen=True):
    """A fact. `step` is the one that it is about, if it is about one; `data` is all of it, and `fact` is so as the engine has it:
    None if this version cannot read it. `name` is what its dialect calls it, if it does; `inner`: it is about a part of a step
    that only computes, which nobody wants to see.
    """

    seq: int
    at: int
    kind: str
    step: str | None
    data: dict[str, Any]
    fact: Fact | None = None
    name: str | None = None
    inner: bool = False


def fact_from(kind: str, at: int, data: dict[str, Any], places: dict[str, int]) -> Fact | None:
    """The fact that an entry was made of, as far as it is told: steps have names there, and here the places that `places` gives
    them in turn. None, if this version cannot read it.
    """
    if "unreadable" in data:
        return None
    told: dict[str, Any] = {**data, "kind": kind, "at": at}

    def place(name: Any) -> int:
        return places.setdefault(str(name), len(places))

    for field in STEPS:
        if field in told and told[field] is not None:
            named = told[field]
            told[field] = [place(each) for each in named] if isinstance(named, list) else place(named)
    if isinstance(told.get("outputs"), dict):
        told["outputs"] = {place(name): output for name, output in told["outputs"].items()}
    if "step" in told:
        told["step"] = place(told["step"])
    try:
        found: Fact = msgspec.convert(told, Fact)
    except msgspec.ValidationError:
        return None
    return found


class Told:
    """Tells of one execution. It remembers which operation is of which step: not every fact says so itself."""

    def __init__(self, execution: str, workflow: Workflow, dialect: str = MODEL) -> None:
        self._execution, self._workflow, self._dialect = execution, workflow, dialect
        self._steps: dict[int, int] = {}
        self._inner = {
            step.id for step in workflow.steps if step.part_of is not None and isinstance(step.work, Compute)
        }

    def entries(self, store: Questions, found: Iterable[Entry]) -> tuple[HistoryEntry, ...]:
        return tuple(self._entry(store, entry) for entry in found)

    def _entry(self, store: Questions, entry: Entry) -> HistoryEntry:
        if isinstance(entry.fact, Unreadable):
            return HistoryEntry(entry.seq, 0, entry.kind, None, {"unreadable": entry.fact.why})
        name = self.step(store, entry.seq, entry.fact)
        called, inner = history_name(self._dialect, entry.kind), name in self._inner
        return HistoryEntry(
            entry.seq, entry.fact.at, entry.kind, name, self._data(entry.fact), entry.fact, called, inner
        )

    def is_inner(self, step: str | None) -> bool:
        return step in self._inner

    def step(self, store: Questions, seq: int, fact: Fact) -> str | None:
        """The name of the step that a fact is about."""
        step = self._step(store, seq, fact)
        return None if step is None else self._name(step)

    def _step(self, store: Questions, seq: int, fact: Fact) -> int | None:
        step: int | None = getattr(fact, "step", None)
        if step is None:
            op = getattr(fact, "op", 0)
            return self._step_of(store, op) if op > 0 else None
        self._steps[seq] = step
        return step if step >= 0 else None

    def _step_of(self, store: Questions, op: int) -> int | None:
        """The step of an operation, which is named by the fact that opened it."""
        if op not in self._steps:
            for entry in store.history(self._execution, op - 1, 1):
                self._steps[op] = getattr(entry.fact, "step", -1)
        step = self._steps.get(op, -1)
        return step if step >= 0 else None

    def _data(self, fact: Fact) -> dict[str, Any]:
        data: dict[str, Any] = msgspec.to_builtins(fact)
        del data["kind"], data["at"]
        for field in STEPS:
            if field in data:
                data[field] = self._names(data[field])
        if isinstance(data.get("outputs"), dict):
            data["outputs"] = {self._name(int(step)): output for step, output in data["outputs"].items()}
        if "step" in data:
            data["step"] = self._name(data["step"])
        return data

    def _names(self, steps: Any) -> Json:
        return self._name(steps) if isinstance(steps, int) else [self._name(step) for step in steps or ()]

    def _name(self, step: int) -> str:
        return self._workflow.steps[step].id if 0 <= step < len(self._workflow.steps) else str(step)
