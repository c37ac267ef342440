"""Approvals: listed, taken on and decided, by those who are asked, or by the links that they are given."""

from __future__ import annotations

import secrets as chance
from typing import Literal

from msgspec import Struct

from perdure.hosts.embedded import Host
from perdure.model.problem import Problem
from perdure.model.records import ApprovalRecord
from perdure.model.values import Json
from perdure.runtime.notices import notice
from perdure.service import paging
from perdure.service.acting import MEMBERS, PROGRAM, Actor, Member, Role, acting, find_member, in_whose_name
from perdure.service.apart import canonical_apart
from perdure.service.approval_history import ApprovalEvent, history
from perdure.service.deciding import ApprovalItem, Decision, decision_of, refuse_unless_asked, told
from perdure.service.errors import Conflict, Forbidden, NotFound, Refused
from perdure.service.executions import workflow_id
from perdure.service.given import check_numbers, check_texts
from perdure.service.link_tokens import FORMAT, Link
from perdure.service.links import DAY_MS, KEEP_DAYS, KEEP_DAYS_MAX, ApprovalLink, Links
from perdure.service.paging import LIMIT, Page
from perdure.store import port as p
from perdure.store.approvals import Asker, GiveLink, LetGo, Standing, TakeOn, WantedApprovals
from perdure.store.questions import Questions

Said = Literal["approve", "approved", "reject", "rejected"]
STATUSES: tuple[str, ...] = ("pending", "approved", "rejected", "closed")


class Approvals:
    """`actor` is a member, whose rights are looked at; None is the program itself, which may decide in anybody's name, `by`."""

    def __init__(self, host: Host, links: Links) -> None:
        self._host, self._links, self._public_url = host, links, host.public_url

    async def decide(
        self,
        approval: str,
        decision: Said,
        *,
        actor: Actor = None,
        by: str | None = None,
        comments: str | None = None,
        data: Json = None,
        organization: str = "default",
    ) -> ApprovalItem:
        """Vote on an approval; the vote that settles it is the decision. It is durable when this returns, as it stands then.

        `data` is what was submitted, changed. The same decision again is answered as the first; another one is a `Conflict` that
        says who decided what, and when. Raises `NotFound`; `Forbidden` to whoever is not asked.
        """
        check_texts(approval=approval, by=by, comments=comments, organization=organization)
        chosen = decision_of(decision)
        voter = await self._voter(approval, organization, actor, by, "decide")
        changed = await canonical_apart(data)
        at = self._host.now_ms()
        vote = p.Decide(
            approval,
            at,
            voter.name,
            chosen,
            comments,
            changed,
            organization,
            over=voter.over,
            writer=self._host.shell.worker,
            notice=notice("decided", approval, organization, at),
        )
        await self._host.commit(vote)
        return await self.get(approval, organization=organization)

    async def claim(
        self,
        approval: str,
        *,
        actor: Actor = None,
        by: str | None = None,
        over: bool = False,
        organization: str = "default",
    ) -> ApprovalItem:
        """Take it on: nobody else decides it meanwhile, but an admin. `over`: also from somebody who has; an admin may.

        Raises `Conflict` if it is decided, if another one has it, or if several people have to vote on it.
        """
        check_texts(approval=approval, by=by, organization=organization)
        voter = await self._voter(approval, organization, actor, by, "take on")
        if over and not voter.over:
            raise Forbidden(f"{voter.name} may not take approval {approval} from who has it; an admin may")
        await self._host.commit(
            TakeOn(approval, self._host.now_ms(), voter.name, organization, over, self._host.shell.worker)
        )
        return await self.get(approval, organization=organization)

    async def release(
        self, approval: str, *, actor: Actor = None, by: str | None = None, organization: str = "default"
    ) -> ApprovalItem:
        """Let go of it, so that others can decide it. An admin may for whoever has it."""
        check_texts(approval=approval, by=by, organization=organization)
        voter = await self._voter(approval, organization, actor, by, "let go of")
        await self._host.commit(
            LetGo(approval, self._host.now_ms(), voter.name, organization, voter.over, self._host.shell.worker)
        )
        return await self.get(approval, organization=organization)

    async def link(
        self,
        approval: str,
        *,
        member: str | None = None,
        expires_at: int | None = None,
        actor: Actor = None,
        by: str | None = None,
        organization: str = "default",
    ) -> ApprovalLink:
        """A link by which a member decides it, once, on a page of the server: for who acts, or as an admin for somebody else. It
        counts for a week, unless another time is said. Whoever has it decides in that name.

        Raises `NotFound`; `Forbidden` if that member is not asked; `Conflict` if nobody is asked any more, and where there is no
        key to sign it with.
        """
        check_texts(approval=approval, member=member, by=by, organization=organization)
        check_numbers(expires_at=expires_at)
        named, at = in_whose_name(actor, by), self._host.now_ms()
        until = _until(expires_at, at)

        def look(store: Questions) -> _Whose:
            who = acting(store, organization, actor)
            record = _there(store, organization, approval)
            return _whose(store, record, who, member or named)

        whose = await self._host.read(look, organization)
        name, is_name, id_ = whose.name, whose.since is None, chance.token_urlsafe(12)
        link = Link(FORMAT, id_, organization, approval, name, whose.since or 0, until, is_name, whose.scopes)
        url = self._links.signed(link)
        given = GiveLink(approval, at, named or PROGRAM, link.id, name, until, organization, self._host.shell.worker)
        await self._host.commit(given)
        return ApprovalLink(link.id, approval, name, until, url)

    async def get(self, approval: str, *, organization: str = "default", actor: Actor = None) -> ApprovalItem:
        """Raises `NotFound`."""
        check_texts(approval=approval, organization=organization)

        def look(store: Questions) -> ApprovalRecord:
            acting(store, organization, actor)
            return _there(store, organization, approval)

        return told(await self._host.read(look, organization), self._public_url)

    async def history(
        self,
        approval: str,
        *,
        organization: str = "default",
        limit: int = LIMIT,
        cursor: str | None = None,
        actor: Actor = None,
    ) -> Page[ApprovalEvent]:
        """What happened to it, the oldest first: also who let go of it, and what somebody voted before they thought better of it.
        Whoever may see it may see that. Raises `NotFound`.
        """
        check_texts(approval=approval, organization=organization)
        count = paging.checked(limit)
        (passed,) = (0,) if cursor is None else paging.place(cursor, tuple[int])

        def look(store: Questions) -> Page[ApprovalEvent]:
            acting(store, organization, actor)
            found = history(store, _there(store, organization, approval))
            more = paging.cursor(passed + count) if len(found) > passed + count else None
            return Page(tuple(found[passed : passed + count]), more)

        return await self._host.read(look, organization)

    async def list(
        self,
        *,
        organization: str = "default",
        status: Standing | None = None,
        overdue: bool = False,
        assignee: str | None = None,
        workflow: str | None = None,
        execution: str | None = None,
        resource_type: str | None = None,
        resource_id: str | None = None,
        limit: int = LIMIT,
        cursor: str | None = None,
        actor: Actor = None,
    ) -> Page[ApprovalItem]:
        """The newest first.

        assignee  what this member is asked: by name, by a group, because it was handed to them, or as anybody who may approve;
                  but for what somebody else has taken on, and what they may not decide because they have started it
        overdue   only those that are open although their time is over, and that a worker has marked so
        workflow  by its id or its name
        resource_type and resource_id  what they are about; both, or neither
        """
        check_texts(organization=organization, assignee=assignee, workflow=workflow, execution=execution)
        check_texts(resource_type=resource_type, resource_id=resource_id)
        if status not in (None, *STATUSES):
            raise Conflict(f"no approval is {status!r}; say one of {', '.join(STATUSES)}")
        if (resource_type is None) != (resource_id is None):
            raise Conflict("what approvals are about is said by resource_type and resource_id; give both, or neither")
        count = paging.checked(limit)
        (before,) = (None,) if cursor is None else paging.place(cursor, tuple[int])

        def look(store: Questions) -> Page[ApprovalItem]:
            acting(store, organization, actor)
            wanted = WantedApprovals(
                organization,
                count + 1,
                before,
                status,
                overdue,
                None if assignee is None else _asker(find_member(store, organization, assignee), assignee),
                None if workflow is None else workflow_id(store, organization, workflow),
                execution,
                None if resource_type is None or resource_id is None else (resource_type, resource_id),
            )
            found = store.approvals_wanted(wanted)
            more = paging.cursor(found[count - 1].place) if len(found) > count else None
            return Page(tuple(told(each.record, self._public_url) for each in found[:count]), more)

        return await self._host.read(look, organization)

    async def _voter(self, approval: str, organization: str, actor: Actor, by: str | None, what: str) -> _Voter:
        named = in_whose_name(actor, by)

        def look(store: Questions) -> _Voter:
            member = acting(store, organization, actor)
            record = _there(store, organization, approval)
            refuse_unless_asked(record, member, what)
            return _Voter(named or PROGRAM, over=member is None or member.is_admin)

        return await self._host.read(look, organization)


