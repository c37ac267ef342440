"""Events: sent, listed, and whom each of them woke."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from perdure.core.patterns import matches
from perdure.hosts.embedded import Host
from perdure.hosts.tracing.ids import TRACEPARENT
from perdure.hosts.tracing.ids import read as read_traceparent
from perdure.ids import derived
from perdure.model.problem import Problem
from perdure.model.records import EventRecord, ExecutionRecord
from perdure.model.values import Json
from perdure.service import paging
from perdure.service.acting import OPERATORS, Actor, allowed, by
from perdure.service.apart import is_small
from perdure.service.arriving import Arriving
from perdure.service.errors import Conflict, NotFound, Refused, TooMany
from perdure.service.given import check_texts
from perdure.service.limits import Limits
from perdure.service.paging import LIMIT, Page
from perdure.service.triggers import Incoming, Triggers
from perdure.store import port as p
from perdure.store.happened import EventState, Happened, decline_reason, event_state
from perdure.store.ledger import LogTrigger, bounded
from perdure.store.questions import Questions
from perdure.store.registers import EVENTS, WriteCard
from perdure.tasks.offload import run_in_thread

BATCH_MAX = 1_000
"""So many events are sent at once."""

SEEN_MAX = 5_000
"""So many events are looked at for one page, if only some are wanted."""

WOKEN_MAX = 500


class Sent(Struct, frozen=True):
    """`created`: it had not been there. Under this `id` it is kept, also if its sender called it otherwise. `differs`: what is
    there under this id says something else, and that stays; what was sent now is not kept.
    """

    id: str
    created: bool
    differs: bool = False


class Woken(Struct, frozen=True):
    """An execution that an event concerned.

    started  the event has started it
    woken    it has taken the event: it went on, or was cancelled by it
    told     the event is in its inbox
    """

    execution: str
    workflow: str
    status: str
    how: Literal["started", "woken", "told"]


class Seen(Struct, frozen=True):
    """An event and what came of it. `more`: it concerned others, too, than those that are named here."""

    event: EventRecord
    routed: bool
    woken: tuple[Woken, ...]
    declined: tuple[tuple[str, str], ...] = ()
    """(workflow, why the event started no execution of it although it fits)"""
    more: bool = False

    @property
    def reason(self) -> str | None:
        """Why it was declined as a whole, if it was."""
        return decline_reason(self.declined)

    @property
    def state(self) -> EventState:
        return event_state(self.declined, is_routed=self.routed)


class Events:
    def __init__(self, host: Host, limits: Limits, triggers: Triggers) -> None:
        self._host, self._limits, self._triggers = host, limits, triggers

    async def send(
        self, event: Json, *, organization: str = "default", incoming: Incoming | None = None, actor: Actor = None
    ) -> Sent:
        """Tell whoever waits for such an event, or is started or cancelled by it: a CloudEvent, or a plain one with a `type` and
        a `payload`. It is durable when this returns. The same id twice is one event; without an id, each is a new one.
        `incoming`: a request from outside brings it, so that limits count it, and the log of triggers tells of it. An actor has
        to be an operator or an editor.
        """
        (sent,) = await self.send_all([event], organization=organization, incoming=incoming, actor=actor)
        return sent

    async def send_all(
        self,
        events: Sequence[Json],
        *,
        organization: str = "default",
        incoming: Incoming | None = None,
        actor: Actor = None,
    ) -> list[Sent]:
        """All of them, in this order; if one is refused, none is sent. They are written together, but for those that have an id
        which another source has used already: if it fails before these are written, all can be sent again. Raises `TooMany` for
        what comes from outside. An actor has to be an operator or an editor.
        """
        check_texts(organization=organization, request_id=None if incoming is None else incoming.request_id)
        await allowed(self._host, organization, actor, OPERATORS, "send events")
        try:
            found = [_traced(record, incoming) for record in await self._read(events, organization)]
            if incoming is not None:
                self._limits.arrive(organization, len(found))
        except (Refused, TooMany) as error:
            if incoming is not None:
                await self._triggers.note(_refused(events, organization, incoming, error, self._host.now_ms()))
            raise
        return await self._sent(found, incoming)

    async def _read(self, events: Sequence[Json], organization: str) -> list[EventRecord]:
        """Raises `Refused` with all that is wrong with them."""
        if len(events) > BATCH_MAX:
            raise Refused([Problem("too_many", f"{len(events)} events at once; send at most {BATCH_MAX}")])
        now = self._host.now_ms()
        ids = [self._host.fresh_id() for _ in events]

        def parse() -> tuple[list[Arriving], list[EventRecord | None]]:
            read = [Arriving(event, f"/{number}" if len(events) > 1 else "") for number, event in enumerate(events)]
            return read, [each.record(id_, organization, now) for id_, each in zip(ids, read, strict=True)]

        read, found = parse() if is_small(list(events)) else await run_in_thread(parse)
        problems = [problem for each in read for problem in each.problems]
        if problems:
            raise Refused(problems, what="it is no event")
        return [record for record in found if record is not None]

    async def _sent(self, events: Sequence[EventRecord], incoming: Incoming | None) -> list[Sent]:
        there = await self._published(events, incoming)
        # Senders number their events without knowing of each other: what another one has sent is not this.
        renamed = {
            number: replace(event, id=f"{event.source}#{event.id}")
            for number, (event, one) in enumerate(zip(events, there, strict=True))
            if one is not None and one.source != event.source
        }
        events = [renamed.get(number, event) for number, event in enumerate(events)]
        if renamed:
            again = await self._published(list(renamed.values()), incoming)
            for number, one in zip(renamed, again, strict=True):
                there[number] = one
        if incoming is not None:
            for event, one in zip(events, there, strict=True):
                if one is not None:
                    await self._triggers.note(replace(_note(event, incoming), outcome="duplicate"))
        return [
            Sent(event.id, one is None, one is not None and _says(one) != _says(event))
            for event, one in zip(events, there, strict=True)
        ]

    async def _published(self, events: Sequence[EventRecord], incoming: Incoming | None) -> list[EventRecord | None]:
        """All of them are written, or none. Of each: None; or what was there under its id. That may just have been forgotten, and
        then was this.
        """
        outcomes = await self._host.commit_all(
            p.Publish(event, None if incoming is None else _note(event, incoming)) for event in events
        )
        old = [event for event, outcome in zip(events, outcomes, strict=True) if isinstance(outcome, p.Duplicate)]
        if not old:
            return [None] * len(events)
        found = await self._host.read(lambda store: _kept(store, old), old[0].organization)
        return [
            found.get(event.id, event) if isinstance(outcome, p.Duplicate) else None
            for event, outcome in zip(events, outcomes, strict=True)
        ]

    async def list(
        self,
        *,
        organization: str = "default",
        type: str | None = None,
        limit: int = LIMIT,
        cursor: str | None = None,
    ) -> Page[Happened]:
        """The newest first. `type` may be a pattern. Where few of very many fit, a page may be short and have a next one."""
        check_texts(organization=organization, type=type)
        count = paging.checked(limit)
        (before,) = (None,) if cursor is None else paging.place(cursor, tuple[int])

        def look(store: Questions) -> Page[Happened]:
            found: list[Happened] = []
            place, seen = before, 0
            while seen < SEEN_MAX:
                some = store.happened(organization, place, paging.LIMIT_MAX if type is not None else count + 1)
                for each in some:
                    if len(found) == count:
                        return Page(tuple(found), paging.cursor(place or 0))
                    place = each.event.pos
                    if type is None or matches(type, each.event.type):
                        found.append(each)
                seen += len(some)
                if not some:
                    return Page(tuple(found))
            return Page(tuple(found), paging.cursor(place or 0))

        return await self._host.read(look, organization)

    async def get(self, event: str, *, organization: str = "default") -> Seen:
        """Raises `NotFound`."""
        check_texts(event=event, organization=organization)
        return await self._host.read(lambda store: _seen(store, organization, event), organization)

    async def reroute(self, event: str, *, organization: str = "default", actor: Actor = None) -> Seen:
        """Route a declined event again, once what kept it from being routed is corrected. Raises `NotFound`, and `Conflict` if it
        was not declined. An actor has to be an operator or an editor.
        """
        check_texts(event=event, organization=organization)
        await allowed(self._host, organization, actor, OPERATORS, "route events again")
        audit = WriteCard(
            EVENTS,
            event,
            None,
            self._host.now_ms(),
            by(actor),
            "event.rerouted",
            organization,
            writer=self._host.shell.worker,
        )
        outcome = await self._host.shell.commit(p.Reroute(organization, event, audit))
        if isinstance(outcome, p.Refused):
            raise NotFound(outcome.reason)
        if isinstance(outcome, p.GuardFailed):
            raise Conflict(outcome.reason)
        return await self.get(event, organization=organization)


def _kept(store: Questions, events: Iterable[EventRecord]) -> dict[str, EventRecord]:
    """What is there under their ids."""
    found = (store.event(event.organization, event.id) for event in events)
    return {each.event.id: each.event for each in found if each is not None}


def _note(event: EventRecord, incoming: Incoming) -> LogTrigger:
    return LogTrigger(
        event.at,
        "event",
        bounded(event.type) or "",
        delivery=bounded(event.id),
        request=bounded(incoming.request_id),
        organization=event.organization,
    )


def _refused(
    events: Sequence[Json], organization: str, incoming: Incoming, error: Refused | TooMany, now: int
) -> LogTrigger:
    """One row, however many there are: none of them is sent. It is about the first, as far as that says what it is."""
    first = events[0] if events else None
    type_ = first.get("type") if isinstance(first, dict) else None
    return LogTrigger(
        now,
        "event",
        bounded(type_ if isinstance(type_, str) else None) or "",
        "rate_limited" if isinstance(error, TooMany) else "rejected",
        bounded(str(error)),
        request=bounded(incoming.request_id),
        organization=organization,
    )


def _traced(event: EventRecord, incoming: Incoming | None) -> EventRecord:
    """With the trace of the request that it came by, where it does not say one itself, as CloudEvents do."""
    traceparent = None if incoming is None else incoming.traceparent
    metadata = event.metadata if isinstance(event.metadata, dict) else {}
    if traceparent is None or TRACEPARENT in metadata or read_traceparent(traceparent) is None:
        return event
    return replace(event, metadata={**metadata, TRACEPARENT: traceparent})


def _says(event: EventRecord) -> tuple[Json, ...]:
    """Whoever sends it again may do so within another trace."""
    metadata = event.metadata if isinstance(event.metadata, dict) else {}
    rest = {name: value for name, value in metadata.items() if name != TRACEPARENT}
    return event.type, event.data, event.correlation_id, rest


def _seen(store: Questions, organization: str, id_: str) -> Seen:
    found = store.event(organization, id_)
    if found is None:
        raise NotFound(f"there is no event {id_!r} in organization {organization!r}; it may have been forgotten by now")
    taken = store.taken_by(organization, id_, WOKEN_MAX + 1)
    told = [record for record in store.told_to(organization, id_, WOKEN_MAX + 1) if record not in taken]
    woken = [_woken(found.event, record, "woken") for record in taken] + [
        _woken(found.event, record, "told") for record in told
    ]
    more = len(woken) > WOKEN_MAX
    return Seen(found.event, found.routed, tuple(woken[:WOKEN_MAX]), found.declined, more)


def _woken(event: EventRecord, record: ExecutionRecord, how: Literal["woken", "told"]) -> Woken:
    started = record.id == derived(event.organization, event.id, record.workflow)
    return Woken(record.id, record.workflow, record.status, "started" if started else how)
