"""The feed: what happened in all executions, in the order in which it became durable. Values are left out: whoever follows it
is told what happened, and asks for the rest.
"""

from __future__ import annotations

from typing import Protocol

import msgspec
from msgspec import Struct

from perdure.core.facts import Fact
from perdure.model.failure import Failure
from perdure.store.port import Unreadable

LOOKED_AT = 5_000
"""Among so many facts at most, those of one organization are looked for at once."""


class Glimpse(Struct, frozen=True, gc=False):
    """What the feed tells of a fact. The fields are those of `core.facts`; what a fact does not have is at its default."""

    at: int = 0
    step: int = -1
    op: int = 0
    scope: int = 0
    item: int = -1
    attempt: int = 0
    due_at: int | None = None
    retry_at: int | None = None
    error: Failure | None = None
    handled: bool = False
    final: bool = False
    port: str | None = None
    execution: str = ""
    origin: str = ""
    parent: str | None = None
    trigger: str = ""
    correlation_id: str | None = None
    child: str = ""
    pattern: str = ""
    by: str | None = None
    reason: str = ""
    undoes: int | None = None
    message: str = ""


class Told(Struct, frozen=True, gc=False):
    """A fact as the feed tells it. `pos` is its place among the facts of all executions; `workflow` and `digest` are those of its
    execution. `Unreadable`: a newer program has written it, or the file is damaged.
    """

    pos: int
    execution: str
    organization: str
    workflow: str
    digest: str
    seq: int
    kind: str
    fact: Glimpse | Unreadable


class Fed(Struct, frozen=True):
    """Facts, and the place that was looked up to: there are no others before it."""

    told: list[Told]
    reached: int


class FeedQuestions(Protocol):
    """What every reader answers about the feed."""

    def feed(self, after: int, limit: int, organization: str | None = None) -> Fed:
        """The facts after a place, of all organizations or of one. A place is never given again, and nothing comes to stand
        before what has been told: what is committed late is told late.

        It looks at so many facts at most, whosesoever they are: there may be more although none is told.
        """
        ...

    def feed_place(self) -> int:
        """The place up to which everything can be told by now."""
        ...

    def forgotten_up_to(self, organization: str) -> int:
        """The last place at which something of this organization stood that has been forgotten; 0: nothing has."""
        ...


def glimpse(fact: Fact) -> Glimpse:
    return msgspec.convert(fact, Glimpse, from_attributes=True)


_decoder = msgspec.json.Decoder(Glimpse)


def glimpse_in(data: str) -> Glimpse | Unreadable:
    """In the JSON of a fact. Nothing of its values is built."""
    try:
        return _decoder.decode(data)
    except msgspec.DecodeError as error:
        return Unreadable(str(error))
