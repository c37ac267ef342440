"""The title and the description of an approval are its author's, in every dialect that asks people."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from perdure.service.engine import Engine
from perdure.service.titles import message_of, title_of

GRAPH: dict[str, Any] = {
    "name": "graph",
    "nodes": [
        {"id": "start", "type": "MANUAL_TRIGGER"},
        {
            "id": "ask",
            "type": "APPROVAL",
            "data": {"title": "Refund {{amount}}?", "description": "For {{who}}.", "approverRole": "finance"},
        },
    ],
    "connections": [{"fromNodeId": "start", "toNodeId": "ask"}],
}
PORTS: dict[str, Any] = {
    "name": "ports",
    "steps": [
        {
            "stepSlug": "ask",
            "stepType": "approval",
            "order": 1,
            "config": {
                "title": "Refund {{input.amount}}?",
                "description": "For {{input.who}}.",
                "approverRole": "finance",
            },
            "nextSteps": {},
        }
    ],
}
ORCHESTRATION: dict[str, Any] = {
    "name": "orchestration",
    "version": "1.0.0",
    "startStepId": "ask",
    "steps": [
        {
            "stepId": "ask",
            "type": "HUMAN_TASK",
            "taskDefinition": {
                "title": "Refund ${input.amount}?",
                "description": "For ${input.who}.",
                "assigneeRole": "finance",
            },
            "transitions": {"default": "END"},
        }
    ],
}


@pytest.mark.parametrize("document", [GRAPH, PORTS, ORCHESTRATION], ids=lambda document: str(document["name"]))
def test_they_are_rendered_and_told(document: dict[str, Any]) -> None:
    async def scenario() -> None:
        async with Engine("memory://") as engine:
            saved = await engine.workflows.save(document)
            assert saved.warnings == ()
            execution = await engine.executions.start(document["name"], {"amount": 90, "who": "Bob"})
            while not (page := await engine.approvals.list(execution=execution.id)).items:  # noqa: ASYNC110
                await asyncio.sleep(0.005)
            (item,) = page.items
            assert item.metadata == {"title": "Refund 90?", "description": "For Bob."}
            assert (title_of(item), message_of(item)) == ("Refund 90?", "For Bob.")

    asyncio.run(asyncio.wait_for(scenario(), 60))
