"""When a vote counts, and with which others: not after the time, and only for the data that it was given for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from msgspec.structs import replace

from perdure.core import events as e
from perdure.model.asking import Asked, OnTimeout
from perdure.model.records import settled
from perdure.store import port as p
from perdure.store.approvals import Asker, TakeOn, WantedApprovals
from perdure.store.questions import Questions
from store.stores import Kept
from store.words import COMMITTED, T0, advance, approval, asking, fact, inbox, one, vote


@pytest.fixture
def read(store: Kept) -> Iterator[Questions]:
    reader: Any = store.reader()
    yield reader
    reader.close()


@pytest.mark.parametrize(
    ("then", "said"),
    [("approve", "it is approved by onTimeout"), ("reject", "it is rejected by onTimeout"), ("fail", "its step fails")],
)
def test_what_time_settles_is_not_decided_after_its_time_though_no_worker_has_come(
    store: Kept, then: OnTimeout, said: str
) -> None:
    asking(store, approval(due_at=T0 + 4, on_timeout=then))
    before = dict(store.approvals)
    for decision in ("approve", "reject"):
        outcome = one(store, vote("carol", decision, over=True))
        assert isinstance(outcome, p.GuardFailed)
        assert "its time is over" in outcome.reason
        assert said in outcome.reason
    taken = one(store, TakeOn("e1-ask-1", T0 + 5, "carol"))
    assert isinstance(taken, p.GuardFailed)
    assert "its time is over" in taken.reason
    assert store.approvals == {id_: replace(each, over=True) for id_, each in before.items()}
    assert inbox(store) == []


def test_who_was_in_time_and_comes_after_somebody_who_was_told_that_it_is_over_is_told_so_too(store: Kept) -> None:
    """Two processes: what one of them was told stands, whatever is on its way from the other."""
    asking(store, approval(due_at=T0 + 4, on_timeout="reject"))
    for at in (T0 + 5, T0 + 4):
        outcome = one(store, replace(vote("carol"), at=at))
        assert isinstance(outcome, p.GuardFailed)
        assert "its time is over" in outcome.reason
    assert store.approvals["e1-ask-1"].status == "pending"


def test_what_time_settles_is_decided_until_then(store: Kept) -> None:
    asking(store, approval(due_at=T0 + 5, on_timeout="reject"))
    assert one(store, vote("carol")) == COMMITTED
    assert store.approvals["e1-ask-1"].status == "approved"


@pytest.mark.parametrize("then", ["stay", "escalate"])
def test_what_stays_open_is_decided_after_its_time_too(store: Kept, then: OnTimeout) -> None:
    asking(store, approval(due_at=T0, on_timeout=then))
    assert one(store, vote("carol")) == COMMITTED
    assert store.approvals["e1-ask-1"].status == "approved"


LESS, MUCH = {"amount": 10}, {"amount": 1_000_000}


def test_nobody_approves_what_another_one_has_changed_later(store: Kept) -> None:
    asking(store, approval(votes_required=2))
    store.commit([vote("carol"), vote("dave", data=MUCH)])
    found = store.approvals["e1-ask-1"]
    assert (found.status, found.changed, inbox(store)) == ("pending", (("dave", MUCH),), [])
    one(store, vote("eve"))
    assert inbox(store) == [e.ApprovalDecided(T0 + 5, 1, "approve", "eve")]


def test_a_change_is_not_lost_to_who_approves_without_it(store: Kept) -> None:
    asking(store, approval(votes_required=2))
    store.commit([vote("carol", data=LESS), vote("dave")])
    assert store.approvals["e1-ask-1"].status == "pending"
    one(store, vote("dave", data={"amount": 10.0}))
    assert inbox(store) == [e.ApprovalDecided(T0 + 5, 1, "approve", "dave", data=LESS)]


def test_who_votes_anew_takes_their_change_back(store: Kept) -> None:
    asking(store, approval(votes_required=2))
    store.commit([vote("carol", data=MUCH), vote("carol", data=LESS), vote("dave", data=MUCH), vote("dave")])
    found = store.approvals["e1-ask-1"]
    assert (found.status, found.changed) == ("pending", (("carol", LESS),))


def test_data_that_is_given_as_it_was_submitted_is_not_changed(store: Kept) -> None:
    asking(store, approval(votes_required=2))
    store.commit([vote("carol", data={"question": "May it?"}), vote("dave")])
    assert store.approvals["e1-ask-1"].status == "approved"


def test_true_is_not_one_where_data_must_not_be_changed(store: Kept) -> None:
    asking(store, replace(approval(asked=Asked(fixed=True)), request={"paid": [True]}))
    assert isinstance(one(store, vote("carol", data={"paid": [1]})), p.GuardFailed)
    assert one(store, vote("carol", data={"paid": [True]})) == COMMITTED


def test_rejections_add_up_whatever_else_they_propose(store: Kept) -> None:
    asking(store, approval(votes_required=2))
    store.commit([vote("carol", "reject", data=LESS), vote("dave", "reject")])
    assert store.approvals["e1-ask-1"].status == "rejected"


def test_what_time_decides_is_in_the_audit_once_and_what_it_only_closes_is_not(store: Kept, read: Questions) -> None:
    asking(store, approval(1, due_at=T0 + 1), approval(2, due_at=T0 + 1))
    settling = advance(fact(), after=1, changes=p.Changes(approvals_settled=((1, "reject"), (2, None))))
    assert store.commit([settling, settling]) == [COMMITTED, COMMITTED]
    (entry,) = read.audit("default", None, 9)
    assert (entry.action, entry.by, entry.subject) == ("approval.rejected", "system", "e1-ask-1")
    assert (entry.at, entry.details) == (fact().at, {"decision": "reject", "decidedAt": T0 + 1})


def test_what_is_opened_when_its_time_is_over_is_in_the_audit_too(store: Kept, read: Questions) -> None:
    asking(store, settled(approval(due_at=T0 - 1), "approve", T0))
    assert [entry.action for entry in read.audit("default", None, 9)] == ["approval.approved"]


@pytest.mark.parametrize("execution", ["e1", None])
def test_what_somebody_has_started_is_not_among_what_they_are_asked(
    store: Kept, read: Questions, execution: str | None
) -> None:
    """However much of it there is: what they may decide is found behind it."""
    others, own = Asked(role="finance", apart=True), Asked(role="finance", apart=True, started_by="ann")
    asking(store, *(approval(op, asked=others if op in (1, 2, 9) else own) for op in range(1, 20)))
    wanted = WantedApprovals("default", 2, mine=Asker("ann", ("finance",)), execution=execution)
    found = read.approvals_wanted(wanted)
    assert [each.record.op for each in found] == [9, 2]
    rest = read.approvals_wanted(replace(wanted, before=found[-1].place))
    assert [each.record.op for each in rest] == [1]
    assert len(read.approvals_wanted(replace(wanted, mine=Asker("ben", ("finance",)), limit=99))) == 19
