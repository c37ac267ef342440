"""How the steps of an execution stand, as its history tells: what `run` and `watch` show while it goes on.

A fold over the entries of the history. It knows no terminal.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, Protocol, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

State: TypeAlias = Literal["running", "waiting", "retrying", "completed", "failed", "cancelled"]
ENDED: tuple[State, ...] = ("completed", "failed", "cancelled")


class Entry(Protocol):
    """What is read of an entry of the history."""

    @property
    def at(self) -> int: ...
    @property
    def kind(self) -> str: ...
    @property
    def step(self) -> str | None: ...
    @property
    def data(self) -> Any: ...


class Line(Struct, frozen=True, omit_defaults=True):
    """One step. `until`: when it is woken, or tried again. `done` of `total` items or batches, where it has such."""

    step: str
    state: State
    begun_at: int
    ended_at: int | None = None
    attempt: int = 1
    runs: int = 1
    until: int | None = None
    note: str = ""
    done: int = 0
    total: int | None = None
    holds: int = 0
    """Items that are being worked on."""


class Tree:
    """Steps in the order in which they were first entered."""

    def __init__(self, name: str, now: int) -> None:
        self.name = name
        self.state: State = "running"
        self.begun_at, self.ended_at = now, 0
        self.note = ""
        self.lines: dict[str, Line] = {}

    def take(self, entry: Entry) -> Line | None:
        """Fold one entry in; how the step that it is about stands now."""
        data: Mapping[str, Any] = entry.data if isinstance(entry.data, Mapping) else {}
        if entry.kind.startswith("execution."):
            self._whole(entry, data)
            return None
        if entry.step is None:
            return None
        line = _after(self.lines.get(entry.step), entry, entry.step, data)
        if line is not None:
            self.lines[entry.step] = line
        return line

    def published(self, step: str, note: str) -> Line | None:
        """A task says how far it is, while it runs."""
        line = self.lines.get(step)
        if line is None or line.state in ENDED:
            return None
        self.lines[step] = replace(line, note=note)
        return self.lines[step]

    def _whole(self, entry: Entry, data: Mapping[str, Any]) -> None:
        match entry.kind:
            case "execution.started" | "execution.forked":
                self.begun_at, self.state = entry.at, "running"
            case "execution.completed":
                self.state, self.ended_at = "completed", entry.at
            case "execution.failed":
                told = any(line.state == "failed" for line in self.lines.values())
                self.state, self.ended_at, self.note = "failed", entry.at, "" if told else _error(data)
            case "execution.cancelled":
                self.state, self.ended_at, self.note = "cancelled", entry.at, str(data.get("reason", ""))
            case "execution.retrying":
                self.state, self.note = "retrying", _error(data)
            case "execution.retried":
                self.state, self.ended_at, self.note = "running", 0, ""
        if self.state in ("failed", "cancelled"):  # what was open is so no more
            for step, line in self.lines.items():
                if line.state not in ENDED:
                    self.lines[step] = replace(line, state="cancelled", ended_at=entry.at, until=None)


def _after(line: Line | None, entry: Entry, step: str, data: Mapping[str, Any]) -> Line | None:
    """How a step stands after an entry. One that says nothing about that leaves it."""
    known = line if line is not None else Line(step, "running", entry.at)
    match entry.kind:
        case "step.scheduled":
            return _entered(line, entry, step, data, "running")
        case "child.started":
            return _entered(line, entry, step, data, "running", note=f"runs {data.get('workflow', '')}".strip())
        case "timer.opened":
            return _entered(line, entry, step, data, "waiting", note="timer", until=data.get("due_at"))
        case "wait.opened":
            note = f"event {data.get('pattern', '')}".strip()
            return _entered(line, entry, step, data, "waiting", note=note, until=data.get("due_at"))
        case "approval.opened":
            return _entered(line, entry, step, data, "waiting", note="approval", until=data.get("due_at"))
        case "approval.overdue":
            return replace(known, note="approval, overdue")
        case "foreach.opened":
            return replace(_entered(line, entry, step, data, "running"), total=_length(data), done=0)
        case "loop.opened":
            batches = -(-(_length(data) or 0) // max(int(data.get("batch_size") or 1), 1))
            return replace(_entered(line, entry, step, data, "running"), total=batches, done=0)
        case "loop.ticked":
            return replace(known, done=min(known.done + 1, known.total or 0), state="running")
        case "item.completed":
            return _item(known, note=known.note)
        case "item.failed":
            return _item(known, note=f"item {data.get('item', '?')}: {_error(data)}")
        case "step.attempted":
            return replace(known, state="running", attempt=int(data.get("attempt", known.attempt)), until=None)
        case "step.lost":
            return replace(known, attempt=int(data.get("attempt", known.attempt)) + 1, note="its worker died")
        case "step.retrying":
            attempt = int(data.get("attempt", known.attempt + 1))
            return replace(known, state="retrying", attempt=attempt, until=data.get("due_at"), note=_error(data))
        case "step.checkpointed":
            return replace(known, note=f"checkpoint {data.get('name', '')}".strip())
        case "warning":
            return replace(known, note=str(data.get("message", "")))
        case "step.failed":
            return _ended(line, known, entry, data, "failed", _error(data))
        case "step.completed" if data.get("hold_until"):
            held = _ended(line, known, entry, data, "waiting", str(data.get("label") or "pause"))
            return replace(held, ended_at=None, until=data["hold_until"])
        case "step.completed":
            return _ended(line, known, entry, data, "completed", "")
        case "pause.ended":
            return replace(known, state="completed", ended_at=entry.at, until=None, note="")
    return None


def _entered(
    line: Line | None,
    entry: Entry,
    step: str,
    data: Mapping[str, Any],
    state: State,
    *,
    note: str = "",
    until: int | None = None,
) -> Line:
    """An item of a forEach is no new run of its step; coming back to a step is."""
    if line is not None and int(data.get("item", -1)) >= 0 and line.ended_at is None:
        return replace(line, state=state, note=note, until=until, holds=line.holds + 1)
    runs = 1 if line is None else line.runs + 1
    return Line(step, state, entry.at, runs=runs, note=note, until=until)


def _ended(line: Line | None, known: Line, entry: Entry, data: Mapping[str, Any], state: State, note: str) -> Line:
    """What was done on the spot was not entered before."""
    on_the_spot = not data.get("op") and not data.get("scope") and line is not None and line.ended_at is not None
    runs, begun = (known.runs + 1, entry.at) if on_the_spot else (known.runs, known.begun_at)
    done = known.done if known.total is None else known.total if state == "completed" else known.done
    return replace(
        known, state=state, ended_at=entry.at, until=None, note=note, runs=runs, begun_at=begun, done=done, holds=0
    )


def _item(line: Line, note: str) -> Line:
    return replace(line, state="running", done=line.done + 1, note=note, until=None, holds=max(line.holds - 1, 0))


def _length(data: Mapping[str, Any]) -> int | None:
    items = data.get("items")
    return len(items) if isinstance(items, list) else None


def _error(data: Mapping[str, Any]) -> str:
    error = data.get("error")
    return str(error.get("message", "")) if isinstance(error, Mapping) else ""
