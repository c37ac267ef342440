"""`/api/members`, `/api/keys`, `/api/audit`: who belongs to the organization, what they ask with, and who did what."""

from __future__ import annotations

from msgspec import UNSET
from pydantic import Field
from starlette.responses import Response

from perdure.answers.organizations import (
    AuditAnswer,
    KeyAnswer,
    MemberAnswer,
    audit_answer,
    issued_key_answer,
    key_answer,
    member_answer,
)
from perdure.api.answering import Answer, describes, describes_nothing, page
from perdure.api.asking import Asked
from perdure.api.given import Body, Cursor, Id, IfMatch, Limit, Several, Time, etag, version_of
from perdure.api.routes import routes
from perdure.service.acting import Role
from perdure.service.paging import LIMIT, Page

MEMBERS = routes("/api/members", "members")
KEYS = routes("/api/keys", "keys")
AUDIT = routes("/api/audit", "audit")


class MemberBody(Body):
    id: str = Field(min_length=1, max_length=200)
    roles: Several[Role] = ("viewer",)
    groups: Several[str] = ()
    email: str | None = None
    name: str | None = None


class MemberChange(Body):
    """What is not given stays."""

    roles: Several[Role] | None = None
    groups: Several[str] | None = None
    email: str | None = None
    name: str | None = None


class KeyBody(Body):
    """For yourself, or, as an admin, for any member. `scopes`: the roles that it is limited to; none: whatever its member has."""

    member: str = Field(min_length=1, max_length=200)
    scopes: Several[Role] = ()
    expires_at: Time | None = None
    name: str | None = Field(None, max_length=200)


@MEMBERS.get("", operation_id="list_members_api_members_get", **describes(Page[MemberAnswer]))
async def list_members(asked: Asked, limit: Limit = LIMIT, cursor: Cursor = None) -> Answer:
    """In the order of their ids."""
    found = await asked.engine.members.list(organization=asked.organization, limit=limit, cursor=cursor)
    return page(found, member_answer)


@MEMBERS.post("", operation_id="add_member_api_members_post", **describes(MemberAnswer, 201))
async def add_member(asked: Asked, body: MemberBody) -> Answer:
    """Admins may."""
    found = await asked.engine.members.add(
        body.id,
        roles=body.roles,
        groups=body.groups,
        email=body.email,
        name=body.name,
        organization=asked.organization,
        actor=asked.actor,
    )
    return Answer(member_answer(found), 201, etag(found.revision))


@MEMBERS.get("/{member}", operation_id="show_member_api_members__member__get", **describes(MemberAnswer))
async def show_member(asked: Asked, member: Id) -> Answer:
    found = await asked.engine.members.get(member, organization=asked.organization)
    return Answer(member_answer(found), headers=etag(found.revision))


@MEMBERS.patch("/{member}", operation_id="change_member_api_members__member__patch", **describes(MemberAnswer))
async def change_member(asked: Asked, member: Id, body: MemberChange, if_match: IfMatch = None) -> Answer:
    """Admins may. Roles and groups that are given are the only ones then."""
    given = {name: getattr(body, name) for name in body.model_fields_set}
    found = await asked.engine.members.change(
        member,
        roles=UNSET if given.get("roles") is None else given["roles"],
        groups=UNSET if given.get("groups") is None else given["groups"],
        email=given.get("email", UNSET),
        name=given.get("name", UNSET),
        if_revision=version_of(if_match),
        organization=asked.organization,
        actor=asked.actor,
    )
    return Answer(member_answer(found), headers=etag(found.revision))


@MEMBERS.delete("/{member}", operation_id="remove_member_api_members__member__delete", **describes_nothing())
async def remove_member(asked: Asked, member: Id, if_match: IfMatch = None) -> Response:
    """Admins may. The last admin stays."""
    await asked.engine.members.remove(
        member, if_revision=version_of(if_match), organization=asked.organization, actor=asked.actor
    )
    return Response(status_code=204)


@KEYS.get("", operation_id="list_keys_api_keys_get", **describes(Page[KeyAnswer]))
async def list_keys(asked: Asked) -> Answer:
    """Your own; as an admin, all. Never what they are asked with."""
    found = await asked.engine.keys.list(organization=asked.organization, actor=asked.actor)
    return page(found, key_answer)


@KEYS.post("", operation_id="create_key_api_keys_post", **describes(KeyAnswer, 201))
async def create_key(asked: Asked, body: KeyBody) -> Answer:
    """Its `token` is in the answer, and nowhere else."""
    issued = await asked.engine.keys.create(
        body.member,
        scopes=body.scopes,
        expires_at=body.expires_at,
        name=body.name,
        organization=asked.organization,
        actor=asked.actor,
    )
    return Answer(issued_key_answer(issued), 201)


@KEYS.delete("/{key}", operation_id="revoke_key_api_keys__key__delete", **describes_nothing())
async def revoke_key(asked: Asked, key: Id) -> Response:
    """Requests with it are refused from now on."""
    await asked.engine.keys.revoke(key, organization=asked.organization, actor=asked.actor)
    return Response(status_code=204)


@AUDIT.get("", operation_id="list_audit_api_audit_get", **describes(Page[AuditAnswer]))
async def list_audit(asked: Asked, limit: Limit = LIMIT, cursor: Cursor = None) -> Answer:
    """Who did what, the newest first. Admins may look."""
    found = await asked.engine.audit.list(
        organization=asked.organization, limit=limit, cursor=cursor, actor=asked.actor
    )
    return page(found, audit_answer)
