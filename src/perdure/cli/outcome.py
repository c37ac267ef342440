"""What became of an execution: the object for programs, and the last lines for people."""

from __future__ import annotations

import sys
from typing import Any

import msgspec

from perdure.cli.wording import duration, moment, shown, took
from perdure.clock import now_ms
from perdure.model.records import ExecutionRecord, Waiting
from perdure.service.describing import Described

LONG_MS = 2_000
COMPLETED, FAILED, WAITING, CANCELLED = 0, 1, 3, 4
_STATUSES = {"completed": COMPLETED, "failed": FAILED, "cancelled": CANCELLED}


def exit_status(status: str) -> int:
    return _STATUSES.get(status, WAITING)


def outcome(described: Described, view: Any) -> dict[str, Any]:
    """The object that `run --json` prints."""
    canonical: dict[str, Any] = described.canonical()
    names = ("id", "dialect", "status", "output", "error", "waiting_for")
    return {**{name: canonical.get(name) for name in names}, "view": view}


def tell_end(described: Described, name: str, *, kept: bool, in_time: bool = True) -> None:
    """Its output, and a line that says what happened; what went wrong, on stderr."""
    record = described.record
    if record.status == "completed":
        print(msgspec.json.format(msgspec.json.encode(record.output), indent=2).decode())
    sys.stdout.flush()
    where = sys.stderr if record.status in ("failed", "cancelled") else sys.stdout
    print(_sentence(described.record, name, kept=kept, in_time=in_time), file=where)


def _sentence(record: ExecutionRecord, name: str, *, kept: bool, in_time: bool) -> str:
    spent = took((record.ended_at or now_ms()) - record.started_at)
    stays = f" (execution {record.id})" if kept else ""
    match record.status:
        case "completed":
            return f"completed: {shown(name)} in {spent}{stays}"
        case "failed" | "cancelled" as status:
            why = "" if record.error is None else f": {shown(record.error.message, 2_000)}"
            return f"{status}: {shown(name)} after {spent}{why}{stays}"
        case _ if record.status == "waiting" and record.waiting is not None:
            return f"waiting: {shown(name)} {waits_for(record.waiting)}{stays}{_way_on(kept=kept)}"
        case _:
            over = "the time is over" if not in_time else "it goes on"
            return f"{record.status}: {shown(name)} after {spent}; {over}{stays}{_way_on(kept=kept)}"


def waits_for(waiting: Waiting) -> str:
    """`waits at 'pay' for an event order.paid, since 3 minutes, until 2026-11-15 13:00:00`."""
    what = {"approval": "an approval", "event": "an event", "timer": "its time", "operator": "an operator"}
    on = f" {waiting.on}" if waiting.on else ""
    until = "" if waiting.until is None else f", until {moment(waiting.until)}"
    since = now_ms() - waiting.since
    long = f", since {duration(since)}" if since >= LONG_MS else ""
    return f"waits at {waiting.step!r} for {what[waiting.kind]}{on}{long}{until}"


def _way_on(*, kept: bool) -> str:
    if kept:
        return "\n`perdure worker` goes on with it, `perdure executions why` says more."
    return "\nIt is gone with its temporary database; with --db sqlite:///flows.db it stays and can go on."
