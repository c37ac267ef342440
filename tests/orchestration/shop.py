"""The shop that the order saga works in: the tasks of the example, each call noted down. One of them waits until it is told to go on,
and is not to be talked out of what it does, as a bank or a carrier that has begun.
"""

from __future__ import annotations

import asyncio
import inspect
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from orchestration.scenes import Place, Scene
from perdure.service.engine import Engine
from perdure.service.execution import Execution
from perdure.tasks.context import TaskContext
from perdure.tasks.loading import load

EXAMPLE: Final = Path(__file__).parents[2] / "examples" / "orchestration"
DOCUMENT: Final = (EXAMPLE / "order_saga.json").read_text()
LOOK_SECONDS: Final = 0.005
SOON_SECONDS: Final = 60.0


class Shop:
    """`effects` is a file with a line for each call: its key, its attempt, and by which process."""

    def __init__(self, engine: Engine, effects: Path, holds: Place | None = None) -> None:
        self.engine, self.effects, self.holds = engine, effects, holds
        self.holding = asyncio.Event()
        """Whether the task that waits has been called."""
        self.go_on = asyncio.Event()
        self.given: dict[str, Any] = {}
        """What each step was given, the last time that it was called."""
        for task in load(EXAMPLE / "tasks.py"):
            engine.task(task.name)(self._noting(task.function, takes_context=task.takes_context))

    def _noting(self, function: Callable[..., Any], *, takes_context: bool) -> Callable[..., Any]:
        async def noted(given: Any, ctx: TaskContext) -> Any:
            with self.effects.open("a") as file:
                file.write(f"{ctx.idempotency_key} {ctx.attempt} {os.getpid()}\n")
            self.given[ctx.step] = given
            if ctx.step == self.holds:
                self.holding.set()
                await self._told()
            answer = function(given, ctx) if takes_context else function(given)
            return await answer if inspect.isawaitable(answer) else answer

        return noted

    async def _told(self) -> None:
        while not self.go_on.is_set():
            try:
                await self.go_on.wait()
            except asyncio.CancelledError:
                continue

    async def play(self, scene: Scene) -> dict[str, Any]:
        """The whole scene, or what is left of it; how the execution is seen in the end."""
        async with asyncio.timeout(SOON_SECONDS):
            await self.engine.workflows.save(DOCUMENT)
            await self.engine.events.send(scene.placed)
            execution = await self._started()
            if scene.payment is not None:  # it may come before anybody waits for it
                await self.engine.events.send(scene.paid)
            if scene.called_off is not None:
                await self._until(lambda: self._is_at(execution, scene.called_off))
                await self.engine.events.send(scene.cancellation)
                await self._until(lambda: self._is(execution, "cancelled"))
                self.go_on.set()
            await self._until(lambda: self._is_over(execution))
            view: dict[str, Any] = await execution.view()
            return view

    async def _started(self) -> Execution:
        async def is_there() -> bool:
            return bool((await self.engine.executions.list()).items)

        await self._until(is_there)
        (only,) = (await self.engine.executions.list()).items
        return await self.engine.executions.get(only.id)

    async def _is_at(self, execution: Execution, place: Place | None) -> bool:
        """Or it has been called off before: this is not the first life of this process."""
        described = await execution.describe()
        is_there = described.status == "waiting" if place == "await_payment" else self.holding.is_set()
        return is_there or described.status == "cancelled"

    async def _is(self, execution: Execution, status: str) -> bool:
        return (await execution.describe()).status == status

    async def _is_over(self, execution: Execution) -> bool:
        record = (await execution.describe()).record
        return record.ended_at is not None and not record.live

    async def _until(self, holds: Callable[[], Any]) -> None:
        while not await holds():  # noqa: ASYNC110  nobody is told
            await asyncio.sleep(LOOK_SECONDS)
