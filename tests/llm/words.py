"""Short words for these tests: documents of ports that ask a model, and engines on a file of their own that run them."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any, TypeVar

from msgspec import Struct

from perdure import Engine
from perdure.model.values import Json
from perdure.service.engine import Described, Execution
from perdure.service.errors import ExecutionFailed

SOON = 20
Found = TypeVar("Found")
SCHEMA = {
    "type": "object",
    "properties": {"score": {"type": "number", "minimum": 0, "maximum": 1}, "why": {"type": "string"}},
    "required": ["score"],
}


def asking(
    prompt: str = "How are you?", slug: str = "ask", then: dict[str, str] | None = None, **config: Any
) -> dict[str, Any]:
    """One step that asks. `then`: where its ports lead."""
    return step("llm", slug, then, userPrompt=prompt, **config)


def step(type_: str, slug: str, then: dict[str, str] | None = None, **config: Any) -> dict[str, Any]:
    found = {"stepSlug": slug, "stepType": type_, "config": config}
    return found if then is None else {**found, "nextSteps": then}


def ports(*steps: dict[str, Any], name: str = "asking", **config: Any) -> dict[str, Any]:
    """The steps in turn, where they do not say otherwise."""
    following = [{"success": after["stepSlug"]} for after in steps[1:]]
    listed = [
        {"order": number, "name": one["stepSlug"], "nextSteps": onward, **one}
        for number, (one, onward) in enumerate(zip(steps, [*following, {}], strict=True), 1)
    ]
    return {"name": name, "config": config, "steps": listed}


class Came(Struct, frozen=True):
    """What an execution has come to."""

    id: str
    described: Described
    view: dict[str, Any]

    @property
    def status(self) -> str:
        return self.described.record.status

    @property
    def error(self) -> Any:
        return self.described.record.error

    @property
    def code(self) -> str:
        return str(self.error.code)

    def output(self, slug: str = "ask") -> dict[str, Any]:
        found: dict[str, Any] = self.view["variables"]["steps"][slug]["output"]
        return found

    def data(self, slug: str = "ask") -> Json:
        return self.output(slug)["data"]

    def llm(self, slug: str = "ask") -> dict[str, Any]:
        found: dict[str, Any] = self.output(slug)["meta"]["llm"]
        return found


async def come(execution: Execution) -> Came:
    """When it has ended."""
    with suppress(ExecutionFailed):
        await execution.result()
    return Came(execution.id, await execution.describe(), await execution.view())


Prepare = Callable[[Engine], object]


def ran(url: str, document: Json, given: Json = None, prepare: Prepare = lambda _: None) -> Came:
    """From its start to its end, on an engine of its own. `prepare` registers tasks."""

    async def scenario() -> Came:
        engine = Engine(url)
        prepare(engine)
        async with engine:
            return await come(await engine.executions.start(document, given))

    return running(scenario())


def running(scenario: Awaitable[Found]) -> Found:
    async def whole() -> Found:
        return await asyncio.wait_for(scenario, SOON)

    return asyncio.run(whole())


async def until(asked: Callable[[], Awaitable[Any]]) -> Any:
    """As soon as it says yes."""
    while True:
        found = await asked()
        if found:
            return found
        await asyncio.sleep(0.005)
