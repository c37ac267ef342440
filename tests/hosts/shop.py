"""A shop that does a bit of everything: waits for events, people and times, branches, joins, retries, loops, items, children,
undoing. What order number `n` comes to follows from `n` alone, whatever befalls the processes that work on it.
"""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import Any

from perdure.model.steps import (
    Approval,
    Child,
    Compute,
    Condition,
    EventWait,
    ForEach,
    Loop,
    Publish,
    Retry,
    Route,
    Step,
    Task,
    Timer,
)
from perdure.model.workflow import Compensation, Entry, Workflow
from perdure.service.engine import Engine
from perdure.tasks.failing import NonRetryable
from perdure.testing.words import k, obj, x

N = obj(n=x("input.n"))


def to(*steps: str, port: str | None = None) -> tuple[Route, ...]:
    return (Route(steps, port=port),)


PART = Workflow(
    "part",
    (
        Step("make", Task("work", N), to("dry")),
        Step("dry", Timer(k(3)), to("check")),
        Step(
            "check", Condition(x("input.n % 5 == 4")), (Route(("scrap",), port="true"), Route(("wrap",), port="false"))
        ),
        Step("scrap", Task("refuse", N)),
        Step("wrap", Task("threaded", N)),
    ),
    (Entry("make"),),
)
ORDER = Workflow(
    "order",
    (
        Step("reserve", Task("flaky", N, Retry(3, delay_ms=2)), to("nap")),
        Step("nap", Timer(k(5)), to("pack", "bill")),
        Step("pack", Task("work", obj(n=x("item"))), to("meet"), each=ForEach(k([1, 2, 3]), 2)),
        Step("bill", Child(k("part"), obj(n=k(10))), to("meet")),
        Step("meet", Condition(x("input.n % 2 == 0")), (Route(("even",), port="true"), Route(("odd",), port="false"))),
        Step("even", Compute(obj(packed=x("steps.pack.output"), billed=x("steps.bill.output"), even=k(True)))),
        Step("odd", Compute(obj(packed=x("steps.pack.output"), billed=x("steps.bill.output"), even=k(False)))),
    ),
    (Entry("reserve"),),
)
ROUND = Workflow(
    "round",
    (
        Step("loop", Loop(k([1, 2, 3, 4, 5])), (Route(("visit",), port="loop"), Route(("home",), port="done"))),
        Step("visit", Task("work", obj(n=x("loop.item"))), to("rest"), assign=obj(sum=x("(vars.sum ?? 0) + output"))),
        Step("rest", Timer(k(1)), to("loop")),
        Step("home", Compute(x("vars.sum + input.n"))),
    ),
    (Entry("loop"),),
)
SIGNED = Workflow(
    "signed",
    (
        Step("draft", Task("work", N), to("ask")),
        Step("ask", Approval(N), (Route(("paid",), port="approved"), Route(("sorry",), port="rejected"))),
        Step("paid", EventWait(k("order.paid"), x("event.payload.n == input.n")), to("send")),
        Step("send", Task("work", obj(n=x("steps.paid.output.amount")))),
        Step("sorry", Task("threaded", N)),
    ),
    (Entry("draft"),),
)
UNDONE = Workflow(
    "undone",
    (
        Step("reserve", Task("work", N), to("charge")),
        Step("charge", Task("flaky", N, Retry(2, delay_ms=1)), to("ship")),
        Step("ship", Task("refuse", N, Retry(2, delay_ms=2))),
        Step("unreserve", Task("work", N)),
        Step("refund", Task("threaded", N, Retry(3, delay_ms=1))),
    ),
    (Entry("reserve"),),
    compensations=(Compensation("reserve", "unreserve"), Compensation("charge", "refund")),
    compensate_on_failure=True,
)
CANCELLED = Workflow(
    "cancelled",
    (
        Step("reserve", Task("work", N), to("forever")),
        Step("forever", EventWait(k("never"))),
        Step("unreserve", Task("work", N)),
    ),
    (Entry("reserve"),),
    compensations=(Compensation("reserve", "unreserve"),),
)
REPAIRED = Workflow(
    "repaired",
    (
        Step("before", Task("work", N), to("broken")),
        Step("broken", Task("broken", N), to("after")),
        Step("after", Task("work", N)),
    ),
    (Entry("before"),),
)
FAMILY = Workflow(
    "family",
    (
        Step(
            "parts",
            Child(k("part"), obj(n=x("item"))),
            to("tell"),
            each=ForEach(k([1, 2, 3, 4]), 2, on_error="continue"),
        ),
        Step("tell", Publish(k("family.made"), N), to("hear", "patience")),
        Step("hear", EventWait(k("family.made"), x("event.payload.n == input.n")), to("both")),
        Step("patience", EventWait(k("never"), timeout_ms=k(8)), to("both"), to("late")),
        Step("late", Task("work", N), to("both")),
        Step("both", Compute(obj(parts=x("steps.parts.output"), heard=x("steps.hear.output.n")))),
    ),
    (Entry("parts"),),
)
KINDS = (ORDER, ROUND, SIGNED, UNDONE, CANCELLED, REPAIRED, FAMILY)
WORKFLOWS = (PART, *KINDS)
STATUS = {"undone": "failed", "cancelled": "cancelled"}
"""What an order comes to, where it is not completed."""


def kind_of(number: int) -> str:
    return KINDS[number % len(KINDS)].name


def register(engine: Engine, folder: Path) -> None:
    """The tasks. Each leaves a line, which is there also when the process dies right after it."""
    seen = os.open(folder / "effects", os.O_APPEND | os.O_CREAT | os.O_WRONLY)

    def called(ctx: Any) -> None:
        os.write(seen, f"{ctx.idempotency_key} {ctx.attempt} {os.getpid()}\n".encode())

    @engine.task("work")
    async def work(given: Any, ctx: Any) -> Any:
        called(ctx)
        await asyncio.sleep(0.002)
        return given["n"] + 1

    @engine.task("threaded")
    def threaded(given: Any, ctx: Any) -> Any:
        called(ctx)
        return given["n"] * 2

    @engine.task("flaky")
    async def flaky(given: Any, ctx: Any) -> Any:
        called(ctx)
        if ctx.attempt == 1:
            raise RuntimeError("not at the first try")
        return given["n"]

    @engine.task("refuse")
    def refuse(given: Any, ctx: Any) -> Any:
        called(ctx)
        raise ValueError(f"{given['n']} is refused")

    @engine.task("broken")
    async def broken(given: Any, ctx: Any) -> Any:
        called(ctx)
        if not repair_of(folder, given["n"]).exists():
            raise NonRetryable("it has to be repaired first")
        return given["n"]


def repair_of(folder: Path, number: int) -> Path:
    return folder / f"repaired-{number}"
