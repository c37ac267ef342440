"""APPROVAL: what it becomes, what is wrong with one, and how it goes on."""

from __future__ import annotations

from typing import Any

import pytest

from dialects.words import alone, compiled, graph, model, node, output, run, told, warned
from perdure.core.facts import Warned
from perdure.model.asking import Asked
from perdure.model.records import ApprovalRecord
from perdure.model.steps import Approval
from perdure.model.values import Expression, Json
from perdure.testing.script import ApprovalAnswer, Fixed

ASKED = {"approverRole": "finance"}


def approval(data: Json) -> Approval:
    work = model(alone("APPROVAL", data)).steps[-1].work
    assert isinstance(work, Approval)
    return work


def opened(data: Json, given: Json = None) -> ApprovalRecord:
    world = run(alone("APPROVAL", data), given or {}, Fixed(approvals={"it": None}))
    (found,) = world.store.approvals.values()
    return found


def branching(**data: Any) -> dict[str, Json]:
    return graph(
        node("ask", "APPROVAL", {**ASKED, **data}),
        node("yes", "SET", {"values": {"went": "yes"}}),
        node("no", "SET", {"values": {"went": "no"}}),
        "start > ask",
        "ask.approved > yes",
        "ask.rejected > no",
    )


@pytest.mark.parametrize(("decision", "went"), [("approve", "yes"), ("reject", "no")])
def test_the_decision_is_the_branch_and_stands_in_the_context(decision: Any, went: str) -> None:
    script = Fixed(approvals={"ask": ApprovalAnswer(10, decision)})
    found = output(branching(variableName="review"), {"sum": 7}, script)
    assert found["went"] == went
    review = found["review"]
    assert (review["decision"], review["decidedBy"], review["submittedData"]) == (decision, "ann", {"sum": 7})
    assert set(review) == {"approvalId", "status", "decision", "decidedBy", "comments", "submittedData"}


def test_without_a_name_the_context_stays_as_it_is() -> None:
    assert output(branching(), {"sum": 7}, Fixed()) == {"sum": 7, "went": "yes"}


@pytest.mark.parametrize(
    ("data", "metadata"),
    [
        ({"title": "Refund {{n}}?"}, {"title": "Refund 17?"}),
        ({"title": "Refund {{n}}?", "description": "for {{who}}"}, {"title": "Refund 17?", "description": "for ann"}),
        ({"title": "{{n}}", "metadata": {"color": "{{who}}"}}, {"title": "17", "color": "ann"}),
        ({"title": "here", "metadata": {"title": "there"}}, {"title": "there"}),
        ({"title": "here", "metadata": ["a"]}, {"title": "here", "metadata": ["a"]}),
        ({"title": "", "metadata": ["a"]}, ["a"]),
        ({"title": "{{nothing}}"}, None),
        ({"title": 7}, {"title": "7"}),
    ],
)
def test_title_and_description_are_rendered_into_the_metadata(data: dict[str, Json], metadata: Json) -> None:
    found = opened({**ASKED, **data}, {"n": 17, "who": "ann", "nothing": None})
    assert found.asked.metadata == metadata


def test_an_approval_is_not_lost_over_its_title() -> None:
    document = alone("APPROVAL", {**ASKED, "title": "{{order}}", "description": "fine"})
    assert compiled(document).warnings == ()
    world = run(document, {"order": {"id": 17}}, Fixed(approvals={"it": None}))
    (found,) = world.store.approvals.values()
    assert found.asked.metadata == {"description": "fine"}
    (warning,) = [fact.message for fact in world.store.rows["main"].facts if isinstance(fact, Warned)]
    assert "title must be a text" in warning
    assert "it is left out" in warning


def test_all_that_a_record_has_is_rendered() -> None:
    record = opened(
        {
            "approverMemberId": "{{who}}",
            "approverRole": "finance",
            "submittedData": {"order": "{{id}}"},
            "resourceType": "order",
            "resourceId": "{{id}}",
            "routeHint": "task_center",
            "priority": "{{'ur' + 'gent'}}",
            "metadata": {"color": "red"},
            "dueDate": "{{nowMs + 1000}}",
            "votesRequired": 2,
            "separationOfDuties": True,
            "allowDataModification": True,
        },
        {"who": "ann", "id": 17},
    )
    metadata = {"color": "red"}
    assert record.asked == Asked("ann", "finance", "order", "17", "task_center", "urgent", metadata, apart=True)
    assert (record.request, record.votes_required, record.overdue) == ({"order": 17}, 2, True)
    assert record.due_at == record.opened_at + 1_000


