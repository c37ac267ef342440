"""What people have approved is done once: whoever may run things again cannot have it done twice, or with other values."""

from __future__ import annotations

from typing import Any

import pytest

from perdure.service.engine import Engine, Execution
from perdure.service.errors import Forbidden
from service.words import running, waiting

REFUND: dict[str, Any] = {
    "name": "refund",
    "nodes": [
        {"id": "check", "type": "SET", "data": {"values": {"checked": True}}},
        {"id": "ask", "type": "APPROVAL", "data": {"approverRole": "finance"}},
        {"id": "pay", "type": "SET", "data": {"values": {"paid": "{{amount}}"}}},
    ],
    "connections": [
        {"fromNodeId": "check", "toNodeId": "ask"},
        {"fromNodeId": "ask", "toNodeId": "pay", "fromOutput": "approved"},
    ],
}


async def paid(engine: Engine) -> Execution:
    """A refund of 1 that somebody has approved."""
    for member, roles, groups in (("ada", ["admin"], []), ("olga", ["operator"], []), ("fin", ["viewer"], ["finance"])):
        await engine.members.add(member, roles=roles, groups=groups)
    await engine.workflows.save(REFUND)
    execution = await engine.executions.start("refund", {"amount": 1}, actor="olga")
    await waiting(execution)
    (asked,) = (await engine.approvals.list()).items
    await engine.approvals.decide(asked.id, "approve", actor="fin")
    assert (await execution.result())["paid"] == 1
    return execution


def test_an_operator_goes_on_from_before_an_approval_and_an_admin_from_anywhere(url: str) -> None:
    async def scenario() -> None:
        async with Engine(url) as engine:
            first = await paid(engine)
            with pytest.raises(Forbidden, match="comes after 'ask', which people have decided about"):
                await first.fork(at_step="pay", variables={"amount": 1_000_000}, actor="olga")
            with pytest.raises(Forbidden, match="an admin may go on from there, anybody else from 'ask' or before"):
                await first.rerun(from_step="pay", actor="olga")
            assert len((await engine.executions.list()).items) == 1
            for again in (
                await first.rerun(actor="olga"),
                await first.rerun(from_step="ask", actor="olga"),
                await first.fork(at_step="ask", variables={"amount": 5}, actor="olga"),
            ):
                await waiting(again)
            by_admin = await first.fork(at_step="pay", variables={"amount": 2}, actor="ada")
            assert (await by_admin.result())["paid"] == 2
            by_program = await first.rerun(from_step="pay")
            assert (await by_program.result())["paid"] == 1

    running(scenario)
