"""Start by event; what executions tell of themselves."""

from __future__ import annotations

from lowered.base import Happening, Lowered, obj, x
from lowered.checks import calls, facts, record, the_other, the_start
from lowered.orchestration.transitions import CREDIT
from lowered.orchestration.words import task, to, wait, workflow
from lowered.outside import cancel, publish
from perdure.core import facts as f
from perdure.model.records import EventRecord
from perdure.model.workflow import EventStart
from perdure.store import port as s
from perdure.testing.script import Fixed
from perdure.testing.summary import account
from perdure.testing.world import World

ORDERS = workflow(
    "orders",
    task("take", obj(order=x("input.order"), by=x("trigger.type")), to("wait")),
    wait("wait", "order.*", to("done")),
    task("done", x("last.output")),
    starts=(
        EventStart(
            "order.created",
            x("event.payload.total > 10"),
            obj(order=x("event.payload.id"), source=x("event.type")),
            x("event.payload.id"),
        ),
    ),
)
ORDERS_SILENT = Fixed(events={"wait": None})


def _order_started(world: World) -> None:
    """By the order over 10 alone; the event that started it does not resume it, the next one does."""
    order = the_other(world).id
    started = the_start(world, order)
    assert started.input == {"order": "o2", "source": "order.created"}
    assert (started.trigger, started.event_id, started.correlation_id) == ("event", "e2", "o2")
    assert record(world, order).correlation_id == "o2"
    calls("take", {"order": "o2", "by": "event"}, execution=order)(world)
    assert started.trigger_data["payload"] == {"id": "o2", "total": 11}
    found = account(world, order)
    assert (found.status, found.output) == ("completed", {"paid": True})
    (done,) = facts(world, f.StepCompleted, "wait", order)
    assert done.event_id == "e3"


MIRROR = workflow("mirror", task("note", x("input.status")), starts=(EventStart("workflow.completed"),))
"""Started by whatever completes, with the payload as its input; never by its own kind."""


def _mirrored(world: World) -> None:
    mirror = the_other(world)
    assert the_start(world, mirror.id).input == {
        "executionId": "main",
        "workflowId": "credit",
        "name": "credit",
        "status": "completed",
        "output": {"by": "auto"},
    }
    assert mirror.correlation_id == "c-1"
    assert account(world, mirror.id).output == "completed"


def _published_with_correlation(world: World) -> s.Outcome:
    event = EventRecord("e1", "order.placed", world.now, {"id": 1}, "shop", correlation_id="c-9")
    return world.store.commit([s.Publish(event)])[0]


def _correlated(world: World) -> None:
    started = the_start(world, the_other(world).id)
    assert (started.input, started.correlation_id) == ({"id": 1}, "c-9")


STARTS = (
    Lowered(
        name="orchestration-started-by-event",
        seed="semantics §2 Start by event: eventCondition, inputMapping, correlationKey; the starting event is consumed",
        workflow=ORDERS,
        input={"order": "o0"},
        script=ORDERS_SILENT,
        happenings=(
            Happening(1_000, cancel),  # the one under test is out of the way
            Happening(2_000, publish("order.created", {"id": "o1", "total": 10}, "e1")),
            Happening(3_000, publish("order.created", {"id": "o2", "total": 11}, "e2")),
            Happening(9_000, publish("order.paid", {"paid": True}, "e3")),
        ),
        status="cancelled",
        runs={"take": 1, "wait": 1},
        check=_order_started,
    ),
    Lowered(
        name="orchestration-started-by-event-defaults",
        seed="semantics §2 Start by event: default input = the payload, correlation = its metadata's correlationId",
        workflow=workflow("placed", task("take"), starts=(EventStart("order.placed"),)),
        happenings=(Happening(1_000, _published_with_correlation),),
        runs={"take": 1},
        check=_correlated,
    ),
    Lowered(
        name="orchestration-started-by-a-completion",
        seed="semantics §0 Chains: workflow.completed events; a workflow is never started by its own",
        workflow=CREDIT,
        others=(MIRROR,),
        input={"amount": 1},
        start={"correlation_id": "c-1"},
        output={"by": "auto"},
        runs={"score": 1, "auto": 1},
        check=_mirrored,
    ),
)
