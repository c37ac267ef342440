"""The tasks that tell people of an approval (`runtime.notices` is the workflow that calls them).

What is sent to one notifier has one id, whatever becomes of attempts: that of the execution and the notifier. So whoever is told
twice, because a worker died in the middle of a call, can tell.
"""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Iterable, Sequence
from typing import Final

import msgspec
from msgspec import Struct

from perdure.expressions.times import iso
from perdure.expressions.wording import escape_unprintable
from perdure.hosts.embedded import Host
from perdure.ids import derived
from perdure.model.asking import handed_to
from perdure.model.records import ApprovalRecord
from perdure.model.values import Json
from perdure.runtime.notices import SEND, WHOM, notice_id
from perdure.service.acting import Member, plain
from perdure.service.deciding import ApprovalItem, told
from perdure.service.links import ApprovalLink, Links
from perdure.service.members import every_member
from perdure.service.notifiers import Notifier, every_notifier, notifier_of
from perdure.service.secrets import Secrets
from perdure.service.signatures import as_standard, is_standard, standard_headers
from perdure.service.titles import given_title, message_of, title_of
from perdure.settings.environment import environment
from perdure.store.approvals import barred
from perdure.store.notices import NOTICES, NOTIFIERS, Topic
from perdure.store.questions import Questions
from perdure.tasks.context import LOGGER_NAME, TaskContext
from perdure.tasks.email import EmailInput
from perdure.tasks.failing import NonRetryable
from perdure.tasks.http_input import HttpInput

LOGGER: Final = f"{LOGGER_NAME}.notices"
"""What notifiers of the kind `log` write to. `perdure worker` prints it."""

DATA_MAX: Final = 4_000
"""So much of what is to be decided on stands in an e-mail."""

_NOT_IN_A_LINE: Final = re.compile(r"[\x00-\x1f\x7f\x85\u2028\u2029\ud800-\udfff]|=\?")
_WORDS: Final = {
    "opened": "asks for a decision",
    "overdue": "is overdue",
    "escalated": "is overdue, and was handed on",
    "decided": "is decided",
}


class Given(Struct, frozen=True):
    topic: Topic
    approval: str
    organization: str
    at: int


class Sending(Struct, frozen=True, omit_defaults=True):
    """One thing to send: by which notifier, and to whom if that is e-mail. `member`: it goes to this one and to nobody else, who
    is asked; they are sent a link by which they can decide. `since`: when they were added, for should it be sent later, somebody
    else may have that id.
    """

    notifier: str
    given: Given
    to: tuple[str, ...] = ()
    member: str | None = None
    since: int = 0


class NotANotice(NonRetryable, public_name="NotANotice"):
    """Somebody calls this who is not the notice itself: a copy of it, with other values perhaps."""


class CannotSign(NonRetryable, public_name="CannotSign"):
    """What it is to be signed with is not to be found."""


class Notifying:
    """`secrets` are those that organizations sign with."""

    def __init__(self, host: Host, secrets: Secrets, links: Links) -> None:
        self._host, self._secrets, self._links, self._public_url = host, secrets, links, host.public_url

    def register(self) -> None:
        self._host.tasks.task(WHOM)(self.whom)
        self._host.tasks.task(SEND)(self.send)

    async def whom(self, given: Given, context: TaskContext) -> Json:
        """Nobody is asked to look at what is decided by now."""
        await self._require_notice(given, context)

        def look(store: Questions) -> list[Sending]:
            record = store.approval(given.organization, given.approval)
            if record is None or (given.topic != "decided" and record.status != "pending"):
                return []
            wanted = [each for each in every_notifier(store, given.organization) if given.topic in each.on]
            mail = any(each.kind == "email" and not each.to for each in wanted)
            asked = _with_addresses(record, every_member(store, given.organization)) if mail else ()
            return [_sending(each, given, asked) for each in wanted]

        return [plain(each) for each in await self._host.read(look, given.organization)]

    async def send(self, given: Sending, context: TaskContext) -> Json:
        await self._require_notice(given.given, context)
        card, record = await self._host.read(
            lambda store: (
                store.card(given.given.organization, NOTIFIERS, given.notifier),
                store.approval(given.given.organization, given.given.approval),
            ),
            given.given.organization,
        )
        if card is None or record is None:
            return {"sent": False, "why": "the notifier or the approval is not there any more"}
        notifier, item = notifier_of(card), told(record, self._public_url)
        id_ = derived(context.execution_id, notifier.id)
        match notifier.kind:
            case "log":
                _log(given.given, item, id_)
            case "webhook":
                await self._call(notifier, given.given, item, id_, context)
            case "email":
                if not given.to:
                    logging.getLogger(LOGGER).warning(
                        "nobody who is asked for approval %s has an e-mail address", item.id
                    )
                    return {"sent": False, "why": "nobody who is asked has an e-mail address"}
                await self._mail(given, item, self._link(given, record, id_), context)
        return {"sent": True, "id": id_}

    async def _require_notice(self, given: Given, context: TaskContext) -> None:
        """What is sent has the data of an organization in it, and links by which people decide. So nothing that is given is
        believed but by the one execution that tells of this approval, which is of its organization.
        """
        record = await self._host.read(lambda store: store.record(context.execution_id), given.organization)
        if (
            context.execution_id != notice_id(given.topic, given.approval)
            or record is None
            or (record.workflow, record.organization) != (NOTICES, given.organization)
        ):
            raise NotANotice(
                "people are told of an approval by its own notice, and by no copy of it and no other execution; "
                "`perdure executions retry` sends what was not sent"
            )

    async def _call(self, notifier: Notifier, given: Given, item: ApprovalItem, id_: str, context: TaskContext) -> None:
        """In the form of Standard Webhooks."""
        assert notifier.url is not None
        happened = {"type": f"approval.{given.topic}", "timestamp": iso(given.at), "data": plain(item)}
        body = msgspec.json.encode(happened).decode()
        seconds = self._host.now_ms() // 1_000
        headers: dict[str, str | int | float | bool | None] = {
            "content-type": "application/json",
            "webhook-id": id_,
            "webhook-timestamp": str(seconds),
        }
        if notifier.signing_secret is not None:
            secret = await self._secret(notifier, notifier.signing_secret)
            headers |= standard_headers(secret, id_, seconds, body.encode())
        task = self._host.tasks.find("webhook")
        assert task is not None
        await task.function(HttpInput(notifier.url, headers=headers, body=body, fail_on_error=True), context)

    async def _secret(self, notifier: Notifier, place: str) -> str:
        """In the form of Standard Webhooks; any other text stands for itself."""
        kind, _, name = place.partition(":")
        found = (
            environment().get(name) if kind == "env" else await self._secrets.to_sign_with(notifier.organization, name)
        )
        if not found:
            raise CannotSign(
                f"notifier {notifier.id!r} is signed with {place}, and there is no such thing here; set it, then retry this"
            )
        return found if is_standard(found) else as_standard(found)

    def _link(self, given: Sending, record: ApprovalRecord, id_: str) -> ApprovalLink | None:
        """It is made when it is sent, and stands in no history."""
        if given.member is None or record.status != "pending" or barred(record, given.member):
            return None
        return self._links.for_notice(id_, record, given.member, given.since, given.given.at)

    async def _mail(self, given: Sending, item: ApprovalItem, link: ApprovalLink | None, context: TaskContext) -> None:
        task = self._host.tasks.find("email")
        assert task is not None
        line = _NOT_IN_A_LINE.sub(" ", f"{title_of(item)} {_WORDS[given.given.topic]}")[:200]
        mail = EmailInput(list(given.to), f"[{item.priority}] {line}", _text(given.given, item, link))
        await asyncio.to_thread(task.function, mail, context)


