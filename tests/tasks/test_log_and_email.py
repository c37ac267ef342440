"""The tasks `log` and `email`: records of the standard logger, and messages at a real SMTP server."""

from __future__ import annotations

import asyncio
import logging
import socket
from typing import Any

import pytest

from perdure.model.values import Json
from perdure.tasks import NonRetryable, Registry, Retryable, TaskContext, call, failure_of
from perdure.tasks.builtin import TaskSettings, builtins
from perdure.tasks.calling import InvalidInput
from perdure.tasks.email import EmailInput, NoMailServer, composed, email_task
from perdure.tasks.smtp import InvalidMailServer, MailFailed, MailRefused, MailServer, mail_server
from tasks.servers import SmtpServer, smtp_server, trusting_tls

CONTEXT = TaskContext(execution_id="e1", step="tell", attempt=3, idempotency_key="e1:9")
LETTER = {"to": "ann@example.com", "subject": "Hello", "text": "How are you?"}


def performed(task: str, given: Json, settings: TaskSettings | None = None) -> Any:
    found = builtins(settings).find(task)
    assert found is not None
    return asyncio.run(call(found, given, CONTEXT)).data


def mailed(server: SmtpServer, given: Json, *, scheme: str = "smtp", options: str = "", login: str = "") -> Any:
    registry = Registry()
    url = f"{scheme}://{login}localhost:{server.port}?from=Perdure%20%3Cno-reply%40example.com%3E{options}"
    registry.task("email")(email_task(url, ssl_context=trusting_tls()))
    found = registry.find("email")
    assert found is not None
    return asyncio.run(call(found, given, CONTEXT)).data


def test_every_engine_has_the_tasks_that_are_built_in() -> None:
    assert {task.name for task in builtins()} == {"http", "webhook", "log", "email"}


def test_a_log_line_has_its_level_text_and_fields(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG, "perdure.tasks"):
        result = performed("log", {"message": "paid 100 %s", "level": "warn", "data": {"id": 7}})
    (record,) = caplog.records
    assert (record.name, record.levelname, record.getMessage()) == ("perdure.tasks", "WARNING", "paid 100 %s")
    fields = vars(record)
    assert (fields["execution_id"], fields["step"], fields["attempt"], fields["data"]) == ("e1", "tell", 3, {"id": 7})
    assert result == {"message": "paid 100 %s", "level": "warn"}


def test_a_log_line_is_one_line(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG, "perdure.tasks"):
        performed("log", {"message": "a\r\nERROR forged\x1b[31m\u2028b"})
        performed("log", {"message": {"any": "value"}, "level": "debug"})
        performed("log", {"message": "x" * 100_000})
    assert caplog.records[0].getMessage() == "a\\r\\nERROR forged\\x1b[31m\\u2028b"
    assert caplog.records[1].getMessage() == "{'any': 'value'}"
    assert len(caplog.records[2].getMessage()) == 8000


def test_an_unknown_level_is_refused() -> None:
    with pytest.raises(InvalidInput, match="level"):
        performed("log", {"message": "a", "level": "loud"})


def test_a_message_arrives_as_it_was_written() -> None:
    with smtp_server() as server:
        result = mailed(
            server,
            {
                "to": ["Zoë <zoe@example.com>", "ann@example.com, Bob <bob@example.com>"],
                "cc": "cy@example.com",
                "bcc": ["dee@example.com", "ann@example.com"],
                "replyTo": "Support <help@example.com>",
                "subject": "Grüße, €5",
                "text": "plain ✓\n.\n..dots",
                "html": "<b>bold</b>",
            },
        )
    message = server.message()
    everybody = ["zoe@example.com", "ann@example.com", "bob@example.com", "cy@example.com", "dee@example.com"]
    assert server.senders == ["no-reply@example.com"]
    assert server.recipients == everybody
    assert str(message["from"]) == "Perdure <no-reply@example.com>"
    assert str(message["to"]) == "Zoë <zoe@example.com>, ann@example.com, Bob <bob@example.com>"
    assert str(message["cc"]) == "cy@example.com"
    assert str(message["reply-to"]) == "Support <help@example.com>"
    assert message["bcc"] is None
    assert b"dee@example.com" not in server.messages[0]
    assert message["subject"] == "Grüße, €5"
    assert [part.get_content_type() for part in message.iter_parts()] == ["text/plain", "text/html"]
    assert [part.get_content() for part in message.iter_parts()] == ["plain ✓\r\n.\r\n..dots\r\n", "<b>bold</b>\r\n"]
    assert result == {"messageId": message["message-id"], "accepted": everybody, "rejected": []}


