"""Notifiers: kept by admins, told of what they want to be told of, each once; and built-in executions that nobody else sees."""

from __future__ import annotations

import asyncio
import base64
import hmac
import json
import logging
from collections.abc import Awaitable, Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from perdure.model.steps import Approval, EventWait, Step
from perdure.model.workflow import EventStart
from perdure.service.engine import Engine
from perdure.service.errors import Conflict, Forbidden, NotFound, Refused
from perdure.store.notices import NOTICES
from perdure.testing.words import k, obj, x
from service.words import begun, one
from tasks.servers import Received, Reply, http_server, smtp_server

SECRET = "whsec_" + base64.b64encode(b"a signing secret").decode()


def once(url: str, ask: Callable[[Engine], Awaitable[None]]) -> None:
    async def within() -> None:
        async with Engine(url) as engine:
            await asyncio.wait_for(ask(engine), 60)

    asyncio.run(within())


async def ask_somebody(engine: Engine, given: Any = None, **more: Any) -> str:
    """A new approval."""
    organization = more.pop("organization", "default")
    workflow = one(Step("review", Approval(x("input"), **more)), f"ask {sorted(more)}")
    execution = await begun(engine, workflow, given, organization=organization)
    while not (page := await engine.approvals.list(execution=execution.id, organization=organization)).items:  # noqa: ASYNC110
        await asyncio.sleep(0.005)
    return page.items[0].id


async def notices(engine: Engine, count: int, organization: str = "default") -> list[str]:
    """How those have ended of which there are so many."""
    while True:
        found = (await engine.executions.list(workflow=NOTICES, organization=organization)).items
        if len(found) >= count and all(record.ended_at is not None for record in found):
            return [record.status for record in found]
        await asyncio.sleep(0.01)


