"""Events as they are kept, for those who look."""

from __future__ import annotations

from typing import Protocol

from msgspec import Struct

from perdure.model.records import EventRecord, ExecutionRecord


class Happened(Struct, frozen=True):
    """An event. `routed`: all whom it concerns have been told. `declined`: (workflow, why it started no execution of that)."""

    event: EventRecord
    routed: bool
    declined: tuple[tuple[str, str], ...] = ()


class HappenedQuestions(Protocol):
    """What every reader answers about events."""

    def event(self, organization: str, id_: str) -> Happened | None: ...

    def happened(self, organization: str, before: int | None, limit: int) -> list[Happened]:
        """The newest first; those before a place."""
        ...

    def taken_by(self, organization: str, id_: str, limit: int) -> list[ExecutionRecord]:
        """The executions that have taken an event: it started them, or they waited for it, or were cancelled by it."""
        ...

    def told_to(self, organization: str, id_: str, limit: int) -> list[ExecutionRecord]:
        """The executions that an event has been delivered to, and that have not declined it."""
        ...
