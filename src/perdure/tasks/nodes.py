"""Executors of nodes: functions `(params) -> context`, as graphs call them.

An executor is given the context and answers with the one that goes on. Only the difference between the two is recorded, and
merged where paths meet. What it returns is what counts: it may have changed what it was given, and an absent key is deleted.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec import Struct

from perdure.expressions.wording import kind
from perdure.model.executors import CONTROL_KEYS
from perdure.model.failure import Category
from perdure.model.values import Json
from perdure.tasks.checkpoints import Checkpoints
from perdure.tasks.context import Said, TaskContext
from perdure.tasks.controls import controls
from perdure.tasks.failing import NonRetryable
from perdure.tasks.results import InvalidOutput, Result, plain_by_size


class InvalidNode(NonRetryable, public_name="InvalidNode"):
    """The input of a node is not what its executor can be called with."""

    category = Category.VALIDATION


class NodeParams(Struct, frozen=True):
    """What an executor is given.

    data     what the document says of the node, templates rendered
    context  the values of the workflow so far; yours to change
    inputs   what came in by which input handle of the node, if the graph tells them apart
    step     `step.run(name, function)` does a part once, whatever becomes of attempts
    """

    data: dict[str, Any]
    node_id: str
    context: dict[str, Any]
    inputs: dict[str, Any]
    call: TaskContext

    @property
    def step(self) -> Checkpoints:
        return self.call.checkpoints

    @property
    def execution_id(self) -> str:
        return self.call.execution_id

    @property
    def attempt(self) -> int:
        return self.call.attempt

    @property
    def idempotency_key(self) -> str:
        """The same for every attempt of this node: hand it on to whom you call."""
        return self.call.idempotency_key

    @property
    def logger(self) -> logging.Logger | logging.LoggerAdapter[logging.Logger]:
        return self.call.logger

    def heartbeat(self) -> None:
        """Say that the node is still at work. Raises `Abandoned` if nobody waits for it any more."""
        self.call.heartbeat()

    def publish(self, data: Json, channel: str | None = None) -> Said:
        """Tell whoever watches. It never fails the node, and need not be awaited."""
        return self.call.publish(data, channel)


def params(given: Json, call: TaskContext) -> NodeParams:
    """`given` stays as it is: what comes back is held against it."""
    if not isinstance(given, dict):
        raise InvalidNode(f"a node is given an object with context and data, not {kind(given)}")
    own = msgspec.json.decode(msgspec.json.encode(given))
    objects = {}
    for key in ("context", "data", "inputs"):
        value = own.get(key)
        if value is not None and not isinstance(value, dict):
            raise InvalidNode(f"node {call.step!r}: its {key} is {kind(value)}, and has to be an object")
        objects[key] = value or {}
    return NodeParams(objects["data"], own.get("nodeId") or call.step, objects["context"], objects["inputs"], call)


async def difference(given: Json, answer: Any, call: TaskContext) -> Result:
    """What has become of the context, how long to wait, and by which output to go on."""
    what = f"node {call.step!r}"
    if not isinstance(answer, Mapping):
        said = "nothing" if answer is None else type(answer).__name__
        raise InvalidOutput(
            f"{what} answered with {said}; an executor returns the context that goes on: return params.context, or a "
            "changed copy of it"
        )
    control = controls(what, answer, call.now_ms(), call.logger.warning)
    after = await plain_by_size(what, {key: value for key, value in answer.items() if key not in CONTROL_KEYS})
    before = {key: value for key, value in (given.get("context") or {}).items() if key not in CONTROL_KEYS}
    return Result(
        {
            "set": {key: value for key, value in after.items() if key not in before or not _same(before[key], value)},
            "unset": [key for key in before if key not in after],
            "wait": control.wait_seconds,
            "until": control.until_ms,
            "label": control.label,
        },
        control.branch,
    )


def _same(one: Json, other: Json) -> bool:
    """As JSON has it: true is not 1, 1.0 is, and the order of keys says nothing."""
    # Python takes True for 1, and the text tells 1 from 1.0: only what is one and not the other is gone through.
    return one == other and (_text(one) == _text(other) or _alike(one, other))


def _text(value: Json) -> bytes:
    return msgspec.json.encode(value, order="sorted")


def _alike(one: Json, other: Json) -> bool:
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_alike(value, other[key]) for key, value in one.items())
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_alike, one, other))
    return bool(one == other)
