"""Whether the entries of the audit are the chains that they were written as, to their ends, and all of them are there."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from operator import itemgetter
from typing import Any

import msgspec

from perdure.store.registers import FIRST, AuditEntry, approval_of, sealed
from perdure.store.sql.statements import Statements


def broken_chains(sql: Statements) -> Iterator[tuple[str, str]]:
    """Whose it is and what is wrong: the first entry of each chain that does not fit, ends that are missing, whole chains, and
    entries that others have seen.
    """
    for (organization, writer), entries in groupby(sql.each("entries_of_audit"), key=itemgetter(0, 1)):
        wrong = _first_wrong(sql, organization, writer or "nobody", entries)
        if wrong is not None:
            yield organization, wrong
    for organization, writer, count in sql.each("chains_without_entries"):
        yield organization, f"all {count} entries of {writer or 'nobody'} are missing"


def _first_wrong(sql: Statements, organization: str, writer: str, entries: Iterator[Any]) -> str | None:
    number, before = 0, FIRST
    kept: tuple[Any, ...] = (None, None)
    for _, _, place, data, *kept_of_chain, approval in entries:
        number, kept = number + 1, tuple(kept_of_chain)
        entry = _entry(data)
        if entry is None or (place, sealed(entry, before).hash) != (number, entry.hash):
            return f"entry {place} of {writer}: it does not follow from the one before it"
        if approval_of(entry) != approval:
            return f"entry {place} of {writer}: it is not found by the approval that it is about"
        unseen = _unseen(sql, organization, entry)
        if unseen is not None:
            return f"entry {place} of {writer} was written after {unseen}"
        before = entry.hash
    if kept == (None, None):
        return f"the row of {writer} in audit_chains is missing, which says how far its {number} entries go"
    if kept != (number, before):
        return f"{writer} has written {kept[0]} entries, and {number} are there, or the last one is another"
    return None


def _unseen(sql: Statements, organization: str, entry: AuditEntry) -> str | None:
    """What another entry, which this one has seen, has come to since."""
    if entry.seen is None:
        return None
    writer, number, hash_ = entry.seen
    found = sql.one("entry_of_audit", (organization, writer, number))
    there = None if found is None else _entry(found[0])
    if there is not None and there.hash == hash_:
        return None
    return f"entry {number} of {writer or 'nobody'}, which is {'missing' if found is None else 'another one now'}"


def _entry(data: str) -> AuditEntry | None:
    try:
        return msgspec.json.decode(data, type=AuditEntry)
    except msgspec.DecodeError:
        return None
