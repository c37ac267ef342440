"""Perdure at a server: `Client("https://flows.example.com", key)`, or `Client()` for the one of the environment. The verbs are
those of `Engine`, and so is what they answer.

Which organization is meant, and who acts, the key says.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable
from types import TracebackType
from typing import Self

from perdure.client.address import meant
from perdure.client.approvals import Approvals
from perdure.client.bulk import Bulk
from perdure.client.channel import DEADLINE_SECONDS, Channel
from perdure.client.executions import Executions
from perdure.client.organizations import Audit, Connections, Keys, Members, Notifiers, Secrets, Sessions
from perdure.client.stream import Heard, Listened, stream
from perdure.client.trigger_log import Triggers
from perdure.client.triggers import Events, Schedules, Webhooks
from perdure.client.workflows import Workflows


class Client:
    """`url`: the server's, else that of `PERDURE_SERVER_URL`. `key`: `prd_…`, else that of `PERDURE_KEY` or `PERDURE_KEY_FILE`,
    which no server is sent but that of `PERDURE_SERVER_URL`; none where none is needed, as of `perdure dev`. `deadline_seconds`:
    so long a verb tries, while there is no connection or the server has too much to do.
    """

    def __init__(
        self, url: str | None = None, key: str | None = None, *, deadline_seconds: float = DEADLINE_SECONDS
    ) -> None:
        self._channel = channel = Channel(*meant(url, key), deadline_seconds=deadline_seconds)
        self.url, self._deadline_seconds = channel.url, deadline_seconds
        self.workflows = Workflows(channel)
        self.executions = Executions(channel)
        self.bulk = Bulk(channel)
        self.approvals = Approvals(channel)
        self.events = Events(channel)
        self.triggers = Triggers(channel)
        self.schedules = Schedules(channel)
        self.webhooks = Webhooks(channel)
        self.connections = Connections(channel)
        self.secrets = Secrets(channel)
        self.notifiers = Notifiers(channel)
        self.members = Members(channel)
        self.keys = Keys(channel)
        self.sessions = Sessions(channel)
        self.audit = Audit(channel)

    def __repr__(self) -> str:
        return f"Client({self.url!r})"

    def stream(
        self,
        *,
        types: Iterable[str] = (),
        workflow: str | None = None,
        execution: str | None = None,
        after: int | None = None,
    ) -> AsyncIterator[Heard]:
        """What happens in the organization, as it happens, without an end: from now on, or from what happened after a place (0:
        all that is kept). `types`: only these, as `execution.*`; `workflow` is an id or a name. If the connection breaks, it is
        come back to by itself, and nothing is lost; `NoServer` is raised if there is none for as long as a verb tries.
        """
        return stream(
            self._channel,
            Listened(tuple(types), workflow, execution),
            after,
            deadline_seconds=self._deadline_seconds,
        )

    async def aclose(self) -> None:
        """Close its connections. It can be used again, and opens new ones."""
        await self._channel.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()
