"""Why an execution is where it is, in sentences for people. Times are those of where they are."""

from __future__ import annotations

from typing import assert_never

from perdure.core import facts as f
from perdure.model.records import Status
from perdure.service.requests import Requested
from perdure.service.standing import Stood
from perdure.service.times import local_time
from perdure.service.why import WaitDetail
from perdure.tasks.registry import in_words, save_again, worker_with


def ended(found: Stood, asked: tuple[Requested, ...]) -> str:
    said = _ended(found)
    return said if not asked else " ".join([f"{said.removesuffix('.')}.", *map(request, asked)])


def sentence(
    status: Status, waits: tuple[WaitDetail, ...], asked: tuple[Requested, ...], now: int, *, attended: bool
) -> str:
    return " ".join([*map(request, asked), _sentence(status, waits, now, attended=attended)])


def request(asked: Requested) -> str:
    """What somebody wants of it that has not happened."""
    what = {"cancel": "A cancellation", "retry": "Another try", "refire": "To fire again"}[asked.what]
    by = f" by {asked.by}" if asked.by else ""
    reason = f" ({asked.reason})" if asked.reason else ""
    return f"{what} was asked for{by} at {local_time(asked.at)}{reason}, and no worker has taken it up yet."


def _ended(found: Stood) -> str:
    record = found.record
    at = local_time(record.ended_at or 0)
    if record.status == "completed":
        return f"It completed at {at}."
    why_ = "" if record.error is None else f": {record.error.message}"
    failed = _failed_steps(found)
    where = f" in step {failed}" if failed else ""
    return f"It {'failed' if record.status == 'failed' else 'was cancelled'} at {at}{where}{why_}"


def _failed_steps(found: Stood) -> str:
    facts = found.look.facts
    if found.record.status != "failed" or not isinstance(facts, tuple):
        return ""
    ended = next((fact for fact in reversed(facts) if isinstance(fact, f.ExecutionFailed)), None)
    return "" if ended is None else ", ".join(repr(found.name(step)) for step in ended.steps)


def _sentence(status: Status, waits: tuple[WaitDetail, ...], now: int, *, attended: bool) -> str:
    if not waits:
        return f"It is {status}: its next step is about to begin."
    said = _said(waits[0], now)
    rest = len(waits) - 1
    more = f" It waits for {rest} more {'thing' if rest == 1 else 'things'}." if rest else ""
    idle = "" if attended or waits[0].kind == "worker" else " No worker runs now: start one, or it will not go on."
    return f"{said}{more}{idle}"


def _said(wait: WaitDetail, now: int) -> str:
    since, at = local_time(wait.since), f"at step {wait.step!r} "
    until = "" if wait.until is None else f", until {local_time(wait.until)}"
    note = f": {wait.note}" if wait.note else ""
    match wait.kind:
        case "timer":
            label = f" ({wait.on})" if wait.on else ""
            return f"It waits {at}for its time{label}, {local_time(wait.until or now)}, since {since}."
        case "event":
            return f"It waits {at}for an event {wait.on!r} since {since}{until}."
        case "approval":
            return f"It waits {at}for the approval {wait.on} since {since}{until}{note}."
        case "child":
            return f"It waits {at}for execution {wait.on}, which it started at {since}{note or '.'}"
        case "backoff":
            which = f"attempt {wait.attempt} of {wait.on!r}" if wait.attempt is not None else "it"
            where = at if wait.step else ""
            return f"It waits {where}to try again: {which} begins at {local_time(wait.until or now)}; it failed at {since}{note}"
        case "task":
            by = f" by worker {wait.on}" if wait.on else ""
            return f"It is {at}calling {wait.note!r} since {since}, attempt {wait.attempt}{by}."
        case "missing_task":
            way_out = (
                f"start one that has it with `{worker_with(wait.on or '')}`, or register it{save_again(wait.on or '')}"
            )
            return f"It waits {at}for a worker that has the {in_words(wait.on or '')}, since {since}; {way_out}."
        case "operator":
            return f"It waits for an operator since {since}{note}."
        case "worker":
            return f"It could go on since {since}, and {wait.note}; {wait.on}."
        case "undoing":
            return f"It has ended, and {wait.note} since {since}."
        case "chain":
            return f"It has completed, and {wait.note} since {since}."
        case _:
            assert_never(wait.kind)
