"""Approvals: opened with the facts, decided once, and whoever decides second is told so."""

from __future__ import annotations

from msgspec.structs import replace

from perdure.core import events as e
from perdure.core.commands import OpenWait
from perdure.store import port as p
from store.stores import Kept
from store.words import (
    BOB,
    COMMITTED,
    FENCED,
    RELEASED,
    T0,
    advance,
    approval,
    asking,
    claimed,
    fact,
    held,
    inbox,
    looked_at,
    one,
    places,
    running,
    vote,
)


def settling(decision: str | None, op: int = 1, **more: object) -> p.Advance:
    return advance(fact(), after=1, changes=p.Changes(approvals_settled=((op, decision),)), **more)  # type: ignore[arg-type]


def closing(op: int = 1) -> p.Advance:
    return advance(fact(), after=1, changes=p.Changes(approvals_closed=(op,)))


def test_an_approval_that_nobody_has_opened_is_refused_by_name(store: Kept) -> None:
    outcome = one(store, vote("carol", asked="nothing"))
    assert isinstance(outcome, p.Refused)
    assert "'nothing'" in outcome.reason


def test_an_approval_is_kept_as_it_was_opened(store: Kept) -> None:
    asked = approval(due_at=T0 + 9, votes_required=2, organization="acme", data={"z": 1, "a": "🦆\u0000"})
    asking(store, asked)
    assert store.approvals == {"e1-ask-1": asked}


def test_a_vote_that_suffices_decides(store: Kept) -> None:
    asking(store, approval())
    assert one(store, vote("carol", comments="fine", data={"k": [1]})) == COMMITTED
    decided = store.approvals["e1-ask-1"]
    assert (decided.status, decided.decision, decided.decided_by) == ("approved", "approve", "carol")
    assert (decided.decided_at, decided.comments, decided.data) == (T0 + 5, "fine", {"k": [1]})
    assert decided.votes == (("carol", "approve"),)


def test_a_decision_is_in_the_mail_of_the_execution(store: Kept) -> None:
    asking(store, approval())
    one(store, vote("carol", "reject", comments="no", data={"k": 1}))
    assert inbox(store) == [e.ApprovalDecided(T0 + 5, 1, "reject", "carol", "no", {"k": 1})]


def test_a_rejection_decides_as_an_approval_does(store: Kept) -> None:
    asking(store, approval())
    one(store, vote("carol", "reject"))
    assert store.approvals["e1-ask-1"].status == "rejected"


def test_a_vote_that_does_not_suffice_is_kept_and_tells_nobody(store: Kept) -> None:
    asking(store, approval(votes_required=2))
    assert one(store, vote("carol")) == COMMITTED
    found = store.approvals["e1-ask-1"]
    assert (found.status, found.votes, inbox(store)) == ("pending", (("carol", "approve"),), [])


def test_the_vote_that_makes_them_enough_decides(store: Kept) -> None:
    asking(store, approval(votes_required=2))
    store.commit([vote("carol"), vote("dave")])
    found = store.approvals["e1-ask-1"]
    assert (found.status, found.decided_by) == ("approved", "dave")
    assert inbox(store) == [e.ApprovalDecided(T0 + 5, 1, "approve", "dave")]


def test_one_person_counts_once(store: Kept) -> None:
    asking(store, approval(votes_required=2))
    assert store.commit([vote("carol"), vote("carol")]) == [COMMITTED, COMMITTED]
    assert store.approvals["e1-ask-1"].votes == (("carol", "approve"),)
    assert inbox(store) == []


def test_a_vote_can_be_changed_while_nothing_is_decided(store: Kept) -> None:
    asking(store, approval(votes_required=2))
    store.commit([vote("carol"), vote("carol", "reject"), vote("dave", "reject")])
    found = store.approvals["e1-ask-1"]
    assert (found.status, found.votes) == ("rejected", (("carol", "reject"), ("dave", "reject")))


def test_votes_for_and_against_do_not_add_up(store: Kept) -> None:
    asking(store, approval(votes_required=2))
    store.commit([vote("carol"), vote("dave", "reject")])
    assert inbox(store) == []
    one(store, vote("eve", "reject"))
    assert inbox(store) == [e.ApprovalDecided(T0 + 5, 1, "reject", "eve")]


def test_deciding_the_same_again_is_a_duplicate(store: Kept) -> None:
    asking(store, approval())
    one(store, vote("carol"))
    assert one(store, vote("dave")) == p.Duplicate("e1-ask-1")
    assert store.approvals["e1-ask-1"].decided_by == "carol"
    assert len(inbox(store)) == 1


