"""Durable steps per second on Postgres, beside DBOS on the same server: sequences of five light steps, two hundred at once.

The server comes from a wheel and has its own settings, every commit synced. One worker, and two that share the work.
Run by `make bench-postgres`.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from perdure.bench.driving import Load, drive, drive_threads  # noqa: E402
from perdure.bench.machine import settle  # noqa: E402
from perdure.bench.workloads import LIGHT, light_answer, sequence  # noqa: E402
from perdure.service.engine import Engine  # noqa: E402
from postgres import start, stop  # noqa: E402

STEPS, AT_ONCE, SECONDS, ROUNDS = 5, 200, 4.0, 3
AT_LEAST, SHARED_AT_LEAST = 30, 0.9


async def ours(url: str, at_once: int) -> float:
    engine, flow = Engine(url), sequence(STEPS)

    @engine.task(LIGHT)
    async def light(given: Any) -> Any:  # noqa: ARG001
        return light_answer()

    async with engine:
        await engine.workflows.save(flow.workflow)

        async def once() -> object:
            return await (await engine.executions.start(flow.reference, flow.input)).result()

        await drive(once, Load(20, 0, STEPS))
        sys.stdin.readline()
        return (await drive(once, Load(at_once, SECONDS, STEPS))).steps_per_second


def dbos(url: str, mode: str) -> float:
    from dbos import DBOS  # noqa: PLC0415

    config: Any = {"name": "bench", "system_database_url": url, "log_level": "ERROR", "run_admin_server": False}
    DBOS(config=config)

    async def light(given: int) -> Any:  # noqa: ARG001
        return light_answer()

    def plain(given: int) -> Any:  # noqa: ARG001
        return light_answer()

    step: Any = DBOS.step(name="light")(light if mode == "async" else plain)

    async def flow(given: int) -> Any:
        for _ in range(STEPS):
            last = await step(given)
        return last

    def plain_flow(given: int) -> Any:
        for _ in range(STEPS):
            last = step(given)
        return last

    workflow: Any = DBOS.workflow(name="flow")(flow if mode == "async" else plain_flow)
    DBOS.launch()

    async def measured() -> float:
        await drive(lambda: workflow(0), Load(20, 0, STEPS))
        return (await drive(lambda: workflow(0), Load(AT_ONCE, SECONDS, STEPS))).steps_per_second

    if mode == "async":
        return asyncio.run(measured())
    drive_threads(lambda: workflow(0), Load(20, 0, STEPS))
    return drive_threads(lambda: workflow(0), Load(AT_ONCE, SECONDS, STEPS)).steps_per_second


def run(*commands: list[str]) -> float:
    """All of them at once, in processes of their own; their steps per second together."""
    settle()
    processes = [
        subprocess.Popen(  # noqa: S603  this very file
            [sys.executable, __file__, *command], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        for command in commands
    ]
    told = [process.communicate("go\n")[0] for process in processes]
    return sum(float(json.loads(each.splitlines()[-1])) for each in told)


def main() -> None:
    if len(sys.argv) > 1:
        who, url, how = sys.argv[1:]
        rate = asyncio.run(ours(url, int(how))) if who == "perdure" else dbos(url, how)
        print(json.dumps(rate), flush=True)
        return
    with tempfile.TemporaryDirectory(prefix="perdure-pg-", dir=ROOT / ".cache") as folder:
        place = Path(folder)
        place.chmod(0o755)
        start(place / "data", place)
        try:
            compare(f"postgresql://postgres@/postgres?host={place}")
        finally:
            stop(place / "data")


def compare(url: str) -> None:
    rates: dict[str, list[float]] = {}
    for number in range(ROUNDS):
        own = url.replace("/postgres?", f"/ours{number}?"), url.replace("/postgres?", f"/theirs{number}?")
        subprocess.run([sys.executable, "-c", CREATE, url, f"ours{number}", f"theirs{number}"], check=True)  # noqa: S603
        for name, commands in (
            ("Perdure, one worker", [["perdure", own[0], str(AT_ONCE)]]),
            ("Perdure, two workers", [["perdure", own[0], str(AT_ONCE // 2)]] * 2),
            ("DBOS async", [["dbos", own[1], "async"]]),
            ("DBOS threads", [["dbos", own[1], "threads"]]),
        ):
            rates.setdefault(name, []).append(run(*commands))
            print(f"round {number + 1}: {name:22} {rates[name][-1]:10,.0f} steps/s", flush=True)
    one, two = (median(rates[name]) for name in ("Perdure, one worker", "Perdure, two workers"))
    theirs = max(median(rates[name]) for name in ("DBOS async", "DBOS threads"))
    for ratio, at_least, of in (
        (one / theirs, AT_LEAST, "times the steps/s of DBOS"),
        (two / one, SHARED_AT_LEAST, "times one worker: two of them"),
    ):
        print(f"  {'✓' if ratio >= at_least else '✗'}  {ratio:.3g} {of} (at least {at_least})")


CREATE = (
    "import psycopg, sys\n"
    "with psycopg.connect(sys.argv[1], autocommit=True) as connection:\n"
    "    for name in sys.argv[2:]:\n"
    "        connection.execute(f'CREATE DATABASE {name}')\n"
)

if __name__ == "__main__":
    main()
