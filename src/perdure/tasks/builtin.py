"""The tasks that every engine has: http (webhook), log, email."""

from __future__ import annotations

import time
from collections.abc import Callable

from msgspec import Struct

from perdure.tasks.door import Allowed, Door, Limits
from perdure.tasks.email import email_task
from perdure.tasks.http import http_task
from perdure.tasks.log import log
from perdure.tasks.registry import Registry


def _clock_ms() -> int:
    return time.time_ns() // 1_000_000


class TaskSettings(Struct, frozen=True):
    """What the operator decides: what may be called beyond the public internet, how much, and how mail is sent."""

    allowed: Allowed | None = None
    limits: Limits = Limits()
    smtp_url: str | None = None
    email_from: str = ""
    now_ms: Callable[[], int] = _clock_ms


def builtins(settings: TaskSettings | None = None, *, door: Door | None = None) -> Registry:
    """`door`: where there is one already, so that all calls leave by the same."""
    settings = settings or TaskSettings()
    door = door or Door(settings.allowed, settings.limits)
    registry = Registry()
    registry.task("http")(http_task(door, settings.now_ms))
    registry.task("webhook")(http_task(door, settings.now_ms, method_default="POST"))
    registry.task("log")(log)
    registry.task("email")(email_task(settings.smtp_url, sender=settings.email_from))
    return registry
