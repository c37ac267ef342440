"""Schedules: rows that come with an active version, and are moved on by whoever finds them where they saw them."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from perdure.core.advance import Start
from perdure.ids import derived
from perdure.model.records import ExecutionRecord
from perdure.model.workflow import Schedule, Workflow
from perdure.runtime.scheduling import fire as start_due_slots
from perdure.store import port as p
from perdure.store.ledger import ALREADY_STARTED, WantedTriggers
from perdure.store.questions import Questions
from perdure.store.registers import WriteCard
from perdure.store.schedules import PauseSchedule, ResetSchedule, ScheduleRow, WriteSchedule, describe_lead
from perdure.store.versions import NewVersion
from store.stores import STORES, Kept
from store.words import ANN, BOB, COMMITTED, T0, advance, claimed, fact, one

MINUTE = 60_000
FIRST = 1_020_000
"""The first slot after T0 of what comes every minute."""

MOVED_ON = p.GuardFailed(p.MOVED_ON)
EVERY = Schedule("tick", every_ms=MINUTE, input={"n": 1})


def keep(store: Any, *schedules: Schedule, at: int = T0, workflow: str = "orders", **more: Any) -> str:
    model = Workflow(workflow, schedules=schedules, steps_max=more.pop("steps_max", None))
    digest: str = store.keep(NewVersion(workflow, model, "model", at, **more)).version.digest
    return digest


def due(store: Kept, now: int, limit: int = 100) -> list[ScheduleRow]:
    return list(store.poll(ANN, now=now, limit=limit).schedules)


def seen(store: Kept, now: int) -> ScheduleRow:
    """The one that is due."""
    (row,) = due(store, now)
    return row


def pending(execution: str, organization: str = "default", digest: str = "digest-1") -> p.Pending:
    record = ExecutionRecord(execution, "orders", digest, T0, organization=organization, trigger="schedule")
    return p.Pending(record, Start(T0, execution, {}, organization, trigger="schedule"))


def fire(row: ScheduleRow, next_at: int | None, **starts: int) -> p.Fire:
    """`starts`: executions, each with its slot."""
    assert row.next_at is not None
    begun = tuple((slot, pending(execution, row.organization, row.digest)) for execution, slot in starts.items())
    allow, whose = row.schedule.overlap == "allow", row.organization
    return p.Fire(row.workflow, row.schedule.id, row.digest, row.next_at, next_at, begun, allow, whose)


def pause(schedule: str = "tick", at: int = T0, **more: Any) -> PauseSchedule:
    return PauseSchedule("orders", schedule, **{"paused": True, "at": at, "by": "ann", **more})


def resume(at: int, **more: Any) -> PauseSchedule:
    return pause(at=at, paused=False, **more)


def ended(store: Kept, execution: str) -> None:
    (claim,) = [claim for claim in store.claim(ANN, now=T0, limit=100) if claim.record.id == execution]
    record = replace(claim.record, status="completed", live=False, ended_at=T0)
    done = advance(fact(), execution=execution, epoch=claim.epoch, record=record, release=True)
    assert one(store, done) == p.Committed(released=True)


# Where a version becomes active.


def test_a_schedule_begins_when_its_version_becomes_active(store: Kept, asked: Questions) -> None:
    digest = keep(store, EVERY)
    assert asked.schedule("default", "orders", "tick") == ScheduleRow("orders", EVERY, digest, FIRST)
    assert asked.schedule("default", "orders", "other") is None


def test_a_draft_starts_nothing_until_it_is_made_the_active_version(store: Any, asked: Questions) -> None:
    keep(store, EVERY, activate=False)
    assert due(store, FIRST) == []
    store.activate("default", "orders", "1", FIRST + 1)
    assert asked.schedule("default", "orders", "tick").next_at == FIRST + MINUTE  # type: ignore[union-attr]


def test_a_schedule_that_is_as_it_was_keeps_its_place_in_a_new_version(store: Kept, asked: Questions) -> None:
    keep(store, EVERY)
    one(store, fire(seen(store, FIRST), FIRST + MINUTE, e1=FIRST))
    newer = keep(store, EVERY, at=FIRST + 10 * MINUTE, steps_max=7)
    there = asked.schedule("default", "orders", "tick")
    assert there == ScheduleRow("orders", EVERY, newer, FIRST + MINUTE, last_slot=FIRST, last_execution="e1")


@pytest.mark.parametrize(
    "changed", [replace(EVERY, every_ms=2 * MINUTE), replace(EVERY, input={"n": 2}), replace(EVERY, overlap="skip")]
)
def test_a_changed_schedule_begins_anew(store: Kept, asked: Questions, changed: Schedule) -> None:
    keep(store, EVERY)
    one(store, fire(seen(store, FIRST), FIRST + MINUTE, e1=FIRST))
    digest = keep(store, changed, at=FIRST + 10 * MINUTE)
    there = asked.schedule("default", "orders", "tick")
    assert there == ScheduleRow("orders", changed, digest, FIRST + 11 * MINUTE, last_slot=FIRST, last_execution="e1")


def test_a_schedule_that_is_gone_is_removed(store: Kept, asked: Questions) -> None:
    keep(store, EVERY, replace(EVERY, id="tock"))
    keep(store, replace(EVERY, id="tock"))
    assert [row.schedule.id for row in asked.schedules_of("default", ("", ""), 10)] == ["tock"]
    keep(store)
    assert asked.schedules_of("default", ("", ""), 10) == []


def test_what_is_paused_stays_so_in_a_new_version(store: Kept, asked: Questions) -> None:
    keep(store, EVERY)
    one(store, pause())
    keep(store, replace(EVERY, every_ms=2 * MINUTE))
    assert asked.schedule("default", "orders", "tick").paused  # type: ignore[union-attr]


def test_an_older_version_that_is_active_again_has_its_own_schedules(store: Any, asked: Questions) -> None:
    keep(store, EVERY)
    keep(store, replace(EVERY, id="tock"), at=T0 + 1)
    store.activate("default", "orders", "1", T0 + 2)
    assert [row.schedule.id for row in asked.schedules_of("default", ("", ""), 10)] == ["tick"]


# What is added to a workflow.

ADDED = Schedule("beside", every_ms=MINUTE)


def write(before: Schedule | None, after: Schedule | None, at: int = T0, **more: Any) -> WriteSchedule:
    schedule = after or before
    assert schedule is not None
    return WriteSchedule("orders", schedule.id, before, after, at, "ann", **more)


def reason(outcome: p.Outcome) -> str:
    assert isinstance(outcome, p.GuardFailed), outcome
    return outcome.reason


def ids(asked: Questions) -> list[str]:
    return [row.schedule.id for row in asked.schedules_of("default", ("", ""), 10)]


def test_what_is_added_begins_at_once_and_stays_through_versions(store: Kept, asked: Questions) -> None:
    digest = keep(store)
    assert one(store, write(None, ADDED)) == COMMITTED
    assert asked.schedule("default", "orders", "beside") == ScheduleRow("orders", ADDED, digest, FIRST, added=True)
    one(store, fire(seen(store, FIRST), FIRST + MINUTE, e1=FIRST))
    newer = keep(store, at=FIRST + 10 * MINUTE, steps_max=7)
    there = asked.schedule("default", "orders", "beside")
    assert there == ScheduleRow(
        "orders", ADDED, newer, FIRST + MINUTE, last_slot=FIRST, last_execution="e1", added=True
    )


def test_what_was_added_and_is_changed_begins_anew(store: Kept, asked: Questions) -> None:
    digest, changed = keep(store), replace(ADDED, every_ms=2 * MINUTE)
    one(store, write(None, ADDED))
    one(store, pause("beside"))
    assert one(store, write(ADDED, changed, FIRST + 10 * MINUTE)) == COMMITTED
    there = asked.schedule("default", "orders", "beside")
    assert there == ScheduleRow("orders", changed, digest, FIRST + 11 * MINUTE, paused=True, added=True)


def test_what_was_added_is_taken_away(store: Kept, asked: Questions) -> None:
    keep(store, EVERY)
    one(store, write(None, ADDED))
    assert one(store, write(ADDED, None)) == COMMITTED
    assert ids(asked) == ["tick"]


def test_a_change_that_is_sent_again_is_made_once(store: Kept, asked: Questions) -> None:
    keep(store)
    changed = replace(ADDED, every_ms=2 * MINUTE)
    for before, after in ((None, ADDED), (ADDED, changed), (changed, None)):
        assert (one(store, write(before, after)), one(store, write(before, after))) == (COMMITTED, COMMITTED)
    said = [each.action for each in reversed(asked.audit("default", None, 10))]
    assert said == ["schedule.added", "schedule.changed", "schedule.removed"]


def test_of_two_changes_the_second_finds_that_it_is_not_as_it_was(store: Kept, asked: Questions) -> None:
    keep(store)
    one(store, write(None, ADDED))
    mine, yours = replace(ADDED, every_ms=2 * MINUTE), replace(ADDED, every_ms=3 * MINUTE)
    assert one(store, write(ADDED, mine)) == COMMITTED
    late = [write(ADDED, yours), write(None, yours), write(ADDED, None)]
    assert all("not as it was" in reason(one(store, each)) for each in late)
    assert asked.schedule("default", "orders", "beside").schedule == mine  # type: ignore[union-attr]


def test_what_stands_in_the_document_is_changed_there(store: Kept, asked: Questions) -> None:
    keep(store, EVERY)
    for after in (replace(EVERY, every_ms=2 * MINUTE), None):
        assert "stands in the document" in reason(one(store, write(EVERY, after)))
    assert asked.schedule("default", "orders", "tick").schedule == EVERY  # type: ignore[union-attr]


def test_a_workflow_that_cannot_be_started_gets_no_schedule(store: Kept, asked: Questions) -> None:
    assert "no active version" in reason(one(store, write(None, ADDED)))
    keep(store, activate=False)
    assert "no active version" in reason(one(store, write(None, ADDED)))
    assert ids(asked) == []


def test_while_no_version_is_active_what_was_added_rests(store: Any, asked: Questions) -> None:
    digest = keep(store, EVERY)
    one(store, write(None, ADDED))
    store.deactivate("default", "orders", "1", T0)
    assert ids(asked) == ["beside"]
    assert due(store, FIRST) == []
    assert one(store, write(ADDED, replace(ADDED, input={"n": 2}))) == COMMITTED
    assert asked.schedule("default", "orders", "beside").next_at is None  # type: ignore[union-attr]
    store.activate("default", "orders", "1", FIRST + 10 * MINUTE)
    there = asked.schedule("default", "orders", "beside")
    assert there == ScheduleRow("orders", replace(ADDED, input={"n": 2}), digest, FIRST + 11 * MINUTE, added=True)
    assert ids(asked) == ["beside", "tick"]


def test_what_was_added_gives_way_to_one_of_its_name_in_a_document(store: Kept, asked: Questions) -> None:
    keep(store)
    other = replace(ADDED, id="beside-2", every_ms=3 * MINUTE)
    one(store, write(None, ADDED))
    one(store, write(None, other))
    in_document = replace(ADDED, every_ms=2 * MINUTE)
    keep(store, in_document)
    found = {row.schedule.id: (row.schedule.every_ms, row.added) for row in asked.schedules_of("default", ("", ""), 10)}
    assert found == {
        "beside": (2 * MINUTE, False),
        "beside-2": (3 * MINUTE, True),
        "beside-3": (MINUTE, True),
    }


def test_who_may_not_any_more_adds_nothing(store: Kept, asked: Questions) -> None:
    keep(store)
    member = WriteCard("members", "ann", {"roles": ["editor"]}, T0, "bob", "member.added")
    assert one(store, member) == COMMITTED
    refused = one(store, write(None, ADDED, needs=(("members", "ann", 7),)))
    assert isinstance(refused, p.GuardFailed)
    assert ids(asked) == []
    assert one(store, write(None, ADDED, needs=(("members", "ann", 1),))) == COMMITTED


# What is due.


def test_a_schedule_is_told_of_when_its_time_has_come_and_not_before(store: Kept) -> None:
    keep(store, EVERY)
    assert due(store, FIRST - 1) == []
    assert [row.schedule for row in due(store, FIRST)] == [EVERY]


def test_the_longest_due_comes_first(store: Kept) -> None:
    keep(store, EVERY, replace(EVERY, id="slow", every_ms=1_050_000), replace(EVERY, id="quick", every_ms=1_000))
    found = [row.schedule.id for row in due(store, FIRST + MINUTE)]
    assert found == ["quick", "tick", "slow"]
    assert [row.schedule.id for row in due(store, FIRST + MINUTE, limit=1)] == ["quick"]


def test_something_stirs_at_the_slot(store: Kept) -> None:
    keep(store, EVERY)
    store.commit([p.Beat(ANN, T0 + 1_000_000)])
    assert not any(store.stirs(ANN, now=T0) for _ in range(3))
    assert not store.stirs(ANN, now=FIRST - 1)
    assert store.stirs(ANN, now=FIRST)


def test_what_another_process_has_saved_or_moved_is_heard_of(store: Kept) -> None:
    """Here by the same one: it must not rely on what it knew before."""
    store.commit([p.Beat(ANN, T0 + 1_000_000)])
    assert not any(store.stirs(ANN, now=FIRST) for _ in range(3))
    keep(store, EVERY)
    assert store.stirs(ANN, now=FIRST)


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
@pytest.mark.parametrize("change", ["form = 2", "spec = '{'"])
def test_what_this_program_cannot_read_holds_up_nothing(kind: str, change: str, tmp_path: Path) -> None:
    with closing(STORES[kind](tmp_path)) as store:  # type: ignore[type-var]
        written: Any = store
        keep(store, EVERY, replace(EVERY, id="tock"))
        assert written.ask(f"UPDATE schedules SET {change} WHERE id = 'tick' RETURNING id") == [("tick",)]
        assert [row.schedule.id for row in due(store, FIRST)] == ["tock"]
        one(store, fire(seen(store, FIRST), FIRST + MINUTE, e1=FIRST))
        assert claimed(store, ANN) == ["e1"]
        with closing(written.reader()) as reader:
            listed = [row.schedule.id for row in reader.schedules_of("default", ("", ""), 10)]
        if change == "form = 2":  # it is read as far as it is known, and left to whoever knows more
            assert listed == ["tick", "tock"]
            store.commit([p.Beat(ANN, T0 + 1_000_000)])
            assert not any(store.stirs(ANN, now=FIRST) for _ in range(3))
        else:
            assert listed == ["tock"]
            assert isinstance(one(store, pause()), p.Refused)
            keep(store, EVERY, steps_max=4)  # saved again, it is there again
            assert [row.schedule.id for row in due(store, FIRST)] == ["tick"]


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_what_is_damaged_takes_nobodys_place(kind: str, tmp_path: Path) -> None:
    """Of a list that is asked for page by page, or of what is due."""
    with closing(STORES[kind](tmp_path)) as store:  # type: ignore[type-var]
        written: Any = store
        keep(store, *(replace(EVERY, id=f"s{n}") for n in range(6)))
        assert len(written.ask("UPDATE schedules SET spec = '{', next_at = 1 WHERE id < 's4' RETURNING id")) == 4
        with closing(written.reader()) as reader:
            pages = [reader.schedules_of("default", ("", ""), limit) for limit in (1, 2, 3)]
        assert [[row.schedule.id for row in page] for page in pages] == [["s4"], ["s4", "s5"], ["s4", "s5"]]
        polled = [store.poll(ANN, now=FIRST, limit=limit).schedules for limit in (1, 2, 3)]
        assert [len(page) for page in polled] == [1, 2, 2]


# Firing.


def test_a_fire_starts_an_execution_and_moves_the_schedule(store: Kept, asked: Questions) -> None:
    digest = keep(store, EVERY)
    assert one(store, fire(seen(store, FIRST), FIRST + MINUTE, e1=FIRST)) == COMMITTED
    there = asked.schedule("default", "orders", "tick")
    assert there == ScheduleRow("orders", EVERY, digest, FIRST + MINUTE, last_slot=FIRST, last_execution="e1")
    assert due(store, FIRST) == []
    assert claimed(store) == ["e1"]
    record = store.record("e1")
    assert record is not None
    assert (record.trigger, record.workflow, record.digest) == ("schedule", "orders", digest)


def test_who_comes_second_starts_nothing(store: Kept) -> None:
    keep(store, EVERY)
    there = seen(store, FIRST)
    assert one(store, fire(there, FIRST + MINUTE, e1=FIRST)) == COMMITTED
    assert one(store, fire(there, FIRST + MINUTE, e2=FIRST)) == MOVED_ON
    assert store.commit([fire(there, FIRST + MINUTE, e3=FIRST), p.Beat(BOB, T0)]) == [MOVED_ON, COMMITTED]
    assert claimed(store) == ["e1"]


def test_of_two_in_one_commit_the_first_is_made(store: Kept, asked: Questions) -> None:
    keep(store, EVERY)
    there = seen(store, FIRST)
    twice = [fire(there, FIRST + MINUTE, e1=FIRST), fire(there, FIRST + 2 * MINUTE, e2=FIRST)]
    assert store.commit(twice) == [COMMITTED, MOVED_ON]
    assert asked.schedule("default", "orders", "tick").next_at == FIRST + MINUTE  # type: ignore[union-attr]


@pytest.mark.parametrize("happened", ["paused", "saved", "changed", "removed"])
def test_what_has_changed_since_it_was_seen_is_not_fired(store: Kept, happened: str) -> None:
    keep(store, EVERY)
    there = seen(store, FIRST)
    if happened == "paused":
        one(store, pause())
    elif happened == "saved":
        keep(store, EVERY, steps_max=3)
    else:
        keep(store, *([replace(EVERY, every_ms=7_000)] if happened == "changed" else []))
    assert one(store, fire(there, FIRST + MINUTE, e1=FIRST)) == MOVED_ON
    assert store.record("e1") is None


def test_several_slots_at_once_start_one_each(store: Kept, asked: Questions) -> None:
    keep(store, EVERY)
    many = {f"e{n}": FIRST + n * MINUTE for n in range(5)}
    assert one(store, fire(seen(store, FIRST + 5 * MINUTE), FIRST + 5 * MINUTE, **many)) == COMMITTED
    assert sorted(claimed(store)) == sorted(many)
    there = asked.schedule("default", "orders", "tick")
    assert there is not None
    assert (there.last_slot, there.last_execution) == (FIRST + 4 * MINUTE, "e4")


def test_an_execution_that_is_there_is_not_made_again(store: Kept) -> None:
    """A slot that was fired before somebody set the clock back, say."""
    keep(store, EVERY)
    assert store.commit([p.Create(pending("e1"), ANN), p.Beat(ANN, FIRST)]) == [COMMITTED, COMMITTED]
    assert one(store, fire(seen(store, FIRST), FIRST + MINUTE, e1=FIRST)) == COMMITTED
    assert claimed(store) == []  # it is still Ann's


def test_a_slot_may_start_nothing(store: Kept, asked: Questions) -> None:
    keep(store, EVERY)
    assert one(store, fire(seen(store, FIRST), FIRST + MINUTE)) == COMMITTED
    there = asked.schedule("default", "orders", "tick")
    assert there is not None
    assert (there.next_at, there.last_slot, there.last_execution) == (FIRST + MINUTE, None, None)


def test_after_its_last_slot_a_schedule_is_never_due(store: Kept, asked: Questions) -> None:
    keep(store, replace(EVERY, end_at=FIRST))
    assert one(store, fire(seen(store, FIRST), None, e1=FIRST)) == COMMITTED
    assert asked.schedule("default", "orders", "tick").next_at is None  # type: ignore[union-attr]
    assert due(store, FIRST + 1_000 * MINUTE) == []


# Overlap.


def test_where_it_must_not_overlap_a_slot_is_skipped_while_the_last_one_runs(store: Kept, asked: Questions) -> None:
    keep(store, replace(EVERY, overlap="skip"))
    one(store, fire(seen(store, FIRST), FIRST + MINUTE, e1=FIRST))
    later = FIRST + MINUTE
    assert one(store, fire(seen(store, later), later + MINUTE, e2=later)) == COMMITTED
    there = asked.schedule("default", "orders", "tick")
    assert there is not None
    assert (there.last_slot, there.last_execution, there.skipped) == (FIRST, "e1", 1)
    assert store.record("e2") is None
    ended(store, "e1")
    last = later + MINUTE
    assert one(store, fire(seen(store, last), last + MINUTE, e3=last)) == COMMITTED
    there = asked.schedule("default", "orders", "tick")
    assert there is not None
    assert (there.last_slot, there.last_execution, there.skipped) == (last, "e3", 0)


def test_of_several_at_once_that_must_not_overlap_the_first_is_started(store: Kept, asked: Questions) -> None:
    keep(store, replace(EVERY, overlap="skip", catch_up="all"))
    one(store, fire(seen(store, FIRST), FIRST + 3 * MINUTE, e1=FIRST, e2=FIRST + MINUTE, e3=FIRST + 2 * MINUTE))
    there = asked.schedule("default", "orders", "tick")
    assert there is not None
    assert (there.last_execution, there.skipped) == ("e1", 2)
    assert claimed(store) == ["e1"]


def test_what_has_been_forgotten_does_not_run(store: Kept) -> None:
    keep(store, replace(EVERY, overlap="skip"))
    one(store, fire(seen(store, FIRST), FIRST + MINUTE, e1=FIRST))
    ended(store, "e1")
    store.commit([p.Create(pending("newest"), ANN), advance(fact(), execution="newest")])  # which always stays
    assert store.forget(T0 + 1, 10) == 1
    later = FIRST + MINUTE
    one(store, fire(seen(store, later), later + MINUTE, e2=later))
    assert store.record("e2") is not None


# Pausing.


def test_a_paused_schedule_starts_nothing(store: Kept, asked: Questions) -> None:
    keep(store, EVERY)
    assert one(store, pause()) == COMMITTED
    assert due(store, FIRST) == []
    store.commit([p.Beat(ANN, T0 + 1_000_000)])
    assert not any(store.stirs(ANN, now=FIRST) for _ in range(3))
    assert asked.schedule("default", "orders", "tick").paused  # type: ignore[union-attr]


@pytest.mark.parametrize("catch_up", ["one", "none"])
def test_what_passed_while_it_was_paused_is_not_made_up_for(store: Kept, asked: Questions, catch_up: Any) -> None:
    keep(store, replace(EVERY, catch_up=catch_up))
    store.commit([pause(), resume(FIRST + 10 * MINUTE)])
    assert asked.schedule("default", "orders", "tick").next_at == FIRST + 11 * MINUTE  # type: ignore[union-attr]


@pytest.mark.parametrize(("skip_missed", "place"), [(False, FIRST), (True, FIRST + 11 * MINUTE)])
def test_what_is_to_start_all_makes_up_for_it_unless_told_otherwise(
    store: Kept, asked: Questions, skip_missed: bool, place: int
) -> None:
    keep(store, replace(EVERY, catch_up="all"))
    store.commit([pause(), resume(FIRST + 10 * MINUTE, skip_missed=skip_missed)])
    assert asked.schedule("default", "orders", "tick").next_at == place  # type: ignore[union-attr]


def test_a_slot_that_has_not_come_by_the_resume_is_kept(store: Kept, asked: Questions) -> None:
    keep(store, EVERY)
    store.commit([pause(), resume(FIRST - 1)])
    assert asked.schedule("default", "orders", "tick").next_at == FIRST  # type: ignore[union-attr]
    assert len(due(store, FIRST)) == 1


def test_the_audit_says_who_paused_and_resumed(store: Kept, asked: Questions) -> None:
    keep(store, EVERY)
    store.commit([pause(), pause(by="bob"), resume(T0 + 1, by="eve"), resume(T0 + 2)])
    told = [(entry.action, entry.subject, entry.by, entry.at) for entry in asked.audit("default", None, 10)]
    assert told == [("schedule.resumed", "orders/tick", "eve", T0 + 1), ("schedule.paused", "orders/tick", "ann", T0)]
    assert [entry.number for entry in asked.audit("default", None, 10)] == [2, 1]


def test_a_schedule_that_is_not_there_cannot_be_paused(store: Kept) -> None:
    keep(store, EVERY)
    refused = one(store, pause("tock"))
    assert refused == p.Refused("workflow 'orders' has no schedule 'tock', or not any more")


# Reset.


def reset(at: int, schedule: str = "tick", **more: Any) -> ResetSchedule:
    return ResetSchedule("orders", schedule, at, "ann", **more)


def test_a_reset_schedule_begins_at_now_and_forgets_slots_of_the_future(store: Kept, asked: Questions) -> None:
    digest, ahead = keep(store, EVERY), FIRST + 400 * 1_440 * MINUTE
    one(store, fire(seen(store, FIRST), ahead + MINUTE, e1=ahead))
    assert one(store, reset(FIRST + 10 * MINUTE)) == COMMITTED
    assert asked.schedule("default", "orders", "tick") == ScheduleRow(
        "orders", EVERY, digest, FIRST + 11 * MINUTE, last_execution="e1", reset_at=FIRST + 10 * MINUTE
    )
    (entry,) = asked.audit("default", None, 10)
    assert (entry.action, entry.by, entry.at) == ("schedule.reset", "ann", FIRST + 10 * MINUTE)
    assert entry.details == {"nextAt": ahead + MINUTE}


def due_slots(store: Kept, now: int) -> p.Fire:
    found = start_due_slots(seen(store, now), now)
    assert found is not None
    return found


def test_after_a_reset_slots_that_had_started_early_start_something_again(store: Kept, asked: Questions) -> None:
    """A clock that was ahead has started the slots of an hour. The same reset, written twice, means the same executions."""
    keep(store, replace(EVERY, catch_up="all"))
    early = due_slots(store, FIRST + 60 * MINUTE)
    assert one(store, early) == COMMITTED
    for _ in range(2):
        assert one(store, reset(FIRST + MINUTE)) == COMMITTED
        again = due_slots(store, FIRST + 2 * MINUTE)
        one(store, again)
    started = {pending.record.id for _, pending in (*early.starts, *again.starts)}
    assert len(started) == len(early.starts) + 1
    assert all(store.record(execution) is not None for execution in started)
    log = asked.triggers(WantedTriggers("default", 100))
    assert [(entry.outcome, entry.reason) for entry in log[:2]] == [("rejected", ALREADY_STARTED), ("accepted", None)]
    assert log[0].execution == again.starts[0][1].record.id


def test_a_schedule_that_was_never_reset_names_executions_as_ever() -> None:
    row = ScheduleRow("orders", EVERY, "digest", FIRST)
    (begun,) = start_due_slots(row, FIRST).starts  # type: ignore[union-attr]
    assert begun[1].record.id == derived("default", "orders", "tick", FIRST) == "7658271dd464fedfaaf95b5e"


def test_a_reset_keeps_what_is_past_and_whether_it_is_paused(store: Kept, asked: Questions) -> None:
    digest = keep(store, EVERY)
    one(store, fire(seen(store, FIRST), FIRST + 100 * MINUTE, e1=FIRST))
    store.commit([pause(), reset(FIRST + MINUTE)])
    assert asked.schedule("default", "orders", "tick") == ScheduleRow(
        "orders",
        EVERY,
        digest,
        FIRST + 2 * MINUTE,
        paused=True,
        last_slot=FIRST,
        last_execution="e1",
        reset_at=FIRST + MINUTE,
    )


def test_a_reset_revives_one_that_a_clock_beyond_its_end_has_ended(store: Kept, asked: Questions) -> None:
    keep(store, replace(EVERY, end_at=FIRST + 50 * MINUTE))
    one(store, fire(seen(store, FIRST), None, e1=FIRST))
    one(store, reset(FIRST + MINUTE))
    assert asked.schedule("default", "orders", "tick").next_at == FIRST + 2 * MINUTE  # type: ignore[union-attr]
    one(store, reset(FIRST + 60 * MINUTE))
    assert asked.schedule("default", "orders", "tick").next_at is None  # type: ignore[union-attr]


def test_an_added_one_that_rests_goes_on_resting_after_a_reset(store: Any, asked: Questions) -> None:
    keep(store)
    assert one(store, WriteSchedule("orders", "tick", None, EVERY, T0, "ann")) == COMMITTED
    store.deactivate("default", "orders", "1", T0)
    assert one(store, reset(FIRST)) == COMMITTED
    assert asked.schedule("default", "orders", "tick").next_at is None  # type: ignore[union-attr]


def test_a_schedule_that_is_not_there_cannot_be_reset(store: Kept) -> None:
    keep(store, EVERY)
    for refused in (one(store, reset(T0, "tock")), one(store, reset(T0, organization="other"))):
        assert isinstance(refused, p.Refused)


@pytest.mark.parametrize(
    ("next_at", "last_slot", "said"),
    [
        (FIRST, None, None),
        (FIRST - MINUTE, FIRST - 2 * MINUTE, None),
        (FIRST, T0 + 1, "its last slot"),
        (FIRST + MINUTE, None, "its next slot is"),
        (None, None, "it has ended"),
    ],
)
def test_what_is_ahead_of_its_time_is_told(next_at: int | None, last_slot: int | None, said: str | None) -> None:
    told = describe_lead(ScheduleRow("orders", EVERY, "digest", next_at, last_slot=last_slot), T0)
    assert told is None if said is None else told is not None and said in told
    ended = replace(EVERY, end_at=T0 - 1)
    assert describe_lead(ScheduleRow("orders", ended, "digest", None), T0) is None


# Organizations.


def test_each_organization_has_its_own(store: Kept, asked: Questions) -> None:
    keep(store, EVERY)
    keep(store, EVERY, organization="acme", at=FIRST)
    assert [row.organization for row in asked.schedules_of("acme", ("", ""), 10)] == ["acme"]
    assert isinstance(one(store, pause(organization="other")), p.Refused)
    one(store, pause(organization="acme"))
    (mine,) = due(store, FIRST + MINUTE)
    assert mine.organization == "default"
    one(store, resume(FIRST, organization="acme"))
    theirs = next(row for row in due(store, FIRST + MINUTE) if row.organization == "acme")
    one(store, fire(theirs, FIRST + 2 * MINUTE, e1=FIRST + MINUTE))
    assert store.record("e1").organization == "acme"  # type: ignore[union-attr]
    assert asked.schedule("default", "orders", "tick").last_slot is None  # type: ignore[union-attr]


def test_they_are_listed_by_workflow_and_id_page_by_page(store: Kept, asked: Questions) -> None:
    keep(store, replace(EVERY, id="b"), replace(EVERY, id="a"), workflow="two")
    keep(store, EVERY, workflow="one")
    found = [(row.workflow, row.schedule.id) for row in asked.schedules_of("default", ("", ""), 2)]
    assert found == [("one", "tick"), ("two", "a")]
    rest = [(row.workflow, row.schedule.id) for row in asked.schedules_of("default", ("two", "a"), 2)]
    assert rest == [("two", "b")]


def test_organizations_take_turns_when_more_schedules_are_due_than_are_told_at_once(store: Kept) -> None:
    many = [Schedule(f"s{number:03}", every_ms=MINUTE) for number in range(40)]
    keep(store, *many)
    keep(store, EVERY, at=T0 + 1, organization="other")
    assert [row.organization for row in due(store, FIRST + MINUTE, 10)] == ["default", "other", *["default"] * 8]
    assert len(due(store, FIRST + MINUTE, 100)) == 41
