"""What starts executions at a server, or wakes them: events, schedules, webhooks."""

from __future__ import annotations

import secrets as chance
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, Literal
from urllib.parse import quote

from perdure.answers.triggers import (
    AllSent,
    ChallengeAnswer,
    Coming,
    EventAnswer,
    ReceivedAnswer,
    ScheduleAnswer,
    SeenAnswer,
    WebhookAnswer,
    coming_from,
    event_from,
    issued_from,
    received_from,
    schedule_from,
    seen_from,
    sent_from,
    webhook_from,
)
from perdure.client.channel import Asking, Channel, part, read
from perdure.client.pages import bounds, page
from perdure.model.values import Json
from perdure.service.errors import Conflict
from perdure.service.events import Seen, Sent
from perdure.service.given import check_bytes
from perdure.service.hooks import Issued, Webhook
from perdure.service.paging import LIMIT, Page
from perdure.service.receiving import Received
from perdure.service.refusals import Challenged
from perdure.service.schedules import COUNT_MAX, ScheduleView
from perdure.service.signatures import SchemeName
from perdure.service.webhooks import KEEP_HOURS
from perdure.store.happened import Happened

ID: Final = "id"


class Events:
    def __init__(self, channel: Channel) -> None:
        self._channel = channel

    async def send(self, event: Json) -> Sent:
        """Tell whoever waits for such an event, or is started or cancelled by it: a CloudEvent, or a plain one with a `type` and
        a `payload`. It gets an id here if it has none, so that it is one event however often it is sent.
        """
        (sent,) = await self.send_all([event])
        return sent

    async def send_all(self, events: Sequence[Json]) -> list[Sent]:
        """All of them, in this order; if one is refused, none is sent."""
        named = [_named(each) for each in events]
        found = await self._channel.post("events", shape=AllSent, body=named, safe=True)
        return [sent_from(each) for each in found.items]

    async def list(self, *, type: str | None = None, limit: int = LIMIT, cursor: str | None = None) -> Page[Happened]:
        """The newest first. `type` may be a pattern."""
        query = {"type": type, **bounds(limit, cursor)}
        return await page(self._channel, "events", shape=EventAnswer, read=event_from, query=query)

    async def get(self, event: str) -> Seen:
        """Raises `NotFound`."""
        return seen_from(await self._channel.get("events", event, shape=SeenAnswer))

    async def reroute(self, event: str) -> Seen:
        """Route a declined event again. Raises `NotFound`, and `Conflict` if it was not declined."""
        return seen_from(await self._channel.post("events", event, "reroute", shape=SeenAnswer))


def _named(event: Json) -> Json:
    return {ID: chance.token_hex(12), **event} if isinstance(event, dict) and event.get(ID) is None else event


