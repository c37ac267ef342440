"""Events through the service: sent once, listed, and whom they woke."""

from __future__ import annotations

from typing import Any

import pytest

from perdure.model.steps import EventWait, Step
from perdure.model.workflow import Entry, EventCancel, EventStart, Workflow
from perdure.runtime.writer import Writer
from perdure.service.engine import Engine
from perdure.service.errors import NotFound, Refused
from perdure.service.events import Seen
from perdure.store.port import Item
from perdure.testing.words import k, x
from service.words import running, until

WAITS = Workflow(
    "waits",
    (Step("paid", EventWait(k("order.paid"), x("event.payload.id == input.id"))),),
    (Entry("paid"),),
    cancels=(EventCancel("order.stopped", x("event.payload.id == input.id")),),
)
STARTED = Workflow(
    "started", (Step("go", EventWait(k("never"))),), (Entry("go"),), starts=(EventStart("order.placed"),)
)


async def routed(engine: Engine, event: str) -> Seen:
    async def look() -> Seen | None:
        seen = await engine.events.get(event)
        return seen if seen.routed and all(each.how != "told" for each in seen.woken) else None

    found: Seen = await until(look)
    return found


def test_the_same_id_twice_is_one_event(url: str) -> None:
    async def scenario() -> None:
        async with Engine(url) as engine:
            first = await engine.events.send({"type": "order.paid", "id": "e-1"})
            again = await engine.events.send({"type": "order.paid", "id": "e-1", "payload": "other"})
            assert (first.id, first.created, again.id, again.created) == ("e-1", True, "e-1", False)
            assert (await engine.events.get("e-1")).event.data is None

    running(scenario)


def test_what_is_sent_under_the_id_of_something_else_is_told_so(url: str) -> None:
    event: Any = {"type": "order.paid", "id": "e-1", "payload": {"n": [1, 2.5]}, "metadata": {"tenant": "x"}}
    others: Any = ({"payload": {"n": 2}}, {"type": "order.sent"}, {"correlationId": "c"}, {"metadata": {}})

    async def scenario() -> None:
        async with Engine(url) as engine:
            for source in ("shop", "bank"):  # the second is kept as bank#e-1
                assert not (await engine.events.send({**event, "source": source})).differs
                again = await engine.events.send({**event, "source": source})
                assert (again.created, again.differs) == (False, False)
                for other in others:
                    sent = await engine.events.send({**event, "source": source, **other})
                    assert (sent.id, sent.created, sent.differs) == (again.id, False, True)

    running(scenario)


def test_two_sources_may_use_the_same_id(url: str) -> None:
    async def scenario() -> None:
        async with Engine(url) as engine:
            sent = [
                await engine.events.send({"type": "order.paid", "id": "1", "source": source, "payload": source})
                for source in ("shop", "bank", "shop", "bank")
            ]
            assert [(each.id, each.created) for each in sent] == [
                *(("1", True), ("bank#1", True)),
                *(("1", False), ("bank#1", False)),
            ]
            assert (await engine.events.get("bank#1")).event.data == "bank"

    running(scenario)


def test_of_several_none_is_sent_if_one_is_wrong(url: str) -> None:
    async def scenario() -> None:
        async with Engine(url) as engine:
            with pytest.raises(Refused) as refused:
                await engine.events.send_all([{"type": "a", "id": "1"}, {"type": "b.*"}, {"id": "3"}])
            assert [problem.path for problem in refused.value.problems] == ["/1/type", "/2/type"]
            assert str(refused.value).startswith("it is no event:")
            with pytest.raises(NotFound):
                await engine.events.get("1")

    running(scenario)


