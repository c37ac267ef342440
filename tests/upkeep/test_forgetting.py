"""What has long ended is forgotten while work goes on: all of it, nothing else, and nobody has to wait for long.

With PERDURE_PATIENCE=1 there are 20,000 executions to forget; without it 1,000.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import time
from itertools import count
from pathlib import Path
from typing import Any

import apsw
import psycopg
import pytest

from api.house import ASK, GREET, database, run
from cli.typing import here
from cli.typing import perdure as typed
from perdure.clock import now_ms
from perdure.model.steps import Child, Compute, ForEach, Route, Step, Task
from perdure.model.workflow import Entry, Workflow
from perdure.runtime import retention_guard, tidying
from perdure.runtime.tidying import Kept, tidy
from perdure.service.engine import Engine
from perdure.testing.words import k, obj, x

PATIENCE = os.environ.get("PERDURE_PATIENCE") == "1"
OLD = 20_000 if PATIENCE else 1_000
LIVE = 30
LONG = 1_500
"""So many items the long one has, with several facts each: more than go in one commit."""

AT_ONCE = 100
CALM_SECONDS = 2.0
PAUSE_RATIO, PAUSE_SECONDS_LEAST = 10, 0.3
"""While something is forgotten, the longest pause of the work is at most so many times the longest without; what is shorter than
the other says nothing on a machine that has more to do.
"""

SMALL = Workflow("small", (Step("a", Compute(obj(n=x("input.n")))),), (Entry("a"),))
PARENT = Workflow("parent", (Step("bill", Child(k("small"), obj(n=x("input.n")))),), (Entry("bill"),))
SLOW_PARENT = Workflow(
    "slow",
    (
        Step("bill", Child(k("small"), obj(n=x("input.n"))), (Route(("never",)),)),
        Step("never", Task("never", obj(n=x("input.n")))),
    ),
    (Entry("bill"),),
)
MANY = Workflow(
    "many", (Step("each", Task("echo", obj(n=x("item"))), each=ForEach(k(list(range(LONG))), 100)),), (Entry("each"),)
)


def echoing(url: str) -> Engine:
    engine = Engine(url)

    @engine.task("echo")
    async def echo(given: Any) -> Any:
        return given

    return engine


NUMBERS = count()


class Rows:
    """All tables, as the database itself tells them."""

    def __init__(self, url: str) -> None:
        self._url = url

    def ask(self, query: str) -> list[tuple[Any, ...]]:
        if self._url.startswith("sqlite"):
            return list(apsw.Connection(self._url.removeprefix("sqlite:///")).execute(query))
        with psycopg.connect(self._url) as connection:
            return connection.execute(query.encode()).fetchall()

    def of_executions(self) -> list[str]:
        """Tables with rows of executions."""
        if self._url.startswith("sqlite"):
            tables = self.ask(
                "SELECT m.name FROM sqlite_master AS m, pragma_table_info(m.name) AS c WHERE m.type = 'table' AND c.name = 'eid'"
            )
        else:
            tables = self.ask(
                "SELECT table_name FROM information_schema.columns JOIN information_schema.tables USING (table_schema, table_name) "
                "WHERE column_name = 'eid' AND table_schema = current_schema() AND table_type = 'BASE TABLE'"
            )
        return sorted(name for (name,) in tables)

    def orphans(self) -> dict[str, int]:
        """Rows of executions that there are not, by table."""
        found = {
            table: self.ask(f"SELECT count(*) FROM {table} WHERE eid NOT IN (SELECT eid FROM executions)")[0][0]
            for table in self.of_executions()
        }
        found["idempotency"] = self.ask(
            "SELECT count(*) FROM idempotency WHERE execution NOT IN (SELECT id FROM executions)"
        )[0][0]
        return {table: count for table, count in found.items() if count}

    def count(self, table: str) -> int:
        return int(self.ask(f"SELECT count(*) FROM {table}")[0][0])


async def _filled(engine: Engine) -> None:
    """With executions that have ended, of all kinds."""
    for workflow in (GREET, ASK, SMALL, PARENT, SLOW_PARENT, MANY):
        await engine.workflows.save(workflow)
    ask = (await engine.executions.start("refund", {})).id
    await _started(engine, "many", [{}])
    for begin in range(0, OLD, AT_ONCE):
        await _started(engine, "greet", [_input(number) for number in range(begin, begin + AT_ONCE)])
    await _started(engine, "parent", [{"n": number} for number in range(20)])
    async with asyncio.timeout(30):
        while not (open_ := (await engine.approvals.list()).items):  # noqa: ASYNC110
            await asyncio.sleep(0.02)
    await engine.decide(open_[0].id, "approve", by="ann")
    await (await engine.executions.get(ask)).ended()


def _input(number: int) -> dict[str, Any]:
    """Each fiftieth has a value that is kept in pieces."""
    return {"name": "x" * 100_000 if number % 50 == 0 else f"old-{number}"}


async def _started(engine: Engine, workflow: str, inputs: list[Any]) -> None:
    started = await asyncio.gather(
        *(engine.executions.start(workflow, given, idempotency_key=f"order-{next(NUMBERS)}") for given in inputs)
    )
    await asyncio.gather(*(each.ended() for each in started))


async def _live(engine: Engine) -> list[str]:
    """That wait: for a person, or for a task that nobody has, with a child that has ended."""
    asking = [await engine.executions.start("refund", {}) for _ in range(LIVE)]
    parents = [await engine.executions.start("slow", {"n": number}) for number in range(5)]
    async with asyncio.timeout(60):
        for each in asking:
            while (await each.describe()).status != "waiting":  # noqa: ASYNC110
                await asyncio.sleep(0.02)
        for each in parents:
            while "never" not in (await each.progress()).steps:  # noqa: ASYNC110
                await asyncio.sleep(0.02)
    return [each.id for each in (*asking, *parents)]


class Work:
    """Executions one after the other, in several lines: when each has come to its end."""

    def __init__(self, engine: Engine) -> None:
        self._engine, self.ended_at = engine, list[float]()

    async def longest_pause(self, until: asyncio.Task[Any]) -> float:
        self.ended_at = [time.perf_counter()]
        await asyncio.gather(*(self._line(until) for _ in range(4)))
        self.ended_at.append(time.perf_counter())
        return max(later - earlier for earlier, later in zip(self.ended_at, self.ended_at[1:], strict=False))

    async def _line(self, until: asyncio.Task[Any]) -> None:
        while not until.done():
            await (await self._engine.executions.start("greet", {"name": "new"})).ended()
            self.ended_at.append(time.perf_counter())


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_what_has_long_ended_is_forgotten_while_work_goes_on(kind: str, tmp_path: Path) -> None:
    url = database(tmp_path, kind)

    async def scenario() -> None:
        engine, rows = echoing(url), Rows(url)
        async with engine:
            await _filled(engine)
            live = await _live(engine)
            before = {each: (await (await engine.executions.get(each)).history(limit=100)).items for each in live}
            cut = now_ms()
            work = Work(engine)
            calm = await work.longest_pause(asyncio.create_task(asyncio.sleep(CALM_SECONDS)))
            done_in_calm, old = len(work.ended_at), await _forgettable(engine, cut)
            assert old >= OLD + 20
            began = time.perf_counter()
            pause = await work.longest_pause(asyncio.create_task(_until_forgotten(engine, cut)))
            took = time.perf_counter() - began
            print(
                f"\n{kind}: {old:,} forgotten in {took:.1f} s beside {len(work.ended_at):,} new ones ({done_in_calm / CALM_SECONDS:.0f} a "
                f"second without, {len(work.ended_at) / took:.0f} with); longest pause {pause * 1_000:.0f} ms, without {calm * 1_000:.0f} ms"
            )
            assert pause < max(PAUSE_RATIO * calm, PAUSE_SECONDS_LEAST)
            assert await _forgettable(engine, cut) == 0
            for each, entries in before.items():
                found = await engine.executions.get(each)
                assert (await found.history(limit=100)).items == entries
        kept = rows.count("executions")
        ended_before = rows.ask(f"SELECT count(*) FROM executions WHERE ended_at < {cut} AND parent IS NULL")[0][0]
        assert ended_before == 0
        assert rows.orphans() == {}
        assert rows.count("leavings") == rows.count("idempotency") == 0
        assert len(live) + 5 < kept, "the children of those that live are there, and what was new"
        assert rows.ask("SELECT count(*) FROM forgotten") == [(1,)]

    run(scenario(), 900)
    ended = typed("doctor", "--db", url)
    assert ended.status == 0, ended.out + ended.err


async def _forgettable(engine: Engine, before: int) -> int:
    return await engine.host.shell.ask(lambda store: int(store.forgettable(before)))


async def _until_forgotten(engine: Engine, cut: int) -> None:
    """As a worker does it, by a clock that stands."""
    nothing_left, in_vain = asyncio.Event(), 0

    async def ask(question: Any) -> int:
        nonlocal in_vain
        found: int = await engine.host.shell.ask(question)
        assert found <= 2 * tidying.MOST_AT_ONCE, "so many at once"
        in_vain = 0 if found else in_vain + 1
        if in_vain == 2:  # of the ledger, and of what has ended
            nothing_left.set()
        return found

    tidied = asyncio.create_task(tidy(ask, lambda: cut, Kept(executions=0)))
    await asyncio.wait({tidied, asyncio.create_task(nothing_left.wait())}, return_when=asyncio.FIRST_COMPLETED)
    tidied.cancel()
    (ended,) = await asyncio.gather(tidied, return_exceptions=True)
    assert isinstance(ended, asyncio.CancelledError), ended


def test_a_worker_forgets_by_its_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What ended a day ago, as the worker has it; what ended just now stays."""
    monkeypatch.setenv("PERDURE_KEEP_EXECUTIONS", "1m")
    monkeypatch.setattr(tidying, "LOOK_SECONDS", 0.02)
    monkeypatch.setattr(retention_guard, "START_SECONDS", 0.0)
    url = database(tmp_path, "sqlite")

    async def scenario() -> None:
        async with Engine(url, keep_days=36_500) as engine:
            await engine.workflows.save(GREET)
            await _started(engine, "greet", [{"name": "a"}, {"name": "b"}, {"name": "c"}])
        old, _, _ = [id_ for (id_,) in Rows(url).ask("SELECT id FROM executions ORDER BY eid")]
        apsw.Connection(url.removeprefix("sqlite:///")).execute(
            "UPDATE executions SET ended_at = ended_at - 86400000 WHERE id = ?", (old,)
        )
        async with Engine(url, works=False):
            pass  # who only asks forgets nothing
        assert Rows(url).count("executions") == 3
        async with Engine(url), asyncio.timeout(30):
            while Rows(url).count("executions") == 3:  # noqa: ASYNC110
                await asyncio.sleep(0.02)
        assert Rows(url).count("executions") == 2

    run(scenario())


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_by_hand_it_is_counted_first_and_goes_on_where_it_was_killed(
    kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    url, rows = database(tmp_path, kind), None

    async def scenario() -> None:
        async with echoing(url) as engine:
            await engine.workflows.save(GREET)
            await engine.workflows.save(MANY)
            await _started(engine, "many", [{}])
            await _started(engine, "greet", [{"name": "x"} for _ in range(300)])
            await _started(engine, "greet", [{}])

    run(scenario())
    rows = Rows(url)
    rows.ask("UPDATE executions SET ended_at = ended_at - 86400000 RETURNING eid")
    told = here(capsys, "db", "forget", "--older-than", "1h", "--dry-run", "--json", "--db", url).object
    assert (told["forgettable"], told["forgotten"], rows.count("executions")) == (301, 0, 302)
    assert (
        here(capsys, "db", "forget", "--older-than", "1h", "--status", "failed", "--json", "--db", url).object[
            "forgotten"
        ]
        == 0
    )
    with subprocess.Popen([sys.executable, "-c", FORGETS, url]) as forgetting:
        while rows.count("executions") > 200 and forgetting.poll() is None:
            time.sleep(0.005)
        forgetting.kill()
    assert typed("doctor", "--db", url).status == 0
    assert rows.count("executions") > 1, "it was killed in the middle"
    ended = here(capsys, "db", "forget", "--older-than", "1h", "--db", url)
    assert (ended.status, ended.err) == (0, "")
    assert "forgotten" in ended.out
    assert (rows.count("executions"), rows.orphans(), rows.count("leavings")) == (1, {}, 0)
    assert typed("doctor", "--db", url).status == 0


FORGETS = """
import sys
from perdure.cli.main import main
sys.exit(main(["db", "forget", "--older-than", "1h", "--db", sys.argv[1]]))
"""


@pytest.mark.parametrize("given", ["90", "soon", "0d", "-1d"])
def test_what_is_no_duration_forgets_nothing(given: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ended = here(capsys, "db", "forget", f"--older-than={given}", "--db", f"sqlite:///{tmp_path}/flows.db")
    assert ended.status == 2
    assert "is no duration; write one like 12h, 90d or 2w" in ended.err


def test_pages_of_what_was_forgotten_are_used_again(tmp_path: Path) -> None:
    """The file does not shrink; it does not grow either, as long as no more is kept than before."""
    url = database(tmp_path, "sqlite")
    file = tmp_path / "flows.db"

    async def scenario() -> None:
        async with Engine(url) as engine:
            await engine.workflows.save(GREET)
            lengths = []
            for _ in range(4):
                await _started(engine, "greet", [{"name": "x" * 20_000} for _ in range(50)])
                while await engine.host.shell.ask(lambda store: int(store.forget(now_ms() + 1_000, 100))):
                    pass
                await engine.host.shell.ask(lambda store: len(store.connection.wal_checkpoint()))
                lengths.append(file.stat().st_size)
            assert max(lengths[1:]) <= lengths[0] * 1.2, lengths

    run(scenario())
