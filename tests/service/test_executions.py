"""Executions through the service: started, listed, described, cancelled, retried."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from perdure.clock import now_ms
from perdure.model.steps import Child, Compute, Fail, Retry, Step, Task
from perdure.model.workflow import Compensation, Entry, Workflow
from perdure.service.engine import Engine, Execution
from perdure.service.errors import Conflict, ExecutionFailed, ExecutionNotFound, NotFound, OtherRequest
from perdure.testing.words import k, obj, x
from service.seeing import by_hand
from service.words import ASK, BROKEN, NAP, PAID, adding, begun, breaking, one, running, sequence, until, waiting

SAY = one(Step("say", Compute(x("input"))), "say")


def test_it_is_started_by_name_and_told_by_its_record(url: str) -> None:
    async def scenario() -> None:
        async with adding(Engine(url)) as engine:
            execution = await begun(engine, sequence(2), {"n": 1}, triggered_by="schedule", correlation_id="c-1")
            assert await execution.result() == 3
            found = await execution.describe()
            assert (found.name, found.version, found.dialect) == ("sequence", "1", "model")
            assert (found.status, found.output, found.error, found.waiting_for) == ("completed", 3, None, None)
            told = found.canonical()
            assert (told["id"], told["workflow_id"], told["status"]) == (execution.id, "sequence", "completed")
            assert (told["triggered_by"], told["correlation_id"]) == ("schedule", "c-1")
            assert told["started_at"].endswith("Z")
            assert await execution.view() == told

    running(scenario)


def test_what_is_not_saved_can_be_run_and_is_of_no_version(url: str) -> None:
    async def scenario() -> None:
        async with Engine(url) as engine:
            execution = await engine.executions.start(SAY, {"a": 1})
            assert await execution.result() == {"a": 1}
            found = await execution.describe()
            assert (found.version, found.dialect, found.record.workflow) == (None, "model", "say")
            assert (await engine.workflows.list()).items == ()

    running(scenario)


def test_what_is_started_has_its_model_whatever_is_forgotten_at_that_moment(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scenario() -> None:
        async with Engine(url) as engine:
            shell = engine.host.shell
            request = shell.request

            async def after_tidying(*given: Any, **more: Any) -> Any:
                while await shell.ask(lambda store: store.forget(now_ms() + 1, 100)):
                    pass
                return await request(*given, **more)

            for other in (SAY, replace(SAY, steps_max=7)):
                await engine.workflows.save(other)
            first = await engine.executions.start("say", version="1")
            await first.result()
            newest = await engine.executions.start("say")  # the newest of all is never forgotten
            await newest.result()
            monkeypatch.setattr(shell, "request", after_tidying)
            for start in (first.rerun, partial(engine.executions.start, ASK), partial(engine.executions.start, ASK)):
                execution = await start()
                assert (await execution.why()).sentence
                assert (await execution.view())["name"] in {"say", "ask"}
            with pytest.raises(ExecutionNotFound):
                await first.describe()

    running(scenario)


def test_the_same_idempotency_key_is_one_execution_in_each_organization(url: str) -> None:
    async def scenario() -> None:
        async with Engine(url) as engine:
            for whose in ("acme", "globex"):
                await engine.workflows.save(SAY, whose)
            first, again, theirs = [
                await engine.executions.start("say", given, organization=whose, idempotency_key="order-17")
                for given, whose in ((1, "acme"), (1, "acme"), (3, "globex"))
            ]
            assert (first.created, again.created, theirs.created) == (True, False, True)
            assert (again.id, await again.result(), await theirs.result()) == (first.id, 1, 3)

    running(scenario)


def test_an_idempotency_key_stands_for_one_workflow(url: str) -> None:
    async def scenario() -> None:
        async with Engine(url) as engine:
            for workflow in (SAY, NAP):
                await engine.workflows.save(workflow)
            first = await engine.executions.start("say", 1, idempotency_key="order-17")
            used = f"key 'order-17' has started execution {first.id} of workflow 'say', and cannot start 'nap' as well"
            for other in ("nap", NAP):
                with pytest.raises(Conflict, match=used):
                    await engine.executions.start(other, idempotency_key="order-17")
            assert [each.id for each in (await engine.executions.list()).items] == [first.id]
            again = await engine.executions.start(SAY, 1, idempotency_key="order-17")
            assert (again.id, again.created) == (first.id, False)

    running(scenario)


def test_an_idempotency_key_stands_for_one_version(url: str) -> None:
    async def scenario() -> None:
        async with Engine(url) as engine:
            old, new = SAY, replace(SAY, steps_max=99)
            saved = [(await engine.workflows.save(each)).version for each in (old, new)]
            start = partial(engine.executions.start, idempotency_key="order-17")
            first = await start("say", 1, version=saved[0])
            assert (await start("say", 1, version=saved[0])).id == first.id
            for other in (saved[1], None):
                with pytest.raises(OtherRequest, match=f"started execution {first.id} of another version"):
                    await start("say", 1, version=other)
            active = await engine.executions.start("say", 1, idempotency_key="order-18")
            await engine.workflows.activate("say", saved[0])
            again = await engine.executions.start("say", 1, idempotency_key="order-18")
            assert (again.id, again.created) == (active.id, False), "whichever is active by now"

    running(scenario)


def test_an_idempotency_key_stands_for_one_document(url: str) -> None:
    async def scenario() -> None:
        async with Engine(url) as engine:
            first = await engine.executions.start(SAY, 1, idempotency_key="order-17")
            assert (await engine.executions.start(SAY, 1, idempotency_key="order-17")).id == first.id
            with pytest.raises(OtherRequest, match="or of another document of this name"):
                await engine.executions.start(replace(SAY, steps_max=99), 1, idempotency_key="order-17")

    running(scenario)


def test_what_belongs_to_another_organization_does_not_exist(url: str) -> None:
    async def scenario() -> None:
        async with Engine(url) as engine:
            mine = await begun(engine, ASK, {"n": 1}, organization="acme")
            assert (await engine.executions.get(mine.id, organization="acme")).id == mine.id
            with pytest.raises(ExecutionNotFound, match="in organization 'globex'"):
                await engine.executions.get(mine.id, organization="globex")
            theirs = Execution(mine.id, False, "globex", engine.host)
            for asked in (
                theirs.describe(),
                theirs.view(),
                theirs.history(),
                theirs.step("ask"),
                theirs.why(),
                theirs.cancel(),
                theirs.retry(),
                theirs.rerun(),
                theirs.rerun(from_step="ask"),
                theirs.fork(at_step="ask"),
                anext(theirs.watch()),
            ):
                with pytest.raises(NotFound):
                    await asked
            assert (await engine.executions.list(organization="globex")).items == ()
            assert (await mine.describe()).record.ended_at is None

    running(scenario)


async def several(engine: Engine) -> dict[str, str]:
    """Executions that differ in all that can be asked for, by what they are called here."""
    breaking(adding(engine))
    parent = one(Step("call", Child(k("say"), k(1))), "parent")
    for workflow in (SAY, ASK, BROKEN, NAP, parent):
        await engine.workflows.save(workflow)
    await engine.workflows.save(SAY, "acme")
    started: dict[str, Execution] = {}
    for name in ("say", "ask", "broken", "nap", "parent"):
        started[name] = await engine.executions.start(name, {"n": 1}, correlation_id="odd" if name[0] in "np" else None)
        await asyncio.sleep(0.002)  # so that they begin at times that can be told apart
    started["acme"] = await engine.executions.start("say", organization="acme")
    for name in ("say", "acme", "parent"):
        await started[name].result()
    with pytest.raises(ExecutionFailed):
        await started["broken"].result()
    for name in ("ask", "nap"):
        await waiting(started[name])
    return {execution.id: name for name, execution in started.items()}


def test_executions_are_listed_by_all_that_can_be_asked_for(url: str) -> None:
    async def scenario() -> None:
        async with Engine(url) as engine:
            names = await several(engine)
            ids = {name: id_ for id_, name in names.items()}

            async def listed(**wanted: Any) -> list[str]:
                page = await engine.executions.list(**wanted)
                return [names.get(each.id, "child") for each in page.items]

            (child,) = (await engine.executions.list(parent=ids["parent"])).items
            everything = ["parent", "nap", "broken", "ask", "say"]
            found = await listed()
            assert [name for name in found if name != "child"] == everything
            assert len(found) == 6
            assert await listed(organization="acme") == ["acme"]
            assert await listed(status="waiting") == ["nap", "ask"]
            assert await listed(status="failed") == ["broken"]
            assert await listed(status="running") == []
            assert await listed(workflow="ask") == ["ask"]
            assert sorted(await listed(workflow="say")) == ["child", "say"]
            assert await listed(workflow="nobody") == []
            assert [name for name in await listed(correlation_id="odd") if name != "child"] == ["parent", "nap"]
            assert await listed(parent=ids["parent"]) == ["child"]
            assert child.workflow == "say"
            assert await listed(parent=ids["parent"], organization="acme") == []
            at = (await (await engine.executions.get(ids["broken"])).describe()).record.started_at
            assert await listed(started_before=at) == ["ask", "say"]
            assert [name for name in await listed(started_after=at) if name != "child"] == everything[:3]
            assert await listed(started_after=at, started_before=at + 1) == ["broken"]
            assert await listed(status="waiting", workflow="nap") == ["nap"]
            assert await listed(status="waiting", correlation_id="odd") == ["nap"]
            assert await listed(status="waiting", started_before=at) == ["ask"]
            assert await listed(workflow="say", status="failed") == []
            assert await listed(status="completed", parent=ids["parent"]) == ["child"]

    running(scenario)


@pytest.mark.parametrize("wanted", [{}, {"workflow": "say"}, {"correlation_id": "c"}, {"status": "completed"}])
def test_pages_stay_as_they_are_while_others_start(url: str, wanted: dict[str, Any]) -> None:
    async def scenario() -> None:
        async with Engine(url) as engine:
            await engine.workflows.save(SAY)

            async def more(count: int) -> list[str]:
                made = [await engine.executions.start("say", correlation_id="c") for _ in range(count)]
                for each in made:
                    await each.result()
                return [each.id for each in made]

            before = await more(7)
            found: list[str] = []
            cursor: str | None = None
            while True:
                page = await engine.executions.list(**wanted, limit=3, cursor=cursor)
                found += [each.id for each in page.items]
                await more(2)
                cursor = page.next
                if cursor is None:
                    break
            assert found == before[::-1]

    running(scenario)


def test_what_a_worker_has_in_its_hands_is_listed_by_its_status(url: str) -> None:
    engine, gate = Engine(url), asyncio.Event()

    @engine.task("add")
    async def add(given: Any) -> Any:
        await gate.wait()
        return given["n"] + 1

    async def scenario() -> None:
        async with engine:
            execution = await begun(engine, sequence(2), {"n": 1})

            async def listed() -> list[str]:
                return [each.id for each in (await engine.executions.list(status="running")).items]

            assert await until(listed) == [execution.id]
            gate.set()
            await execution.result()
            assert await listed() == []

    running(scenario)


def test_an_execution_is_cancelled_once(url: str) -> None:
    async def scenario() -> None:
        async with Engine(url) as engine:
            execution = await begun(engine, NAP)
            await waiting(execution)
            await execution.cancel("no longer wanted")
            found = await execution.describe()
            assert found.status == "cancelled"
            assert found.error is not None
            assert found.error.message == "no longer wanted"
            assert found.canonical()["error"]["code"] == "CANCELLED"
            with pytest.raises(Conflict, match="is cancelled already"):
                await execution.cancel()
            with pytest.raises(Conflict, match="is cancelled, and only what has failed"):
                await execution.retry()

    running(scenario)


def test_what_is_asked_for_a_version_is_done_only_to_that(url: str) -> None:
    async def scenario() -> None:
        async with breaking(Engine(url)) as engine:
            execution = await begun(engine, NAP)
            await waiting(execution)
            at = (await execution.describe()).execution_version
            assert (await execution.describe()).canonical()["execution_version"] == at
            for wrong in (at - 1, at + 1):
                with pytest.raises(
                    Conflict, match=f"asked for version {wrong}, and the execution is at version {at}; look"
                ):
                    await execution.cancel(if_version=wrong)
            assert (await execution.describe()).execution_version == at, "nothing was changed"
            await execution.cancel(if_version=at)
            assert (await execution.describe()).status == "cancelled"
            with pytest.raises(Conflict, match=f"asked for version {at}, and the execution is at version {at + 1}"):
                await execution.cancel(if_version=at)
            failed = await begun(engine, BROKEN)
            with pytest.raises(ExecutionFailed):
                await failed.result()
            at = (await failed.describe()).execution_version
            with pytest.raises(Conflict, match=f"asked for version {at - 1}, and the execution is at version {at}"):
                await failed.retry(if_version=at - 1)
            await failed.retry(if_version=at)
            with pytest.raises(Conflict, match=f"asked for version {at}, and the execution is at version"):
                await failed.retry(if_version=at)

    running(scenario)


def test_of_many_who_name_the_same_version_one_has_their_way(url: str) -> None:
    async def scenario() -> None:
        async with Engine(url) as engine:
            execution = await begun(engine, NAP)
            at = (await waiting(execution)).seq
            cancels = [execution.cancel(f"{number}", if_version=at) for number in range(20)]
            found = await asyncio.gather(*cancels, return_exceptions=True)
            (winner,) = [number for number, each in enumerate(found) if each is None]
            assert all(isinstance(each, Conflict) for each in found if each is not None)
            error = (await execution.describe()).error
            assert error is not None
            assert error.message == f"{winner}"

    running(scenario)


def test_what_nobody_takes_in_is_noted_for_its_version(sql_url: str) -> None:
    async def scenario() -> None:
        async with Engine(sql_url) as engine:
            execution = await begun(engine, NAP)
            at = (await waiting(execution)).seq
        async with Engine(sql_url, works=False) as engine:
            execution = await engine.executions.get(execution.id)
            await execution.cancel("enough", if_version=at)
            assert [each.reason for each in await execution.requested()] == ["enough"]
            with pytest.raises(Conflict, match=f"asked for version {at}, .* at version {at}, with 1 in its inbox"):
                await execution.cancel("more than enough", if_version=at)
        async with Engine(sql_url) as engine:
            execution = await engine.executions.get(execution.id)
            with pytest.raises(ExecutionFailed, match="enough"):
                await execution.result()

    running(scenario)


def test_what_has_ended_is_not_cancelled(url: str) -> None:
    async def scenario() -> None:
        async with Engine(url) as engine:
            execution = await begun(engine, SAY)
            await execution.result()
            with pytest.raises(Conflict, match="is completed already, and there is nothing to cancel"):
                await execution.cancel()

    running(scenario)


def test_what_fails_again_in_the_moment_of_its_retry_has_ended_then(url: str) -> None:
    async def scenario() -> None:
        async with Engine(url) as engine:
            execution = await begun(engine, one(Step("no", Fail(k("no")))))
            with pytest.raises(ExecutionFailed):
                await execution.result()
            first = (await execution.describe()).record.ended_at
            assert first is not None
            while now_ms() == first:  # noqa: ASYNC110
                await asyncio.sleep(0.001)
            await execution.retry()
            with pytest.raises(ExecutionFailed):
                await execution.result()
            again = (await execution.describe()).record.ended_at
            assert again is not None
            assert again > first

    running(scenario)


def test_what_has_failed_goes_on_after_a_retry(url: str) -> None:
    engine = Engine(url)
    broken = True

    @engine.task("break")
    async def breaks(given: Any) -> Any:
        if broken:
            raise ValueError("out of order")
        return "repaired"

    async def scenario() -> None:
        nonlocal broken
        async with engine:
            execution = await begun(engine, BROKEN)
            with pytest.raises(ExecutionFailed, match="out of order"):
                await execution.result()
            broken = False
            await execution.retry()
            assert await execution.result() == "repaired"
            with pytest.raises(Conflict, match="is completed, and only what has failed can be retried"):
                await execution.retry()

    running(scenario)


def test_what_has_been_undone_is_not_retried(url: str) -> None:
    workflow = Workflow(
        "undone",
        (*BROKEN.steps, Step("undo", Task("log", obj(message=k("undone"))))),
        (Entry("try"),),
        compensations=(Compensation("try", "undo"),),
        compensate_on_failure=True,
    )

    async def scenario() -> None:
        async with breaking(Engine(url)) as engine:
            execution = await begun(engine, workflow)
            with pytest.raises(ExecutionFailed):
                await execution.result()
            with pytest.raises(Conflict, match="has been undone"):
                await execution.retry()

    running(scenario)


def test_events_tell_the_id_and_the_name_of_the_workflow(url: str) -> None:
    listener = Workflow("listener", PAID.steps, PAID.entries)

    async def scenario() -> None:
        async with Engine(url) as engine:
            await engine.workflows.save(listener)
            await begun(engine, SAY, 1)
            events: Any = await engine.host.shell.ask(_lifecycle)
            assert {(name, data["workflowId"], data["name"]) for name, data in events} >= {
                ("workflow.started", "say", "say"),
                ("workflow.completed", "say", "say"),
            }

    running(scenario)


def test_what_an_execution_tells_of_itself_has_the_times_that_it_has_though_its_worker_came_later(sql_url: str) -> None:
    async def scenario() -> None:
        async with Engine(sql_url, works=False) as asking:
            id_ = (await begun(asking, SAY, 1)).id
        async with Engine(sql_url) as engine:
            execution = await engine.executions.get(id_)
            await execution.result()
            described = (await execution.describe()).record
            events = (await engine.events.list(type="workflow.*")).items
            assert described.started_at < (described.ended_at or 0)
            assert {each.event.type: each.event.at for each in events} == {
                "workflow.started": described.started_at,
                "workflow.completed": described.ended_at,
            }

    running(scenario)


def _lifecycle(store: Any) -> list[tuple[str, Any]]:
    if hasattr(store, "events"):
        return [(event.type, event.data) for event in store.events.values()]
    found = by_hand(store, "SELECT type, data FROM events").fetchall()
    return [(kind, msgspec.json.decode(data)["data"]) for kind, data in found]


def test_the_synchronous_one_liner(url: str) -> None:
    engine = adding(Engine(url))
    assert [engine.run(sequence(2), {"n": number}) for number in range(3)] == [2, 3, 4]


def test_the_synchronous_one_liner_does_not_stop_a_loop() -> None:
    async def scenario() -> None:
        with pytest.raises(Conflict, match="would stop the event loop"):
            Engine().run(SAY)

    running(scenario)


def test_an_engine_that_only_asks_leaves_the_work_to_others(sql_url: str) -> None:
    async def scenario() -> None:
        async with adding(Engine(sql_url, works=False)) as asking:
            execution = await begun(asking, sequence(2), {"n": 1})
            assert (await execution.describe()).status == "pending"
            async with adding(Engine(sql_url)):
                assert await execution.result() == 3

    running(scenario)


def test_all_that_can_run_is_run_and_what_waits_is_left(url: str, tmp_path: object) -> None:
    async def scenario() -> None:
        async with adding(Engine(url, unknown_tasks="wait")) as engine:
            sleeping, asking = await begun(engine, NAP), await begun(engine, ASK, {"n": 1})
            strange = await begun(engine, BROKEN)
            runs = [await begun(engine, sequence(3), {"n": n}) for n in range(5)]
            await engine.run_until_idle()
            assert [(await each.describe()).status for each in (sleeping, asking)] == ["waiting", "waiting"]
            assert (await strange.describe()).status == "running"
            assert {(await each.describe()).status for each in runs} == {"completed"}

    running(scenario)


def test_what_tries_again_is_waited_for(url: str) -> None:
    engine, calls = Engine(url), 0

    @engine.task("break")
    async def breaks(given: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls < 3:
            raise ValueError("out of order")
        return calls

    again = one(Step("try", Task("break", obj(), Retry(3, delay_ms=50, jitter=0))), "again")

    async def scenario() -> None:
        async with engine:
            execution = await begun(engine, again)
            await engine.run_until_idle()
            assert (await execution.describe()).output == 3

    running(scenario)
