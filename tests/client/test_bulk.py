"""Many executions at once, and the log of triggers, asked of a server: what is told is what its engine tells."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from api.house import ASK, House, house, run, said
from perdure import Chosen, Client
from perdure.errors import PerdureError
from perdure.service.bulk import Done, MoreByNow
from perdure.service.errors import Conflict, Forbidden

HOOKED: dict[str, Any] = {"name": "hooked", "nodes": [{"id": "start", "type": "WEBHOOK_TRIGGER"}], "connections": []}
WAITING = Chosen(status="waiting", workflow="refund")


async def asked(there: House, count: int) -> list[str]:
    """So many executions that wait for somebody, the newest first."""
    await there.engine.workflows.save(ASK)
    started = [await there.engine.executions.start("refund", {}, correlation_id=f"c-{n}") for n in range(count)]
    while len((await there.engine.approvals.list()).items) < count:
        pass
    return [each.id for each in reversed(started)]


def test_many_are_seen_first_and_cancelled_page_by_page() -> None:
    async def scenario() -> None:
        async with house() as there, Client(there.url, await there.key("ada", "operator")) as client:
            ids = await asked(there, 3)
            seen = await client.bulk.preview("cancel", WAITING)
            here = await there.engine.bulk.preview("cancel", WAITING)
            assert (seen.matched, seen.more, [each.id for each in seen.examples]) == (3, False, ids)
            assert [replace(each, digest="", seq=0) for each in here.examples] == [
                replace(each, digest="", seq=0) for each in seen.examples
            ]
            assert (await client.bulk.preview("cancel", Chosen(correlation_id="c-1"))).matched == 1
            late = Chosen(started_after=seen.examples[0].started_at + 1)
            assert (await client.bulk.preview("cancel", late)).matched == 0
            done = await client.bulk.perform("cancel", Chosen(workflow="refund"), matched=3, reason="no more", limit=2)
            assert [(each.execution, each.done, each.error) for each in done.items] == [
                (id_, True, None) for id_ in ids[:2]
            ]
            rest = await client.bulk.perform("cancel", Chosen(workflow="refund"), cursor=done.next)
            assert ([each.execution for each in rest.items], rest.next) == (ids[2:], None)
            ended = (await client.executions.list()).items
            assert {each.status for each in ended} == {"cancelled"}

    run(scenario())


def test_what_is_run_again_page_by_page_is_not_run_again_for_that() -> None:
    """New ones fit the filter as well, and are more than were seen; they are newer than all that is left to do."""

    async def scenario() -> None:
        async with house(needs_key=False) as there, Client(there.url) as client:
            ids, chosen = await asked(there, 3), Chosen(workflow="refund")
            found: list[Done] = []
            cursor: str | None = None
            while True:
                done = await client.bulk.perform("rerun", chosen, matched=3, limit=1, cursor=cursor)
                found += done.items
                cursor = done.next
                if cursor is None:
                    break
            assert [each.execution for each in found] == ids
            assert len({each.new for each in found} - {None, *ids}) == 3

    run(scenario())


def test_nothing_is_done_to_more_than_were_seen_nor_by_who_may_not() -> None:
    async def scenario() -> None:
        async with house() as there:
            await asked(there, 2)
            async with Client(there.url, await there.key("ada", "operator")) as client:
                with pytest.raises(MoreByNow, match="there are 2 by now, not 1"):
                    await client.bulk.perform("cancel", WAITING, matched=1)
                with pytest.raises(MoreByNow, match="there are 2 by now, not 1"):
                    await there.engine.bulk.perform("cancel", WAITING, matched=1)
                with pytest.raises(PerdureError, match="this filter means all executions"):
                    await client.bulk.perform("cancel", Chosen())
                with pytest.raises(Conflict, match="a page has 1 to 500"):
                    await client.bulk.perform("cancel", WAITING, limit=0)
            async with Client(there.url, await there.key("vera", "viewer")) as client:
                with pytest.raises(Forbidden):
                    await client.bulk.perform("cancel", WAITING)
            assert (await there.engine.bulk.preview("cancel", WAITING)).matched == 2

    run(scenario())


def test_what_came_of_each_has_the_id_of_its_execution() -> None:
    async def scenario() -> None:
        async with house() as there, there.ask(await there.key("ada", "operator")) as client:
            (id_,) = await asked(there, 1)
            body = {"action": "cancel", "filter": {"workflow": "refund"}}
            done = said(await client.post("/api/bulk", json=body))
            told = {"id": id_, "execution": id_, "done": True, "new": None, "error": None}
            assert done == {"items": [told], "next": None}

    run(scenario())


def test_the_log_of_triggers_is_told_as_the_engine_tells_it() -> None:
    async def scenario() -> None:
        async with house() as there, Client(there.url, await there.key("ada", "editor")) as client:
            await client.workflows.save(HOOKED)
            issued = await client.webhooks.create("hooked")
            for _ in range(2):
                headers = [("Content-Type", "application/json"), ("webhook-id", "d-1")]
                await client.webhooks.receive(issued.token or "", headers, b"{}")
            await client.events.send({"type": "order.paid", "id": "e-17"})
            log, here = await client.triggers.list(), await there.engine.triggers.list()
            assert log == here
            assert [each.subject for each in log.items] == ["order.paid", *[issued.webhook.id] * 2]
            first = await client.triggers.list(limit=1)
            assert await client.triggers.list(limit=2, cursor=first.next) == await there.engine.triggers.list(
                limit=2, cursor=first.next
            )
            for wanted in (
                {"outcome": "duplicate"},
                {"subject": "order.paid"},
                {"since": log.items[0].at},
                {"until": log.items[0].at},
            ):
                found: Any = await client.triggers.list(**wanted)
                assert found == await there.engine.triggers.list(**wanted)

    run(scenario())


def test_what_a_call_of_a_webhook_has_started_has_its_id() -> None:
    async def scenario() -> None:
        async with house() as there, there.ask() as client:
            await there.engine.workflows.save(HOOKED)
            token = (await there.engine.webhooks.create("hooked")).token
            told = said(await client.post(f"/hooks/{token}", json={}))
            (execution,) = (await there.engine.executions.list()).items
            assert (told["id"], told["executionId"]) == (execution.id, execution.id)

    run(scenario())
