"""The workflows of phases that were lowered by hand, written as documents, come to the same.

Each document is made from the model: its expressions are written as refs, its barriers as the ends of phases. The compiler has to
arrive at something that behaves as the model does, and is judged by the same checks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from msgspec.structs import replace

from lowered.base import Lowered, holds, play
from lowered.phases import WORKFLOWS
from perdure import dialects
from perdure.expressions.language import compile_value
from perdure.model.catalog import Catalog, TaskSchema
from perdure.model.steps import Compute, Step, Task, Timer
from perdure.model.values import Array, Constant, Expression, Json, Object, Text, Value
from perdure.model.workflow import Chain, Workflow
from perdure.testing.world import World

# These compute what no ref can, or are judged by names that only the model has; `run.phases` has cases for them.
OTHERWISE = ("phases-trigger-of-itself", "phases-unresolved-ref-warns")
ALIKE = [lowered for lowered in WORKFLOWS if lowered.name not in OTHERWISE]
TRANSFORM = "export default (input) => input"
_OR_AS_WRITTEN = re.compile(r".* === undefined \? '(@[^']+)' : .*")
_OR_NULL = re.compile(r"\((.*) \?\? null\)")
_OF_SEVERAL = re.compile(r"'(\w+)' in steps\..*")


def as_document(workflow: Workflow) -> dict[str, Json]:
    document = {"dialect": "phases", "name": workflow.name, "steps": list(_phases(workflow))}
    return {**document, "triggers": [_trigger(chain) for chain in workflow.chains]} if workflow.chains else document


def rows(workflow: Workflow) -> Iterator[list[Step]]:
    """Its phases: each ends with a barrier."""
    row: list[Step] = []
    for step in workflow.steps:
        if not isinstance(step.work, Compute):
            row.append(step)
        elif row:
            yield row
            row = []


def _phases(workflow: Workflow) -> Iterator[list[Json]]:
    before: Value = Expression("input")
    for row in rows(workflow):
        yield [_step(step, before) for step in row]
        outputs = [(Constant(step.id), Expression(f'steps["{step.id}"].output')) for step in row]
        before = outputs[0][1] if len(row) == 1 else Object(tuple(outputs))


def _step(step: Step, before: Value) -> dict[str, Json]:
    found: dict[str, Json] = {"name": step.id}
    match step.work:
        case Task(task="transform"):
            found["transform"] = TRANSFORM
        case Task(task=task, retry=retry):
            connection, _, tool = task.partition("/")
            found["tool"] = {"connectionId": connection, "toolName": tool}
            if retry.attempts_max > 1:
                found["retry"] = {"maxAttempts": retry.attempts_max, "backoffMs": retry.delay_ms}
        case Timer(delay_ms=delay, until=until):
            times = {"ms": delay, "until": until}
            found["sleep"] = {key: _written(value) for key, value in times.items() if value is not None}
        case _:
            raise AssertionError(step)
    if isinstance(step.work, Task) and step.work.input != before:
        found["input"] = _written(step.work.input)
    if step.each is not None:
        each = step.each
        found |= {"forEach": _written(each.items), "concurrency": each.concurrency, "onError": each.on_error}
        found["maxIterations"] = each.items_max
    elif step.on_error:
        found["onError"] = "continue"
    return found


def _trigger(chain: Chain) -> Json:
    trigger = {"workflowId": chain.workflow, "inputs": _written(chain.input)}
    more = {
        "forEach": None if chain.items is None else _written(chain.items),
        "workflow_timeout_ms": chain.deadline_ms,
        "max_retries": chain.retries_max,
    }
    return {**trigger, **{key: value for key, value in more.items() if value is not None}}


def _written(value: Value) -> Json:
    match value:
        case Constant(value=constant):
            return constant
        case Expression(source=source):
            return _ref(source)
        case Text(parts=parts):
            return "".join(str(_written(part)) for part in parts)
        case Array(items=items):
            return [_written(item) for item in items]
        case Object(entries=entries):
            return {str(_written(key)): _written(part) for key, part in entries}


def _ref(source: str) -> str:
    if found := _OR_AS_WRITTEN.fullmatch(source):
        return found[1]
    if found := _OR_NULL.fullmatch(source):
        source = found[1]
    if found := _OF_SEVERAL.fullmatch(source):
        return f"@output.{found[1]}"
    return "@" + re.sub(r'^steps(?:\["([^"]+)"\]|\.([\w-]+))', lambda found: found[1] or found[2], source)


def _model(workflow: Workflow) -> Workflow:
    tasks = {step.work.task for step in workflow.steps if isinstance(step.work, Task)}
    called = [task.partition("/") for task in tasks]
    compiled = dialects.compile(
        as_document(workflow), Catalog(tuple(TaskSchema(tool, connection) for connection, _, tool in called))
    )
    assert compiled.problems == ()
    assert compiled.workflow is not None
    return compiled.workflow


@pytest.mark.parametrize("lowered", ALIKE, ids=lambda lowered: lowered.name)
def test_a_document_comes_to_what_its_model_by_hand_does(lowered: Lowered) -> None:
    written = replace(lowered, workflow=_model(lowered.workflow), runs=_without_barriers(lowered))
    holds(written, play(written, World(compile_value, written.script)))


def _without_barriers(lowered: Lowered) -> dict[str, int] | None:
    """After a phase of one step there is none."""
    if lowered.runs is None:
        return None
    alone = {f"phase {number}" for number, row in enumerate(rows(lowered.workflow)) if len(row) == 1}
    return {name: times for name, times in lowered.runs.items() if name not in alone}


def test_nearly_all_of_them_can_be_written_so() -> None:
    assert len(ALIKE) >= 40
    assert len(WORKFLOWS) - len(ALIKE) == len(OTHERWISE)
