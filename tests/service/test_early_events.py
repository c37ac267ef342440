"""Events that come one after the other, all of them before anybody has taken them to whom they concern."""

from __future__ import annotations

from typing import Any

from perdure.service.engine import Engine
from service.words import running, until

ORDER = {
    "id": "order",
    "name": "order",
    "version": "1.0.0",
    "triggers": [{"eventPattern": "order.placed"}],
    "cancellationTriggers": [
        {
            "eventPattern": "order.called.off",
            "eventCondition": "event.payload.id === workflow.input.id",
            "reason": "off",
            "shouldCompensate": False,
        }
    ],
    "steps": [
        {
            "stepId": "paid",
            "type": "EVENT_WAIT",
            "eventPattern": "order.paid",
            "eventCondition": "event.payload.id === workflow.input.id",
            "eventPayloadMapping": {"sum": "sum"},
            "eventTimeout": {"duration": "P3D"},
        }
    ],
}


async def sent(engine: Engine) -> None:
    for number in range(20):
        await engine.publish("order.paid", {"id": number, "sum": "too early"})
        await engine.publish("order.placed", {"id": number})
        await engine.publish("order.paid" if number % 2 else "order.called.off", {"id": number, "sum": number})


async def are_as_sent(engine: Engine) -> None:
    """What comes after the event that starts an execution is for it, and what came before is not."""

    async def all_of_them() -> Any:
        found = (await engine.executions.list(limit=100)).items
        return found if len(found) == 20 and all(each.ended_at for each in found) else None

    found = await until(all_of_them)
    views: list[Any] = [await (await engine.executions.get(each.id)).view() for each in found]
    assert {view["input"]["id"]: (view["status"], view["output"]) for view in views} == {
        number: ("COMPLETED", {"sum": number}) if number % 2 else ("CANCELLED", None) for number in range(20)
    }


def test_the_order_of_the_events_counts_and_not_when_they_are_routed(url: str) -> None:
    async def scenario() -> None:
        async with Engine(url) as engine:
            await engine.workflows.save(ORDER)
            await sent(engine)
            await are_as_sent(engine)

    running(scenario)


def test_so_it_does_if_nobody_works_until_all_of_them_have_come(sql_url: str) -> None:
    async def scenario() -> None:
        async with Engine(sql_url, works=False) as engine:
            await engine.workflows.save(ORDER)
            await sent(engine)
        async with Engine(sql_url) as working:
            await are_as_sent(working)

    running(scenario)
