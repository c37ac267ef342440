"""One life of a process that works in the shop. It says when it has got anywhere, for as long as it lives."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from hosts import people, shop
from perdure.service.engine import Engine

LIVES_MAX = 100_000
"""Whoever is killed from outside has killed nobody: these executions are never parked."""


async def live(folder: Path, count: int, begun_at: float, say: Callable[[str], None]) -> None:
    """Have the orders below `count` seen to their ends. `begun_at`: on the clock `time.monotonic`."""
    engine = Engine(f"sqlite:///{folder}/flows.db", crashes_max=LIVES_MAX)
    shop.register(engine, folder)
    async with engine:
        watching = asyncio.create_task(first_progress(engine, begun_at, say))
        await people.everything(engine, folder, count)
        watching.cancel()
    say("ended")


async def first_progress(engine: Engine, begun_at: float, say: Callable[[str], None]) -> None:
    """Say how many seconds of the wall and of this process have passed when the first fact of this life was durable."""
    before, _ = await engine.host.shell.read(lambda reader: reader.ends_after(None))
    while (await engine.host.shell.read(lambda reader: reader.ends_after(None)))[0] == before:  # noqa: ASYNC110  the file is watched
        await asyncio.sleep(0.001)
    say(f"progress {time.monotonic() - begun_at:.4f} {time.process_time():.4f}")


if __name__ == "__main__":
    asyncio.run(live(Path(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3]), partial(print, flush=True)))
