"""Every type of node, and what it becomes. What is not built in is an executor: a task of somebody who registers it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias

from perdure.dialects.fields import Fields
from perdure.dialects.graph import triggers
from perdure.dialects.graph.approvals import approval
from perdure.dialects.graph.asking import llm
from perdure.dialects.graph.built import Built, Surroundings, of_step
from perdure.dialects.graph.calls import MCP_TOOL, http_request, mcp_tool, run_workflow
from perdure.dialects.graph.code import code
from perdure.dialects.graph.conditions import if_else, switch, switch_outputs
from perdure.dialects.graph.document import Node
from perdure.dialects.graph.events import tell_of_trigger
from perdure.dialects.graph.policies import retry_of, timeout_of
from perdure.dialects.graph.templates import template
from perdure.dialects.graph.waits import wait, wait_until
from perdure.dialects.schedules import KEYS, read_schedule
from perdure.dialects.values import constants
from perdure.expressions.wording import nearest, shown
from perdure.model.catalog import LOCAL
from perdure.model.executors import CONTROL_KEYS, NODE
from perdure.model.steps import Compute, SetVariables, Step, Task
from perdure.model.values import Constant, Expression, Value

Build: TypeAlias = Callable[[Node, Fields, Surroundings], Built]

_PAUSE: Final = Expression("now + output.wait * 1000 > output.until ? now + output.wait * 1000 : output.until")
"""`_wait` in seconds, then `_waitUntil`; 0 where it is not set, and the past is no wait."""


def build(node: Node, around: Surroundings) -> Built:
    data = Fields(node.data, f"{node.path}/data", around.faults, node.id)
    return BUILT_IN.get(node.type, _executor)(node, data, around)


def _passed(node: Node, data: Fields, around: Surroundings) -> Built:
    """The context goes on as it is: triggers, and merges, whose work the join has done."""
    del data, around
    return Built(Step(node.id, Compute()), fails=False)


def _schedule_trigger(node: Node, data: Fields, around: Surroundings) -> Built:
    data.faults.unknown_keys(triggers.settings(data.given), KEYS, data.path, step=node.id)
    if not data.has("schedule") and not data.has("every"):
        message = "it starts no executions by itself: give 'schedule', like '0 9 * * 1-5', or 'every', like PT15M"
        around.faults.warning("no_schedule", data.path, message, step=node.id, field="schedule")
    read_schedule(data, node.id)
    return _passed(node, data, around)


def _event_trigger(node: Node, data: Fields, around: Surroundings) -> Built:
    tell_of_trigger(node, data)
    return _passed(node, data, around)


def _workflow_trigger(node: Node, data: Fields, around: Surroundings) -> Built:
    data.word("workflowId", required=True)
    return _passed(node, data, around)


def _merge(node: Node, data: Fields, around: Surroundings) -> Built:
    mode = data.given.get("mode")
    if mode not in {None, "combine"}:
        data.warning("unknown_mode", "mode", "the only mode is 'combine'; the context after the join goes on")
    return _passed(node, data, around)


def _set(node: Node, data: Fields, around: Surroundings) -> Built:
    values = data.within("values", required=True)
    pairs: list[tuple[str, Value]] = []
    for name, given in values.given.items():
        path = values.at(name)
        key = template(name, path, around.faults, step=node.id)
        if not isinstance(key, Constant):
            message = "the name of a value is not computed; write it out"
            around.faults.problem("invalid_name", path, message, step=node.id)
        elif key.value in CONTROL_KEYS:
            values.problem("reserved_key", name, f"{name!r} belongs to the engine; take another name")
        else:
            pairs.append((str(key.value), template(given, path, around.faults, step=node.id)))
    fails = any(not isinstance(value, Constant) for _, value in pairs)
    return Built(Step(node.id, SetVariables(tuple(pairs))), wrote=of_step(node.id, "output"), fails=fails)


def _if_else(node: Node, data: Fields, around: Surroundings) -> Built:
    del around
    return Built(if_else(node, data), frozenset({"true", "false"}), took=of_step(node.id, "port"))


def _switch(node: Node, data: Fields, around: Surroundings) -> Built:
    del around
    return Built(switch(node, data), frozenset(switch_outputs(data)), took=of_step(node.id, "output"))


def _executor(node: Node, data: Fields, around: Surroundings) -> Built:
    _warn_of_unknown(node, around)
    return _task(node, data, around, template(node.data, data.path, around.faults, step=node.id, secrets=True))


def _task(node: Node, data: Fields, around: Surroundings, given: Value) -> Built:
    """The context in, and what became of it out: the difference, the branch, and the waits that were asked for."""
    work = Task(
        NODE + node.type,
        constants(context=Expression("vars"), data=given, nodeId=node.id),
        retry=retry_of(node, data) or around.settings.retry,
        timeout_ms=timeout_of(node, data),
    )
    step = Step(
        node.id,
        work,
        assign=Expression("output.set"),
        unassign=Expression("output.unset"),
        pause_until=_PAUSE,
        pause_label=Expression("output.label"),
        keep_output=False,
    )
    return Built(step, None, wrote=of_step(node.id, "output.set"), took=of_step(node.id, "port"))


def _plain(value: Value) -> dict[str, object]:
    return value.value if isinstance(value, Constant) and isinstance(value.value, dict) else {}


def _warn_of_unknown(node: Node, around: Surroundings) -> None:
    if around.catalog.task(NODE + node.type) is not None:
        return
    local = (task.name for task in around.catalog.tasks if task.connection == LOCAL)
    there = [name.removeprefix(NODE) for name in local if name.startswith(NODE)]
    hint = nearest(node.type.upper(), (*BUILT_IN, *there))
    message = (
        f"nobody has registered an executor for {shown(node.type)}; register one, or executions wait at this node for a worker "
        f"that has it{hint}"
    )
    around.faults.shared_warning(
        "unknown_task", f"{node.path}/type", message, step=node.id, field="type", ref=node.type
    )


BUILT_IN: Final[dict[str, Build]] = {
    triggers.MANUAL: _passed,
    triggers.SCHEDULE: _schedule_trigger,
    triggers.WEBHOOK: _passed,
    triggers.EVENT: _event_trigger,
    triggers.WORKFLOW: _workflow_trigger,
    "MERGE": _merge,
    "SET": _set,
    "IF_ELSE": _if_else,
    "SWITCH": _switch,
    "WAIT": wait,
    "WAIT_UNTIL": wait_until,
    "HTTP_REQUEST": http_request,
    MCP_TOOL: mcp_tool,
    "RUN_WORKFLOW": run_workflow,
    "CODE": code,
    "APPROVAL": approval,
    "LLM": llm,
}
"""What the engine knows by itself."""
