"""A program that is warm, has no thread and no connection, and forks lives that it kills: `zygote.py folder seed kills`.

A life costs a few milliseconds in this way, and not the half second that Python takes to begin. It prints what became of each
as a line of JSON: for how long it was allowed to live, whether it was killed, and what it had said until then.
"""

from __future__ import annotations

import asyncio
import gc
import json
import os
import select
import signal
import sys
import time
import traceback
from collections.abc import Callable, Coroutine
from pathlib import Path
from random import Random
from typing import Any, NoReturn, TypeAlias

from hosts.life import live

Say: TypeAlias = Callable[[str], None]

EARLY, LATE = 0.04, 0.25
"""Seconds. One life in four is over after the first at the latest, and hardly begins; the others have up to the second."""

LAST_SECONDS = 30.0
"""What the last life has."""


def main(folder: Path, seed: str, kills: int) -> None:
    gc.freeze()
    random, count, killed = Random(f"kills {seed}"), 8, 0
    while killed < kills:
        allowed = random.uniform(0, EARLY if random.random() < 1 / 4 else LATE)
        told = life(_working(folder, count), allowed)
        killed += told["killed"]
        print(json.dumps({**told, "orders": count}), flush=True)
        # Whoever came to the end of it all gets more to do.
        count += random.choice((0, 0, 1)) if told["killed"] else 7
    last = life(_working(folder, count), LAST_SECONDS)
    print(json.dumps({**last, "orders": count}), flush=True)


def _working(folder: Path, count: int) -> Callable[[Say], Coroutine[Any, Any, None]]:
    begun_at = time.monotonic()
    return lambda say: live(folder, count, begun_at, say)


def life(work: Callable[[Say], Coroutine[Any, Any, None]], allowed: float) -> dict[str, Any]:
    """Fork, let it live for so long, and kill it. The pipe is closed when it is dead, however it died."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        _work_and_exit(work, writing)
    os.close(writing)
    begun_at, killed, said = time.monotonic(), False, b""
    while True:
        ready, _, _ = select.select(
            [reading], [], [], None if killed else max(begun_at + allowed - time.monotonic(), 0)
        )
        if not ready:
            os.kill(child, signal.SIGKILL)
            killed = True
            continue
        piece = os.read(reading, 4_096)
        if not piece:
            break
        said += piece
    os.close(reading)
    _, status = os.waitpid(child, 0)
    return {
        "allowed": allowed,
        "lived": time.monotonic() - begun_at,
        "killed": os.WIFSIGNALED(status),
        "said": said.decode().splitlines(),
    }


def _work_and_exit(work: Callable[[Say], Coroutine[Any, Any, None]], writing: int) -> NoReturn:
    """In the child, which must not go on with what its parent does."""

    def say(text: str) -> None:
        os.write(writing, f"{text}\n".encode())

    try:
        asyncio.run(work(say))
    except BaseException:  # noqa: BLE001  whatever it is, it is told, and nothing comes after it
        traceback.print_exc()
        os._exit(1)
    os._exit(0)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]))
