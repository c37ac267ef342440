"""A program that plays a scene again and again, and is killed in it: lives.py URL FOLDER SCENE FIRST STEP

It is warm, has no thread and no connection, and forks lives. One life kills itself before or after one of its commits, with SIGKILL;
the next plays the scene to its end. So it goes from commit FIRST on, in steps of STEP, until a life comes to the end before it
would be killed. What it says is a line of JSON for each: where it was killed, how the execution is seen in the end, and where its
database is. In URL and FOLDER, `#` is the number of the case.
"""

from __future__ import annotations

import asyncio
import gc
import json
import os
import signal
import sys
import traceback
from collections.abc import Callable, Sequence
from itertools import count
from pathlib import Path
from typing import Any, Literal, NoReturn, TypeAlias

from orchestration.scenes import BY_NAME, Scene
from orchestration.shop import Shop
from perdure.service.engine import Engine
from perdure.store import port as p
from perdure.store.postgres.store import PostgresStore
from perdure.store.sqlite.store import SqliteStore

When: TypeAlias = Literal["before", "after"]
LIVES_MAX = 1_000
"""Whoever is killed from outside has killed nobody: no execution is parked."""


class Killed:
    """Kills its process at a commit: before it, or right after. Signs of life alone are no commit."""

    def __init__(self, number: int, when: When) -> None:
        self.number, self.when, self.passed = number, when, 0

    def around(self, store: type[Any]) -> None:
        commit = store.commit

        def committing(self_: Any, items: Sequence[p.Item]) -> list[p.Outcome]:
            counts = any(not isinstance(item, p.Beat) for item in items)
            self.passed += counts
            if counts and self.passed == self.number and self.when == "before":
                os.kill(os.getpid(), signal.SIGKILL)
            outcomes: list[p.Outcome] = commit(self_, items)
            if counts and self.passed == self.number and self.when == "after":
                os.kill(os.getpid(), signal.SIGKILL)
            return outcomes

        store.commit = committing


async def play(url: str, folder: Path, scene: Scene) -> dict[str, Any]:
    engine = Engine(url, crashes_max=LIVES_MAX)
    shop = Shop(engine, folder / "effects", scene.called_off)
    async with engine:
        return await shop.play(scene)


def life(work: Callable[[], Any]) -> Any:
    """What came of it in a process of its own; None, if it was killed."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        _work_and_exit(work, writing)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        said = pipe.read()
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL:
        return None
    assert status == 0, said
    return json.loads(said)


def _work_and_exit(work: Callable[[], Any], writing: int) -> NoReturn:
    """In the child, which must not go on with what its parent does."""
    try:
        said, status = json.dumps(work()), 0
    except BaseException:  # noqa: BLE001  whatever it is, it is told, and nothing comes after it
        said, status = traceback.format_exc(), 1
    with os.fdopen(writing, "w") as pipe:
        pipe.write(said)
    os._exit(status)


def main(url: str, folder: str, scene: Scene, first: int, step: int) -> None:
    gc.freeze()
    cases = count()
    for number in count(first, step):
        whens: tuple[When, ...] = ("before", "after")
        killed = [_case(url, folder, next(cases), scene, Killed(number, when)) for when in whens]
        if not any(killed):
            return


def _case(url: str, folder: str, case: int, scene: Scene, killed: Killed) -> bool:
    """Whether anybody was killed."""
    here, there = url.replace("#", str(case)), Path(folder.replace("#", str(case)))
    there.mkdir(parents=True)

    def first() -> Any:
        for store in (SqliteStore, PostgresStore):
            killed.around(store)
        return asyncio.run(play(here, there, scene))

    view = life(first)
    was_killed = view is None
    if was_killed:
        view = life(lambda: asyncio.run(play(here, there, scene)))
    told = {"number": killed.number, "when": killed.when, "killed": was_killed, "view": view, "case": case}
    print(json.dumps(told), flush=True)
    return was_killed


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], BY_NAME[sys.argv[3]], int(sys.argv[4]), int(sys.argv[5]))
