"""Documents that call tools, in each dialect; and the model of one step that does."""

from __future__ import annotations

from typing import Any

from perdure.model.steps import Retry, Step, Task
from perdure.model.values import Json
from perdure.model.workflow import Entry, Workflow
from perdure.testing.words import x


def calling(task: str = "it/do", retry: Retry | None = None, name: str = "calls") -> Workflow:
    return Workflow(name, (Step("call", Task(task, x("input"), retry=retry or Retry())),), (Entry("call"),))


def ports(connection: str, tool: str, given: Json = None, **more: Any) -> dict[str, Any]:
    parameters = {"connectionId": connection, "toolName": tool, "input": {} if given is None else given}
    config = {"type": "mcp", "parameters": parameters, **more}
    return {"name": "ports", "steps": [{"stepSlug": "call", "stepType": "action", "config": config}]}


def graph(connection: str, tool: str, given: Json = None, **more: Any) -> dict[str, Any]:
    data = {"connectionId": connection, "toolName": tool, "input": {} if given is None else given, **more}
    return {
        "name": "graph",
        "nodes": [
            {"id": "start", "type": "MANUAL_TRIGGER", "data": {}},
            {"id": "call", "type": "MCP_TOOL", "data": {"variableName": "answer", **data}},
        ],
        "connections": [{"fromNodeId": "start", "toNodeId": "call"}],
    }


def orchestration(connection: str, tool: str, given: Json = None) -> dict[str, Any]:
    step = {"stepId": "call", "type": "TASK", "taskId": f"{connection}/{tool}", "input": {} if given is None else given}
    return {"name": "orchestration", "version": "1.0.0", "steps": [step]}


def phases(connection: str, tool: str, given: Json = None) -> dict[str, Any]:
    called = {"connectionId": connection, "toolName": tool}
    step = {"name": "call", "tool": called, "input": {} if given is None else given}
    return {"name": "phases", "steps": [[step]]}


def parallel_phase(count: int, connection: str, tool: str, given: Json) -> dict[str, Any]:
    """As many calls in one phase, each tried again up to five times, soon; and a transform of what they came to."""
    called = {"connectionId": connection, "toolName": tool}
    retry = {"maxAttempts": 6, "delay": 50, "strategy": "fixed"}
    names = [f"call{number}" for number in range(count)]
    calls = [{"name": name, "tool": called, "input": given, "retry": retry} for name in names]
    declared = "interface Input { [name: string]: string }\ntype Output = Record<string, string>\n"
    gather = {"name": "gather", "transform": f"{declared}export default (input: Input): Output => ({{ ...input }})"}
    return {"name": "pipeline", "steps": [calls, [gather]]}


def parallel(count: int, connection: str, tool: str, given: Json) -> dict[str, Any]:
    """As many calls at the same time, and one node after all of them. Each is tried again up to five times, soon."""
    retry = {"maxAttempts": 6, "delay": 50, "strategy": "fixed"}
    data = {"connectionId": connection, "toolName": tool, "retry": retry}
    names = [f"call{number}" for number in range(count)]
    calls = [
        {"id": name, "type": "MCP_TOOL", "data": {**data, "input": {**given, "n": n}, "variableName": name}}
        for n, name in enumerate(names)
    ]
    edges = [{"fromNodeId": "start", "toNodeId": name} for name in names]
    edges += [{"fromNodeId": name, "toNodeId": "all"} for name in names]
    return {
        "name": "many",
        "nodes": [
            {"id": "start", "type": "MANUAL_TRIGGER", "data": {}},
            *calls,
            {"id": "all", "type": "MERGE", "data": {}},
        ],
        "connections": edges,
    }
