"""The log of triggers: webhooks, events from outside and schedules, what was accepted and what was not."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any

import pytest

from perdure.clock import now_ms
from perdure.hosts.settings import Limits as Given
from perdure.model.steps import EventWait, Step
from perdure.model.values import Constant
from perdure.model.workflow import Entry, Workflow
from perdure.service.engine import Engine
from perdure.service.errors import Conflict, Forbidden, Refused, TooMany
from perdure.service.refusals import BadSignature, BodyTooLarge, UnknownWebhook, WebhookRefused
from perdure.service.triggers import Incoming, Tallies
from perdure.store.ledger import ROWS_A_MINUTE, LogTrigger, TriggerEntry
from webhooks.words import GRAPH, KEY

WAITS = Workflow("waits", (Step("a", EventWait(Constant("never.comes"))),), (Entry("a"),))


def run(scenario: Coroutine[Any, Any, None]) -> None:
    asyncio.run(asyncio.wait_for(scenario, 30))


def engine(url: str) -> Engine:
    return Engine(url, secret_keys=KEY)


async def hooked(used: Engine, scheme: Any = None) -> tuple[str, str]:
    """The id and the token of a webhook."""
    await used.workflows.save(GRAPH)
    made = await used.webhooks.create("hooked", scheme=scheme)
    assert made.token is not None
    return made.webhook.id, made.token


async def told(used: Engine, **more: Any) -> list[TriggerEntry]:
    return list((await used.triggers.list(**more)).items)


def limit(used: Engine, **given: int) -> None:
    used.limits._given = Given(**given)


def test_a_delivery_that_comes_again_takes_no_room(url: str) -> None:
    async def scenario() -> None:
        async with engine(url) as used:
            _, token = await hooked(used)
            first = await used.webhooks.receive(token, {"Idempotency-Key": "d1"}, b"{}")
            await used.workflows.save(WAITS)
            await used.executions.start(WAITS.name)
            limit(used, open_executions_max=1)
            again = await used.webhooks.receive(token, {"Idempotency-Key": "d1"}, b"{}")
            assert (again.execution, again.created) == (first.execution, False)
            with pytest.raises(TooMany):
                await used.webhooks.receive(token, {"Idempotency-Key": "d2"}, b"{}")
            assert [each.outcome for each in await told(used)] == ["rate_limited", "duplicate", "accepted"]

    run(scenario())


def test_a_delivery_is_logged_with_what_it_starts_and_again_as_a_duplicate(url: str) -> None:
    async def scenario() -> None:
        async with engine(url) as used:
            webhook, token = await hooked(used)
            first = await used.webhooks.receive(token, {"Idempotency-Key": "d1"}, b"{}", request_id="req_1")
            await used.webhooks.receive(token, {"Idempotency-Key": "d1"}, b"{}", request_id="req_2")
            plain = await used.webhooks.receive(token, {}, b"{}")
            third, again, one = await told(used)
            assert (one.kind, one.subject, one.outcome, one.execution) == ("hook", webhook, "accepted", first.execution)
            assert (one.delivery, one.request, one.reason, one.times) == ("d1", "req_1", None, 1)
            assert (again.outcome, again.execution, again.request) == ("duplicate", first.execution, "req_2")
            assert (third.outcome, third.execution, third.delivery) == ("accepted", plain.execution, None)

    run(scenario())


def test_what_is_refused_is_logged_with_the_reason(url: str) -> None:
    async def scenario() -> None:
        async with engine(url) as used:
            webhook, token = await hooked(used, "standard")
            with pytest.raises(BadSignature) as unsigned:
                await used.webhooks.receive(token, {}, b"{}", request_id="req_1")
            with pytest.raises(BodyTooLarge):
                await used.webhooks.receive(token, {}, b"x" * 1_000_001)
            large, entry = await told(used, outcome="rejected")
            assert (entry.subject, entry.reason, entry.execution) == (webhook, str(unsigned.value), None)
            assert large.reason is not None
            assert "1,000,001 bytes" in large.reason
            assert await told(used, outcome="accepted") == []
            assert (await used.executions.list()).items == ()

    run(scenario())


def test_what_belongs_to_nobody_is_not_logged(url: str) -> None:
    async def scenario() -> None:
        async with engine(url) as used:
            await hooked(used)
            with pytest.raises(UnknownWebhook):
                await used.webhooks.receive("whk_nobody", {}, b"{}")
            assert await told(used) == []

    run(scenario())


def test_a_workflow_that_cannot_be_started_any_more_rejects_its_webhooks(url: str) -> None:
    async def scenario() -> None:
        async with engine(url) as used:
            _, token = await hooked(used)
            await used.workflows.deactivate("hooked", "1")
            with pytest.raises(Exception, match="no active version"):
                await used.webhooks.receive(token, {}, b"{}")
            (entry,) = await told(used)
            assert (entry.outcome, entry.execution) == ("rejected", None)
            assert entry.reason is not None
            assert "no active version" in entry.reason

    run(scenario())


def test_who_comes_too_often_is_logged_as_such_and_a_bad_signature_costs_nothing(url: str) -> None:
    async def scenario() -> None:
        async with engine(url) as used:
            webhook, token = await hooked(used, "standard")
            limit(used, rate_per_minute=2)
            for n in range(5):
                with pytest.raises(WebhookRefused):
                    await used.webhooks.receive(token, {}, b"{}")
                if n < 2:
                    signed = await used.webhooks.signed(token, b"{}")
                    await used.webhooks.receive(token, signed, b"{}")
            signed = await used.webhooks.signed(token, b"{}", delivery_id="d9")
            with pytest.raises(TooMany) as refused:
                await used.webhooks.receive(token, signed, b"{}")
            assert 1 <= refused.value.retry_after_seconds <= 30
            (entry,) = await told(used, outcome="rate_limited")
            assert (entry.subject, entry.delivery, entry.reason) == (webhook, "d9", str(refused.value))
            assert len(await told(used, outcome="accepted")) == 2

    run(scenario())


def test_events_from_outside_are_logged_and_those_of_a_program_are_not(url: str) -> None:
    async def scenario() -> None:
        async with engine(url) as used:
            outside = Incoming("req_1")
            await used.events.send({"type": "order.paid", "id": "ev1"})
            assert await told(used) == []
            await used.events.send({"type": "order.paid", "id": "ev2"}, incoming=outside)
            await used.events.send({"type": "order.paid", "id": "ev2"}, incoming=outside)
            with pytest.raises(Refused):
                await used.events.send({"type": "order.sent", "id": 7}, incoming=outside)
            with pytest.raises(Refused):
                await used.events.send_all(["what"], incoming=Incoming())
            odd, rejected, again, accepted = await told(used)
            assert (accepted.kind, accepted.subject, accepted.outcome) == ("event", "order.paid", "accepted")
            assert (accepted.delivery, accepted.request, accepted.execution) == ("ev2", "req_1", None)
            assert (again.subject, again.outcome) == ("order.paid", "duplicate")
            assert (rejected.subject, rejected.outcome, rejected.request) == ("order.sent", "rejected", "req_1")
            assert rejected.reason
            assert (odd.subject, odd.outcome, odd.request) == ("", "rejected", None)

    run(scenario())


def test_events_that_senders_number_alike_are_both_accepted(url: str) -> None:
    async def scenario() -> None:
        async with engine(url) as used:
            for source in ("/a", "/b"):
                event = {"specversion": "1.0", "type": "order.paid", "id": "1", "source": source}
                await used.events.send(event, incoming=Incoming())
            assert [entry.outcome for entry in await told(used)] == ["accepted", "accepted"]

    run(scenario())


def test_a_batch_of_events_is_let_in_or_refused_as_a_whole(url: str) -> None:
    async def scenario() -> None:
        async with engine(url) as used:
            limit(used, rate_per_minute=5)
            events: list[Any] = [{"type": "order.paid", "id": f"ev{n}"} for n in range(4)]
            await used.events.send_all(events, incoming=Incoming())
            with pytest.raises(TooMany):
                await used.events.send_all(events, incoming=Incoming())
            await used.events.send_all(events)  # a program that speaks for itself
            assert [entry.outcome for entry in await told(used)] == ["rate_limited", *["accepted"] * 4]

    run(scenario())


def test_the_log_comes_page_by_page_and_by_what_is_wanted(url: str) -> None:
    async def scenario() -> None:
        async with engine(url) as used:
            at = now_ms()
            for n in range(5):
                await used.triggers.note(LogTrigger(at + n, "hook", f"wh_{n % 2}", "rejected"))
            await used.triggers.note(LogTrigger(at, "hook", "wh_0", "rejected", organization="acme"))
            found, cursor = [], None
            while True:
                page = await used.triggers.list(limit=2, cursor=cursor)
                found += [entry.at - at for entry in page.items]
                cursor = page.next
                if cursor is None:
                    break
            assert found == [4, 3, 2, 1, 0]
            assert [entry.at - at for entry in await told(used, subject="wh_1")] == [3, 1]
            assert [entry.at - at for entry in await told(used, since=at + 1, until=at + 3)] == [2, 1]
            assert len(await told(used, organization="acme")) == 1
            with pytest.raises(Conflict, match="no outcome of a trigger; say one of accepted, rejected"):
                await told(used, outcome="gone")

    run(scenario())


def test_members_of_the_organization_read_the_log() -> None:
    async def scenario() -> None:
        async with engine("memory://") as used:
            await told(used, actor="anybody")
            await used.members.add("ann", roles=["viewer"])
            await told(used, actor="ann")
            with pytest.raises(Forbidden, match="'bob' is no member"):
                await told(used, actor="bob")

    run(scenario())


def rejected(**more: Any) -> LogTrigger:
    return LogTrigger(**{"at": 0, "kind": "hook", "subject": "wh_1", "outcome": "rejected", **more})


def test_a_flood_is_written_once_a_second_and_none_of_it_is_lost() -> None:
    tallies = Tallies()
    told = [tallies.told(rejected(), n / 1_000) for n in range(10_000)]
    written = [each.times for each in told if each is not None]
    assert len(written) == ROWS_A_MINUTE + 9
    after = tallies.told(rejected(), 60.0)
    assert after is not None
    assert sum(written) + after.times == 10_001


def test_each_organization_and_outcome_has_a_flood_of_its_own() -> None:
    tallies = Tallies()
    for _ in range(ROWS_A_MINUTE):
        tallies.told(rejected(), 0.0)
    assert tallies.told(rejected(), 0.5) is None
    for other in (rejected(organization="acme"), rejected(outcome="duplicate")):
        assert tallies.told(other, 0.5) == other
    minute = [tallies.told(rejected(), 60.0 + n / 1_000) for n in range(ROWS_A_MINUTE + 1)]
    assert [each is None for each in minute] == [*[False] * ROWS_A_MINUTE, True]