@pytest.fixture(params=["memory", "sqlite"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return "memory://" if request.param == "memory" else f"sqlite:///{tmp_path}/flows.db"


def test_a_webhook_is_called_once_for_each_topic_signed_and_with_the_whole_approval(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PERDURE_NOTIFIER_KEY", SECRET)
    monkeypatch.setenv("PERDURE_PUBLIC_URL", "https://flows.example.com")
    with http_server() as server:
        monkeypatch.setenv("PERDURE_ALLOW_ADDRESSES", f"127.0.0.1:{server.port}")

        async def ask(engine: Engine) -> None:
            topics = ["opened", "decided"]
            await engine.notifiers.add(
                "hook", "webhook", on=topics, url=server.url("/hook"), signing_secret="env:PERDURE_NOTIFIER_KEY"
            )
            id_ = await ask_somebody(engine, {"sum": 5}, member=k("ann"))
            await notices(engine, 1)
            await engine.approvals.decide(id_, "approve", by="ann")
            assert await notices(engine, 2) == ["completed", "completed"]
            opened, decided = (json.loads(each.body) for each in server.received)
            assert (opened["type"], decided["type"]) == ("approval.opened", "approval.decided")
            assert opened["data"]["id"] == id_
            assert opened["data"]["submittedData"] == {"sum": 5}
            assert opened["data"]["deeplink"] == f"https://flows.example.com/approvals/{id_}"
            assert (decided["data"]["status"], decided["data"]["decidedBy"]) == ("approved", "ann")
            assert len({each.headers["webhook-id"] for each in server.received}) == 2

        once(url, ask)
        for each in server.received:
            signed = f"{each.headers['webhook-id']}.{each.headers['webhook-timestamp']}.{each.body.decode()}"
            made = base64.b64encode(hmac.new(b"a signing secret", signed.encode(), sha256).digest()).decode()
            assert each.headers["webhook-signature"] == f"v1,{made}"
            assert each.headers["content-type"] == "application/json"


def test_what_fails_is_tried_again_under_the_same_id_and_others_are_not_told_twice(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    tries: list[str] = []

    def reply(received: Received) -> Reply:
        if received.path == "/bad":
            tries.append(received.headers["webhook-id"])
            return Reply(503 if len(tries) < 2 else 200)
        return Reply()

    with http_server(reply) as server:
        monkeypatch.setenv("PERDURE_ALLOW_ADDRESSES", f"127.0.0.1:{server.port}")

        async def ask(engine: Engine) -> None:
            for name in ("bad", "good"):
                await engine.notifiers.add(name, "webhook", url=server.url(f"/{name}"))
            await ask_somebody(engine)
            assert await notices(engine, 1) == ["completed"]

        once(url, ask)
        assert [each.path for each in server.received].count("/good") == 1
        assert len(tries) == 2
        assert len(set(tries)) == 1


@pytest.mark.parametrize("secret", [SECRET, "a signing secret"])
def test_a_webhook_may_be_signed_with_a_secret_of_the_organization(
    url: str, monkeypatch: pytest.MonkeyPatch, secret: str
) -> None:
    monkeypatch.setenv("PERDURE_SECRET_KEY", base64.b64encode(bytes(range(32))).decode())
    with http_server(lambda _: Reply(200)) as server:
        monkeypatch.setenv("PERDURE_ALLOW_ADDRESSES", f"127.0.0.1:{server.port}")

        async def ask(engine: Engine) -> None:
            await engine.secrets.set("HOOK_KEY", secret)
            await engine.notifiers.add("hook", "webhook", url=server.url("/hook"), signing_secret="secret:HOOK_KEY")
            await ask_somebody(engine)
            assert await notices(engine, 1) == ["completed"]

        once(url, ask)
        (received,) = server.received
        signed = f"{received.headers['webhook-id']}.{received.headers['webhook-timestamp']}.".encode() + received.body
        made = base64.b64encode(hmac.new(b"a signing secret", signed, sha256).digest()).decode()
        assert received.headers["webhook-signature"] == f"v1,{made}"


def test_what_can_never_be_sent_is_seen_as_failed_and_the_rest_is_sent(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with http_server(lambda received: Reply(410 if received.path == "/gone" else 200)) as server:
        monkeypatch.setenv("PERDURE_ALLOW_ADDRESSES", f"127.0.0.1:{server.port}")

        async def ask(engine: Engine) -> None:
            await engine.notifiers.add("gone", "webhook", url=server.url("/gone"))
            await engine.notifiers.add("there", "webhook", url=server.url("/there"))
            missing = "env:PERDURE_NOTIFIER_MISSING"
            await engine.notifiers.add("unsigned", "webhook", url=server.url("/no"), signing_secret=missing)
            id_ = await ask_somebody(engine)
            assert await notices(engine, 1) == ["failed"]
            (failed,) = (await engine.executions.list(workflow=NOTICES)).items
            assert failed.error is not None
            assert failed.error.message.startswith("item ")
            assert "notifier 'unsigned' is signed with env:PERDURE_NOTIFIER_MISSING" in failed.error.message or (
                "410" in failed.error.message
            )
            assert (await engine.approvals.get(id_)).status == "pending"

        once(url, ask)
        assert sorted(each.path for each in server.received) == ["/gone", "/there"]


def test_what_could_not_be_sent_is_sent_by_a_retry_and_the_rest_is_not_sent_again(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    tries: list[str] = []

    def reply(received: Received) -> Reply:
        tries.append(received.path)
        return Reply(503 if received.path == "/busy" and tries.count("/busy") < 2 else 200)

    with http_server(reply) as server:
        monkeypatch.setenv("PERDURE_ALLOW_ADDRESSES", f"127.0.0.1:{server.port}")
        monkeypatch.delenv("PERDURE_NOTIFIER_DESK", raising=False)

        async def ask(engine: Engine) -> None:
            signed = "env:PERDURE_NOTIFIER_DESK"
            await engine.notifiers.add("a-desk", "webhook", url=server.url("/desk"), signing_secret=signed)
            await engine.notifiers.add("busy", "webhook", url=server.url("/busy"))
            for number in range(9):
                await engine.notifiers.add(f"other{number}", "webhook", url=server.url("/other"))
            await ask_somebody(engine)
            assert await notices(engine, 1) == ["failed"]
            (failed,) = (await engine.executions.list(workflow=NOTICES)).items
            assert failed.error is not None
            assert failed.error.message.startswith("item 0: notifier 'a-desk' is signed with env:PERDURE_NOTIFIER_DESK")
            assert sorted(tries) == ["/busy"] * 2 + ["/other"] * 9
            monkeypatch.setenv("PERDURE_NOTIFIER_DESK", SECRET)
            execution = await engine.executions.get(failed.id)
            await execution.retry()
            await execution.result()
            assert sorted(tries) == ["/busy"] * 2 + ["/desk"] + ["/other"] * 9

        once(url, ask)


def test_mail_goes_to_whoever_is_asked(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with smtp_server() as server:
        monkeypatch.setenv("SMTP_URL", f"smtp://127.0.0.1:{server.port}?from=flows@example.com")
        monkeypatch.setenv("PERDURE_PUBLIC_URL", "https://flows.example.com")

        async def ask(engine: Engine) -> None:
            await engine.members.add("ann", email="ann@example.com")
            await engine.members.add("fin1", groups=["finance"], email="fin1@example.com")
            await engine.members.add("fin2", groups=["finance"], email="fin2@example.com")
            await engine.members.add("apr", roles=["approver"], email="apr@example.com")
            await engine.notifiers.add("mail", "email", on=["opened"])
            asked: list[tuple[dict[str, Any], list[str]]] = [
                ({"member": k("ann")}, ["ann@example.com"]),
                ({"role": k("finance")}, ["fin1@example.com", "fin2@example.com"]),
                ({}, ["apr@example.com"]),
                ({"member": k("nobody")}, []),
            ]
            for sent, (more, to) in enumerate(asked, 1):
                server.recipients.clear()
                id_ = await ask_somebody(engine, {"sum": 5}, **more)
                assert set(await notices(engine, sent)) == {"completed"}
                assert server.recipients == to
            assert len(server.messages) == 3
            assert b"https://flows.example.com/approvals/" in server.messages[0]
            assert id_.encode() not in b"".join(server.messages)

        once(url, ask)


def test_whom_it_was_handed_to_is_told(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with smtp_server() as server:
        monkeypatch.setenv("SMTP_URL", f"smtp://127.0.0.1:{server.port}?from=flows@example.com")

        async def ask(engine: Engine) -> None:
            for name in ("ann", "boss"):
                await engine.members.add(name, email=f"{name}@example.com")
            await engine.notifiers.add("mail", "email", on=["escalated"])
            due = {"due_at": x("now + 1"), "on_timeout": "escalate", "escalate_to": k("boss")}
            await ask_somebody(engine, member=k("ann"), **due)
            assert await notices(engine, 1) == ["completed"]
            assert server.recipients == ["boss@example.com"]

        once(url, ask)


def test_an_overdue_approval_is_told_where_that_is_wanted(url: str, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "perdure.tasks")

    async def ask(engine: Engine) -> None:
        await engine.notifiers.add("log", "log", on=["overdue", "decided"])
        await ask_somebody(engine, due_at=x("now + 1"))
        assert await notices(engine, 1) == ["completed"]
        await ask_somebody(engine, due_at=x("now + 1"), on_timeout="approve")
        assert await notices(engine, 2) == ["completed", "completed"]

    once(url, ask)
    said = [record.getMessage() for record in caplog.records if record.name == "perdure.tasks.notices"]
    assert [" is overdue: " in line or " is decided: " in line for line in said] == [True, True]


def test_what_is_decided_before_it_could_be_told_is_not_told(url: str, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "perdure.tasks")

    async def ask(engine: Engine) -> None:
        await engine.notifiers.add("log", "log")
        await ask_somebody(engine, due_at=x("now"), on_timeout="approve")
        assert await notices(engine, 1) == ["completed"]

    once(url, ask)
    assert [record for record in caplog.records if record.name == "perdure.tasks.notices"] == []


def test_without_a_notifier_that_wants_it_nothing_is_started(url: str) -> None:
    async def ask(engine: Engine) -> None:
        await engine.notifiers.add("elsewhere", "log", organization="acme")
        await engine.notifiers.add("later", "log", on=["decided"])
        id_ = await ask_somebody(engine)
        assert (await engine.executions.list(workflow=NOTICES)).items == ()
        await engine.notifiers.remove("later")
        await engine.approvals.decide(id_, "approve")
        await ask_somebody(engine)
        assert (await engine.executions.list(workflow=NOTICES)).items == ()

    once(url, ask)


def test_notices_are_in_no_list_and_start_and_wake_nobody(url: str) -> None:
    async def ask(engine: Engine) -> None:
        await engine.notifiers.add("log", "log")
        starts = (EventStart("workflow.*"),)
        await engine.workflows.save(one(Step("wait", EventWait(k("never"))), "watcher", starts=starts))
        id_ = await ask_somebody(engine)
        assert await notices(engine, 1) == ["completed"]
        ways: list[dict[str, Any]] = [{}, {"status": "completed"}, {"started_after": 0}]
        for more in ways:
            listed = (await engine.executions.list(**more)).items
            assert NOTICES not in {record.workflow for record in listed}
        told = [each.event for each in (await engine.events.list(type="workflow.*")).items]
        assert {event.data["executionId"] for event in told} & {
            record.id for record in (await engine.executions.list(workflow=NOTICES)).items
        } == set()
        assert (await engine.approvals.get(id_)).status == "pending"

    once(url, ask)


def test_only_an_admin_keeps_notifiers_and_that_is_audited(url: str) -> None:
    async def ask(engine: Engine) -> None:
        await engine.members.add("boss", roles=["admin"])
        await engine.members.add("ann", roles=["editor"])
        for attempt in (
            lambda: engine.notifiers.add("log", "log", actor="ann"),
            lambda: engine.notifiers.remove("hook", actor="ann"),
        ):
            await engine.notifiers.add("hook", "webhook", url="https://example.com", actor="boss")
            with pytest.raises(Forbidden, match="takes the role admin"):
                await attempt()
            assert [each.id for each in await engine.notifiers.list(actor="ann")] == ["hook"]
            await engine.notifiers.remove("hook", actor="boss")
        with pytest.raises(NotFound, match="no notifier 'hook'"):
            await engine.notifiers.get("hook")
        actions = [entry.action for entry in (await engine.audit.list(limit=2)).items]
        assert actions == ["notifier.removed", "notifier.added"]

    once(url, ask)


def test_all_that_is_wrong_with_a_notifier_is_told_at_once(url: str) -> None:
    async def ask(engine: Engine) -> None:
        with pytest.raises(Refused) as refused:
            await engine.notifiers.add("", "pigeon", on=["opend"], to=["x"], signing_secret=SECRET)  # type: ignore[arg-type]
        assert [problem.path for problem in refused.value.problems] == [
            "/id",
            "/kind",
            "/on",
            "/signing_secret",
            "/to",
            "/to",
        ]
        assert SECRET not in str(refused.value)
        for wrong in (
            "ftp://x",
            "https://",
            "https://user:pass@example.com",
            "https://a b",
            "https://[",
            "https://x:99999",
        ):
            with pytest.raises(Refused, match="no URL that can be called"):
                await engine.notifiers.add("hook", "webhook", url=wrong)
        with pytest.raises(Refused, match="nothing else has one"):
            await engine.notifiers.add("log", "log", url="https://x")
        with pytest.raises(Refused, match="tell of nothing"):
            await engine.notifiers.add("log", "log", on=[])
        with pytest.raises(Refused, match="a webhook needs a url"):
            await engine.notifiers.add("hook", "webhook")
        await engine.notifiers.add("log", "log")
        with pytest.raises(
            Conflict, match="already"
        ):  # the very same within a millisecond would be taken for sent again
            await engine.notifiers.add("log", "log", on=["decided"])

    once(url, ask)


def test_mail_and_log_call_an_approval_by_its_title(
    url: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    with smtp_server() as server:
        monkeypatch.setenv("SMTP_URL", f"smtp://127.0.0.1:{server.port}?from=flows@example.com")

        async def ask(engine: Engine) -> None:
            await engine.notifiers.add("mail", "email", on=["opened"], to=["ops@example.com"])
            await engine.notifiers.add("log", "log", on=["opened"])
            details = obj(title="Refund\r\n90?", description="The parcel arrived broken.")
            await begun(engine, one(Step("ask", Approval(obj(sum=90), details=details)), "titled"))
            assert await notices(engine, 1) == ["completed"]
            message = server.message()
            assert message["Subject"] == "[medium] Refund  90? asks for a decision"
            text = message.get_payload(decode=True)
            assert b"The parcel arrived broken." in text
            assert b"Step: ask" in text

        with caplog.at_level("INFO", "perdure.tasks.notices"):
            once(url, ask)
    (said,) = [each.getMessage() for each in caplog.records if each.name == "perdure.tasks.notices"]
    assert "of step 'ask', 'Refund  90?', asks for a decision" in said


def test_what_stands_in_a_workflow_cannot_break_a_mail(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with smtp_server() as server:
        monkeypatch.setenv("SMTP_URL", f"smtp://127.0.0.1:{server.port}?from=flows@example.com")

        async def ask(engine: Engine) -> None:
            await engine.notifiers.add("mail", "email", on=["opened"], to=["ops@example.com"])
            name = "a\r\nBcc: mallory@example.com =?utf-8?q?x?="
            workflow = one(Step(name, Approval(obj(note="\r\n.\r\nQUIT"))), "odd")
            await begun(engine, workflow)
            assert await notices(engine, 1) == ["completed"]
            assert server.recipients == ["ops@example.com"]
            assert server.message()["Bcc"] is None

        once(url, ask)
