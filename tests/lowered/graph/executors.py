"""Executors and built-in nodes."""

from __future__ import annotations

from typing import Any

from lowered.base import HOUR, Lowered, k, obj, x
from lowered.checks import facts, history, program
from lowered.graph.words import Nodes, built_in, graph, node, nodes, once, sets, waited
from lowered.outside import answer
from perdure.core import commands as c
from perdure.core import events as e
from perdure.core import facts as f
from perdure.core.advance import advance
from perdure.core.apply import fold
from perdure.core.draft import Transition
from perdure.core.values import Ref
from perdure.model.failure import Failure
from perdure.model.steps import Approval, Compute, Retry, SetVariables, Task
from perdure.testing.script import ApprovalAnswer, Fixed, TaskAnswer
from perdure.testing.world import World


def _second_attempt_was_given_the_checkpoints(world: World) -> None:
    """What the core commands at the end of the backoff, made again from the history before it."""
    facts_ = history(world)
    place = next(n for n, fact in enumerate(facts_) if isinstance(fact, f.StepAttempted))
    values: dict[Ref, Any] = dict(enumerate(facts_, start=1))
    again = advance(program(world), fold(facts_[:place]), e.TimeReached(facts_[place].at), values)
    assert isinstance(again, Transition)
    (command,) = [command for command in again.commands if isinstance(command, c.PerformTask)]
    assert command.checkpoints == (("page", 1, "one"), ("page", 2, "two"))
    assert [(fact.name, fact.n) for fact in facts(world, f.StepCheckpointed)] == [("page", 1), ("page", 2), ("save", 1)]


CHECKPOINTS = Lowered(
    name="graph-checkpoints",
    seed="semantics §4 Executors: step.run(name, fn) is checkpointed by (name, occurrence), kept across attempts",
    workflow=graph("checkpoints", (built_in("start", Compute()), node("work", retry=Retry(2))), "start > work"),
    input={},
    script=Fixed(
        {
            "work": [
                TaskAnswer(error=Failure("half way"), checkpoints=(("page", 1, "one"), ("page", 2, "two"))),
                TaskAnswer(
                    output={"set": {"pages": 2}, "unset": [], "wait": 0, "until": 0},
                    checkpoints=(("page", 1, "other"), ("page", 2, "other"), ("save", 1, True)),
                ),
            ]
        }
    ),
    output={"pages": 2},
    runs=once("start work"),
    check=_second_attempt_was_given_the_checkpoints,
)

BUILT_IN = Lowered(
    name="graph-built-in-nodes",
    seed="semantics §4, the table: SET, HTTP_REQUEST, CODE, MCP_TOOL, MERGE",
    workflow=graph(
        "built-in",
        (
            built_in("start", Compute()),
            built_in("set", SetVariables((("greeting", x("vars.name")), ("n", k(2))))),
            built_in("http", Task("http", obj(endpoint="https://x", method="GET")), api=obj(httpResponse=x("output"))),
            built_in("code", Task("transform", obj(context=x("vars"))), doubled=x("output")),
            built_in("tool", Task("crm/find", obj(id=x("vars.n"))), found=x("output.id")),
            built_in("merge", Compute()),
        ),
        "start > set",
        "set > http code tool",
        "http > merge",
        "code > merge",
        "tool > merge",
    ),
    input={"name": "Ann"},
    script=Fixed({"http": answer({"status": 200, "headers": {}, "data": [1]}, 50), "code": answer(4)}),
    output={
        "name": "Ann",
        "greeting": "Ann",
        "n": 2,
        "api": {"httpResponse": {"status": 200, "headers": {}, "data": [1]}},
        "doubled": 4,
        "found": 2,
    },
    runs=once("start set http code tool merge"),
)


def _approval(name: str, answer: ApprovalAnswer | None, **expected: Any) -> Lowered:
    ask = built_in("ask", Approval(obj(title="Ship it?")), verdict=x("output.decision"))
    return Lowered(
        name=f"graph-approval-{name}",
        seed="semantics §4 APPROVAL: branch approved / rejected, context[variableName]",
        workflow=graph("approval", (*nodes("ship"), ask), "start > ask", "ask.approved > ship"),
        input={},
        script=Nodes({"ship": sets(shipped=True)}, approvals={"ask": answer}),
        **expected,
    )


EXECUTORS = (
    CHECKPOINTS,
    BUILT_IN,
    _approval(
        "approved",
        ApprovalAnswer(HOUR, "approve"),
        output={"verdict": "approve", "shipped": True},
        runs=once("start ask ship"),
    ),
    _approval("rejected", ApprovalAnswer(HOUR, "reject"), output={"verdict": "reject"}, runs=once("start ask")),
    _approval("open", None, status="waiting", runs=once("start ask"), check=waited((48, "approval ask"))),
)
