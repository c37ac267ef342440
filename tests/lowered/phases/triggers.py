"""Triggers: what an execution starts once it has completed."""

from __future__ import annotations

from lowered.base import HOUR, Happening, Lowered, k, main, obj, text, x
from lowered.checks import alone, facts, history, inputs, record, skipped, started, the_other, the_start
from lowered.outside import LATER, answer, cancel, failure, repaired_and_retried
from lowered.phases.words import Tools, child, dispatcher, phases, tool, transform
from perdure.core import events as e
from perdure.core import facts as f
from perdure.model.steps import Step, Timer
from perdure.model.values import Json
from perdure.model.workflow import Chain, Workflow
from perdure.testing.script import Fixed
from perdure.testing.world import World


def _fired(world: World, workflow: str, *expected: Json) -> None:
    """These and no other executions of the workflow were started by the one under test, and completed."""
    assert inputs(world, workflow) == list(expected)
    for other in started(world, workflow):
        assert (other.parent, other.depth, other.trigger) == ("main", record(world).depth + 1, "chain")
        assert other.status == "completed"


def _linked(world: World) -> None:
    _fired(world, "next", {"id": 7, "name": "Ann", "all": {"n": 7}, "note": "of Ann"})
    assert the_other(world, "next").correlation_id == "order-7"


TRIGGER = Lowered(
    name="phases-trigger",
    seed="seed 003 §2 Trigger Schema; semantics §3 Triggers [59], §0 Chains and depth",
    workflow=phases(
        "source",
        (tool("load"),),
        (transform("shape", obj(n=x("steps.load.output.id"))),),
        chains=(
            Chain(
                "next",
                obj(
                    id=x("steps.load.output.id"),
                    name=x("input.name"),
                    all=x("output"),
                    note=text("of ", x("input.name")),
                ),
            ),
        ),
    ),
    input={"name": "Ann"},
    others=(child("next"),),
    script=Fixed({"load": answer({"id": 7})}),
    start={"depth": 2, "correlation_id": "order-7"},
    output={"n": 7},
    check=_linked,
)

ORDER_PROCESSOR = phases(
    "order-processor",
    (tool("process-order", task="orders/process"),),
    (transform("decide-next", obj(success=x('steps["process-order"].output.success'))),),
    chains=(
        Chain(
            "send-confirmation",
            obj(orderDetails=x("output.confirmation.order"), email=x("output.confirmation.email")),
        ),
        Chain(
            "handle-failure",
            obj(deep=obj(errorMessage=x("output.failure.error")), orderId=x("output.failure.orderId")),
            deadline_ms=60_000,
            retries_max=5,
        ),
        Chain("mail", obj(subject=text("order ", x("output.confirmation.number")))),
    ),
)


def _order(output: Json) -> Tools:
    return Tools(
        **{"process-order": lambda _, __: answer({"success": True}), "decide-next": lambda _, __: answer(output)}
    )


def _confirmed(world: World) -> None:
    """A ref that is null has resolved; one that is missing, deep or in text, has not."""
    _fired(world, "send-confirmation", {"orderDetails": {"id": 1}, "email": None})
    assert started(world, "handle-failure") == started(world, "mail") == []
    assert main(world).chains == {"0": "planned 1", "1": "skipped", "2": "skipped"}
    reasons = {fact.number: fact.reason for fact in facts(world, f.ChainSkipped)}
    assert "output.failure.error" in reasons[1]
    assert "output.confirmation.number" in reasons[2]


TRIGGER_TAKEN = Lowered(
    name="phases-trigger-skipped-by-undefined-refs",
    seed="seed 003 §4 Conditional Triggers, semantics §3 Triggers: undefined skips (deep, in text), null resolves [59]",
    workflow=ORDER_PROCESSOR,
    others=(child("send-confirmation"), child("handle-failure"), child("mail")),
    script=_order({"confirmation": {"order": {"id": 1}, "email": None}}),
    check=_confirmed,
)


def _handled(world: World) -> None:
    _fired(world, "handle-failure", {"deep": {"errorMessage": "no stock"}, "orderId": 1})
    assert started(world, "send-confirmation") == []
    first = the_start(world, the_other(world, "handle-failure").id)
    assert (first.deadline_ms, first.retries_max) == (60_000, 5)


TRIGGER_OTHER = Lowered(
    name="phases-trigger-other-side",
    seed="seed 003 §4 Conditional Triggers: the output decides which fires",
    workflow=ORDER_PROCESSOR,
    others=TRIGGER_TAKEN.others,
    script=_order({"failure": {"error": "no stock", "orderId": 1}}),
    check=_handled,
)

