"""Short words for these tests."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any

from perdure.model.values import Json
from perdure.service.engine import Engine

KEY = bytes(range(32)).hex()
GRAPH: dict[str, Json] = {
    "name": "hooked",
    "nodes": [{"id": "hook", "type": "WEBHOOK_TRIGGER"}, {"id": "a", "type": "SET", "data": {"values": {"way": "a"}}}],
    "connections": [{"fromNodeId": "hook", "toNodeId": "a"}],
}
TWO: dict[str, Json] = {
    "name": "two",
    "nodes": [
        {"id": "one", "type": "WEBHOOK_TRIGGER"},
        {"id": "other", "type": "WEBHOOK_TRIGGER"},
        {"id": "a", "type": "SET", "data": {"values": {"way": "one"}}},
        {"id": "b", "type": "SET", "data": {"values": {"way": "other"}}},
    ],
    "connections": [{"fromNodeId": "one", "toNodeId": "a"}, {"fromNodeId": "other", "toNodeId": "b"}],
}


def run(scenario: Coroutine[Any, Any, None]) -> None:
    asyncio.run(asyncio.wait_for(scenario, 60))


def engine(url: str, **options: Any) -> Engine:
    return Engine(url, **{"secret_keys": KEY, **options})
