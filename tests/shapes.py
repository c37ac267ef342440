"""Long-running shapes, for measuring: the same work again and again in one execution."""

from __future__ import annotations

from perdure.model.steps import ForEach, Loop, Route, Step, Task
from perdure.model.workflow import Entry, Workflow
from perdure.testing.words import k, obj, x


def steps() -> Workflow:
    """Two tasks that lead to each other, each reading the other's output and the input."""
    return Workflow(
        "steps",
        (
            Step("a", Task("t", obj(n=x("steps.b.output.n"), who=x("input.who"))), (Route(("b",)),)),
            Step("b", Task("t", obj(n=x("steps.a.output.n"), who=x("input.who"))), (Route(("a",)),)),
        ),
        (Entry("a"),),
    )


def ticks(items: int) -> Workflow:
    """A loop with a body that reads its item, as does the route to it."""
    return Workflow(
        "ticks",
        (
            Step(
                "loop",
                Loop(k(list(range(items))), iterations_max=items),
                (Route(("body",), port="loop", when=x("loop.item >= 0")),),
            ),
            Step("body", Task("t", obj(item=x("loop.item"), who=x("input.who"))), (Route(("loop",)),)),
        ),
        (Entry("loop"),),
    )


def items(count: int) -> Workflow:
    """A forEach, ten at a time."""
    step = Step("each", Task("t", obj(item=x("item"))), each=ForEach(k(list(range(count))), concurrency=10))
    return Workflow("items", (step,), (Entry("each"),))


def plain() -> Workflow:
    """Two tasks that lead to each other, with fixed inputs."""
    task = Task("t", k({"amount": 10}))
    return Workflow(
        "plain",
        (Step("a", task, (Route(("b",)),)), Step("b", task, (Route(("a",)),))),
        (Entry("a"),),
    )
