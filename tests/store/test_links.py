"""Votes that are cast by a link: each link counts once, whatever else is voted; and who was given one is in the audit."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from msgspec.structs import replace

from perdure.model.asking import Asked
from perdure.store import port as p
from perdure.store.approvals import GiveLink
from perdure.store.questions import Questions
from store.stores import Kept
from store.words import COMMITTED, T0, approval, asking, one, vote

GIVEN = GiveLink("e1-ask-1", T0 + 1, "root", "link-1", "ann", T0 + 9, writer="w1")


@pytest.fixture
def read(store: Kept) -> Iterator[Questions]:
    reader: Any = store.reader()
    yield reader
    reader.close()


def test_a_link_is_used_up_with_the_vote_that_is_cast_by_it(store: Kept, read: Questions) -> None:
    asking(store, approval(votes_required=3))
    by_link = vote("ann", link="link-1", writer="w1")
    assert store.commit([by_link, vote("bob", link="link-2", writer="w1")]) == [COMMITTED, COMMITTED]
    before = store.approvals["e1-ask-1"]
    assert before.used == ("link-1", "link-2")
    for again in (by_link, replace(by_link, decision="reject"), replace(by_link, by="bob")):
        outcome = one(store, again)
        assert isinstance(outcome, p.GuardFailed)
        assert "used up" in outcome.reason
    assert store.approvals["e1-ask-1"] == before
    assert one(store, vote("ann", "reject", link="link-3")) == COMMITTED
    assert one(store, vote("bob", "reject")) == COMMITTED
    assert dict(store.approvals["e1-ask-1"].votes) == {"ann": "reject", "bob": "reject"}
    assert [entry.details["link"] for entry in read.audit("default", None, 9)] == ["link-2", "link-1"]


def test_a_vote_that_does_not_count_uses_up_no_link(store: Kept) -> None:
    asking(store, approval(asked=Asked(fixed=True), votes_required=2))
    assert isinstance(one(store, vote("ann", data={"other": 1}, link="link-1")), p.GuardFailed)
    assert one(store, vote("ann", link="link-1")) == COMMITTED


def test_a_decision_by_a_link_is_answered_as_any_other(store: Kept) -> None:
    asking(store, approval())
    assert one(store, vote("ann", link="link-1")) == COMMITTED
    assert one(store, vote("ann", link="link-1")) == p.Duplicate("e1-ask-1")
    other = one(store, vote("ann", "reject", link="link-1"))
    assert isinstance(other, p.GuardFailed)
    assert "approved already, by ann" in other.reason


def test_who_was_given_a_link_and_by_whom_is_in_the_audit_and_nothing_else_is_changed(
    store: Kept, read: Questions
) -> None:
    asking(store, approval())
    before = dict(store.approvals)
    assert one(store, GIVEN) == COMMITTED
    assert store.approvals == before
    (entry,) = read.audit("default", None, 9)
    assert (entry.action, entry.by, entry.subject) == ("approval.linked", "root", "e1-ask-1")
    assert entry.details == {"link": "link-1", "member": "ann", "until": T0 + 9}


def test_nobody_is_given_a_link_to_what_they_cannot_decide(store: Kept, read: Questions) -> None:
    asking(
        store,
        approval(1),
        approval(2, due_at=T0, on_timeout="reject"),
        approval(3, asked=Asked(apart=True, started_by="ann")),
    )
    one(store, vote("carol"))
    for op, reason in ((1, "approved already, by carol"), (2, "its time is over"), (3, "ann has started")):
        outcome = one(store, replace(GIVEN, approval=f"e1-ask-{op}"))
        assert isinstance(outcome, p.GuardFailed)
        assert reason in outcome.reason
    for missing in (replace(GIVEN, approval="none"), replace(GIVEN, organization="other")):
        assert isinstance(one(store, missing), p.Refused)
    assert read.audit("default", None, 9) == []
