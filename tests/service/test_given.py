"""What callers give beside documents: what cannot be kept is refused by its name, whichever store there is."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from perdure.model.steps import Compute, Step
from perdure.model.values import Constant
from perdure.model.workflow import Entry, Workflow
from perdure.service.engine import Engine, Execution
from perdure.service.errors import Conflict, Refused
from service.words import NAP, begun, one, running

HALF = "a\ud800"
HUGE = 10**400
GRAPH: dict[str, Any] = {"nodes": [{"id": "t", "type": "MANUAL_TRIGGER"}], "connections": []}

Asked = Callable[[Engine, Execution], Awaitable[Any]]


@pytest.mark.parametrize(
    "ask",
    [
        lambda engine: engine.events.list(type=3),
        lambda engine: engine.events.get(b"e-1"),
        lambda engine: engine.executions.get({"id": 1}),
    ],
)
def test_what_is_no_text_is_refused_by_its_name(ask: Callable[[Engine], Awaitable[Any]]) -> None:
    async def scenario() -> None:
        async with Engine() as engine:
            with pytest.raises(Conflict, match=r"(type|event|execution) is a text, not (a number|an object)"):
                await ask(engine)

    running(scenario)


async def watched(execution: Execution, after: int) -> list[Any]:
    return [entry async for entry in execution.watch(after=after)]


TEXTS: dict[str, list[Asked]] = {
    "organization": [
        lambda engine, _: engine.workflows.save(NAP, HALF),
        lambda engine, _: engine.workflows.list(organization=HALF),
        lambda engine, _: engine.workflows.show("nap", organization=HALF),
        lambda engine, _: engine.executions.start("nap", organization=HALF),
        lambda engine, _: engine.executions.get("x", organization=HALF),
        lambda engine, _: engine.executions.list(organization=HALF),
        lambda engine, _: engine.publish("go", organization=HALF),
        lambda engine, _: engine.decide("x", "approve", by="ann", organization=HALF),
    ],
    "workflow": [
        lambda engine, _: engine.workflows.show(HALF),
        lambda engine, _: engine.workflows.versions(HALF),
        lambda engine, _: engine.workflows.activate(HALF, "1"),
        lambda engine, _: engine.executions.start(HALF),
        lambda engine, _: engine.executions.list(workflow=HALF),
    ],
    "version": [
        lambda engine, _: engine.workflows.show("nap", HALF),
        lambda engine, _: engine.workflows.activate("nap", HALF),
        lambda engine, _: engine.workflows.diff("nap", "1", HALF),
        lambda engine, _: engine.executions.start("nap", version=HALF),
    ],
    "idempotency_key": [lambda engine, _: engine.executions.start("nap", idempotency_key=HALF)],
    "correlation_id": [
        lambda engine, _: engine.executions.start("nap", correlation_id=HALF),
        lambda engine, _: engine.executions.list(correlation_id=HALF),
    ],
    "execution": [lambda engine, _: engine.executions.get(HALF)],
    "parent": [lambda engine, _: engine.executions.list(parent=HALF)],
    "reason": [lambda _, execution: execution.cancel(HALF)],
    "by": [
        lambda _, execution: execution.cancel(by=HALF),
        lambda _, execution: execution.retry(by=HALF),
        lambda engine, _: engine.decide("x", "approve", by=HALF),
    ],
    "comments": [lambda engine, _: engine.decide("x", "approve", by="ann", comments=HALF)],
    "approval": [lambda engine, _: engine.decide(HALF, "approve", by="ann")],
    "variable": [lambda _, execution: execution.fork(at_step="nap", variables={HALF: 1})],
    "type_": [lambda engine, _: engine.publish(HALF)],
    "id_": [lambda engine, _: engine.publish("go", id_=HALF)],
}
NUMBERS: dict[str, list[Asked]] = {
    "started_after": [lambda engine, _: engine.executions.list(started_after=HUGE)],
    "started_before": [
        lambda engine, _: engine.executions.list(started_before=2**63),
        lambda engine, _: engine.executions.list(started_before=-HUGE),
    ],
    "after": [
        lambda _, execution: execution.history(after=HUGE),
        lambda _, execution: watched(execution, HUGE),
    ],
}


@pytest.mark.parametrize("name", TEXTS)
def test_half_a_character_is_refused_by_the_name_of_what_holds_it(url: str, name: str) -> None:
    async def scenario() -> None:
        async with Engine(url) as engine:
            execution = await begun(engine, NAP)
            for ask in TEXTS[name]:
                with pytest.raises(Conflict, match=rf"^{name} 'a\\ud800' holds half a character"):
                    await ask(engine, execution)

    running(scenario)


@pytest.mark.parametrize("name", NUMBERS)
def test_a_number_that_no_store_has_is_refused_by_its_name(url: str, name: str) -> None:
    async def scenario() -> None:
        async with Engine(url) as engine:
            execution = await begun(engine, NAP)
            for ask in NUMBERS[name]:
                with pytest.raises(Conflict, match=f"^{name} is a number of more than 64 bits"):
                    await ask(engine, execution)

    running(scenario)


@pytest.mark.parametrize(
    ("given", "more", "place"),
    [
        ({**GRAPH, "name": HALF}, {}, "/name"),
        (GRAPH, {"name": HALF}, "the name"),
        (Workflow(HALF), {}, "/name"),
        (one(Step("a", Compute(Constant([1, {"b": HALF}])))), {}, "/steps/0/work/output/value/1/b"),
        (Workflow("w", (Step(HALF, Compute()),), (Entry(HALF),)), {}, "/steps/0/id"),
    ],
)
def test_half_a_character_in_what_is_saved_is_a_problem_with_its_place(
    url: str, given: Any, more: dict[str, Any], place: str
) -> None:
    async def scenario() -> None:
        async with Engine(url) as engine:
            with pytest.raises(Refused, match=f"{place}.* half a character"):
                await engine.workflows.save(given, **more)
            assert (await engine.workflows.list()).items == ()

    running(scenario)


def test_an_input_with_half_a_character_is_kept_with_the_sign_for_one_that_is_lost(url: str) -> None:
    async def scenario() -> None:
        async with Engine(url) as engine:
            execution = await begun(engine, one(Step("say", Compute()), "say", output=None), {HALF: HALF})
            assert (await execution.history()).items[0].data["input"] == {"a\ufffd": "a\ufffd"}

    running(scenario)


def test_only_what_starts_executions_can_have_started_one(url: str) -> None:
    async def scenario() -> None:
        async with Engine(url) as engine:
            await engine.workflows.save(NAP)
            said: Any
            for said in ("manual", "schedule", "webhook", "event", "chain", "api"):
                execution = await engine.executions.start("nap", triggered_by=said)
                assert (await execution.describe()).record.trigger == said
            for said in ("", "cron", "Event", HALF):
                with pytest.raises(Conflict, match=r"triggered_by .* say one of manual, schedule, webhook, event, "):
                    await engine.executions.start("nap", triggered_by=said)

    running(scenario)
