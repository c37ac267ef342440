"""Members of an organization: added, changed, removed by its admins, or by the program itself. Each change is audited with it.

An organization that has an admin always keeps one: whoever takes the role from the last is refused, also if two do it at once.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Final

import msgspec
from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from perdure.expressions.wording import nearest, shown
from perdure.hosts.embedded import Host
from perdure.model.problem import Problem
from perdure.model.values import Json
from perdure.service import paging
from perdure.service.acting import (
    MEMBERS,
    PROGRAM,
    ROLES,
    Actor,
    Member,
    MemberData,
    acting,
    acting_admin,
    by,
    find_member,
    member_of,
    needs,
    plain,
)
from perdure.service.errors import Conflict, NotFound, Outdated, Refused
from perdure.service.given import check_numbers, check_texts, is_whole
from perdure.service.paging import LIMIT, Page
from perdure.store import port as p
from perdure.store.questions import Questions
from perdure.store.registers import WriteCard

NAME_MAX: Final = 200
TRIES: Final = 10
"""So often a change is tried anew that others have come before."""
_RESERVED: Final = ("system", PROGRAM, "dev")
EMAIL: Final = re.compile(r"[^\s@<>,;]+@[^\s@<>,;]+")


class Members:
    """`on_changed` are told when somebody may do something else than before, or is gone, and that is durable."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self.on_changed: list[Callable[[], None]] = []

    def _changed(self) -> None:
        for tell in self.on_changed:
            tell()

    async def add(
        self,
        id: str,
        *,
        roles: Iterable[str] = ("viewer",),
        groups: Iterable[str] = (),
        email: str | None = None,
        name: str | None = None,
        organization: str = "default",
        actor: Actor = None,
    ) -> Member:
        """Raises `Conflict` if there is such a member already."""
        data = _checked(id, _several("roles", roles), _several("groups", groups), email, name)
        check_texts(organization=organization)
        for _ in range(TRIES):
            may = await self._host.read(
                lambda store: acting_admin(store, organization, actor, "add members"), organization
            )
            if await self._host.read(lambda store: find_member(store, organization, id), organization) is not None:
                taken = f"there is a member {id!r} in organization {organization!r} already"
                raise Conflict(f"{taken}; change it instead: `perdure members set`")
            data = replace(data, since=self._host.now_ms())
            item = self._card(organization, id, data, "member.added", actor, 0, needs(may), None)
            if isinstance(await self._host.shell.commit(item), p.Committed):
                return await self.get(id, organization=organization)
        raise _too_many_at_once(id)

    async def change(
        self,
        id: str,
        *,
        roles: Iterable[str] | UnsetType = UNSET,
        groups: Iterable[str] | UnsetType = UNSET,
        email: str | UnsetType | None = UNSET,
        name: str | UnsetType | None = UNSET,
        if_revision: int | None = None,
        organization: str = "default",
        actor: Actor = None,
    ) -> Member:
        """What is not given stays. Raises `NotFound`; `Conflict` if no admin would be left; `Outdated` if it is not at
        `if_revision` any more.
        """
        check_texts(id=id, organization=organization)
        check_numbers(if_revision=if_revision)
        given_roles = roles if isinstance(roles, UnsetType) else _several("roles", roles)
        given_groups = groups if isinstance(groups, UnsetType) else _several("groups", groups)
        for _ in range(TRIES):
            there, needed = await self._host.read(
                lambda store: _prepared(store, organization, id, actor, "change members"), organization
            )
            _refuse_if_outdated(there, if_revision)
            data = _checked(
                id,
                there.roles if isinstance(given_roles, UnsetType) else given_roles,
                there.groups if isinstance(given_groups, UnsetType) else given_groups,
                there.email if isinstance(email, UnsetType) else email,
                there.name if isinstance(name, UnsetType) else name,
            )
            data = replace(data, since=there.since)
            if _told(data) == _told(there):  # nothing was done that an audit could tell of
                return there
            if there.is_admin and "admin" not in data.roles:
                needed += await self._host.read(lambda store: _another_admin(store, organization, id), organization)
            item = self._card(organization, id, data, "member.changed", actor, there.revision, needed, there)
            if isinstance(await self._host.shell.commit(item), p.Committed):
                self._changed()
                return await self.get(id, organization=organization)
        raise _too_many_at_once(id)

    async def remove(
        self, id: str, *, if_revision: int | None = None, organization: str = "default", actor: Actor = None
    ) -> None:
        """Raises `NotFound`; `Conflict` if no admin would be left; `Outdated` as in `change`."""
        check_texts(id=id, organization=organization)
        check_numbers(if_revision=if_revision)
        for _ in range(TRIES):
            there, needed = await self._host.read(
                lambda store: _prepared(store, organization, id, actor, "remove members"), organization
            )
            _refuse_if_outdated(there, if_revision)
            if there.is_admin:
                needed += await self._host.read(lambda store: _another_admin(store, organization, id), organization)
            item = self._card(organization, id, None, "member.removed", actor, there.revision, needed, there)
            if isinstance(await self._host.shell.commit(item), p.Committed):
                self._changed()
                return
        raise _too_many_at_once(id)

    async def get(self, id: str, *, organization: str = "default", actor: Actor = None) -> Member:
        """Raises `NotFound`."""
        check_texts(id=id, organization=organization)

        def look(store: Questions) -> Member:
            acting(store, organization, actor)
            return _there(store, organization, id)

        return await self._host.read(look, organization)

    async def list(
        self,
        *,
        organization: str = "default",
        limit: int = LIMIT,
        cursor: str | None = None,
        actor: Actor = None,
    ) -> Page[Member]:
        """In the order of their ids."""
        check_texts(organization=organization)
        count = paging.checked(limit)
        (after,) = ("",) if cursor is None else paging.place(cursor, tuple[str])

        def look(store: Questions) -> list[Member]:
            acting(store, organization, actor)
            return [member_of(card) for card in store.cards(organization, MEMBERS, after, count + 1)]

        found = await self._host.read(look, organization)
        return Page(tuple(found[:count]), paging.cursor(found[count - 1].id) if len(found) > count else None)

    def _card(
        self,
        organization: str,
        id_: str,
        data: MemberData | None,
        action: str,
        actor: Actor,
        after: int,
        needed: tuple[tuple[str, str, int], ...],
        before: Member | None,
    ) -> WriteCard:
        new = None if data is None else plain(data)
        details = {
            "before": None if before is None else _told(before),
            "after": None if data is None else _told(data),
        }
        return WriteCard(
            MEMBERS,
            id_,
            new,
            self._host.now_ms(),
            by(actor),
            action,
            organization,
            after,
            details,
            self._host.shell.worker,
            tuple(each for each in needed if each[1] != id_),  # its own revision is asked for anyway
        )


