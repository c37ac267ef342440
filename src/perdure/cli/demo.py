"""A demonstration of what there is: an order, approved by a person and paid by an event, over a crash of its worker."""

from __future__ import annotations

from perdure.core import facts as f
from perdure.model.failure import Failure
from perdure.model.steps import Approval, Compute, EventWait, ForEach, Retry, Route, Step, Task
from perdure.model.values import Constant, Expression
from perdure.model.workflow import Entry, Workflow
from perdure.testing.expressions import compile_value
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


def demo(crash_at: int) -> int:
    """Run the order in a simulated world and print its history; 0 if everything that is promised held."""
    script = Fixed({"reserve": [TaskAnswer(error=Failure("the shelf is locked")), TaskAnswer(output={"shelf": 7})]})
    world = World(compile_value, script, CrashAt(crash_at))
    world.start(ORDER, {"items": ["lamp", "desk", "pen"]})
    world.run()
    history = world.store.rows["main"].facts
    began = history[0].at
    for number, fact in enumerate(history, start=1):
        step = getattr(fact, "step", None)
        name = "" if step is None else ORDER.steps[step].id
        item = getattr(fact, "item", -1)
        kind = fact.__struct_config__.tag
        print(f"{number:3}  {(fact.at - began) / 1000:8.3f} s  {kind:20} {name}{f'[{item}]' if item >= 0 else ''}")
    record = world.store.rows["main"].record
    lost = sum(isinstance(fact, f.StepLost) for fact in history)
    print(f"\n{record.status}: {record.output}  (workers killed: {world.crashes}, attempts lost with them: {lost})")
    broken = violations(world)
    for violation in broken:
        print(violation)
    return 1 if broken else 0
