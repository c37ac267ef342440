"""Whether the entries of the audit are the chains that they were written as."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from perdure.store.registers import FIRST, AuditEntry, sealed
from perdure.store.sql.statements import Statements


def broken_chains(sql: Statements) -> Iterator[tuple[str, str]]:
    """The first entry of each chain that does not fit: whose it is, and which."""
    chain, number, before, is_broken = ("", ""), 0, FIRST, False
    for organization, writer, place, data in sql.each("entries_of_audit"):
        if (organization, writer) != chain:
            chain, number, before, is_broken = (organization, writer), 0, FIRST, False
        number += 1
        if is_broken:
            continue
        entry = _entry(data)
        is_broken = entry is None or (place, sealed(entry, before).hash) != (number, entry.hash)
        if is_broken:
            yield organization, f"entry {place} of {writer or 'nobody'}: it does not follow from the one before it"
        before = "" if entry is None else entry.hash


def _entry(data: str) -> AuditEntry | None:
    try:
        return msgspec.json.decode(data, type=AuditEntry)
    except msgspec.DecodeError:
        return None
