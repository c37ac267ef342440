"""A process that watches an execution of another one, and prints what it sees, line by line."""

from __future__ import annotations

import asyncio
import sys

from perdure.service.engine import Engine


async def main(url: str, execution: str) -> None:
    async with Engine(url, works=False) as engine:
        found = await engine.executions.get(execution)
        async for entry in found.watch():
            print(entry.seq, entry.kind, entry.step, flush=True)


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
