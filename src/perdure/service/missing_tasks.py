"""Executions that were started here and wait for a task that no worker has, after another worker had them last. They fail here
(see `unknown_tasks`), and nowhere else: so this worker has to take them up.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator
from typing import Final

from perdure.core.events import Continued
from perdure.errors import PerdureError
from perdure.hosts.embedded import Host
from perdure.runtime.started import Started
from perdure.runtime.waiters import OutcomeUnknown
from perdure.service.reasons import why
from perdure.service.why import Why
from perdure.store import port as p
from perdure.store.questions import Questions

LOOK_SECONDS: Final = 1.0
LOOKS_MAX: Final = 20
"""Maximum number of executions that are looked at each time; the others have their turn next."""

_log = logging.getLogger("perdure.engine")


async def take_up_missing(host: Host, started: Started) -> None:
    """Look every second, until this is cancelled."""
    while True:
        await asyncio.sleep(LOOK_SECONDS)
        try:
            for execution in started.some(LOOKS_MAX):
                await _take_up(host, execution)
        except (p.Unavailable, OutcomeUnknown, p.Broken):  # the writer reports it
            pass
        except PerdureError:  # the engine is over
            raise
        except Exception:  # noqa: BLE001  what waits here would wait for ever
            _log.exception(
                "looking for executions without a task failed; it is tried again in %g seconds", LOOK_SECONDS
            )


async def _take_up(host: Host, execution: str) -> None:
    now = host.now_ms()
    for waiting, task in await host.shell.read(lambda store: _missing(store, execution, now)):
        if waiting not in host.shell.engine.held and await host.fails_unknown(waiting, task):
            message = p.Message(waiting, Continued(now), f"missing:{task}:{now}")
            await host.shell.commit(p.Deliver(message))  # this worker sees it before the others do


def _missing(store: Questions, execution: str, now: int) -> list[tuple[str, str]]:
    """Return what waits for a task that no worker has: the execution itself, or children of it, each with the task."""
    record = store.record(execution)
    if record is None or not record.live:
        return []
    return list(_in(execution, why(store, execution, record.organization, now)))


def _in(execution: str, found: Why) -> Iterator[tuple[str, str]]:
    for wait in found.waits:
        if wait.kind == "missing_task" and wait.on is not None:
            yield execution, wait.on
        elif wait.why is not None and wait.on is not None:
            yield from _in(wait.on, wait.why)