PER_ITEM = obj(item=x("item.id"), index=x("index"), batchId=x("output.batchId"))


def _one_for_each_that_resolves(world: World) -> None:
    """The second item has no id; it alone is skipped."""
    _fired(
        world,
        "process-single-item",
        {"item": "a", "index": 0, "batchId": "b1"},
        {"item": None, "index": 2, "batchId": "b1"},
    )
    assert main(world).chains == {"0": "planned 3", "1": "skipped"}
    (advanced,) = facts(world, f.ChainAdvanced)
    assert advanced.skipped == (1,)
    assert started(world, "other") == []


FAN_OUT = Lowered(
    name="phases-trigger-fan-out",
    seed="seed 003 §4 Execution Chaining, semantics §3 Triggers: @item per item, other refs once",
    workflow=dispatcher(
        Chain("process-single-item", PER_ITEM, items=x("output.items")),
        Chain("other", obj(item=x("item"), missing=x("output.nothing")), items=x("output.items")),
    ),
    input={"items": [{"id": "a"}, {"name": "no id"}, {"id": None}], "batchId": "b1"},
    others=(child("process-single-item"), child("other")),
    check=_one_for_each_that_resolves,
)


def _all_of_them_once(world: World) -> None:
    _fired(world, "process-single-item", *({"item": n, "index": n, "batchId": "b2"} for n in range(250)))
    assert facts(world, f.ChainAdvanced)[-1].cursor == 250


FAN_OUT_250 = Lowered(
    name="phases-trigger-fan-out-250",
    seed="semantics §3 Triggers: fan-out is not cut off [58, 60]",
    workflow=dispatcher(Chain("process-single-item", PER_ITEM, items=x("output.items"))),
    input={"items": [{"id": n} for n in range(250)], "batchId": "b2"},
    others=(Workflow("process-single-item"),),  # `steps: []`: so many executions are enough to wait for
    check=_all_of_them_once,
)


def _nothing_to_fan_out_over(world: World) -> None:
    assert main(world).chains == {"0": "planned 0", "1": "skipped", "2": "failed", "3": "failed"}
    alone(world)
    assert [fact.number for fact in facts(world, f.ChainFailed)] == [2, 3]
    assert all("array" in fact.error.message for fact in facts(world, f.ChainFailed))
    assert not record(world).live


FAN_OUT_OVER_NOTHING = Lowered(
    name="phases-trigger-fan-out-over-nothing",
    seed="semantics §3 Triggers: empty is triggered with [], undefined skips, anything else is failed",
    workflow=dispatcher(
        *(
            Chain("process-single-item", obj(item=x("item")), items=x(f"output.{name}"))
            for name in ("no", "x", "o", "n")
        )
    ),
    input={"no": [], "o": {"a": 1}, "n": None},
    others=(child("process-single-item"),),
    output={"no": [], "o": {"a": 1}, "n": None},
    check=_nothing_to_fan_out_over,
)


def _one_failed_and_the_other_fired(world: World) -> None:
    assert main(world).chains == {"0": "failed", "1": "planned 1"}
    (failed,) = facts(world, f.ChainFailed)
    assert "nobody-knows" in failed.error.message
    _fired(world, "next", {"n": 1})


UNKNOWN_WORKFLOW = Lowered(
    name="phases-trigger-unknown-workflow",
    seed="semantics §3 Triggers: unknown workflow fails the trigger, seed 003 §8: not the execution",
    workflow=dispatcher(Chain("nobody-knows", obj(n=x("output.n"))), Chain("next", obj(n=x("output.n")))),
    input={"n": 1},
    others=(child("next"),),
    output={"n": 1},
    check=_one_failed_and_the_other_fired,
)


def _save_and_fire_again(world: World) -> None:
    world.store.save(child("late"))
    world.deliver("main", e.ChainRequested(world.now, 0), "fire again", force=True)


def _fired_after_all(world: World) -> None:
    assert len(facts(world, f.ChainFailed)) == 1
    assert main(world).chains == {"0": "planned 3"}
    _fired(world, "late", *({"item": n} for n in range(3)))
    assert not record(world).live


FIRED_AGAIN = Lowered(
    name="phases-trigger-fired-again",
    seed="semantics §3 Triggers: a failed trigger can be fired again",
    workflow=dispatcher(Chain("late", obj(item=x("item")), items=x("output.items"))),
    input={"items": list(range(3))},
    happenings=(Happening(LATER, _save_and_fire_again),),
    check=_fired_after_all,
)

