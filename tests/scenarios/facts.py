"""The facts of a run, in words that do not depend on the host: what can be compared.

Times are left out, as far as they are there; numbers of facts, ids of executions, approvals and events become the names of what they
stand for; and the facts are sorted by (step, scope, item, pass, attempt, kind), for what runs in parallel ends in any order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from difflib import unified_diff
from typing import Any, TypeAlias

import msgspec
from msgspec import Struct

from perdure.core import facts as f
from perdure.core.steps.approval import approval_id
from perdure.ids import derived
from perdure.model.records import ExecutionRecord
from perdure.model.workflow import Workflow
from scenarios.names import History

Lines: TypeAlias = list[str]

TIMES = ("due_at", "hold_until", "retry_at", "deadline_at", "left_ms")
STEP, STEPS, NUMBERS = ("step", "entry", "undoes"), ("steps", "next", "again", "unknown"), ("op", "scope", "loop")
RECORDED = ("workflow", "status", "live", "waiting", "output", "trigger", "correlation_id", "parent", "depth")
OPENING = (
    *(f.StepScheduled, f.TimerOpened, f.WaitOpened, f.ApprovalOpened, f.ChildStarted, f.ForEachOpened, f.LoopOpened),
)


class Place(Struct, frozen=True):
    """Where in an execution a fact belongs. `pass_` counts how often the step has been entered."""

    step: str = ""
    scope: str = ""
    item: int = -1
    pass_: int = 0
    attempt: int = 0

    def __str__(self) -> str:
        item = f"[{self.item}]" if self.item >= 0 else ""
        return f"{self.step}.{self.pass_}{item}"


def comparable(histories: Mapping[str, History], workflows: Iterable[Workflow]) -> Lines:
    """One line for each fact of each execution."""
    by_name = {workflow.name: [step.id for step in workflow.steps] for workflow in workflows}
    told: Lines = []
    ids: dict[str, str] = {}
    for name, history in sorted(histories.items()):
        named = _Named(history, by_name[history.record.workflow])
        told += [f"{name} | {line}" for line in (*named.lines(), _record(history.record))]
        ids |= named.ids(name)
    for id_, meaning in ids.items():
        told = [line.replace(id_, meaning) for line in told]
    return told


def difference(expected: Lines, found: Lines, names: tuple[str, str]) -> str:
    """Nothing, if they are equal."""
    return "\n".join(unified_diff(expected, found, *names, lineterm="", n=1))


def _record(record: ExecutionRecord) -> str:
    """How it stands, without its numbers and times."""
    content: dict[str, Any] = {name: getattr(record, name) for name in RECORDED}
    if record.error is not None:
        content["error"] = msgspec.structs.replace(record.error, stack=None)
    return f"record | {msgspec.json.encode(content, order='sorted').decode()}"


class _Named:
    """One history, with its numbers as names."""

    def __init__(self, history: History, steps: list[str]) -> None:
        self._execution, self._facts, self._steps = history.record.id, history.facts, steps
        self._places: dict[int, Place] = {}
        self._passes: Counter[str] = Counter()
        self._attempts: dict[int, int] = {}
        self._counted: Counter[str] = Counter()
        for seq, fact in enumerate(self._facts, start=1):
            self._places[seq] = self._place(seq, fact)

    def lines(self) -> Lines:
        keyed = []
        for seq, fact in enumerate(self._facts, start=1):
            at = self._places[seq]
            content = self._content(fact)
            key = (at.step, at.scope, at.item, at.pass_, at.attempt, content.pop("kind"))
            keyed.append((key, msgspec.json.encode(content, order="sorted").decode()))
        return [f"{' | '.join(map(str, key))} | {text}" for key, text in sorted(keyed)]

    def ids(self, name: str) -> dict[str, str]:
        """What the ids stand for that follow from this execution."""
        found = {self._execution: name, derived(self._execution, "compensation"): f"compensation of {name}"}
        for seq, fact in enumerate(self._facts, start=1):
            if isinstance(fact, f.ApprovalOpened):
                found[approval_id(self._execution, seq)] = f"approval {self._places[seq]} of {name}"
            elif isinstance(fact, f.StepCompleted):
                found[derived(self._execution, "event", seq)] = f"event {self._places[seq]} of {name}"
        return found

    # Where a fact belongs.

    def _place(self, seq: int, fact: f.Fact) -> Place:
        op, scope = getattr(fact, "op", 0), getattr(fact, "scope", 0)
        attempt = self._attempt(seq, op, fact)
        if op:
            return msgspec.structs.replace(self._places[op], attempt=attempt)
        step, item = self._step(getattr(fact, "step", -1)), getattr(fact, "item", -1)
        if isinstance(fact, f.LoopTicked):
            item = fact.start
        if scope:
            around = self._places[scope]
            return Place(step, str(around), item, around.pass_, attempt)
        if not step:  # of the execution as a whole
            self._counted[type(fact).__name__] += 1
            return Place("", "", getattr(fact, "number", -1), self._counted[type(fact).__name__])
        if isinstance(fact, (*OPENING, f.StepCompleted, f.StepFailed)):
            self._passes[step] += 1
        return Place(step, "", item, self._passes[step], attempt)

    def _attempt(self, seq: int, op: int, fact: f.Fact) -> int:
        if isinstance(fact, f.StepScheduled):
            self._attempts[seq] = 1
        elif isinstance(fact, f.StepRetrying | f.StepAttempted | f.StepLost):
            self._attempts[op] = fact.attempt
        return self._attempts.get(op or seq, 0)

    def _step(self, number: int) -> str:
        return self._steps[number] if number >= 0 else ""

    # What it says.

    def _content(self, fact: f.Fact) -> dict[str, Any]:
        content: dict[str, Any] = msgspec.to_builtins(fact)
        del content["at"]
        for name, value in content.items():
            content[name] = self._said(name, value, fact)
        if isinstance(content.get("error"), dict):
            content["error"].pop("stack", None)  # it has the lines of the host's own code
        return content

    def _said(self, name: str, value: Any, fact: f.Fact) -> Any:
        if name in TIMES:
            return None if value is None else "a time"
        if name in NUMBERS or name == "output_seq":
            return str(self._places[value]) if value else ""
        if name in STEP:
            return self._step(value) if isinstance(value, int) else value
        if name in STEPS:
            return None if value is None else [self._step(step) for step in value]
        match name:
            case "organization":
                return "an organization"
            case "trigger_data" if isinstance(value, dict) and "at" in value:
                return {**value, "at": "a time"}
            case "scopes":
                return sorted(str(self._places[scope]) for scope in value)
            case "settling":
                return sorted(str(self._places[op]) for op, _ in value)
            case "plan":
                return [[self._step(by), self._step(of)] for by, of in value]
            case "kept":
                return sorted([self._step(step), sorted(names)] for step, names in value)
            case "outputs":
                return {self._step(int(step)): output for step, output in value.items()}
            case "digest" if isinstance(fact, f.ChildStarted):
                return value[:8]
            case _:
                return value