def test_html_alone_is_html() -> None:
    with smtp_server() as server:
        mailed(server, {"to": "ann@example.com", "subject": "", "html": "<p>"})
    assert server.message().get_content_type() == "text/html"


def test_every_attempt_has_the_same_message_id() -> None:
    letter = EmailInput(to="ann@example.com", subject="s", text="t")
    first, again, other = (composed(letter, key, "me@example.com")[0]["message-id"] for key in ("k", "k", "l"))
    assert first == again != other


INJECTED = ["a\r\nBcc: evil@example.com", "a\nBcc: evil@example.com", "a\rb", "a\0", "a\u2028b", "a\x0bb", "a\x85b",
            "=?utf-8?q?a=0D=0ABcc:=20evil@example.com?=", "x =?UTF-8?B?YQ0KQmNjOiBldmls?= y"]  # fmt: skip


@pytest.mark.parametrize("text", INJECTED)
@pytest.mark.parametrize("field", ["subject", "to", "cc", "bcc", "replyTo"])
@pytest.mark.parametrize("as_name", [True, False])
def test_headers_cannot_be_injected(text: str, field: str, as_name: bool) -> None:
    value = text if field == "subject" or not as_name else f"{text} <ann@example.com>"
    with smtp_server() as server:
        with pytest.raises(InvalidInput, match=rf"'{field}' has (a line break|an encoded word)"):
            mailed(server, {**LETTER, field: value})
        assert (server.senders, server.messages) == ([], [])


@pytest.mark.parametrize(
    "address",
    ["nobody", "@example.com", "ann@", "a b@example.com", "<>", "ann@example.com> RCPT TO:<evil@example.com",
     "ann@@example.com", "ann@exam ple.com", '"a b"@example.com', "ann@example.com;", ",", "undisclosed:;"],
)  # fmt: skip
def test_what_is_no_address_is_refused(address: str) -> None:
    with pytest.raises(InvalidInput, match=r"'to': .* is not an address like"):
        composed(EmailInput(to=address, subject="s", text="t"), "k", "me@example.com")


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"to": []}, "at least one recipient"),
        ({"to": [f"a{number}@example.com" for number in range(101)]}, "too many"),
        ({"text": None}, "'text', 'html' or both"),
        ({"subject": "x" * 3000}, "2000 is the most"),
        ({"to": "a" * 100_000}, "2000 is the most"),
        ({"subject": 5}, "Expected `str`"),
    ],
)
def test_messages_that_cannot_be_sent_are_refused(changes: dict[str, Json], said: str) -> None:
    with smtp_server() as server:
        with pytest.raises(InvalidInput, match=said):
            mailed(server, {**LETTER, **changes})
        assert server.senders == []


def test_a_recipient_that_is_refused_is_told_and_the_others_get_it() -> None:
    with smtp_server() as server:
        server.answers["gone@example.com"] = "550 no such user"
        result = mailed(server, {**LETTER, "cc": "gone@example.com"})
    assert result["accepted"] == ["ann@example.com"]
    assert result["rejected"] == [{"address": "gone@example.com", "code": 550, "message": "no such user"}]
    assert len(server.messages) == 1


@pytest.mark.parametrize(
    ("command", "answer", "kind"),
    [
        ("ann@example.com", "550 no such user", MailRefused),
        ("ann@example.com", "450 greylisted", MailFailed),
        ("MAIL", "421 busy", MailFailed),
        ("MAIL", "553 not you", MailRefused),
        ("END", "554 spam", MailRefused),
        ("END", "452 disk full", MailFailed),
    ],
)
def test_what_the_server_answers_decides_about_another_try(command: str, answer: str, kind: type[Exception]) -> None:
    with smtp_server() as server:
        server.answers[command] = answer
        with pytest.raises(kind, match=answer) as caught:
            mailed(server, LETTER)
    assert failure_of(caught.value).retriable is issubclass(kind, Retryable)


