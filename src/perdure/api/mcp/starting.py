"""Calling a workflow: it is started, and waited for, for a while. What is said beside its input stands in `_meta`.

perdure/idempotencyKey  the same key twice is one execution. Whoever calls again because an answer got lost says it again
perdure/waitSeconds     how long its end is waited for, 0 to 60; 20 by default. It goes on afterwards. It is not waited for while
                        too many requests of the organization or the member wait
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Final

from mcp_types import CallToolResult

from perdure.api.asking import Asking
from perdure.api.given import WAIT_SECONDS_MAX, key_of
from perdure.api.mcp.catalog import Offered
from perdure.api.mcp.schemas import INPUT
from perdure.api.mcp.telling import answered, told_execution
from perdure.api.problems import Wrong
from perdure.model.values import Json
from perdure.service.errors import TooMany
from perdure.service.settling import Patience, settled

SECONDS_DEFAULT: Final = 20.0
KEY: Final = "perdure/idempotencyKey"
WAIT: Final = "perdure/waitSeconds"


async def start(
    asked: Asking, offered: Offered, arguments: dict[str, Any], meta: Mapping[str, Any], patience: Patience
) -> CallToolResult:
    """Raises `Wrong` and what the service raises. An execution that has failed is an error of the call."""
    key, seconds = _key(meta), _seconds(meta)
    execution = await asked.engine.executions.start(
        offered.offer.id,
        _input(offered, arguments),
        organization=asked.organization,
        idempotency_key=key,
        triggered_by="api",
        actor=asked.actor,
        limits=asked.engine.limits,
    )
    if seconds:
        with suppress(TooMany), asked.engine.limits.waits.taken(asked.organization, asked.member_id):
            await settled(asked.engine.host, execution, seconds, patience)
    told = await told_execution(execution)
    sentence = f"Execution {told.id} of {told.name}: {told.sentence}"
    if told.ended_at is None:
        sentence += f" Ask perdure_show_execution for it, with execution={told.id}."
    return answered(told, sentence, is_error=told.status in ("failed", "cancelled"))


def _input(offered: Offered, arguments: dict[str, Any]) -> Json:
    if not offered.is_wrapped:
        return arguments
    if set(arguments) != {INPUT}:
        raise Wrong(422, "invalid_arguments", f"the input of this workflow is no object; give it as {INPUT!r}, alone")
    return arguments[INPUT]


def _key(meta: Mapping[str, Any]) -> str | None:
    given = meta.get(KEY)
    if given is not None and not isinstance(given, str):
        raise Wrong(422, "invalid_meta", f"{KEY} is a text; or leave it out")
    return key_of(given)


def _seconds(meta: Mapping[str, Any]) -> float:
    given = meta.get(WAIT, SECONDS_DEFAULT)
    if isinstance(given, bool) or not isinstance(given, int | float) or not 0 <= given <= WAIT_SECONDS_MAX:
        raise Wrong(422, "invalid_meta", f"{WAIT} is a number from 0 to {WAIT_SECONDS_MAX:g}; or leave it out")
    return float(given)
