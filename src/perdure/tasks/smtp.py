"""The operator's mail server, and how a message is handed to it.

The server is named by the operator, not by authors, so its address is not judged by the door. Passwords do not travel
in the clear: with a user name, TLS is demanded unless the operator says `?starttls=never`.
"""

from __future__ import annotations

import smtplib
import ssl
from email.message import EmailMessage
from typing import Final, Literal
from urllib.parse import parse_qs, unquote, urlsplit

from msgspec import Struct

from perdure.errors import PerdureError
from perdure.model.values import Json
from perdure.tasks.failing import NonRetryable, Retryable
from perdure.tasks.redaction import hidden

_PORTS: Final = {"smtp": 587, "smtps": 465}
_TIMEOUT_SECONDS: Final = 30.0
_TEMPORARY: Final = range(400, 500)
_FORM: Final = "smtp://user:password@host:587 or smtps://host, with ?from=address"


class InvalidMailServer(PerdureError, code="invalid_mail_server"):
    """SMTP_URL cannot be read. Its password is never part of the message."""


class MailRefused(NonRetryable, public_name="MailRefused"):
    """The mail server will not take this message."""


class MailFailed(Retryable, public_name="MailFailed"):
    """The mail server could not be reached, or asks to come back later."""


class MailServer(Struct, frozen=True):
    """`security`: TLS from the first byte; by STARTTLS; by STARTTLS where it is offered; or never."""

    host: str
    port: int
    security: Literal["tls", "starttls", "offered", "never"] = "offered"
    user: str = ""
    password: str = ""
    sender: str = ""


def mail_server(url: str) -> MailServer:
    """What SMTP_URL says. `?from=` is the sender; `?starttls=always|never` where the server's offer is not to decide."""
    try:
        parts = urlsplit(url.strip())
        port = parts.port
    except ValueError:
        raise InvalidMailServer(f"SMTP_URL has a port or host that cannot be read; write {_FORM}") from None
    if parts.scheme not in _PORTS or not parts.hostname:
        raise InvalidMailServer(f"SMTP_URL must be {_FORM}")
    options = parse_qs(parts.query)
    user, password = unquote(parts.username or ""), unquote(parts.password or "")
    wanted = options.get("starttls", ["always" if user else "offered"])[0]
    security: dict[str, Literal["starttls", "offered", "never"]]
    security = {"always": "starttls", "offered": "offered", "never": "never"}
    if wanted not in security:
        raise InvalidMailServer("SMTP_URL: starttls is 'always', 'offered' or 'never'")
    return MailServer(
        host=parts.hostname,
        port=port or _PORTS[parts.scheme],
        security="tls" if parts.scheme == "smtps" else security[wanted],
        user=user,
        password=password,
        sender=options.get("from", [user if "@" in user else ""])[0],
    )


def hand_over(
    server: MailServer, message: EmailMessage, sender: str, recipients: list[str], tls: ssl.SSLContext
) -> list[dict[str, Json]]:
    """Blocks until the server has taken the message, and answers with the recipients that it did not take."""
    try:
        with _connection(server, tls) as connection:
            if server.security in ("starttls", "offered"):
                _secure(server, connection, tls)
            if server.user:
                connection.login(server.user, server.password)
            refused = connection.send_message(message, sender, recipients)
    except smtplib.SMTPRecipientsRefused as error:
        raise _all_refused(_told(error.recipients)) from error
    except smtplib.SMTPResponseException as error:
        raise _answered(server, error) from error
    except smtplib.SMTPNotSupportedError as error:
        raise MailRefused(f"mail server {server.host!r}: {error}") from error
    except (smtplib.SMTPException, OSError) as error:
        raise MailFailed(f"mail server {server.host!r}:{server.port} cannot be used: {error}") from error
    return _told(refused)


def _connection(server: MailServer, tls: ssl.SSLContext) -> smtplib.SMTP:
    if server.security == "tls":
        return smtplib.SMTP_SSL(server.host, server.port, timeout=_TIMEOUT_SECONDS, context=tls)
    return smtplib.SMTP(server.host, server.port, timeout=_TIMEOUT_SECONDS)


def _secure(server: MailServer, connection: smtplib.SMTP, tls: ssl.SSLContext) -> None:
    connection.ehlo_or_helo_if_needed()
    if connection.has_extn("starttls"):
        connection.starttls(context=tls)
        connection.ehlo()
    elif server.security == "starttls":
        raise MailRefused(
            f"mail server {server.host!r} offers no STARTTLS, and a password is not sent in the clear;"
            " use smtps://, or allow it with ?starttls=never in SMTP_URL"
        )


def _told(refused: dict[str, tuple[int, bytes]]) -> list[dict[str, Json]]:
    return [{"address": each, "code": code, "message": _text(said)} for each, (code, said) in refused.items()]


def _all_refused(refused: list[dict[str, Json]]) -> MailFailed | MailRefused:
    told = ", ".join(f"{each['address']} ({each['code']} {each['message']})" for each in refused)
    details = {"rejected": refused}
    if all(each["code"] in _TEMPORARY for each in refused):
        return MailFailed(f"the mail server takes none of the recipients now: {told}", details=details)
    return MailRefused(f"the mail server takes none of the recipients: {told}", details=details)


def _answered(server: MailServer, error: smtplib.SMTPResponseException) -> MailFailed | MailRefused:
    said = f"mail server {server.host!r} answered {error.smtp_code} {_text(error.smtp_error)}"
    # Below zero: the connection broke in the middle of an answer.
    return MailFailed(said) if error.smtp_code in _TEMPORARY or error.smtp_code < 0 else MailRefused(said)


def _text(said: bytes | str) -> str:
    return hidden(said.decode("utf-8", "replace") if isinstance(said, bytes) else said)[:500]
