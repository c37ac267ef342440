"""What Restate must not change: who comes first, what is found, and what there is to read."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import pairwise
from pathlib import Path

import pytest

from connections.servers import OverHttp, connected, hostile, plain
from on_restate.server import Cluster, free_ports
from perdure import Engine
from perdure.clock import now_ms
from perdure.core.advance import Start
from perdure.core.events import CancelRequested
from perdure.hosts.refusing import Refused
from perdure.hosts.restate.forwarding import Forwarder
from perdure.hosts.restate.host import RestateHost
from perdure.hosts.restate.ingress import Ingress
from perdure.hosts.restate.messages import EXECUTION, Begin, Delivery, encoded
from perdure.model.executors import TRANSFORM
from perdure.model.steps import Approval, Child, EventWait, Loop, Route, Step, Task, Timer
from perdure.model.values import Json
from perdure.model.workflow import Entry, EventStart, Workflow
from perdure.runtime.writes import pending
from perdure.service.errors import Conflict
from perdure.service.execution import Execution
from perdure.testing.words import k, obj, x

SOON_SECONDS = 30.0


def test_a_decision_that_was_there_first_wins_over_the_time(one_node: Cluster, tmp_path: Path) -> None:
    """Nobody forwards it, and the time comes. It waits for what the store knows; and timers after it are set. What would have
    been started, had nobody decided, is not.
    """
    agree = Approval(obj(what="this"), due_at=x("input.due"), on_timeout="reject")
    steps = (
        Step("agree", agree, (Route(("rest",), port="approved"), Route(("complain",), port="rejected"))),
        Step("rest", Timer(k(3_000))),
        Step("complain", Child(k("ask"), obj(due=0))),
    )
    workflow = Workflow("ask", steps, (Entry("agree"),))

    async def decided_in_time() -> None:
        async with _running(one_node, tmp_path, forwards=False) as (host, engine):
            await engine.workflows.save(workflow)
            execution = await _started(host, engine, "ask", {"due": now_ms() + 1_000})
            (approval,) = await engine.host.read(lambda store: store.approvals_of(execution.id))
            await engine.decide(approval.id, "approve", by="ann")
            await asyncio.sleep(1.5)  # the time has come, and comes back
            assert (await execution.describe()).status == "waiting"
            ingress = Ingress(one_node.ingress)
            await Forwarder(host.library, ingress).forward()
            await ingress.close()
            await _until_ended(execution)
            assert (await execution.step("agree")).output["decidedBy"] == "ann"
            assert (await execution.step("rest")).status == "completed"
            assert [each.id for each in (await engine.executions.list()).items] == [execution.id]

    asyncio.run(decided_in_time())


def test_an_event_is_found_however_it_meets_its_wait(one_node: Cluster, tmp_path: Path) -> None:
    """One hundred of each: published while the wait is being opened, so that it is before it, after it, or at once."""
    steps = (Step("work", Task("work"), (Route(("wait",)),)), Step("wait", EventWait(x("input.pattern"))))
    workflow = Workflow("await", steps, (Entry("work"),))

    async def met() -> None:
        async with _running(one_node, tmp_path) as (host, engine):

            @host.tasks.task("work")
            async def work(given: Json) -> None:
                del given

            await engine.workflows.save(workflow)
            await asyncio.gather(*(_meet(host, engine, number) for number in range(100)))

    asyncio.run(met())


async def _meet(host: RestateHost, engine: Engine, number: int) -> None:
    execution = await _started(host, engine, "await", {"pattern": f"go.{number}"})
    await asyncio.sleep(number / 200)
    await engine.publish(f"go.{number}", {"n": number}, id_=f"go-{number}")
    await _until_ended(execution)
    assert (await execution.describe()).output == {"n": number}


def test_what_it_waits_for_can_be_read_and_told_as_everywhere(one_node: Cluster, tmp_path: Path) -> None:
    workflow = Workflow("ask", (Step("agree", Approval(obj(what="this"))),), (Entry("agree"),))

    async def read() -> None:
        async with _running(one_node, tmp_path) as (host, engine):
            await engine.workflows.save(workflow)
            execution = await _started(host, engine, "ask")
            why = await execution.why()
            assert [(wait.kind, wait.step) for wait in why.waits] == [("approval", "agree")]
            assert why.attended
            at = (await execution.describe()).execution_version
            with pytest.raises(Conflict, match=f"asked for version {at - 1}, and the execution is at version {at}"):
                await execution.cancel("no longer wanted", by="ann", if_version=at - 1)
            await execution.cancel("no longer wanted", by="ann", if_version=at)
            await _until_ended(execution)
            assert (await execution.describe()).status == "cancelled"
            kinds = [entry.kind for entry in (await execution.history()).items]
            assert kinds == ["execution.started", "approval.opened", "execution.cancelled"]

    asyncio.run(read())


def test_what_is_told_to_an_execution_before_it_begins_is_not_lost(one_node: Cluster, tmp_path: Path) -> None:
    """A child can be found, and cancelled, before its parent's word to begin has reached it."""
    workflow = Workflow("ask", (Step("agree", Approval(obj(what="this"))),), (Entry("agree"),))

    async def told() -> None:
        async with _running(one_node, tmp_path) as (_, engine):
            await engine.workflows.save(workflow)
            digest = await engine.host.read(lambda store: store.active_version("default", "ask"))
            assert digest is not None
            start, ingress = Start(now_ms(), f"child-{now_ms()}"), Ingress(one_node.ingress)
            cancel = Delivery(CancelRequested(now_ms(), "no longer wanted"), pos=1)
            await ingress.call(EXECUTION, start.execution, "deliver", encoded(cancel), "1")
            await ingress.call(EXECUTION, start.execution, "begin", encoded(Begin(pending(start, "ask", digest))), "2")
            await ingress.close()
            execution = await engine.executions.get(start.execution)
            await _until_ended(execution)
            assert (await execution.describe()).status == "cancelled"

    asyncio.run(told())