DEPTH_LIMIT = Lowered(
    name="phases-trigger-depth-limit",
    seed="seed 003 §8 Circular Triggers, semantics §0 Chains and depth: skipped, recorded, not failed [69]",
    workflow=dispatcher(Chain("next", obj(n=x("output.n")))),
    input={"n": 1},
    others=(child("next"),),
    start={"depth": 10},
    output={"n": 1},
    check=skipped("10", "depth"),
)


def _down_to_the_limit(world: World) -> None:
    depths = [row.record.depth for row in world.store.rows.values()]
    assert depths == list(range(11))
    assert inputs(world, "circle") == [{"round": n} for n in range(1, 11)]
    skips = {row.record.depth: facts(world, f.ChainSkipped, execution=name) for name, row in world.store.rows.items()}
    assert {depth: len(skipped) for depth, skipped in skips.items() if skipped} == {10: 1}


CIRCLE = Lowered(
    name="phases-trigger-of-itself",
    seed="seed 003 §8 Circular Triggers, semantics §0: it may chain to itself explicitly, up to the limit",
    workflow=phases("circle", (transform("turn"),), chains=(Chain("circle", obj(round=x("output.round + 1"))),)),
    input={"round": 0},
    check=_down_to_the_limit,
)

TWO_FINAL = (transform("left"), transform("right"))


def _looked_up_in_the_final_steps(world: World) -> None:
    _fired(world, "next", {"step": {"both": "l", "only": 1}, "only": 1, "both": "r"})
    assert started(world, "none") == []


TRIGGER_OF_SEVERAL = Lowered(
    name="phases-trigger-output-of-several",
    seed="semantics §3 Output: @output.x tries the step name, then each final step's own key, the last first [53]",
    workflow=phases(
        "two-ends",
        TWO_FINAL,
        chains=(
            Chain(
                "next",
                obj(
                    step=x("steps.left.output"),
                    only=x("'only' in steps.right.output ? steps.right.output.only : steps.left.output.only"),
                    both=x("'both' in steps.right.output ? steps.right.output.both : steps.left.output.both"),
                ),
            ),
            Chain("none", obj(x=x("'x' in steps.right.output ? steps.right.output.x : steps.left.output.x"))),
        ),
    ),
    others=(child("next"), child("none")),
    script=Fixed({"left": answer({"both": "l", "only": 1}, 50), "right": answer({"both": "r"})}),
    output={"left": {"both": "l", "only": 1}, "right": {"both": "r"}},
    check=_looked_up_in_the_final_steps,
)


def _fired_nothing(world: World) -> None:
    alone(world)
    assert main(world).chains == {}


def _fired_only_once_it_completed(world: World) -> None:
    _fired(world, "next", {"n": "repaired"})
    kinds = [type(fact) for fact in history(world)]
    assert kinds.index(f.ExecutionFailed) < kinds.index(f.ExecutionCompleted) < kinds.index(f.ChainPlanned)
    assert kinds.count(f.ChainPlanned) == 1


AFTER_FAILURE = Lowered(
    name="phases-trigger-after-failure",
    seed="seed 003 §2: triggers fire when the execution completes successfully, and not before",
    workflow=phases("breaks", (tool("work"),), chains=(Chain("next", obj(n=x("output"))),)),
    others=(child("next"),),
    script=Fixed({"work": failure("broken")}),
    happenings=(repaired_and_retried(Fixed({"work": answer("repaired")})),),
    output="repaired",
    check=_fired_only_once_it_completed,
)


CANCELLED = Lowered(
    name="phases-cancelled-fires-nothing",
    seed="seed 003 §2: triggers fire when the execution completes successfully; semantics §0 Status",
    workflow=phases("sleeper", (Step("nap", Timer(k(7_200_000))),), chains=(Chain("next"),)),
    others=(child("next"),),
    happenings=(Happening(HOUR, cancel),),
    status="cancelled",
    runs={"nap": 1},
    check=_fired_nothing,
)

TRIGGERS = (
    TRIGGER,
    TRIGGER_TAKEN,
    TRIGGER_OTHER,
    FAN_OUT,
    FAN_OUT_250,
    FAN_OUT_OVER_NOTHING,
    UNKNOWN_WORKFLOW,
    FIRED_AGAIN,
    DEPTH_LIMIT,
    CIRCLE,
    TRIGGER_OF_SEVERAL,
    AFTER_FAILURE,
    CANCELLED,
)
