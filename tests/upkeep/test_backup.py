"""A copy of a database while a server writes: one moment of it, with all that was acknowledged before it was begun."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from api.house import database, run
from cli.typing import here
from cli.typing import perdure as typed
from perdure.service.engine import Engine
from perdure.store.sqlite.doctor import examine
from postgres import fresh_schema
from upkeep.test_restart import Client, key, server

COPIES = 3
CLIENTS = 4


def test_what_was_acknowledged_before_a_copy_was_begun_is_in_it(tmp_path: Path) -> None:
    url = database(tmp_path, "sqlite")
    copies: list[tuple[Path, set[str]]] = []

    async def scenario() -> None:
        token = await key(url)
        async with server(tmp_path, url) as served:
            base, over = await served.url(), asyncio.Event()
            clients = [Client(base, token, f"c{number}") for number in range(CLIENTS)]
            going = [asyncio.create_task(each.go_on(over)) for each in clients]
            for number in range(COPIES):
                while not all(len(each.started) > 10 * (number + 1) for each in clients):
                    assert not any(each.done() for each in going), [each.exception() for each in going if each.done()]
                    await asyncio.sleep(0.01)
                acknowledged = {id_ for each in clients for id_ in each.started}
                copy = tmp_path / f"copy{number}.db"
                made = await asyncio.to_thread(typed, "db", "backup", copy, "--db", url)
                assert made.status == 0, made.err
                copies.append((copy, acknowledged))
            started = sum(len(each.started) for each in clients)
            over.set()
            await asyncio.gather(*going)
            assert started > len(copies[-1][1]), "somebody has written meanwhile"
        for copy, acknowledged in copies:
            found = examine(str(copy), now=0)
            assert found.broken == ()
            await _goes_on(copy, acknowledged)

    run(scenario(), 300)


async def _goes_on(copy: Path, acknowledged: set[str]) -> None:
    """All that was acknowledged is there, and comes to its end in the copy as it would have."""
    engine, found, cursor = Engine(f"sqlite:///{copy}"), set[str | None](), None
    async with engine:
        while True:
            page = await engine.executions.list(limit=500, cursor=cursor)
            for record in page.items:
                await (await engine.executions.get(record.id)).ended()
                found.add(record.correlation_id)
            cursor = page.next
            if cursor is None:
                break
    assert acknowledged <= found


def test_of_postgres_it_says_how_it_is_done(capsys: pytest.CaptureFixture[str]) -> None:
    ended = here(capsys, "db", "backup", "monday.dump", "--db", fresh_schema())
    assert ended.status == 2
    assert "pg_dump --format=custom --file=monday.dump 'postgresql://" in ended.err
    assert "pg_restore" in ended.err