def test_nobody_listening_is_tried_again() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        server = SmtpServer(port=listening.getsockname()[1])
    with pytest.raises(MailFailed, match="cannot be used"):
        mailed(server, LETTER)


def test_tls_from_the_first_byte_and_a_login() -> None:
    with smtp_server(implicit_tls=True) as server:
        mailed(server, LETTER, scheme="smtps", login="ann%40example.com:p%3Aw@")
    assert server.logins == [("ann@example.com", "p:w", True)]
    assert len(server.messages) == 1


def test_starttls_is_used_where_it_is_offered() -> None:
    with smtp_server(offers_tls=True) as server:
        mailed(server, LETTER, login="ann:pw@")
    assert server.logins == [("ann", "pw", True)]


def test_a_password_is_not_sent_in_the_clear_unless_the_operator_says_so() -> None:
    with smtp_server() as server:
        with pytest.raises(MailRefused, match="offers no STARTTLS"):
            mailed(server, LETTER, login="ann:pw@")
        assert server.logins == []
        mailed(server, LETTER, login="ann:pw@", options="&starttls=never")
        assert server.logins == [("ann", "pw", False)]


def test_a_wrong_password_is_not_tried_again() -> None:
    with smtp_server(implicit_tls=True, AUTH="535 wrong") as server, pytest.raises(MailRefused, match="535 wrong"):
        mailed(server, LETTER, scheme="smtps", login="ann:pw@")


def test_a_mail_server_that_cannot_be_trusted_is_not_used() -> None:
    with smtp_server(implicit_tls=True) as server:
        url = f"smtps://localhost:{server.port}?from=me%40example.com"
        with pytest.raises(MailFailed, match="CERTIFICATE_VERIFY_FAILED"):
            performed("email", LETTER, TaskSettings(smtp_url=url))
        assert server.messages == []


def test_without_a_mail_server_or_a_sender_the_operator_is_named() -> None:
    with pytest.raises(NoMailServer, match="set SMTP_URL") as caught:
        performed("email", LETTER)
    assert isinstance(caught.value, NonRetryable)
    with pytest.raises(NoMailServer, match=r"\?from=address"):
        performed("email", LETTER, TaskSettings(smtp_url="smtp://localhost:1"))


def test_the_sender_of_the_settings_goes_first() -> None:
    with smtp_server() as server:
        url = f"smtp://localhost:{server.port}?from=url%40example.com"
        performed("email", LETTER, TaskSettings(smtp_url=url, email_from="Settings <settings@example.com>"))
    assert server.senders == ["settings@example.com"]


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("smtp://mail", MailServer("mail", 587)),
        ("smtp://mail:25", MailServer("mail", 25)),
        ("smtps://mail", MailServer("mail", 465, "tls")),
        ("smtp://a:b@mail", MailServer("mail", 587, "starttls", "a", "b")),
        ("smtp://a%40x.y:b%2F@mail", MailServer("mail", 587, "starttls", "a@x.y", "b/", "a@x.y")),
        ("smtp://mail?starttls=always&from=x%40y.z", MailServer("mail", 587, "starttls", sender="x@y.z")),
        ("smtp://[::1]:2525", MailServer("::1", 2525)),
    ],
)
def test_smtp_url_says_where_and_how(url: str, expected: MailServer) -> None:
    assert mail_server(url) == expected


@pytest.mark.parametrize(
    "url",
    [
        "mail",
        "http://mail",
        "smtp://",
        "smtp://a:hunter2@mail:x",
        "smtp://a:hunter2@mail?starttls=maybe",
        "smtp://[a:hunter2",
    ],
)
def test_a_bad_smtp_url_is_told_at_the_start_without_its_password(url: str) -> None:
    with pytest.raises(InvalidMailServer) as caught:
        builtins(TaskSettings(smtp_url=url))
    assert "hunter2" not in str(caught.value)
