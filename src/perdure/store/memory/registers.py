"""Registers and the audit in memory."""

from __future__ import annotations

from msgspec.structs import replace

from perdure.store import port as p
from perdure.store.memory.tables import Tables
from perdure.store.registers import (
    FIRST,
    AuditEntry,
    Card,
    Needs,
    WriteCard,
    approval_of,
    entry_of,
    guard,
    is_sent_again,
    lacks,
)


def write(tables: Tables, item: WriteCard) -> p.Outcome:
    place = (item.register, item.organization, item.id)
    there = tables.cards_by_place.get(place)
    if is_sent_again(item, there):
        return p.Committed()
    refused = guard(item, there) or lacking(tables, item.organization, item.needs)
    if refused is not None:
        return p.GuardFailed(refused)
    if item.data is None:
        tables.cards_by_place.pop(place, None)
    else:
        revision = 1 if there is None else there.revision + 1
        tables.cards_by_place[place] = Card(item.register, item.id, item.data, revision, item.at, item.organization)
    enter(tables, item)
    for each in item.also:
        write(tables, each)
    return p.Committed()


def lacking(tables: Tables, organization: str, needs: Needs) -> str | None:
    """Why the cards that are needed are not as they were, if so."""
    needed = ((each, tables.cards_by_place.get((each[0], organization, each[1]))) for each in needs)
    found = (lacks(each, card) for each, card in needed)
    return next((why for why in found if why is not None), None)


def enter(tables: Tables, item: WriteCard) -> None:
    """Say in the audit who did what, and nothing else."""
    chain = (item.organization, item.writer)
    last = next((each for each in reversed(tables.audited) if (each.organization, each.writer) == chain), None)
    newest = next((each for each in reversed(tables.audited) if each.organization == item.organization), None)
    number, before = (0, FIRST) if last is None else (last.number, last.hash)
    seen = None if newest is None else (newest.writer, newest.number, newest.hash)
    entry = entry_of(item, number + 1, before, seen)
    tables.audited.append(replace(entry, place=len(tables.audited) + 1))


def anywhere(tables: Tables, register: str, id_: str) -> Card | None:
    return next(
        (card for card in tables.cards_by_place.copy().values() if (card.register, card.id) == (register, id_)), None
    )


def page(tables: Tables, organization: str, register: str, after: str, limit: int) -> list[Card]:
    found = [
        card
        for card in of_all(tables, register, ("", ""), len(tables.cards_by_place))
        if card.organization == organization
    ]
    return [card for card in found if card.id > after][:limit]


def of_all(tables: Tables, register: str, after: tuple[str, str], limit: int) -> list[Card]:
    found = [card for card in tables.cards_by_place.copy().values() if card.register == register]
    ordered = sorted(found, key=lambda card: (card.organization, card.id))
    return [card for card in ordered if (card.organization, card.id) > after][:limit]


def audit(tables: Tables, organization: str, before: int | None, limit: int) -> list[AuditEntry]:
    found = [entry for entry in reversed(tables.audited.copy()) if entry.organization == organization]
    return [entry for entry in found if before is None or entry.place < before][:limit]


def of_approval(tables: Tables, organization: str, approval: str, after: int, limit: int) -> list[AuditEntry]:
    found = (
        each for each in tables.audited.copy() if (each.organization, approval_of(each)) == (organization, approval)
    )
    return [each for each in found if each.place > after][:limit]
