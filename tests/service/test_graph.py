"""A graph through the service, and its two views, which say the same: the dialect's, and the one in SQL."""

from __future__ import annotations

import asyncio
from typing import Any

import msgspec
import pytest

from perdure.service.engine import Engine, Execution
from perdure.service.errors import ExecutionFailed, Refused
from perdure.store import port as p
from service.seeing import by_hand, in_the_view
from service.words import running, until, waiting

GREET: dict[str, Any] = {
    "name": "greet",
    "nodes": [
        {"id": "start", "type": "MANUAL_TRIGGER"},
        {"id": "greet", "type": "GREET", "data": {"greeting": "Hello"}},
        {"id": "rest", "type": "WAIT", "data": {"amount": 1, "unit": "hours"}},
    ],
    "connections": [{"fromNodeId": "start", "toNodeId": "greet"}],
}
RESTING = {
    **GREET,
    "name": "rests",
    "connections": [*GREET["connections"], {"fromNodeId": "greet", "toNodeId": "rest"}],
}


@pytest.fixture
def engine(sql_url: str) -> Engine:
    made = Engine(sql_url)

    @made.node("GREET")
    async def greet(params: Any) -> Any:
        if params.context.get("breaks"):
            raise ValueError("no voice")
        return {**params.context, "said": f"{params.data['greeting']} {params.context['name']}"}

    return made


async def both(url: str, execution: Execution) -> tuple[dict[str, Any], dict[str, Any]]:
    """The execution as the dialect shows it, and as SQL does."""
    (told,) = (row for row in in_the_view(url) if row["id"] == execution.id)
    told["output"] = None if told["output"] is None else msgspec.json.decode(str(told["output"]))
    return await execution.view(), told


def agree(view: dict[str, Any], row: dict[str, Any]) -> None:
    fields = row.keys() - {"organization"}
    assert {name: view[name] for name in fields} == {name: row[name] for name in fields}


def test_what_completed_what_waits_and_what_failed_is_shown_alike(sql_url: str, engine: Engine) -> None:
    async def scenario() -> None:
        async with engine:
            for document in (GREET, RESTING):
                await engine.workflows.save(document)
            done = await engine.executions.start("greet", {"name": "Ada", "_trigger": {"type": "CUSTOM", "depth": 1}})
            assert (await done.result())["said"] == "Hello Ada"
            resting = await engine.executions.start("rests", {"name": "Bob"})
            await waiting(resting)
            broken = await engine.executions.start("greet", {"name": "Eve", "breaks": True})
            with pytest.raises(ExecutionFailed):
                await broken.result()
            cancelled = await engine.executions.start("rests", {"name": "Joe"})
            await waiting(cancelled)
            await cancelled.cancel("enough")
            statuses = []
            for execution in (done, resting, broken, cancelled):
                view, row = await both(sql_url, execution)
                agree(view, row)
                statuses.append(row["status"])
            assert statuses == ["SUCCESS", "WAITING", "FAILED", "FAILED"]

    running(scenario)


def test_a_wait_beside_a_task_is_shown_alike_while_that_runs_and_after_it(sql_url: str) -> None:
    engine, gate = Engine(sql_url), asyncio.Event()
    start, task, rest = GREET["nodes"]  # entered in the order in which they stand
    edges = [{"fromNodeId": "start", "toNodeId": node["id"]} for node in (rest, task)]
    beside = {"name": "beside", "nodes": [start, rest, task], "connections": edges}

    @engine.node("GREET")
    async def greet(params: Any) -> Any:
        await gate.wait()
        return params.context

    async def scenario() -> None:
        async with engine:
            await engine.workflows.save(beside)
            execution = await engine.executions.start("beside", {"name": "Ada"})

            async def is_called() -> bool:
                return "step.scheduled" in [entry.kind for entry in (await execution.history()).items]

            await until(is_called)
            view, row = await both(sql_url, execution)
            agree(view, row)
            assert (row["status"], row["currentNodeId"]) == ("RUNNING", "greet")
            gate.set()
            await waiting(execution)
            view, row = await both(sql_url, execution)
            agree(view, row)
            assert (row["status"], row["currentNodeId"], row["waitingAtNodeId"]) == ("WAITING", "rest", "rest")

    running(scenario)


def test_a_node_that_the_engine_does_itself_is_shown_alike_however_large_its_result(sql_url: str) -> None:
    engine = Engine(sql_url)
    large = {
        "name": "large",
        "nodes": [
            {"id": "start", "type": "MANUAL_TRIGGER"},
            {"id": "set", "type": "SET", "data": {"values": {"text": "🦆" * 70_000}}},
        ],
        "connections": [{"fromNodeId": "start", "toNodeId": "set"}],
    }

    async def scenario() -> None:
        async with engine:
            await engine.workflows.save(large)
            execution = await engine.executions.start("large", {})
            await execution.result()
            await engine.host.shell.ask(_as_if_it_ran)
            view, row = await both(sql_url, execution)
            assert (view["currentNodeId"], row["currentNodeId"]) == ("set", "set")

    running(scenario)


def test_what_is_parked_waits_at_no_node(sql_url: str, engine: Engine) -> None:
    async def scenario() -> None:
        async with engine:
            await engine.workflows.save(RESTING)
            execution = await engine.executions.start("rests", {"name": "Ada"})
            await waiting(execution)
            await engine.host.shell.ask(_as_if_parked)
            view, row = await both(sql_url, execution)
            agree(view, row)
            assert (row["status"], row["currentNodeId"], row["waitingAtNodeId"]) == ("WAITING", "rest", None)

    running(scenario)