def test_deciding_otherwise_fails_and_says_who_was_first(store: Kept) -> None:
    asking(store, approval())
    one(store, vote("carol"))
    outcome = one(store, vote("dave", "reject"))
    assert isinstance(outcome, p.GuardFailed)
    assert "carol" in outcome.reason
    assert "approved" in outcome.reason


def test_deciding_otherwise_changes_nothing(store: Kept) -> None:
    asking(store, approval())
    one(store, vote("carol"))
    before = dict(store.approvals)
    one(store, vote("dave", "reject"))
    assert store.approvals == before
    assert len(inbox(store)) == 1


def test_a_decision_that_was_dealt_with_is_not_told_again(store: Kept) -> None:
    asking(store, approval())
    one(store, vote("carol"))
    one(store, advance(fact(), after=1, changes=p.Changes(seen=places(store))))
    assert one(store, vote("carol")) == p.Duplicate("e1-ask-1")
    assert inbox(store) == []


def test_a_decision_wakes_an_execution_that_nobody_owns(store: Kept) -> None:
    asking(store, approval())
    assert one(store, advance(after=1, release=True)) == RELEASED
    one(store, vote("carol"))
    assert claimed(store, BOB) == ["e1"]


def test_a_decision_keeps_the_owner_from_letting_go(store: Kept) -> None:
    asking(store, approval())
    assert store.commit([vote("carol"), advance(after=1, release=True)]) == [COMMITTED, COMMITTED]


def test_one_approval_of_an_execution_is_not_another(store: Kept) -> None:
    asking(store, approval(1), approval(2))
    one(store, vote("carol", asked="e1-ask-2"))
    assert [found.status for found in store.approvals.values()] == ["pending", "approved"]
    assert inbox(store) == [e.ApprovalDecided(T0 + 5, 2, "approve", "carol")]


def test_the_approvals_of_two_executions_with_one_number_are_two(store: Kept) -> None:
    asking(store, approval(1))
    held(store, "e2")
    one(store, advance(fact(), execution="e2", changes=p.Changes(approvals_opened=(approval(1, "e2"),))))
    assert one(store, settling("approve")) == COMMITTED
    assert {name: found.status for name, found in store.approvals.items()} == {
        "e1-ask-1": "approved",
        "e2-ask-1": "pending",
    }


def test_the_engine_settles_what_is_pending(store: Kept) -> None:
    asking(store, approval(due_at=T0 + 9))
    assert one(store, settling("reject")) == COMMITTED
    found = store.approvals["e1-ask-1"]
    assert (found.status, found.decided_by, found.decided_at) == ("rejected", "system", T0 + 9)


def test_the_engine_settles_without_a_decision(store: Kept) -> None:
    asking(store, approval())
    assert one(store, settling(None)) == COMMITTED
    assert store.approvals["e1-ask-1"] == replace(approval(), status="closed", closed_at=T0)


def test_what_the_engine_settles_is_not_in_the_mail(store: Kept) -> None:
    asking(store, approval())
    one(store, settling("approve"))
    assert inbox(store) == []


def test_the_engine_does_not_settle_what_a_person_has_decided(store: Kept) -> None:
    asking(store, approval())
    one(store, vote("carol"))
    outcome = one(store, settling("reject"))
    assert isinstance(outcome, p.GuardFailed)
    assert "e1-ask-1" in outcome.reason


def test_the_engine_does_not_settle_what_a_person_has_decided_even_so(store: Kept) -> None:
    asking(store, approval())
    one(store, vote("carol"))
    assert isinstance(one(store, settling("approve")), p.GuardFailed)
    assert store.approvals["e1-ask-1"].decided_by == "carol"


def test_a_guard_that_fails_leaves_nothing_of_the_commit(store: Kept) -> None:
    asking(store, approval(1), approval(2))
    one(store, vote("carol", asked="e1-ask-2"))
    changes = p.Changes(
        seen=places(store),
        waits_opened=(OpenWait(7, "order.*", look_back=True),),
        approvals_opened=(approval(7),),
        approvals_settled=((1, "approve"), (2, "reject")),
    )
    refused = advance(fact("no"), after=1, changes=changes, record=running(seq=2, output="no"), snapshot=b"no")
    assert isinstance(one(store, refused), p.GuardFailed)
    assert [found.status for found in store.approvals.values()] == ["pending", "approved"]
    assert store.poll(BOB, now=T0, limit=9).lookbacks == ()
    assert len(inbox(store)) == 1
    claim = looked_at(store)
    assert (claim.facts, claim.record, claim.snapshot) == ((fact(),), running(seq=1), None)


