"""Executions that wait for a tool of a connection: whoever has the connection takes them up, however late it comes.

A tool of the operator's is this process's own, and is announced like a task as soon as something waits for it: the store then
offers that to this worker. One of an organization's is everybody's, so that any worker may go on: the execution is told to. What
is held here because of something else is called by whoever holds it.
"""

from __future__ import annotations

import asyncio
import logging
from typing import Final

from perdure.clock import now_ms
from perdure.core.events import Continued
from perdure.hosts.connections import Connections
from perdure.runtime.shell import Shell
from perdure.store.port import Broken, Deliver, Message, Unavailable

WANTED_MAX, EXECUTIONS_MAX = 1_000, 500
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
        except (Unavailable, Broken) as error:  # whoever writes says so as well, and waits for it
            _log.warning("it cannot be seen for now which tools are waited for: %s", error)

    async def watch(self) -> None:
        while True:
            await self.look()
            try:
                async with asyncio.timeout(self._seconds):
                    await self._soon.wait()
            except TimeoutError:
                pass
            self._soon.clear()

    async def _look(self) -> None:
        for organization, task in await self._shell.read(lambda store: store.wanted_tools(WANTED_MAX)):
            connection = task.partition("/")[0]
            if connection in self._connections.operators:
                self._announce(task)
            elif await self._connections.find(organization, connection) is not None:
                await self._tell(organization, task)
        for execution, task in self._shell.engine.lacking():
            if "/" in task and await self._connections.task(execution, task) is not None:
                self._shell.registered(task)

    def _announce(self, task: str) -> None:
        if task not in self.names:
            self.names.add(task)
            self._shell.registered(task)

    async def _tell(self, organization: str, task: str) -> None:
        """The same letter, if another worker tells it as well before it is read."""
        at = now_ms()
        for execution in await self._shell.read(lambda store: store.waiting_for(organization, task, EXECUTIONS_MAX)):
            await self._shell.commit(Deliver(Message(execution, Continued(at), f"connected:{task}:{at}")))
