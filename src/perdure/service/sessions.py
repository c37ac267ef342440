"""Sessions of browsers: begun by a key, or by somebody whom a provider vouches for; listed, ended, and who asks within one.

A session is kept as a card, as a key is: by the hash of what the browser has, so that whoever reads the database can ask
nothing with it. Before the hash stands whose it is (`_place`), also in what the browser has: so the sessions of a member stand
together, and nobody who signs in waits for a look at those of all others. It belongs to one member of one organization. One
that was begun by a key does what that key may, and is over with it; otherwise it is over after its time, however much it is
used. Every beginning and every end is in the audit.

What a page sends with each change (`csrf_token`) follows from what the browser has, and is kept nowhere.
"""

from __future__ import annotations

import hmac
import re
from collections.abc import Iterable
from contextlib import suppress
from hashlib import sha256
from typing import Final, Literal, TypeAlias

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from perdure.hosts.embedded import Host
from perdure.service.acting import PROGRAM, Actor, Member, acting, by, find_member, needs, plain
from perdure.service.errors import Conflict, Forbidden, NotFound
from perdure.service.given import check_texts
from perdure.service.keys import KEYS, NEVER, Caller, Keys, find_caller, is_well_formed
from perdure.service.paging import Page
from perdure.service.tokens import ID_LENGTH, SECRET_LENGTH, Rounds, Trusted, every_card, new_id, new_secret, token_hash
from perdure.store.questions import Questions
from perdure.store.registers import Card, Needs, WriteCard

SESSIONS: Final = "sessions"
OF_A_MEMBER_MAX: Final = 100
"""Whoever begins another one ends the oldest of theirs."""

PLACE_LENGTH: Final = 8
_TOKEN: Final = re.compile(rf"[a-z0-9]{{{PLACE_LENGTH + ID_LENGTH}}}_[A-Za-z0-9]{{{SECRET_LENGTH}}}")

Over: TypeAlias = Literal["expired", "its member is gone", "its key is gone"]
"""Why a session is over that nobody has ended."""

Cards: TypeAlias = Iterable[tuple[Card, "SessionData"]]


class Session(Struct, frozen=True):
    """As it is told. `key`: the id of the key that it was begun by. `issuer`: who has vouched for its member instead."""

    id: str
    organization: str
    member: str
    created_at: int
    expires_at: int
    key: str | None = None
    issuer: str | None = None


class IssuedSession(Struct, frozen=True):
    """A session with what only its browser has."""

    session: Session
    caller: Caller
    token: str

    def __repr__(self) -> str:
        return f"IssuedSession({self.session!r})"


class SignedIn(Struct, frozen=True):
    """Who asks within a session."""

    session: Session
    caller: Caller


class SessionData(Struct, frozen=True, rename="camel", omit_defaults=True):
    """What the card of a session holds. `key_hash`: by which the card of its key is found."""

    id: str
    member: str
    created_at: int
    expires_at: int
    key: str | None = None
    key_hash: str | None = None
    issuer: str | None = None


