"""What cancellations and compensations are tried on: a booking, and what must hold of its undoing."""

from __future__ import annotations

from typing import Any, Literal

from lowered.base import T0, Happening, Lowered, main, obj, x
from lowered.checks import Check, every, facts, moments, published, record
from lowered.orchestration.words import SHORT, task, to, undo, wait, workflow
from lowered.outside import answer, answered, cancel
from perdure.core import facts as f
from perdure.model.values import EMPTY
from perdure.model.workflow import Workflow
from perdure.store import port as s
from perdure.testing.script import Fixed, TaskAnswer
from perdure.testing.world import World


def booking(*, charge: dict[str, Any] | None = None, **more: Any) -> Workflow:
    """reserve → charge → wait for the shipping → confirm; the first two can be undone."""
    more.setdefault("compensations", (undo("reserve"), undo("charge")))
    return workflow(
        "booking",
        task("reserve", EMPTY, to("charge"), assign=obj(seat=x("output.seat"))),
        task("charge", EMPTY, to("wait"), **(charge or {})),
        wait("wait", "shipped", to("confirm")),
        task("confirm"),
        task("undo_reserve", more.pop("undo_input", SHORT)),
        task("undo_charge", SHORT),
        **more,
    )


def booked(**tasks: TaskAnswer | list[TaskAnswer]) -> Fixed:
    known: dict[str, TaskAnswer | list[TaskAnswer]] = {
        "reserve": answer({"seat": "12A"}),
        "charge": answer({"payment": "p1"}),
    }
    return Fixed({**known, **tasks}, events={"wait": None})


def undone(*pairs: str, failed: tuple[str, ...] = (), unknown: tuple[str, ...] = ()) -> Check:
    """What was undone, in order; each by a step of its own, called once and only after the plan was made."""

    def check(world: World) -> None:
        assert main(world).undone == {
            "phase": "done",
            "plan": [[f"undo_{step}", step] for step in pairs],
            "failed": [f"undo_{step}" for step in failed],
            "unknown": list(unknown),
        }
        scheduled = [fact for fact in facts(world, f.StepScheduled) if fact.undoes is not None]
        by = [fact for step in pairs for fact in facts(world, f.StepScheduled, f"undo_{step}")]
        assert scheduled == by
        _is_at_rest(world)

    return check


def not_undone(world: World) -> None:
    assert main(world).undone is None
    assert not facts(world, f.CompensationPlanned)
    _is_at_rest(world)


def _is_at_rest(world: World) -> None:
    assert not record(world).live
    assert not world.store.rows["main"].waits


def told_of_compensation(status: str, *, completed: list[str], failed: list[str], unknown: list[str]) -> Check:
    data = {"executionId": "main", "name": "booking", "status": status}
    return published(
        "workflow.compensation.completed", {**data, "completed": completed, "failed": failed, "unknown": unknown}
    )


def cancelled(
    source: Literal["USER", "EVENT"], by: str, reason: str, after_ms: int, event_id: str | None = None
) -> Check:
    def check(world: World) -> None:
        (fact,) = facts(world, f.ExecutionCancelled)
        assert (fact.source, fact.by, fact.reason, fact.event_id) == (source, by, reason, event_id)
        assert fact.at == record(world).ended_at == T0 + after_ms

    return check


def planned_after(ms: int) -> Check:
    def check(world: World) -> None:
        assert moments(world, f.CompensationPlanned) == [T0 + ms]

    return check


BY_ANN = cancelled("USER", "ann", "no longer wanted", 5_000)
RAN = {"reserve": 1, "charge": 1, "wait": 1}
CHARGING = {"reserve": 1, "charge": 1}


def cancelling(name: str, seed: str, model: Workflow, script: Fixed, *checks: Check, **more: Any) -> Lowered:
    """Somebody cancels it after five seconds."""
    happenings = more.pop("happenings", ())
    return Lowered(
        name=f"orchestration-{name}",
        seed=seed,
        workflow=model,
        input={"who": "ann"},
        script=script,
        happenings=(Happening(5_000, answered(s.Committed, cancel)), *happenings),
        **{"status": "cancelled", "runs": RAN, "check": every(BY_ANN, *checks), **more},
    )
