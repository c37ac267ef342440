"""Executions that events start."""

from __future__ import annotations

from typing import Any

from run.expected import Holding
from run.orchestration.words import echo, flow, waits
from run.stories import Story, saves, sends, shows, stand, story, works

SEES = echo("a", given="${workflow.input}")


def _started(name: str, trigger: dict[str, Any], given: Any, **view: Any) -> Story:
    """By `order.placed` with `{"id": 17, "who": "Ada"}`."""
    return story(
        f"started by an event: {name}",
        saves(flow(SEES, triggers=[{"eventPattern": "order.placed", **trigger}])),
        sends("order.placed", {"id": 17, "who": "Ada"}, "--id", "e-1", "--correlation-id", "c-1"),
        works(),
        shows(output={"given": given}, input=given, **view),
    )


def _not_started(name: str, **trigger: Any) -> Story:
    return story(
        f"not started by an event: {name}",
        saves(flow(SEES, triggers=[{"eventPattern": "order.placed", **trigger}])),
        sends("order.placed", {"id": 17, "who": "Ada"}),
        works(),
        stand(),
    )


PAYLOAD = {"id": 17, "who": "Ada"}

STARTS: tuple[Story, ...] = (
    _started("with its payload", {}, PAYLOAD, triggerEventId="e-1", status="COMPLETED"),
    _started("its correlation", {}, PAYLOAD, correlationId="c-1", correlation_id="c-1"),
    _started("a condition", {"eventCondition": "event.payload.id > 16"}, PAYLOAD),
    _started("a condition in ${ }", {"eventCondition": "${event.payload.who == 'Ada'}"}, PAYLOAD),
    _started("a condition over the seed's names", {"eventCondition": "event.eventPayload.id == 17"}, PAYLOAD),
    _started(
        "inputMapping",
        {
            "inputMapping": {
                "order": "${event.payload.id}",
                "who": "event.payload.who",
                "text": "no ${event.payload.id}",
                "n": 3,
            }
        },
        {"order": 17, "who": "Ada", "text": "no 17", "n": 3},
    ),
    _started(
        "inputMapping, by the seed's names",
        {"inputMapping": {"id": "event.eventId", "type": "${event.eventPattern}", "at": "${event.timestamp}"}},
        {"id": "e-1", "type": "order.placed", "at": Holding("T", "Z")},
    ),
    _started("inputMapping of what is not there", {"inputMapping": {"x": "${event.payload.nobody}", "y": 1}}, {"y": 1}),
    _started("correlationKey", {"correlationKey": "event.payload.who"}, PAYLOAD, correlationId="Ada"),
    _started("correlationKey, a path", {"correlationKey": "who"}, PAYLOAD, correlationId="Ada"),
    _started("correlationKey, in ${ }", {"correlationKey": "${event.payload.who}"}, PAYLOAD, correlationId="Ada"),
    _started(
        "correlationKey, computed", {"correlationKey": "'order-' + event.payload.id"}, PAYLOAD, correlationId="order-17"
    ),
    _started("correlationKey, a number", {"correlationKey": "id"}, PAYLOAD, correlationId="17"),
    _started("correlationKey, by the event's id", {"correlationKey": "event.eventId"}, PAYLOAD, correlationId="e-1"),
    _started("enabled", {"enabled": True}, PAYLOAD),
    _not_started("a condition that is false", eventCondition="event.payload.id > 17"),
    _not_started("a condition that throws", eventCondition="event.payload.who.map(x => x) == 1"),
    _not_started("one that is not enabled", enabled=False),
    story(
        "started by an event: by a pattern",
        saves(flow(SEES, triggers=[{"eventPattern": "order.*"}])),
        sends("order.placed", {"n": 1}),
        sends("order", {"n": 2}),
        sends("order.placed.late", {"n": 3}),
        works(),
        stand("completed", "completed"),
    ),
    story(
        "started by an event: one of two triggers",
        saves(
            flow(
                SEES,
                triggers=[
                    {"eventPattern": "a", "inputMapping": {"by": "a"}},
                    {"eventPattern": "b", "inputMapping": {"by": "b"}},
                ],
            )
        ),
        sends("b"),
        works(),
        shows(output={"given": {"by": "b"}}),
        sends("a"),
        works(),
        shows(1, output={"given": {"by": "a"}}),
    ),
    story(
        "started by an event: two triggers that it fits start it once",
        saves(flow(SEES, triggers=[{"eventPattern": "a"}, {"eventPattern": "#"}])),
        sends("a"),
        works(),
        stand("completed"),
    ),
    story(
        "started by an event: the same id twice is one",
        saves(flow(SEES, triggers=[{"eventPattern": "a"}])),
        sends("a", None, "--id", "e-1"),
        works(),
        sends("a", None, "--id", "e-1", created=False),
        works(),
        stand("completed"),
    ),
    story(
        "started by an event: which is known as the trigger",
        saves(
            flow(
                echo(
                    "a",
                    type="${workflow.trigger.type}",
                    id="${workflow.trigger.eventId}",
                    n="${workflow.trigger.event.payload.n}",
                    same="${workflow.trigger.data.payload.n}",
                ),
                triggers=[{"eventPattern": "a"}],
            )
        ),
        sends("a", {"n": 5}, "--id", "e-1"),
        works(),
        shows(output={"type": "event", "id": "e-1", "n": 5, "same": 5}),
    ),
    story(
        "started by an event: which does not end its first wait",
        saves(flow(waits("w", "a"), triggers=[{"eventPattern": "a"}])),
        sends("a", {"n": 1}, "--id", "e-1"),
        works(),
        shows(status="WAITING_FOR_EVENT"),
        stand("waiting"),
    ),
    story(
        "started by an event: one that waits is ended by what starts another",
        saves(flow(waits("w", "a"), triggers=[{"eventPattern": "a"}])),
        sends("a", {"n": 1}),
        works(),
        sends("a", {"n": 2}),
        works(),
        stand("completed", "waiting"),
        shows(0, output={"n": 2}),
    ),
)
