"""Of whom an approval is asked: what is computed of it, what is odd, and what cannot be meant."""

from __future__ import annotations

from typing import Any

import pytest

from core.drive import Drive, flow
from perdure.core import commands as c
from perdure.core import events as e
from perdure.core import facts as f
from perdure.model.asking import NOBODY, Asked, handed_to
from perdure.model.steps import Approval, Child, Step
from perdure.model.workflow import Chain
from perdure.testing.words import k, obj, x


def asks(given: Any = None, **more: Any) -> Drive:
    return Drive(flow(Step("ask", Approval(k("May it?"), **more))), given or {})


def asked(given: Any = None, **more: Any) -> Asked:
    drive = asks(given, **more)
    opened = drive.command(c.OpenApproval)
    assert drive.fact(f.ApprovalOpened).asked == opened.asked
    found: Asked = opened.asked
    return found


def warned(drive: Drive) -> list[str]:
    return [fact.message for fact in drive.history if isinstance(fact, f.Warned)]


def test_an_approval_of_nobody_in_particular_says_nothing() -> None:
    assert asked() is NOBODY


def test_an_approval_says_of_whom_it_is_asked_and_what_it_is_about() -> None:
    details = obj(
        resourceType="order",
        resourceId=x("input.id"),
        routeHint="task_center",
        priority="high",
        metadata=obj(color="red"),
    )
    found = asked({"id": 17}, member=k("ann"), role=x("'fin' + 'ance'"), details=details)
    assert found == Asked("ann", "finance", "order", "17", "task_center", "high", {"color": "red"})


def test_rules_of_an_approval_are_recorded_with_it() -> None:
    assert asked(fixed=True) == Asked(fixed=True)
    assert asked(apart=True) == Asked(apart=True)


@pytest.mark.parametrize("apart", [True, False])
def test_who_started_the_execution_is_recorded_whether_or_not_that_keeps_them_from_deciding(*, apart: bool) -> None:
    workflow = flow(Step("ask", Approval(k(1), apart=apart)))
    drive = Drive(workflow, by="ann")
    assert drive.command(c.OpenApproval).asked == Asked(apart=apart, started_by="ann")
    assert drive.state.by == "ann"


@pytest.mark.parametrize("empty", [k(None), k(""), x("input.nobody")])
def test_a_member_who_comes_to_nothing_is_told(empty: Any) -> None:
    for name in ("member", "role"):
        drive = asks(**{name: empty})
        assert drive.command(c.OpenApproval).asked == NOBODY
        assert warned(drive) == ["whoever was to decide came to nothing; anybody who may approve can decide now"]
    assert warned(asks(member=empty, role=k("finance"))) == []


@pytest.mark.parametrize("wrong", [k(True), k(["ann"]), k({"id": "ann"})])
def test_a_member_who_can_be_nobody_fails_the_step(wrong: Any) -> None:
    drive = asks(member=wrong)
    assert drive.state.status == "failed"
    assert "approverMemberId must be a text" in drive.fact(f.StepFailed).error.message


def test_details_that_are_undefined_say_nothing_and_others_fail_the_step() -> None:
    assert asked(details=x("input.nothing")) == NOBODY
    assert asked(details=k(None)) == NOBODY
    assert "must be an object" in asks(details=k("urgent")).fact(f.StepFailed).error.message


def test_a_priority_that_is_none_is_medium_and_told() -> None:
    for odd in ("sofort", 3, ["high"]):
        drive = asks(details=obj(priority=k(odd)))
        assert drive.command(c.OpenApproval).asked.priority == "medium"
        assert repr(odd) in warned(drive)[0]


@pytest.mark.parametrize(
    ("details", "metadata"),
    [
        (obj(title="A", description=x("input.n")), {"title": "A", "description": "17"}),
        (obj(title="A", metadata=obj(color="red")), {"title": "A", "color": "red"}),
        (obj(title="A", metadata=obj(title="B")), {"title": "B"}),
        (obj(title="A", metadata=k([1])), {"title": "A", "metadata": [1]}),
        (obj(title="", metadata=k([1])), [1]),
    ],
)
def test_the_title_and_the_description_are_a_part_of_the_metadata(details: Any, metadata: Any) -> None:
    assert asked({"n": 17}, details=details).metadata == metadata


def test_a_title_that_is_no_text_is_left_out_and_told() -> None:
    drive = asks(details=obj(title=k({"a": 1}), description="fine"))
    assert drive.command(c.OpenApproval).asked.metadata == {"description": "fine"}
    assert warned(drive) == ["title must be a text, not {'a': 1}; it is left out"]


def test_what_an_execution_starts_is_started_by_the_same_person() -> None:
    child = flow(Step("call", Child(k("other"))))
    drive = Drive(child, by="ann")
    assert drive.command(c.StartChild).by == "ann"


def test_what_a_completion_starts_is_started_by_the_same_person() -> None:
    drive = Drive(flow(chains=(Chain("other", k(1)),)), by="ann")
    drive.send(e.ChainDue(drive.now, 0))
    assert drive.command(c.StartChild).by == "ann"


@pytest.mark.parametrize(
    ("to", "member", "role"),
    [
        ("ann", "ann", "ann"),
        ("", None, None),
        ({"member": "ann"}, "ann", None),
        ({"role": "directors"}, None, "directors"),
        ({"member": 1, "role": []}, None, None),
        (None, None, None),
        (["ann"], None, None),
    ],
)
def test_an_approval_is_handed_to_a_member_or_a_role(to: Any, member: str | None, role: str | None) -> None:
    assert handed_to(to) == (member, role)


def test_what_becomes_of_it_in_time_is_said_when_it_opens() -> None:
    opened = asks(on_timeout="escalate", escalate_to=obj(role="directors")).command(c.OpenApproval)
    assert (opened.on_timeout, opened.escalate_to) == ("escalate", {"role": "directors"})
    computed = asks(on_timeout="escalate", escalate_to=x("input.boss")).command(c.OpenApproval)
    assert (computed.on_timeout, computed.escalate_to) == ("escalate", None)
    assert asks().command(c.OpenApproval).on_timeout == "stay"


@pytest.mark.parametrize("empty", [k(None), x("input.due")])
def test_a_due_date_that_comes_to_nothing_is_told(empty: Any) -> None:
    drive = asks(due_at=empty, on_timeout="reject")
    assert drive.command(c.OpenApproval).due_at is None
    assert warned(drive) == ["dueDate came to nothing; its time is never over"]
    assert warned(asks(due_at=x("now + 1"))) == []


def test_a_due_date_that_is_none_is_named_as_its_author_named_it() -> None:
    assert "dueDate: " in asks(due_at=k("tomorrow")).fact(f.StepFailed).error.message
