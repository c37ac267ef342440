"""Questions beside whoever writes."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path
from typing import Any

import pytest

from perdure.runtime.readers import READERS_MAX, READERS_PER_ORGANIZATION_MAX, Readers
from perdure.store.port import Broken
from perdure.store.sqlite.store import SqliteStore

SOON = 20.0


def test_one_that_takes_long_keeps_nobody_else_waiting(tmp_path: Path) -> None:
    store = SqliteStore(str(tmp_path / "some.db"))
    readers, may_end = Readers(store.reader, "one"), threading.Event()

    async def ask_beside() -> bool:
        long = asyncio.ensure_future(readers.ask(lambda _: may_end.wait(SOON)))
        assert await readers.ask(lambda reader: reader.record("nobody")) is None
        assert not long.done()
        may_end.set()
        return await long

    assert asyncio.run(ask_beside())
    readers.close()
    store.close()


def test_there_are_as_many_as_were_needed_at_once_and_no_more_than_so_many(tmp_path: Path) -> None:
    store, opened = SqliteStore(str(tmp_path / "some.db")), []

    def open_one() -> Any:
        opened.append(store.reader())
        return opened[-1]

    async def ask(readers: Readers, at_once: int) -> None:
        meeting = threading.Barrier(min(at_once, READERS_PER_ORGANIZATION_MAX))
        await asyncio.gather(*(readers.ask(lambda _: meeting.wait(SOON)) for _ in range(at_once)))

    readers, most = Readers(open_one, "many"), READERS_PER_ORGANIZATION_MAX
    for at_once, expected in ((1, 1), (2, 2), (1, 2), (most * 3, most)):
        asyncio.run(ask(readers, at_once))
        assert len(opened) == expected
    readers.close()
    store.close()


def test_what_goes_wrong_is_told_to_whoever_asks_and_the_reader_is_lent_again(tmp_path: Path) -> None:
    store = SqliteStore(str(tmp_path / "some.db"))
    readers = Readers(store.reader, "one")

    def wrong(_: Any) -> None:
        raise Broken("the file is damaged")

    with pytest.raises(Broken):
        asyncio.run(readers.ask(wrong))
    assert asyncio.run(readers.ask(lambda reader: reader.has_mail("nobody"))) is False
    readers.close()
    store.close()


def test_organizations_take_turns_and_none_has_all_threads(tmp_path: Path) -> None:
    store, asked_by = SqliteStore(str(tmp_path / "some.db")), ["flood"]
    readers, may_end = Readers(store.reader, "one", lambda: asked_by[-1]), threading.Event()
    order: list[str] = []

    def note(name: str) -> Any:
        return lambda _: order.append(name)

    async def ask() -> None:
        flood: list[asyncio.Future[Any]] = [
            asyncio.ensure_future(readers.ask(lambda _: may_end.wait(SOON))) for _ in range(READERS_MAX * 3)
        ]
        await asyncio.sleep(0)  # it asks for the thousands now
        flood += [asyncio.ensure_future(readers.ask(note("flood"))) for _ in range(1_000)]
        await asyncio.sleep(0)
        others = [readers.ask(note(name), name) for name in ("one", "two", "one", "two")]
        await asyncio.wait_for(asyncio.gather(*others), SOON / 2)
        assert order == ["one", "two", "one", "two"], "while the flood has its share of threads"
        may_end.set()
        await asyncio.gather(*flood)

    asyncio.run(ask())
    assert order.count("flood") == 1_000
    assert READERS_PER_ORGANIZATION_MAX < READERS_MAX
    readers.close()
    store.close()


def test_a_caller_that_has_gone_is_not_answered(tmp_path: Path) -> None:
    store = SqliteStore(str(tmp_path / "some.db"))
    readers, may_end = Readers(store.reader, "one"), threading.Event()
    calls: list[Any] = []

    async def ask() -> None:
        busy = [asyncio.ensure_future(readers.ask(lambda _: may_end.wait(SOON))) for _ in range(READERS_MAX)]
        await asyncio.sleep(0)
        gone = asyncio.ensure_future(readers.ask(calls.append))
        await asyncio.sleep(0)
        gone.cancel()
        await asyncio.sleep(0)
        may_end.set()
        await asyncio.gather(*busy)

    asyncio.run(ask())
    readers.close()
    assert not calls
    store.close()