def test_several_are_written_together(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """So that all of them are there, whatever happens, or none is: the writer does not divide what it is given at once."""
    submitted: list[int] = []
    submit = Writer.submit

    def counted(self: Writer, items: tuple[Item, ...], *more: Any) -> None:
        submitted.append(len(items))
        submit(self, items, *more)

    monkeypatch.setattr(Writer, "submit", counted)

    async def scenario() -> None:
        async with Engine(url) as engine:
            await engine.events.send_all([{"type": "t"} for _ in range(300)])
            assert 300 in submitted

    running(scenario)


def test_of_several_each_is_told_whether_it_was_there(url: str) -> None:
    async def scenario() -> None:
        async with Engine(url) as engine:
            await engine.events.send({"type": "t", "id": "1", "source": "a", "payload": 1})
            await engine.events.send({"type": "t", "id": "b#2", "source": "b"})
            given = [
                ("a", "1", 1),
                ("b", "1", 1),
                ("a", "1", 2),
                ("a", "2", 1),
                ("b", "2", 1),
                ("c", "2", 1),
                ("c", "2", 1),
            ]
            sent = await engine.events.send_all(
                [{"type": "t", "source": source, "id": id_, "payload": n} for source, id_, n in given]
            )
            assert [(each.id, each.created, each.differs) for each in sent] == [
                ("1", False, False),
                ("b#1", True, False),
                ("1", False, True),
                ("2", True, False),
                ("b#2", False, True),
                ("c#2", True, False),
                ("c#2", False, False),
            ]

    running(scenario)


def test_several_are_kept_in_their_order(url: str) -> None:
    async def scenario() -> None:
        async with Engine(url) as engine:
            sent = await engine.events.send_all([{"type": f"t{n}"} for n in range(20)])
            page = await engine.events.list()
            assert [each.event.id for each in page.items] == [each.id for each in reversed(sent)]

    running(scenario)


def test_one_that_fits_wakes_the_execution_whose_key_it_has(url: str) -> None:
    async def scenario() -> None:
        async with Engine(url) as engine:
            await engine.workflows.save(WAITS)
            executions = [await engine.executions.start("waits", {"id": n}) for n in range(5)]
            await engine.events.send({"type": "order.paid", "id": "e-3", "payload": {"id": "3"}})
            assert await executions[3].result() == {"id": "3"}
            seen = await routed(engine, "e-3")
            assert [(each.execution, each.how, each.workflow) for each in seen.woken] == [
                (executions[3].id, "woken", "waits")
            ]
            await engine.events.send({"type": "order.stopped", "id": "stop-1", "payload": {"id": 1}})
            seen = await routed(engine, "stop-1")
            assert [(each.execution, each.how) for each in seen.woken] == [(executions[1].id, "woken")]

    running(scenario)


def test_whom_it_started_is_told(url: str) -> None:
    async def scenario() -> None:
        async with Engine(url) as engine:
            await engine.workflows.save(STARTED)
            await engine.events.send({"type": "order.placed", "id": "e-1"})

            async def started() -> Any:
                return (await engine.events.get("e-1")).woken

            (woken,) = await until(started)
            assert (woken.how, woken.workflow) == ("started", "started")

    running(scenario)


def test_a_list_may_be_of_some_types_only_and_comes_page_by_page(url: str) -> None:
    async def scenario() -> None:
        async with Engine(url) as engine:
            for number in range(9):
                await engine.events.send({"type": f"order.{('paid', 'sent', 'lost')[number % 3]}", "id": f"e{number}"})
            found, cursor = [], None
            while True:
                page = await engine.events.list(type="order.paid", limit=2, cursor=cursor)
                found += [each.event.id for each in page.items]
                cursor = page.next
                if cursor is None:
                    break
            assert found == ["e6", "e3", "e0"]
            assert len((await engine.events.list(type="order.*")).items) == 9
            assert (await engine.events.list(type="other")).items == ()

    running(scenario)


def test_what_belongs_to_another_organization_is_not_there(url: str) -> None:
    async def scenario() -> None:
        async with Engine(url) as engine:
            await engine.events.send({"type": "a", "id": "1"}, organization="acme")
            with pytest.raises(NotFound, match="there is no event '1' in organization 'default'"):
                await engine.events.get("1")
            assert (await engine.events.list()).items == ()

    running(scenario)


def test_too_many_at_once_are_refused(url: str) -> None:
    async def scenario() -> None:
        async with Engine(url) as engine:
            with pytest.raises(Refused, match="1001 events at once; send at most 1000"):
                await engine.events.send_all([{"type": "a"}] * 1_001)

    running(scenario)
