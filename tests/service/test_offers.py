"""What can be started, as it is told to whoever does not know it."""

from __future__ import annotations

from typing import Any

from perdure.model.steps import Compute, Step
from perdure.service import offers as module
from perdure.service.engine import Engine
from perdure.testing.words import k
from service.words import one, running

SCHEMA = {"type": "object", "required": ["id"]}


def document(name: str, **more: Any) -> dict[str, Any]:
    return {"name": name, "steps": [{"stepId": "say", "type": "TASK", "taskId": "log"}], **more}


def test_what_is_active_is_offered_with_what_it_is_for_and_what_it_takes(url: str) -> None:
    async def scenario() -> None:
        async with Engine(url) as engine:
            await engine.workflows.save(document("order", description="Orders it.", inputSchema=SCHEMA))
            await engine.workflows.save(document("order", id="another", description=" "))
            await engine.workflows.save(document("draft"), activate=False)
            await engine.workflows.save(document("theirs"), "acme")
            await engine.workflows.save(one(Step("say", Compute(k(1))), "built"))
            built, *orders = await engine.workflows.offers()
            assert (built.id, built.name, built.description, built.input_schema) == ("built", "built", None, None)
            told = {each.has_own_name: (each.name, each.description, each.input_schema) for each in orders}
            assert told == {True: ("order", "Orders it.", SCHEMA), False: ("order", None, None)}
            assert [each.name for each in await engine.workflows.offers(most=2)] == ["built", "order"]

    running(scenario)


def test_what_is_known_is_read_again_only_if_it_has_changed(url: str) -> None:
    async def scenario() -> None:
        async with Engine(url) as engine:
            for name in ("a", "b"):
                await engine.workflows.save(document(name, version="1.0.0"))
            before = {each.id: each for each in await engine.workflows.offers()}
            await engine.workflows.save(document("b", version="1.1.0", description="More."))
            a, b = await engine.workflows.offers(known=before)
            assert a is before[a.id]
            assert (b.version, b.description) == ("1.1.0", "More.")
            await engine.workflows.deactivate("a", "1.0.0")
            assert [each.name for each in await engine.workflows.offers(known=before)] == ["b"]

    running(scenario)


def test_however_many_there_are_they_are_read_part_by_part(url: str, monkeypatch: Any) -> None:
    monkeypatch.setattr(module, "ROWS_AT_ONCE", 2)

    async def scenario() -> None:
        async with Engine(url) as engine:
            for number in range(5):
                await engine.workflows.save(document(f"flow-{number}"))
            assert [each.name for each in await engine.workflows.offers()] == [f"flow-{number}" for number in range(5)]
            assert len(await engine.workflows.offers(most=3)) == 3

    running(scenario)