def test_what_is_decided_on_is_the_context_and_cannot_be_changed_unless_it_is_said() -> None:
    work = approval(ASKED)
    assert (work.request, work.fixed, work.on_timeout, work.votes_required) == (Expression("vars"), True, "stay", 1)
    assert not approval({**ASKED, "allowDataModification": True}).fixed


@pytest.mark.parametrize(
    ("to", "handed"),
    [
        ("boss", "boss"),
        ("{{chief}}", "dora"),
        ({"member": "{{chief}}"}, {"member": "dora"}),
        ({"role": "directors"}, {"role": "directors"}),
        ({"approverMemberId": "boss"}, {"member": "boss"}),
        ({"approverRole": "directors"}, {"role": "directors"}),
    ],
)
def test_it_is_handed_on_when_its_time_is_over(to: Json, handed: Json) -> None:
    data = {**ASKED, "dueDate": "PT1H", "onTimeout": "escalate", "escalateTo": to}
    record = opened(data, {"chief": "dora"})
    assert (record.overdue, record.escalated_to, record.status) == (True, handed, "pending")


@pytest.mark.parametrize(("on_timeout", "went"), [("approve", "yes"), ("reject", "no")])
def test_time_decides_where_that_is_said(on_timeout: str, went: str) -> None:
    script = Fixed(approvals={"ask": None})
    assert output(branching(dueDate="PT1H", onTimeout=on_timeout), {}, script)["went"] == went


@pytest.mark.parametrize(
    ("data", "path", "message"),
    [
        ({"approverMemberId": 5}, "/approverMemberId", "must be a text"),
        ({"approverRole": ""}, "/approverRole", "must be a text"),
        ({"approverRole": "x" * 201}, "/approverRole", "the limit is 200"),
        ({"priority": "sofort"}, "/priority", "must be one of low, medium, high, urgent"),
        ({"priority": 1}, "/priority", "must be one of"),
        ({"resourceId": True}, "/resourceId", "must be a text"),
        ({"resourceType": []}, "/resourceType", "must be a text"),
        ({"title": []}, "/title", "must be a text"),
        ({"dueDate": "tomorrow"}, "/dueDate", "'dueDate': "),
        ({"dueDate": True}, "/dueDate", "'dueDate': "),
        ({"onTimeout": "retry"}, "/onTimeout", "must be one of stay, fail, reject, approve, escalate"),
        ({"dueDate": "P1D", "onTimeout": "escalate"}, "", "'escalateTo' is missing"),
        ({"escalateTo": 5}, "/escalateTo", "must be a text"),
        ({"escalateTo": {}}, "/escalateTo", "not one with nothing"),
        ({"escalateTo": {"member": "a", "role": "b"}}, "/escalateTo", "not one with member, role"),
        ({"escalateTo": {"who": "a"}}, "/escalateTo", "not one with who"),
        ({"escalateTo": {"role": 7}}, "/escalateTo/role", "must be a text"),
        ({"votesRequired": 0}, "/votesRequired", "a whole number from 1 up"),
        ({"separationOfDuties": "yes"}, "/separationOfDuties", "must be true or false"),
        ({"allowDataModification": 1}, "/allowDataModification", "must be true or false"),
        ({"submittedData": "{{secrets.KEY}}"}, "/submittedData", "a secret can only stand"),
        ({"submittedData": "{{1 +}}"}, "/submittedData", ""),
        ({"variableName": "_branch"}, "/variableName", "belongs to the engine"),
    ],
)
def test_what_is_wrong_is_told_at_save_with_its_place(data: dict[str, Json], path: str, message: str) -> None:
    found = told(alone("APPROVAL", {**ASKED, **data}))
    assert list(found) == [f"/nodes/1/data{path}"]
    assert message in found[f"/nodes/1/data{path}"].message


@pytest.mark.parametrize(
    ("data", "type_"),
    [
        ({}, "unassigned"),
        ({"approverMemberId": None}, "unassigned"),
        ({"approverMemberId": "ann", "votesRequired": 2}, "too_few_voters"),
        ({**ASKED, "onTimeout": "fail"}, "no_due_date"),
        ({**ASKED, "dueDate": "P1D", "escalateTo": "boss"}, "no_effect"),
        ({**ASKED, "aproverRole": "x"}, "unknown_key"),
    ],
)
def test_what_is_odd_is_a_warning(data: dict[str, Json], type_: str) -> None:
    assert list(warned(alone("APPROVAL", data))) == [type_]


def test_one_that_is_as_it_should_be_is_nothing_to_warn_of() -> None:
    data = {"approverMemberId": "ann", "resourceId": 17, "dueDate": 1e12, "onTimeout": "stay", "priority": "low"}
    assert compiled(alone("APPROVAL", data)).warnings == ()
