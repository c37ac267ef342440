"""What a link may is what its member may when it is used; and what is over is said kindly, with who decided and when."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from api.house import House, database, house, run
from links.words import asked, item, link, read, sent, signed
from perdure.clock import now_ms
from perdure.hosts.envelopes import new_key
from perdure.service.links import DAY_MS

SECRET = "the-number-of-the-account"


async def people(there: House) -> None:
    for name in ("ann", "bob"):
        await there.engine.members.add(name, groups=["finance"])


def test_who_is_no_member_any_more_sees_and_decides_nothing() -> None:
    async def scenario() -> None:
        async with house() as there, there.ask() as client:
            await people(there)
            approval = await asked(there.engine, {"account": SECRET}, metadata={"title": SECRET})
            path = await link(there, approval)
            assert SECRET in (await client.get(path)).text
            await there.engine.members.remove("ann")
            looked, tried = await client.get(path), await sent(client, path)
            assert (looked.status_code, tried.status_code) == (200, 403)
            for page in (looked, tried):
                assert "made for ann, who is not a member any more" in read(page).text
                assert SECRET not in page.text
                assert not read(page).has_form
            assert (await item(there, approval)).status == "pending"
            await there.engine.members.remove(
                "bob"
            )  # where there are no members, a name decides: but not one of before
            assert (await sent(client, path)).status_code == 403
            assert (await item(there, approval)).status == "pending"

    run(scenario())


def test_who_comes_under_the_name_of_somebody_who_left_decides_nothing_by_a_link_of_theirs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def scenario() -> None:
        async with house() as there, there.ask() as client:
            await people(there)
            approval = await asked(there.engine, {"account": SECRET})
            path = await link(there, approval)
            await there.engine.members.change("ann", name="Ann")  # she is the same
            assert read(await client.get(path)).has_form
            await there.engine.members.remove("ann")
            monkeypatch.setattr("perdure.hosts.embedded.Host.now_ms", lambda _: now_ms() + 10)
            await there.engine.members.add("ann", groups=["finance"])
            looked, tried = await client.get(path), await sent(client, path)
            assert (looked.status_code, tried.status_code) == (200, 403)
            assert "made for ann, who is not a member any more" in read(tried).text
            assert SECRET not in looked.text
            assert (await item(there, approval)).status == "pending"
            assert (await sent(client, await link(there, approval))).status_code == 200, "with a link of her own"

    run(scenario())


def test_who_is_not_asked_any_more_is_told_so() -> None:
    async def scenario() -> None:
        async with house() as there, there.ask() as client:
            await people(there)
            approval = await asked(there.engine, {"account": SECRET})
            path = await link(there, approval)
            await there.engine.members.change("ann", groups=[])
            looked, tried = await client.get(path), await sent(client, path)
            assert (looked.status_code, tried.status_code) == (200, 403)
            assert "ann is not asked to decide this any more" in read(looked).text
            assert SECRET not in looked.text
            assert (await item(there, approval)).status == "pending"
            await there.engine.members.change("ann", groups=["finance"])
            assert (await sent(client, path)).status_code == 200

    run(scenario())


def test_what_somebody_else_has_decided_is_told_with_who_and_when() -> None:
    async def scenario() -> None:
        async with house() as there, there.ask() as client:
            await people(there)
            approval = await asked(there.engine, {"account": SECRET})
            path = await link(there, approval)
            await there.engine.approvals.decide(approval, "reject", actor="bob", comments="too much")
            before = await item(there, approval)
            for decision in ("approve", "reject"):
                tried = await sent(client, path, decision)
                assert tried.status_code == 409
                text = read(tried).text
                assert "Rejected\n by bob" in text
                assert "too much" in text
                assert "UTC" in text
                assert SECRET not in text
            assert await item(there, approval) == before

    run(scenario())


def test_what_nobody_asks_any_more_is_told() -> None:
    async def scenario() -> None:
        async with house() as there, there.ask() as client:
            await people(there)
            approval = await asked(there.engine, {"sum": 90})
            path = await link(there, approval)
            execution = await there.engine.executions.get((await item(there, approval)).workflow_execution_id)
            await execution.cancel()
            while (await item(there, approval)).status == "pending":  # noqa: ASYNC110
                await asyncio.sleep(0.005)
            tried = await sent(client, path)
            assert tried.status_code == 409
            assert "Nobody needs to decide this any more" in read(tried).text

    run(scenario())


def test_what_time_has_decided_is_told() -> None:
    async def scenario() -> None:
        async with house() as there, there.ask() as client:
            await people(there)
            for then, told in (("approve", "Approved\n because its time was over"), ("stay", "(overdue)")):
                approval = await asked(there.engine, {"sum": 90}, dueDate="{{nowMs + 1}}", onTimeout=then)
                path = await signed(there, approval)  # as it was made when there was still time
                while not ((found := await item(there, approval)).overdue or found.status == "approved"):  # noqa: ASYNC110
                    await asyncio.sleep(0.01)
                assert told in read(await client.get(path)).text, then
                assert (await sent(client, path)).status_code == (409 if then == "approve" else 200)

    run(scenario())


@pytest.mark.parametrize(("then", "follows"), [("approve", "counts as approved"), ("fail", "Its step fails")])
def test_what_time_has_decided_is_told_though_no_worker_has_come(
    then: str, follows: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scenario() -> None:
        async with house() as there, there.ask() as client:
            await people(there)
            approval = await asked(there.engine, {"sum": 90}, dueDate="P1D", onTimeout=then)
            path = await link(there, approval)
            monkeypatch.setattr("perdure.hosts.embedded.Host.now_ms", lambda _: now_ms() + 2 * DAY_MS)
            for page in (await client.get(path), await sent(client, path)):
                assert "nobody can decide it any more" in read(page).text
                assert follows in read(page).text
                assert not read(page).has_form
            assert page.status_code == 409
            assert (await item(there, approval)).status == "pending"

    run(scenario())


def test_who_has_started_it_decides_nothing_by_a_link() -> None:
    async def scenario() -> None:
        async with house() as there, there.ask() as client:
            await there.engine.members.add("ann", roles=["operator"], groups=["finance"])
            approval = await asked(there.engine, {"sum": 90}, separationOfDuties=True, actor="ann")
            tried = await sent(client, await signed(there, approval))
            assert tried.status_code == 403
            assert "ann has started what this is about" in read(tried).text
            assert (await item(there, approval)).status == "pending"

    run(scenario())


def test_what_somebody_else_has_taken_on_is_theirs_but_for_an_admin() -> None:
    async def scenario() -> None:
        async with house() as there, there.ask() as client:
            await people(there)
            await there.engine.members.add("root", roles=["admin"])
            approval = await asked(there.engine, {"sum": 90})
            anns, roots = await link(there, approval), await link(there, approval, "root")
            await there.engine.approvals.claim(approval, actor="bob")
            tried = await sent(client, anns)
            assert (tried.status_code, "bob has taken this on" in read(tried).text) == (409, True)
            await there.engine.approvals.release(approval, actor="bob")
            assert read(await client.get(anns)).has_form
            await there.engine.approvals.claim(approval, actor="bob")
            assert (await sent(client, roots)).status_code == 200

    run(scenario())


def test_a_vote_by_a_link_counts_once_and_can_be_changed_by_a_new_one() -> None:
    async def scenario() -> None:
        async with house() as there, there.ask() as client:
            await people(there)
            approval = await asked(there.engine, {"sum": 90}, votesRequired=2)
            path = await link(there, approval)
            first = await sent(client, path)
            assert first.status_code == 200
            assert "Your vote is kept. You said: approve" in read(first).text
            for decision in ("approve", "reject"):
                again = await sent(client, path, decision)
                assert again.status_code == 409
                assert again.text == first.text
            assert [(vote.by, vote.decision) for vote in (await item(there, approval)).votes] == [("ann", "approve")]
            await sent(client, await link(there, approval), "reject")
            assert [(vote.by, vote.decision) for vote in (await item(there, approval)).votes] == [("ann", "reject")]
            await sent(client, path, "approve")
            assert [(vote.by, vote.decision) for vote in (await item(there, approval)).votes] == [("ann", "reject")]
            await sent(client, await link(there, approval, "bob"), "reject")
            assert (await item(there, approval)).status == "rejected"

    run(scenario())


@pytest.mark.parametrize("kind", ["memory", "sqlite", "postgres"])
def test_of_many_who_press_at_once_one_decides(kind: str, tmp_path: Path) -> None:
    """On an approval that needs several votes, so that no rule but that of the link itself keeps them from counting."""

    async def scenario() -> None:
        async with house(database(tmp_path, kind), secret_keys=new_key()) as there, there.ask() as client:
            await people(there)
            approval = await asked(there.engine, {"sum": 90}, votesRequired=2)
            path = await link(there, approval)
            tries = [
                sent(client, path, "approve" if number % 2 else "reject", comments=str(number)) for number in range(16)
            ]
            found = [response.status_code for response in await asyncio.gather(*tries)]
            assert sorted(found) == [200, *[409] * 15]
            (vote,) = (await item(there, approval)).votes
            assert vote.comments == str(found.index(200))
            entries = [each.action for each in (await there.engine.audit.list()).items]
            assert entries.count("approval.voted") == 1

    run(scenario())


def test_that_it_is_used_survives_the_server(tmp_path: Path) -> None:
    async def scenario() -> None:
        url, key = f"sqlite:///{tmp_path}/flows.db", new_key()
        async with house(url, secret_keys=key) as there, there.ask() as client:
            await people(there)
            approval = await asked(there.engine, {"sum": 90}, votesRequired=2)
            path = await link(there, approval)
            assert (await sent(client, path)).status_code == 200
        async with house(url, secret_keys=key) as there, there.ask() as client:
            assert (await sent(client, path, "reject")).status_code == 409
            (vote,) = (await item(there, approval)).votes
            assert vote.decision == "approve"

    run(scenario())
