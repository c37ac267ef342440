"""What it costs on Postgres to read on behalf of one organization, as a role that sees no other's rows: 20,000 executions of
200 organizations, the same questions with and without. And that starts and steps, which the owner of the tables writes, cost the
same.
"""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))

import psycopg  # noqa: E402

from perdure.bench.driving import Load, drive  # noqa: E402
from perdure.bench.workloads import LIGHT, light_answer, sequence  # noqa: E402
from perdure.service.describing import described  # noqa: E402
from perdure.service.engine import Engine  # noqa: E402
from perdure.store.postgres import database  # noqa: E402
from perdure.store.postgres.reader import PostgresReader  # noqa: E402
from perdure.store.postgres.tenants import role_of  # noqa: E402
from perdure.store.questions import Questions, Wanted  # noqa: E402
from postgres import fresh_schema  # noqa: E402

ORGANIZATIONS, EXECUTIONS, FACTS = 200, 20_000, 30
ROUNDS, TIMES = 15, 100
STEPS, AT_ONCE, SECONDS, PAIRS = 5, 200, 3.0, 5

FILL = f"""
INSERT INTO executions
  (id, organization, workflow, digest, status, live, ready, "trigger", parent_op, depth, started_at, ended_at, seq)
SELECT 'e' || n, 'org' || n % {ORGANIZATIONS}, 'flow', (SELECT digest FROM models LIMIT 1),
  'completed', false, false, 'api', 0, 0, n, n + 1, {FACTS}
FROM generate_series(0, {EXECUTIONS - 1}) AS n;
INSERT INTO history (pos, eid, seq, kind, data)
SELECT eid * 1000 + place, eid, place, template.kind, template.data
FROM executions CROSS JOIN generate_series(1, {FACTS}) AS place CROSS JOIN (SELECT kind, data FROM history LIMIT 1) AS template
WHERE organization LIKE 'org%';
ANALYZE executions, history;
"""  # noqa: S608

Question = Callable[[Questions], Any]


async def _engine(url: str, seconds: float) -> float:
    """Steps per second."""
    engine, flow = Engine(url), sequence(STEPS)

    @engine.task(LIGHT)
    async def light(given: Any) -> Any:  # noqa: ARG001
        return light_answer()

    async with engine:
        await engine.workflows.save(flow.workflow)

        async def one() -> None:
            await (await engine.executions.start(flow.reference, flow.input)).result()

        return (await drive(one, Load(AT_ONCE, seconds, STEPS))).steps_per_second


def _reads(url: str) -> None:
    questions: dict[str, Question] = {
        "an execution": lambda store: described(store, store.record("e4107")),  # type: ignore[arg-type]
        "its history": lambda store: store.history("e4107", 0, 100),
        "a list of 50": lambda store: store.executions(Wanted("org107", 50)),
        "one record": lambda store: store.record("e4107"),
    }
    reader = PostgresReader(url, by_its_clock=True)
    for name, question in questions.items():
        with reader.on_behalf_of("org107") as narrow:
            answer = question(narrow)  # type: ignore[arg-type]
        assert answer == question(reader), name
        assert answer, name

        def wide(question: Question = question) -> None:
            question(reader)

        def narrowed(question: Question = question) -> None:
            with reader.on_behalf_of("org107") as narrow:
                question(narrow)  # type: ignore[arg-type]

        without, with_it = zip(*((_ms(wide), _ms(narrowed)) for _ in range(ROUNDS)), strict=True)
        ratio = median(b / a for a, b in zip(without, with_it, strict=True))
        print(
            f"{name:14} {median(without):7.3f} ms, on behalf of one organization {median(with_it):7.3f} ms: {ratio:.2f} times"
        )
    reader.close()


def _ms(call: Callable[[], None]) -> float:
    began = time.perf_counter()
    for _ in range(TIMES):
        call()
    return (time.perf_counter() - began) * 1_000 / TIMES


def main() -> None:
    url = fresh_schema()
    asyncio.run(_engine(url, 0.1))
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(FILL.encode())
        print(
            f"{EXECUTIONS} executions of {ORGANIZATIONS} organizations, {FACTS} facts each; as {role_of(connection).name}"
        )
    _reads(url)
    apart, alike = fresh_schema(), fresh_schema()
    asyncio.run(_engine(apart, 1.0))
    database.separate = lambda connection: None  # type: ignore[attr-defined]  # noqa: ARG005
    asyncio.run(_engine(alike, 1.0))
    found = [(asyncio.run(_engine(alike, SECONDS)), asyncio.run(_engine(apart, SECONDS))) for _ in range(PAIRS)]
    without, with_it = (median(each) for each in zip(*found, strict=True))
    ratio = median(b / a for a, b in found)
    print(f"steps per second {without:.0f}, with policies on the tables {with_it:.0f}: {ratio:.2f} times")


if __name__ == "__main__":
    main()
