"""The task `email`: one message to the operator's mail server.

Whoever fills in a form can fill in a header: line breaks, control characters and encoded words in what becomes a header
are refused, and the message as written is read again before it is sent. At least once, like every task: a message
keeps its Message-ID over all attempts, so that mailboxes can tell.
"""

from __future__ import annotations

import re
import ssl
from collections.abc import Callable
from email.errors import MessageError
from email.headerregistry import Address, UniqueAddressHeader
from email.message import EmailMessage
from email.parser import BytesHeaderParser
from email.policy import SMTP
from email.utils import formatdate
from typing import Final

from msgspec import Struct

from perdure.ids import derived
from perdure.model.values import Json
from perdure.tasks.calling import InvalidInput
from perdure.tasks.context import TaskContext
from perdure.tasks.failing import NonRetryable
from perdure.tasks.redaction import hidden
from perdure.tasks.smtp import MailServer, hand_over, mail_server

_RECIPIENTS_MAX: Final = 100
_HEADER_LENGTH_MAX: Final = 2_000
_CONTROL: Final = re.compile("[\x00-\x1f\x7f\x85\u2028\u2029\ud800-\udfff]")
_ENCODED_WORD: Final = re.compile(r"=\?[^?\s]*\?[^?\s]?\?")
_MAILBOX: Final = re.compile(r'[^\s<>()\[\],;:\\"@]{1,64}@[^\s<>()\[\],;:\\"@]{1,253}')


class EmailInput(Struct, frozen=True, rename="camel", omit_defaults=True):
    """Addresses are `ann@example.com` or `Ann <ann@example.com>`, in a list or with commas between them."""

    to: str | list[str]
    subject: str
    text: str | None = None
    html: str | None = None
    cc: str | list[str] = []
    bcc: str | list[str] = []
    reply_to: str | list[str] = []


class NoMailServer(NonRetryable, public_name="NoMailServer"):
    """The operator has not said how mail is sent."""


def email_task(
    smtp_url: str | None, *, sender: str = "", ssl_context: ssl.SSLContext | None = None
) -> Callable[[EmailInput, TaskContext], dict[str, Json]]:
    """The task. It is not async, because smtplib is not: `call` runs it in a thread. A bad `smtp_url` raises here."""
    server = mail_server(smtp_url) if smtp_url else None

    def email(given: EmailInput, context: TaskContext) -> dict[str, Json]:
        if server is None:
            raise NoMailServer("no mail can be sent: the operator has to set SMTP_URL")
        chosen = _sender(sender, server)
        message, recipients = composed(given, context.idempotency_key, chosen)
        tls = ssl_context or ssl.create_default_context()
        rejected = hand_over(server, message, _mailboxes("from", chosen)[0].addr_spec, recipients, tls)
        refused = {each["address"] for each in rejected}
        accepted = [each for each in recipients if each not in refused]
        return {"messageId": str(message["Message-ID"]), "accepted": accepted, "rejected": rejected}

    return email


def composed(given: EmailInput, key: str, sender: str) -> tuple[EmailMessage, list[str]]:
    """The message, and whom it is for. Those in bcc stand in the list only."""
    if given.text is None and given.html is None:
        raise InvalidInput("an email needs 'text', 'html' or both")
    mailboxes = {name: _mailboxes(name, getattr(given, name)) for name in ("to", "cc", "bcc", "reply_to")}
    recipients = list(dict.fromkeys(each.addr_spec for name in ("to", "cc", "bcc") for each in mailboxes[name]))
    if not recipients:
        raise InvalidInput("an email needs at least one recipient in 'to', 'cc' or 'bcc'")
    if len(recipients) > _RECIPIENTS_MAX:
        raise InvalidInput(f"{len(recipients)} recipients are too many; one message goes to {_RECIPIENTS_MAX} at most")
    headers: dict[str, str | list[Address]] = {
        "From": _mailboxes("from", sender),
        "To": mailboxes["to"],
        "Cc": mailboxes["cc"],
        "Reply-To": mailboxes["reply_to"],
        "Subject": _line("subject", given.subject),
        "Date": formatdate(),
        "Message-ID": f"<{derived('email', key)}@perdure>",
    }
    message = EmailMessage(policy=SMTP)
    for name, value in headers.items():
        if value or name == "Subject":
            message[name] = value
    _fill(message, given)
    _read_again(message)
    return message, recipients


def _fill(message: EmailMessage, given: EmailInput) -> None:
    if given.text is not None:
        message.set_content(_body(given.text))
    if given.html is not None and given.text is not None:
        message.add_alternative(_body(given.html), subtype="html")
    elif given.html is not None:
        message.set_content(_body(given.html), subtype="html")


def _read_again(message: EmailMessage) -> None:
    """The library has written header lines from text before that were more than one. Count them as a server would."""
    expected = sorted(name.lower() for name in message)
    written = sorted(name.lower() for name in BytesHeaderParser().parsebytes(message.as_bytes()))
    if written != expected:
        raise InvalidInput(f"the headers of this message would be read as {written}, not as {expected}")


def _sender(sender: str, server: MailServer) -> str:
    chosen = sender or server.sender
    if not chosen:
        raise NoMailServer("no mail can be sent without a sender: the operator has to add ?from=address to SMTP_URL")
    return chosen


def _mailboxes(field: str, given: str | list[str]) -> list[Address]:
    field = {"reply_to": "replyTo"}.get(field, field)
    texts = [text for text in ([given] if isinstance(given, str) else given) if text]
    return [mailbox for text in texts for mailbox in _parsed(field, _line(field, text))]


def _parsed(field: str, text: str) -> list[Address]:
    kwds: dict[str, Json] = {"defects": []}
    try:
        UniqueAddressHeader.parse(text, kwds)
        found = [mailbox for group in kwds["groups"] for mailbox in group.addresses]
    except (MessageError, ValueError, IndexError, AttributeError) as error:  # what the parser raises on nonsense
        raise _no_address(field, text) from error
    if kwds["defects"] or not found or not all(_MAILBOX.fullmatch(each.addr_spec) for each in found):
        raise _no_address(field, text)
    return found


def _no_address(field: str, text: str) -> InvalidInput:
    return InvalidInput(f"{field!r}: {hidden(text)[:100]!r} is not an address like 'Ann <ann@example.com>'")


def _line(field: str, text: str) -> str:
    """What may stand in a header."""
    found = _CONTROL.search(text)
    if found is not None:
        raise InvalidInput(
            f"{field!r} has a line break or control character at position {found.start()}: headers cannot be injected;"
            " remove it"
        )
    if _ENCODED_WORD.search(text):
        raise InvalidInput(f"{field!r} has an encoded word (=?…?=); give the plain text, it is encoded when it is sent")
    if len(text) > _HEADER_LENGTH_MAX:
        raise InvalidInput(f"{field!r} has {len(text)} characters; {_HEADER_LENGTH_MAX} is the most")
    return text


def _body(text: str) -> str:
    return text.encode("utf-8", "replace").decode()