def test_a_guard_that_fails_leaves_the_owner_its_execution(store: Kept) -> None:
    asking(store, approval())
    one(store, vote("carol"))
    one(store, settling("reject", release=True))
    decided = advance(fact(), after=1, changes=p.Changes(seen=places(store)), release=True)
    assert one(store, decided) == RELEASED


def test_who_is_fenced_is_told_so_before_any_guard(store: Kept) -> None:
    asking(store, approval())
    one(store, vote("carol"))
    assert one(store, settling("reject", owner=BOB)) == FENCED


def test_who_is_fenced_may_settle_what_nobody_has_heard_of(store: Kept) -> None:
    """The commit before, which would have opened it, was fenced too."""
    held(store)
    opening = advance(fact(), owner=BOB, changes=p.Changes(approvals_opened=(approval(),)))
    assert store.commit([opening, settling("reject", owner=BOB)]) == [FENCED, FENCED]


def test_a_person_who_decides_as_the_engine_has_is_a_duplicate(store: Kept) -> None:
    asking(store, approval())
    one(store, settling("approve"))
    assert one(store, vote("carol")) == p.Duplicate("e1-ask-1")


def test_a_person_who_decides_otherwise_than_the_engine_has_is_told_so(store: Kept) -> None:
    asking(store, approval())
    one(store, settling("approve"))
    outcome = one(store, vote("carol", "reject"))
    assert isinstance(outcome, p.GuardFailed)
    assert "system" in outcome.reason
    assert inbox(store) == []


def test_an_approval_that_is_closed_takes_no_votes(store: Kept) -> None:
    asking(store, approval())
    one(store, closing())
    outcome = one(store, vote("carol"))
    assert isinstance(outcome, p.GuardFailed)
    assert "closed" in outcome.reason
    assert inbox(store) == []


def test_an_approval_that_is_closed_keeps_its_votes(store: Kept) -> None:
    asking(store, approval(votes_required=2))
    store.commit([vote("carol"), closing()])
    found = store.approvals["e1-ask-1"]
    assert (found.status, found.votes) == ("closed", (("carol", "approve"),))


def test_closing_what_has_been_decided_leaves_the_decision(store: Kept) -> None:
    asking(store, approval())
    one(store, vote("carol"))
    assert one(store, closing()) == COMMITTED
    assert store.approvals["e1-ask-1"].status == "approved"


def test_an_approval_opened_and_closed_by_one_commit_is_closed(store: Kept) -> None:
    held(store)
    changes = p.Changes(approvals_opened=(approval(),), approvals_closed=(1,))
    assert one(store, advance(fact(), changes=changes)) == COMMITTED
    assert store.approvals["e1-ask-1"].status == "closed"


def test_an_overdue_approval_is_handed_on_and_stays_pending(store: Kept) -> None:
    asking(store, approval(due_at=T0 + 9))
    overdue = p.Changes(approvals_overdue=((1, {"to": ["boss"]}),))
    assert one(store, advance(fact(), after=1, changes=overdue)) == COMMITTED
    found = store.approvals["e1-ask-1"]
    assert (found.status, found.overdue, found.escalated_to) == ("pending", True, {"to": ["boss"]})


def test_an_overdue_approval_that_is_handed_to_nobody_is_overdue(store: Kept) -> None:
    asking(store, approval(due_at=T0 + 9))
    one(store, advance(fact(), after=1, changes=p.Changes(approvals_overdue=((1, None),))))
    found = store.approvals["e1-ask-1"]
    assert (found.overdue, found.escalated_to) == (True, None)


def test_an_overdue_approval_keeps_its_votes_and_takes_more(store: Kept) -> None:
    asking(store, approval(votes_required=2))
    one(store, vote("carol"))
    one(store, advance(fact(), after=1, changes=p.Changes(approvals_overdue=((1, "boss"),))))
    one(store, vote("boss"))
    found = store.approvals["e1-ask-1"]
    assert (found.status, found.overdue, found.decided_by) == ("approved", True, "boss")


def test_an_approval_opened_as_settled_is_settled(store: Kept) -> None:
    asking(store, replace(approval(), status="approved", decision="approve", decided_by="system"))
    assert one(store, vote("carol")) == p.Duplicate("e1-ask-1")
    assert isinstance(one(store, vote("carol", "reject")), p.GuardFailed)


def test_an_approval_of_another_organization_does_not_exist(store: Kept) -> None:
    asking(store, approval(organization="acme"))
    outcome = one(store, vote("mallory", organization="globex"))
    assert isinstance(outcome, p.Refused)
    assert "'e1-ask-1'" in outcome.reason
    assert store.approvals["e1-ask-1"].status == "pending"
    assert one(store, vote("carol", organization="acme")) == COMMITTED
