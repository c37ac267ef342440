"""The task `transform` in an engine: real stores, real children."""

from __future__ import annotations

import asyncio
import logging
from pathlib import Path
from typing import Any

import pytest

from perdure import Engine
from perdure.hosts.owners import KEPT_MAX, Owners
from perdure.model.executors import TRANSFORM
from perdure.model.failure import Category
from perdure.model.steps import ForEach, Retry, Route, Step, Task
from perdure.model.workflow import Entry, Workflow
from perdure.service.errors import ExecutionFailed
from perdure.tasks import TaskContext
from perdure.tasks.calling import InvalidInput
from perdure.tasks.sandbox import Sandbox
from perdure.tasks.transform import Transform
from perdure.testing.words import x
from postgres import fresh_schema

DOUBLE = "const $default = ({ n }) => ({ n: n * 2 })"
SOON = 30


@pytest.fixture(params=["memory", "sqlite", "postgres"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    match request.param:
        case "memory":
            return "memory://"
        case "sqlite":
            return f"sqlite:///{tmp_path}/flows.db"
        case _:
            return fresh_schema()


def transforms(*codes: str, name: str = "transforms", **options: Any) -> Workflow:
    """One after the other: the first is given the input, the others what the one before has given."""
    last = len(codes) - 1
    steps = tuple(
        Step(
            f"t{at}",
            Task(TRANSFORM, x("last.output ?? input"), setup={"code": code}, **options),
            (Route((f"t{at + 1}",)),) if at < last else (),
        )
        for at, code in enumerate(codes)
    )
    return Workflow(name, steps, (Entry("t0"),))


async def completed(engine: Engine, workflow: Workflow, given: Any, organization: str = "default") -> Any:
    await engine.workflows.save(workflow, organization=organization)
    execution = await engine.executions.start(workflow.name, given, organization=organization)
    async with asyncio.timeout(SOON):
        return await execution.result()


def test_a_workflow_of_transforms_runs_on_every_store(url: str) -> None:
    async def run() -> tuple[Any, int]:
        async with Engine(url) as engine:
            workflow = transforms(DOUBLE, DOUBLE, "const $default = (x) => Object.entries(x)")
            found = await completed(engine, workflow, {"n": 5})
            children = list(engine.host.sandbox._children)
        return found, sum(child._process.poll() is None for child in children)

    assert asyncio.run(run()) == ([["n", 20]], 0)


def test_an_engine_without_transforms_starts_no_process() -> None:
    async def run() -> int:
        async with Engine() as engine:

            @engine.task("plain")
            async def plain(given: Any) -> Any:
                return given

            await completed(engine, Workflow("plain", (Step("a", Task("plain")),), (Entry("a"),)), None)
            return len(engine.host.sandbox._children)

    assert asyncio.run(run()) == 0


def test_an_engine_can_be_opened_again(tmp_path: Path) -> None:
    engine = Engine(f"sqlite:///{tmp_path}/flows.db")

    async def run() -> Any:
        async with engine:
            return await completed(engine, transforms(DOUBLE), {"n": 1})

    assert [asyncio.run(run()) for _ in range(2)] == [{"n": 2}] * 2


def test_what_it_logs_goes_to_the_log_and_stays_with_the_step(caplog: pytest.LogCaptureFixture) -> None:
    code = "const $default = (x) => { console.log('got\\n', x); console.debug('d'); console.error('e'); return 1 }"

    async def run() -> tuple[str, list[Any]]:
        async with Engine() as engine:
            await engine.workflows.save(transforms(code))
            execution = await engine.executions.start("transforms", {"n": 1})
            await execution.result()
            return execution.id, [entry.data for entry in (await execution.history()).items]

    with caplog.at_level(logging.DEBUG, "perdure.tasks"):
        execution, history = asyncio.run(run())
    told = [record for record in caplog.records if record.name == "perdure.tasks"]
    assert [(record.levelname, record.getMessage()) for record in told] == [
        ("INFO", 'got\\n {"n":1}'),
        ("DEBUG", "d"),
        ("ERROR", "e"),
    ]
    assert {(record.execution_id, record.step, record.attempt) for record in told} == {(execution, "t0", 1)}  # type: ignore[attr-defined]
    (meta,) = (data["meta"] for data in history if data.get("meta"))
    assert meta == {
        "logs": [
            {"level": "log", "text": 'got\n {"n":1}'},
            {"level": "debug", "text": "d"},
            {"level": "error", "text": "e"},
        ]
    }


def test_a_failure_has_its_code_its_place_and_the_last_lines(caplog: pytest.LogCaptureFixture) -> None:
    code = "const $default = (x) => {\n  for (let i = 0; i < 500; i++) console.log('line', i);\n  return x.a.b;\n}"

    async def run() -> Any:
        async with Engine() as engine:
            await engine.workflows.save(transforms(code, retry=Retry(attempts_max=3)))
            execution = await engine.executions.start("transforms", {})
            with pytest.raises(ExecutionFailed):
                await execution.result()
            return await execution.step("t0")

    with caplog.at_level(logging.INFO, "perdure.tasks"):
        step = asyncio.run(run())
    assert len(step.attempts) == 1
    assert (step.error.code, step.error.category) == ("TRANSFORM_FAILED", Category.BUSINESS)
    assert step.error.message.endswith("TypeError: cannot read property 'b' of undefined (line 3, column 10)")
    lines = step.error.details.pop("logs")
    assert step.error.details == {"error": "TypeError", "line": 3, "column": 10}
    assert lines[-1] == {"level": "log", "text": "line 499"}
    assert 50 < len(lines) < 500
    assert sum(record.getMessage().startswith("line ") for record in caplog.records) == 500


@pytest.mark.parametrize(
    ("code", "setup", "failure"),
    [
        ("const $default = () => { for (;;); }", {"timeoutMs": 100}, "TRANSFORM_TIMEOUT"),
        ("const $default = async () => 1", {}, "TRANSFORM_OUTPUT"),
        ("const $default = () => { const a = []; for (;;) a.push({}) }", {}, "TRANSFORM_MEMORY"),
    ],
)
def test_a_route_can_name_what_went_wrong(code: str, setup: dict[str, Any], failure: str) -> None:
    work = Task(TRANSFORM, x("input"), setup={"code": code, **setup})
    mend = Step("mend", Task(TRANSFORM, x("input"), setup={"code": "const $default = () => 'mended'"}))
    workflow = Workflow("w", (Step("t", work, on_error=(Route(("mend",), port=failure),)), mend), (Entry("t"),))

    async def run() -> Any:
        async with Engine() as engine:
            return await completed(engine, workflow, {})

    assert asyncio.run(run()) == "mended"


def test_items_of_a_for_each_are_transformed_each_for_itself() -> None:
    work = Task(TRANSFORM, x("item"), setup={"code": "const $default = (n) => n * n"})
    step = Step("t", work, each=ForEach(x("input"), concurrency=10))

    async def run() -> Any:
        async with Engine() as engine:
            return await completed(engine, Workflow("w", (step,), (Entry("t"),)), list(range(200)))

    assert asyncio.run(run()) == [number * number for number in range(200)]


def test_organizations_are_told_apart() -> None:
    """One floods the sandbox, in an engine that both share; the other goes on."""

    async def run() -> tuple[Any, int]:
        endless = transforms("const $default = () => { for (;;); }", name="endless")
        async with Engine() as engine:
            await engine.workflows.save(endless, organization="loud")
            for _ in range(20):
                await engine.executions.start("endless", {}, organization="loud")
            found = await completed(engine, transforms(*[DOUBLE] * 10), {"n": 1}, "quiet")
            ended = await engine.executions.list(organization="loud", status="failed")
            return found, len(ended.items)

    found, ended = asyncio.run(run())
    assert found == {"n": 1024}
    assert ended < 20


@pytest.mark.parametrize("setup", [None, {}, {"code": 1}, {"code": DOUBLE, "timeoutMs": "soon"}])
def test_without_code_there_is_nothing_to_run(setup: Any) -> None:
    async def nobody(_: str) -> str:
        pytest.fail("not asked")

    context = TaskContext("e1", "shape", 1, "e1:1", setup=setup)
    with pytest.raises(InvalidInput, match="step 'shape' calls 'transform' without its code"):
        asyncio.run(Transform(Sandbox(2), nobody).perform({}, context))


class Store:
    """Counts what it is asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    async def read(self, question: Any) -> Any:
        return question(self)

    def record(self, execution: str) -> Any:
        self.asked.append(execution)
        return type("Record", (), {"organization": f"of {execution}"})


def test_whose_an_execution_is_is_asked_once() -> None:
    store = Store()
    owners = Owners(store.read)

    async def ask(*executions: str) -> list[str]:
        return [await owners.organization(each) for each in executions]

    assert asyncio.run(ask("a", "b", "a", "a")) == ["of a", "of b", "of a", "of a"]
    assert store.asked == ["a", "b"]
    asyncio.run(ask(*map(str, range(KEPT_MAX - 1)), "a"))
    assert store.asked.count("a") == 1, "it was used, and others go first"
    assert len(owners._known) == KEPT_MAX
    owners.forget()
    asyncio.run(ask("a"))
    assert store.asked.count("a") == 2
