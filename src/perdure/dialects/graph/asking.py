"""LLM: a node that asks a language model. Its data is that of an LLM step of `ports`, and `variableName`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from perdure.dialects.asking import Question, asked
from perdure.dialects.faults import Faults
from perdure.dialects.fields import Fields
from perdure.dialects.graph.built import Built, Surroundings, of_step, variable_name
from perdure.dialects.graph.document import Node
from perdure.dialects.graph.policies import retry_of, timeout_of
from perdure.dialects.graph.templates import template
from perdure.dialects.values import constants, quoted
from perdure.model.steps import Route, Step
from perdure.model.values import Expression, Value
from perdure.model.workflow import Entry


def llm(node: Node, data: Fields, around: Surroundings) -> Built:
    """`context[variableName] = {text | object, usage}`."""
    name = variable_name(data, required=True) or ""

    def render(fields: Fields, key: str) -> Value:
        return template(fields.given.get(key), fields.at(key), fields.faults, step=node.id)

    retry = retry_of(node, data) or around.settings.retry
    found = asked(Question(node.id, data, render, around.catalog, retry, timeout_of(node, data)))
    part = "object" if found.is_object else "text"
    usage = "meta.llm.usage" if not found.parts else "local.about.llm.usage"
    value = constants(**{part: Expression("output"), "usage": Expression(usage)})
    names = None if found.meta is None else constants(about=found.meta)
    step = Step(node.id, found.work, assign=constants(**{name: value}), meta=found.meta, locals=names)
    outcome = f"{{{part}: {of_step(node.id, 'output')}, usage: {of_step(node.id, 'meta.llm.usage')}}}"
    return Built(step, wrote=f"{{{quoted(name)}: {outcome}}}", parts=found.parts)


def with_parts(steps: Mapping[str, Step], parts: Mapping[str, Sequence[Step]]) -> dict[str, Step]:
    """All steps, where who led to one with parts leads to the first of them, which waits for all that the node waits for."""
    first = {node: each[0].id for node, each in parts.items() if each}
    told: dict[str, Step] = {}
    for node, step in steps.items():
        for number, part in enumerate(parts.get(node, ())):
            told[part.id] = part if number else replace(part, join=step.join)
        onward = replace(step, routes=_to(step.routes, first), on_error=_to(step.on_error, first))
        told[node] = replace(onward, join="any") if node in first else onward
    return told


def tell_of_parts(nodes: Sequence[Node], parts: Mapping[str, Sequence[Step]], faults: Faults) -> None:
    """A node must not have the id that a part of another one has."""
    taken = {part.id: node for node, each in parts.items() for part in each}
    for node in nodes:
        if node.id in taken:
            message = f"{node.id!r} is also what a part of {taken[node.id]!r} is called; take another id"
            faults.problem("duplicate_id", f"{node.path}/id", message, step=node.id, field="id")


def entered_by_parts(entries: Sequence[Entry], steps: Sequence[Step]) -> tuple[Entry, ...]:
    """The entries, of which one at a node with parts before it is at the first of those."""
    first: dict[str, str] = {}
    for step in steps:
        first.setdefault(step.part_of or step.id, step.id)
    return tuple(replace(entry, step=first.get(entry.step, entry.step)) for entry in entries)


def _to(routes: Sequence[Route], first: Mapping[str, str]) -> tuple[Route, ...]:
    return tuple(replace(route, to=tuple(first.get(target, target) for target in route.to)) for route in routes)
