"""Whoever is outside of the shop: they start orders, pay, sign, cancel and repair. All that they do can be done again, so that it
does not matter where they were interrupted.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from pathlib import Path

from hosts import shop
from perdure.model.records import ExecutionRecord
from perdure.service.engine import Engine, Execution
from perdure.service.errors import Conflict
from perdure.store.sql import rows
from perdure.store.sqlite.database import connect_reading

PAUSE_SECONDS = 0.003

PENDING = "SELECT data FROM approval_items WHERE status = 'pending'"


async def everything(engine: Engine, folder: Path, count: int) -> None:
    """Have the orders below `count`, and see them to their ends."""
    for workflow in shop.WORKFLOWS:
        await engine.workflows.save(workflow)
    orders = await asyncio.gather(*(order(engine, number) for number in range(count)))
    people = asyncio.create_task(signing(engine, folder))
    try:
        await asyncio.gather(*(seen_to(engine, folder, number, one) for number, one in enumerate(orders)))
    finally:
        people.cancel()


async def order(engine: Engine, number: int) -> Execution:
    return await engine.executions.start(shop.kind_of(number), {"n": number}, idempotency_key=f"order-{number}")


async def seen_to(engine: Engine, folder: Path, number: int, execution: Execution) -> None:
    """Until it has ended as it should."""
    wanted = shop.STATUS.get(shop.kind_of(number), "completed")
    if shop.kind_of(number) == "signed":
        await engine.publish("order.paid", {"n": number, "amount": 100 + number}, id_=f"paid-{number}")
    while True:
        record = (await execution.describe()).record
        if record.status == wanted and not record.live:
            return
        with suppress(Conflict):  # it has ended in the meantime
            await asked_for(folder, number, execution, record)
        await asyncio.sleep(PAUSE_SECONDS)


async def asked_for(folder: Path, number: int, execution: Execution, record: ExecutionRecord) -> None:
    if record.workflow == "cancelled" and record.waiting is not None:
        await execution.cancel("no longer wanted")
    if record.workflow == "repaired" and record.status == "failed":
        shop.repair_of(folder, number).touch()
        await execution.retry()


async def signing(engine: Engine, folder: Path) -> None:
    """Every third question is answered with no."""
    reading = connect_reading(str(folder / "flows.db"))
    while True:
        for (data,) in reading.execute(PENDING).fetchall():
            question = rows.approval(str(data))
            await engine.decide(question.id, "reject" if question.request["n"] % 3 == 0 else "approve", by="ann")
        await asyncio.sleep(PAUSE_SECONDS)
