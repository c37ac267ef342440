"""Where an execution begins, with which context, and which events start one."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final

from msgspec.structs import replace

from perdure.dialects.faults import Faults
from perdure.dialects.fields import Fields
from perdure.dialects.graph import triggers
from perdure.dialects.graph.document import GraphDocument, Node
from perdure.dialects.graph.events import event_start
from perdure.dialects.graph.helpers import find_entry_node, find_roots, is_trigger
from perdure.dialects.schedules import read_schedule
from perdure.dialects.values import quoted
from perdure.model.catalog import LOCAL, Catalog
from perdure.model.executors import NODE
from perdure.model.steps import Compute, Step
from perdure.model.values import Constant, Expression, Value
from perdure.model.workflow import Entry, EventStart, Meaning, Schedule

_WITH_TRIGGER: Final = Expression(f"{triggers.IS_FIRED} ? {{...input, _trigger: {triggers.FIRED}}} : input")
_AS_IT_IS: Final = Expression("input")
_FIRED: Final = Expression(f"{triggers.IS_FIRED} ? {{_trigger: {triggers.FIRED}}} : {{}}")


def with_trigger(steps: tuple[Step, ...], first: Sequence[Node]) -> tuple[tuple[Step, ...], Value]:
    """The steps, and the first context: the input, with `_trigger` if the engine has made the start. A trigger node sets that
    itself, so that an input of any size is taken as it is; before another node it has to be computed, and what is computed
    has a limit.
    """
    begin = {node.id for node in first if is_trigger(node.type)}
    pass_on = {step.id for step in steps if step.id in begin and isinstance(step.work, Compute)}
    if not first or len(pass_on) < len(first):
        return steps, _WITH_TRIGGER
    return tuple(replace(step, assign=_FIRED) if step.id in pass_on else step for step in steps), _AS_IT_IS


def trigger_types(document: GraphDocument, catalog: Catalog) -> frozenset[str]:
    """Types of nodes that count as triggers whatever they are called: by `settings.triggers`, or by their executors."""
    executors = (task.name.removeprefix(NODE) for task in catalog.tasks if task.trigger and task.connection == LOCAL)
    return document.settings.triggers.union(executors)


def entry_nodes(document: GraphDocument, triggers: Collection[str]) -> list[Node]:
    """The seed's entry node first; of several triggers that nothing leads to, each is one for its own type."""
    first = find_entry_node(document.nodes, document.connections, triggers)
    if first is None:
        return []
    roots = find_roots(document.nodes, document.connections)
    others = [node for node in roots if is_trigger(node.type, triggers) and node is not first]
    return [first, *others]


def entries(nodes: Sequence[Node]) -> tuple[Entry, ...]:
    """One alone needs no reason; of several, each names its own, and the first is for what fits none."""
    if len(nodes) == 1:
        return (Entry(nodes[0].id),)
    by_id = [Entry(node.id, when=Expression(_reason(node, "workflowId"))) for node in nodes]
    by_name = [Entry(node.id, when=Expression(_reason(node, "name"))) for node in nodes if _source(node) is not None]
    return (*_by_webhook(nodes), *by_id, *by_name)  # what has the id comes before what has the name


def _by_webhook(nodes: Sequence[Node]) -> list[Entry]:
    """Of several that a webhook starts, the one that it was made for."""
    hooks = [node for node in nodes if node.type == triggers.WEBHOOK]
    fits = f"{triggers.TYPE} == {quoted(triggers.WEBHOOK)} && trigger.data.webhook.node =="
    return [Entry(node.id, when=Expression(f"{fits} {quoted(node.id)}")) for node in hooks] if len(hooks) > 1 else []


def starts(entry: Sequence[Node], known_as: Sequence[str]) -> tuple[EventStart, ...]:
    """The seed's own event, the completions that a WORKFLOW_TRIGGER names, the events of an EVENT_TRIGGER."""
    sources = dict.fromkeys(source for node in entry if (source := _source(node)) is not None)
    named = f"[{', '.join(map(quoted, dict.fromkeys(known_as)))}]"
    execute = EventStart(
        triggers.EXECUTE,
        Expression(f"event.payload.workflowId in {named}"),
        input=Expression("event.payload.initialData"),
        depth=Expression("event.payload.initialData?._trigger?.depth"),
        means=Meaning(Expression("event.payload.workflowId")),
    )
    events = dict.fromkeys(start for node in entry if (start := event_start(node)) is not None)
    return (execute, *(_after(source) for source in sources), *events)


def tell_of_itself(nodes: Sequence[Node], known_as: Sequence[str], faults: Faults) -> None:
    """A workflow is never started by its own completion."""
    for node in nodes:
        if _source(node) in known_as:
            message = "it starts nothing: no workflow is started by its own end; to go on with another one, name that"
            faults.warning("own_completion", f"{node.path}/data/workflowId", message, step=node.id, field="workflowId")


def schedules(nodes: Sequence[Node], entry: Sequence[Node], faults: Faults) -> tuple[Schedule, ...]:
    """Those of the SCHEDULE_TRIGGERs that executions can begin at. What is wrong with them has been told where they stand."""
    found: list[Schedule] = []
    for node in nodes:
        if node.type != triggers.SCHEDULE:
            continue
        schedule = read_schedule(Fields(node.data, node.path, Faults(), node.id), node.id)
        if schedule is None:
            continue
        if node not in entry:
            message = f"{node.id!r} starts nothing: a connection leads to it; let it be the first node, or remove that"
            faults.warning("not_an_entry", node.path, message, step=node.id)
        else:
            found.append(schedule)
    return tuple(found)


def _after(workflow: str) -> EventStart:
    told = "[event.payload.workflowId, event.payload.name]"
    return EventStart(
        triggers.COMPLETED,
        Expression(f"{quoted(workflow)} in {told}"),
        input=Expression("event.payload.output"),
        means=Meaning(Constant(workflow), Expression("event.payload.workflowId")),
    )


def _source(node: Node) -> str | None:
    """The workflow whose completion a trigger waits for."""
    workflow = node.data.get("workflowId") if node.type == triggers.WORKFLOW else None
    return workflow if isinstance(workflow, str) and workflow else None


def _reason(node: Node, called_by: str) -> str:
    """Whether what started the execution is of this trigger's type; and if a completion did, of this trigger's workflow."""
    fits = f"{triggers.TYPE} == {quoted(node.type)}"
    source, start = _source(node), event_start(node)
    if node.type == triggers.SCHEDULE:  # there may be several; whoever has a timetable of their own need not say which
        own = quoted(node.id)
        return f"{fits} && (trigger.type != 'schedule' || (trigger.data?.schedule ?? {own}) == {own})"
    if start is not None:
        return f"{fits} && (trigger.type != 'event' || {_is_like(start.pattern)}{_and_holds(start.condition)})"
    if source is None:
        return fits
    return f"{fits} && (trigger.type != 'event' || trigger.data.payload.{called_by} == {quoted(source)})"


def _and_holds(condition: Value | None) -> str:
    """Whether the event that started the execution meets the condition, which calls it `event`."""
    return f" && [trigger.data].some(event => ({condition.source}))" if isinstance(condition, Expression) else ""


def _is_like(pattern: str) -> str:
    """Whether the event that started the execution fits a pattern: enough of it to tell one trigger from another."""
    begins = pattern.split("*", maxsplit=1)[0].split("#", maxsplit=1)[0]
    if begins == pattern:
        return f"trigger.data.type == {quoted(pattern)}"
    return f"trigger.data.type.startsWith({quoted(begins)})"
