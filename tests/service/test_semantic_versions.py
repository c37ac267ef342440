"""Documents that bring their author's version: a graph that says so, in a dialect made for these tests."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from perdure.dialects import ports, registry
from perdure.dialects.graph import Graph
from perdure.model.values import Json
from perdure.service.engine import Engine
from perdure.service.errors import Conflict, WorkflowNotFound
from service.words import running, until


class Named(Graph, frozen=True):
    """A graph whose author gives it a version."""

    def version(self, value: Json) -> str | None:
        found: str | None = value.get("version")
        return found


@pytest.fixture(autouse=True)
def dialect(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "DIALECTS", (ports.DIALECT, Named()))


def document(version: str | None, answer: Any = None) -> dict[str, Any]:
    first = {"id": "start", "type": "EVENT_TRIGGER", "data": {"eventPattern": "order.paid"}}
    say = {"id": "say", "type": "SET", "data": {"values": {"answer": answer or version}}}
    joined = [{"fromNodeId": "start", "toNodeId": "say"}]
    brought = {} if version is None else {"version": version}
    return {"name": "orders", "nodes": [first, say], "connections": joined, **brought}


async def answer(engine: Engine, **more: Any) -> Any:
    execution = await engine.executions.start("orders", {}, **more)
    result = await execution.result()
    return result["answer"], (await execution.describe()).version


def test_the_highest_active_version_is_started_whichever_was_saved_last(url: str) -> None:
    async def scenario() -> None:
        async with Engine(url) as engine:
            for version in ("1.2.0", "1.10.0", "1.9.0"):
                saved = await engine.workflows.save(document(version))
                assert (saved.version, saved.status, saved.created) == (version, "active", True)
            assert await answer(engine) == ("1.10.0", "1.10.0")
            assert await answer(engine, version="1.2.0") == ("1.2.0", "1.2.0")
            (listed,) = (await engine.workflows.list()).items
            assert (listed.version, listed.active) == ("1.9.0", "1.10.0")
            found = await engine.workflows.versions("orders")
            assert [(each.version, each.active) for each in found] == [
                ("1.9.0", True),
                ("1.10.0", True),
                ("1.2.0", True),
            ]
            assert (await engine.workflows.show("orders")).version == "1.10.0"

    running(scenario)


def test_the_same_version_with_other_content_is_a_conflict_that_names_the_way_out(url: str) -> None:
    async def scenario() -> None:
        async with Engine(url) as engine:
            await engine.workflows.save(document("1.2.3"))
            assert not (await engine.workflows.save(document("1.2.3"))).created
            with pytest.raises(Conflict, match=r"'orders' has version 1\.2\.3 already \(active, .*like 1\.2\.4$"):
                await engine.workflows.save(document("1.2.3", "another"))
            assert await answer(engine) == ("1.2.3", "1.2.3")

    running(scenario)


def test_the_next_lower_version_takes_over_and_the_last_one_leaves_nothing_to_start(sql_url: str) -> None:
    async def scenario() -> None:
        async with Engine(sql_url) as engine, Engine(sql_url) as other:
            for version in ("1.0.0", "2.0.0"):
                await engine.workflows.save(document(version))
                assert await answer(other) == (version, version)
            gone = await engine.workflows.deactivate("orders", "2.0.0")
            assert (gone.version, gone.status, gone.active) == ("2.0.0", "inactive", False)
            assert await answer(engine) == ("1.0.0", "1.0.0")
            assert await answer(engine, version="2.0.0") == ("2.0.0", "2.0.0")
            await engine.publish("order.paid", {})

            async def by_event() -> Any:
                found = (await engine.executions.list(status="completed")).items
                return [each.output["answer"] for each in found if each.trigger == "event"]

            assert await until(by_event) == ["1.0.0"]
            await engine.workflows.deactivate("orders", "1.0.0")
            for each in (engine, other):
                with pytest.raises(WorkflowNotFound, match="no active version; activate one"):
                    await each.executions.start(gone.id, {})
            with pytest.raises(WorkflowNotFound, match=r"no version '3\.0\.0'; it has 2\.0\.0, 1\.0\.0"):
                await engine.workflows.deactivate("orders", "3.0.0")

    running(scenario)


def test_many_who_save_the_same_version_agree_on_one_content(sql_url: str) -> None:
    async def scenario() -> None:
        async with Engine(sql_url) as one, Engine(sql_url) as two:
            saving = [
                engine.workflows.save(document("1.0.0", f"{number % 3}"))
                for number in range(6)
                for engine in (one, two)
            ]
            found = await asyncio.gather(*saving, return_exceptions=True)
            kept = [each for each in found if not isinstance(each, BaseException)]
            assert len(kept) == 4, "those with the content that came first"
            assert [each.created for each in kept].count(True) == 1
            assert sum(isinstance(each, Conflict) for each in found) == 8

    running(scenario)


def test_a_workflow_can_change_to_versions_of_its_author_and_back(url: str) -> None:
    async def scenario() -> None:
        async with Engine(url) as engine:
            await engine.workflows.save(document(None, "counted"))
            assert await answer(engine) == ("counted", "1")
            await engine.workflows.save(document("0.1.0"))
            assert await answer(engine) == ("0.1.0", "0.1.0")
            await engine.workflows.save(document(None, "again"))
            assert await answer(engine) == ("again", "3")
            found = await engine.workflows.versions("orders")
            assert [each.status for each in found] == ["active", "inactive", "inactive"]

    running(scenario)
