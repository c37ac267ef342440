"""The tasks that every engine has: http (webhook), log, email, transform; and llm, if the operator has said which."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING

from msgspec import Struct

from perdure.clock import now_ms
from perdure.model.executors import TRANSFORM
from perdure.model.values import Json
from perdure.tasks.addresses import Allowed
from perdure.tasks.context import TaskContext
from perdure.tasks.email import email_task
from perdure.tasks.http_input import HttpInput
from perdure.tasks.limits import Limits
from perdure.tasks.llm_input import LlmInput, LlmSettings
from perdure.tasks.log import log
from perdure.tasks.registry import Registry
from perdure.tasks.results import Result
from perdure.tasks.transform import Transform

if TYPE_CHECKING:
    from perdure.tasks.door import Door
    from perdure.tasks.http import HttpTask
    from perdure.tasks.llm import Conversations, LlmTask


class TaskSettings(Struct, frozen=True):
    """What the operator decides: what may be called beyond the public internet, how much, and how mail is sent."""

    allowed: Allowed | None = None
    limits: Limits = Limits()
    smtp_url: str | None = None
    email_from: str = ""
    llm: LlmSettings = LlmSettings()
    sandbox_processes: int | None = None
    sandbox_requires_all: bool = False
    """Transforms do not run where a part of what shuts them in is missing."""
    now_ms: Callable[[], int] = now_ms


def builtins(
    settings: TaskSettings | None = None,
    *,
    door: Door | None = None,
    conversations: Conversations | None = None,
    transform: Transform | None = None,
) -> Registry:
    """`door`: where there is one already, so that all calls leave by the same. `conversations`: what models have said before.
    `transform`: where there is a sandbox for it.
    """
    settings = settings or TaskSettings()
    registry = Registry()
    _register_http(registry, settings, door)
    registry.task("log")(log)
    registry.task("email")(email_task(settings.smtp_url, sender=settings.email_from))
    if transform is not None:
        registry.task(TRANSFORM)(transform.perform)
    if not settings.llm.missing:
        _register_llm(registry, settings, conversations)
    return registry


def _register_llm(registry: Registry, settings: TaskSettings, conversations: Conversations | None) -> None:
    """Not imported before the first call, as the HTTP library is not."""

    @cache
    def made() -> LlmTask:
        from perdure.tasks.llm import llm_task  # noqa: PLC0415

        return llm_task(settings.llm, settings.allowed, settings.limits, conversations)

    async def llm(given: LlmInput, context: TaskContext) -> Result:
        task = made() if made.cache_info().currsize else await asyncio.to_thread(made)
        return await task(given, context)

    registry.task("llm")(llm)


def _register_http(registry: Registry, settings: TaskSettings, door: Door | None) -> None:
    """The HTTP library takes as long to import as all the rest of an engine. So it is not before the first call, and then in a
    thread: what else runs goes on.
    """

    @cache
    def made() -> dict[str, HttpTask]:
        from perdure.tasks.door import Door  # noqa: PLC0415
        from perdure.tasks.http import http_task  # noqa: PLC0415

        way_out = door or Door(settings.allowed, settings.limits)
        return {method: http_task(way_out, settings.now_ms, method_default=method) for method in ("GET", "POST")}

    async def task(method_default: str) -> HttpTask:
        tasks = made() if made.cache_info().currsize else await asyncio.to_thread(made)
        return tasks[method_default]

    async def http(given: HttpInput, context: TaskContext) -> dict[str, Json]:
        answer: dict[str, Json] = await (await task("GET"))(given, context)
        return answer

    async def webhook(given: HttpInput, context: TaskContext) -> dict[str, Json]:
        answer: dict[str, Json] = await (await task("POST"))(given, context)
        return answer

    registry.task("http")(http)
    registry.task("webhook")(webhook)
