"""The ledger in memory."""

from __future__ import annotations

from itertools import islice
from typing import assert_never

from msgspec.structs import replace

from perdure.store import port as p
from perdure.store.ledger import (
    MINUTE_MS,
    NOT_THEIRS,
    ROWS_A_MINUTE,
    Answered,
    GiveAnswer,
    LedgerBounds,
    LedgerForgotten,
    LedgerItem,
    LogTrigger,
    PromiseAnswer,
    Promised,
    TriggerEntry,
    UseKey,
    WantedTriggers,
    WithdrawPromise,
    is_counted,
    too_long,
)
from perdure.store.memory.tables import Tables


def write(tables: Tables, item: LedgerItem) -> p.Outcome:
    match item:
        case PromiseAnswer():
            return _promise(tables, item)
        case GiveAnswer():
            return _give(tables, item)
        case WithdrawPromise():
            promise, answer = tables.answers.get((item.organization, item.key), (None, None))
            if promise is not None and answer is None and promise.by == item.by:
                del tables.answers[item.organization, item.key]
        case LogTrigger():
            log(tables, item)
        case UseKey():
            last = tables.uses.get((item.organization, item.id))
            if last is None or last <= item.at - MINUTE_MS:
                tables.uses[item.organization, item.id] = item.at
        case _:
            assert_never(item)
    return p.Committed()


def _promise(tables: Tables, item: PromiseAnswer) -> p.Outcome:
    there, answer = tables.answers.get((item.organization, item.key), (None, None))
    if there is not None:
        is_free = there.by == item.by or there.until <= item.at
        if answer is not None or there.request != item.request or not is_free:
            return p.Duplicate(item.key)
    tables.answers[item.organization, item.key] = (Promised(item.request, item.by, item.at, item.until), None)
    return p.Committed()


def _give(tables: Tables, item: GiveAnswer) -> p.Outcome:
    refused = too_long(item.answer)
    if refused is not None:
        return p.Refused(refused)
    promise, _ = tables.answers.get((item.organization, item.key), (None, None))
    if promise is None or promise.by != item.by:
        return p.GuardFailed(NOT_THEIRS)
    answered = Answered(promise.request, item.answer, item.at)
    tables.answers[item.organization, item.key] = (promise, answered)
    return p.Committed()


def log(tables: Tables, item: LogTrigger) -> None:
    whose = (item.organization, item.outcome)
    alike = [n for n, entry in enumerate(tables.triggered) if (entry.organization, entry.outcome) == whose]
    nth = tables.triggered[alike[-ROWS_A_MINUTE]].at if len(alike) >= ROWS_A_MINUTE else None
    if is_counted(item, nth):
        last = tables.triggered[alike[-1]]
        tables.triggered[alike[-1]] = replace(last, times=last.times + item.times, last_at=item.at)
        return
    tables.triggers_logged += 1
    said = (item.at, item.kind, item.subject, item.outcome, item.reason, item.execution, item.delivery, item.request)
    tables.triggered.append(TriggerEntry(tables.triggers_logged, *said, item.times, item.at, item.organization))


def answer_of(tables: Tables, organization: str, key: str) -> Promised | Answered | None:
    promise, answer = tables.answers.get((organization, key), (None, None))
    return promise if answer is None else answer


def triggers(tables: Tables, wanted: WantedTriggers) -> list[TriggerEntry]:
    found = (entry for entry in reversed(tables.triggered.copy()) if _is_wanted(entry, wanted))
    return list(islice(found, wanted.limit))


def _is_wanted(entry: TriggerEntry, wanted: WantedTriggers) -> bool:
    return (
        entry.organization == wanted.organization
        and (wanted.before is None or entry.place < wanted.before)
        and wanted.outcome in (None, entry.outcome)
        and wanted.subject in (None, entry.subject)
        and (wanted.since is None or entry.at >= wanted.since)
        and (wanted.until is None or entry.at < wanted.until)
    )


def key_uses(tables: Tables, organization: str) -> dict[str, int]:
    return {id_: at for (whose, id_), at in tables.uses.copy().items() if whose == organization}


def forget(tables: Tables, bounds: LedgerBounds) -> LedgerForgotten:
    if bounds.after:
        return _forget_triggers(tables, bounds, 0)
    answers = [key for key, (promise, _) in tables.answers.items() if promise.at < bounds.answers_before]
    uses = [key for key, at in tables.uses.items() if at < bounds.uses_before]
    for key in answers[: bounds.limit]:
        del tables.answers[key]
    for key in uses[: bounds.limit]:
        del tables.uses[key]
    gone = len(answers[: bounds.limit]) + len(uses[: bounds.limit])
    if max(len(answers), len(uses)) >= bounds.limit:
        return LedgerForgotten(gone, bounds.after)
    return _forget_triggers(tables, bounds, gone)


def _forget_triggers(tables: Tables, bounds: LedgerBounds, others: int) -> LedgerForgotten:
    gone: set[int] = set()
    after = bounds.after
    organizations = sorted({entry.organization for entry in tables.triggered if entry.organization > after})
    for organization in organizations[: bounds.limit]:
        mine = [entry for entry in tables.triggered if entry.organization == organization]
        beyond = max(len(mine) - bounds.rows_max, 0)
        oldest = enumerate(mine[: bounds.limit - len(gone)])
        gone |= {entry.place for n, entry in oldest if n < beyond or entry.at < bounds.triggers_before}
        if len(gone) == bounds.limit:
            break
        after = organization
    tables.triggered = [entry for entry in tables.triggered if entry.place not in gone]
    is_over = len(gone) < bounds.limit and len(organizations) < bounds.limit
    return LedgerForgotten(others + len(gone), None if is_over else after)
