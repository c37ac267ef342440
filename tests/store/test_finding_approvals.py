"""Approvals are found by whoever is asked, by what they are about and by how they stand; and taken on by one at a time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from msgspec.structs import replace

from perdure.model.asking import Asked
from perdure.model.records import ApprovalRecord
from perdure.store import port as p
from perdure.store.approvals import Asker, LetGo, TakeOn, WantedApprovals
from perdure.store.questions import Questions
from store.stores import Kept
from store.words import COMMITTED, T0, advance, approval, asking, fact, held, one, running, vote


@pytest.fixture
def asked(store: Kept) -> Iterator[Questions]:
    reader: Any = store.reader()
    yield reader
    reader.close()


def opened(store: Kept, *asked: Asked, **more: Any) -> None:
    """Approvals e1-ask-1, e1-ask-2 and so on."""
    asking(store, *(replace(approval(op, **more), asked=each, workflow="orders") for op, each in enumerate(asked, 1)))


def found(asked: Questions, **more: Any) -> list[str]:
    wanted = WantedApprovals(**{"organization": "default", "limit": 10, **more})
    return [each.record.id.removeprefix("e1-ask-") for each in asked.approvals_wanted(wanted)]


def mine(asked: Questions, member: str, *roles: str, anybody: bool = False, **more: Any) -> list[str]:
    return found(asked, mine=Asker(member, roles, anybody), **more)


def test_all_of_an_organization_are_listed_the_newest_first(store: Kept, asked: Questions) -> None:
    opened(store, Asked(), Asked(), Asked())
    assert found(asked) == ["3", "2", "1"]
    assert found(asked, organization="other") == []


def test_a_page_ends_where_the_next_one_begins(store: Kept, asked: Questions) -> None:
    opened(store, *(Asked(),) * 5)
    one(store, vote("carol", asked="e1-ask-4"))
    seen: list[str] = []
    before = None
    while page := asked.approvals_wanted(WantedApprovals("default", 2, before)):
        seen += [each.record.id for each in page]
        before = page[-1].place
    assert seen == [f"e1-ask-{number}" for number in (5, 4, 3, 2, 1)]


def test_one_approval_is_found_by_its_id_in_its_organization(store: Kept, asked: Questions) -> None:
    opened(store, Asked("ann"))
    there = asked.approval("default", "e1-ask-1")
    assert there is not None
    assert there.asked == Asked("ann")
    assert asked.approval("other", "e1-ask-1") is None
    assert asked.approval("default", "nothing") is None


def test_approvals_are_found_by_how_they_stand(store: Kept, asked: Questions) -> None:
    opened(store, Asked(), Asked(), Asked(), Asked())
    one(store, vote("carol", asked="e1-ask-1"))
    one(store, vote("carol", "reject", asked="e1-ask-2"))
    one(store, advance(fact(), after=1, changes=p.Changes(approvals_closed=(3,))))
    assert {status: found(asked, status=status) for status in ("pending", "approved", "rejected", "closed")} == {
        "pending": ["4"],
        "approved": ["1"],
        "rejected": ["2"],
        "closed": ["3"],
    }


def test_what_is_overdue_is_found_while_it_is_open(store: Kept, asked: Questions) -> None:
    opened(store, Asked(), Asked(), Asked())
    one(store, advance(fact(), after=1, changes=p.Changes(approvals_overdue=((1, None), (2, None)))))
    assert found(asked, overdue=True) == ["2", "1"]
    assert found(asked, status="pending") == ["3", "2", "1"]
    one(store, vote("carol", asked="e1-ask-1"))
    assert found(asked, overdue=True) == ["2"]
    assert found(asked, status="approved") == ["1"]


def test_what_is_asked_of_somebody_is_theirs(store: Kept, asked: Questions) -> None:
    opened(store, Asked("ann"), Asked("bob"), Asked(role="finance"), Asked(), Asked("bob", "finance"))
    assert mine(asked, "ann") == ["1"]
    assert mine(asked, "ann", "finance", "sales") == ["5", "3", "1"]
    assert mine(asked, "bob", "finance", anybody=True) == ["5", "4", "3", "2"]
    assert mine(asked, "cyd", anybody=True) == ["4"]
    assert mine(asked, "ann", organization="other") == []


@pytest.mark.parametrize(
    ("to", "member", "holder"),
    [("boss", ["1"], ["1"]), ({"member": "boss"}, ["1"], []), ({"role": "boss"}, [], ["1"]), (None, [], [])],
)
def test_what_was_handed_to_somebody_is_theirs_too(
    store: Kept, asked: Questions, to: Any, member: list[str], holder: list[str]
) -> None:
    opened(store, Asked("ann"))
    one(store, advance(fact(), after=1, changes=p.Changes(approvals_overdue=((1, to),))))
    assert (mine(asked, "boss"), mine(asked, "cyd", "boss"), mine(asked, "ann")) == (member, holder, ["1"])


def test_what_somebody_has_taken_on_is_nobody_elses(store: Kept, asked: Questions) -> None:
    opened(store, Asked(role="finance"))
    assert one(store, TakeOn("e1-ask-1", T0, "ann")) == COMMITTED
    assert mine(asked, "ann", "finance") == ["1"]
    assert mine(asked, "bob", "finance") == []
    assert one(store, LetGo("e1-ask-1", T0, "ann")) == COMMITTED
    assert mine(asked, "bob", "finance") == ["1"]


def test_approvals_are_found_by_workflow_execution_and_what_they_are_about(store: Kept, asked: Questions) -> None:
    opened(store, Asked("ann", resource_type="order", resource_id="17"), Asked("ann", resource_type="order"))
    held(store, "e2")
    other = replace(approval(1, "e2"), asked=Asked("ann"), workflow="refunds")
    record = running("e2", 1)
    assert one(store, advance(fact(), execution="e2", record=record, changes=p.Changes(approvals_opened=(other,)))) == (
        COMMITTED
    )
    assert found(asked, workflow="orders") == ["2", "1"]
    assert found(asked, execution="e1") == ["2", "1"]
    assert found(asked, execution="e1", workflow="refunds") == []
    assert found(asked, resource=("order", "17")) == ["1"]
    assert found(asked, resource=("order", "e1")) == ["2"]
    assert found(asked, resource=("order", "17"), execution="e1") == ["1"]
    assert mine(asked, "ann", workflow="refunds") == ["e2-ask-1"]
    assert mine(asked, "ann", execution="e1", resource=("order", "17")) == ["1"]


def test_texts_that_no_index_holds_are_found_even_so(store: Kept, asked: Questions) -> None:
    odd, long = "a\0n", "n" * 10_000
    opened(store, Asked(odd), Asked(long, resource_type=long, resource_id=long))
    assert mine(asked, odd) == ["1"]
    assert mine(asked, long) == ["2"]
    assert found(asked, resource=(long, long)) == ["2"]


# Taking on.


def kept(store: Kept) -> ApprovalRecord:
    return store.approvals["e1-ask-1"]


def refused(store: Kept, item: p.Item) -> str:
    outcome = one(store, item)
    assert isinstance(outcome, p.GuardFailed)
    return outcome.reason


def test_only_who_has_taken_it_on_decides_or_who_may_go_over_that(store: Kept) -> None:
    opened(store, Asked(role="finance"))
    one(store, TakeOn("e1-ask-1", T0 + 1, "ann"))
    assert (kept(store).claimed_by, kept(store).claimed_at) == ("ann", T0 + 1)
    assert "ann has taken" in refused(store, vote("bob"))
    assert one(store, vote("bob", over=True)) == COMMITTED
    assert kept(store).decided_by == "bob"


def test_an_approval_is_taken_on_by_one_at_a_time(store: Kept) -> None:
    opened(store, Asked())
    one(store, TakeOn("e1-ask-1", T0, "ann"))
    assert one(store, TakeOn("e1-ask-1", T0 + 5, "ann")) == COMMITTED
    assert kept(store).claimed_at == T0
    assert "ann has taken" in refused(store, TakeOn("e1-ask-1", T0, "bob"))
    assert "ann has taken" in refused(store, LetGo("e1-ask-1", T0, "bob"))
    assert one(store, TakeOn("e1-ask-1", T0 + 7, "bob", over=True)) == COMMITTED
    assert (kept(store).claimed_by, kept(store).claimed_at) == ("bob", T0 + 7)
    assert one(store, LetGo("e1-ask-1", T0, "ann", over=True)) == COMMITTED
    assert (kept(store).claimed_by, kept(store).claimed_at) == (None, None)
    assert one(store, LetGo("e1-ask-1", T0, "ann")) == COMMITTED


def test_what_needs_several_votes_is_taken_on_by_nobody(store: Kept) -> None:
    opened(store, Asked(), votes_required=2)
    assert "2 votes" in refused(store, TakeOn("e1-ask-1", T0, "ann"))


def test_what_is_decided_is_not_taken_on(store: Kept) -> None:
    opened(store, Asked())
    one(store, vote("carol"))
    for item in (TakeOn("e1-ask-1", T0, "ann"), LetGo("e1-ask-1", T0, "ann")):
        assert "approved already, by carol" in refused(store, item)


@pytest.mark.parametrize("item", [TakeOn("e1-ask-1", T0, "ann", "other"), LetGo("none", T0, "ann")])
def test_what_is_not_there_cannot_be_taken_on(store: Kept, item: p.Item) -> None:
    opened(store, Asked())
    assert isinstance(one(store, item), p.Refused)
    assert kept(store).claimed_by is None


# Rules of an approval.


def test_who_started_it_may_not_decide_where_that_is_said(store: Kept) -> None:
    opened(store, Asked(apart=True, started_by="ann"))
    assert "ann has started" in refused(store, vote("ann", over=True))
    assert "ann has started" in refused(store, TakeOn("e1-ask-1", T0, "ann"))
    assert one(store, vote("bob")) == COMMITTED


def test_data_that_is_fixed_is_not_changed(store: Kept) -> None:
    opened(store, Asked(fixed=True))
    same = kept(store).request
    assert "allowDataModification" in refused(store, vote("ann", data={"price": 8}))
    assert one(store, vote("ann", data=same)) == COMMITTED


def test_each_vote_is_kept_with_what_was_said(store: Kept) -> None:
    opened(store, Asked(), votes_required=2)
    one(store, vote("ann", "reject", comments="no"))
    one(store, vote("bob", comments="yes"))
    one(store, vote("ann", comments="well, yes"))
    assert kept(store).said == (("bob", T0 + 5, "yes"), ("ann", T0 + 5, "well, yes"))
    assert (kept(store).status, kept(store).decided_by) == ("approved", "ann")


def test_who_comes_too_late_is_told_who_decided_what_and_when(store: Kept) -> None:
    opened(store, Asked())
    one(store, vote("carol"))
    assert refused(store, vote("dave", "reject")) == (
        "approval e1-ask-1 is approved already, by carol at 1970-01-01T00:16:40.005Z; that stands"
    )
