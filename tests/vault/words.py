"""Short words for these tests."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any

from perdure.hosts.envelopes import Keys
from perdure.model.values import Json
from perdure.service.engine import Engine
from perdure.tasks import NodeParams

SOON = 60
OLD, NEW = bytes(range(32)), bytes(range(1, 33))
SECRET = "hunter2/hunter2+hunter2"


def run(scenario: Coroutine[Any, Any, None]) -> None:
    asyncio.run(asyncio.wait_for(scenario, SOON))


def engine(url: str, *keys: bytes, **options: Any) -> Engine:
    return Engine(url, secret_keys=",".join(key.hex() for key in keys or (OLD,)), **options)


def key_id(key: bytes) -> str:
    return Keys(key).current


def calling(data: Json, settings: Json = None, type_: str = "X", **more: Any) -> dict[str, Json]:
    """A graph with one node that is given this."""
    return {
        "name": "calling",
        "nodes": [{"id": "t", "type": "MANUAL_TRIGGER"}, {"id": "n", "type": type_, "data": data, **more}],
        "connections": [{"fromNodeId": "t", "toNodeId": "n"}],
        "settings": settings or {},
    }


def seeing(of: Engine, type_: str = "X") -> list[Any]:
    """What the executor of a type is given."""
    seen: list[Any] = []

    @of.node(type_)
    def executor(params: NodeParams) -> dict[str, Any]:
        seen.append(params.data)
        return params.context

    return seen
