"""What an organization keeps beside its workflows: members, the audit, secrets, connections, notifiers."""

from __future__ import annotations

from typing import Literal

from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from perdure.expressions.times import instant_ms, iso
from perdure.model.values import Json
from perdure.service.acting import Member, Role
from perdure.service.connections import Connected, Listed, Offered
from perdure.service.keys import IssuedKey, Key
from perdure.service.notifiers import Kind, Notifier
from perdure.service.pins import Use
from perdure.service.secrets import Secret
from perdure.service.shapes import Instant, at, ms, or_none
from perdure.store.registers import AuditEntry


class MemberAnswer(Struct, frozen=True):
    """`revision` counts its changes: what `If-Match` is about."""

    id: str
    organization: str
    roles: tuple[Role, ...]
    groups: tuple[str, ...]
    email: str | None
    name: str | None
    revision: int
    changed_at: Instant


class AuditAnswer(Struct, frozen=True):
    """Who did what, and when. `hash` follows from what it says and from the hash of the entry before it, of the same writer."""

    id: str
    organization: str
    at: Instant
    by: str
    action: str
    register: str
    subject: str
    details: Json
    writer: str
    number: int
    hash: str
    place: int


class SecretAnswer(Struct, frozen=True, rename="camel"):
    """Never its value. Its id is its name."""

    id: str
    name: str
    key_id: str
    set_at: Instant
    set_by: str


class ConnectionAnswer(Struct, frozen=True, rename="camel"):
    """Its id is its name. `tools`: how many are known; null: nobody has asked yet."""

    id: str
    name: str
    of: Literal["operator", "organization"]
    kind: Literal["stdio", "http"]
    place: str
    headers: dict[str, str]
    secrets: tuple[str, ...]
    tools: int | None
    changed_at: Instant | None
    changed_by: str | None


class ToolAnswer(Struct, frozen=True, rename="camel"):
    """Its id is its name. `offered`: what its server offers by now, if that is not what was accepted; calls of it fail."""

    id: str
    name: str
    hash: str
    description: str
    changed: bool
    input_schema: Json
    output_schema: Json
    offered: ToolAnswer | UnsetType = UNSET


class UseAnswer(Struct, frozen=True, rename="camel"):
    workflow_id: str
    workflow_name: str
    version: str
    tool: str


class ToolsAnswer(Struct, frozen=True, rename="camel"):
    """The tools of a connection, whose id is its name. `saved_with_others`: workflows that were saved against others than are
    accepted.
    """

    id: str
    connection: str
    accepted_at: Instant
    tools: tuple[ToolAnswer, ...]
    accepted: tuple[ToolAnswer, ...]
    gone: tuple[str, ...]
    saved_with_others: tuple[UseAnswer, ...]


class NotifierAnswer(Struct, frozen=True):
    id: str
    organization: str
    kind: Kind
    on: tuple[str, ...]
    url: str | None
    signing_secret: str | None
    to: tuple[str, ...]
    revision: int
    changed_at: Instant


class KeyAnswer(Struct, frozen=True, rename="camel"):
    """`scopes`: the roles that it is limited to; none: whatever its member has. `token` is shown once, to whoever made it."""

    id: str
    organization: str
    member: str
    scopes: tuple[Role, ...]
    created_at: Instant
    created_by: str
    expires_at: Instant | None
    last_used_at: Instant | None
    name: str | None
    token: str | UnsetType = UNSET


def member_answer(member: Member) -> MemberAnswer:
    return MemberAnswer(
        member.id,
        member.organization,
        member.roles,
        member.groups,
        member.email,
        member.name,
        member.revision,
        iso(member.changed_at),
    )


def member_from(answer: MemberAnswer) -> Member:
    return Member(
        answer.id,
        answer.organization,
        answer.roles,
        answer.groups,
        answer.email,
        answer.name,
        answer.revision,
        instant_ms(answer.changed_at),
    )


def audit_answer(entry: AuditEntry) -> AuditAnswer:
    return AuditAnswer(
        str(entry.place),
        entry.organization,
        iso(entry.at),
        entry.by,
        entry.action,
        entry.register,
        entry.subject,
        entry.details,
        entry.writer,
        entry.number,
        entry.hash,
        entry.place,
    )


