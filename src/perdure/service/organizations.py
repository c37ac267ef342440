"""Organizations: what everything belongs to. One need not be added to be used; `default` is there from the beginning.

To add one gives it a name, and makes it one that is listed. `default` is called so until it is given another name, and is listed
from then on. Only the program itself adds them: nobody is a member of all.
"""

from __future__ import annotations

from typing import Final

from msgspec import Struct

from perdure.hosts.embedded import Host
from perdure.model.problem import Problem
from perdure.service import paging
from perdure.service.acting import Actor, acting, acting_admin, by, needs, plain
from perdure.service.errors import Conflict, NotFound, Refused
from perdure.service.given import check_texts
from perdure.service.paging import LIMIT, Page
from perdure.store import port as p
from perdure.store.questions import Questions
from perdure.store.registers import AuditEntry, Card, WriteCard

ORGANIZATIONS: Final = "organizations"
DEFAULT: Final = "default"
NAME_MAX: Final = 200


class Organization(Struct, frozen=True):
    id: str
    name: str
    changed_at: int = 0


class OrganizationData(Struct, frozen=True):
    """Data of the card of an organization."""

    name: str


class Organizations:
    def __init__(self, host: Host) -> None:
        self._host = host

    async def add(self, id: str, *, name: str | None = None) -> Organization:
        """Raises `Conflict` if there is such an organization already."""
        await self._write(id, name or id, "organization.added", None, 0)
        return await self.get(id)

    async def change(self, id: str, *, name: str, actor: Actor = None) -> Organization:
        """Raises `NotFound`. An actor has to be an admin of it."""
        check_texts(id=id)
        card, may = await self._host.read(
            lambda store: (_there(store, id), acting_admin(store, id, actor, "rename the organization")), id
        )
        await self._write(id, name, "organization.changed", actor, card.revision, needs(may))
        return await self.get(id)

    async def get(self, id: str, *, actor: Actor = None) -> Organization:
        """Raises `NotFound`."""
        check_texts(id=id)

        def look(store: Questions) -> Organization:
            acting(store, id, actor)
            return _organization(_there(store, id))

        return await self._host.read(look, id)

    async def list(self, *, limit: int = LIMIT, cursor: str | None = None) -> Page[Organization]:
        """Those that have been added, in the order of their ids; `default`, if it has been given a name."""
        count = paging.checked(limit)
        (after,) = ("",) if cursor is None else paging.place(cursor, tuple[str])
        found = await self._host.read(lambda store: store.all_cards(ORGANIZATIONS, (after, after), count + 1))
        items = tuple(_organization(card) for card in found[:count])
        return Page(items, paging.cursor(items[-1].id) if len(found) > count else None)

    async def _write(
        self,
        id_: str,
        name: str,
        action: str,
        actor: Actor,
        after: int,
        needed: tuple[tuple[str, str, int], ...] = (),
    ) -> None:
        problems = [
            Problem(
                "invalid_name",
                f"the {what} of an organization has 1 to {NAME_MAX} characters that can be seen",
                f"/{what}",
            )
            for what, text in (("id", id_), ("name", name))
            if not text.strip() or len(text) > NAME_MAX or not text.isprintable()
        ]
        if problems:
            raise Refused(problems, what="the organization cannot be kept so")
        check_texts(id=id_, name=name)
        item = WriteCard(
            ORGANIZATIONS,
            id_,
            plain(OrganizationData(name)),
            self._host.now_ms(),
            by(actor),
            action,
            id_,
            after,
            {"name": name},
            self._host.shell.worker,
            needed,
        )
        outcome = await self._host.shell.commit(item)
        if isinstance(outcome, p.GuardFailed):
            taken = f"there is an organization {id_!r} already; change it instead"
            raise Conflict(taken if action == "organization.added" else outcome.reason)


class Audit:
    """Who did what, and when. It is written with what was done, and never changed."""

    def __init__(self, host: Host) -> None:
        self._host = host

    async def list(
        self,
        *,
        organization: str = "default",
        limit: int = LIMIT,
        cursor: str | None = None,
        actor: Actor = None,
    ) -> Page[AuditEntry]:
        """The newest first. An actor has to be an admin."""
        check_texts(organization=organization)
        count = paging.checked(limit)
        (before,) = (None,) if cursor is None else paging.place(cursor, tuple[int])

        def look(store: Questions) -> list[AuditEntry]:
            acting_admin(store, organization, actor, "read the audit")
            return store.audit(organization, before, count + 1)

        found = await self._host.read(look, organization)
        return Page(tuple(found[:count]), paging.cursor(found[count - 1].place) if len(found) > count else None)


def _there(store: Questions, id_: str) -> Card:
    card = store.card(id_, ORGANIZATIONS, id_)
    if card is not None:
        return card
    if id_ == DEFAULT:
        return Card(ORGANIZATIONS, DEFAULT, {"name": DEFAULT}, 0, 0)
    raise NotFound(f"there is no organization {id_!r}; add it first")


def _organization(card: Card) -> Organization:
    data = card.data
    assert isinstance(data, dict)
    return Organization(card.id, data["name"], card.changed_at)
