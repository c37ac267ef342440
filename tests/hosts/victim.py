"""A program that is going to be killed: it starts what has not been started, and works until all of it has ended."""

from __future__ import annotations

import asyncio
import os
import sys
from typing import Any

from perdure.model.steps import Child, Compute, Condition, ForEach, Retry, Route, Step, Task, Timer
from perdure.model.workflow import Entry, Workflow
from perdure.service.engine import Engine
from perdure.testing.words import k, obj, x

COUNT = 150
SMALL = Workflow("small", (Step("a", Task("work", obj(n=x("input.n")))),), (Entry("a"),))
ORDER = Workflow(
    "order",
    (
        Step("reserve", Task("flaky", obj(n=x("input.n")), Retry(20, delay_ms=1)), (Route(("nap",)),)),
        Step("nap", Timer(k(2)), (Route(("pack", "bill")),)),
        Step("pack", Task("work", obj(n=x("item"))), (Route(("meet",)),), each=ForEach(k([1, 2, 3]), 2)),
        Step("bill", Child(k("small"), obj(n=x("input.n"))), (Route(("meet",)),)),
        Step("meet", Condition(x("input.n % 2 == 0")), (Route(("even",), port="true"), Route(("odd",), port="false"))),
        Step("even", Compute(obj(packed=x("steps.pack.output"), billed=x("steps.bill.output"), even=k(True)))),
        Step("odd", Compute(obj(packed=x("steps.pack.output"), billed=x("steps.bill.output"), even=k(False)))),
    ),
    (Entry("reserve"),),
)


def expected(number: int) -> Any:
    return {"packed": [2, 3, 4], "billed": number + 1, "even": number % 2 == 0}


async def main(path: str, effects: str) -> None:
    engine = Engine(f"sqlite:///{path}", crashes_max=1_000)
    seen = os.open(effects, os.O_APPEND | os.O_CREAT | os.O_WRONLY)

    @engine.task("work")
    async def work(given: Any, ctx: Any) -> Any:
        os.write(seen, f"{ctx.idempotency_key}\n".encode())  # it is there, also when the process dies right after
        return given["n"] + 1

    @engine.task("flaky")
    def flaky(given: Any, ctx: Any) -> Any:
        if ctx.attempt == 1:
            raise RuntimeError("not at the first try")
        return given["n"]

    async with engine:
        print("begun", flush=True)
        await engine.workflows.save(SMALL)
        await engine.workflows.save(ORDER)
        started = await asyncio.gather(
            *(
                engine.executions.start("order", {"n": number}, idempotency_key=f"order-{number}")
                for number in range(COUNT)
            )
        )
        results = await asyncio.gather(*(execution.result() for execution in started))
        assert results == [expected(number) for number in range(COUNT)], results
    print("done")


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2]))
