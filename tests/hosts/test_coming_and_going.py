"""An engine that cannot begin, or that is not let end in peace, leaves nothing behind: no thread, no lock, no connection."""

from __future__ import annotations

import asyncio
import errno
import os
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import apsw
import pytest

from perdure.model.steps import Step, Task
from perdure.model.workflow import Entry, Workflow
from perdure.runtime.ends import Ends
from perdure.service.engine import Engine
from perdure.store.sqlite.reader import SqliteReader
from perdure.store.sqlite.store import SqliteStore

SOON = 20
"""Seconds, after which a test gives up. None of them waits for time to pass."""
HANGS = Workflow("hangs", (Step("a", Task("hangs")),), (Entry("a"),))
HANDED_OVER = [(None, 1, 0)]
"""Nobody owns it, it is ready, and nobody is blamed."""


def left_behind(folder: Path) -> tuple[set[str], list[str], list[str]]:
    """Threads of ours, files of the database that are open, and locks of workers."""
    names = {thread.name for thread in threading.enumerate() if thread.name.startswith("perdure")}
    threads = {name for name in names if not name.startswith("perdure-parse")}  # a pool of the process
    opened = [str(link.readlink()) for link in Path("/proc/self/fd").iterdir() if link.is_symlink()]
    workers = folder / "flows.db.workers"
    locks = [path.name for path in workers.iterdir() if path.suffix != ".lock"] if workers.exists() else []
    return threads, [path for path in opened if path.startswith(str(folder))], locks


NOTHING: tuple[set[str], list[str], list[str]] = (set(), [], [])


def hanging(folder: Path) -> tuple[Engine, asyncio.Event]:
    """An engine with a task that does not end."""
    engine, begun = Engine(f"sqlite:///{folder}/flows.db", keep_days=1), asyncio.Event()

    @engine.task("hangs")
    async def hangs(given: Any) -> Any:
        begun.set()
        await asyncio.Event().wait()

    return engine, begun


def no_thread(self: threading.Thread) -> None:
    raise RuntimeError("can't start new thread")


def no_file(path: Any, *given: Any, really: Any = os.open) -> int:
    if Path(path).parent.suffix == ".workers" and Path(path).suffix != ".lock":  # that of the worker itself
        raise OSError(errno.EMFILE, "too many open files")
    return int(really(path, *given))


def no_answer(*_: Any) -> Any:
    raise apsw.IOError("disk I/O error")


@pytest.mark.parametrize(
    ("place", "name", "fault", "error"),
    [
        (os, "open", no_file, OSError),
        (SqliteReader, "ends_after", no_answer, apsw.IOError),
        (threading.Thread, "start", no_thread, RuntimeError),
        (Ends, "start", no_answer, apsw.IOError),
    ],
)
def test_an_engine_that_cannot_begin_leaves_nothing_behind_and_can_begin_later(
    place: Any, name: str, fault: Callable[..., Any], error: type[Exception], tmp_path: Path
) -> None:
    engine, _ = hanging(tmp_path)

    async def scenario() -> None:
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(place, name, fault)
            with pytest.raises(error) as raised:
                await engine.__aenter__()
        assert left_behind(tmp_path) == NOTHING
        del raised  # until here it has kept alive whatever had not been closed
        async with engine:
            await engine.workflows.save(HANGS)
            assert left_behind(tmp_path) != NOTHING
        assert left_behind(tmp_path) == NOTHING

    asyncio.run(asyncio.wait_for(scenario(), SOON))


async def running(engine: Engine, begun: asyncio.Event, inside: asyncio.Event, grace_seconds: float = SOON) -> None:
    async with engine:
        await engine.workflows.save(HANGS)
        await engine.executions.start("hangs")
        await begun.wait()
        engine.host._grace_seconds = grace_seconds  # as `serve` does
        inside.set()


async def rounds(count: int = 5) -> None:
    for _ in range(count):
        await asyncio.sleep(0)


def owners(folder: Path) -> list[Any]:
    found = apsw.Connection(str(folder / "flows.db"))
    return found.execute("SELECT owner, ready, crashes FROM executions").fetchall()


def test_an_end_that_is_cancelled_is_seen_through_and_the_second_time_it_is_at_once(tmp_path: Path) -> None:
    async def scenario() -> None:
        engine, begun = hanging(tmp_path)
        inside = asyncio.Event()
        task = asyncio.create_task(running(engine, begun, inside))
        await inside.wait()
        await rounds()
        task.cancel()
        await rounds()
        assert not task.done(), "what runs has its time of grace"
        began_at = time.monotonic()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert time.monotonic() - began_at < SOON / 4
        assert left_behind(tmp_path) == NOTHING
        assert owners(tmp_path) == HANDED_OVER

    asyncio.run(asyncio.wait_for(scenario(), SOON))


def test_an_end_that_is_cancelled_once_comes_to_its_end(tmp_path: Path) -> None:
    async def scenario() -> None:
        engine, begun = hanging(tmp_path)
        inside = asyncio.Event()
        task = asyncio.create_task(running(engine, begun, inside, 0.01))
        await inside.wait()
        await rounds()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert left_behind(tmp_path) == NOTHING
        assert owners(tmp_path) == HANDED_OVER

    asyncio.run(asyncio.wait_for(scenario(), SOON))


def test_a_loop_that_is_closed_under_the_engine_leaves_nothing_behind(tmp_path: Path) -> None:
    """As with Ctrl-C, twice: everything is cancelled, also the end that was under way."""

    async def scenario() -> None:
        engine, begun = hanging(tmp_path)
        inside = asyncio.Event()
        ending = asyncio.create_task(running(engine, begun, inside))
        await inside.wait()
        await rounds()
        assert not ending.done()

    asyncio.run(asyncio.wait_for(scenario(), SOON))
    assert left_behind(tmp_path) == NOTHING
    assert owners(tmp_path) == HANDED_OVER


def test_a_store_that_cannot_be_closed_keeps_no_lock_and_the_engine_can_be_used_again(
    tmp_path: Path,
) -> None:
    def closes_badly(self: SqliteStore) -> None:
        close(self)
        raise apsw.IOError("disk I/O error")

    close = SqliteStore.close
    engine, _ = hanging(tmp_path)

    async def scenario() -> None:
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(SqliteStore, "close", closes_badly)
            with pytest.raises(apsw.IOError):
                async with engine:
                    pass
        assert left_behind(tmp_path) == NOTHING
        async with engine:
            await engine.workflows.save(HANGS)

    asyncio.run(asyncio.wait_for(scenario(), SOON))
