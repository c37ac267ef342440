"""A demonstration of what there is: an order, approved by a person and paid by an event, over a crash of its worker."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from perdure.cli.options import AsJson
from perdure.cli.saying import print_json
from perdure.core import facts as f
from perdure.expressions.language import compile_value
from perdure.model.failure import Failure
from perdure.model.steps import Approval, Compute, EventWait, ForEach, Retry, Route, Step, Task
from perdure.model.values import Constant, Expression
from perdure.model.workflow import Entry, Workflow
from perdure.testing.faults import CrashAt
from perdure.testing.invariants import violations
from perdure.testing.script import Fixed, TaskAnswer
from perdure.testing.world import World

ORDER = Workflow(
    "order",
    (
        Step("reserve", Task("stock.reserve", Expression("input"), Retry(3)), (Route(("approve",)),)),
        Step("approve", Approval(Expression("steps.reserve.output")), (Route(("pay",), port="approved"),)),
        Step("pay", EventWait(Constant("order.paid")), (Route(("pack",)),)),
        Step("pack", Task("pack", Expression("item")), (Route(("ship",)),), each=ForEach(Expression("input.items"), 2)),
        Step("ship", Compute(Expression("steps.pack.output"))),
    ),
    (Entry("reserve"),),
)


def demo_command(
    *,
    crash_at: Annotated[
        int, Parameter(help="kill the worker at the N-th place where a commit begins or has been made, from 0")
    ] = 3,
    json: AsJson = False,
) -> int:
    """An order, in a simulated world, over a crash of its worker: its history, and whether everything promised held.

    Exit status: 0 it did, 1 it did not.
    """
    script = Fixed({"reserve": [TaskAnswer(error=Failure("the shelf is locked")), TaskAnswer(output={"shelf": 7})]})
    crash = CrashAt(crash_at)
    world = World(compile_value, script, crash)
    world.start(ORDER, {"items": ["lamp", "desk", "pen"]})
    world.run()
    broken = violations(world)
    if json:
        record, history = world.store.rows["main"].record, world.store.rows["main"].facts
        told = [{"at": fact.at, "says": _told(history, fact)} for fact in history]
        print_json(
            {
                "status": record.status,
                "output": record.output,
                "crashes": world.crashes,
                "history": told,
                "broken": broken,
            }
        )
    else:
        _print(world, crash_at, crash.passed, broken)
    return 1 if broken else 0


def _print(world: World, crash_at: int, passed: int, broken: list[str]) -> None:
    print("An order: reserve (fails once, is tried again), approve, wait for the payment, pack each item, ship.")
    history, record = world.store.rows["main"].facts, world.store.rows["main"].record
    for number, fact in enumerate(history, start=1):
        print(f"{number:3}  {(fact.at - history[0].at) / 1000:8.3f} s  {_told(history, fact)}")
    print(f"\n{record.status}: {record.output}")
    if world.crashes:
        print(f"A worker was killed at commit point {crash_at}, and another took over.")
    else:
        print(f"Nobody was killed: this run has the commit points 0 to {passed - 1}.")
    for violation in broken:
        print(violation)


def _told(history: list[f.Fact], fact: f.Fact) -> str:
    kind = fact.__struct_config__.tag
    about = history[fact.op - 1] if getattr(fact, "op", 0) else fact  # type: ignore[union-attr]
    step, item = getattr(about, "step", None), getattr(about, "item", -1)
    name = "" if step is None else ORDER.steps[step].id
    note = {
        f.StepLost: "  (its worker died; it is called again, with the same key)",
        f.StepRetrying: "  (it failed; it is tried again after a while)",
    }.get(type(fact), "")
    return f"{kind:20} {name}{f'[{item}]' if item >= 0 else ''}{note}"