def _refuse_if_outdated(member: Member, if_revision: int | None) -> None:
    if if_revision not in (None, member.revision):
        raise Outdated(f"member {member.id!r} is at revision {member.revision}, not {if_revision} any more; look again")


def _prepared(
    store: Questions, organization: str, id_: str, actor: Actor, what: str
) -> tuple[Member, tuple[tuple[str, str, int], ...]]:
    return _there(store, organization, id_), needs(acting_admin(store, organization, actor, what))


def _there(store: Questions, organization: str, id_: str) -> Member:
    found = find_member(store, organization, id_)
    if found is None:
        known = [member.id for member in every_member(store, organization)]
        hint = nearest(id_, known) or "; `perdure members list` shows those that there are"
        raise NotFound(f"there is no member {id_!r} in organization {organization!r}{hint}")
    return found


def every_member(store: Questions, organization: str) -> Iterator[Member]:
    after = ""
    while cards := store.cards(organization, MEMBERS, after, paging.LIMIT_MAX):
        yield from map(member_of, cards)
        after = cards[-1].id


def _another_admin(store: Questions, organization: str, id_: str) -> tuple[tuple[str, str, int], ...]:
    for member in every_member(store, organization):
        if member.is_admin and member.id != id_:
            return needs(member)
    raise Conflict(
        f"{id_!r} is the only admin of organization {organization!r}, which always keeps one; make another member admin first"
    )


def _checked(
    id_: str, roles: tuple[str, ...], groups: tuple[str, ...], email: str | None, name: str | None
) -> MemberData:
    """All that is wrong with it at once."""
    problems = [
        *_names("id", (id_,)),
        *_names("group", groups),
        *([] if name is None else _names("name", (name,))),
        *(
            Problem(
                "unknown_role",
                f"{shown(role)} is no role; say one of {', '.join(ROLES)}{nearest(role, ROLES)}; "
                "a group, which approverRole names, is given apart",
                "/roles",
            )
            for role in roles
            if role not in ROLES
        ),
    ]
    if id_ in _RESERVED:
        problems.append(Problem("reserved_id", f"{id_!r} is what the engine itself is called; take another id", "/id"))
    if email is not None and (not EMAIL.fullmatch(email) or not is_whole(email)):
        problems.append(
            Problem("invalid_email", f"{shown(email)} is no e-mail address; write one like ann@example.com", "/email")
        )
    if problems:
        raise Refused(problems, what="the member cannot be kept so")
    return msgspec.convert(
        {
            "roles": tuple(role for role in ROLES if role in roles),
            "groups": tuple(dict.fromkeys(groups)),
            "email": email,
            "name": name,
        },
        MemberData,
    )


def _several(what: str, given: Iterable[str]) -> tuple[str, ...]:
    """A text is an iterable of letters, and nobody means that."""
    if isinstance(given, str):
        raise Conflict(f"{what} are several, and {shown(given)} is one text; write {what}=[{shown(given)}]")
    return tuple(given)


def _names(what: str, given: Iterable[str]) -> Iterator[Problem]:
    for text in given:
        if not text or text != text.strip() or len(text) > NAME_MAX or not text.isprintable() or not is_whole(text):
            limits = f"up to {NAME_MAX} characters that can be seen, not blank at the ends"
            message = f"{what} {shown(text)} cannot be kept; write {limits}"
            yield Problem("invalid_name", message, f"/{what}")


def _told(member: Member | MemberData) -> Json:
    return plain(MemberData(member.roles, member.groups, member.email, member.name))


def _too_many_at_once(id_: str) -> Conflict:
    return Conflict(f"others change the members again and again while {id_!r} is written; try again")
