"""Lists, histories and looks, as every store answers them."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from perdure.core import events as e
from perdure.core import facts as f
from perdure.core.commands import OpenWait
from perdure.model.failure import Failure
from perdure.model.records import Waiting
from perdure.store import port as p
from perdure.store.questions import Questions, Wanted
from store.stores import Kept
from store.words import (
    ANN,
    COMMITTED,
    FAR,
    LEASE_END,
    T0,
    advance,
    approval,
    candidates,
    claimed,
    event,
    fact,
    held,
    one,
    pending,
    released,
    running,
)


def create(store: Kept, execution: str, at: int = T0, organization: str = "default", **record: Any) -> None:
    made = pending(execution, organization, **record)
    made = p.Pending(replace(made.record, started_at=at), made.start)
    assert one(store, p.Create(made)) == COMMITTED


def ids(asked: Questions, limit: int = 100, organization: str = "default", **wanted: Any) -> list[str]:
    return [found.record.id for found in asked.executions(Wanted(organization, limit, **wanted))]


def test_the_newest_come_first(store: Kept, asked: Questions) -> None:
    for number, at in enumerate((T0 + 5, T0, T0 + 9)):
        create(store, f"e{number}", at)
    assert ids(asked) == ["e2", "e1", "e0"], "in the order in which they came, whatever their clocks said"
    assert ids(asked, 2) == ["e2", "e1"]
    assert ids(asked, organization="acme") == []


def test_a_place_stays_while_others_come(store: Kept, asked: Questions) -> None:
    for number in range(4):
        create(store, f"e{number}")
    first = asked.executions(Wanted("default", 2))
    create(store, "e4")
    assert ids(asked, 2, before=first[-1].place) == ["e1", "e0"]


def test_each_filter_finds_what_fits_and_they_go_together(store: Kept, asked: Questions) -> None:
    create(store, "e1", correlation_id="c")
    create(store, "e2", T0 + 10, parent="e1", parent_op=3)
    create(store, "e3", T0 + 20, correlation_id="c", parent="e1")
    create(store, "acme", T0, "acme", correlation_id="c", parent="e1")
    held(store, "e4")
    assert ids(asked, correlation_id="c") == ["e3", "e1"]
    assert ids(asked, parent="e1") == ["e3", "e2"]
    assert ids(asked, parent="e1", correlation_id="c") == ["e3"]
    assert ids(asked, workflow="orders") == ["e4", "e3", "e2", "e1"]
    assert ids(asked, workflow="others") == []
    assert ids(asked, started_after=T0 + 10) == ["e3", "e2"]
    assert ids(asked, started_before=T0 + 10) == ["e4", "e1"]
    assert ids(asked, started_after=T0 + 10, started_before=T0 + 20) == ["e2"]
    assert ids(asked, correlation_id="c", started_after=T0 + 1) == ["e3"]
    assert ids(asked, workflow="orders", started_after=T0 + 1) == ["e3", "e2"]
    assert ids(asked, parent="e1", workflow="others") == []
    assert ids(asked, organization="acme", correlation_id="c") == ["acme"]


def test_status_is_found_whether_or_not_somebody_has_it(store: Kept, asked: Questions) -> None:
    create(store, "pending")
    held(store, "owned")
    assert one(store, advance(fact(), execution="owned")) == COMMITTED
    waits = Waiting("timer", "a", T0, T0 + 5)
    released(store, "free", record=running("free", 1, status="waiting", waiting=waits))
    released(store, "running")
    assert ids(asked, status="pending") == ["pending"]
    assert ids(asked, status="running") == ["running", "owned"]
    assert ids(asked, 1, status="running") == ["running"]
    assert ids(asked, status="waiting") == ["free"]
    assert ids(asked, status="running", workflow="others") == []
    assert ids(asked, status="running", started_before=T0) == []
    (place,) = [each.place for each in asked.executions(Wanted("default", 1, status="running"))]
    assert ids(asked, status="running", before=place) == ["owned"]


def test_what_is_listed_is_the_record(store: Kept, asked: Questions) -> None:
    error = Failure("no")
    ended = running(seq=1, status="failed", live=False, error=error, output={"a": 1}, ended_at=T0 + 7)
    released(store, record=ended)
    (found,) = asked.executions(Wanted("default", 10))
    assert found.record == ended == store.record("e1")


def test_history_comes_after_a_number_and_so_many_of_it(store: Kept, asked: Questions) -> None:
    held(store)
    facts = [fact(str(number)) for number in range(5)]
    assert one(store, advance(*facts)) == COMMITTED
    assert [(entry.seq, entry.fact) for entry in asked.history("e1", 0, 100)] == list(enumerate(facts, 1))
    assert [entry.seq for entry in asked.history("e1", 1, 2)] == [2, 3]
    assert {entry.kind for entry in asked.history("e1", 0, 100)} == {"warning"}
    assert asked.history("e1", 5, 100) == asked.history("nobody", 0, 100) == []


def test_large_facts_are_whole(store: Kept, asked: Questions) -> None:
    held(store)
    big = f.StepCompleted(T0, 3, output="🦆" * 70_000)
    loop = f.LoopOpened(T0, 3, list(range(2_500)), 1)
    assert one(store, advance(big, loop)) == COMMITTED
    assert [entry.fact for entry in asked.history("e1", 0, 10)] == [big, loop]
    assert [entry.fact for entry in asked.history_of_step("e1", 3, 10)] == [big, loop]


def test_the_facts_of_a_step_are_those_of_its_operations_too(store: Kept, asked: Questions) -> None:
    held(store)
    facts = (
        f.ExecutionStarted(T0, "e1", "digest-1", entry=0),
        f.StepScheduled(T0, 0, input=1),
        f.StepScheduled(T0, 1, input=2),
        f.StepRetrying(T0, 2, 2, T0 + 5, Failure("no")),
        f.StepAttempted(T0, 3, 2),
        f.StepAttempted(T0, 2, 2),
        f.StepCompleted(T0, 0, 2),
        f.StepCompleted(T0, 1, 3),
        f.ExecutionCompleted(T0),
    )
    assert one(store, advance(*facts)) == COMMITTED
    assert [entry.seq for entry in asked.history_of_step("e1", 0, 100)] == [1, 2, 4, 6, 7, 9]
    assert [entry.seq for entry in asked.history_of_step("e1", 1, 100)] == [1, 3, 5, 8, 9]
    assert [entry.seq for entry in asked.history_of_step("e1", 0, 2)] == [2, 7, 9]
    assert asked.history_of_step("nobody", 0, 2) == []


def test_the_facts_of_a_step_are_told_whatever_characters_are_in_them(store: Kept, asked: Questions) -> None:
    held(store)
    odd = f.StepCompleted(T0, 0, output={"text": "\0", "\0": "\\u0000"})
    assert one(store, advance(odd)) == COMMITTED
    assert [entry.fact for entry in asked.history_of_step("e1", 0, 10)] == [odd]


def test_the_facts_that_enter_a_step_are_there_however_many_items_it_has(store: Kept, asked: Questions) -> None:
    held(store)
    items = [
        each
        for item in range(20)
        for each in (f.StepScheduled(T0, 0, scope=1, item=item), f.ItemCompleted(T0, 0, 1, item, 2 + 2 * item))
    ]
    assert one(store, advance(f.ForEachOpened(T0, 0, list(range(20))), *items)) == COMMITTED
    assert [entry.seq for entry in asked.history_of_step("e1", 0, 3)] == [1, 39, 40, 41]


def test_a_look_is_all_of_it(store: Kept, asked: Questions) -> None:
    one(store, p.Create(pending()))
    look = asked.look("e1")
    assert look is not None
    assert (look.start, look.owner, look.facts, look.mail) == (pending().start, None, (), 0)
    assert claimed(store, ANN) == ["e1"]
    assert one(store, advance(fact("1"), fact("2"), snapshot=b"s")) == COMMITTED
    assert one(store, advance(fact("3"), after=2)) == COMMITTED
    one(store, p.Deliver(p.Message("e1", e.Continued(T0), "m")))
    look = asked.look("e1")
    assert look is not None
    assert (look.start, look.owner, look.mail, look.crashes) == (None, ANN, 1, 0)
    assert (look.snapshot, look.facts, look.record.seq) == (b"s", (fact("3"),), 3)
    whole = asked.look("e1", -1)
    assert whole is not None
    assert (whole.snapshot, len(whole.facts) if isinstance(whole.facts, tuple) else 0) == (None, 3)
    assert asked.look("nobody") is None


def test_workers_live_as_long_as_they_say(store: Kept, asked: Questions) -> None:
    assert asked.living(T0) == {}
    store.commit([p.Beat(ANN, LEASE_END)])
    assert (asked.living(T0), asked.living(FAR)) == ({ANN: frozenset()}, {})
    store.commit([p.Beat(ANN, p.GONE)])
    assert asked.living(T0) == {}


def test_when_the_next_one_wakes_that_is_worth_waiting_for(store: Kept, asked: Questions) -> None:
    """A wait up to the horizon; a next attempt, of one that counts as running, up to the bound."""
    horizon, until = T0 + 10, T0 + 100
    assert asked.next_due(T0, horizon, until) is None
    waits = {"status": "waiting", "waiting": Waiting("timer", "nap", T0, FAR)}
    released(store, "late", record=running("late", 1, wake_at=T0 + 50, **waits))
    released(store, "too late", record=running("too late", 1, wake_at=until + 1))
    held(store, "owned")
    one(store, advance(fact(), execution="owned", record=running("owned", 1, wake_at=T0 + 1)))
    assert asked.next_due(T0, horizon, until) is None
    released(store, "tried", record=running("tried", 1, wake_at=until, organization="acme"))
    assert asked.next_due(T0, horizon, until) == until
    assert asked.next_due(T0, T0 + 50, until) == T0 + 50
    assert asked.next_due(T0 + 50, T0 + 60, until) == until, "what is due is taken up by itself"


def test_those_that_have_not_ended_are_counted_in_all_organizations(store: Kept, asked: Questions) -> None:
    assert asked.open_count() == 0
    create(store, "new", organization="acme")
    released(store, "waits")
    held(store, "owned")
    done = running("done", 1, status="completed", live=False, ended_at=T0)
    released(store, "done", record=done)
    undone = running("undone", 1, status="failed", ended_at=T0)
    released(store, "undone", record=undone)
    assert asked.open_count() == 3


def test_open_approvals_are_told(store: Kept, asked: Questions) -> None:
    held(store)
    opened = (approval(1), approval(2))
    assert one(store, advance(fact(), changes=p.Changes(approvals_opened=opened))) == COMMITTED
    assert asked.approvals_of("e1") == list(opened)
    assert one(store, advance(fact(), after=1, changes=p.Changes(approvals_closed=(1,)))) == COMMITTED
    assert asked.approvals_of("e1") == [opened[1]]
    assert asked.approvals_of("nobody") == []


def test_what_it_has_not_seen_yet_is_told_in_order(store: Kept, asked: Questions) -> None:
    one(store, p.Create(pending()))
    told: list[e.Event] = [e.Continued(T0), e.CancelRequested(T0 + 1, "ordered twice", "ann", "USER")]
    for number, each in enumerate(told):
        one(store, p.Deliver(p.Message("e1", each, f"m{number}")))
    assert asked.unseen("e1") == told
    assert asked.unseen("nobody") == []


def test_executions_are_found_by_how_their_ids_begin(store: Kept, asked: Questions) -> None:
    for id_ in ("abc2", "abc1", "abd", "ab%"):
        create(store, id_)
    create(store, "abc3", organization="acme")
    assert asked.ids_beginning("default", "abc", 9) == ["abc1", "abc2"]
    assert asked.ids_beginning("default", "ab", 2) == ["ab%", "abc1"]
    assert asked.ids_beginning("default", "ab%", 9) == ["ab%"], "nothing in it stands for anything else"
    assert asked.ids_beginning("acme", "abc", 9) == ["abc3"]
    assert asked.ids_beginning("default", "b", 9) == []


# Forks.


def forking(upto: int = 2, execution: str = "fork", origin: str = "e1", **more: Any) -> p.Fork:
    record = replace(running(execution, upto + 1), parent=origin, **more.pop("of", {}))
    forked = f.ExecutionForked(T0 + 9, execution, origin)
    return p.Fork(record, origin, upto, (forked,), e.Continued(T0 + 9), **more)


def test_a_fork_has_a_copy_of_the_history_and_goes_on_from_there(store: Kept, asked: Questions) -> None:
    held(store)
    big = f.StepCompleted(T0, 3, output="🦆" * 70_000)
    assert one(store, advance(fact("1"), big, fact("3"))) == COMMITTED
    assert one(store, forking()) == COMMITTED
    (claim,) = store.claim("worker-heir", now=T0, limit=10)
    assert claim.facts == (fact("1"), big, f.ExecutionForked(T0 + 9, "fork", "e1"))
    assert (claim.start, [mail.event for mail in claim.mail]) == (None, [e.Continued(T0 + 9)])
    assert (claim.record.seq, claim.record.parent, claim.record.status) == (3, "e1", "running")
    seen = p.Changes(seen=tuple(mail.pos for mail in claim.mail))
    more = advance(
        fact("4"), execution="fork", after=3, owner="worker-heir", epoch=claim.epoch, record=claim.record, changes=seen
    )
    assert one(store, more) == COMMITTED
    assert [entry.seq for entry in asked.history("fork", 0, 10)] == [1, 2, 3, 4]
    assert [entry.fact for entry in asked.history("e1", 0, 10)] == [fact("1"), big, fact("3")]


def test_a_fork_opens_what_comes_with_it(store: Kept) -> None:
    held(store)
    assert one(store, advance(fact("1"), fact("2"))) == COMMITTED
    changes = p.Changes(waits_opened=(OpenWait(-1, "order.*"),))
    assert one(store, forking(changes=changes)) == COMMITTED
    one(store, p.Publish(event()))
    assert candidates(store)["ev1"].executions == ("fork",)


def test_a_fork_is_made_once(store: Kept) -> None:
    held(store)
    assert one(store, advance(fact("1"), fact("2"))) == COMMITTED
    assert one(store, forking()) == COMMITTED
    assert one(store, forking()) == p.Duplicate("fork")
    assert one(store, forking(execution="e1")) == p.Duplicate("e1")


def test_of_a_key_a_fork_is_made_once_and_is_found_by_it(store: Kept, asked: Questions) -> None:
    held(store)
    assert one(store, advance(fact("1"), fact("2"))) == COMMITTED
    assert asked.started_under("default", "k") is None
    assert isinstance(one(store, forking(upto=3, key="k")), p.Refused), "which does not use the key up"
    assert one(store, forking(key="k")) == COMMITTED
    assert one(store, forking(execution="other", key="k")) == p.Duplicate("fork")
    assert one(store, forking(key="k")) == p.Duplicate("fork")
    assert store.record("other") is None
    assert (asked.started_under("default", "k"), asked.started_under("acme", "k")) == ("fork", None)
    assert one(store, p.Create(pending("e2"), key="k")) == p.Duplicate("fork")


@pytest.mark.parametrize("wrong", [{"origin": "nobody"}, {"upto": 3}, {"upto": 0}, {"of": {"organization": "acme"}}])
def test_a_fork_of_what_is_not_there_is_refused(store: Kept, wrong: dict[str, Any]) -> None:
    held(store)
    assert one(store, advance(fact("1"), fact("2"))) == COMMITTED
    assert isinstance(one(store, forking(**wrong)), p.Refused)
    assert store.record("fork") is None


def test_facts_of_the_same_commit_are_copied_too(store: Kept) -> None:
    held(store)
    assert store.commit([advance(fact("1"), fact("2")), forking()]) == [COMMITTED, COMMITTED]
    record = store.record("fork")
    assert record is not None
    assert record.seq == 3