def test_a_task_that_is_not_here_is_waited_for(one_node: Cluster, tmp_path: Path) -> None:
    workflow = Workflow("one", (Step("work", Task("later", obj(n=1))),), (Entry("work"),))

    async def waited() -> None:
        async with _running(one_node, tmp_path) as (host, engine):
            await engine.workflows.save(workflow)
            execution = await _started(host, engine, "one")
            await asyncio.sleep(0.3)

            @host.tasks.task("later")
            async def later(given: Json) -> Json:
                return given

            await _until_ended(execution)
            assert (await execution.describe()).output == {"n": 1}
            assert len((await execution.step("work")).attempts) == 1, "nothing was lost, for nothing had begun"

    asyncio.run(waited())


def test_no_worker_takes_over_what_restate_has(one_node: Cluster, tmp_path: Path) -> None:
    """Not even while no process of ours is there, and its time has come."""
    workflow = Workflow("rest", (Step("rest", Timer(k(300))),), (Entry("rest"),))

    async def left_alone() -> None:
        (port,) = free_ports(1)
        async with _running(one_node, tmp_path, port=port) as (host, engine):
            await engine.workflows.save(workflow)
            execution = await host.start("rest")
        async with Engine(f"sqlite:///{tmp_path}/read.db") as worker:
            await asyncio.sleep(1.0)
            found = await worker.executions.get(execution)
            assert [entry.kind for entry in (await found.history()).items] == ["execution.started", "timer.opened"]
        async with _running(one_node, tmp_path, port=port) as (_, engine):
            await _until_ended(await engine.executions.get(execution))

    asyncio.run(left_alone())


@pytest.mark.flat
def test_a_step_costs_the_same_after_many_of_them(one_node: Cluster, tmp_path: Path) -> None:
    """A turn reads what it needs by key, and not all that its execution has kept: here, a large value for each tick."""
    steps = (
        Step("each", Loop(x("input.items")), (Route(("work",), port="loop"), Route((), port="done"))),
        Step("work", Task("work", obj(text=k("x" * 60_000))), (Route(("each",)),)),
    )
    workflow = Workflow("many", steps, (Entry("each"),))

    async def flat() -> None:
        async with _running(one_node, tmp_path) as (host, engine):
            times: list[float] = []

            @host.tasks.task("work")
            async def work(given: Json) -> Json:
                times.append(asyncio.get_running_loop().time())
                return given

            await engine.workflows.save(workflow)
            execution = await _started(host, engine, "many", {"items": list(range(130))})
            await _until_ended(execution)
            gaps = [after - before for before, after in pairwise(times)]
            first, last = min(gaps[5:45]), min(gaps[-40:])
            assert last < 2 * first, (first, last)

    asyncio.run(flat())


def test_what_does_not_fit_its_schema_is_not_started(one_node: Cluster, tmp_path: Path) -> None:
    schema = {"type": "object", "required": ["n"]}
    picky = Workflow(
        "picky",
        (Step("rest", Timer(k(1))),),
        (Entry("rest"),),
        starts=(EventStart("order.placed"),),
        input_schema=schema,
    )

    async def refused() -> None:
        async with _running(one_node, tmp_path) as (host, engine):
            await engine.workflows.save(picky)
            with pytest.raises(Refused, match='"n" is a required property'):
                await host.start("picky", {})
            sent = await engine.events.send({"type": "order.placed", "payload": {"m": 1}})
            async with asyncio.timeout(SOON_SECONDS):
                while not (seen := await engine.events.get(sent.id)).routed:  # noqa: ASYNC110  nobody here is told
                    await asyncio.sleep(0.02)
            assert seen.declined == (("picky", 'the input does not fit: "n" is a required property'),)
            assert (await engine.executions.list()).items == ()
            await _until_ended(await _started(host, engine, "picky", {"n": 1}))

    asyncio.run(refused())


