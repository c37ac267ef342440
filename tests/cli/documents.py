"""Small documents of the graph dialect, and tasks for them."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

TRIGGER = {"id": "start", "type": "MANUAL_TRIGGER"}


def graph(*nodes: dict[str, Any], name: str = "hello") -> dict[str, Any]:
    """The nodes one after the other."""
    every = [TRIGGER, *nodes]
    edges = [{"fromNodeId": before["id"], "toNodeId": after["id"]} for before, after in pairwise(every)]
    return {"name": name, "nodes": every, "connections": edges}


GREETING = graph({"id": "greet", "type": "SET", "data": {"values": {"greeting": "Hello, {{ name }}!"}}})
WAITING = graph({"id": "rest", "type": "WAIT", "data": {"amount": 1, "unit": "hours"}}, name="sleeper")
SHORT_REST = graph({"id": "rest", "type": "WAIT", "data": {"amount": 0.3, "unit": "seconds"}}, name="napper")
LONG_REST = graph({"id": "rest", "type": "WAIT", "data": {"amount": 1.5, "unit": "seconds"}}, name="napper")
UNKNOWN = graph({"id": "odd", "type": "FROBNICATE"}, name="unknown")
WITH_TASKS = graph({"id": "enrich", "type": "ENRICH"}, {"id": "flaky", "type": "FLAKY"}, name="enriched")
BROKEN = graph({"id": "break", "type": "BREAK"}, name="broken")
LOUD = graph({"id": "loud", "type": "LOUD"}, name="loud")
SLOW = graph({"id": "slow", "type": "SLOW"}, name="slow")

PARENT = graph(
    {
        "id": "call",
        "type": "RUN_WORKFLOW",
        "data": {"workflowId": "hello", "input": {"name": "Eve"}, "wait": True, "variableName": "said"},
    },
    name="parent",
)

TASKS = """
import asyncio
from perdure import NonRetryable, node

@node("ENRICH")
async def enrich(params):
    return {**params.context, "enriched": True}

@node("LOUD")
async def loud(params):
    print("a task that prints")
    await asyncio.sleep(0.2)  # until whoever watches has seen that it runs
    params.publish({"progress": 0.5})
    params.publish("half of it")
    return params.context

@node("FLAKY")
def flaky(params):
    return {**params.context, "flaky": "done"}

@node("BREAK")
def break_(params):
    raise NonRetryable("the lamp is broken; buy another")

@node("SLOW")
async def slow(params):
    await asyncio.sleep(30)
    return params.context
"""
