"""What a catalog has to hold for a graph document: asked for before it is compiled."""

from __future__ import annotations

from collections.abc import Iterator

from perdure.dialects.faults import Faults
from perdure.dialects.graph.lower import lower
from perdure.dialects.graph.triggers import WEBHOOK
from perdure.dialects.port import Naming, Requirements
from perdure.dialects.secrets import secrets_of
from perdure.model.catalog import Catalog
from perdure.model.steps import Task
from perdure.model.values import Json


def requirements_of(value: dict[str, Json]) -> Requirements:
    workflow = lower(value, Catalog(), Naming(), Faults())
    tasks = [step.work.task for step in workflow.steps if isinstance(step.work, Task)]
    nodes = value.get("nodes")
    return Requirements(
        tasks=tuple(dict.fromkeys(tasks)),
        tools=tuple(dict.fromkeys(_tools(nodes if isinstance(nodes, list) else []))),
        secrets=tuple(dict.fromkeys(name for step in workflow.steps for name in secrets_of(step, workflow.secrets))),
        webhooks=tuple(dict.fromkeys(_webhooks(nodes if isinstance(nodes, list) else []))),
    )


def _webhooks(nodes: list[Json]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, dict) and node.get("type") == WEBHOOK and isinstance(node.get("id"), str):
            yield node["id"]


def _tools(nodes: list[Json]) -> Iterator[tuple[str, str]]:
    for node in nodes:
        data = node.get("data") if isinstance(node, dict) and node.get("type") == "MCP_TOOL" else None
        if isinstance(data, dict):
            connection, tool = data.get("connectionId"), data.get("toolName")
            if isinstance(connection, str) and isinstance(tool, str):
                yield connection, tool
