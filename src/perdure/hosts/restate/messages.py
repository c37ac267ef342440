"""What goes from service to service through Restate, as JSON; and the names that they are called by."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias, TypeVar

import msgspec
from msgspec import Struct
from restate.serde import BytesSerde

from perdure.core.commands import PerformTask
from perdure.core.events import Event
from perdure.model.records import ExecutionRecord
from perdure.store.port import Advance, Pending

EXECUTION, TASK, RECORD = "PerdureExecution", "PerdureTask", "PerdureRecord"
"""The virtual object of each execution, the service that calls tasks, and the object that writes what there is to read."""

OWNER, EPOCH = "restate", 1
"""Who has these executions, as our store sees it. Restate itself sees to it that there is one at a time, so the epoch stays."""

BYTES = BytesSerde()


class Begin(Struct, frozen=True):
    pending: Pending


class Delivery(Struct, frozen=True, omit_defaults=True):
    """`pos`: its place in the inbox of our store, if it came that way."""

    event: Event
    pos: int | None = None


class Wake(Struct, frozen=True):
    due: int


class Call(Struct, frozen=True):
    execution: str
    command: PerformTask


class Written(Struct, frozen=True, omit_defaults=True):
    """What one turn of an execution adds to what there is to read: facts; itself, if it has just begun; children."""

    advance: Advance
    itself: Pending | None = None
    children: tuple[Pending, ...] = ()


Outcome: TypeAlias = Literal["committed", "guarded"]
"""Guarded: the store knows of something that comes first, and nothing was written."""


class Control(Struct, frozen=True, omit_defaults=True):
    """What of an execution is read on every turn.

    wake    for when a timer is under way; others may be, which find nothing to do
    within  how many facts each open scope holds, for `Within`
    """

    record: ExecutionRecord
    state: msgspec.Raw
    wake: int | None = None
    within: dict[int, int] = {}


Sent = TypeVar("Sent")


def encoded(message: Any) -> bytes:
    return _encode(message)


def decoded(type_: type[Sent], data: bytes) -> Sent:
    return msgspec.json.decode(data, type=type_)


_encode = msgspec.json.Encoder().encode
