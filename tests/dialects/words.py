"""Short words for graph documents, and for running them in a simulated world.

Edges are written as in `tests/lowered`: "from.output > to to", the output "main" left out; "to:input" names an input.
"""

from __future__ import annotations

from typing import Any

from perdure import dialects
from perdure.dialects import Compiled, Seen
from perdure.expressions.language import compile_value
from perdure.model import codec
from perdure.model.catalog import Catalog, TaskSchema
from perdure.model.problem import Problem
from perdure.model.steps import Task
from perdure.model.values import Json
from perdure.model.workflow import Workflow
from perdure.testing.script import Fixed, Script
from perdure.testing.world import World

KNOWN = Catalog(tuple(TaskSchema(f"node:{name}") for name in ("WORK", "LLM", "CODE", "MCP_TOOL")), ("KEY",))


def node(id: str, type: str = "WORK", /, data: Json = None, **beside: Json) -> dict[str, Json]:
    made: dict[str, Json] = {"id": id, "type": type, **beside}
    return made if data is None else {**made, "data": data}


def edges(*written: str) -> list[Json]:
    made: list[Json] = []
    for edge in written:
        source, _, targets = edge.partition(" > ")
        source, _, output = source.partition(".")
        for target in targets.split():
            to, _, to_input = target.partition(":")
            one = {"fromNodeId": source, "toNodeId": to}
            if output:
                one["fromOutput"] = output
            if to_input:
                one["toInput"] = to_input
            made.append(one)
    return made


def graph(*nodes: Json, name: str = "graph", settings: Json = None, **more: Json) -> dict[str, Json]:
    """Texts among the nodes are edges. A trigger `start` stands before the others unless there is one."""
    written = [each for each in nodes if isinstance(each, str)]
    given = [each for each in nodes if not isinstance(each, str)]
    if not any(isinstance(each, dict) and "TRIGGER" in str(each.get("type")) for each in given):
        given = [node("start", "MANUAL_TRIGGER"), *given]
    document = {"name": name, "nodes": given, "connections": edges(*written), **more}
    return document if settings is None else {**document, "settings": settings}


def alone(type: str, data: Json = None, /, **beside: Json) -> dict[str, Json]:
    """The trigger, and one node `it` after it."""
    return graph(node("it", type, data, **beside), "start > it")


def compiled(document: Json, catalog: Catalog = KNOWN, **more: Any) -> Compiled:
    return dialects.compile(document, catalog, **more)


def model(document: Json, **more: Any) -> Workflow:
    """The model of a document that has no problems."""
    found = compiled(document, **more)
    assert found.problems == ()
    assert found.workflow is not None
    return found.workflow


def told(document: Json, **more: Any) -> dict[str, Problem]:
    """Its problems, by their path."""
    found = compiled(document, **more)
    assert found.workflow is None
    assert found.problems
    return {problem.path: problem for problem in found.problems}


def warned(document: Json, **more: Any) -> dict[str, Problem]:
    """Its warnings, by their type; it runs all the same."""
    found = compiled(document, **more)
    assert found.problems == ()
    return {warning.type: warning for warning in found.warnings}


def run(
    document: Json,
    given: Json = None,
    script: Script | None = None,
    *others: Json,
    until: int | None = None,
    **start: Any,
) -> World:
    """The world after it has run until nothing more can happen; or up to a time, so many milliseconds after the start."""
    world = World(compile_value, script or Fixed())
    for other in others:
        world.store.save(model(other))
    world.start(model(document), given, **start)
    if until is None:
        world.run()
        return world
    end = world.now + until
    stopped: list[bool] = []
    world.at(end, lambda: stopped.append(True))
    while not stopped and world.step():
        pass
    return world


def output(document: Json, given: Json = None, script: Script | None = None, **start: Any) -> Json:
    """What it came to."""
    record = run(document, given, script, **start).store.rows["main"].record
    assert record.status == "completed", record.error
    return record.output


def failure(document: Json, given: Json = None, script: Script | None = None, **start: Any) -> str:
    record = run(document, given, script, **start).store.rows["main"].record
    assert record.status == "failed"
    assert record.error is not None
    return record.error.message


def view(world: World, execution: str = "main") -> dict[str, Json]:
    row = world.store.rows[execution]
    workflow = codec.decode(world.store.model(row.record.digest))
    seen: dict[str, Json] = dialects.view("graph", Seen(row.record, tuple(row.facts), workflow))
    return seen


def work_of(document: Json, name: str = "it", **more: Any) -> Task:
    step = next(step for step in model(document, **more).steps if step.id == name)
    assert isinstance(step.work, Task)
    return step.work