def _as_if_it_ran(store: Any) -> None:
    by_hand(store, "UPDATE executions SET status = 'running', ended_at = NULL, output = NULL")


def _as_if_parked(store: Any) -> None:
    waits = msgspec.json.encode(p.parked(3, 1)).decode()
    by_hand(store, f"UPDATE executions SET waiting = '{waits}', crashes = 3, wake_at = NULL")


def test_a_character_that_postgres_does_not_have_is_no_hindrance(sql_url: str, engine: Engine) -> None:
    async def scenario() -> None:
        async with engine:
            await engine.workflows.save(RESTING)
            execution = await engine.executions.start("rests", {"name": "A\0da", "_trigger": {"type": "ODD"}})
            await waiting(execution)
            view, row = await both(sql_url, execution)
            agree(view, row)
            assert (row["triggerType"], row["waitingAtNodeId"]) == ("ODD", "rest")
            detail = await execution.step("greet")
            assert detail.output is not None
            assert detail.status == "completed"

    running(scenario)


def test_what_an_event_has_started_is_shown_alike(sql_url: str, engine: Engine) -> None:
    async def scenario() -> None:
        async with engine:
            saved = await engine.workflows.save(RESTING)
            data = {"workflowId": saved.id, "initialData": {"name": "Ada"}}
            await engine.publish("workflows/execute.workflow", data, id_="inngest-1")

            async def started() -> Any:
                return (await engine.executions.list(status="waiting")).items

            (record,) = await until(started)
            view, row = await both(sql_url, await engine.executions.get(record.id))
            agree(view, row)
            assert (row["inngestEventId"], row["triggerType"]) == ("inngest-1", "MANUAL_TRIGGER")

    running(scenario)


def test_a_graph_is_run_again_from_a_node_with_another_context(engine: Engine) -> None:
    async def scenario() -> None:
        async with engine:
            await engine.workflows.save(GREET)
            first = await engine.executions.start("greet", {"name": "Ada"})
            await first.result()
            assert (await (await first.rerun(from_step="greet")).result())["said"] == "Hello Ada"
            fork = await first.fork(at_step="greet", variables={"name": "Bob"})
            assert (await fork.result())["said"] == "Hello Bob"

    running(scenario)


def test_what_is_run_again_is_as_deep_as_its_input_says(engine: Engine) -> None:
    async def scenario() -> None:
        async with engine:
            await engine.workflows.save(GREET)
            first = await engine.executions.start("greet", {"name": "Ada", "_trigger": {"depth": 2}})
            await first.result()
            again, other = await first.rerun(), await first.rerun(input={"name": "Ada"})
            assert [(await each.describe()).record.depth for each in (again, other)] == [2, 0]

    running(scenario)


def test_control_keys_are_not_for_whoever_forks(engine: Engine) -> None:
    async def scenario() -> None:
        async with engine:
            await engine.workflows.save(GREET)
            first = await engine.executions.start("greet", {"name": "Ada"})
            await first.result()
            with pytest.raises(Refused, match="'_wait' is a control key") as refused:
                await first.fork(at_step="greet", variables={"name": "Bob", "_wait": 9, "_branch": "main"})
            assert [problem.field for problem in refused.value.problems] == ["_wait", "_branch"]
            assert (await engine.executions.list(parent=first.id)).items == ()

    running(scenario)


def test_a_graph_that_is_not_saved_is_run_by_one_line(engine: Engine) -> None:
    assert engine.run(GREET, {"name": "Ada"})["said"] == "Hello Ada"


def test_an_event_that_names_a_workflow_by_its_id_starts_no_other_that_has_it_for_a_name(url: str) -> None:
    def document(id_: str, name: str, *triggers: dict[str, Any]) -> dict[str, Any]:
        nodes = [{"id": f"t{number}", **trigger} for number, trigger in enumerate(triggers)]
        marks = [{"id": f"m{n}", "type": "SET", "data": {"values": {"by": f"t{n}"}}} for n in range(len(nodes))]
        lead = [{"fromNodeId": f"t{n}", "toNodeId": f"m{n}"} for n in range(len(nodes))]
        return {"id": id_, "name": name, "nodes": [*nodes, *marks], "connections": lead}

    def after(workflow: str) -> dict[str, Any]:
        return {"type": "WORKFLOW_TRIGGER", "data": {"workflowId": workflow}}

    manual = {"type": "MANUAL_TRIGGER"}
    documents = (
        document("x", "first", manual),
        document("y", "x", manual),  # its name is the id of the first
        document("after x", "after x", after("x")),
        document("after both", "after both", after("x"), after("y")),
    )

    async def scenario() -> None:
        async with Engine(url) as engine:
            for each in documents:
                await engine.workflows.save(each)

            async def came_of(*names: str) -> list[tuple[str, str]]:
                for name in names:
                    await engine.publish("workflows/execute.workflow", {"workflowId": name, "initialData": {}})
                await engine.run_until_idle()
                found = (await engine.executions.list()).items
                return sorted((record.workflow, record.output["by"]) for record in found)

            by_x = [("after both", "t0"), ("after x", "t0"), ("x", "t0")]
            assert await came_of("x") == by_x
            assert await came_of("y") == sorted([*by_x, ("after both", "t1"), ("y", "t0")])
            assert await came_of("first") == sorted([*by_x, *by_x, ("after both", "t1"), ("y", "t0")])

    running(scenario)
