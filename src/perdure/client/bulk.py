"""The same for many executions at a server: cancelled, retried or run again, by a filter."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from perdure.answers.bulk import AllDoneAnswer, PreviewAnswer, all_done_from, preview_from
from perdure.client.channel import Asking, Channel, api, read
from perdure.client.repeating import key_header
from perdure.expressions.times import iso
from perdure.service import paging
from perdure.service.bulk import Action, AllDone, Chosen, Preview
from perdure.service.paging import LIMIT_MAX

PERFORM_SECONDS: Final = 60.0
"""So long a page of them may take more than one execution does."""


class Bulk:
    def __init__(self, channel: Channel) -> None:
        self._channel = channel

    async def preview(self, action: Action, chosen: Chosen) -> Preview:
        """How many executions are chosen for which the action makes sense, and the newest of them. Nothing is changed."""
        body = {"action": action, "filter": _filter(chosen)}
        return preview_from(await self._channel.post("bulk", "preview", shape=PreviewAnswer, body=body, safe=True))

    async def perform(
        self,
        action: Action,
        chosen: Chosen,
        *,
        matched: int | None = None,
        reason: str = "cancelled",
        limit: int = LIMIT_MAX,
        cursor: str | None = None,
        idempotency_key: str | None = None,
    ) -> AllDone:
        """Do it to those of the next page for which it makes sense, the newest first. `matched` is what the preview said: raises
        `MoreByNow` if there are more when it begins. A server takes it for whoever means all that there are. Under the same
        idempotency key, none is run again twice, and it is sent again where a connection breaks.
        """
        body: dict[str, Any] = {"action": action, "filter": _filter(chosen), "matched": matched, "reason": reason}
        body |= {"limit": paging.checked(limit), "cursor": cursor}
        content = msgspec.json.encode(body)
        headers, safe = key_header(idempotency_key), idempotency_key is not None
        asking = Asking("POST", api("bulk"), content=content, headers=headers, safe=safe, seconds=PERFORM_SECONDS)
        answer = await self._channel.ask(asking)
        return all_done_from(read(answer, AllDoneAnswer, self._channel.url))


def _filter(chosen: Chosen) -> dict[str, str | None]:
    return {
        "status": chosen.status,
        "workflow": chosen.workflow,
        "correlationId": chosen.correlation_id,
        "parent": chosen.parent,
        "startedAfter": None if chosen.started_after is None else iso(chosen.started_after),
        "startedBefore": None if chosen.started_before is None else iso(chosen.started_before),
    }
