"""What is no card, and in the audit even so: versions, executions, approvals. In the same commit as what was done, and once."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from perdure.core import events as e
from perdure.core import facts as f
from perdure.model.workflow import Workflow
from perdure.store import port as p
from perdure.store.approvals import LetGo, TakeOn
from perdure.store.questions import Questions
from perdure.store.registers import FIRST, Doer, WriteCard, sealed
from perdure.store.versions import Kept as KeptVersion
from perdure.store.versions import NewVersion, NotAllowed, Taken
from store.stores import Kept
from store.words import COMMITTED, T0, approval, asking, deliver, fact, held, one, pending, released, running

ANN = Doer("ann", "w1")


def entry(action: str = "execution.cancelled", **more: Any) -> WriteCard:
    return WriteCard("executions", "e1", None, T0, "ann", action, writer="w1", **more)


def told(asked: Questions) -> list[tuple[str, str, str]]:
    """The oldest first."""
    found = reversed(asked.audit("default", None, 100))
    return [(each.action, each.subject, each.by) for each in found]


def keep(store: Any, number: int = 1, by: Doer | None = ANN, **more: Any) -> Any:
    new = NewVersion("wf_1", Workflow("orders", steps_max=number), "graph", T0, f'{{"n":{number}}}', by=by)
    return store.keep(replace(new, **more))


# Versions.


def test_a_version_that_is_saved_is_in_the_audit_once(store: Kept, asked: Questions) -> None:
    kept = keep(store)
    assert isinstance(kept, KeptVersion)
    keep(store, at=T0 + 1)
    assert told(asked) == [("workflow.saved", "wf_1", "ann")]
    (found,) = asked.audit("default", None, 10)
    assert (found.register, found.writer, found.at) == ("workflows", "w1", T0)
    assert found.details == {"name": "orders", "version": "1", "status": "active", "digest": kept.version.digest}


def test_a_draft_that_is_saved_once_more_is_activated(store: Kept, asked: Questions) -> None:
    keep(store, activate=False)
    keep(store, by=Doer("bob"))
    assert told(asked) == [("workflow.saved", "wf_1", "ann"), ("workflow.activated", "wf_1", "bob")]


def test_what_changes_nothing_of_a_version_is_in_no_audit(store: Any, asked: Questions) -> None:
    keep(store)
    for change in (store.activate, store.deactivate, store.deactivate, store.activate, store.activate):
        change("default", "wf_1", "1", T0, ANN)
    assert store.activate("default", "wf_1", "7", T0, ANN) is None
    assert store.deactivate("default", "nowhere", "1", T0, ANN) is None
    actions = [action for action, _, _ in told(asked)]
    assert actions == ["workflow.saved", "workflow.deactivated", "workflow.activated"]


def test_who_is_not_named_is_in_no_audit(store: Any, asked: Questions) -> None:
    keep(store, by=None)
    store.deactivate("default", "wf_1", "1", T0)
    store.activate("default", "wf_1", "1", T0)
    assert told(asked) == []


def test_a_version_with_a_name_that_is_taken_is_in_no_audit(store: Kept, asked: Questions) -> None:
    keep(store, version="1.0.0")
    assert isinstance(keep(store, 2, version="1.0.0"), Taken)
    assert len(told(asked)) == 1


@pytest.mark.parametrize("verb", ["keep", "activate", "deactivate"])
def test_who_is_not_any_more_who_they_were_changes_nothing(store: Any, asked: Questions, verb: str) -> None:
    keep(store, activate=verb == "deactivate")
    one(store, WriteCard("members", "ann", {"roles": ["editor"]}, T0, "root", "member.added"))
    was = Doer("ann", "w1", (("members", "ann", 1),))
    one(store, WriteCard("members", "ann", {"roles": []}, T0 + 1, "root", "member.changed"))
    before = (told(asked), asked.versions_of("default", "wf_1"))
    refused = keep(store, 2, by=was) if verb == "keep" else getattr(store, verb)("default", "wf_1", "1", T0 + 2, was)
    assert refused == NotAllowed("'ann' of members has been changed since; look again")
    assert (told(asked), asked.versions_of("default", "wf_1")) == before


def test_who_still_is_who_they_were_may(store: Any, asked: Questions) -> None:
    one(store, WriteCard("members", "ann", {"roles": ["editor"]}, T0, "root", "member.added"))
    keep(store, by=Doer("ann", "w1", (("members", "ann", 1),)))
    assert told(asked)[-1] == ("workflow.saved", "wf_1", "ann")


# Executions.


def test_what_an_execution_is_told_is_in_the_audit_with_it(store: Kept, asked: Questions) -> None:
    held(store)
    item = replace(deliver("stop"), audit=entry(details={"reason": "stop"}))
    assert one(store, item) == COMMITTED
    assert one(store, item) == p.Duplicate("stop"), "sent again"
    assert told(asked) == [("execution.cancelled", "e1", "ann")]
    (found,) = asked.audit("default", None, 10)
    assert (found.register, found.details, found.writer) == ("executions", {"reason": "stop"}, "w1")


def test_what_an_execution_is_not_told_is_in_no_audit(store: Kept, asked: Questions) -> None:
    released(store, "e1", record=running("e1", 1, status="completed", live=False))
    ended = replace(deliver("stop"), audit=entry())
    guarded = replace(deliver("again", force=True), version=9, audit=entry())
    nowhere = replace(deliver("stop", "nowhere"), audit=entry())
    outcomes = [one(store, item) for item in (ended, guarded, nowhere)]
    assert [type(outcome) for outcome in outcomes] == [p.Refused, p.GuardFailed, p.Refused]
    assert told(asked) == []


@pytest.mark.parametrize("owner", [None, "w1"])
def test_an_execution_that_is_run_again_is_in_the_audit_with_it(
    store: Kept, asked: Questions, owner: str | None
) -> None:
    item = p.Create(pending("e2"), owner, audit=entry("execution.rerun"))
    assert [one(store, item), one(store, item)] == [COMMITTED, COMMITTED]
    taken = p.Create(pending("e2", input="other"), None, "key", audit=entry("execution.rerun"))
    assert isinstance(one(store, taken), p.Duplicate)
    assert told(asked) == [("execution.rerun", "e1", "ann")]


def test_executions_are_created_together_also_if_the_audit_has_one_of_them(store: Kept, asked: Questions) -> None:
    items = [p.Create(pending(f"e{number}"), "w1") for number in range(8)]
    items[3] = replace(items[3], audit=entry("execution.rerun"))
    assert store.commit(items) == [COMMITTED] * 8
    assert told(asked) == [("execution.rerun", "e1", "ann")]


def test_a_fork_is_in_the_audit_with_it(store: Kept, asked: Questions) -> None:
    released(store, "e1", fact("one"))
    fork = p.Fork(
        replace(running("e2", 2), parent="e1"),
        "e1",
        1,
        (f.ExecutionForked(T0, "e2", "e1", by="ann"),),
        e.Continued(T0),
        audit=entry("execution.forked"),
    )
    assert one(store, fork) == COMMITTED
    assert one(store, fork) == p.Duplicate("e2")
    assert isinstance(one(store, replace(fork, record=replace(fork.record, id="e3"), upto=9)), p.Refused)
    assert told(asked) == [("execution.forked", "e1", "ann")]


# Approvals.


def test_who_takes_an_approval_on_and_lets_go_of_it_is_in_the_audit(store: Kept, asked: Questions) -> None:
    asking(store, approval())
    take = TakeOn("e1-ask-1", T0 + 1, "ann", writer="w1")
    assert [one(store, take), one(store, take)] == [COMMITTED, COMMITTED]
    assert isinstance(one(store, replace(take, by="bob")), p.GuardFailed)
    assert one(store, replace(take, by="root", over=True)) == COMMITTED
    go = LetGo("e1-ask-1", T0 + 2, "root", writer="w1")
    assert [one(store, go), one(store, go)] == [COMMITTED, COMMITTED]
    assert told(asked) == [
        ("approval.claimed", "e1-ask-1", "ann"),
        ("approval.claimed", "e1-ask-1", "root"),
        ("approval.released", "e1-ask-1", "root"),
    ]
    released_, over, first = asked.audit("default", None, 10)
    assert (first.details, over.details, released_.details) == (None, {"before": "ann"}, {"before": "root"})


def test_without_a_writer_nobody_says_who_has_taken_an_approval_on(store: Kept, asked: Questions) -> None:
    asking(store, approval())
    store.commit([TakeOn("e1-ask-1", T0 + 1, "ann"), LetGo("e1-ask-1", T0 + 2, "ann")])
    assert told(asked) == []


def test_all_of_it_is_one_chain(store: Any, asked: Questions) -> None:
    held(store)
    keep(store)
    store.commit([replace(deliver("stop"), audit=entry()), p.Create(pending("e2"), audit=entry("execution.rerun"))])
    store.deactivate("default", "wf_1", "1", T0, ANN)
    before, numbers = FIRST, []
    for each in reversed(asked.audit("default", None, 10)):
        assert sealed(each, before).hash == each.hash
        before = each.hash
        numbers.append(each.number)
    assert numbers == [1, 2, 3, 4]