class Sessions:
    """`lasts_ms`: how long one is good for, from its beginning."""

    def __init__(self, host: Host, keys: Keys, lasts_ms: int) -> None:
        self._host, self._keys, self._lasts_ms = host, keys, lasts_ms
        self._trusted, self._rounds = Trusted[_Found](), Rounds(SESSIONS)

    async def sign_in(self, key: str) -> IssuedSession | None:
        """A session of whoever has this key. None: it is no key, or not any more. Raises `Conflict`, if it ends meanwhile."""
        if not is_well_formed(key):
            return None
        hashed, now = token_hash(key), self._host.now_ms()

        def look(store: Questions) -> tuple[Caller, int, Needs] | None:
            caller, over = find_caller(store, hashed, now)
            card = store.card_anywhere(KEYS, hashed)
            return None if caller is None or card is None else (caller, over, ((KEYS, card.id, card.revision),))

        found = await self._host.read(look)
        if found is None:
            return None
        caller, over, needed = found
        return await self._begin(caller, over, needed, now, key_hash=hashed)

    async def sign_in_member(self, member: str, *, issuer: str, organization: str = "default") -> IssuedSession:
        """A new session of a member for whom somebody else has vouched. Raises `NotFound`."""
        check_texts(member=member, issuer=issuer, organization=organization)
        found = await self._host.read(lambda store: find_member(store, organization, member), organization)
        if found is None:
            raise NotFound(f"there is no member {member!r} in organization {organization!r}; an admin can add them")
        return await self._begin(Caller(found), NEVER, (), self._host.now_ms(), issuer=issuer)

    async def caller(self, token: str) -> SignedIn | None:
        """Who asks within it. None: it is no session, or not any more."""
        if not _TOKEN.fullmatch(token):
            return None
        id_, now = _card_id(token), self._host.now_ms()

        def look(store: Questions) -> tuple[_Found | None, int]:
            card = store.card_anywhere(SESSIONS, id_)
            if card is None:
                return None, NEVER
            data = _data(card)
            caller = _caller(store, card, data, now)
            if not isinstance(caller, Caller):
                return None, NEVER
            return _Found(SignedIn(_session(data, card.organization), caller), data.key_hash), data.expires_at

        found = await self._trusted.find(id_, now, lambda: self._host.read(look))
        if found is None or found.key_hash is None:
            return None if found is None else _ending(found.signed_in)
        caller = await self._keys.caller_by_hash(
            found.key_hash
        )  # who revokes a key here has ended this as well, at once
        return None if caller is None else _ending(SignedIn(found.signed_in.session, caller))

    async def sign_out(self, token: str) -> None:
        """End the session of the browser that has this. One that is over stays over, and what is no token has none."""
        if not _TOKEN.fullmatch(token):
            return
        id_ = _card_id(token)
        card = await self._host.read(lambda store: store.card_anywhere(SESSIONS, id_))
        if card is not None:
            data = _data(card)
            with suppress(Conflict):  # somebody else has ended it in this moment
                await self._end(card, data, data.member, "signed out")
        self._trusted.forget(id_)

    async def list(self, *, organization: str = "default", actor: Actor = None) -> Page[Session]:
        """The oldest first, without those that are over. An actor sees their own; an admin, all."""
        check_texts(organization=organization)
        now = self._host.now_ms()

        def look(store: Questions) -> tuple[Session, ...]:
            who = acting(store, organization, actor)
            found = [
                _session(data, organization)
                for card, data in _seen(store, organization, who)
                if isinstance(_caller(store, card, data, now), Caller)
            ]
            return tuple(sorted(found, key=lambda each: (each.created_at, each.id)))

        return Page(await self._host.read(look, organization))

    async def end(self, id: str, *, organization: str = "default", actor: Actor = None) -> None:
        """Requests within it are refused from now on; in other processes, within a second. An actor has to be an admin, or whose
        session it is. Raises `NotFound`.
        """
        check_texts(id=id, organization=organization)

        def look(store: Questions) -> tuple[Card, SessionData, Needs]:
            who = acting(store, organization, actor)
            for card, data in _under(store, organization, id[:PLACE_LENGTH]):
                if data.id == id:
                    if who is not None and not who.is_admin and who.id != data.member:
                        raise Forbidden(f"{who.id} may not end sessions of others; an admin may")
                    if who is not None and not who.is_admin and who.scopes:
                        raise Forbidden(
                            f"{who.id} asks with a key that is limited, and a session may do more; sign out of it"
                        )
                    return card, data, needs(who)
            raise NotFound(f"there is no session {id!r} in organization {organization!r}; look at the list of them")

        card, data, needed = await self._host.read(look, organization)
        await self._end(card, data, by(actor), "ended", needed)
        self._trusted.forget(card.id)

    def look_again(self) -> None:
        """What is known of members has changed here."""
        self._trusted.forget_all()

    async def _begin(
        self,
        caller: Caller,
        over: int,
        needed: Needs,
        at: int,
        *,
        key_hash: str | None = None,
        issuer: str | None = None,
    ) -> IssuedSession:
        member, id_ = caller.member, f"{_place(caller.member.id)}{new_id()}"
        token, ends = f"{id_}_{new_secret()}", min(at + self._lasts_ms, over)
        data = SessionData(id_, member.id, at, ends, caller.key, key_hash, issuer)
        details = {"id": data.id, "member": member.id}
        details |= {name: text for name, text in (("key", caller.key), ("issuer", issuer)) if text is not None}
        await self._host.commit(
            WriteCard(
                SESSIONS,
                _card_id(token),
                plain(data),
                at,
                member.id,
                "session.begun",
                member.organization,
                0,
                details,
                self._host.shell.worker,
                (*needs(member), *needed),
            )
        )
        await self._sweep(member, at)
        return IssuedSession(_session(data, member.organization), caller, token)

    async def _sweep(self, member: Member, now: int) -> None:
        """Delete expired sessions of this member and some others, unless the clock may be wrong, and the oldest ones of a member
        who has too many.
        """
        organization, trusts_clock = member.organization, await self._host.trusts_clock()

        def look(store: Questions) -> list[tuple[Card, SessionData, str]]:
            some = (*_of(store, organization, member), *self._rounds.next(store, organization, SessionData))
            over: list[tuple[Card, SessionData, str]] = []
            own: list[tuple[Card, SessionData, str]] = []
            for card, data in {card.id: (card, data) for card, data in some}.values():
                found = _caller(store, card, data, now)
                if not isinstance(found, Caller) and trusts_clock:
                    over.append((card, data, found))
                elif data.member == member.id:
                    own.append((card, data, "too many"))
            own.sort(key=lambda each: (each[1].created_at, each[1].id))
            return over + own[:-OF_A_MEMBER_MAX]

        for card, data, why in await self._host.read(look, organization):
            with suppress(Conflict):  # another process sweeps as well
                await self._end(card, data, PROGRAM, why)
                self._trusted.forget(card.id)

    async def _end(self, card: Card, data: SessionData, who: str, why: str, needed: Needs = ()) -> None:
        await self._host.commit(
            WriteCard(
                SESSIONS,
                card.id,
                None,
                self._host.now_ms(),
                who,
                "session.ended",
                card.organization,
                card.revision,
                {"id": data.id, "member": data.member, "why": why},
                self._host.shell.worker,
                needed,
            )
        )


