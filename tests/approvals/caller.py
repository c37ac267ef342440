"""People who decide at once: a process with an engine of its own that works on nothing, and some callers in it.

It is given one JSON object on stdin, and says on stdout what each of them was answered.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from random import Random
from typing import Any

from perdure.errors import PerdureError
from perdure.service.engine import Engine

CANCELS = 0.1
"""So often somebody calls the whole thing off instead."""

LATE_SECONDS = 0.004


async def call(engine: Engine, name: str, asked: list[dict[str, Any]], chance: Random) -> list[dict[str, Any]]:
    """Decide each of them at its moment, as near as may be."""
    answers = []
    for one in asked:
        await asyncio.sleep(max(one["at"] / 1_000 + chance.uniform(-LATE_SECONDS, LATE_SECONDS) - time.time(), 0))
        decision = "cancel" if chance.random() < CANCELS else chance.choice(["approve", "reject"])
        told = {"approval": one["approval"], "by": name, "decision": decision}
        try:
            if decision == "cancel":
                await (await engine.executions.get(one["execution"])).cancel("called off", by=name)
                answers.append({**told, "answer": "cancelled"})
            else:
                item = await engine.approvals.decide(one["approval"], decision, actor=name)  # type: ignore[arg-type]
                answers.append({**told, "answer": item.decision, "decided_by": item.decided_by})
        except PerdureError as error:
            answers.append({**told, "answer": type(error).__name__, "message": str(error)})
    return answers


async def main() -> None:
    given = json.loads(sys.stdin.readline())
    async with Engine(given["url"], works=False) as engine:
        print("here", flush=True)
        asked = json.loads(sys.stdin.readline())
        answers = await asyncio.gather(*(call(engine, name, asked, Random(name)) for name in given["names"]))
    json.dump([answer for each in answers for answer in each], sys.stdout)


if __name__ == "__main__":
    asyncio.run(main())
