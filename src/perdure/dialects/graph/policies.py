"""Retry and timeout of a node. They stand beside its data, or in it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from msgspec.structs import replace

from perdure.dialects.faults import Faults
from perdure.dialects.fields import Fields
from perdure.dialects.graph.document import Node
from perdure.dialects.policies import retry_policy, time_ms
from perdure.model.steps import Retry

Policy = TypeVar("Policy")


def retry_of(node: Node, data: Fields) -> Retry | None:
    """None: the node says nothing."""
    for key in ("retry", "retryPolicy"):
        found = _read(node, data, key, lambda given, key=key: retry_policy(given.within(key)))  # type: ignore[misc]
        if found is not None:
            return found
    return None


def timeout_of(node: Node, data: Fields) -> int | None:
    return _read(node, data, "timeout", lambda given: time_ms(given, "timeout"))


def _read(node: Node, data: Fields, key: str, read: Callable[[Fields], Policy]) -> Policy | None:
    """What stands beside the data is meant for the engine. What stands in it may also be the executor's own business: if it
    is no policy, that is only a warning.
    """
    beside = Fields(node.beside, node.path, data.faults, node.id)
    if beside.has(key):
        return read(beside)
    if not data.has(key):
        return None
    apart = Faults()
    found = read(replace(data, faults=apart))
    if not apart.problems:
        return found
    message = f"{key!r} is not understood and left to the executor: {apart.problems[0].message}"
    data.warning("ignored_policy", key, message)
    return None
