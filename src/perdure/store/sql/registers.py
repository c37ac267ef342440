"""Registers and the audit in a database."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

import msgspec
from msgspec.structs import replace

from perdure.store import port as p
from perdure.store.registers import (
    FIRST,
    AuditEntry,
    Card,
    Needs,
    Seen,
    WriteCard,
    approval_of,
    entry_of,
    guard,
    is_sent_again,
    lacks,
)
from perdure.store.sql import rows
from perdure.store.sql.statements import Statements

NEWEST = (1 << 63) - 1

Place: TypeAlias = tuple[str, str, str]
"""The register, the organization and the id of a card."""


class SqlRegisters:
    def __init__(self, statements: Statements) -> None:
        self._sql = statements

    def write(self, item: WriteCard) -> p.Outcome:
        place = (item.register, item.organization, item.id)
        beside = [(each.register, each.organization, each.id) for each in item.also]
        self._take(item.organization, item.needs, place, *beside)
        there = self.card(item.organization, item.register, item.id)
        if is_sent_again(item, there):
            return p.Committed()
        refused = guard(item, there) or self._lacking(item.organization, item.needs)
        if refused is not None:
            return p.GuardFailed(refused)
        if item.data is None:
            self._sql.run("remove_card", place)
        else:
            revision = 1 if there is None else there.revision + 1
            self._sql.run("put_card", (*place, revision, item.at, rows.text(item.data)))
        self.enter(item)
        for each in item.also:
            self.write(each)
        return p.Committed()

    def lacking(self, organization: str, needs: Needs) -> str | None:
        """Why the cards that are needed are not as they were, if so. If they are, they stay so until all is written."""
        self._take(organization, needs)
        return self._lacking(organization, needs)

    def _take(self, organization: str, needs: Needs, *more: Place) -> None:
        for called in in_order({*more, *needed(organization, needs)}):
            self._sql.run("take_card", (called,))

    def _lacking(self, organization: str, needs: Needs) -> str | None:
        found = (lacks(each, self.card(organization, each[0], each[1])) for each in needs)
        return next((why for why in found if why is not None), None)

    def enter(self, item: WriteCard) -> None:
        """Say in the audit who did what, and nothing else."""
        self._sql.run("take_card", (f"audit:{item.organization}:{item.writer}",))
        number, before, newest = self._ends(item.organization, item.writer)
        entry = entry_of(item, number + 1, before, newest)
        chain = (item.organization, item.writer, entry.number)
        self._sql.run("insert_entry", (*chain, rows.text(entry), approval_of(entry)))
        self._sql.run("keep_chain", (*chain, entry.hash))

    def _ends(self, organization: str, writer: str) -> tuple[int, str, Seen | None]:
        """How many entries a writer has written, the hash of the last, and the newest entry of all. What is kept of a chain and
        its entries agree, unless somebody has taken something out: then it goes on after whichever is further, and it shows.
        """
        ends: list[tuple[int, str]] = [(0, FIRST)]
        newest = None
        for what, whose, number, told in self._sql.all(
            "ends_of_chains", {"organization": organization, "writer": writer}
        ):
            if what == "newest":
                newest = (whose, number, hash_of(told))
            else:
                ends.append((number, told if what == "kept" else hash_of(told)))
        return *max(ends, key=lambda end: end[0]), newest

    def card(self, organization: str, register: str, id_: str) -> Card | None:
        return _card(self._sql.one("card", (register, organization, id_)))

    def card_mark(self, organization: str, register: str, id_: str) -> tuple[int, int] | None:
        found: tuple[int, int] | None = self._sql.one("card_mark", (register, organization, id_))
        return found

    def card_anywhere(self, register: str, id_: str) -> Card | None:
        return _card(self._sql.one("card_anywhere", (register, id_)))

    def cards(self, organization: str, register: str, after: str, limit: int) -> list[Card]:
        return [_card_of(*row) for row in self._sql.all("cards", (register, organization, after, limit))]

    def all_cards(self, register: str, after: tuple[str, str], limit: int) -> list[Card]:
        return [_card_of(*row) for row in self._sql.all("all_cards", (register, *after, limit))]

    def audit(self, organization: str, before: int | None, limit: int) -> list[AuditEntry]:
        found = self._sql.all("entries", (organization, NEWEST if before is None else before, limit))
        return [replace(_entry(data), place=pos) for pos, data in found]

    def audit_of_approval(self, organization: str, approval: str, after: int, limit: int) -> list[AuditEntry]:
        found = self._sql.all("entries_about_approval", (organization, approval, after, limit))
        return [replace(_entry(data), place=pos) for pos, data in found]


def needed(organization: str, needs: Needs) -> list[Place]:
    return [(register, organization, id_) for register, id_, _ in needs]


def in_order(cards: Iterable[Place]) -> list[str]:
    """What they are taken by, in the one order in which everybody takes them: nobody waits in a circle."""
    return sorted({":".join(card) for card in cards})


def _card(row: tuple[str, str, str, int, int, str] | None) -> Card | None:
    return None if row is None else _card_of(*row)


def _card_of(register: str, id_: str, data: str, revision: int, changed_at: int, organization: str) -> Card:
    return Card(register, id_, msgspec.json.decode(data), revision, changed_at, organization)


def _entry(data: str) -> AuditEntry:
    return msgspec.json.decode(data, type=AuditEntry)


def hash_of(data: str) -> str:
    """That of an entry; of what is none, there is none. What somebody has broken keeps nobody from writing."""
    try:
        return _entry(data).hash
    except msgspec.DecodeError:
        return ""
