"""One execution at a server, to ask and to tell."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Mapping
from typing import TYPE_CHECKING, Any, Final

import msgspec
from msgspec import UNSET, Struct, UnsetType

from perdure.answers.executions import (
    EntryAnswer,
    FiringAnswer,
    ProgressAnswer,
    Refired,
    Steered,
    StepAnswer,
    WhyAnswer,
    entries_from,
    firing_from,
    progress_from,
    step_from,
    why_from,
)
from perdure.client.channel import Asking, Channel, Query, api, read
from perdure.client.pages import page
from perdure.client.repeating import is_replayed, key_header
from perdure.model.records import ExecutionRecord
from perdure.model.values import Json
from perdure.service import paging
from perdure.service.describing import Described, ExecutionAnswer, described_from
from perdure.service.errors import ExecutionFailed
from perdure.service.given import check_numbers
from perdure.service.history import HistoryEntry
from perdure.service.paging import Page
from perdure.service.progress import Progress
from perdure.service.requests import Requested
from perdure.service.steps import StepDetail
from perdure.service.why import Why

if TYPE_CHECKING:
    from perdure.dialects.firing import Firing

WAIT_SECONDS: Final = 30.0
"""So long one request waits for an end."""

LOOK_SECONDS, LOOK_SECONDS_MAX = 0.05, 1.0
LOOKS_MAX: Final = 10
"""After so many, it is not looked less often any more."""

QUIET_LOOKS: Final = 3
"""After so many looks at which nothing had happened, it is asked what it waits for."""


class Execution(Struct, frozen=True):
    """`created`: False, if it had been started before: with this idempotency key, say."""

    id: str
    created: bool
    organization: str
    _channel: Channel

    @property
    def component_workflow_id(self) -> str:
        """Its id in the engine that runs it: its own."""
        return self.id

    async def result(self) -> Json:
        """Its output, once it has ended. Raises `ExecutionFailed` if it has none."""
        record = await self._ended()
        if record.status != "completed":
            raise ExecutionFailed(record)
        return record.output

    async def ended(self) -> None:
        """Until it has ended, however."""
        await self._ended()

    async def _ended(self) -> ExecutionRecord:
        early = 0
        while True:
            asked_at = time.monotonic()
            found = await self._described({"wait": WAIT_SECONDS, "until": "ended"}, WAIT_SECONDS)
            if found.record.ended_at is not None:
                return found.record
            # A server that is about to end answers at once, how it stands, and one before it may cut it short.
            early = early + 1 if time.monotonic() - asked_at < WAIT_SECONDS / 2 else 0
            await asyncio.sleep(pause(early) if early else 0)

    async def describe(self) -> Described:
        return await self._described()

    async def _described(self, query: Query | None = None, seconds: float = 0.0) -> Described:
        answer = await self._channel.get("executions", self.id, shape=ExecutionAnswer, query=query, seconds=seconds)
        return described_from(answer)

    async def view(self) -> Json:
        """The execution in the words of its dialect; of what a program built, in those that all share."""
        found: Json = await self._channel.get("executions", self.id, shape=Any, query={"view": "own"})
        return found

    async def step(self, name: str) -> StepDetail:
        """How a step stands. Raises `NotFound` if there is no such step."""
        return step_from(await self._step(name))

    async def step_view(self, name: str) -> Json:
        """One step in the words of the dialect; None, if it has none of its own for that."""
        view = (await self._step(name)).view
        return None if view is UNSET else view

    async def _step(self, name: str) -> StepAnswer:
        return await self._channel.get("executions", self.id, "steps", name, shape=StepAnswer)

    # What happened, and why it stands as it does.

    async def history(self, *, after: int = 0, limit: int = 200) -> Page[HistoryEntry]:
        """Facts in order; the next page begins after the last number of this one."""
        return await self._history({}, after, limit)

    async def _history(self, places: dict[str, int], after: int, limit: int) -> Page[HistoryEntry]:
        check_numbers(after=after)
        query: Query = {"after": after, "limit": paging.checked(limit)}
        found = await self._channel.get("executions", self.id, "history", shape=Page[EntryAnswer], query=query)
        return Page(entries_from(found.items, places), found.next)

    async def progress(self) -> Progress:
        """How it stands, and each of its steps that was entered."""
        described = await self.describe()
        found = await page(self._channel, "executions", self.id, "steps", shape=ProgressAnswer, read=progress_from)
        progress = Progress(described.record.started_at)
        progress.steps = {each.step: each for each in found.items}
        progress.ended_at = described.record.ended_at
        match described.status:
            case "completed" | "failed" | "cancelled" as ended:
                progress.status = ended
        if described.error is not None and not any(each.status == "failed" for each in found.items):
            progress.note = described.error.message
        return progress

    async def triggers(self) -> tuple[Firing, ...]:
        """What it was to start once it had completed, and what came of it."""
        found = await page(self._channel, "executions", self.id, "triggers", shape=FiringAnswer, read=firing_from)
        return found.items

    async def why(self) -> Why:
        """What it waits for, since when, until when, and on whom."""
        return why_from(await self._channel.get("executions", self.id, "why", shape=WhyAnswer))

    async def requested(self) -> tuple[Requested, ...]:
        """What somebody has asked of it, and no worker has taken up yet."""
        return (await self.why()).requested

    async def watch(self, *, after: int = 0) -> AsyncIterator[HistoryEntry]:
        """What happens, soon after it is durable; until it has ended or waits for somebody: `why` says for whom."""
        places: dict[str, int] = {}
        quiet = 0
        while True:
            described = await self.describe()  # before the history: what it says to have happened is there by then
            found = await self._history(places, after, paging.LIMIT_MAX)
            for entry in found.items:
                yield entry
                after = entry.seq
            if described.record.ended_at is not None and after >= described.execution_version:
                return
            quiet = 0 if found.items else quiet + 1
            if quiet and quiet % QUIET_LOOKS == 0 and (await self.why()).needs_somebody:
                return
            await asyncio.sleep(pause(quiet) if not found.next else 0)

    # What can be done with it.

    async def cancel(
        self, reason: str = "cancelled", *, compensate: bool = True, if_version: int | None = None
    ) -> None:
        """Raises `Conflict` if it has ended; `Outdated` if it is not at `if_version` any more."""
        body = {"reason": reason, "compensate": compensate}
        await self._tell("cancel", Steered, body, if_version)

    async def retry(self, *, if_version: int | None = None) -> None:
        """Take up again what has failed, or is parked. `if_version` as in `cancel`."""
        await self._tell("retry", Steered, UNSET, if_version)

    async def refire(self, trigger: str | None = None) -> tuple[str, ...]:
        """Fire again what has failed to start others: one trigger, by its name `trigger-0`, or all of them."""
        fired = await self._tell("refire", Refired, {"trigger": trigger})
        return tuple(each.id for each in fired.triggers)

    async def rerun(
        self,
        *,
        from_step: str | None = None,
        input: Json | UnsetType = UNSET,
        idempotency_key: str | None = None,
    ) -> Execution:
        """A new execution like this one, on the same version: all of it, or from a step on.

        The same idempotency key twice, for the same, is one execution: with one, it is sent again if a connection breaks.
        """
        return await self._new("rerun", {"fromStep": from_step}, input, idempotency_key)

    async def fork(
        self,
        *,
        at_step: str,
        outputs: Mapping[str, Json] | None = None,
        variables: Mapping[str, Json] | None = None,
        input: Json | UnsetType = UNSET,
        idempotency_key: str | None = None,
    ) -> Execution:
        """A new execution that goes on at a step as this one did, but for what is changed. `idempotency_key` as in `rerun`."""
        body = {"atStep": at_step, "outputs": dict(outputs or {}), "variables": dict(variables or {})}
        return await self._new("fork", body, input, idempotency_key)

    async def _new(self, verb: str, body: dict[str, Json], input: Json | UnsetType, key: str | None) -> Execution:
        given = {} if input is UNSET else {"input": input}
        content = msgspec.json.encode(body | given)
        path, safe = api("executions", self.id, verb), key is not None
        asking = Asking("POST", path, content=content, headers=key_header(key), safe=safe)
        answer = await self._channel.ask(asking)
        made = read(answer, ExecutionAnswer, self._channel.url)
        return Execution(made.id, not is_replayed(answer), made.organization, self._channel)

    async def _tell(self, verb: str, shape: Any, body: Any, if_version: int | None = None) -> Any:
        check_numbers(if_version=if_version)
        headers = {} if if_version is None else {"If-Match": f'"{if_version}"'}
        return await self._channel.post("executions", self.id, verb, shape=shape, body=body, headers=headers)


def pause(looks: int) -> float:
    """After so many looks at which nothing had changed."""
    return min(LOOK_SECONDS * 2.0 ** min(looks, LOOKS_MAX), LOOK_SECONDS_MAX)
