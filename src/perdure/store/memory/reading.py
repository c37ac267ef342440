"""What the owners of executions ask of a store in memory: their mail, what is to be routed, and values by reference."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from operator import itemgetter
from typing import Any, assert_never

from perdure.core import facts as f
from perdure.core.commands import OpenWait
from perdure.core.patterns import matches
from perdure.core.steps.event import may_be_for
from perdure.core.values import Chunk, Consumed, Known, Ref, Takes, Within, chunk
from perdure.model import codec
from perdure.model.inputs import Inputs
from perdure.model.records import EventRecord
from perdure.store import port as p
from perdure.store.memory import schedules, versions
from perdure.store.memory.tables import Row, Tables, in_turn


def poll(tables: Tables, worker: str, *, now: int, limit: int) -> p.Polled:
    owned = [row for row in tables.stirring.values() if row.owner == worker]
    mail = [(row.record.id, mail_of(row)) for row in owned if row.inbox]
    lookbacks = [
        p.LookedBack(row.record.id, op, now, _events_for(tables, row, wait))
        for row in tables.stirring.values()
        for op, wait in sorted(row.waits.items())  # cancellations first
        if wait.look_back
    ]
    events, slots = tuple(_unrouted(tables, limit)), tuple(schedules.due(tables, now, limit))
    return p.Polled(tuple(mail[:limit]), tuple(lookbacks[:limit]), events, slots)


def _unrouted(tables: Tables, limit: int) -> Iterator[p.Candidates]:
    """Organizations take turns, and the events of each are in the order in which they came. What of one source has not reached
    all executions goes before what came after it.
    """
    held_up: set[tuple[str, str]] = set()
    for key in islice(in_turn(tables.unrouted, itemgetter(0)), limit):
        event = tables.events[key]
        if (event.organization, event.source) in held_up:
            continue
        found = _candidates(tables, event)
        if found.reached is not None:
            held_up.add((event.organization, event.source))
        yield found


def _events_for(tables: Tables, row: Row, wait: OpenWait) -> tuple[EventRecord, ...]:
    """Events since the execution started that fit, in the order in which they came."""
    return tuple(
        event
        for (organization, _), event in tables.events.items()
        if organization == row.record.organization
        and event.pos > row.born
        and matches(wait.pattern, event.type)
        and event.id not in row.consumed
        and may_be_for(wait, event)
    )


def _candidates(tables: Tables, event: EventRecord) -> p.Candidates:
    after = tables.reached.get((event.organization, event.id), 0)
    waiting = sorted(
        (row.pos, execution)
        for execution, row in tables.stirring.items()
        if row.record.organization == event.organization
        and event.pos > row.born
        and row.pos > after
        and any(matches(wait.pattern, event.type) and may_be_for(wait, event) for wait in row.waits.values())
    )
    executions = tuple(execution for _, execution in waiting[: p.FAN_OUT])
    if len(waiting) > p.FAN_OUT:
        return p.Candidates(event, executions, (), after, waiting[p.FAN_OUT - 1][0])
    workflows = tuple(
        (digest, number, id_)
        for (organization, id_), (digest, workflow) in sorted(tables.subscriptions.items(), key=itemgetter(0))
        if organization == event.organization
        for number, trigger in enumerate(workflow.starts)
        if matches(trigger.pattern, event.type)
    )
    return p.Candidates(event, executions, workflows, after)


def values(tables: Tables, execution: str, refs: Iterable[Ref]) -> Mapping[Ref, Any]:
    row = tables.rows.get(execution)
    return {} if row is None else {ref: _value(tables, row, ref) for ref in refs}


def _value(tables: Tables, row: Row, ref: Ref) -> Any:
    match ref:
        case int():
            return row.facts[ref - 1]
        case Chunk():
            opened = row.facts[ref.seq - 1]
            assert isinstance(opened, f.LoopOpened | f.ForEachOpened)
            return chunk(opened.items, ref.number)
        case Within():
            return list(row.within.get(ref.scope, ()))
        case Consumed():
            return ref.event_id in row.consumed
        case Known():
            return _active(tables, row.record.organization, ref.workflow)
        case Takes():
            return Inputs(codec.input_schema(tables.models[ref.digest]) if ref.digest in tables.models else None)
        case _:
            assert_never(ref)


def mail_of(row: Row) -> tuple[p.Mail, ...]:
    return p.in_order(p.Mail(pos, message.event) for pos, message in sorted(row.inbox.items()))


def _active(tables: Tables, organization: str, ref: str) -> str:
    found = versions.find(tables, organization, ref)
    return "" if found is None or found.digest is None else found.digest
