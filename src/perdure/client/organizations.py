"""What an organization keeps at a server: members, keys, sessions, the audit, secrets, connections, notifiers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from msgspec import UNSET, UnsetType

from perdure.answers.organizations import (
    AuditAnswer,
    ConnectionAnswer,
    KeyAnswer,
    MemberAnswer,
    NotifierAnswer,
    SecretAnswer,
    ToolsAnswer,
    audit_from,
    connection_from,
    issued_key_from,
    key_from,
    member_from,
    notifier_from,
    secret_from,
    tools_from,
)
from perdure.answers.sessions import SessionAnswer, session_from
from perdure.client.channel import Channel
from perdure.client.pages import bounds, page
from perdure.expressions.times import iso
from perdure.service.acting import Member
from perdure.service.connections import Connected, Listed
from perdure.service.given import check_numbers
from perdure.service.keys import IssuedKey, Key
from perdure.service.notifiers import DEFAULT_TOPICS, Kind, Notifier
from perdure.service.paging import LIMIT, Page
from perdure.service.secrets import Secret
from perdure.service.sessions import Session
from perdure.store.registers import AuditEntry
from perdure.tasks.mcp.connection import CALL_MS, CONNECT_MS


class Members:
    def __init__(self, channel: Channel) -> None:
        self._channel = channel

    async def add(
        self,
        id: str,
        *,
        roles: Iterable[str] = ("viewer",),
        groups: Iterable[str] = (),
        email: str | None = None,
        name: str | None = None,
    ) -> Member:
        """Admins may. Raises `Conflict` if there is such a member already."""
        body = {"id": id, "roles": list(roles), "groups": list(groups), "email": email, "name": name}
        return member_from(await self._channel.post("members", shape=MemberAnswer, body=body))

    async def change(
        self,
        id: str,
        *,
        roles: Iterable[str] | UnsetType = UNSET,
        groups: Iterable[str] | UnsetType = UNSET,
        email: str | UnsetType | None = UNSET,
        name: str | UnsetType | None = UNSET,
        if_revision: int | None = None,
    ) -> Member:
        """What is given, and nothing else. Admins may. Raises `NotFound`; `Outdated` if it is not at `if_revision` any more."""
        body: dict[str, Any] = {"email": email, "name": name}
        body |= {"roles": roles if isinstance(roles, UnsetType) else list(roles)}
        body |= {"groups": groups if isinstance(groups, UnsetType) else list(groups)}
        given = {name: value for name, value in body.items() if value is not UNSET}
        found = await self._channel.post(
            "members",
            id,
            shape=MemberAnswer,
            body=given,
            method="PATCH",
            headers=_if_match(if_revision),
            safe=if_revision is None,  # done once, it would not be at that revision any more
        )
        return member_from(found)

    async def remove(self, id: str, *, if_revision: int | None = None) -> None:
        """Admins may. The last admin stays. Raises `NotFound`; `Outdated` as in `change`."""
        await self._channel.delete("members", id, headers=_if_match(if_revision))

    async def get(self, id: str) -> Member:
        """Raises `NotFound`."""
        return member_from(await self._channel.get("members", id, shape=MemberAnswer))

    async def list(self, *, limit: int = LIMIT, cursor: str | None = None) -> Page[Member]:
        """In the order of their ids."""
        wanted = bounds(limit, cursor)
        return await page(self._channel, "members", shape=MemberAnswer, read=member_from, query=wanted)


def _if_match(revision: int | None) -> dict[str, str]:
    check_numbers(if_revision=revision)
    return {} if revision is None else {"If-Match": f'"{revision}"'}


class Keys:
    def __init__(self, channel: Channel) -> None:
        self._channel = channel

    async def create(
        self, member: str, *, scopes: Iterable[str] = (), expires_at: int | None = None, name: str | None = None
    ) -> IssuedKey:
        """A new key for a member. Its token is in the answer, and nowhere else. An admin may, or that member."""
        expires = None if expires_at is None else iso(expires_at)
        body = {"member": member, "scopes": list(scopes), "expiresAt": expires, "name": name}
        return issued_key_from(await self._channel.post("keys", shape=KeyAnswer, body=body))

    async def list(self) -> Page[Key]:
        """The oldest first, without those that are over: your own; as an admin, all."""
        return await page(self._channel, "keys", shape=KeyAnswer, read=key_from)

    async def revoke(self, id: str) -> None:
        """Requests with it are refused from now on. Raises `NotFound`."""
        await self._channel.delete("keys", id)


class Sessions:
    """Of browsers. They begin in a browser; a program asks with its key."""

    def __init__(self, channel: Channel) -> None:
        self._channel = channel

    async def list(self) -> Page[Session]:
        """The oldest first, without those that are over: your own; as an admin, all."""
        return await page(self._channel, "sessions", shape=SessionAnswer, read=session_from)

    async def end(self, id: str) -> None:
        """Whoever has it has to sign in again. Raises `NotFound`."""
        await self._channel.delete("sessions", id)


class Audit:
    def __init__(self, channel: Channel) -> None:
        self._channel = channel

    async def list(self, *, limit: int = LIMIT, cursor: str | None = None) -> Page[AuditEntry]:
        """The newest first. Admins may look."""
        wanted = bounds(limit, cursor)
        return await page(self._channel, "audit", shape=AuditAnswer, read=audit_from, query=wanted)


class Secrets:
    def __init__(self, channel: Channel) -> None:
        self._channel = channel

    async def set(self, name: str, value: str) -> Secret:
        """Encrypt and keep it at the server, in place of what was there. Editors may."""
        body = {"value": value}
        found = await self._channel.post("secrets", name, shape=SecretAnswer, body=body, method="PUT", safe=True)
        return secret_from(found)

    async def list(self, *, limit: int = LIMIT, cursor: str | None = None) -> Page[Secret]:
        """By name. Never their values."""
        wanted = bounds(limit, cursor)
        return await page(self._channel, "secrets", shape=SecretAnswer, read=secret_from, query=wanted)

    async def remove(self, name: str) -> None:
        """Calls that need it fail from now on. Editors may. Raises `NotFound`."""
        await self._channel.delete("secrets", name)


class Connections:
    def __init__(self, channel: Channel) -> None:
        self._channel = channel

    async def add(
        self,
        name: str,
        url: str,
        *,
        headers: Mapping[str, str] | None = None,
        connect_ms: int = CONNECT_MS,
        call_ms: int = CALL_MS,
    ) -> Connected:
        """Keep the address of a server that speaks streamable HTTP. Editors may."""
        body: dict[str, Any] = {"name": name, "url": url, "headers": dict(headers or {})}
        if (connect_ms, call_ms) != (CONNECT_MS, CALL_MS):
            body |= {"connectMs": connect_ms, "callMs": call_ms}
        return connection_from(await self._channel.post("connections", shape=ConnectionAnswer, body=body))

    async def remove(self, name: str) -> None:
        """Steps that call its tools wait from now on. Editors may. Raises `NotFound`."""
        await self._channel.delete("connections", name)

    async def list(self) -> tuple[Connected, ...]:
        """By name: what the operator has given to the server, then what the organization keeps."""
        found = await page(self._channel, "connections", shape=ConnectionAnswer, read=connection_from)
        return found.items

    async def tools(self, name: str, *, refresh: bool = False, accept: Mapping[str, str] | None = None) -> Listed:
        """The tools that are accepted; with `refresh`, as its server offers them by now. `accept` as of an engine."""
        path = ("connections", name, "tools")
        if not (refresh or accept):
            return tools_from(await self._channel.get(*path, shape=ToolsAnswer))
        body = {"accept": dict(accept or {})}
        return tools_from(await self._channel.post(*path, shape=ToolsAnswer, body=body))


class Notifiers:
    def __init__(self, channel: Channel) -> None:
        self._channel = channel

    async def add(
        self,
        id: str,
        kind: Kind,
        *,
        on: Iterable[str] = DEFAULT_TOPICS,
        url: str | None = None,
        signing_secret: str | None = None,
        to: Iterable[str] = (),
    ) -> Notifier:
        """From the next approval on. Admins may. Raises `Conflict` if there is one with this id."""
        body = {"id": id, "kind": kind, "on": list(on), "url": url, "signingSecret": signing_secret, "to": list(to)}
        return notifier_from(await self._channel.post("notifiers", shape=NotifierAnswer, body=body))

    async def remove(self, id: str) -> None:
        """Admins may. Raises `NotFound`."""
        await self._channel.delete("notifiers", id)

    async def get(self, id: str) -> Notifier:
        """Raises `NotFound`."""
        return notifier_from(await self._channel.get("notifiers", id, shape=NotifierAnswer))

    async def list(self) -> tuple[Notifier, ...]:
        """In the order of their ids."""
        return (await page(self._channel, "notifiers", shape=NotifierAnswer, read=notifier_from)).items
