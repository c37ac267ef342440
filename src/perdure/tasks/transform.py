"""The task `transform`: code of an author, a pure function from JSON to JSON, in the sandbox of the engine.

The code is the setup of the task, not its input: a workflow has it once, and nothing that an execution is given can be run.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from typing import Any, Final, TypeAlias

import msgspec
from msgspec import Struct

from perdure.model.values import Json
from perdure.tasks.calling import InvalidInput
from perdure.tasks.context import TaskContext
from perdure.tasks.failing import DETAILS_BYTES_MAX
from perdure.tasks.log import write
from perdure.tasks.results import Result
from perdure.tasks.sandbox.answers import Level, Line
from perdure.tasks.sandbox.failures import TransformFailed
from perdure.tasks.sandbox.running import TIMEOUT_MS, Sandbox

OrganizationOf: TypeAlias = Callable[[str], Awaitable[str]]
"""Whose an execution is."""

_LEVELS: Final[dict[Level, int]] = {
    "log": logging.INFO,
    "info": logging.INFO,
    "warn": logging.WARNING,
    "error": logging.ERROR,
    "debug": logging.DEBUG,
}


class TransformSetup(Struct, frozen=True, rename="camel", forbid_unknown_fields=True):
    """`code` is JavaScript that defines `$default`."""

    code: str
    timeout_ms: int = TIMEOUT_MS


class Transform:
    """What was logged goes to the log of the task, and stays with the step: in its meta, or in the details of its failure."""

    def __init__(self, sandbox: Sandbox, organization_of: OrganizationOf) -> None:
        self._sandbox, self._organization_of = sandbox, organization_of

    async def perform(self, given: Json, context: TaskContext) -> Result:
        setup = _setup(context)
        organization = await self._organization_of(context.execution_id)
        try:
            ran = await self._sandbox.run(setup.code, given, organization=organization, timeout_ms=setup.timeout_ms)
        except TransformFailed as error:
            _write(context, error.logs)
            error.details = _with_last(error.details, error.logs)
            raise
        _write(context, ran.logs)
        return Result(ran.value, meta={"logs": _told(ran.logs)} if ran.logs else None)


def _setup(context: TaskContext) -> TransformSetup:
    try:
        return msgspec.convert(context.setup, TransformSetup)
    except msgspec.ValidationError as error:
        message = (
            f"step {context.step!r} calls 'transform' without its code ({error}); only steps that are transforms may"
        )
        raise InvalidInput(message) from error


def _write(context: TaskContext, logs: tuple[Line, ...]) -> None:
    for line in logs:
        write(context, _LEVELS[line.level], line.text)


def _told(logs: tuple[Line, ...]) -> list[dict[str, Any]]:
    return [{"level": line.level, "text": line.text} for line in logs]


def _with_last(details: Json, logs: tuple[Line, ...]) -> Json:
    """As many of the last lines as history keeps of details."""
    kept: list[dict[str, Any]] = []
    for line in reversed(_told(logs)):
        more = {**(details or {}), "logs": [line, *kept]}
        if len(msgspec.json.encode(more)) > DETAILS_BYTES_MAX:
            break
        kept.insert(0, line)
    return {**(details or {}), "logs": kept} if kept else details
