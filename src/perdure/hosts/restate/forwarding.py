"""From our store into Restate: what people and the world have told executions, where events go, and what schedules start.

The inbox of an execution is in our store, as on every host: whoever approves, cancels or publishes need not know where it runs.
What is there is sent to its virtual object, with its place as idempotency key, and stays until the execution has dealt with it.
So it may be sent twice, by two processes or after a crash, and arrives once.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable, Sequence
from typing import Any

from msgspec.structs import replace

from perdure.clock import Clock
from perdure.hosts.restate.ingress import Ingress, RestateUnreachable
from perdure.hosts.restate.library import Library
from perdure.hosts.restate.messages import EXECUTION, OWNER, Begin, Delivery, encoded
from perdure.runtime.engine import internal_error_reason
from perdure.runtime.routing import route
from perdure.runtime.scheduling import fire
from perdure.store import port as p
from perdure.store.schedules import ScheduleRow

POLL_SECONDS = 0.02
TROUBLE_SECONDS = 0.5
AT_ONCE = 500
ALIVE_UNTIL, BEAT_SECONDS = 1 << 62, 2.0
"""Restate is always there: no other worker takes over what it has. On Postgres, whose clock decides, it has to be said again."""

_log = logging.getLogger("perdure.restate")


class Forwarder:
    def __init__(self, library: Library, ingress: Ingress) -> None:
        self._library, self._ingress = library, ingress
        self._clock = Clock()
        self._broken_schedules: dict[tuple[str, str, str], int | None] = {}
        """Schedules that cannot be computed, and for which slot."""
        self._sent: set[tuple[str, int]] = set()
        """What is on its way, by execution and place; only so as not to send it again and again."""

    async def run(self) -> None:
        """Until it is cancelled. What cannot be sent or read for now is tried again."""
        while True:
            try:
                await self._library.commit(p.Beat(OWNER, ALIVE_UNTIL))
                await self._library.ask(lambda store: self._clock.measure(store.database_ms))
                until = asyncio.get_running_loop().time() + BEAT_SECONDS
                while asyncio.get_running_loop().time() < until:
                    moved = await self.forward()
                    await asyncio.sleep(0 if moved else POLL_SECONDS)
            except (RestateUnreachable, p.Unavailable) as error:
                _log.warning("nothing can be forwarded to Restate for now, and will be later: %s", error)
                await asyncio.sleep(TROUBLE_SECONDS)
            except Exception:  # noqa: BLE001  one item must not keep all others from being forwarded
                _log.exception("an item cannot be forwarded to Restate")
                await asyncio.sleep(TROUBLE_SECONDS)

    async def forward(self) -> bool:
        """All that there is. Whether there was anything new."""
        polled = await self._library.ask(lambda store: store.poll(OWNER, now=self._clock.now_ms(), limit=AT_ONCE))
        there = {(execution, letter.pos) for execution, mail in polled.mail for letter in _readable(execution, mail)}
        self._sent &= there
        new = [
            (execution, letter)
            for execution, mail in polled.mail
            for letter in _readable(execution, mail)
            if (execution, letter.pos) not in self._sent
        ]
        by_execution: dict[str, list[p.Mail]] = {}
        for execution, letter in new:
            by_execution.setdefault(execution, []).append(letter)
        await _all(self._deliver(execution, letters) for execution, letters in by_execution.items())
        if polled.lookbacks:
            await self._look_back(polled.lookbacks)
        for organization, event, reason in polled.poisoned:
            await self._decline(organization, event, reason)
        for candidates in polled.events:
            await self._route(candidates)
        fired = [await self._fire(row) for row in polled.schedules]
        return bool(new or polled.lookbacks or polled.poisoned or polled.events or any(fired))

    async def _deliver(self, execution: str, letters: Iterable[p.Mail]) -> None:
        """One after the other, in the order in which they came."""
        for letter in letters:
            data = encoded(Delivery(letter.event, letter.pos))
            await self._ingress.send(EXECUTION, execution, "deliver", data, f"inbox:{letter.pos}")
            self._sent.add((execution, letter.pos))

    async def _look_back(self, lookbacks: Sequence[p.LookedBack]) -> None:
        """Show waits the events before them. An event that cannot be stored is left out and declined."""
        for item, outcome in zip(lookbacks, await self._library.commit(*lookbacks), strict=True):
            if not isinstance(outcome, p.Refused):
                continue
            if len(item.events) > 1:
                for event in item.events:
                    await self._look_back((replace(item, events=(event,)),))
                continue
            await self._library.commit(replace(item, events=()))
            for event in item.events:
                await self._decline(event.organization, event.id, outcome.reason)

    async def _decline(self, organization: str, event: str, reason: str) -> None:
        _log.error("event %s is declined: %s", event, reason)
        await self._library.commit(p.Decline(organization, event, self._clock.now_ms(), reason, OWNER))

    async def _route(self, candidates: p.Candidates) -> None:
        """What it starts begins first: an event that is unrouted is routed again, and starts the same ones again."""
        event = candidates.event
        programs = {digest: await self._library.program(digest) for digest, *_ in candidates.workflows}
        try:
            routed, faults = route(candidates, programs, self._clock.now_ms())
        except Exception as error:  # noqa: BLE001  one event must not keep all others waiting
            await self._decline(event.organization, event.id, internal_error_reason(error))
            return
        for workflow, fault in faults:
            _log.error("event %s starts no execution of workflow %s", event.id, workflow, exc_info=fault)
        begun: set[str] = set()
        for place, pending in enumerate(routed.starts):
            if pending.record.id not in begun and not await self._means_another(routed, place):
                begun.add(pending.record.id)
                await self._begin(pending)
        outcome = await self._library.commit_one(replace(routed, starts=(), meant=()))
        if isinstance(outcome, p.Refused):
            await self._decline(event.organization, event.id, outcome.reason)

    async def _fire(self, row: ScheduleRow) -> bool:
        """What it starts begins first: a schedule that has not been moved on is fired again, and starts the same ones again.
        Return whether there was anything to do.
        """
        called = (row.organization, row.workflow, row.schedule.id)
        if called in self._broken_schedules and self._broken_schedules[called] == row.next_at:
            return False
        try:
            fired = fire(row, self._clock.now_ms())
        except Exception:  # noqa: BLE001  one schedule must not keep all others waiting
            self._broken_schedules[called] = row.next_at
            _log.exception("schedule %s/%s cannot be computed", row.workflow, row.schedule.id)
            return False
        if fired is None:
            return False
        starts, last = [], row.last_execution
        for slot, pending in fired.starts:
            if fired.overlap or not await self._is_live(last):
                await self._begin(pending)
                starts.append((slot, pending))
                last = pending.record.id
        moved = replace(fired, starts=tuple(starts), overlap=True)
        outcome = await self._library.commit_one(moved)
        if isinstance(outcome, p.Refused):
            _log.error(
                "the starts of schedule %s/%s cannot be stored: %s", row.workflow, row.schedule.id, outcome.reason
            )
            await self._library.commit(replace(moved, starts=()))
        return True

    async def _is_live(self, execution: str | None) -> bool:
        record = None if execution is None else await self._library.read(lambda reader: reader.record(execution))
        return record is not None and record.live

    async def _begin(self, pending: p.Pending) -> None:
        key = pending.record.id
        await self._ingress.call(EXECUTION, key, "begin", encoded(Begin(pending)), f"begin:{key}")

    async def _means_another(self, routed: p.Route, place: int) -> bool:
        """Whether this start relies on a name that is another workflow's."""
        organization = routed.event.organization
        for ref, id_ in [(ref, id_) for at, ref, id_ in routed.meant if at == place]:
            found = await self._library.workflow(organization, ref)
            if found is not None and found.id != id_:
                return True
        return False


def _readable(execution: str, mail: tuple[p.Mail, ...] | p.Unreadable) -> tuple[p.Mail, ...]:
    if isinstance(mail, p.Unreadable):
        _log.warning("execution %s has mail that this program cannot read: %s", execution, mail.why)
        return ()
    return mail


async def _all(sends: Iterable[Any]) -> None:
    """All of them, also if one fails."""
    for failed in [one for one in await asyncio.gather(*sends, return_exceptions=True) if one is not None]:
        raise failed
