"""An execution of ports in the words of the seeds, from facts in an order that few executions come by."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from perdure import dialects
from perdure.core import facts as f
from perdure.core.steps.approval import approval_id
from perdure.dialects.port import Seen
from perdure.model.catalog import Catalog
from perdure.model.failure import Failure
from perdure.model.records import ExecutionRecord

T0 = 1_700_000_000_000


def step(slug: str, type_: str, config: dict[str, Any], **ways: str) -> dict[str, Any]:
    return {"stepSlug": slug, "stepType": type_, "config": config, "nextSteps": ways}


ASKING = {"name": "asking", "steps": [step("think", "llm", {"prompt": "How many?", "outputFormat": "json"})]}
NESTED = {
    "name": "nested",
    "steps": [
        step("outer", "loop", {"items": [[1]]}, loop="inner"),
        step("inner", "loop", {"items": "{{ loop.item }}"}, loop="ask", done="outer"),
        step("ask", "approval", {"approverMemberId": "ann"}, approved="inner", rejected="end"),
    ],
}


def seen(document: dict[str, Any], facts: Sequence[f.Fact]) -> Seen:
    """`facts` come after its start."""
    compiled = dialects.compile(document, Catalog())
    assert compiled.workflow is not None, compiled.problems
    begun = f.ExecutionStarted(T0, "e1", "digest", assigned={"config": {}})
    record = ExecutionRecord("e1", "wf_1", "digest", T0, status="running")
    return Seen(record, (begun, *facts), compiled.workflow, document, "1")


def number(document: dict[str, Any], id_: str) -> int:
    return next(at for at, each in enumerate(seen(document, ()).workflow.steps) if each.id == id_)


def told(document: dict[str, Any], *facts: f.Fact) -> dict[str, Any]:
    found: dict[str, Any] = dialects.view("ports", seen(document, facts))
    return found


def test_a_step_is_not_done_before_the_last_of_its_parts_is() -> None:
    parts = [f.StepCompleted(T0, number(ASKING, f"think/{part}"), port="tools") for part in ("begin", "turns", "ask")]
    running = dialects.step_view("ports", seen(ASKING, parts), "think")
    assert (running["success"], running["port"], running["output"]) == (None, None, None)
    done = f.StepCompleted(T0, number(ASKING, "think"), output={"many": 2}, port="success")
    ended = dialects.step_view("ports", seen(ASKING, [*parts, done]), "think")
    assert (ended["success"], ended["port"], ended["output"]["data"]) == (True, "success", {"many": 2})


def test_what_a_fork_took_over_of_parts_is_none_of_its_steps() -> None:
    outputs = {number(ASKING, "think/ask"): {"kind": "answer"}, number(ASKING, "think"): {"many": 2}}
    done = f.StepCompleted(T0, number(ASKING, "think"), output={"many": 1}, port="success")
    found = told(ASKING, done, f.ExecutionForked(T0, "e2", "e1", outputs=outputs))
    assert set(found["variables"]["steps"]) == {"think"}
    assert found["variables"]["lastOutput"] == {"type": "llm", "data": {"many": 2}}


@pytest.mark.parametrize("scopes", [(2, 4), (4, 2)])
def test_whoever_leaves_two_loops_at_once_is_in_neither(scopes: tuple[int, ...]) -> None:
    outer, inner, ask = (number(NESTED, slug) for slug in ("outer", "inner", "ask"))
    within: list[f.Fact] = [
        f.LoopOpened(T0, outer, [[1]], 1),
        f.LoopTicked(T0, outer, 2, 0),
        f.LoopOpened(T0, inner, [1], 1),
        f.LoopTicked(T0, inner, 4, 0),
        f.ApprovalOpened(T0, ask, None),
    ]
    assert told(NESTED, *within)["variables"]["loop"]["items"] == [1]
    left = told(NESTED, *within, f.StepCompleted(T0, ask, op=6, port="rejected"), f.LoopsLeft(T0, scopes))
    assert "loop" not in left["variables"]
    assert left["metadata"] == {"resumeWithPort": "rejected"}


def test_an_approval_that_is_asked_for_again_is_the_one_that_is_named() -> None:
    ask = number(NESTED, "ask")
    first = f.StepCompleted(T0, ask, op=2, output={"approvalId": approval_id("e1", 2)}, port="approved")
    again = dialects.step_view("ports", seen(NESTED, [f.ApprovalOpened(T0, ask, None), first]), "ask")
    assert again["approvalTaskId"] == approval_id("e1", 2)
    facts: list[f.Fact] = [f.ApprovalOpened(T0, ask, None), first, f.ApprovalOpened(T0, ask, None)]
    assert dialects.step_view("ports", seen(NESTED, facts), "ask")["approvalTaskId"] == approval_id("e1", 4)


def test_a_failure_that_was_dealt_with_says_by_which_port() -> None:
    ask = number(NESTED, "ask")
    error = f.StepFailed(T0, ask, error=Failure("out of order"), handled=True)
    found = dialects.step_view("ports", seen(NESTED, [error]), "ask")
    assert (found["success"], found["port"], found["error"]) == (False, "error", "out of order")
    unhandled = f.StepFailed(T0, ask, error=Failure("out of order"))
    assert dialects.step_view("ports", seen(NESTED, [unhandled]), "ask")["port"] is None


def test_a_fork_that_goes_on_elsewhere_is_in_no_loop_and_has_its_own_input() -> None:
    outer, ask = number(NESTED, "outer"), number(NESTED, "ask")
    within: list[f.Fact] = [f.LoopOpened(T0, outer, [[1]], 1), f.LoopTicked(T0, outer, 2, 0)]
    found = told(NESTED, *within, f.ExecutionForked(T0, "e2", "e1", {"a": 1}, edited_input=True, steps=(ask,)))
    assert "loop" not in found["variables"]
    assert (found["input"], found["variables"]["input"], found["variables"]["a"]) == ({"a": 1}, {"a": 1}, 1)


def test_an_output_that_a_fork_changes_is_the_last_only_if_it_was() -> None:
    outer, ask = number(NESTED, "outer"), number(NESTED, "ask")
    done = [f.StepCompleted(T0, outer, output="first"), f.StepCompleted(T0, ask, output="second")]
    found = told(NESTED, *done, f.ExecutionForked(T0, "e2", "e1", outputs={outer: "changed"}))
    assert found["variables"]["steps"]["outer"]["output"]["data"] == "changed"
    assert found["variables"]["lastOutput"]["data"] == "second"
