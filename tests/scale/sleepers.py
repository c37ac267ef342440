"""A program of its own: an engine with many executions that sleep, and what it weighs; then many that are due at one moment.

sleepers.py make PATH COUNT        so many executions, asleep until long after: a sample by themselves, the rest copies of it
sleepers.py weigh PATH             open an engine on the file; what the process weighs, and how soon a start is answered
sleepers.py cancel PATH            cancel the last of them; what it has come to
sleepers.py drain PATH COUNT       put so many to sleep until one moment soon; how long after it all of them have ended
"""

from __future__ import annotations

import asyncio
import gc
import json
import statistics
import sys
import time
from pathlib import Path
from typing import Any

import apsw

from perdure.clock import now_ms
from perdure.core.advance import Start
from perdure.model.steps import Step, Task, Timer
from perdure.model.workflow import Entry, Workflow
from perdure.runtime.fresh import FreshIds
from perdure.service.engine import Engine
from perdure.store.sqlite.database import connect_reading, transaction
from perdure.testing.words import x
from scale.driving import Driven

SAMPLE = 2_000
PROBE = 1_000
FAR_MS = 10 * 365 * 24 * 3_600 * 1_000
STARTS = 200
NAP = Workflow("nap", (Step("nap", Timer(until=x("input.until"))),), (Entry("nap"),))
QUICK = Workflow("quick", (Step("light", Task("light")),), (Entry("light"),))

COPIED = {
    "executions": {"eid": "eid + :offset", "id": "id || '-' || :offset"},
    "history": {"pos": "NULL", "eid": "eid + :offset"},
    "events": {"pos": "NULL", "id": "id || '-' || :offset"},
}
"""What there is of an execution that sleeps, and what is different in a copy."""

OF_SAMPLE = {"executions": "eid <= :sample", "history": "eid <= :sample", "events": "pos <= :sample"}

LEFT = """
SELECT (SELECT count(*) FROM executions WHERE owner IS NULL AND live = 1 AND wake_at <= ?)
  + (SELECT count(*) FROM executions WHERE owner IS NOT NULL)
"""

HISTORY = """
SELECT count(*), count(ended.at), count(*) FILTER (WHERE ended.at < due_at), max(ended.at) - due_at
FROM (SELECT eid, data ->> 'due_at' AS due_at FROM history WHERE kind = 'timer.opened') AS opened
LEFT JOIN (SELECT eid, data ->> 'at' AS at FROM history WHERE kind = 'execution.completed') AS ended USING (eid)
WHERE due_at = ?
"""


def make(path: str, count: int) -> Any:
    """The first of them go to sleep by themselves; the others are copies of them, row by row, under other ids."""
    driven, fresh, now = Driven(Path(path), held_max=SAMPLE), FreshIds(now_ms), now_ms()
    driven.start(NAP, [Start(now, fresh(), {"until": now + FAR_MS}) for _ in range(SAMPLE)], now)
    assert not driven.engine.held, "all of them have gone to sleep"
    for first in range(SAMPLE, count, SAMPLE):
        _copy(driven.store.connection, first)
    driven.store.close()
    return {"made": count}


def _copy(connection: apsw.Connection, offset: int) -> None:
    with transaction(connection):
        for table, changed in COPIED.items():
            columns = [f'"{column}"' for _, column, *_ in connection.execute(f"PRAGMA table_info({table})")]
            values = [changed.get(column.strip('"'), column) for column in columns]
            connection.execute(
                f"INSERT INTO {table} ({', '.join(columns)}) SELECT {', '.join(values)} FROM {table} WHERE {OF_SAMPLE[table]}",
                {"offset": offset, "sample": SAMPLE},
            )


async def weigh(path: str) -> Any:
    async with Engine(f"sqlite:///{path}") as engine:
        engine.task("light")(_light)
        await engine.workflows.save(QUICK)
        took = [await _started(engine) for _ in range(STARTS)]
        gc.collect()
        weighs = rss_bytes()
    return {"rss_bytes": weighs, "start_p50_ms": round(statistics.median(took), 2), "asleep": _asleep(path)}


async def _started(engine: Engine) -> float:
    began = time.perf_counter()
    execution = await engine.executions.start("quick")
    took = 1_000 * (time.perf_counter() - began)
    await execution.result()
    return took


async def _light(given: Any) -> Any:
    return given


def rss_bytes() -> int:
    fields = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    return 1_024 * int(fields["VmRSS"].split()[0])


def _asleep(path: str) -> int:
    ((asleep,),) = connect_reading(path).execute("SELECT count(*) FROM executions WHERE status = 'waiting'")
    return int(asleep)


async def cancel(path: str) -> Any:
    (last,) = next(connect_reading(path).execute("SELECT id FROM executions WHERE eid = ?", (_asleep(path),)))
    async with Engine(f"sqlite:///{path}") as engine:
        execution = await engine.executions.get(last)
        await execution.cancel()
        return {"status": (await engine.host.shell.ended(last)).status}


async def drain(path: str, count: int) -> Any:
    async with Engine(f"sqlite:///{path}") as engine:
        await engine.workflows.save(NAP)
        began = now_ms()
        await _put_to_sleep(engine, PROBE, began + FAR_MS)
        moment = now_ms() + 1_000 + 2 * (now_ms() - began) * count // PROBE
        await _put_to_sleep(engine, count, moment)
        seen = connect_reading(path)
        asleep, asleep_at = _left(seen, moment), now_ms()
        weighs = rss_bytes()
        while _left(seen, moment):  # noqa: ASYNC110  only the file says so
            await asyncio.sleep(0.01)
        ended_at = now_ms()
        return {
            "asleep": asleep,
            "asleep_before_ms": moment - asleep_at,
            "rss_bytes_more": rss_bytes() - weighs,
            "per_second": round(1_000 * count / (ended_at - moment)),
            **_fired(seen, moment),
        }


async def _put_to_sleep(engine: Engine, count: int, until: int) -> None:
    await asyncio.gather(*(engine.executions.start("nap", {"until": until}) for _ in range(count)))
    while engine.host.shell.engine.held:  # noqa: ASYNC110  nobody is told
        await asyncio.sleep(0.01)


def _left(seen: apsw.Connection, moment: int) -> int:
    """How many are still to be woken, or are being woken."""
    ((left,),) = seen.execute(LEFT, (moment,))
    return int(left)


def _fired(seen: apsw.Connection, moment: int) -> dict[str, int]:
    """What the history says: how many were due at that moment and have ended, and how many of them before it."""
    opened, ended, early, slept = next(seen.execute(HISTORY, (moment,)))
    return {"due": opened, "ended": ended, "early": early, "last_after_ms": slept}


def main(what: str, path: str, *numbers: str) -> Any:
    match what:
        case "make":
            return make(path, *map(int, numbers))
        case "weigh":
            return asyncio.run(weigh(path))
        case "cancel":
            return asyncio.run(cancel(path))
        case _:
            return asyncio.run(drain(path, *map(int, numbers)))


if __name__ == "__main__":
    print(json.dumps(main(*sys.argv[1:])))
