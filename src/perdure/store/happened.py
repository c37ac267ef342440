"""Events as they are kept, for those who look."""

from __future__ import annotations

from typing import Literal, Protocol, TypeAlias

from msgspec import Struct

from perdure.model.records import EventRecord, ExecutionRecord

EventState: TypeAlias = Literal["unrouted", "routed", "declined"]

EVENT_ITSELF = ""
"""Stands for the workflow in the reasons of an event that was declined as a whole."""


class Happened(Struct, frozen=True):
    """An event. `routed`: all whom it concerns have been told. `declined`: (workflow, why it started no execution of that)."""

    event: EventRecord
    routed: bool
    declined: tuple[tuple[str, str], ...] = ()

    @property
    def reason(self) -> str | None:
        """Why it was declined as a whole, if it was."""
        return decline_reason(self.declined)

    @property
    def state(self) -> EventState:
        return event_state(self.declined, is_routed=self.routed)


def decline_reason(declined: tuple[tuple[str, str], ...]) -> str | None:
    return next((reason for workflow, reason in declined if workflow == EVENT_ITSELF), None)


def event_state(declined: tuple[tuple[str, str], ...], *, is_routed: bool) -> EventState:
    if decline_reason(declined) is not None:
        return "declined"
    return "routed" if is_routed else "unrouted"


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
