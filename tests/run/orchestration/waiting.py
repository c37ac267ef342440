"""EVENT_WAIT: which events end it, and what is taken from them."""

from __future__ import annotations

from typing import Any

from run.expected import ABSENT, Holding
from run.orchestration.words import NO, YES, decides, echo, flow, waits, ways
from run.stories import Story, runs, sends, shows, stand, story, works

ISO = Holding("T", "Z")
ORDER = {"order": {"id": 17, "lines": [{"sku": "A1"}]}, "total": 5, "odd-name": 1}


def _fits(pattern: str, *types: str) -> Story:
    """Each of them ends a wait for such events."""
    document = flow(waits("w", pattern))
    acts = [act for type_ in types for act in (runs(document), sends(type_), works())]
    return story(f"the pattern {pattern} is fitted by {', '.join(types)}", *acts, stand(*["completed"] * len(types)))


def _misses(pattern: str, *types: str) -> Story:
    return story(
        f"the pattern {pattern} is not fitted by {', '.join(types)}",
        runs(flow(waits("w", pattern))),
        *(sends(type_) for type_ in types),
        works(),
        shows(status="WAITING_FOR_EVENT"),
    )


def _mapped(source: str, value: Any) -> Story:
    """A variable from an event, and the same in the output."""
    return story(
        f"of the payload, {source}",
        runs(flow(waits("w", "paid", eventPayloadMapping={"v": source}))),
        sends("paid", ORDER, "--id", "e-1"),
        works(),
        shows(
            output={} if value is ABSENT else {"v": value},
            state__variables={} if value is ABSENT else {"v": value},
            status="COMPLETED",
        ),
    )


