"""CODE nodes of a graph, in an engine with a real sandbox."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from perdure import Engine
from perdure.service.errors import ExecutionFailed

TOTALS = """
interface Input { orders: Array<{ country: string; amount: number }> }
interface Output { [country: string]: number }

export default (input: Input): Output => {
  const totals: Output = {};
  for (const { country, amount } of input.orders) {
    totals[country] = (totals[country] ?? 0) + amount;
  }
  return totals;
};
"""


def document(code: str) -> dict[str, Any]:
    return {
        "name": "totals",
        "nodes": [
            {"id": "start", "type": "MANUAL_TRIGGER"},
            {"id": "sum", "type": "CODE", "data": {"code": code, "variableName": "totals"}},
            {"id": "say", "type": "SET", "data": {"values": {"said": "JP: {{totals.jp}}"}}},
        ],
        "connections": [{"fromNodeId": "start", "toNodeId": "sum"}, {"fromNodeId": "sum", "toNodeId": "say"}],
    }


def run(code: str, given: Any) -> Any:
    async def result() -> Any:
        async with Engine() as engine:
            execution = await engine.executions.start(document(code), given)
            return await execution.result()

    return asyncio.run(result())


def test_code_reads_the_context_and_the_next_node_reads_what_it_gave() -> None:
    orders = [{"country": "jp", "amount": 3}, {"country": "de", "amount": 5}, {"country": "jp", "amount": 4}]
    found = run(TOTALS, {"orders": orders})
    assert found["totals"] == {"jp": 7, "de": 5}
    assert found["said"] == "JP: 7"


def test_what_it_throws_has_the_line_and_column_of_the_source() -> None:
    with pytest.raises(ExecutionFailed, match=r"TypeError: .* of undefined \(line 7, column 37\)"):
        run(TOTALS, {})
