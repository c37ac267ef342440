"""HTTP_REQUEST, MCP_TOOL and RUN_WORKFLOW: nodes that call something that is no executor."""

from __future__ import annotations

from typing import Final

from perdure.dialects.fields import Fields
from perdure.dialects.graph.built import Built, Surroundings, of_step, variable_name
from perdure.dialects.graph.document import Node
from perdure.dialects.graph.policies import retry_of, timeout_of
from perdure.dialects.graph.templates import template
from perdure.dialects.tools import tell_of_tool
from perdure.dialects.values import constants, quoted
from perdure.model.catalog import called
from perdure.model.steps import Child, Step, Task
from perdure.model.values import Expression, Json, Value

_HTTP_KEYS: Final = (
    *("variableName", "endpoint", "method", "headers", "query", "body", "json", "failOnError", "timeout"),
    *("retry", "retryPolicy", "label"),
)
_TOOL_KEYS: Final = (
    *("variableName", "connectionId", "toolName", "input", "timeout", "retry", "retryPolicy", "label"),
)
MCP_TOOL: Final = "MCP_TOOL"
_METHODS: Final = ("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS")


def http_request(node: Node, data: Fields, around: Surroundings) -> Built:
    """`context[variableName].httpResponse = {status, headers, data}`."""
    around.faults.unknown_keys(data.given, _HTTP_KEYS, data.path, step=node.id, only_near=True)
    name = variable_name(data, required=True) or ""
    data.text("endpoint", required=True)
    method = data.given.get("method")
    if method is not None and "{{" not in str(method):
        data.choice("method", (*_METHODS, *(each.lower() for each in _METHODS)), "GET")
    if data.has("body") and data.has("json"):
        data.problem("contradiction", "json", "give 'body' or 'json', not both")
    timeout_ms = timeout_of(node, data)
    sent = {"url": _rendered(node, data, around, "endpoint")}
    for key in ("method", "headers", "query", "body", "json", "failOnError"):
        if data.has(key):
            sent[key] = _rendered(node, data, around, key)
    if timeout_ms is not None:
        sent["timeout"] = constants(timeout=timeout_ms).entries[0][1]
    retry = retry_of(node, data) or around.settings.retry
    work = Task("http", constants(**sent), retry=retry, timeout_ms=timeout_ms)
    step = Step(node.id, work, assign=_response(name), keep_output=False)
    return Built(step, wrote=f"{{{quoted(name)}: {{httpResponse: {_answer(of_step(node.id, 'output'))}}}}}")


def mcp_tool(node: Node, data: Fields, around: Surroundings) -> Built:
    """What the tool answers, in `context[variableName]`."""
    around.faults.unknown_keys(data.given, _TOOL_KEYS, data.path, step=node.id, only_near=True)
    connection, tool = data.word("connectionId", required=True), data.word("toolName", required=True)
    name = variable_name(data)
    given = _rendered(node, data, around, "input", default={})
    retry = retry_of(node, data) or around.settings.retry
    task = "undefined" if connection is None or tool is None else called(tool, connection)
    work = Task(task, given, retry=retry, timeout_ms=timeout_of(node, data))
    if connection is not None and tool is not None:
        tell_of_tool(data, connection, tool, around.catalog)
    if name is None:
        return Built(Step(node.id, work))
    step = Step(node.id, work, assign=constants(**{name: Expression("output")}), keep_output=False)
    return Built(step, wrote=f"{{{quoted(name)}: {of_step(node.id, 'output')}}}")


def run_workflow(node: Node, data: Fields, around: Surroundings) -> Built:
    """The child's id, or its output if it is waited for, in `context[variableName]`."""
    data.text("workflowId", required=True)
    name, waits = variable_name(data), data.flag("wait")
    retry = retry_of(node, data)
    work = Child(
        _rendered(node, data, around, "workflowId", secrets=False),
        _rendered(node, data, around, "input", secrets=False, default={}),
        wait=waits,
        deadline_ms=timeout_of(node, data),
        retries_max=0 if retry is None else retry.attempts_max - 1,
    )
    step = Step(node.id, work)
    if name is None:
        return Built(step)
    step = Step(node.id, work, assign=constants(**{name: Expression("output")}))
    return Built(step, wrote=f"{{{quoted(name)}: {of_step(node.id, 'output')}}}")


def _rendered(
    node: Node, data: Fields, around: Surroundings, key: str, *, secrets: bool = True, default: Json = None
) -> Value:
    given = data.given.get(key)
    given = default if given is None else given
    return template(given, data.at(key), around.faults, step=node.id, secrets=secrets)


def _response(name: str) -> Value:
    return constants(**{name: constants(httpResponse=Expression(_answer("output")))})


def _answer(output: str) -> str:
    """What could not be told as text is in base64, and says so."""
    return f"{{status: {output}.status, headers: {output}.headers, data: {output}.body, base64: {output}.base64}}"