WAITING: tuple[Story, ...] = (
    story(
        "an event ends a wait",
        runs(flow(waits("w", "order.paid", "b"), echo("b", v="${steps.w.output.total}")), {"n": 1}),
        sends("order.paid", {"total": 5}),
        works(),
        shows(
            output={"v": 5},
            status="COMPLETED",
            state__variables={},
            state__waitingForEvent=None,
            state__steps__w={"status": "COMPLETED", "output": {"total": 5}, "startedAt": ISO, "completedAt": ISO},
        ),
    ),
    story(
        "an event without a payload",
        runs(flow(waits("w", "paid", ways(("event.type == 'paid'", "b"))), echo("b", v="${steps.w.output}"))),
        sends("paid"),
        works(),
        shows(output={"v": None}),
    ),
    story(
        "the event, in the mapping of its payload",
        runs(
            flow(
                waits(
                    "w",
                    "paid",
                    eventPayloadMapping={
                        "id": "${event.id}",
                        "type": "${event.type}",
                        "n": "${event.payload.n}",
                        "by": "event.source",
                        "id2": "event.eventId",
                        "type2": "${event.eventPattern} ${event.pattern}",
                        "n2": "${event.data.n}",
                        "n3": "${event.eventPayload.n}",
                        "at": "event.timestamp",
                        "correlation": "${event.metadata.correlationId}",
                        "same": "${event.correlationId}",
                    },
                )
            )
        ),
        sends("paid", {"n": 5}, "--id", "e-1", "--source", "shop", "--correlation-id", "c-1"),
        works(),
        shows(
            output={
                "id": "e-1",
                "type": "paid",
                "n": 5,
                "by": "shop",
                "id2": "e-1",
                "type2": "paid paid",
                "n2": 5,
                "n3": 5,
                "at": ISO,
                "correlation": "c-1",
                "same": "c-1",
            }
        ),
    ),
    _fits("order.paid", "order.paid"),
    _misses("order.paid", "order", "order.paid.late", "orders.paid", "Order.paid"),
    _fits("order.*.paid", "order.17.paid"),
    _misses("order.*.paid", "order.paid", "order.1.2.paid"),
    _fits("order.*", "order.paid", "order.paid.late"),
    _misses("order.*", "order"),
    _fits("order.**", "order", "order.paid", "order.a.b"),
    _fits("order.#", "order", "order.a.b"),
    _fits("**.paid", "paid", "order.17.paid"),
    _fits("order.#.paid", "order.paid", "order.a.b.paid"),
    story(
        "a condition over the event and the input",
        runs(
            flow(waits("w", "paid", eventCondition="${event.payload.orderId} == ${workflow.input.orderId}")),
            {"orderId": 17},
        ),
        sends("paid", {"orderId": 16}),
        works(),
        shows(status="WAITING_FOR_EVENT"),
        sends("paid", {"orderId": 17}),
        works(),
        shows(status="COMPLETED", output={"orderId": 17}),
    ),
    story(
        "a condition over a step before",
        runs(
            flow(
                echo("a", "w", order=17),
                waits("w", "paid", eventCondition="event.payload.orderId === steps.a.output.order"),
            )
        ),
        sends("paid", {"orderId": "17"}),
        sends("paid", {"orderId": 17}),
        works(),
        shows(output={"orderId": 17}),
    ),
    story(
        "a condition that throws is false, and it waits on",
        runs(flow(waits("w", "paid", eventCondition="event.payload.who.map(x => x).length > 0"))),
        sends("paid", {"who": "Ada"}),
        works(),
        shows(status="WAITING_FOR_EVENT"),
        sends("paid", {"who": ["Ada"]}),
        works(),
        shows(status="COMPLETED"),
    ),
    _mapped("total", 5),
    _mapped("order.id", 17),
    _mapped("payload.order.id", 17),
    _mapped("event.order.id", 17),
    _mapped("event.payload.order.id", 17),
    _mapped("event.data.order.id", 17),
    _mapped("$.order.id", 17),
    _mapped("order.lines[0].sku", "A1"),
    _mapped("order.lines.0.sku", "A1"),
    _mapped("$", ORDER),
    _mapped("payload", ORDER),
    _mapped("odd-name", 1),
    _mapped("$['odd-name']", 1),
    _mapped("event.id", "e-1"),
    _mapped("event.type", "paid"),
    _mapped("${event.payload.total * 2}", 10),
    _mapped("not.there", ABSENT),
    story(
        "variables that an event set are there for all that follows",
        runs(
            flow(
                waits("w", "paid", "gate", eventPayloadMapping={"total": "total", "limit": "order.id"}),
                decides(("variables.total < workflow.state.variables.limit", "b"), default="END"),
                echo("b", v="${workflow.variables.total}", kept="${variables.kept}"),
                variables={"limit": 3, "kept": 1},
            )
        ),
        sends("paid", ORDER),
        works(),
        shows(output={"v": 5, "kept": 1}, state__variables={"limit": 17, "kept": 1, "total": 5}),
    ),
    story(
        "conditions after the wait, over what it came to",
        runs(flow(waits("w", "paid", ways(("output.total > 4", "yes"), default="no")), YES, NO)),
        sends("paid", {"total": 5}),
        works(),
        shows(output={"v": "yes"}),
    ),
    story(
        "conditions after the wait, over the event and its variables",
        runs(
            flow(
                waits(
                    "w",
                    "order.*",
                    ways(("event.type == 'order.paid' && variables.total == 5", "yes"), default="no"),
                    eventPayloadMapping={"total": "total"},
                ),
                *(YES, NO),
            )
        ),
        sends("order.paid", {"total": 5}),
        works(),
        shows(output={"v": "yes"}),
    ),
    story(
        "an event that came before the wait is not lost",
        runs(flow(waits("one", "a", "two"), waits("two", "b"))),
        sends("b", {"n": 1}),
        works(),
        shows(state__currentStepId="one"),
        sends("a"),
        works(),
        shows(status="COMPLETED", output={"n": 1}),
    ),
    story(
        "an event that came before the execution is none of its",
        runs(flow(echo("a")), exit=0),
        sends("a"),
        works(),
        runs(flow(waits("w", "a"))),
        works(),
        shows(1, status="WAITING_FOR_EVENT"),
    ),
    story(
        "an event that came before the wait, without looking back",
        runs(flow(waits("one", "a", "two"), waits("two", "b", lookback="none"))),
        sends("b", {"n": 1}),
        sends("a"),
        works(),
        shows(status="WAITING_FOR_EVENT", state__currentStepId="two"),
        sends("b", {"n": 2}),
        works(),
        shows(output={"n": 2}),
    ),
    story(
        "an event is taken once by an execution",
        runs(flow(waits("one", "a", "two"), waits("two", "a"))),
        sends("a", {"n": 1}, "--id", "e-1"),
        works(),
        shows(status="WAITING_FOR_EVENT", state__currentStepId="two"),
        sends("a", {"n": 1}, "--id", "e-1", created=False),
        works(),
        shows(status="WAITING_FOR_EVENT"),
        sends("a", {"n": 2}, "--id", "e-2"),
        works(),
        shows(output={"n": 2}),
    ),
    story(
        "two events, one wait after the other",
        runs(flow(waits("one", "a", "two"), waits("two", "a"))),
        sends("a", {"n": 1}),
        sends("a", {"n": 2}),
        works(),
        shows(output={"n": 2}, state__steps__one__output={"n": 1}),
    ),
    story(
        "one event ends the wait of every execution that it fits",
        runs(flow(waits("w", "paid", eventCondition="event.payload.id == workflow.input.id")), {"id": 1}),
        runs(flow(waits("w", "paid", eventCondition="event.payload.id == workflow.input.id")), {"id": 2}),
        runs(flow(waits("w", "*", "b"), echo("b", id="${steps.w.output.id}"))),
        sends("paid", {"id": 1}),
        works(),
        stand("completed", "waiting", "completed"),
    ),
    story(
        "a wait in a cycle",
        runs(
            flow(
                waits("w", "item", "count", eventPayloadMapping={"item": "name"}),
                echo("count", "gate", n="${(steps.count.output.n ?? 0) + 1}"),
                decides(("steps.count.output.n < 3", "w"), default="b"),
                echo("b", last="${variables.item}", n="${steps.count.output.n}"),
            )
        ),
        sends("item", {"name": "a"}),
        sends("item", {"name": "b"}),
        works(),
        shows(state__variables={"item": "b"}, state__currentStepId="w", state__steps__w__status="RUNNING"),
        sends("item", {"name": "c"}),
        works(),
        shows(output={"last": "c", "n": 3}),
    ),
    story(
        "the pattern may be computed",
        runs(flow(waits("w", "order.${workflow.input.id}.paid")), {"id": 17}),
        sends("order.16.paid"),
        sends("order.17.paid", {"n": 1}),
        works(),
        shows(output={"n": 1}),
    ),
    story(
        "an event in time leaves the timeout behind",
        runs(flow(waits("w", "a", "yes", eventTimeout={"duration": "P3D", "timeoutHandlerStepId": "no"}), YES, NO)),
        sends("a"),
        works(),
        shows(output={"v": "yes"}),
    ),
    story(
        "a wait in a branch, and the other goes on",
        runs(
            flow(
                {
                    "stepId": "both",
                    "type": "PARALLEL",
                    "branches": [
                        {"name": "pay", "steps": [waits("w", "paid"), echo("x", v="${steps.w.output.n}")]},
                        {"name": "pack", "steps": [echo("y", v=2)]},
                    ],
                }
            )
        ),
        sends("paid", {"n": 1}),
        works(),
        shows(output={"pay": {"v": 1}, "pack": {"v": 2}}),
    ),
)
