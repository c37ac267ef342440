"""Questions, claims, and what is read for them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, assert_never

import msgspec

from perdure.core.patterns import matches
from perdure.core.values import Chunk, Consumed, Known, Ref, Within
from perdure.model.records import EventRecord, ExecutionRecord
from perdure.store import port as p
from perdure.store.sql import rows
from perdure.store.sql.statements import Statements


class Reading:
    """Through any connection: the one that writes, or another."""

    def __init__(self, statements: Statements) -> None:
        self._sql = statements

    def facts_after(self, places: Mapping[int, int]) -> dict[int, list[Any] | p.Unreadable]:
        """Of each execution, the facts after that number."""
        found: dict[int, list[Any] | p.Unreadable] = {eid: [] for eid in places}
        for eid, *row in self._sql.all("facts_after_each", (rows.text(list(places.items())),)):
            facts = found[eid]
            if isinstance(facts, list):
                try:
                    facts.append(self.fact_of(eid, row))
                except msgspec.DecodeError as error:
                    found[eid] = p.Unreadable(f"its fact {row[0]}: {error}")
        return found

    def fact_of(self, eid: int, row: Sequence[Any]) -> Any:
        seq, parts, data = row
        return rows.fact_of(data, [piece for (piece,) in self._sql.all("payload", (eid, seq))] if parts else [])

    def inboxes(self, eids: list[int]) -> dict[int, tuple[p.Mail, ...] | p.Unreadable]:
        """Those that hold something."""
        letters: dict[int, list[tuple[int, str]]] = {}
        for eid, pos, data in self._sql.all("mail_of", (rows.text(eids),)):
            letters.setdefault(eid, []).append((pos, data))
        return {eid: _mail(found) for eid, found in letters.items()}

    def poll(self, worker: str, *, now: int, limit: int) -> p.Polled:
        owned = dict(self._sql.all("owned_with_mail", (worker, limit)))
        mail = [(owned[eid], found) for eid, found in self.inboxes(list(owned)).items()] if owned else []
        lookbacks = [
            p.LookedBack(execution, op, now, self._events_for(eid, organization, born, pattern))
            for eid, op, pattern, execution, organization, born in self._sql.all("lookbacks", (limit,))
        ]
        events = [
            self._candidates(rows.event_record(data, pos), organization, type_)
            for pos, organization, type_, data in self._sql.all("unrouted", (limit,))
        ]
        return p.Polled(tuple(mail), tuple(lookbacks), tuple(events))

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

    def _events_for(self, eid: int, organization: str, born: int, pattern: str) -> tuple[EventRecord, ...]:
        """Events since the execution started that fit, in the order in which they came."""
        return tuple(
            rows.event_record(data, pos)
            for pos, type_, data in self._sql.all("events_since", (organization, born, eid))
            if matches(pattern, type_)
        )

    def _candidates(self, event: EventRecord, organization: str, type_: str) -> p.Candidates:
        patterns = [
            pattern
            for (pattern,) in self._sql.all("patterns", {"organization": organization})
            if matches(pattern, type_)
        ]
        executions = dict.fromkeys(
            execution
            for pattern in patterns
            for (execution,) in self._sql.all("waiting_for", (organization, pattern, event.pos))
        )
        workflows = tuple(
            (digest, number, workflow)
            for digest, number, workflow, pattern in self._sql.all("subscribed", (organization,))
            if matches(pattern, type_)
        )
        return p.Candidates(event, tuple(executions), workflows)

    def feed(self, after: int, limit: int, organization: str | None) -> list[p.Told]:
        return [
            p.Told(pos, execution, of, seq, kind, self.fact_of(eid, (seq, parts, data)))
            for pos, eid, execution, of, seq, kind, parts, data in self._fed(after, limit, organization)
        ]

    def _fed(self, after: int, limit: int, organization: str | None) -> list[Any]:
        if organization is None:
            return self._sql.all("feed", (after, limit))
        return self._sql.all("feed_of", (after, organization, limit))

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
            case _:
                assert_never(ref)


def _mail(letters: list[tuple[int, str]]) -> tuple[p.Mail, ...] | p.Unreadable:
    try:
        return tuple(p.Mail(pos, rows.event_of(data)) for pos, data in letters)
    except msgspec.DecodeError as error:
        return p.Unreadable(f"its mail: {error}")
