"""The ledger in a database: what is asked of it, what one transaction writes to it, and forgetting."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any, assert_never

import msgspec
from msgspec.structs import asdict

from perdure.store import port as p
from perdure.store.ledger import (
    NOT_THEIRS,
    ROWS_A_MINUTE,
    Answer,
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
from perdure.store.sql import rows
from perdure.store.sql.statements import Statements

ALWAYS = (1 << 63) - 1

_headers = msgspec.json.Decoder(tuple[tuple[str, str], ...])


class SqlLedger:
    """What is asked, beside whoever writes."""

    def __init__(self, statements: Statements) -> None:
        self._sql = statements

    def answer_of(self, organization: str, key: str) -> Promised | Answered | None:
        found = self._sql.one("answer_of", (organization, key))
        if found is None:
            return None
        request, by, at, until, answered_at, status, content_type, headers, body = found
        if status is None:
            return Promised(request, by, at, until)
        return Answered(request, Answer(status, bytes(body), content_type, _headers.decode(headers)), answered_at)

    def triggers(self, wanted: WantedTriggers) -> list[TriggerEntry]:
        given = asdict(wanted)
        given["before"] = ALWAYS if wanted.before is None else wanted.before
        given["since"] = -ALWAYS if wanted.since is None else wanted.since
        given["until"] = ALWAYS if wanted.until is None else wanted.until
        of_subject = "" if wanted.subject is None else "_of_subject"
        with_outcome = "" if wanted.outcome is None else "_with_outcome"
        return [TriggerEntry(*row) for row in self._sql.all(f"triggers{of_subject}{with_outcome}", given)]

    def key_uses(self, organization: str) -> dict[str, int]:
        return dict(self._sql.all("key_uses", (organization,)))


class LedgerWrites:
    """What one transaction writes. Rows that others write as well come at its end, and in one order: nobody waits in a circle for
    them.
    """

    def __init__(self, statements: Statements) -> None:
        self._sql = statements
        self._counted: dict[int, tuple[int, int]] = {}
        """By the place of a row of the log: so many more it stands for, and when the last of them came."""
        self._uses: list[UseKey] = []

    def finish(self) -> None:
        for place, (times, at) in sorted(self._counted.items()):
            self._sql.run("count_on", (times, at, place))
        for use in sorted(self._uses, key=lambda use: (use.organization, use.id)):
            self._sql.run("use_key", (use.organization, use.id, use.at))

    def write(self, item: LedgerItem) -> p.Outcome:
        match item:
            case PromiseAnswer():
                given = (item.organization, item.key, item.request, item.by, item.at, item.until)
                return p.Duplicate(item.key) if self._sql.one("promise", given) is None else p.Committed()
            case GiveAnswer():
                return self._give(item)
            case WithdrawPromise():
                self._sql.run("withdraw_promise", (item.organization, item.key, item.by))
            case LogTrigger():
                self.log(item)
            case UseKey():
                self._uses.append(item)
            case _:
                assert_never(item)
        return p.Committed()

    def _give(self, item: GiveAnswer) -> p.Outcome:
        answer, refused = item.answer, too_long(item.answer)
        if refused is not None:
            return p.Refused(refused)
        said = (answer.status, answer.content_type, rows.text(answer.headers), answer.body)
        given = (item.at, *said, item.organization, item.key, item.by)
        return p.GuardFailed(NOT_THEIRS) if self._sql.one("give_answer", given) is None else p.Committed()

    def log(self, item: LogTrigger) -> None:
        asked = (item.organization, item.outcome, ROWS_A_MINUTE - 1)
        found = None if item.outcome == "accepted" else self._sql.one("nth_newest", asked)
        nth, last = found or (None, 0)
        if is_counted(item, nth):
            times, _ = self._counted.get(last, (0, 0))
            self._counted[last] = (times + item.times, item.at)
        else:
            self._sql.run("insert_trigger", trigger_row(item))


def trigger_row(item: LogTrigger) -> tuple[Any, ...]:
    said = (item.kind, item.subject, item.outcome, item.reason, item.execution, item.delivery, item.request)
    return (item.organization, item.at, *said, item.times, item.at)


class LedgerRetention:
    """`transaction` begins one, `sql` writes in it. Where there is nothing to forget, nobody is kept from writing."""

    def __init__(
        self, sql: Statements, transaction: Callable[[], AbstractContextManager[object]], bounds: LedgerBounds
    ) -> None:
        self._sql, self._transaction, self._bounds = sql, transaction, bounds

    def forget(self) -> LedgerForgotten:
        """Answers and uses of keys before the log of the first organization."""
        limit, after = self._bounds.limit, self._bounds.after
        if after:
            return self._triggers(0)
        answers, uses = self._answers(), self._uses()
        if limit in (answers, uses):
            return LedgerForgotten(answers + uses, after)
        return self._triggers(answers + uses)

    def _answers(self) -> int:
        before = self._bounds.answers_before
        if self._sql.one("oldest_answer", (before,)) is None:
            return 0
        with self._transaction():
            return len(self._sql.all("forget_answers", (before, self._bounds.limit)))

    def _triggers(self, others: int) -> LedgerForgotten:
        """Of one organization after the other; of the last one there may be more. `others`: so much was forgotten before."""
        left, after = self._bounds.limit, self._bounds.after
        spans = self._sql.all("spans_of_triggers", {"after": after, "limit": left})
        for organization, first, last, at in spans:
            left -= self._triggers_of(organization, (first, last, at), left)
            if left == 0:
                break
            after = organization
        is_over = left > 0 and len(spans) < self._bounds.limit
        return LedgerForgotten(others + self._bounds.limit - left, None if is_over else after)

    def _triggers_of(self, organization: str, span: tuple[int, int, int], limit: int) -> int:
        bounds, (first, last, at) = self._bounds, span
        beyond = (
            None if last - first < bounds.rows_max else self._sql.one("last_beyond", (organization, bounds.rows_max))
        )
        floor = -1 if beyond is None else beyond[0]
        if at >= bounds.triggers_before and first > floor:
            return 0
        given = {"organization": organization, "before": bounds.triggers_before, "floor": floor, "limit": limit}
        with self._transaction():
            return len(self._sql.all("forget_triggers", given))

    def _uses(self) -> int:
        before = self._bounds.uses_before
        if self._sql.one("oldest_use", (before,)) is None:
            return 0
        with self._transaction():
            return len(self._sql.all("forget_uses", (before, self._bounds.limit)))
