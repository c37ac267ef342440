"""Mail that goes to one member who is asked has a link for them; what goes to several, or to nobody in particular, has none."""

from __future__ import annotations

import asyncio
import re
from email.message import EmailMessage
from email.parser import BytesParser
from email.policy import default
from typing import Any

import pytest

from api.house import House, house, run
from links.words import asked, item, read, sent
from perdure.clock import now_ms
from perdure.store.notices import NOTICES
from tasks.servers import SmtpServer, smtp_server

PUBLIC = "https://flows.example.com"


async def told(there: House, count: int) -> None:
    """So many notices have been sent."""
    while True:
        found = (await there.engine.executions.list(workflow=NOTICES)).items
        if len(found) >= count and all(each.ended_at is not None for each in found):
            assert {each.status for each in found} == {"completed"}
            return
        await asyncio.sleep(0.01)


def mails(server: SmtpServer) -> list[EmailMessage]:
    return [BytesParser(policy=default).parsebytes(each) for each in server.messages]


def link_in(message: EmailMessage) -> str | None:
    found = re.search(rf"{PUBLIC}(/a/\S+)", message.get_content())
    return None if found is None else found.group(1)


def test_mail_to_one_member_who_is_asked_has_a_link_for_them(monkeypatch: pytest.MonkeyPatch) -> None:
    with smtp_server() as server:
        monkeypatch.setenv("SMTP_URL", f"smtp://127.0.0.1:{server.port}?from=flows@example.com")
        monkeypatch.setenv("PERDURE_PUBLIC_URL", PUBLIC)

        async def scenario() -> None:
            async with house() as there, there.ask() as client:
                engine = there.engine
                await engine.members.add("ann", email="ann@example.com")
                await engine.notifiers.add("mail", "email", on=["opened", "decided"])
                approval = await asked(engine, {"sum": 90}, approverMemberId="ann")
                await told(there, 1)
                (mail,) = mails(server)
                path = link_in(mail)
                assert path is not None
                assert "Approve or reject it here, as ann" in mail.get_content()
                assert f"{PUBLIC}/approvals/{approval}" in mail.get_content()
                assert "You decide as ann" in read(await client.get(path)).text
                assert (await sent(client, path)).status_code == 200
                assert (await item(there, approval)).decided_by == "ann"
                await told(there, 2)
                assert link_in(mails(server)[1]) is None  # there is nothing more to decide
                notice = (await engine.executions.list(workflow=NOTICES)).items[-1]
                history = await (await engine.executions.get(notice.id)).history()
                assert "/a/" not in repr(history)

        run(scenario())


def test_a_link_in_mail_is_not_for_who_comes_under_that_name_later(monkeypatch: pytest.MonkeyPatch) -> None:
    with smtp_server() as server:
        monkeypatch.setenv("SMTP_URL", f"smtp://127.0.0.1:{server.port}?from=flows@example.com")
        monkeypatch.setenv("PERDURE_PUBLIC_URL", PUBLIC)

        async def scenario() -> None:
            async with house() as there, there.ask() as client:
                members = there.engine.members
                await members.add("ann", email="ann@example.com")
                await there.engine.notifiers.add("mail", "email", on=["opened"])
                approval = await asked(there.engine, {"sum": 90}, approverMemberId="ann")
                await told(there, 1)
                path = link_in(mails(server)[0])
                assert path is not None
                await members.remove("ann")
                monkeypatch.setattr("perdure.hosts.embedded.Host.now_ms", lambda _: now_ms() + 10)
                await members.add("ann", email="another@example.com")
                assert (await sent(client, path)).status_code == 403
                assert (await item(there, approval)).status == "pending"

        run(scenario())


def test_mail_to_several_or_to_who_may_not_decide_has_none(monkeypatch: pytest.MonkeyPatch) -> None:
    with smtp_server() as server:
        monkeypatch.setenv("SMTP_URL", f"smtp://127.0.0.1:{server.port}?from=flows@example.com")
        monkeypatch.setenv("PERDURE_PUBLIC_URL", PUBLIC)

        async def scenario() -> None:
            async with house() as there:
                engine = there.engine
                await engine.members.add(
                    "ann", roles=["operator"], groups=["one", "two", "twins"], email="ann@example.com"
                )
                await engine.members.add("bob", groups=["two"], email="bob@example.com")
                await engine.members.add("twin", groups=["twins"], email="ann@example.com")
                await engine.members.add("mute", groups=["one"])
                await engine.notifiers.add("mail", "email", on=["opened"])
                own = {"approverMemberId": "ann", "separationOfDuties": True, "actor": "ann"}
                asks: list[tuple[dict[str, Any], bool]] = [
                    ({"approverRole": "one"}, True),  # another one is asked as well, and has no address
                    ({"approverRole": "two"}, False),
                    ({"approverRole": "twins"}, False),  # one address, and two who read there
                    (own, False),
                ]
                for sent_so_far, (data, has_link) in enumerate(asks, 1):
                    await asked(engine, {"sum": 90}, **data)
                    await told(there, sent_so_far)
                    assert (link_in(mails(server)[-1]) is not None) == has_link, data
                await engine.notifiers.remove("mail")
                await engine.notifiers.add("desk", "email", on=["opened"], to=["ann@example.com"])
                await asked(engine, {"sum": 90}, approverMemberId="ann")
                await told(there, len(asks) + 1)
                assert link_in(mails(server)[-1]) is None  # an address that an admin wrote down, whoever reads there

        run(scenario())


@pytest.mark.parametrize("missing", ["PERDURE_PUBLIC_URL", "PERDURE_SECRET_KEY"])
def test_without_a_key_or_an_address_of_the_server_mail_has_no_link(
    missing: str, monkeypatch: pytest.MonkeyPatch, tmp_path: object
) -> None:
    monkeypatch.setenv("PERDURE_PUBLIC_URL", PUBLIC)
    monkeypatch.setenv("PERDURE_SECRET_KEY", "00" * 31 + "01")
    monkeypatch.delenv(missing)
    with smtp_server() as server:
        monkeypatch.setenv("SMTP_URL", f"smtp://127.0.0.1:{server.port}?from=flows@example.com")

        async def scenario() -> None:
            async with house(f"sqlite:///{tmp_path}/flows.db") as there:
                await there.engine.members.add("ann", email="ann@example.com")
                await there.engine.notifiers.add("mail", "email")
                await asked(there.engine, {"sum": 90}, approverMemberId="ann")
                await told(there, 1)
                (mail,) = mails(server)
                assert "/a/" not in mail.get_content()

        run(scenario())