class Schedules:
    def __init__(self, channel: Channel) -> None:
        self._channel = channel

    async def list(self, *, limit: int = LIMIT, cursor: str | None = None) -> Page[ScheduleView]:
        """By workflow and schedule."""
        wanted = bounds(limit, cursor)
        return await page(self._channel, "schedules", shape=ScheduleAnswer, read=schedule_from, query=wanted)

    async def get(self, ref: str) -> ScheduleView:
        """Raises `NotFound`."""
        return schedule_from(await self._channel.get("schedules", ref, shape=ScheduleAnswer))

    async def next(self, ref: str, *, count: int = 5) -> tuple[int, ...]:
        """The next times at which it starts executions, unless it is paused by then."""
        if not 1 <= count <= COUNT_MAX:
            raise Conflict(f"it tells 1 to {COUNT_MAX} times at once, not {count}; ask again after the last of them")
        path = await self._path(ref)
        return coming_from(await self._channel.get(*path, "next", shape=Coming, query={"count": count}))

    async def add(self, workflow: str, given: Mapping[str, Json], *, id: str | None = None) -> ScheduleView:
        """Add a schedule to a workflow, beside those of its document: `given` has the fields that it would have there. It gets an
        id here if none is given, so that it is one schedule however often it is sent.
        """
        body = {**given, "workflow": workflow, "id": id or f"s-{chance.token_hex(4)}"}
        return schedule_from(await self._channel.post("schedules", shape=ScheduleAnswer, body=body, safe=True))

    async def change(self, ref: str, changes: Mapping[str, Json]) -> ScheduleView:
        """Change some fields of one that was added; null takes one away."""
        path, body = await self._path(ref), dict(changes)
        found = await self._channel.post(*path, shape=ScheduleAnswer, body=body, method="PATCH", safe=True)
        return schedule_from(found)

    async def remove(self, ref: str) -> None:
        """Take one away that was added; what it has started goes on."""
        await self._channel.delete(*await self._path(ref))

    async def pause(self, ref: str) -> ScheduleView:
        """It starts nothing until it is resumed, also in later versions of its workflow. What it has started goes on."""
        path = await self._path(ref)
        return schedule_from(await self._channel.post(*path, "pause", shape=ScheduleAnswer, safe=True))

    async def resume(self, ref: str, *, skip_missed: bool = False) -> ScheduleView:
        """It goes on with the next slot; with `skip_missed`, what passed while it was paused is not made up for."""
        path, body = await self._path(ref), {"skipMissed": skip_missed}
        return schedule_from(await self._channel.post(*path, "resume", shape=ScheduleAnswer, body=body))

    async def reset(self, ref: str) -> ScheduleView:
        """Let a schedule begin at now, which a wrong clock has moved into the future."""
        path = await self._path(ref)
        return schedule_from(await self._channel.post(*path, "reset", shape=ScheduleAnswer, safe=True))

    async def _path(self, ref: str) -> tuple[str, str, str]:
        found = await self.get(ref)
        return "schedules", found.workflow_id, found.schedule.id


class Webhooks:
    def __init__(self, channel: Channel) -> None:
        self._channel = channel

    async def create(
        self,
        workflow: str,
        *,
        node: str | None = None,
        scheme: SchemeName | None = None,
        signing_secret: str | None = None,
    ) -> Issued:
        """For a workflow, by its id or its name. Its token is in the answer, and nowhere else."""
        body = {"workflow": workflow, "node": node, "scheme": scheme, "signingSecret": signing_secret}
        return issued_from(await self._channel.post("webhooks", shape=WebhookAnswer, body=body))

    async def list(self, *, workflow: str | None = None) -> tuple[Webhook, ...]:
        """The newest first. `workflow` is an id or a name."""
        query = {"workflow": workflow}
        found = await page(self._channel, "webhooks", shape=WebhookAnswer, read=webhook_from, query=query)
        return found.items

    async def rotate(
        self,
        id_: str,
        what: Literal["token", "signing"] = "token",
        *,
        signing_secret: str | None = None,
        keep_hours: float = KEEP_HOURS,
    ) -> Issued:
        """Give it another token, or another signing secret. The one of before counts as well for so many hours."""
        body = {"what": what, "signingSecret": signing_secret, "keepHours": keep_hours}
        return issued_from(await self._channel.post("webhooks", id_, "rotate", shape=WebhookAnswer, body=body))

    async def remove(self, id_: str) -> None:
        """Its tokens count no more. Raises `NotFound`."""
        await self._channel.delete("webhooks", id_)

    async def receive(
        self,
        token: str,
        headers: Iterable[tuple[str, str]],
        body: bytes,
        *,
        method: str = "POST",
        query: str = "",
    ) -> Received:
        """A request to a webhook, as a sender makes it. Raises `Challenged` if it only asks whether the address is right."""
        check_bytes(body=body)
        path = f"/hooks/{part(token)}" + (f"?{quote(query, safe='=&%+')}" if query else "")
        sent = Asking(method, path, content=body, headers=dict(headers), is_stranger=True)
        answer = await self._channel.ask(sent)
        if answer.status == Challenged.status:
            raise Challenged(read(answer, ChallengeAnswer, self._channel.url).challenge)
        return received_from(read(answer, ReceivedAnswer, self._channel.url))