def _sending(notifier: Notifier, given: Given, asked: Sequence[Member]) -> Sending:
    if notifier.kind != "email":
        return Sending(notifier.id, given)
    if notifier.to:  # whoever reads there
        return Sending(notifier.id, given, notifier.to)
    to = tuple(dict.fromkeys(each.email for each in asked if each.email is not None))
    if len(asked) != 1:
        return Sending(notifier.id, given, to)
    return Sending(notifier.id, given, to, asked[0].id, asked[0].since)


def _with_addresses(record: ApprovalRecord, members: Iterable[Member]) -> tuple[Member, ...]:
    """Those who are asked now and have an address: whom it was handed to, else who was named, else whoever may approve."""
    member, role = handed_to(record.escalated_to)
    if member is None and role is None:
        member, role = record.asked.member, record.asked.role
    anybody = member is None and role is None
    return tuple(
        each
        for each in members
        if each.email is not None
        and (each.id == member or role in each.groups or (anybody and {"approver", "admin"} & set(each.roles)))
    )


def _log(given: Given, item: ApprovalItem, id_: str) -> None:
    fields = {"approval": item.id, "topic": given.topic, "organization": given.organization, "notice": id_}
    step, title = (_NOT_IN_A_LINE.sub(" ", each)[:200] for each in (item.step_slug, given_title(item) or ""))
    called = f", {title!r}," if title else ""
    said = "approval %s of step %r%s %s: %s"
    logging.getLogger(LOGGER).info(said, item.id, step, called, _WORDS[given.topic], item.deeplink, extra=fields)


def _text(given: Given, item: ApprovalItem, link: ApprovalLink | None) -> str:
    decided = None if item.decision is None else f"{item.status} by {item.decided_by}"
    pairs = {
        "Title": given_title(item),
        "Description": message_of(item),
        "Step": item.step_slug,
        "Execution": item.workflow_execution_id,
        "About": f"{item.resource_type} {item.resource_id}" if item.resource_type else None,
        "Due": None if item.due_date is None else iso(item.due_date),
        "Decision": decided,
        "Comments": item.comments,
        "Look at it": item.deeplink,
    }
    lines = [f"{name}: {value}" for name, value in pairs.items() if value]
    data = escape_unprintable(msgspec.json.format(msgspec.json.encode(item.submitted_data), indent=2).decode())
    cut = f"{data[:DATA_MAX]}\n…" if len(data) > DATA_MAX else data
    decide = [] if link is None else [_decide_it(link), ""]
    return "\n".join([f"An approval {_WORDS[given.topic]}.", "", *decide, *lines, "", cut, ""])


def _decide_it(link: ApprovalLink) -> str:
    return (
        f"Approve or reject it here, as {link.member}:\n{link.url}\n"
        f"The link is for you alone: whoever has it can decide in your name. It counts once, until {iso(link.expires_at)}."
    )
