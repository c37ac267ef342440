"""Questions, claims, and what is read for them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from itertools import zip_longest
from typing import Any, TypeAlias, assert_never

import msgspec

from perdure.core.commands import OpenWait
from perdure.core.patterns import beginning, is_wild, matches
from perdure.core.steps.event import event_value, may_be_for
from perdure.core.values import Chunk, Consumed, Known, Ref, Takes, Within
from perdure.expressions.keys import key_in
from perdure.model import codec
from perdure.model.inputs import Inputs
from perdure.model.records import EventRecord, ExecutionRecord
from perdure.store import port as p
from perdure.store.schedules import FORM, ScheduleRow
from perdure.store.sql import rows
from perdure.store.sql.schedules import so_many
from perdure.store.sql.statements import Statements

TALES = "workflow."
"""What executions tell of themselves; it is not in the index of types."""

LAST = "\U0010ffff"
"""No character comes after it."""


ORGANIZATIONS_MAX = 32
"""Maximum number of organizations whose events share one poll; the next ones share the next poll."""

Guard: TypeAlias = Callable[[], AbstractContextManager[object]]


class Reading:
    """Through any connection: the one that writes, or another."""

    def __init__(self, statements: Statements) -> None:
        self._sql = statements
        self._after = ""
        """The last organization that had its share of a poll."""

    def facts_after(self, eid: int, seq: int) -> list[Any] | p.Unreadable:
        return self.facts_of(eid, self._sql.all("facts_after", (eid, seq)))

    def facts_of(self, eid: int, found: Iterable[Sequence[Any]]) -> list[Any] | p.Unreadable:
        """The facts that these rows of an execution are."""
        facts = []
        for row in found:
            try:
                facts.append(self.fact_of(eid, row))
            except p.DATA_ERRORS as error:
                return p.Unreadable(f"its fact {row[0]}: {error}")
        return facts

    def fact_of(self, eid: int, row: Sequence[Any]) -> Any:
        seq, parts, data = row
        return rows.fact_of(data, [piece for (piece,) in self._sql.all("payload", (eid, seq))] if parts else [])

    def inboxes(self, eids: list[int]) -> dict[int, tuple[p.Mail, ...] | p.Unreadable]:
        """Those that hold something."""
        return mail_in(self._sql.all("mail_of", (rows.text(eids),)))

    def newest_ms(self) -> int | None:
        found: int | None = self._sql.one("newest")[0]
        return found

    def poll(
        self,
        worker: str,
        *,
        now: int,
        limit: int,
        first: tuple[str, Any] | None = None,
        due_until: int | None = None,
    ) -> p.Polled:
        """`first`: what else the database is to do, before it is asked. `due_until`: schedules that are due later are left; `now`
        by default.
        """
        due_until = now if due_until is None else due_until
        *_, owned, waits, schedules, unrouted = self._sql.several(
            *([first] if first else []),
            ("owned_with_mail", (worker, limit)),
            ("lookbacks", (limit,)),
            ("due_schedules", {"now": due_until, "form": FORM, "limit": limit}),
            ("unrouted", (limit,)),
        )
        ids = dict(owned)
        mail = [(ids[eid], found) for eid, found in self.inboxes(list(ids)).items()] if ids else []
        asked = [
            (OpenWait(op, pattern, look_back=True, place=place, key=key), since)
            for op, pattern, place, key, _, *since in waits
        ]
        came = self._sql.several(*(_events_since(wait, since) for wait, since in asked)) if asked else []
        lookbacks = [
            p.LookedBack(row[4], wait.op, now, _fitting(wait, found))
            for row, (wait, _), found in zip(waits, asked, came, strict=True)
        ]
        routes = self._routes(self._shared(unrouted, limit))
        return p.Polled(tuple(mail), tuple(lookbacks), tuple(routes), tuple(self._due(schedules, due_until, limit)))

    def poll_apart(self, worker: str, *, now: int, limit: int, guard: Guard, due_until: int | None = None) -> p.Polled:
        """The same, row by row, after `poll` has failed because of a value. `guard` translates the errors of the database. An
        event that fails twice is poisoned.
        """
        due_until = now if due_until is None else due_until
        with guard():
            owned, waits, schedules, unrouted = self._sql.several(
                ("owned_with_mail", (worker, limit)),
                ("lookbacks", (limit,)),
                ("due_schedules", {"now": due_until, "form": FORM, "limit": limit}),
                ("unrouted", (limit,)),
            )
            ids = dict(owned)
            mail = [(ids[eid], found) for eid, found in self.inboxes(list(ids)).items()] if ids else []
            due = self._due(schedules, due_until, limit)
            unrouted = self._shared(unrouted, limit)
        lookbacks: list[p.LookedBack] = []
        for op, pattern, place, key, execution, *since in waits:
            wait = OpenWait(op, pattern, look_back=True, place=place, key=key)
            with guard():
                (came,) = self._sql.several(_events_since(wait, since))
            lookbacks.append(p.LookedBack(execution, op, now, _readable_fitting(wait, came)))
        events: list[p.Candidates] = []
        poisoned: list[tuple[str, str, str]] = []
        for row in unrouted:
            try:
                events.extend(self._twice(row, guard))
            except p.DATA_ERRORS as error:
                _, organization, *_, id_ = row
                poisoned.append(
                    (organization, id_, p.storable(f"it cannot be routed: {type(error).__name__}: {error}"))
                )
        return p.Polled(tuple(mail), tuple(lookbacks), tuple(_in_turn(events)), tuple(due), tuple(poisoned))

    def _twice(self, row: tuple[Any, ...], guard: Guard) -> list[p.Candidates]:
        try:
            with guard():
                return list(self._routes([row]))
        except p.DATA_ERRORS:
            with guard():
                self._sql.one("last_pos")  # raises if it is not the event that is at fault
                return list(self._routes([row]))

    def _due(self, found: list[tuple[Any, ...]], now: int, limit: int) -> list[ScheduleRow]:
        """`found`: the first so many. If there may be more, organizations take turns."""

        def asked(most: int) -> list[tuple[Any, ...]]:
            due = {"now": now, "form": FORM, "limit": most}
            return found if len(found) < limit else self._sql.all("due_schedules_in_turn", due)

        return so_many(asked, limit)

    def _shared(self, unrouted: list[tuple[Any, ...]], limit: int) -> list[tuple[Any, ...]]:
        """Return which events to route, given the oldest `unrouted`. If there may be more, each organization has its share of the
        limit, however many others have; those of one organization stay in order.
        """
        if len(unrouted) < limit:
            return unrouted
        count = min(max(limit // 2, 1), ORGANIZATIONS_MAX)
        organizations = [
            name for (name,) in self._sql.all("unrouted_organizations", {"after": self._after, "count": count})
        ]
        self._after = organizations[-1] if len(organizations) == count else ""
        if all([row[1]] == organizations for row in unrouted):
            return unrouted
        share = max(limit // max(len(organizations), 1), 1)
        shares = (
            self._sql.several(*(("unrouted_of", {"organization": each, "share": share}) for each in organizations))
            if organizations
            else []
        )
        in_turn = [row for rows_ in zip_longest(*shares) for row in rows_ if row is not None]
        return list({row[0]: row for row in (*in_turn, *unrouted)}.values())[:limit]

    def _routes(self, unrouted: list[tuple[Any, ...]]) -> Iterator[p.Candidates]:
        """In the order in which they came. What of one source has not reached everybody goes before what came after it."""
        routes = [_Route(row) for row in unrouted]
        for route in routes:
            for pattern in route.wild:
                given = {"organization": route.event.organization, "pattern": pattern}
                route.look(pattern, [place for (place,) in self._sql.all("places", given)])
        organizations = list(dict.fromkeys(route.event.organization for route in routes))
        asked = [("subscribed", (organization,)) for organization in organizations]
        asked += [question for route in routes for question in route.questions]
        found = iter(self._sql.several(*asked) if asked else [])
        subscribed = {organization: next(found) for organization in organizations}
        held_up: set[tuple[str, str]] = set()
        for route in routes:
            waiting = dict(sorted(row for _ in route.questions for row in next(found)))
            source = (route.event.organization, route.event.source)
            if source not in held_up:
                candidates = route.candidates(waiting, subscribed[route.event.organization])
                if candidates.reached is not None:
                    held_up.add(source)
                yield candidates

    def active_version(self, organization: str, ref: str) -> str | None:
        found = self._sql.one("active", {"organization": organization, "ref": ref})
        return None if found is None else found[0]

    def model(self, digest: str) -> bytes:
        found = self._sql.one("model", (digest,))
        if found is None:
            raise KeyError(digest)
        return bytes(found[0])

    def record(self, execution: str) -> ExecutionRecord | None:
        found = self._sql.one("record", (execution,))
        return None if found is None else rows.execution(tuple(found[3:]))

    def mail(self, worker: str, execution: str) -> tuple[p.Mail, ...]:
        found = self._sql.one("owner_of", (execution,))
        if found is None or found[1] != worker:
            return ()
        mail = self.inboxes([found[0]]).get(found[0], ())
        return () if isinstance(mail, p.Unreadable) else mail

    def values(self, execution: str, refs: Iterable[Ref]) -> Mapping[Ref, Any]:
        found = self._sql.one("eid_of", (execution,))
        if found is None:
            return {}
        eid, organization = found
        return {ref: self._readable(eid, organization, ref) for ref in refs}

    def _readable(self, eid: int, organization: str, ref: Ref) -> Any:
        try:
            return self._value(eid, organization, ref)
        except msgspec.DecodeError as error:
            return p.Unreadable(f"what {ref} stands for: {error}")

    def _value(self, eid: int, organization: str, ref: Ref) -> Any:
        match ref:
            case int():
                row = self._sql.one("fact", (eid, ref))
                assert row is not None, ref
                return self.fact_of(eid, row)
            case Chunk():
                piece = self._sql.one("payload_part", (eid, ref.seq, ref.number))
                return [] if piece is None else rows.items_of(piece[0])
            case Within():
                return [self.fact_of(eid, row) for row in self._sql.all("facts_within", (eid, ref.scope))]
            case Consumed():
                return self._sql.one("is_consumed", (eid, ref.event_id)) is not None
            case Known():
                return self.active_version(organization, ref.workflow) or ""
            case Takes():
                model = self._sql.one("model", (ref.digest,))
                return Inputs(None if model is None else codec.input_schema(bytes(model[0])))
            case _:
                assert_never(ref)


class _Route:
    """One event on its way to whom it concerns: what has to be asked, and what comes of the answers."""

    def __init__(self, row: tuple[Any, ...]) -> None:
        pos, _, type_, data, self._after, places, patterns, _ = row
        self.event = rows.event_record(data, pos)
        self._value = event_value(self.event)
        self.wild = [each for each in rows.texts_of(patterns) if each != type_ and matches(each, type_)]
        """Patterns beside its very type that fit it, and that somebody waits for."""
        self.questions: list[tuple[str, Any]] = []
        self.look(type_, rows.texts_of(places))

    def look(self, pattern: str, places: list[str]) -> None:
        """Of each place that is looked at by those who wait for the pattern, those whose key it is; one more than are wanted."""
        for place in places:
            key = key_in(self._value, place) if place else ""
            whose = (self.event.organization, pattern, place, *(() if key is None else (key,)))
            query = "waiting_at" if key is None else "waiting_for"
            self.questions.append((query, (*whose, self._after, self.event.pos, p.FAN_OUT + 1)))

    def candidates(self, waiting: dict[int, str], subscribed: list[tuple[Any, ...]]) -> p.Candidates:
        """The executions come in the order of their births, at most so many."""
        some = list(waiting.items())[: p.FAN_OUT]
        executions = tuple(execution for _, execution in some)
        if len(waiting) > p.FAN_OUT:
            return p.Candidates(self.event, executions, (), self._after, some[-1][0])
        workflows = tuple(
            (digest, number, workflow)
            for digest, number, workflow, pattern in subscribed
            if matches(pattern, self.event.type)
        )
        return p.Candidates(self.event, executions, workflows, self._after)


def _events_since(wait: OpenWait, since: list[Any]) -> tuple[str, Any]:
    """What asks for events `since` an execution started (organization, birth, execution) that may fit."""
    begins = beginning(wait.pattern)
    if not begins or TALES.startswith(begins) or begins.startswith(TALES):
        return "events_since", since
    if is_wild(wait.pattern):
        return "events_since_like", (*since, begins, f"{begins}{LAST}")
    return "events_since_of", (*since, wait.pattern)


def _fitting(wait: OpenWait, found: list[tuple[int, str, str]]) -> tuple[EventRecord, ...]:
    """Those that do, in the order in which they came."""
    events = (rows.event_record(data, pos) for pos, type_, data in found if matches(wait.pattern, type_))
    return tuple(event for event in events if may_be_for(wait, event))


def _readable_fitting(wait: OpenWait, found: list[tuple[int, str, str]]) -> tuple[EventRecord, ...]:
    """The same; an event that cannot be read is left out, and one that cannot be judged is for the execution to judge."""
    fitting: list[EventRecord] = []
    for pos, type_, data in found:
        if matches(wait.pattern, type_):
            with suppress(*p.DATA_ERRORS):
                fitting.append(rows.event_record(data, pos))
    return tuple(event for event in fitting if _may_be_for(wait, event))


def _may_be_for(wait: OpenWait, event: EventRecord) -> bool:
    try:
        return may_be_for(wait, event)
    except p.DATA_ERRORS:
        return True


def _in_turn(events: list[p.Candidates]) -> Iterator[p.Candidates]:
    """Leave out what comes from a source of which an earlier event has not reached everybody."""
    held_up: set[tuple[str, str]] = set()
    for candidates in events:
        source = (candidates.event.organization, candidates.event.source)
        if source not in held_up:
            if candidates.reached is not None:
                held_up.add(source)
            yield candidates


def mail_in(found: Iterable[tuple[int, int, str]]) -> dict[int, tuple[p.Mail, ...] | p.Unreadable]:
    """The mail of each execution, given rows of executions, places and letters."""
    letters: dict[int, list[tuple[int, str]]] = {}
    for eid, pos, data in found:
        letters.setdefault(eid, []).append((pos, data))
    return {eid: _mail(one) for eid, one in letters.items()}


def _mail(letters: list[tuple[int, str]]) -> tuple[p.Mail, ...] | p.Unreadable:
    try:
        return p.in_order([p.Mail(pos, rows.event_of(data)) for pos, data in letters])
    except p.DATA_ERRORS as error:
        return p.Unreadable(f"its mail: {error}")
