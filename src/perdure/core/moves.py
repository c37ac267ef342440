"""Moves: what the work of a step answers with. Handlers return them; `core.playing` plays them."""

from __future__ import annotations

from typing import TypeAlias

from msgspec import Struct

from perdure.core.commands import PublishEvent
from perdure.model.failure import Category, Failure, refusal
from perdure.model.steps import Amounts
from perdure.model.values import Json


class Done(Struct, frozen=True, gc=False):
    """The work is done. `assigned` are variables it sets by itself; `event` is what it waited for.

    `op` is the operation it closes; `scope` the loop or forEach that ends with it, `total` how many items that had.
    `publishes` is an event that goes out if the step completes.
    """

    output: Json = None
    port: str | None = None
    meta: Json = None
    usage: Amounts = ()
    assigned: Json = None
    event_id: str | None = None
    event: Json = None
    op: int = 0
    scope: int = 0
    total: int | None = None
    publishes: PublishEvent | None = None


class Broken(Struct, frozen=True, gc=False):
    """The work failed for good. `event_id`: over an event, which is consumed all the same."""

    error: Failure
    usage: Amounts = ()
    op: int = 0
    scope: int = 0
    event_id: str | None = None


class Ticked(Struct, frozen=True, gc=False):
    """A loop handed out the batch that begins at `start`."""

    scope: int
    start: int


Move: TypeAlias = Done | Broken | Ticked


def invalid(message: str, code: str = "INVALID_VALUE") -> Broken:
    """The values of the step do not fit; trying again would only repeat it."""
    return Broken(refusal(message, code=code))


def over_limit(message: str) -> Broken:
    return Broken(refusal(message, code="LIMIT", category=Category.PERMANENT))