def test_transforms_run_in_the_sandbox_of_the_process_and_end_with_it(one_node: Cluster, tmp_path: Path) -> None:
    double = {"code": "const $default = ({ n }) => { console.log(n); return { n: 2 * n } }"}
    first = Step("first", Task(TRANSFORM, x("input"), setup=double), (Route(("second",)),))
    second = Step("second", Task(TRANSFORM, x("last.output"), setup=double))
    endless = Step("endless", Task(TRANSFORM, setup={"code": "const $default = () => { for (;;); }", "timeoutMs": 100}))

    async def transformed() -> None:
        async with _running(one_node, tmp_path) as (host, engine):
            await engine.workflows.save(Workflow("double", (first, second), (Entry("first"),)))
            await engine.workflows.save(Workflow("endless", (endless,), (Entry("endless"),)))
            execution = await _started(host, engine, "double", {"n": 3})
            await _until_ended(execution)
            assert await execution.result() == {"n": 12}
            execution = await _started(host, engine, "endless")
            await _until_ended(execution)
            error = (await execution.step("endless")).error
            assert error is not None
            assert error.code == "TRANSFORM_TIMEOUT"
            children = list(host._sandbox._children)
        assert children
        assert all(child._process.poll() is not None for child in children)

    asyncio.run(transformed())


def test_a_call_whose_input_must_not_be_stored_fails_and_restate_never_sees_it(
    one_node: Cluster, tmp_path: Path
) -> None:
    document = {
        "name": "session",
        "steps": [
            {
                "stepSlug": "keep",
                "stepType": "action",
                "config": {
                    "type": "set_variables",
                    "variables": [{"name": "T", "value": "{{ input.a }}{{ input.b }}", "secure": True}],
                },
            }
        ],
    }

    async def sealed() -> None:
        async with _running(one_node, tmp_path) as (host, engine):
            saved = await engine.workflows.save(document)
            execution = await _started(host, engine, saved.id, {"a": "half-of-it-", "b": "and-the-rest"})
            await _until_ended(execution)
            described = await execution.describe()
            assert described.error is not None
            assert described.error.code == "NOT_SUPPORTED"
            assert "step 'keep' seals" in described.error.message

    asyncio.run(sealed())
    held = [
        path
        for path in one_node.folder.rglob("*")
        if path.is_file() and b"half-of-it-and-the-rest" in path.read_bytes()
    ]
    assert held == []


def test_tools_of_connections_are_called_as_everywhere(
    one_node: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The operator's are there at once; one that its organization adds later is waited for."""
    own = Workflow("own", (Step("call", Task("it/do", obj(n=1))),), (Entry("call"),))
    later = Workflow("later", (Step("call", Task("api/add", obj(a=1, b=2))),), (Entry("call"),))

    async def called(server: OverHttp) -> None:
        given = {"it": connected(hostile("well"))}
        async with _running(one_node, tmp_path, connections=given) as (host, engine):
            for workflow in (own, later):
                await engine.workflows.save(workflow)
            waits = await _started(host, engine, "later")
            first = await _started(host, engine, "own")
            await _until_ended(first)
            assert (await first.describe()).output["given"] == {"n": 1}
            await engine.connections.add("api", server.url)
            await _until_ended(waits)
            assert (await waits.describe()).output == {"result": 3}

    with OverHttp(plain()) as server:
        monkeypatch.setenv("PERDURE_ALLOW_ADDRESSES", f"127.0.0.1:{server.port}")
        asyncio.run(called(server))


@asynccontextmanager
async def _running(
    cluster: Cluster,
    folder: Path,
    *,
    forwards: bool = True,
    port: int | None = None,
    connections: dict[str, Json] | None = None,
) -> AsyncIterator[tuple[RestateHost, Engine]]:
    """The engine only asks and tells."""
    url = f"sqlite:///{folder}/read.db"
    host = RestateHost(
        url,
        cluster.ingress,
        f"127.0.0.1:{port or free_ports(1)[0]}",
        forwards=forwards,
        connections=connections,
    )
    async with host, Engine(url, works=False) as engine:
        await host.register(cluster.nodes[0].admin)
        yield host, engine


async def _started(host: RestateHost, engine: Engine, workflow: str, input: Json = None) -> Execution:
    return await engine.executions.get(await host.start(workflow, input))


async def _until_ended(execution: Execution) -> None:
    async with asyncio.timeout(SOON_SECONDS):
        while (await execution.describe()).record.ended_at is None:  # noqa: ASYNC110  nobody here is told
            await asyncio.sleep(0.02)
