"""Versions that were saved before a type of nodes was built in: they wait for a worker with it, and the reason says what to do."""

from __future__ import annotations

import asyncio
import logging
from pathlib import Path
from typing import Any

import pytest

from perdure import Engine
from perdure.dialects.graph.nodes import BUILT_IN
from perdure.model.executors import NODE, NODES_BUILT_IN
from perdure.model.steps import Step, Task
from perdure.model.workflow import Entry, Workflow
from perdure.tasks.registry import save_again
from perdure.testing.words import k


def test_the_types_that_are_built_in_are_those_of_the_dialect() -> None:
    assert set(BUILT_IN) == NODES_BUILT_IN
    assert all(save_again(NODE + type_) for type_ in BUILT_IN)
    assert save_again("LLM") == save_again(f"{NODE}ENRICH") == ""


def test_an_execution_that_waits_for_a_type_that_is_built_in_says_to_save_again(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    old = Workflow("old", (Step("ask", Task(f"{NODE}LLM", k({"context": {}, "data": {}}))),), (Entry("ask"),))

    async def scenario() -> str:
        async with Engine(f"sqlite:///{tmp_path}/flows.db") as engine:
            await engine.workflows.save(old)
            execution = await engine.executions.start("old", None)
            while True:
                found: Any = await execution.why()
                if "worker" in found.sentence:
                    return str(found.sentence)
                await asyncio.sleep(0.01)

    with caplog.at_level(logging.WARNING):
        sentence = asyncio.run(asyncio.wait_for(scenario(), 30))
    advice = "node type 'LLM' is built in now, and this version was saved before: save the workflow again"
    assert advice in sentence
    assert any(advice in record.getMessage() for record in caplog.records)
