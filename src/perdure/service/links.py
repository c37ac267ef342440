"""Approval links: whoever opens one sees what is asked, and decides it in the name of the member it was made for. Once.

A link stands for a member and an approval, and for nothing else. What the member may is looked at when it is used, not when it
was made: who is no member any more, or is not asked any more, decides nothing by a link of before, and who was added under the
id of somebody who left, nothing by a link of theirs. That it is used is kept with the vote itself, in the same transaction.
Between a token that was never signed here, one that was changed, one whose time is over and one whose approval is gone, nobody
is told a difference.
"""

from __future__ import annotations

from functools import cached_property
from typing import Final, Literal, TypeAlias

from msgspec import Struct

from perdure.hosts.embedded import Host
from perdure.hosts.envelopes import MAKE_ONE
from perdure.model.records import ApprovalRecord
from perdure.model.values import Json
from perdure.runtime.notices import notice
from perdure.service.acting import MEMBERS, Member, find_member
from perdure.service.apart import canonical_apart
from perdure.service.deciding import ApprovalItem, Decision, is_asked, told
from perdure.service.errors import Conflict, NotFound
from perdure.service.given import check_texts
from perdure.service.link_tokens import FORMAT, PATH, Link, Signing
from perdure.settings.table import SECRET_KEY
from perdure.store import port as p
from perdure.store.approvals import barred, settled_by_time
from perdure.store.questions import Questions

DAY_MS: Final = 86_400_000
KEEP_DAYS: Final = 7
"""So long a link counts, unless it is said otherwise."""

KEEP_DAYS_MAX: Final = 90

Hindrance: TypeAlias = Literal["gone", "settled", "used", "over", "not_asked", "starter", "claimed"]
"""Why nothing can be decided by a link.

gone       whom it was made for is no member any more; what the approval is about is not for them
settled    it is decided, or closed
used       a vote was cast by this link, and others are waited for
over       time has decided, whether or not a worker has written it down
not_asked  the member is not asked any more
starter    they have started what it is about, and somebody else has to decide
claimed    somebody else has taken it on
"""


class UnknownLink(NotFound, code="unknown_link"):
    """There is no such link, or not any more."""


class ApprovalLink(Struct, frozen=True):
    """A link that was made. Whoever has its URL decides in the name of `member`; it is not kept, and not shown again."""

    id: str
    approval: str
    member: str
    expires_at: int
    url: str

    def __repr__(self) -> str:
        return f"ApprovalLink({self.id!r}, {self.approval!r}, {self.member!r})"


class Opened(Struct, frozen=True):
    """What a link leads to, as it stands. `who`: what its member is called. `hindrance` None: it can be decided by it."""

    link: Link
    item: ApprovalItem
    workflow: str
    who: str
    hindrance: Hindrance | None = None


class Links:
    def __init__(self, host: Host) -> None:
        self._host, self._public_url = host, host.public_url

    @cached_property
    def _signing(self) -> Signing | None:
        """Not before it is needed: most engines make no links, and what derives keys takes its time to import."""
        return None if self._host.keys is None else Signing(self._host.keys)

    def signed(self, link: Link) -> str:
        """Its URL. Raises `Conflict`: without a key of the operator there are no links."""
        if self._signing is None:
            raise Conflict(
                "there are no approval links here, for there is no key to sign them with: set "
                f"{SECRET_KEY.name}, or {SECRET_KEY.file} to a file that has it, to the same for all servers and "
                f"workers; {MAKE_ONE}"
            )
        return f"{self._public_url}{PATH}{self._signing.signed(link)}"

    def for_notice(self, id_: str, record: ApprovalRecord, member: str, since: int, at: int) -> ApprovalLink | None:
        """For a notice that goes to this member alone: the same for every attempt to send it. `since`: when they were added, as
        it was when it was found out whom to tell. None: people could not open it,
        for nobody has said where this server is, or how links are signed.
        """
        if self._signing is None or not self._public_url:
            return None
        until = at + KEEP_DAYS * DAY_MS
        link = Link(FORMAT, id_, record.organization, record.id, member, since, until)
        return ApprovalLink(id_, record.id, member, until, self.signed(link))

    async def look(self, token: str) -> Opened:
        """What it leads to. Nothing is changed by it. Raises `UnknownLink`."""
        link = self._read(token)
        with self._host.on_behalf_of(link.organization):
            return (await self._found(link))[0]

    async def decide(
        self, token: str, decision: Decision, *, comments: str | None = None, data: Json = None
    ) -> tuple[Opened, bool]:
        """How it stands after that, and whether this was what decided, or voted. `data` is what was submitted, changed. Raises
        `UnknownLink`; `Conflict` if the data may not be changed.
        """
        check_texts(comments=comments)
        link = self._read(token)
        with self._host.on_behalf_of(link.organization):
            before, over = await self._found(link)
            if before.hindrance is not None:
                return before, False
            changed = await canonical_apart(data)
            at = self._host.now_ms()
            vote = p.Decide(
                link.approval,
                at,
                link.member,
                decision,
                comments,
                changed,
                link.organization,
                over=over,
                writer=self._host.shell.worker,
                notice=notice("decided", link.approval, link.organization, at),
                link=link.id,
            )
            outcome = await self._host.shell.commit(vote)
            after, _ = await self._found(link)
            if isinstance(outcome, p.GuardFailed | p.Refused) and after.hindrance is None:
                raise Conflict(outcome.reason)
            return after, isinstance(outcome, p.Committed)

    def _read(self, token: str) -> Link:
        link = None if self._signing is None else self._signing.read(token, self._host.now_ms())
        if link is None:
            raise UnknownLink("there is no such link, or not any more; ask for another one")
        return link

    async def _found(self, link: Link) -> tuple[Opened, bool]:
        """How it stands, and whether its member may decide also what others have taken on."""
        at = self._host.now_ms()

        def look(store: Questions) -> tuple[Opened, bool]:
            record = store.approval(link.organization, link.approval)
            if record is None:
                raise UnknownLink("there is no such link, or not any more; ask for another one")
            member = _member(store, link)
            row = store.workflow(link.organization, record.workflow)
            opened = Opened(
                link,
                told(record, self._public_url),
                record.workflow if row is None else row.name,
                link.member if member is None else member.name or member.id,
                _hindrance(store, link, record, member, at),
            )
            return opened, member.is_admin if member is not None else link.is_name

        return await self._host.read(look, link.organization)


def _member(store: Questions, link: Link) -> Member | None:
    """Whom it was made for. None: they are no member any more, also if somebody else has their id now."""
    member = find_member(store, link.organization, link.member)
    if member is None or member.since != link.since:
        return None
    return member.limited(link.scopes)


def _hindrance(
    store: Questions, link: Link, record: ApprovalRecord, member: Member | None, at: int
) -> Hindrance | None:
    if member is None and not (link.is_name and not store.cards(link.organization, MEMBERS, "", 1)):
        return "gone"
    if record.status != "pending":
        return "settled"
    if link.id in record.used:
        return "used"
    if settled_by_time(record, at):
        return "over"
    if member is not None and not is_asked(record, member):
        return "not_asked"
    if barred(record, link.member):
        return "starter"
    if record.claimed_by not in (None, link.member) and not (member is None or member.is_admin):
        return "claimed"
    return None