def audit_from(answer: AuditAnswer) -> AuditEntry:
    return AuditEntry(
        answer.organization,
        answer.writer,
        answer.number,
        instant_ms(answer.at),
        answer.by,
        answer.action,
        answer.register,
        answer.subject,
        answer.details,
        answer.hash,
        answer.place,
    )


def secret_answer(secret: Secret) -> SecretAnswer:
    return SecretAnswer(secret.name, secret.name, secret.key_id, iso(secret.set_at), secret.set_by)


def secret_from(answer: SecretAnswer) -> Secret:
    return Secret(answer.name, answer.key_id, instant_ms(answer.set_at), answer.set_by)


def connection_answer(each: Connected) -> ConnectionAnswer:
    return ConnectionAnswer(
        each.name,
        each.name,
        each.of,
        each.kind,
        each.place,
        each.headers,
        each.secrets,
        each.tools,
        at(each.changed_at),
        each.changed_by,
    )


def connection_from(answer: ConnectionAnswer) -> Connected:
    return Connected(
        answer.name,
        answer.of,
        answer.kind,
        answer.place,
        answer.headers,
        answer.secrets,
        answer.tools,
        ms(answer.changed_at),
        answer.changed_by,
    )


def tool_answer(each: Offered) -> ToolAnswer:
    offered = UNSET if each.instead is None else tool_answer(each.instead)
    return ToolAnswer(each.name, each.name, each.hash, each.description, each.changed, each.input, each.output, offered)


def tool_from(answer: ToolAnswer) -> Offered:
    instead = None if isinstance(answer.offered, UnsetType) else tool_from(answer.offered)
    return Offered(answer.name, answer.hash, answer.description, answer.input_schema, answer.output_schema, instead)


def tools_answer(listed: Listed) -> ToolsAnswer:
    return ToolsAnswer(
        listed.connection,
        listed.connection,
        iso(listed.accepted_at),
        tuple(tool_answer(each) for each in listed.tools),
        tuple(tool_answer(each) for each in listed.taken),
        listed.gone,
        tuple(UseAnswer(use.workflow, use.name, use.version, use.tool) for use in listed.uses),
    )


def tools_from(answer: ToolsAnswer) -> Listed:
    return Listed(
        answer.connection,
        tuple(map(tool_from, answer.tools)),
        instant_ms(answer.accepted_at),
        tuple(Use(each.workflow_id, each.workflow_name, each.version, each.tool) for each in answer.saved_with_others),
        tuple(map(tool_from, answer.accepted)),
        answer.gone,
    )


def notifier_answer(notifier: Notifier) -> NotifierAnswer:
    return NotifierAnswer(
        notifier.id,
        notifier.organization,
        notifier.kind,
        notifier.on,
        notifier.url,
        notifier.signing_secret,
        notifier.to,
        notifier.revision,
        iso(notifier.changed_at),
    )


def notifier_from(answer: NotifierAnswer) -> Notifier:
    return Notifier(
        answer.id,
        answer.organization,
        answer.kind,
        answer.on,
        answer.url,
        answer.signing_secret,
        answer.to,
        answer.revision,
        instant_ms(answer.changed_at),
    )


def key_answer(key: Key) -> KeyAnswer:
    return KeyAnswer(
        key.id,
        key.organization,
        key.member,
        key.scopes,
        iso(key.created_at),
        key.created_by,
        at(key.expires_at),
        at(key.last_used_at),
        key.name,
    )


def key_from(answer: KeyAnswer) -> Key:
    return Key(
        answer.id,
        answer.organization,
        answer.member,
        answer.scopes,
        instant_ms(answer.created_at),
        answer.created_by,
        ms(answer.expires_at),
        answer.name,
        ms(answer.last_used_at),
    )


def issued_key_answer(issued: IssuedKey) -> KeyAnswer:
    """With what is shown once."""
    return replace(key_answer(issued.key), token=issued.token)


def issued_key_from(answer: KeyAnswer) -> IssuedKey:
    return IssuedKey(key_from(answer), or_none(answer.token) or "")
