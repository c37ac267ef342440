"""What a catalog has to hold for a ports document: asked for before it is compiled."""

from __future__ import annotations

from collections.abc import Iterator

from perdure.dialects.faults import Faults
from perdure.dialects.port import Naming, Requirements
from perdure.dialects.ports.actions import TOOL_ACTIONS
from perdure.dialects.ports.document import StepDef, read_document
from perdure.dialects.ports.lower import lower
from perdure.dialects.ports.triggers import triggers_of
from perdure.dialects.secrets import secrets_of
from perdure.dialects.tools import tool_of, tools_of_model, without_tools
from perdure.model.catalog import Catalog
from perdure.model.steps import Task
from perdure.model.values import Json


def requirements_of(value: Json) -> Requirements:
    workflow = lower(value, Catalog(), Naming(), Faults())
    document = read_document(value, Faults())
    tasks = [step.work.task for step in workflow.steps if isinstance(step.work, Task)]
    tools = tuple(dict.fromkeys(tool for step in document.steps for tool in _tools(step)))
    return Requirements(
        tasks=without_tools(tasks, tools),
        tools=tools,
        secrets=tuple(
            dict.fromkeys(
                name for step in workflow.steps for name in secrets_of(step, workflow.secrets, workflow.reserved)
            )
        ),
        webhooks=tuple(dict.fromkeys(triggers_of(document).webhooks)),
    )


def _tools(step: StepDef) -> Iterator[tuple[str, str]]:
    given = step.config.given
    if step.type == "llm":
        yield from tools_of_model(given)
    elif step.type == "action" and given.get("type") in TOOL_ACTIONS:
        yield from tool_of(given.get("parameters") if step.config.has("parameters") else given)
