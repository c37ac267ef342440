"""What became of an execution: the object for programs, and the last lines for people."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

from perdure.cli.hints import hint
from perdure.cli.where import Where
from perdure.cli.wording import duration, format_json, shown, took
from perdure.clock import now_ms
from perdure.model.failure import Failure
from perdure.model.records import ExecutionRecord, Waiting
from perdure.service.describing import Described
from perdure.service.times import local_time

LONG_MS = 2_000
GONE = "It is gone with its temporary database; with --db sqlite:///flows.db it stays and can go on."
COMPLETED, FAILED, WAITING, CANCELLED = 0, 1, 3, 4
_STATUSES = {"completed": COMPLETED, "failed": FAILED, "cancelled": CANCELLED}


def exit_status(status: str) -> int:
    return _STATUSES.get(status, WAITING)


def outcome(described: Described, view: Any) -> dict[str, Any]:
    """The object that `run --json` prints."""
    canonical: dict[str, Any] = described.canonical()
    names = ("id", "dialect", "status", "output", "error", "waiting_for")
    return {**{name: canonical.get(name) for name in names}, "view": view}


def tell_end(described: Described, name: str, way_on: str | None, *, in_time: bool = True) -> None:
    """Its output, and a line that says what happened; what went wrong, on stderr. `way_on`: what to do with one that is not at
    its end; None if it is not kept.
    """
    record = described.record
    if record.status == "completed":
        print(format_json(record.output))
    sys.stdout.flush()
    where = sys.stderr if record.status in ("failed", "cancelled") else sys.stdout
    print(_sentence(described.record, name, way_on, in_time=in_time), file=where)


def way_on(
    execution: str,
    where: Where,
    tasks: Sequence[str] = (),
    organization: str = "default",
    waiting: Waiting | None = None,
) -> str:
    """What to do with one that is not at its end. `waiting`: what it waits for, if that is known."""
    worker = hint("worker", where=where, tasks=tasks)
    more = f"{hint('executions', 'why', execution, where=where, organization=organization)} says more."
    if waiting is not None and waiting.kind == "approval":
        asked = hint("approvals", "list", "--status", "pending", where=where, organization=organization)
        return f"{asked} shows what is to be decided; {worker} goes on with it then,\n{more}"
    return f"{worker} goes on with it,\n{more}"


def _sentence(record: ExecutionRecord, name: str, way_on: str | None, *, in_time: bool) -> str:
    spent = took((record.ended_at or now_ms()) - record.started_at)
    stays = "" if way_on is None else f" (execution {record.id})"
    match record.status:
        case "completed":
            return f"completed: {shown(name)} in {spent}{stays}"
        case "failed" | "cancelled" as status:
            why = "" if record.error is None else f": {_why(record.error)}"
            return f"{status}: {shown(name)} after {spent}{why}{stays}"
        case _ if record.status == "waiting" and record.waiting is not None:
            return f"waiting: {shown(name)} {waits_for(record.waiting)}{stays}\n{way_on or GONE}"
        case _:
            over = "the time is over" if not in_time else "it goes on"
            return f"{record.status}: {shown(name)} after {spent}; {over}{stays}\n{way_on or GONE}"


def _why(error: Failure) -> str:
    arose = "" if error.origin is None else f" (in execution {shown(error.origin)})"
    return f"{shown(error.message, 2_000)}{arose}"


def waits_for(waiting: Waiting) -> str:
    """`waits at 'pay' for an event order.paid, for 3 minutes now, until 2026-11-15 13:00:00 CET`."""
    what = {"approval": "an approval", "event": "an event", "timer": "its time", "operator": "an operator"}
    on = f" {waiting.on}" if waiting.on else ""
    until = "" if waiting.until is None else f", until {local_time(waiting.until)}"
    since = now_ms() - waiting.since
    long = f", for {duration(since)} now" if since >= LONG_MS else ""
    return f"waits at {waiting.step!r} for {what[waiting.kind]}{on}{long}{until}"
