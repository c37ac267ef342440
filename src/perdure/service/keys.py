"""API keys: made, listed, revoked, and what a request that carries one may do.

A key is `prd_<id>_<secret>_<sum>`: the id is what people call it by, the secret has 256 bits, and the sum tells a mistyped key
from a wrong one without asking the database. Kept is its hash alone; whoever makes it sees it once. It belongs to one member of
one organization, and may do what that member may, or less: its scopes are roles, of which only those count that the member has.
One that is limited decides approvals only with `approver` or `admin` among its scopes, also those that its member is asked.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Final, Literal, TypeAlias
from zlib import crc32

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from perdure.expressions.times import LAST_MS, iso
from perdure.hosts.embedded import Host
from perdure.model.problem import Problem
from perdure.service.acting import ROLES, Actor, Member, Role, acting, by, find_member, needs, plain
from perdure.service.errors import Conflict, Forbidden, NotFound, Refused
from perdure.service.given import check_numbers, check_texts
from perdure.service.paging import Page
from perdure.service.tokens import (
    ID_LENGTH,
    LETTERS,
    SECRET_LENGTH,
    Rounds,
    Trusted,
    every_card,
    new_id,
    new_secret,
    token_hash,
)
from perdure.store.questions import Questions
from perdure.store.registers import Card, Needs, WriteCard

KEYS: Final = "keys"
PREFIX: Final = "prd"
SUM_LENGTH: Final = 6
NEVER: Final = 2**63
KEPT_MS: Final = 30 * 86_400_000
"""So long a key that has expired is kept, should the clock have been wrong."""

Over: TypeAlias = Literal["expired", "its member is gone"]
"""Why a key is over that nobody has revoked."""


class Key(Struct, frozen=True):
    """What may be known of one. `scopes`: the roles that it is limited to; none: whatever its member has."""

    id: str
    organization: str
    member: str
    scopes: tuple[Role, ...]
    created_at: int
    created_by: str
    expires_at: int | None = None
    name: str | None = None
    last_used_at: int | None = None
    """To a minute."""


class IssuedKey(Struct, frozen=True):
    """A key with what is shown once."""

    key: Key
    token: str

    def __repr__(self) -> str:
        return f"IssuedKey({self.key!r})"


class Caller(Struct, frozen=True):
    """Who asks: a member, with no more roles than its key has."""

    member: Member
    key: str | None = None

    @property
    def organization(self) -> str:
        return self.member.organization


class KeyData(Struct, frozen=True, rename="camel", omit_defaults=True):
    """What the card of a key holds."""

    id: str
    member: str
    created_at: int
    created_by: str
    scopes: tuple[Role, ...] = ()
    expires_at: int | None = None
    name: str | None = None


class Keys:
    def __init__(self, host: Host) -> None:
        self._host = host
        self._trusted, self._rounds = Trusted[Caller](), Rounds(KEYS)

    async def create(
        self,
        member: str,
        *,
        scopes: Iterable[str] = (),
        expires_at: int | None = None,
        name: str | None = None,
        organization: str = "default",
        actor: Actor = None,
    ) -> IssuedKey:
        """A new key for a member. Its token is in the answer, and nowhere else. An actor has to be an admin, or that member; what
        they ask with may be limited, or end, and then the new key is, or does so too.

        Raises `NotFound` if there is no such member, and `Refused` with all that is wrong.
        """
        check_texts(member=member, name=name, organization=organization)
        check_numbers(expires_at=expires_at)
        wanted = _checked(scopes, expires_at, self._host.now_ms())

        def look(store: Questions) -> tuple[int | None, Needs]:
            who = acting(store, organization, actor)
            _require_no_more(who, member, wanted)
            until = _no_longer(who, expires_at)
            found = find_member(store, organization, member)
            if found is None:
                raise NotFound(f"there is no member {member!r} in organization {organization!r}; add them first")
            return until, needs(found) if who is None or who.id == member else (*needs(found), *needs(who))

        until, needed = await self._host.read(look, organization)
        at, token = self._host.now_ms(), _new_token()
        await self._sweep(organization, at)  # before it: should this go wrong, nobody has lost what is shown once
        data = KeyData(_id(token), member, at, by(actor), wanted, until, name)
        details = {"id": data.id, "member": member, "scopes": list(wanted)}
        await self._write(token_hash(token), data, "key.created", organization, actor, at, details, 0, needed)
        return IssuedKey(_key(data, organization), token)

    async def list(self, *, organization: str = "default", actor: Actor = None) -> Page[Key]:
        """The oldest first, without those that are over. An actor sees their own; an admin, all."""
        check_texts(organization=organization)
        now = self._host.now_ms()

        def look(store: Questions) -> tuple[Key, ...]:
            who = acting(store, organization, actor)
            uses = store.key_uses(organization)
            found = [
                replace(_key(data, organization), last_used_at=uses.get(data.id))
                for _, data in every_card(store, organization, KEYS, KeyData)
                if who is None or who.is_admin or data.member == who.id
                if not isinstance(_whose(store, organization, data, now), str)
            ]
            return tuple(sorted(found, key=lambda each: (each.created_at, each.id)))

        return Page(await self._host.read(look, organization))

    async def revoke(self, id: str, *, organization: str = "default", actor: Actor = None) -> None:
        """Requests with it are refused from now on; in other processes, within a second. An actor has to be an admin, or whose
        key it is; one who asks with a limited key revokes none that may do more. Raises `NotFound`.
        """
        check_texts(id=id, organization=organization)

        def look(store: Questions) -> tuple[Card, KeyData, Needs]:
            who = acting(store, organization, actor)
            for card, data in every_card(store, organization, KEYS, KeyData):
                if data.id == id:
                    if who is not None and not who.is_admin and who.id != data.member:
                        raise Forbidden(f"{who.id} may not revoke keys of others; an admin may")
                    if who is not None and not who.is_admin and not who.may_end(data.scopes):
                        raise Forbidden(f"{who.id} asks with a key that is limited, and this one may do more")
                    return card, data, needs(who)
            raise NotFound(f"there is no key {id!r} in organization {organization!r}; `perdure keys list` shows them")

        card, data, needed = await self._host.read(look, organization)
        details = {"id": data.id, "member": data.member}
        await self._write(
            card.id, None, "key.revoked", organization, actor, self._host.now_ms(), details, card.revision, needed
        )
        self._trusted.forget(card.id)

    async def exist(self) -> bool:
        """Whether there is a key of any organization."""
        return bool(await self._host.read(lambda store: store.all_cards(KEYS, ("", ""), 1)))

    async def caller(self, token: str) -> Caller | None:
        """Who asks with it. None: it is no key, or not any more."""
        return await self.caller_by_hash(token_hash(token)) if is_well_formed(token) else None

    async def caller_by_hash(self, hashed: str) -> Caller | None:
        """The same, where the key itself is not known: of a session that was begun by it."""
        now = self._host.now_ms()
        return await self._trusted.find(
            hashed, now, lambda: self._host.read(lambda store: find_caller(store, hashed, now))
        )

    def look_again(self) -> None:
        """What is known of members has changed here: nobody is believed to be who they were."""
        self._trusted.forget_all()

    async def _sweep(self, organization: str, now: int) -> None:
        """Take out some of those that are over, and have been for long. By a wrong clock, valid ones would be."""
        if not await self._host.trusts_clock():
            return

        def look(store: Questions) -> list[tuple[Card, KeyData, Over]]:
            some = self._rounds.next(store, organization, KeyData)
            judged = ((card, data, _whose(store, organization, data, now - KEPT_MS)) for card, data in some)
            return [(card, data, found) for card, data, found in judged if isinstance(found, str)]

        for card, data, why in await self._host.read(look, organization):
            details = {"id": data.id, "member": data.member, "why": why}
            with suppress(Conflict):  # another process sweeps as well
                await self._write(card.id, None, "key.ended", organization, None, now, details, card.revision, ())

    async def _write(
        self,
        id_: str,
        data: KeyData | None,
        action: str,
        organization: str,
        actor: Actor,
        at: int,
        details: Mapping[str, object],
        after: int,
        needed: Needs,
    ) -> None:
        await self._host.commit(
            WriteCard(
                KEYS,
                id_,
                None if data is None else plain(data),
                at,
                by(actor),
                action,
                organization,
                after,
                details,
                self._host.shell.worker,
                needed,
            )
        )


def is_well_formed(token: str) -> bool:
    """Whether it could be a key at all: what is mistyped is not, and what only looks like one is rarely."""
    body, _, sum_ = token.rpartition("_")
    return len(token) == _LENGTH and token.isascii() and token.startswith(f"{PREFIX}_") and sum_ == _sum(body)


_LENGTH: Final = len(PREFIX) + ID_LENGTH + SECRET_LENGTH + SUM_LENGTH + 3


def _new_token() -> str:
    body = f"{PREFIX}_{new_id()}_{new_secret()}"
    return f"{body}_{_sum(body)}"


def _sum(body: str) -> str:
    number, letters = crc32(body.encode("utf-8", "replace")), ""
    for _ in range(SUM_LENGTH):
        number, rest = divmod(number, len(LETTERS))
        letters += LETTERS[rest]
    return letters


def _id(token: str) -> str:
    return token.split("_")[1]


def _checked(scopes: Iterable[str], expires_at: int | None, now: int) -> tuple[Role, ...]:
    known: dict[str, Role] = dict(zip(ROLES, ROLES, strict=True))  # type: ignore[arg-type]
    given = tuple(dict.fromkeys(scopes))
    problems = [
        Problem("invalid_scope", f"{each!r} is no scope; there are {', '.join(ROLES)}", "/scopes", field="scopes")
        for each in given
        if each not in known
    ]
    if expires_at is not None and expires_at > LAST_MS:
        message = "a key expires in the year 9999 at the latest; give an earlier time, or none: then it does not expire"
        problems.append(Problem("invalid_time", message, "/expiresAt", field="expiresAt"))
    if expires_at is not None and expires_at <= now:
        problems.append(Problem("invalid_time", "a key expires in the future", "/expiresAt", field="expiresAt"))
    if problems:
        raise Refused(problems, what="the key cannot be made so")
    return tuple(known[each] for each in given)


def _require_no_more(who: Member | None, member: str, scopes: tuple[Role, ...]) -> None:
    """Nobody gets more by a new key than they have with what they ask with. An admin has everything."""
    if who is None or who.is_admin:
        return
    if who.id != member:
        raise Forbidden(f"{who.id} may not make keys for others; an admin may")
    if who.scopes and not (scopes and set(scopes) <= set(who.scopes)):
        raise Forbidden(
            f"{who.id} asks with a key that is limited, and may make others for no more: name scopes that are among "
            f"{', '.join(who.scopes)}"
        )


def _no_longer(who: Member | None, expires_at: int | None) -> int | None:
    """When the new key ends: no later than what it is made with, also for an admin, who could make one for anybody else."""
    if who is None or who.until is None:
        return expires_at
    if expires_at is not None and expires_at > who.until:
        raise Forbidden(
            f"{who.id} asks with what ends at {iso(who.until)}, and so does every key that is made with it, at the latest: name "
            "a time before that, or none"
        )
    return who.until if expires_at is None else expires_at


def _key(data: KeyData, organization: str) -> Key:
    return Key(
        data.id, organization, data.member, data.scopes, data.created_at, data.created_by, data.expires_at, data.name
    )


def find_caller(store: Questions, hashed: str, now: int) -> tuple[Caller | None, int]:
    """Whose key it is, by its hash, and until when at most that is so."""
    card = store.card_anywhere(KEYS, hashed)
    if card is None:
        return None, NEVER
    data = msgspec.convert(card.data, KeyData)
    member = _whose(store, card.organization, data, now)
    if isinstance(member, str):
        return None, NEVER
    over = NEVER if data.expires_at is None else data.expires_at
    return Caller(member.limited(data.scopes, data.expires_at), data.id), over


def _whose(store: Questions, organization: str, data: KeyData, now: int) -> Member | Over:
    """Whose key it is, or why it is over."""
    if data.expires_at is not None and now >= data.expires_at:
        return "expired"
    member = find_member(store, organization, data.member)
    return "its member is gone" if member is None or data.created_at < member.since else member