class _Voter(Struct, frozen=True):
    """Who votes, and whether they may although somebody else has taken it on."""

    name: str
    over: bool


def _until(expires_at: int | None, at: int) -> int:
    until = at + KEEP_DAYS * DAY_MS if expires_at is None else expires_at
    if at < until <= at + KEEP_DAYS_MAX * DAY_MS:
        return until
    message = f"a link counts until a time that is yet to come, and for {KEEP_DAYS_MAX} days at most"
    raise Refused(
        [Problem("invalid_time", message, "/expiresAt", field="expiresAt")], what="the link cannot be made so"
    )


class _Whose(Struct, frozen=True):
    """In whose name a link decides, and what it is limited to. `since` None: that is but a name."""

    name: str
    since: int | None
    scopes: tuple[Role, ...]


def _whose(store: Questions, record: ApprovalRecord, who: Member | None, name: str | None) -> _Whose:
    """Nobody gets more by a link than they have, also not who asks with a key that is limited."""
    if name is None:
        raise Conflict("for whom is the link? name the member in whose name it decides (--as MEMBER)")
    is_own = who is not None and who.id == name
    if who is not None and not is_own and not who.is_admin:
        raise Forbidden(f"{who.id} may not make links for others; an admin may")
    member = find_member(store, record.organization, name)
    if member is None and (is_own or store.cards(record.organization, MEMBERS, "", 1)):
        raise NotFound(f"there is no member {name!r} in organization {record.organization!r}; add them first")
    refuse_unless_asked(record, who if is_own else member, "decide")
    since = None if member is None else member.since
    return _Whose(name, since, who.scopes if who is not None and is_own else ())


def _asker(member: Member | None, name: str) -> Asker:
    """Where there are no members, people have names even so."""
    if member is None:
        return Asker(name)
    return Asker(member.id, member.groups, anybody=member.is_admin or "approver" in member.roles)


def _there(store: Questions, organization: str, id_: str) -> ApprovalRecord:
    found = store.approval(organization, id_)
    if found is None:
        raise NotFound(
            f"there is no approval {id_!r} in organization {organization!r}; "
            "`perdure approvals list --status all` shows those that there are"
        )
    return found


__all__ = ["ApprovalEvent", "ApprovalItem", "Approvals", "Decision", "Said"]
