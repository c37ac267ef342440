"""Executions that wait for a tool of a connection: whoever has the connection takes them up, however late it comes.

A tool of the operator's is this process's own, and is announced like a task as soon as something waits for it: the store then
offers that to this worker. One of an organization's is everybody's, so that any worker may go on: the execution is told to. What
is held here because of something else is called by whoever holds it.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from functools import partial
from typing import Final

from perdure.core.events import Continued
from perdure.errors import PerdureError
from perdure.hosts.connections import Connections
from perdure.runtime.shell import Shell
from perdure.runtime.waiters import OutcomeUnknown
from perdure.store.port import Broken, Deliver, Message, Unavailable
from perdure.store.questions import Questions

WANTED_MAX, EXECUTIONS_MAX = 1_000, 500
FIRST: Final = ("", "")
_log = logging.getLogger("perdure.hosts")


class WantedTools:
    """Looks every so many seconds, and when it is told to."""

    def __init__(self, shell: Shell, connections: Connections, seconds: float) -> None:
        self._shell, self._connections, self._seconds = shell, connections, seconds
        self._soon = asyncio.Event()
        self.names: Final[set[str]] = set()
        """Of the operator's connections."""

    def look_soon(self) -> None:
        self._soon.set()

    async def look(self) -> None:
        try:
            await self._look()
        except (Unavailable, OutcomeUnknown, Broken) as error:  # whoever writes says so as well, and waits for it
            _log.warning("it cannot be seen for now which tools are waited for: %s", error)

    async def watch(self) -> None:
        while True:
            try:
                await self.look()
            except PerdureError:  # the engine is over
                raise
            except Exception:  # noqa: BLE001  what waits here would wait for ever
                _log.exception(
                    "it cannot be seen which tools are waited for; it is tried again in %g seconds", self._seconds
                )
            try:
                async with asyncio.timeout(self._seconds):
                    await self._soon.wait()
            except TimeoutError:
                pass
            self._soon.clear()

    async def _look(self) -> None:
        is_there: dict[tuple[str, str], bool] = {}
        async for organization, task in self._wanted():
            connection = task.partition("/")[0]
            if connection in self._connections.operators:
                self._announce(task)
                continue
            of = (organization, connection)
            if of not in is_there:
                is_there[of] = await self._connections.find(*of) is not None
            if is_there[of]:
                await self._tell(organization, task)
        for execution, task in self._shell.engine.lacking():
            if "/" in task and await self._connections.task(execution, task) is not None:
                self._shell.registered(task)

    async def _wanted(self) -> AsyncIterator[tuple[str, str]]:
        """All of them: what one organization waits for must not keep others from being seen."""
        after = FIRST
        while some := await self._shell.read(partial(_page, after)):
            for each in some:
                yield each
            after = some[-1]

    def _announce(self, task: str) -> None:
        if task not in self.names:
            self.names.add(task)
            self._shell.registered(task)

    async def _tell(self, organization: str, task: str) -> None:
        """Another worker may tell it at the same moment: whoever is told twice finds nothing to do the second time."""
        at = self._shell.clock.now_ms()
        for execution in await self._shell.read(lambda store: store.waiting_for(organization, task, EXECUTIONS_MAX)):
            await self._shell.commit(Deliver(Message(execution, Continued(at), f"connected:{task}:{at}")))


def _page(after: tuple[str, str], store: Questions) -> list[tuple[str, str]]:
    return store.wanted_tools(after, WANTED_MAX)
