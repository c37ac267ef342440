"""What starts executions, or wakes them: events, schedules, webhooks."""

from __future__ import annotations

from typing import Literal

from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import asdict, replace

from perdure.expressions.times import instant_ms, iso
from perdure.model.records import EventRecord
from perdure.model.values import Json
from perdure.model.workflow import Schedule
from perdure.service.events import Seen, Sent, Woken
from perdure.service.hooks import Issued, Webhook
from perdure.service.receiving import Received
from perdure.service.schedules import ScheduleView
from perdure.service.shapes import Instant, at, ms, or_none
from perdure.service.signatures import SchemeName
from perdure.store.happened import EVENT_ITSELF, EventState, Happened
from perdure.store.ledger import TriggerEntry, TriggerKind, TriggerOutcome


class SentAnswer(Struct, frozen=True):
    """An event that was sent. `created`: it had not been there. `differs`: what is there says something else, and that stays."""

    id: str
    created: bool
    differs: bool | UnsetType = UNSET


class EventAnswer(Struct, frozen=True, rename="camel"):
    """`routed`: all whom it concerns have been told. `reason`: why it was declined, if it was; it can be routed again."""

    id: str
    type: str
    source: str
    at: Instant
    correlation_id: str | None
    payload: Json
    metadata: Json
    routed: bool
    organization: str
    state: EventState | UnsetType = UNSET
    reason: str | UnsetType = UNSET


class WokenAnswer(Struct, frozen=True, rename="camel"):
    execution: str
    workflow_id: str
    status: str
    how: Literal["started", "woken", "told"]


class DeclinedAnswer(Struct, frozen=True, rename="camel"):
    """Why an event started no execution of a workflow although it fits."""

    workflow_id: str
    reason: str


class SeenAnswer(EventAnswer, frozen=True, rename="camel", kw_only=True):
    """An event, and what came of it. `more`: it concerned others, too."""

    woke: tuple[WokenAnswer, ...]
    more: bool
    declined: tuple[DeclinedAnswer, ...]


class AllSent(Struct, frozen=True):
    items: tuple[SentAnswer, ...]


class ScheduleAnswer(Struct, frozen=True):
    """`schedule` is a cron expression; null where it comes round every so many milliseconds."""

    id: str
    workflow_id: str
    name: str
    schedule: str | None
    every_ms: int | None
    timezone: str
    start_at: Instant | None
    end_at: Instant | None
    catch_up: Literal["one", "none", "all"]
    overlap: Literal["allow", "skip"]
    input: Json
    paused: bool
    next_at: Instant | None
    last_slot: Instant | None
    last_execution: str | None
    skipped: int
    added: bool


class Coming(Struct, frozen=True):
    """The next times at which it starts executions, unless it is paused by then."""

    id: str
    timezone: str
    paused: bool
    items: tuple[Instant, ...]


class TriggerAnswer(Struct, frozen=True, rename="camel"):
    """`times`: so many of this outcome it stands for, the last of which came at `last_at`."""

    id: str
    at: Instant
    kind: TriggerKind
    subject: str
    outcome: TriggerOutcome
    reason: str | None
    execution: str | None
    delivery_id: str | None
    request_id: str | None
    times: int
    last_at: Instant | None
    organization: str


class WebhookAnswer(Struct, frozen=True, rename="camel"):
    """`signed`: whether requests have to be; if not, whoever has the token can start it."""

    id: str
    workflow_id: str
    workflow_name: str | None
    node: str | None
    signed: bool
    scheme: SchemeName | None
    tokens: int
    secrets: int
    created_at: Instant
    created_by: str
    token: str | UnsetType | None = UNSET
    signing_secret: str | UnsetType | None = UNSET
    """Both are shown once, to whoever made it."""


class ReceivedAnswer(Struct, frozen=True, rename="camel"):
    """What a request to a webhook has started: its id is that of the execution, as `execution_id` is. `created`: False, if the
    same delivery had been received before.
    """

    id: str
    execution_id: str
    created: bool
    delivery_id: str | None
    differs: bool | UnsetType = UNSET


class ChallengeAnswer(Struct, frozen=True):
    """What a sender wants back that asks whether a webhook is where it thinks."""

    challenge: str


def sent_answer(sent: Sent) -> SentAnswer:
    return SentAnswer(sent.id, sent.created, True if sent.differs else UNSET)


def sent_from(answer: SentAnswer) -> Sent:
    return Sent(answer.id, answer.created, answer.differs is True)


def event_answer(each: Happened) -> EventAnswer:
    event = each.event
    return EventAnswer(
        event.id,
        event.type,
        event.source,
        iso(event.at),
        event.correlation_id,
        event.data,
        event.metadata,
        each.routed,
        event.organization,
        each.state,
        UNSET if each.reason is None else each.reason,
    )


def event_from(answer: EventAnswer) -> Happened:
    """But for what only the engine needs of it: how deep it is in a chain of starts, and its place."""
    return Happened(_event_from(answer), answer.routed, _declined_from(answer))


