"""Servers that are killed, one after the other, on the same database and port: `python -m api.victim URL PORT KILLS SEED`.

A warm program forks each of them, so that a life costs milliseconds. It prints a line for each that was killed; the last one lives
until stdin is closed.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import os
import select
import signal
import sys
import time
from random import Random

import uvloop

from perdure.api.server import listening, serve
from perdure.service.engine import Engine

EARLY_SECONDS, LATE_SECONDS = 0.3, 0.5
"""One of four is killed within the first, most of them before they take anything; the others within the second, once they do."""


def main(url: str, port: int, kills: int, seed: str) -> None:
    random = Random(seed)
    gc.freeze()
    for number in range(kills):
        child, ready = _forked(url, port)
        if random.random() < 1 / 4:
            time.sleep(random.uniform(0, EARLY_SECONDS))
        else:
            assert os.read(ready, 1), "it ended before it took anything"
            time.sleep(random.uniform(0, LATE_SECONDS))
        os.close(ready)
        os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        assert os.WIFSIGNALED(status), f"it ended by itself: {status}"
        print(f"killed {number + 1}", flush=True)
    child, ready = _forked(url, port)
    os.read(ready, 1)
    print("lives", flush=True)
    select.select([sys.stdin], [], [])
    os.kill(child, signal.SIGTERM)
    os.waitpid(child, 0)


def _forked(url: str, port: int) -> tuple[int, int]:
    """The process, and where it says that it takes requests."""
    reading, writing = os.pipe()
    child = os.fork()
    if child:
        os.close(writing)
        return child, reading
    status = 1
    try:
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            runner.run(_serve(url, port, writing))
        status = 0
    finally:
        os._exit(status)


async def _serve(url: str, port: int, writing: int) -> None:
    engine = Engine(url)
    with contextlib.closing(listening("127.0.0.1", port)) as place:
        async with engine:
            await serve(engine, place, needs_key=True, ready=lambda: os.write(writing, b"."))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4])
