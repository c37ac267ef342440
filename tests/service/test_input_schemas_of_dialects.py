"""Every dialect can say what it is started with, and whoever starts it is told what does not fit."""

from __future__ import annotations

from typing import Any

import pytest

from perdure.service.engine import Engine
from perdure.service.errors import Refused
from service.words import running

SCHEMA = {"type": "object", "properties": {"amount": {"type": "number"}}, "required": ["amount"]}
DOCUMENTS: dict[str, dict[str, Any]] = {
    "graph": {"nodes": [{"id": "a", "type": "SET", "data": {"values": {"b": 1}}}], "connections": []},
    "ports": {"steps": [{"stepSlug": "a", "stepType": "output", "config": {"mapping": {"b": 1}}}]},
    "orchestration": {"version": "1.0.0", "steps": [{"stepId": "a", "type": "TASK", "taskId": "log"}]},
    "phases": {"steps": [[{"name": "a", "sleep": {"ms": 0}}]]},
}


@pytest.mark.parametrize("dialect", DOCUMENTS)
def test_a_start_that_does_not_fit_is_refused(dialect: str) -> None:
    async def scenario() -> None:
        async with Engine("memory://") as engine:
            saved = await engine.workflows.save({"name": "pay", "inputSchema": SCHEMA, **DOCUMENTS[dialect]})
            assert saved.dialect == dialect
            (offer,) = await engine.workflows.offers()
            assert offer.input_schema == SCHEMA
            with pytest.raises(Refused, match="amount"):
                await engine.executions.start("pay", {})
            assert (await engine.executions.list()).items == ()
            execution = await engine.executions.start("pay", {"amount": 5})
            await execution.ended()
            assert (await execution.describe()).status == "completed"

    running(scenario)


@pytest.mark.parametrize("dialect", DOCUMENTS)
def test_what_is_no_schema_is_told_with_its_place(dialect: str) -> None:
    async def scenario() -> None:
        async with Engine("memory://") as engine:
            with pytest.raises(Refused) as told:
                await engine.workflows.save({"name": "pay", "inputSchema": {"type": "objekt"}, **DOCUMENTS[dialect]})
            (problem,) = told.value.problems
            assert problem.path == "/inputSchema/type"

    running(scenario)
