"""The workflows that were lowered by hand, written as documents, come to the same.

Each document is made from the model: what is an executor there is a node of type WORK here. The compiler has to arrive at
something that behaves as the model does, and is judged by the same checks.
"""

from __future__ import annotations

import pytest

from dialects.words import model
from lowered.base import Lowered, holds, play
from lowered.graph import WORKFLOWS
from perdure.expressions.language import compile_value
from perdure.model.steps import Compute, Condition, Route, Step, Task, Timer
from perdure.model.values import Constant, Expression, Json
from perdure.model.workflow import Workflow
from perdure.testing.world import World

# These have work, or a start, that no node stands for in just this way: they are written out in other files here.
OTHERWISE = (
    "switch",
    "inputs",
    "built-in",
    "approval",
    "run",
    "depth",
    "workflow-trigger",
    "seeds-event",
    "by-the-seeds",
)
ALIKE = [lowered for lowered in WORKFLOWS if not any(part in lowered.name for part in OTHERWISE)]


def as_document(workflow: Workflow) -> dict[str, Json]:
    first = {entry.step for entry in workflow.entries}
    return {
        "name": workflow.name,
        "nodes": [_node(step, step.id in first, workflow) for step in workflow.steps if step.part_of is None],
        "connections": [
            {"fromNodeId": step.part_of or step.id, "toNodeId": target, "fromOutput": route.port or "error"}
            for step in workflow.steps
            for route in step.routes
            for target in route.to
        ],
        "settings": {"sequential": workflow.parallel_max == 1, "maxNodes": workflow.steps_max},
    }


def _node(step: Step, is_first: bool, workflow: Workflow) -> dict[str, Json]:
    node: dict[str, Json] = {"id": step.id, "join": step.join}
    match step.work:
        case Task(retry=retry):
            return {**node, "type": "WORK", "retry": {"maxAttempts": retry.attempts_max}}
        case Compute():
            hook = any(entry.step == step.id and entry.trigger == "webhook" for entry in workflow.entries)
            kind = "WEBHOOK_TRIGGER" if hook else "MANUAL_TRIGGER"
            return {**node, "type": kind if is_first else "MERGE"}
        case Condition(test=Expression(source=source)):
            return {**node, "type": "IF_ELSE", "data": {"expression": source.replace("vars.", "")}}
        case Timer(delay_ms=Constant(value=ms)):
            return {**node, "type": "WAIT", "data": {"amount": ms / 1_000, "unit": "seconds"}}
        case _:
            raise AssertionError(step)


@pytest.mark.parametrize("lowered", ALIKE, ids=lambda lowered: lowered.name)
def test_a_document_comes_to_what_its_model_by_hand_does(lowered: Lowered) -> None:
    written = Lowered(
        name=lowered.name,
        seed=lowered.seed,
        workflow=model(as_document(lowered.workflow)),
        input=lowered.input,
        script=lowered.script,
        happenings=lowered.happenings,
        start=lowered.start,
        status=lowered.status,
        output=_with_trigger(lowered),
        error=lowered.error,
        runs=lowered.runs,
        check=lowered.check,
    )
    holds(written, play(written, World(compile_value, written.script)))


def _with_trigger(lowered: Lowered) -> Json:
    """A start that the engine makes itself is told of in the context."""
    fired = {"webhook": "WEBHOOK_TRIGGER", "schedule": "SCHEDULE_TRIGGER"}.get(lowered.start.get("trigger", ""))
    if fired is None:
        return lowered.output
    told = {"type": fired, "depth": 0, "firedAt": "1970-01-01T00:16:40.000Z"}
    return {**lowered.output, "_trigger": told}


def test_most_of_them_can_be_written_so() -> None:
    assert len(ALIKE) >= 45
    assert {type(route) for lowered in ALIKE for step in lowered.workflow.steps for route in step.routes} == {Route}
