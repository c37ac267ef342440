"""Registers: what an organization keeps beside its workflows, card by card. Its members, its secrets, its webhooks.

A card is JSON under a name in a register. A store does not know what it means; the service does. Every change of a card is an
entry in the audit of its organization, in the same transaction; so is what people do to workflows, executions, approvals and
schedules, which are no cards. Who writes entries chains them: each holds the hash of the one before it; and it names the newest
entry of all others, as it is when it is written, with its hash. How far each chain goes is kept beside it. So none can be changed
or taken out unnoticed by somebody who does not do the same to all of it. No writer waits for another.
"""

from __future__ import annotations

from hashlib import sha256
from typing import Protocol, TypeAlias

import msgspec
from msgspec import Struct

from perdure.model.values import Json

APPROVALS = "approvals"
"""Under which the audit has what was done to them."""

EVENTS = "events"
"""Audit register of events that were declined or routed again."""

FIRST = ""
"""What stands before the first entry of a chain."""


Seen: TypeAlias = tuple[str, int, str]
"""(writer, number, hash) of an entry."""

Needs: TypeAlias = tuple[tuple[str, str, int], ...]
"""(register, id, revision) of cards that have to be as they were."""


class Card(Struct, frozen=True, omit_defaults=True):
    """`revision` counts its changes, from 1."""

    register: str
    id: str
    data: Json
    revision: int
    changed_at: int
    organization: str = "default"


class WriteCard(Struct, frozen=True, gc=False, omit_defaults=True):
    """Put a card into a register, or take it out (`data` is None), and say in the audit who did what.

    after   the revision that it has to have by now; 0: it must not be there. None: whatever is there
    writer  whose chain of entries this goes to: one process, say, that writes one after the other
    needs   (register, id, revision) of other cards that have to be as they were: who does it may still do it, say
    also    what is written with it, or not at all; of the same organization, and without conditions of its own

    Sent again because the answer was lost, it is answered as if it had just been committed. GuardFailed: the card is not at
    revision `after`, or another one not as it is needed.
    """

    register: str
    id: str
    data: Json
    at: int
    by: str
    action: str
    organization: str = "default"
    after: int | None = None
    details: Json = None
    writer: str = ""
    needs: Needs = ()
    also: tuple[WriteCard, ...] = ()


class Doer(Struct, frozen=True, gc=False, omit_defaults=True):
    """Who does something that is no card, for the audit; `writer` and `needs` as in `WriteCard`."""

    by: str
    writer: str = ""
    needs: Needs = ()


class AuditEntry(Struct, frozen=True, omit_defaults=True):
    """Who did what to which card, or to what else, and when. `number` is its place in the chain of its `writer`, from 1; `place`
    that in all. `seen` is the newest entry that there was, if another writer's: its writer, number and hash.
    """

    organization: str
    writer: str
    number: int
    at: int
    by: str
    action: str
    register: str
    subject: str
    details: Json = None
    hash: str = ""
    place: int = 0
    seen: Seen | None = None


def sealed(entry: AuditEntry, before: str) -> AuditEntry:
    """The entry with its hash, which follows from what it says and from the hash of the one before it."""
    plain = msgspec.structs.replace(entry, hash="", place=0)
    return msgspec.structs.replace(
        entry, hash=sha256(before.encode() + msgspec.json.encode(plain, order="sorted")).hexdigest()
    )


def entry_of(item: WriteCard, number: int, before: str, newest: Seen | None) -> AuditEntry:
    """What the audit says of a change, as the next in its chain. `newest`: the newest entry that there is, whosever."""
    seen = None if newest is None or newest[0] == item.writer else newest
    about = (item.register, item.id, item.details)
    entry = AuditEntry(item.organization, item.writer, number, item.at, item.by, item.action, *about, seen=seen)
    return sealed(entry, before)


def approval_of(entry: AuditEntry) -> str | None:
    """The approval that an entry is about, by which it is found."""
    return entry.subject if entry.register == APPROVALS else None


def is_sent_again(item: WriteCard, there: Card | None) -> bool:
    """Whether the card is as this very change would leave it."""
    if there is None or item.data is None:
        return there is None and item.data is None and item.after != 0
    revision = there.revision if item.after is None else item.after + 1
    return (there.data, there.changed_at, there.revision) == (item.data, item.at, revision)


def guard(item: WriteCard, there: Card | None) -> str | None:
    """Why the card cannot be written, if so."""
    revision = 0 if there is None else there.revision
    if item.after in (None, revision):
        return None
    if revision == 0:
        return f"{item.id!r} is not there any more; look again"
    return f"{item.id!r} has been changed since: it is at revision {revision}, not {item.after}; look again"


def lacks(needed: tuple[str, str, int], there: Card | None) -> str | None:
    """Why a card is not as it was, if so."""
    register, id_, revision = needed
    if there is not None and there.revision == revision:
        return None
    return f"{id_!r} of {register} has been changed since; look again"


class Registers(Protocol):
    """What every reader answers about registers."""

    def card(self, organization: str, register: str, id_: str) -> Card | None: ...

    def card_mark(self, organization: str, register: str, id_: str) -> tuple[int, int] | None:
        """The revision of a card and when it was changed, for whoever knows what it says then."""
        ...

    def card_anywhere(self, register: str, id_: str) -> Card | None:
        """Of whichever organization: for ids that nobody can guess, the hash of a token say."""
        ...

    def cards(self, organization: str, register: str, after: str, limit: int) -> list[Card]:
        """In the order of their ids, those after `after`."""
        ...

    def all_cards(self, register: str, after: tuple[str, str], limit: int) -> list[Card]:
        """Of all organizations, in the order of these and their ids: those after (organization, id)."""
        ...

    def audit(self, organization: str, before: int | None, limit: int) -> list[AuditEntry]:
        """The newest first; those before a place."""
        ...

    def audit_of_approval(self, organization: str, approval: str, after: int, limit: int) -> list[AuditEntry]:
        """What was done to one approval, the oldest first; those after a place."""
        ...
