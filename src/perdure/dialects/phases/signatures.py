"""What each step takes and gives: from the schemas of tools, and from the types that transforms declare."""

from __future__ import annotations

from typing import Final

from msgspec import Struct

from perdure.dialects.faults import Faults
from perdure.dialects.phases.document import UNNAMED, StepDef
from perdure.dialects.phases.types import Type
from perdure.dialects.transforms import read_transform
from perdure.expressions.wording import listed, nearest, shown
from perdure.model.catalog import LOCAL, Catalog, TaskSchema, called
from perdure.model.executors import LLM, NODE, OURS
from perdure.model.values import Json

UNCHECKED: Final = Type({})
SLEPT: Final = Type(
    {
        "type": "object",
        "properties": {"slept": {"const": True}, "ms": {"type": "integer"}},
        "required": ["slept", "ms"],
        "additionalProperties": False,
    }
)


class Signature(Struct, frozen=True):
    """`takes` None: nothing is known of it, or it takes nothing. `task` is what it calls, `code` what it runs. `unsaid`: what is
    to be told if something is read of it, because nobody says what that is.
    """

    takes: Type | None
    gives: Type
    task: str = ""
    code: str = ""
    unsaid: str = ""

    @property
    def told(self) -> Json:
        """As it is kept with the workflow."""
        return {"input": {} if self.takes is None else self.takes.told, "output": self.gives.told}


def signature_of(step: StepDef, catalog: Catalog, faults: Faults, *, strict: bool) -> Signature:
    match step.kind:
        case "tool":
            return _tool(step, catalog, faults)
        case "transform":
            return _transform(step, strict=strict)
        case "sleep":
            return Signature(None, SLEPT)
        case None:
            return _unclear(step, catalog, faults, strict=strict)


def _unclear(step: StepDef, catalog: Catalog, faults: Faults, *, strict: bool) -> Signature:
    """Of a step that is several things at once, each is read for what is wrong with it; what it takes and gives, nobody knows."""
    if step.fields.has("tool"):
        _tool(step, catalog, faults)
    if step.fields.has("transform"):
        _transform(step, strict=strict)
    return Signature(None, UNCHECKED, UNNAMED)


def _tool(step: StepDef, catalog: Catalog, faults: Faults) -> Signature:
    given = step.fields.within("tool")
    if not isinstance(step.fields.given["tool"], dict):
        return Signature(None, UNCHECKED, UNNAMED)
    faults.unknown_keys(given.given, ("connectionId", "toolName"), given.path, step=step.fields.step)
    connection, tool = given.word("connectionId", required=True), given.word("toolName", required=True)
    if connection is None or tool is None:
        return Signature(None, UNCHECKED, UNNAMED)
    task = called(tool, connection)
    if connection == LOCAL and _is_part_of_steps(tool):
        given.problem("not_a_tool", "toolName", f"{shown(tool)} is a part of steps, and no tool")
        return Signature(None, UNCHECKED, task)
    schema = catalog.task(tool, connection)
    if schema is None:
        message = _unknown(connection, tool, catalog)
        faults.problem("missing_schema", given.path, message, step=step.fields.step, field="tool", ref=task)
        return Signature(None, UNCHECKED, task)
    takes = None if schema.input is None else Type(schema.input)
    if schema.output is None:
        unsaid = f"{_named(schema)} does not say what it answers with: what is read of it is not checked"
        return Signature(takes, UNCHECKED, task, unsaid=unsaid)
    return Signature(takes, Type(schema.output), task)


def _is_part_of_steps(task: str) -> bool:
    return task == LLM or task.startswith((NODE, OURS))


def _named(schema: TaskSchema) -> str:
    return (
        f"the task {schema.name!r}"
        if schema.connection == LOCAL
        else f"the tool {schema.name!r} of {schema.connection!r}"
    )


def _unknown(connection: str, tool: str, catalog: Catalog) -> str:
    tools = [task.name for task in catalog.tasks if task.connection == connection and not _is_part_of_steps(task.name)]
    stand_in = f"a Python task can stand in for it: @task({tool!r}, connection={connection!r})"
    if connection == LOCAL:
        return f"there is no task {shown(tool)} here{nearest(tool, tools) or ''}; register it: @task({tool!r})"
    if tools:
        hint = nearest(tool, tools) or f"; there are {listed(sorted(tools))}"
        return f"connection {shown(connection)} has no tool {shown(tool)}{hint}"
    known = sorted({task.connection for task in catalog.tasks if task.connection != LOCAL})
    why = (
        catalog.why_not(connection) or f"there is no connection {shown(connection)} here; give it by --connections FILE"
    )
    return f"{why}{nearest(connection, known)}; {stand_in}"


def _transform(step: StepDef, *, strict: bool) -> Signature:
    read = read_transform(step.fields, "transform", strict=strict)
    if read is None:
        return Signature(None, UNCHECKED)
    takes = None if read.input is None else Type(read.input, closed=True)
    gives = UNCHECKED if read.output is None else Type(read.output, closed=True)
    return Signature(takes, gives, code=read.javascript)
