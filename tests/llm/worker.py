"""A program that is killed: `python -m llm.worker DATABASE_URL FOLDER STAGE…`. It starts a conversation for each stage, which is to
be killed there, or carries it on; and keeps what tools were called with in a file.
"""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

from llm.words import SCHEMA, asking, come, ports
from perdure import Engine

DOCUMENT = ports(asking("{{ input.stage }}", tools=["look"], outputSchema=SCHEMA), name="conversation")


async def main(url: str, folder: Path, stages: list[str]) -> None:
    engine = Engine(url, crashes_max=100)
    calls, kill = folder / "calls", folder / "kill"

    @engine.task("look")
    async def look(given: dict[str, Any]) -> str:
        with calls.open("a") as file:
            file.write(json.dumps(given) + "\n")
        if kill.exists() and given["stage"] == f"tool {given['n']}":
            await asyncio.sleep(3_600)
        return f"seen {given['answer']}"

    async with engine:
        running = [await engine.executions.start(DOCUMENT, {"stage": stage}, idempotency_key=stage) for stage in stages]
        for execution, stage in zip(running, stages, strict=True):
            came = await come(execution)
            print(json.dumps([stage, came.status, came.data(), came.llm()]), flush=True)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], Path(sys.argv[2]), sys.argv[3:]))
