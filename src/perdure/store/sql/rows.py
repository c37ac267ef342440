"""Between rows and records: JSON text, and large values in pieces of their own."""

from __future__ import annotations

from typing import Any, get_args

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from perdure.core import facts as f
from perdure.core.advance import Start
from perdure.core.commands import OpenWait
from perdure.core.events import Event
from perdure.core.patterns import is_wild
from perdure.core.values import CHUNK_ITEMS, CONSUMING, SCOPED, WITH_ITEMS, chunk
from perdure.model.failure import Failure
from perdure.model.records import ApprovalRecord, EventRecord, ExecutionRecord, Waiting
from perdure.store.port import Pending

PIECE_MAX = 64_000
"""A fact whose JSON is longer is kept apart, in pieces, so that the history can be read without it."""

_encoder = msgspec.json.Encoder()
_fact: msgspec.json.Decoder[f.Fact] = msgspec.json.Decoder(f.Fact)
_event: msgspec.json.Decoder[Event] = msgspec.json.Decoder(Event)
_start = msgspec.json.Decoder(Start)
_record = msgspec.json.Decoder(EventRecord)
_approval = msgspec.json.Decoder(ApprovalRecord)
_waiting = msgspec.json.Decoder(Waiting)
_failure = msgspec.json.Decoder(Failure)
_pairs = msgspec.json.Decoder(tuple[tuple[str, str], ...])
_items = msgspec.json.Decoder(list[Any])
_names = msgspec.json.Decoder(frozenset[str])


def text(value: Any) -> str:
    return _encoder.encode(value).decode()


def optional(value: Any) -> str | None:
    return None if value is None else text(value)


class Kind(Struct, frozen=True, gc=False):
    """What has to be known of a fact to write it: its name, and what it may hold."""

    name: str
    has_items: bool
    has_scope: bool
    consumes: bool
    is_special: bool
    """Whether more has to be written than the fact itself."""


def _kind(fact: type[f.Fact]) -> Kind:
    has_items, has_scope = fact in WITH_ITEMS, fact in SCOPED
    return Kind(str(fact.__struct_config__.tag), has_items, has_scope, fact in CONSUMING, has_items or has_scope)


KINDS: dict[type[f.Fact], Kind] = {fact: _kind(fact) for fact in get_args(f.Fact)}
"""Asked of every fact: one look tells all."""


def encoded(fact: f.Fact) -> str:
    return _encoder.encode(fact).decode()


encode_into = _encoder.encode_into
"""`encode_into(fact, data, -1)`: its JSON, after what is there."""


def fact_pieces(fact: f.Fact, data: str) -> tuple[str, list[str]]:
    """The JSON of a fact, and what of it is kept apart: the items of a loop in chunks, or all of it if it is long."""
    if isinstance(fact, f.LoopOpened | f.ForEachOpened) and len(fact.items) > 0:
        chunks = [text(chunk(fact.items, number)) for number in range(-(-len(fact.items) // CHUNK_ITEMS))]
        return text(replace(fact, items=[])), chunks
    if len(data) <= PIECE_MAX:
        return data, []
    return "", [data[start : start + PIECE_MAX] for start in range(0, len(data), PIECE_MAX)]


def fact_of(data: str, pieces: list[str]) -> f.Fact:
    if not data:
        return _fact.decode("".join(pieces))
    fact = _fact.decode(data)
    if pieces:
        assert isinstance(fact, f.LoopOpened | f.ForEachOpened)
        return replace(fact, items=[item for piece in pieces for item in _items.decode(piece)])
    return fact


def items_of(piece: str) -> list[Any]:
    return _items.decode(piece)


def pairs(data: str) -> tuple[tuple[str, str], ...]:
    return _pairs.decode(data)


def names(data: str) -> frozenset[str]:
    return _names.decode(data)


def event_of(data: str) -> Event:
    return _event.decode(data)


def start_of(data: str | None) -> Start | None:
    return None if data is None else _start.decode(data)


def event_record(data: str, pos: int) -> EventRecord:
    return replace(_record.decode(data), pos=pos)


def approval(data: str) -> ApprovalRecord:
    return _approval.decode(data)


def new_execution(pending: Pending, owner: str | None) -> tuple[Any, ...]:
    """The row of an execution that begins; its last column is how it begins."""
    r = pending.record
    now = (
        r.id,
        r.organization,
        r.workflow,
        r.digest,
        r.status,
        r.live,
        r.wake_at,
        owner,
        0 if owner is None else 1,
    )
    return (*now, r.trigger, r.correlation_id, r.parent, r.parent_op, r.depth, r.started_at, pending.start)


def identity(row: tuple[Any, ...]) -> ExecutionRecord:
    """Of the same row as `execution`, what can be read whatever else cannot."""
    id_, organization, workflow, digest = row[:4]
    return ExecutionRecord(id_, workflow, digest, row[-2], organization)


def execution(row: tuple[Any, ...]) -> ExecutionRecord:
    """Of a row of the query `record`, without its first three columns."""
    (id_, organization, workflow, digest, status, live, wake_at, seq, waiting, output, error, *rest) = row
    trigger, correlation_id, parent, parent_op, depth, started_at, ended_at = rest
    return ExecutionRecord(
        id=id_,
        workflow=workflow,
        digest=digest,
        started_at=started_at,
        organization=organization,
        status=status,
        live=bool(live),
        waiting=None if waiting is None else _waiting.decode(waiting),
        wake_at=wake_at,
        seq=seq,
        output=None if output is None else msgspec.json.decode(output),
        error=None if error is None else _failure.decode(error),
        trigger=trigger,
        correlation_id=correlation_id,
        parent=parent,
        parent_op=parent_op,
        depth=depth,
        ended_at=ended_at,
    )


def opened_wait(execution: int | str, organization: str, wait: OpenWait) -> tuple[Any, ...]:
    """Its row; `execution` is whatever an execution is called by there."""
    wild = int(is_wild(wait.pattern))
    return (execution, wait.op, organization, wait.pattern, wait.look_back, wild, wait.place, wait.key)


def texts_of(data: str | None) -> list[str]:
    """A list of texts, as JSON; None: there are none."""
    return [] if data is None else msgspec.json.decode(data, type=list[str])
