"""Values by reference: what a transition may ask for before it can be made.

The state names values by the number of the fact that holds them. Whoever calls `advance` passes the facts it has at
hand; what is missing comes back as `NeedValues`, is loaded, and `advance` is called again.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from msgspec import Struct

from perdure.core import facts as f

CHUNK_ITEMS = 1_000
"""How many items of a loop or a forEach are loaded at a time."""


class Chunk(Struct, frozen=True, gc=False):
    """Items number × CHUNK_ITEMS … of the loop or forEach that fact `seq` opened: a list."""

    seq: int
    number: int


class Within(Struct, frozen=True, gc=False):
    """The facts that ended items of this forEach, or ticks of this loop by failure: a list of facts."""

    scope: int


class Consumed(Struct, frozen=True, gc=False):
    """Whether this execution was started, resumed or cancelled by this event: a boolean."""

    event_id: str


class Known(Struct, frozen=True, gc=False):
    """The version that this name of a workflow stands for: its digest, or the empty text if there is none."""

    workflow: str


class Takes(Struct, frozen=True, gc=False):
    """What the version with this digest can be started with: an `Inputs`."""

    digest: str


Ref: TypeAlias = int | Chunk | Within | Consumed | Known | Takes
"""A number is the fact with that number."""

Values: TypeAlias = Mapping[Ref, Any]

NO_VALUES: Values = {}


class NeedValues(Struct, frozen=True, gc=False):
    """`advance` cannot decide without these."""

    refs: frozenset[Ref]


def chunk(items: list[Any], number: int) -> list[Any]:
    return items[number * CHUNK_ITEMS : (number + 1) * CHUNK_ITEMS]


WITH_ITEMS = frozenset((f.LoopOpened, f.ForEachOpened))
"""The facts that hold items, which are read chunk by chunk."""

SCOPED = frozenset((f.ItemCompleted, f.ItemFailed, f.StepFailed))
"""The facts that may belong to a scope."""

CONSUMING = frozenset(
    (f.StepCompleted, f.StepFailed, f.ItemCompleted, f.ItemFailed, f.ExecutionStarted, f.ExecutionCancelled)
)
"""The facts that may have consumed an event."""


def scope_of(fact: f.Fact) -> int:
    """The scope whose `Within` holds this fact, 0 for none."""
    match fact:
        case f.ItemCompleted() | f.ItemFailed():
            return fact.scope
        case f.StepFailed():
            return fact.loop
        case _:
            return 0


def consumed_by(fact: f.Fact) -> str | None:
    """The event that this fact consumed."""
    match fact:
        case f.StepCompleted() | f.StepFailed() | f.ItemCompleted() | f.ItemFailed():
            return fact.event_id
        case f.ExecutionStarted() | f.ExecutionCancelled():
            return fact.event_id
        case _:
            return None
