"""Nodes that do their work in parts, and are killed in the middle: `parts.py folder seed kills`.

With the seed `after`, life number k dies by its own hand right after the k-th part was kept, which has to be durable by then.
With any other seed it is killed at some moment. Each call of a part leaves a line, and so does each that was kept.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

from hosts.life import LIVES_MAX
from hosts.zygote import LAST_SECONDS, Say, life
from perdure.model.steps import Compute, Route, Step, Task
from perdure.model.workflow import Entry, Workflow
from perdure.service.engine import Engine
from perdure.tasks.nodes import NodeParams
from perdure.testing.words import k, obj, x

NAMES = ("page", "page", "save", "page", "mail", "save")
"""What a node does, in this order: some of it several times."""
PARTS = len(NAMES)
SECONDS_MAX = 0.25

NODES = ("loop", "thread")
FLOW = Workflow(
    "parts",
    (
        Step("loop", Task("node:LOOP", obj(data=x("input"), nodeId=k("loop"))), (Route(("thread",)),)),
        Step("thread", Task("node:THREAD", obj(data=x("input"), nodeId=k("thread"))), (Route(("all",)),)),
        Step("all", Compute(obj(loop=x("steps.loop.output.set.loop"), thread=x("steps.thread.output.set.thread")))),
    ),
    (Entry("loop"),),
)


class Lines:
    """A line is there as soon as it is written, also when the process dies right after it."""

    def __init__(self, folder: Path, dies_at: tuple[str, int] | None) -> None:
        self._file = os.open(folder / "effects", os.O_APPEND | os.O_CREAT | os.O_WRONLY)
        self._dies_at = dies_at

    def write(self, kind: str, node: str, part: int, token: str) -> None:
        os.write(self._file, f"{kind} {node} {part} {token}\n".encode())

    def called(self, node: str, part: int) -> str:
        token = f"{os.getpid()}-{node}-{part}"
        self.write("called", node, part, token)
        return token

    def kept(self, node: str, part: int, token: str) -> None:
        self.write("kept", node, part, token)
        if (node.partition(":")[0], part) == self._dies_at:
            os.kill(os.getpid(), signal.SIGKILL)


def register(engine: Engine, lines: Lines) -> None:
    @engine.node("LOOP")
    async def in_the_loop(params: NodeParams) -> dict[str, Any]:
        tokens = []
        for part, name in enumerate(NAMES):
            tokens.append(await params.step.run(name, later, named(params), part))
            lines.kept(named(params), part, tokens[-1])
        return {"loop": tokens}

    @engine.node("THREAD")
    def in_a_thread(params: NodeParams) -> dict[str, Any]:
        tokens = []
        for part, name in enumerate(NAMES):
            tokens.append(params.step.run(name, lines.called, named(params), part))
            lines.kept(named(params), part, tokens[-1])
        return {"thread": tokens}

    async def later(node: str, part: int) -> str:
        return lines.called(node, part)


def named(params: NodeParams) -> str:
    return f"{params.node_id}:{params.data['n']}"


def living(folder: Path, count: int, dies_at: tuple[str, int] | None = None) -> Callable[[Say], Any]:
    async def live(say: Say) -> None:
        engine = Engine(f"sqlite:///{folder}/flows.db", crashes_max=LIVES_MAX)
        register(engine, Lines(folder, dies_at))
        async with engine:
            await engine.workflows.save(FLOW)
            start = engine.executions.start
            begun = [await start("parts", {"n": n}, idempotency_key=f"parts-{n}") for n in range(count)]
            say(json.dumps(await asyncio.gather(*(execution.result() for execution in begun))))

    return live


def main(folder: Path, seed: str, kills: int) -> None:
    random, said, count = Random(f"parts {seed}"), list[str](), 1
    for number in range(kills):
        if seed == "after":
            told = life(living(folder, count, (NODES[number // PARTS], number % PARTS)), LAST_SECONDS)
        else:
            told = life(living(folder, count), random.uniform(0, SECONDS_MAX))
            count += 2  # so that there is always something to do
        said.append("killed" if told["killed"] else "ended")
    last = life(living(folder, count), LAST_SECONDS)
    print(json.dumps({"lives": said, "outputs": json.loads(last["said"][-1])}))


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]))
