"""The order saga under a virtual clock, where three days are nothing: its worker dies at every commit, before and after it, once and
twice, and it is seen in the end as if nothing had been.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, Final

import pytest
from msgspec import Struct, field

from lowered.base import DAY, MINUTE, T0, Happening, Lowered, play
from lowered.outside import answer, broken, publish
from orchestration.scenes import CARD, GIFT_CARD, PARCEL, SHIPPED, undone
from orchestration.shop import DOCUMENT
from orchestration.views import comparable, statuses, undoing_of
from perdure.dialects import registry
from perdure.dialects.port import Seen
from perdure.expressions.language import compile_value
from perdure.model.failure import Category
from perdure.model.workflow import Workflow
from perdure.testing import World, violations
from perdure.testing.faults import EVERYWHERE, CrashAt, crash_plans
from perdure.testing.script import EventAnswer, Fixed, TaskAnswer
from perdure.testing.world import Point

PAIRS_MAX: Final = 40
SLOW_MS: Final = 20_000
"""What a task takes that is called off while it runs; others take ten milliseconds."""

RESERVED: Final = answer({"reservation": "R", "items": PARCEL["items"]})
CHARGED: Final = {"chargeId": "C", "amount": 40, "method": "card"}
SENT: Final = {"orderId": "O1", "things": 2, "tracking": "T"}
REFUSED: Final = broken("NOT_REFUNDABLE", Category.PERMANENT, retriable=False)


def saga() -> Workflow:
    compiled = registry.compile(json.loads(DOCUMENT))
    assert compiled.workflow is not None
    return compiled.workflow


class Played(Struct, frozen=True):
    """A scene: what tasks answer, when it is paid and called off, and how it is seen in the end."""

    name: str
    tasks: dict[str, TaskAnswer | list[TaskAnswer]]
    paid_after_ms: int | None = 2 * DAY
    called_off_after_ms: int | None = None
    status: str = "COMPLETED"
    steps: dict[str, str] = field(default_factory=lambda: SHIPPED)
    undoing: dict[str, Any] | None = None
    took_ms: int | None = None

    def run(self, hook: Callable[[Point], None] = lambda _: None) -> World:
        payment = {"orderId": "O1", "payment": CARD if self.name != GIFT else GIFT_CARD}
        paid = None if self.paid_after_ms is None else EventAnswer(self.paid_after_ms, payment)
        script = Fixed({"reserve_stock": RESERVED, **self.tasks}, events={"await_payment": paid})
        off = publish("order.cancelled", {"orderId": "O1"}, "off")
        happenings = () if self.called_off_after_ms is None else (Happening(self.called_off_after_ms, off),)
        lowered = Lowered("order saga", "seed 002", saga(), PARCEL, script, happenings=happenings)
        return play(lowered, World(compile_value, script, hook))


GIFT: Final = "called off while it is shipped, and the gift card takes nothing back"
PAID_AT: Final = 2 * DAY + 10
"""Reserving has taken its time."""

EVERY: Final = (
    Played("paid", {"charge": answer(CHARGED), "ship": answer(SENT)}, took_ms=PAID_AT + 20),
    Played(
        "charged at the third attempt",
        {"charge": [broken("DOWN"), broken("DOWN"), answer(CHARGED)], "ship": answer(SENT)},
    ),
    Played(
        "not paid in three days",
        {},
        paid_after_ms=None,
        steps={
            "reserve_stock": "COMPLETED",
            "await_payment": "FAILED",
            "give_up": "COMPLETED",
            "tell_not_paid": "COMPLETED",
        },
        took_ms=3 * DAY + 30,
    ),
    Played(
        "called off while it waits",
        {},
        paid_after_ms=None,
        called_off_after_ms=DAY,
        status="CANCELLED",
        steps={"reserve_stock": "COMPLETED", "await_payment": "FAILED"},
        undoing=undone("release_stock"),
        took_ms=DAY,
    ),
    Played(
        "called off while it is charged",
        {"charge": answer(CHARGED, SLOW_MS)},
        called_off_after_ms=PAID_AT + SLOW_MS // 2,
        status="CANCELLED",
        steps={"reserve_stock": "COMPLETED", "await_payment": "COMPLETED", "charge": "COMPLETED"},
        undoing=undone("refund", "release_stock"),
        took_ms=PAID_AT + SLOW_MS // 2,
    ),
    Played(
        GIFT,
        {"charge": answer(CHARGED), "ship": answer(SENT, SLOW_MS), "refund": REFUSED},
        called_off_after_ms=PAID_AT + SLOW_MS // 2,
        status="CANCELLED",
        undoing=undone("recall_parcel", "refund", "release_stock", failed="refund"),
    ),
    Played(
        "called off while it is charged, which takes longer than it may",
        {"charge": answer(CHARGED, 5 * MINUTE)},
        called_off_after_ms=PAID_AT + SLOW_MS,
        status="CANCELLED",
        steps={"reserve_stock": "COMPLETED", "await_payment": "COMPLETED", "charge": "FAILED"},
        undoing=undone("release_stock"),
    ),
)


def viewed(world: World) -> dict[str, Any]:
    row = world.store.rows["main"]
    view: dict[str, Any] = registry.view("orchestration", Seen(row.record, tuple(row.facts), saga()))
    return view


@pytest.mark.parametrize("scene", EVERY, ids=lambda scene: scene.name)
def test_what_becomes_of_an_order_in_its_own_time(scene: Played) -> None:
    world = scene.run()
    assert violations(world) == []
    view, record = viewed(world), world.store.rows["main"].record
    assert (view["status"], statuses(view), undoing_of(view)) == (scene.status, scene.steps, scene.undoing)
    assert record.ended_at is not None
    assert scene.took_ms is None or record.ended_at - T0 == scene.took_ms


@pytest.mark.simulation
@pytest.mark.parametrize("scene", EVERY, ids=lambda scene: scene.name)
def test_it_is_seen_as_it_would_have_been_wherever_its_workers_die(scene: Played) -> None:
    calm = comparable(viewed(scene.run()))
    counted = CrashAt(points=EVERYWHERE)
    scene.run(counted)
    for plan in crash_plans(counted.passed, PAIRS_MAX):
        world = scene.run(CrashAt(*plan, points=EVERYWHERE))
        assert world.crashes, plan
        assert violations(world) == [], plan
        view = viewed(world)
        lost = (view["compensationState"] or {}).get("unknown")
        if lost is None:
            assert comparable(view) == calm, plan
        else:  # nobody knows what it has done, which is told; what is known is undone all the same
            assert lost in (["charge"], ["ship"]), plan
            assert (view["status"], view["compensationState"]["plan"][-1]) == ("CANCELLED", "release_stock"), plan
