"""What a catalog has to hold for a graph document: asked for before it is compiled."""

from __future__ import annotations

from collections.abc import Iterator

from perdure.dialects.faults import Faults
from perdure.dialects.graph.calls import MCP_TOOL
from perdure.dialects.graph.lower import lower
from perdure.dialects.graph.triggers import WEBHOOK
from perdure.dialects.port import Naming, Requirements
from perdure.dialects.secrets import secrets_of
from perdure.dialects.tools import tool_of, tools_of_model, without_tools
from perdure.model.catalog import Catalog
from perdure.model.steps import Task
from perdure.model.values import Json


def requirements_of(value: dict[str, Json]) -> Requirements:
    workflow = lower(value, Catalog(), Naming(), Faults())
    tasks = [step.work.task for step in workflow.steps if isinstance(step.work, Task)]
    nodes = value.get("nodes")
    tools = tuple(dict.fromkeys(_tools(nodes if isinstance(nodes, list) else [])))
    return Requirements(
        tasks=without_tools(tasks, tools),
        tools=tools,
        secrets=tuple(dict.fromkeys(name for step in workflow.steps for name in secrets_of(step, workflow.secrets))),
        webhooks=tuple(dict.fromkeys(_webhooks(nodes if isinstance(nodes, list) else []))),
    )


def _webhooks(nodes: list[Json]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, dict) and node.get("type") == WEBHOOK and isinstance(node.get("id"), str):
            yield node["id"]


def _tools(nodes: list[Json]) -> Iterator[tuple[str, str]]:
    for node in nodes:
        if isinstance(node, dict) and node.get("type") == MCP_TOOL:
            yield from tool_of(node.get("data"))
        elif isinstance(node, dict) and node.get("type") == "LLM":
            yield from tools_of_model(node.get("data"))