def csrf_token(token: str) -> str:
    """What a page sends with each change, of the browser that has this. Nobody finds the one by the other."""
    return hmac.new(token.encode(), b"perdure csrf", sha256).hexdigest()


def _place(member: str) -> str:
    """Where the sessions of a member are, among all. Others may be in the same place."""
    return sha256(member.encode("utf-8", "replace")).hexdigest()[:PLACE_LENGTH]


def _card_id(token: str) -> str:
    return f"{token[:PLACE_LENGTH]}-{token_hash(token)}"


def _under(store: Questions, organization: str, place: str) -> Cards:
    return every_card(store, organization, SESSIONS, SessionData, under=f"{place}-")


def _of(store: Questions, organization: str, member: Member) -> Cards:
    return ((card, data) for card, data in _under(store, organization, _place(member.id)) if data.member == member.id)


def _seen(store: Questions, organization: str, who: Member | None) -> Cards:
    """Those that they may know of."""
    if who is None or who.is_admin:
        return every_card(store, organization, SESSIONS, SessionData)
    return _of(store, organization, who)


def _data(card: Card) -> SessionData:
    return msgspec.convert(card.data, SessionData)


def _session(data: SessionData, organization: str) -> Session:
    return Session(data.id, organization, data.member, data.created_at, data.expires_at, data.key, data.issuer)


def _ending(found: SignedIn) -> SignedIn:
    """With when it ends: what a member makes with a session, keys say, does not outlive it. Admins make keys for others, in a
    browser too: theirs end with the key that the session was begun by, if that ends.
    """
    caller, session = found.caller, found.session
    if caller.member.is_admin:
        return found
    return SignedIn(session, replace(caller, member=replace(caller.member, until=session.expires_at)))


class _Found(Struct, frozen=True):
    signed_in: SignedIn
    key_hash: str | None


def _caller(store: Questions, card: Card, data: SessionData, now: int) -> Caller | Over:
    """Who asks within it, or why it is over."""
    if now >= data.expires_at:
        return "expired"
    member = find_member(store, card.organization, data.member)
    if member is None or data.created_at < member.since:
        return "its member is gone"
    if data.key_hash is None:
        return Caller(member)
    caller, _ = find_caller(store, data.key_hash, now)
    return "its key is gone" if caller is None or caller.organization != card.organization else caller
