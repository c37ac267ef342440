"""The ledger: answers under keys, the log of triggers, when keys were last used; and forgetting all of it."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from perdure.core.advance import Start
from perdure.model.records import ExecutionRecord
from perdure.model.workflow import Schedule, Workflow
from perdure.store import port as p
from perdure.store.ledger import (
    BODY_BYTES_MAX,
    DAY_MS,
    MINUTE_MS,
    NOT_THEIRS,
    ROWS_A_MINUTE,
    STILL_RUNS,
    Answer,
    Answered,
    GiveAnswer,
    LedgerBounds,
    LedgerForgotten,
    LogTrigger,
    PromiseAnswer,
    Promised,
    TriggerEntry,
    UseKey,
    WantedTriggers,
    WithdrawPromise,
    bounded,
    bounds,
)
from perdure.store.questions import Questions
from perdure.store.versions import NewVersion
from store.stores import Kept
from store.words import ANN, COMMITTED, T0, event, held, one, pending, released, running

UNTIL = T0 + MINUTE_MS
SAID = Answer(201, b'{"id":"e1"}\0\xff', "application/json", (("location", "/api/executions/e1"),))
THEIRS = p.Duplicate("k1")


def promise(by: str = "request-1", **more: Any) -> PromiseAnswer:
    return PromiseAnswer(**{"key": "k1", "request": "hash-1", "by": by, "at": T0, "until": UNTIL, **more})


def give(by: str = "request-1", answer: Answer = SAID, **more: Any) -> GiveAnswer:
    return GiveAnswer(**{"key": "k1", "by": by, "at": T0 + 5, "answer": answer, **more})


# Answers.


def test_a_key_is_promised_and_then_answered(store: Kept, asked: Questions) -> None:
    assert asked.answer_of("default", "k1") is None
    assert one(store, promise()) == COMMITTED
    assert asked.answer_of("default", "k1") == Promised("hash-1", "request-1", T0, UNTIL)
    assert one(store, give()) == COMMITTED
    assert asked.answer_of("default", "k1") == Answered("hash-1", SAID, T0 + 5)


def test_of_two_who_begin_with_one_key_the_first_is_at_it(store: Kept, asked: Questions) -> None:
    assert store.commit([promise(), promise("request-2"), promise("request-3", request="other")]) == [
        COMMITTED,
        THEIRS,
        THEIRS,
    ]
    assert asked.answer_of("default", "k1") == Promised("hash-1", "request-1", T0, UNTIL)
    assert one(store, give()) == COMMITTED
    assert one(store, promise("request-2", at=UNTIL + DAY_MS // 2)) == THEIRS, "an answer is not void with its promise"


def test_what_is_sent_again_is_answered_as_the_first_time(store: Kept, asked: Questions) -> None:
    assert [one(store, promise()), one(store, promise())] == [COMMITTED, COMMITTED]
    assert [one(store, give()), one(store, give())] == [COMMITTED, COMMITTED]
    assert asked.answer_of("default", "k1") == Answered("hash-1", SAID, T0 + 5)


def test_a_promise_that_is_void_is_taken_over_by_the_same_request(store: Kept, asked: Questions) -> None:
    one(store, promise())
    assert one(store, promise("heir", at=UNTIL - 1, until=UNTIL + MINUTE_MS)) == THEIRS
    assert one(store, promise("other", request="other", at=UNTIL, until=UNTIL + MINUTE_MS)) == THEIRS
    assert one(store, promise("heir", at=UNTIL, until=UNTIL + MINUTE_MS)) == COMMITTED
    assert one(store, promise("third", at=UNTIL, until=UNTIL + MINUTE_MS)) == THEIRS
    assert asked.answer_of("default", "k1") == Promised("hash-1", "heir", UNTIL, UNTIL + MINUTE_MS)


def test_who_was_only_slow_cannot_answer_for_whoever_took_over(store: Kept, asked: Questions) -> None:
    one(store, promise())
    one(store, promise("heir", at=UNTIL, until=UNTIL + MINUTE_MS))
    assert one(store, give(answer=Answer(500, b"late"))) == p.GuardFailed(NOT_THEIRS)
    one(store, WithdrawPromise("k1", "request-1"))
    assert one(store, give("heir")) == COMMITTED
    assert one(store, give(answer=Answer(500, b"late"))) == p.GuardFailed(NOT_THEIRS)
    assert asked.answer_of("default", "k1") == Answered("hash-1", SAID, T0 + 5)


def test_who_is_late_and_has_no_heir_may_still_answer(store: Kept, asked: Questions) -> None:
    one(store, promise())
    assert one(store, give(at=UNTIL + 1)) == COMMITTED
    assert asked.answer_of("default", "k1") == Answered("hash-1", SAID, UNTIL + 1)


def test_a_key_is_free_again_after_its_promise_was_withdrawn(store: Kept, asked: Questions) -> None:
    one(store, promise())
    assert one(store, WithdrawPromise("k1", "request-1")) == COMMITTED
    assert asked.answer_of("default", "k1") is None
    assert one(store, give()) == p.GuardFailed(NOT_THEIRS)
    assert one(store, promise("request-2", request="other")) == COMMITTED


def test_what_was_answered_cannot_be_withdrawn(store: Kept, asked: Questions) -> None:
    store.commit([promise(), give()])
    assert one(store, WithdrawPromise("k1", "request-1")) == COMMITTED
    assert asked.answer_of("default", "k1") == Answered("hash-1", SAID, T0 + 5)


def test_an_answer_is_kept_up_to_a_length(store: Kept, asked: Questions) -> None:
    longest = Answer(200, b"x" * BODY_BYTES_MAX)
    one(store, promise())
    refused = one(store, give(answer=replace(longest, body=longest.body + b"x")))
    assert refused == p.Refused("an answer of 262,145 bytes is not kept; 262,144 is the most")
    assert one(store, give(answer=longest)) == COMMITTED
    assert asked.answer_of("default", "k1") == Answered("hash-1", longest, T0 + 5)


def test_an_empty_answer_is_one(store: Kept, asked: Questions) -> None:
    store.commit([promise(), give(answer=Answer(204, b""))])
    assert asked.answer_of("default", "k1") == Answered("hash-1", Answer(204, b""), T0 + 5)


def test_keys_of_organizations_are_apart(store: Kept, asked: Questions) -> None:
    assert store.commit([promise(), promise("request-2", organization="acme")]) == [COMMITTED, COMMITTED]
    store.commit([WithdrawPromise("k1", "request-1", "acme"), give("request-1", organization="acme")])
    assert asked.answer_of("acme", "k1") == Promised("hash-1", "request-2", T0, UNTIL)
    assert asked.answer_of("nobody", "k1") is None


# The log of triggers.


def hook(at: int = T0, outcome: Any = "rejected", **more: Any) -> LogTrigger:
    return LogTrigger(**{"at": at, "kind": "hook", "subject": "wh_1", "outcome": outcome, **more})


def told(asked: Questions, organization: str = "default", limit: int = 1_000, **more: Any) -> list[TriggerEntry]:
    return asked.triggers(WantedTriggers(organization, limit, **more))


def test_what_is_logged_is_told_the_newest_first(store: Kept, asked: Questions) -> None:
    full = hook(T0 + 1, reason="no signature", delivery="msg_1", request="req_1")
    store.commit([hook(outcome="duplicate", execution="e7"), full, hook(organization="acme")])
    newest, oldest = told(asked)
    assert newest == TriggerEntry(
        *(newest.place, T0 + 1, "hook", "wh_1", "rejected", "no signature", None, "msg_1", "req_1", 1, T0 + 1)
    )
    assert (oldest.outcome, oldest.execution, oldest.times) == ("duplicate", "e7", 1)
    assert [entry.organization for entry in told(asked, "acme")] == ["acme"]
    assert told(asked, "nobody") == []


def test_the_log_comes_page_by_page(store: Kept, asked: Questions) -> None:
    store.commit([hook(T0 + n, subject=f"wh_{n}") for n in range(5)])
    pages: list[list[str]] = []
    before = None
    while page := told(asked, limit=2, before=before):
        pages.append([entry.subject for entry in page])
        before = page[-1].place
    assert pages == [["wh_4", "wh_3"], ["wh_2", "wh_1"], ["wh_0"]]


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ({}, [4, 3, 2, 1, 0]),
        ({"outcome": "rejected"}, [3, 1]),
        ({"subject": "wh_1"}, [4, 3, 0]),
        ({"subject": "wh_1", "outcome": "rejected"}, [3]),
        ({"subject": "wh_1", "outcome": "rate_limited"}, []),
        ({"since": T0 + 1, "until": T0 + 3}, [2, 1]),
        ({"outcome": "accepted", "since": T0 + 1}, [4, 2]),
        ({"subject": "wh_2", "until": T0 + 2}, [1]),
    ],
)
def test_the_log_is_asked_by_outcome_subject_and_time(
    store: Kept, asked: Questions, wanted: Any, found: list[int]
) -> None:
    subjects, outcomes = ("wh_1", "wh_2", "wh_2", "wh_1", "wh_1"), ("accepted", "rejected")
    store.commit([hook(T0 + n, outcomes[n % 2], subject=subject) for n, subject in enumerate(subjects)])
    assert [entry.at - T0 for entry in told(asked, **wanted)] == found


@pytest.mark.parametrize("outcome", ["rejected", "duplicate", "rate_limited"])
def test_what_comes_too_often_is_counted_on_the_last_row(store: Kept, asked: Questions, outcome: Any) -> None:
    store.commit([hook(T0 + n, outcome) for n in range(ROWS_A_MINUTE)])
    store.commit(
        [hook(T0 + 100, outcome), hook(T0 + 101, outcome, times=7), hook(T0 + 102, outcome, organization="acme")]
    )
    rows = told(asked)
    assert (len(rows), rows[0].times, rows[0].at, rows[0].last_at) == (
        ROWS_A_MINUTE,
        9,
        T0 + ROWS_A_MINUTE - 1,
        T0 + 101,
    )
    assert {row.times for row in rows[1:]} == {1}
    assert [row.times for row in told(asked, "acme")] == [1], "each organization has a minute of its own"


def test_after_a_minute_there_is_room_again(store: Kept, asked: Questions) -> None:
    store.commit([hook(T0 + n) for n in range(ROWS_A_MINUTE)])
    store.commit([hook(T0 + MINUTE_MS - 1), hook(T0 + MINUTE_MS), hook(T0 + MINUTE_MS)])
    assert [row.times for row in told(asked)][:3] == [2, 2, 1]
    assert len(told(asked)) == ROWS_A_MINUTE + 1


def test_outcomes_do_not_count_for_each_other_and_what_is_accepted_always_has_a_row(
    store: Kept, asked: Questions
) -> None:
    many = ROWS_A_MINUTE + 5
    store.commit([hook(T0, "accepted", execution=f"e{n}") for n in range(many)])
    store.commit([hook(T0, "rejected"), hook(T0, "duplicate")])
    assert [len(told(asked, outcome=one)) for one in ("accepted", "rejected", "duplicate")] == [many, 1, 1]


def test_what_is_started_and_logged_is_one_commit(store: Kept, asked: Questions) -> None:
    note = hook(outcome="accepted", delivery="msg_1")
    first = p.Create(pending("e1"), key="k", note=note)
    again = p.Create(pending("e2"), key="k", note=note)
    outdated = p.Create(pending("e3"), active=True, note=note)
    assert [one(store, item) for item in (first, again)] == [COMMITTED, p.Duplicate("e1")]
    assert isinstance(one(store, outdated), p.GuardFailed)
    assert one(store, first) == COMMITTED, "the answer was lost"
    (entry,) = told(asked)
    assert (entry.execution, entry.outcome, entry.delivery, entry.subject) == ("e1", "accepted", "msg_1", "wh_1")


def test_many_that_are_started_together_are_all_logged(store: Kept, asked: Questions) -> None:
    odd = 'a "quoted", \\ {käse}'
    items = [p.Create(pending(f"e{n}"), ANN, note=hook(outcome="accepted", delivery=odd)) for n in range(6)]
    assert store.commit([*items, p.Create(pending("quiet"), ANN)]) == [COMMITTED] * 7
    assert [entry.execution for entry in reversed(told(asked))] == [f"e{n}" for n in range(6)]
    assert {(entry.delivery, entry.reason, entry.times) for entry in told(asked)} == {(odd, None, 1)}


def test_an_event_is_logged_with_it(store: Kept, asked: Questions) -> None:
    note = LogTrigger(T0, "event", "order.paid", request="req_1")
    published = p.Publish(event(), note)
    assert [one(store, published), one(store, published)] == [COMMITTED, p.Duplicate("ev1")]
    assert [(entry.kind, entry.subject, entry.request) for entry in told(asked)] == [("event", "order.paid", "req_1")]


def test_a_schedule_is_logged_slot_by_slot(store: Any, asked: Questions) -> None:
    schedule = Schedule("tick", every_ms=MINUTE_MS, overlap="skip")
    digest = store.keep(NewVersion("orders", Workflow("orders", schedules=(schedule,)), "model", T0)).version.digest
    place = asked.schedule("default", "orders", "tick").next_at  # type: ignore[union-attr]
    assert place is not None

    def slot(execution: str, at: int) -> tuple[int, p.Pending]:
        record = ExecutionRecord(execution, "orders", digest, at, trigger="schedule")
        return at, p.Pending(record, Start(at, execution, {}, trigger="schedule"))

    starts = (slot("s1", place), slot("s2", place + 1))
    fire = p.Fire("orders", "tick", digest, place, place + MINUTE_MS, starts, overlap=False)
    assert one(store, fire) == COMMITTED
    assert isinstance(one(store, fire), p.GuardFailed)
    skipped, started = told(asked, subject="orders/tick")
    assert (started.kind, started.outcome, started.execution, started.at) == ("schedule", "accepted", "s1", place)
    assert (skipped.outcome, skipped.reason, skipped.execution) == ("rejected", STILL_RUNS, "s1")


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        (None, None),
        ("", ""),
        ("a\0b", "a\ufffdb"),
        ("\ud800", "?"),
        ("x" * 500, "x" * 500),
        ("x" * 501, "x" * 499 + "…"),
    ],
)
def test_what_others_wrote_is_made_to_fit(given: str | None, kept: str | None) -> None:
    assert bounded(given) == kept


# Keys.


def test_when_a_key_was_used_is_written_once_a_minute(store: Kept, asked: Questions) -> None:
    assert asked.key_uses("default") == {}
    uses = [UseKey("a", T0), UseKey("a", T0 + MINUTE_MS - 1), UseKey("b", T0 + 1), UseKey("a", T0, "acme")]
    assert store.commit(uses) == [COMMITTED] * 4
    assert asked.key_uses("default") == {"a": T0, "b": T0 + 1}
    store.commit([UseKey("a", T0 + MINUTE_MS), UseKey("b", T0)])
    assert asked.key_uses("default") == {"a": T0 + MINUTE_MS, "b": T0 + 1}
    assert asked.key_uses("acme") == {"a": T0}


# Forgetting.


def some(limit: int = 100, **more: Any) -> LedgerBounds:
    return LedgerBounds(**{"answers_before": 0, "triggers_before": 0, "uses_before": 0, "limit": limit, **more})


def forgotten(store: Kept, given: LedgerBounds) -> list[int]:
    """How many rows at a time, until nothing is left."""
    rows: list[int] = []
    after: str | None = ""
    while after is not None:
        found = store.forget_ledger(replace(given, after=after))
        rows.append(found.rows)
        after = found.after
    return rows


def test_nothing_is_forgotten_of_an_empty_ledger(store: Kept) -> None:
    assert store.forget_ledger(bounds(T0 + 1_000 * DAY_MS, 10)) == LedgerForgotten(0)


def test_what_is_young_is_kept(store: Kept) -> None:
    store.commit([promise(), give(), hook(), UseKey("a", T0)])
    assert store.forget_ledger(bounds(T0 + DAY_MS, 10)) == LedgerForgotten(0)


def test_answers_and_promises_are_forgotten_after_a_day_a_few_at_once(store: Kept, asked: Questions) -> None:
    store.commit([promise(key=f"k{n}", at=T0 + n) for n in range(4)])
    one(store, give(key="k2"))
    now = T0 + 3 + DAY_MS
    assert forgotten(store, bounds(now, 2)) == [2, 1]
    assert [asked.answer_of("default", f"k{n}") is None for n in range(4)] == [True, True, True, False]
    assert one(store, promise("later", key="k2", request="other")) == COMMITTED


def test_the_log_is_forgotten_after_two_weeks_a_few_at_once(store: Kept, asked: Questions) -> None:
    store.commit([hook(T0 + n, organization=whose) for whose in ("acme", "default") for n in range(4)])
    now = T0 + 3 + 14 * DAY_MS
    assert forgotten(store, bounds(now, 2)) == [2, 2, 2, 0]
    assert [[entry.at - T0 for entry in told(asked, whose)] for whose in ("acme", "default")] == [[3], [3]]


def test_an_organization_has_so_many_rows(store: Kept, asked: Questions) -> None:
    store.commit([hook(T0 + n, subject=f"wh_{n}") for n in range(7)])
    store.commit([hook(organization="acme") for _ in range(3)])
    assert forgotten(store, some(2, rows_max=3)) == [2, 2, 0]
    assert [entry.subject for entry in told(asked)] == ["wh_6", "wh_5", "wh_4"]
    assert len(told(asked, "acme")) == 3


def test_a_place_in_the_log_is_never_given_again(store: Kept, asked: Questions) -> None:
    store.commit([hook(), hook()])
    last = told(asked)[0].place
    assert store.forget_ledger(some(triggers_before=T0 + 1)).rows == 2
    one(store, hook())
    assert told(asked)[0].place > last


def test_the_last_use_of_a_key_is_forgotten_after_more_than_a_year(store: Kept, asked: Questions) -> None:
    store.commit([UseKey("old", T0), UseKey("older", T0 - 1), UseKey("new", T0 + 1)])
    assert forgotten(store, bounds(T0 + 1 + 400 * DAY_MS, 1)) == [1, 1, 0]
    assert asked.key_uses("default") == {"new": T0 + 1}


def test_so_many_organizations_are_looked_at_in_one_turn_and_all_of_them_in_turn(store: Kept, asked: Questions) -> None:
    names = [f"o{n}" for n in range(9)]
    store.commit([hook(T0 - 1 if name in ("o5", "o8") else T0, organization=name) for name in names])
    given = some(3, triggers_before=T0)
    assert store.forget_ledger(given) == LedgerForgotten(0, "o2")
    assert store.forget_ledger(replace(given, after="o2")) == LedgerForgotten(1, "o5")
    assert store.forget_ledger(replace(given, after="o5")) == LedgerForgotten(1, "o8")
    assert store.forget_ledger(replace(given, after="o8")) == LedgerForgotten(0)
    assert [name for name in names if not told(asked, name)] == ["o5", "o8"]


def test_answers_and_uses_go_before_the_log_of_the_first_organization(store: Kept) -> None:
    store.commit([promise(key="a"), promise(key="b"), UseKey("a", T0), hook(), hook(organization="acme")])
    later = some(2, answers_before=T0 + 1, uses_before=T0 + 1, triggers_before=T0 + 1)
    assert store.forget_ledger(replace(later, after="acme")) == LedgerForgotten(1)
    assert forgotten(store, later) == [3, 1]


# What is open.


def test_what_has_not_ended_is_counted_for_an_organization(store: Kept, asked: Questions) -> None:
    one(store, p.Create(pending("new")))
    held(store, "owned")
    released(store, "waits", record=running("waits", 1, status="waiting", wake_at=T0 + 5))
    released(store, "done", record=running("done", 1, status="completed", live=False, ended_at=T0))
    released(store, "undone", record=running("undone", 1, status="failed", ended_at=T0))
    held(store, "theirs", organization="acme")
    assert [asked.open_count_of("default", limit) for limit in (1, 2, 3, 99)] == [1, 2, 3, 3]
    assert (asked.open_count_of("acme", 99), asked.open_count_of("nobody", 99)) == (1, 0)
