"""Our own store, as the services on Restate use it: programs, what names mean, and commits, many at a time.

All of it goes through one thread: a connection belongs to one, and what has gathered while it wrote is written together.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from perdure.core.program import Program
from perdure.expressions.language import compile_value
from perdure.hosts.stores import Opened
from perdure.model import codec
from perdure.runtime.faults import error_text
from perdure.store import port as p
from perdure.store.questions import Questions
from perdure.store.versions import WorkflowRow

Answer = TypeVar("Answer")


class Library:
    def __init__(self, store: Opened) -> None:
        self._store = store
        self._thread = ThreadPoolExecutor(1, "perdure-store")
        self._reader: Any = None
        self._programs: dict[str, Program] = {}
        self._waiting: list[tuple[tuple[p.Item, ...], asyncio.Future[list[p.Outcome]]]] = []
        self._writing: asyncio.Task[None] | None = None

    def close(self) -> None:
        if self._reader is not None:
            self._thread.submit(self._reader.close).result()
        self._thread.shutdown()

    async def ask(self, question: Callable[[Opened], Answer]) -> Answer:
        return await asyncio.get_running_loop().run_in_executor(self._thread, question, self._store)

    async def read(self, question: Callable[[Questions], Answer]) -> Answer:
        return await asyncio.get_running_loop().run_in_executor(self._thread, self._read, question)

    def _read(self, question: Callable[[Questions], Answer]) -> Answer:
        if self._reader is None:
            self._reader = self._store.reader()
        return question(self._reader)

    async def workflow(self, organization: str, ref: str) -> WorkflowRow | None:
        """By its id, else by its name."""
        return await self.read(lambda reader: reader.workflow(organization, ref))

    async def program(self, digest: str) -> Program:
        """A model never changes, so that it need not be in any journal."""
        program = self._programs.get(digest)
        if program is None:
            model = await self.ask(lambda store: store.model(digest))
            program = self._programs.setdefault(digest, Program(codec.decode(model), compile_value))
        return program

    async def commit(self, *items: p.Item) -> list[p.Outcome]:
        """When it returns, they are durable, or refused."""
        done: asyncio.Future[list[p.Outcome]] = asyncio.get_running_loop().create_future()
        self._waiting.append((items, done))
        if self._writing is None:
            self._writing = asyncio.create_task(self._write())
        return await done

    async def commit_one(self, item: p.Item) -> p.Outcome:
        (outcome,) = await self.commit(item)
        return outcome

    async def _write(self) -> None:
        try:
            while self._waiting:
                gathered, self._waiting = self._waiting, []
                items = [item for some, _ in gathered for item in some]
                try:
                    outcomes = iter(await self.ask(lambda store, items=items: commit_in_parts(store, items)))  # type: ignore[misc]
                except Exception as error:  # noqa: BLE001  each is told, and Restate has it tried again
                    for _, done in gathered:
                        if not done.done():
                            done.set_exception(error)
                    continue
                for some, done in gathered:
                    mine = [next(outcomes) for _ in some]
                    if not done.done():  # whoever asked may be gone
                        done.set_result(mine)
        finally:
            self._writing = None


def commit_in_parts(store: p.Store, items: Sequence[p.Item]) -> list[p.Outcome]:
    """Commit items in one transaction, or in several if they are too large for one. Items that cannot be stored are refused."""
    try:
        return store.commit(items)
    except p.BatchTooLarge as error:
        count = error.count
    except p.DATA_ERRORS:
        return _commit_apart(store, items)
    return [*commit_in_parts(store, items[:count]), *commit_in_parts(store, items[count:])]


def _commit_apart(store: p.Store, items: Sequence[p.Item]) -> list[p.Outcome]:
    """Commit each item in a savepoint, and those that fail a second time. An item that fails twice is refused."""
    outcomes: list[p.Outcome] = []
    for item, outcome in zip(items, store.commit_apart(items), strict=True):
        second = store.commit_apart((item,), 1)[0] if isinstance(outcome, Exception) else outcome
        if isinstance(second, Exception):
            second = p.Refused(f"{p.CANNOT_BE_STORED}{error_text(second)}")
        outcomes.append(second)
    return outcomes