def _declined_from(answer: EventAnswer) -> tuple[tuple[str, str], ...]:
    return () if answer.reason is UNSET else ((EVENT_ITSELF, answer.reason),)


def _event_from(answer: EventAnswer) -> EventRecord:
    return EventRecord(
        answer.id,
        answer.type,
        instant_ms(answer.at),
        answer.payload,
        answer.source,
        answer.organization,
        answer.correlation_id,
        metadata=answer.metadata,
    )


def seen_answer(seen: Seen) -> SeenAnswer:
    return SeenAnswer(
        **asdict(event_answer(Happened(seen.event, seen.routed, seen.declined))),
        woke=tuple(WokenAnswer(one.execution, one.workflow, one.status, one.how) for one in seen.woken),
        more=seen.more,
        declined=tuple(DeclinedAnswer(*each) for each in seen.declined if each[0] != EVENT_ITSELF),
    )


def seen_from(answer: SeenAnswer) -> Seen:
    return Seen(
        _event_from(answer),
        answer.routed,
        tuple(Woken(one.execution, one.workflow_id, one.status, one.how) for one in answer.woke),
        (*_declined_from(answer), *((each.workflow_id, each.reason) for each in answer.declined)),
        answer.more,
    )


def schedule_answer(each: ScheduleView) -> ScheduleAnswer:
    schedule = each.schedule
    return ScheduleAnswer(
        each.id,
        each.workflow_id,
        each.name,
        schedule.cron,
        schedule.every_ms,
        schedule.timezone,
        at(schedule.start_at),
        at(schedule.end_at),
        schedule.catch_up,
        schedule.overlap,
        {} if schedule.input is None else schedule.input,
        each.paused,
        at(each.next_at),
        at(each.last_slot),
        each.last_execution,
        each.skipped,
        each.added,
    )


def schedule_from(answer: ScheduleAnswer) -> ScheduleView:
    schedule = Schedule(
        answer.id.removeprefix(f"{answer.workflow_id}/"),
        answer.schedule,
        answer.every_ms,
        answer.timezone,
        ms(answer.start_at),
        ms(answer.end_at),
        answer.catch_up,
        answer.overlap,
        answer.input,
    )
    return ScheduleView(
        answer.id,
        answer.workflow_id,
        answer.name,
        schedule,
        ms(answer.next_at),
        answer.paused,
        ms(answer.last_slot),
        answer.last_execution,
        answer.skipped,
        answer.added,
    )


def coming_answer(each: ScheduleView, times: tuple[int, ...]) -> Coming:
    return Coming(each.id, each.schedule.timezone, each.paused, tuple(map(iso, times)))


def coming_from(answer: Coming) -> tuple[int, ...]:
    return tuple(map(instant_ms, answer.items))


def trigger_answer(entry: TriggerEntry) -> TriggerAnswer:
    return TriggerAnswer(
        str(entry.place),
        iso(entry.at),
        entry.kind,
        entry.subject,
        entry.outcome,
        entry.reason,
        entry.execution,
        entry.delivery,
        entry.request,
        entry.times,
        at(entry.last_at or None),
        entry.organization,
    )


def trigger_from(answer: TriggerAnswer) -> TriggerEntry:
    return TriggerEntry(
        int(answer.id),
        instant_ms(answer.at),
        answer.kind,
        answer.subject,
        answer.outcome,
        answer.reason,
        answer.execution,
        answer.delivery_id,
        answer.request_id,
        answer.times,
        ms(answer.last_at) or 0,
        answer.organization,
    )


def webhook_answer(webhook: Webhook) -> WebhookAnswer:
    return WebhookAnswer(
        webhook.id,
        webhook.workflow,
        webhook.name,
        webhook.node,
        webhook.signed,
        webhook.scheme,
        webhook.tokens,
        webhook.secrets,
        iso(webhook.created_at),
        webhook.created_by,
    )


def webhook_from(answer: WebhookAnswer) -> Webhook:
    return Webhook(
        answer.id,
        answer.workflow_id,
        answer.node,
        answer.scheme,
        instant_ms(answer.created_at),
        answer.created_by,
        answer.tokens,
        answer.secrets,
        answer.workflow_name,
    )


def issued_answer(issued: Issued) -> WebhookAnswer:
    """With what is shown once."""
    return replace(webhook_answer(issued.webhook), token=issued.token, signing_secret=issued.signing_secret)


def issued_from(answer: WebhookAnswer) -> Issued:
    return Issued(webhook_from(answer), or_none(answer.token), or_none(answer.signing_secret))


def received_answer(taken: Received) -> ReceivedAnswer:
    differs = True if taken.differs else UNSET
    return ReceivedAnswer(taken.execution, taken.execution, taken.created, taken.delivery_id, differs)


def received_from(answer: ReceivedAnswer) -> Received:
    return Received(answer.execution_id, answer.created, answer.delivery_id, answer.differs is True)
