"""An approval is never decided before it was opened, also in a fork that opens it after its due date."""

from __future__ import annotations

import asyncio
from typing import Any

from perdure import Engine
from perdure.clock import now_ms
from perdure.model.records import ApprovalRecord
from perdure.model.steps import Approval, Compute, Route, Step, Task
from perdure.model.workflow import Entry, Workflow
from perdure.service.approval_history import _unentered
from perdure.testing.words import x

FLOW = Workflow(
    "asks",
    (
        Step("begin", Compute(x("1")), (Route(("ask", "work")),)),
        Step("ask", Approval(x("1"), due_at=x("input.due"), on_timeout="reject")),
        Step("work", Task("work", x("1")), (Route(("after",)),)),
        Step("after", Compute(x("2"))),
    ),
    (Entry("begin"),),
)


def test_a_rerun_decides_an_approval_no_earlier_than_it_opens_it() -> None:
    async def scenario() -> Any:
        async with Engine("memory://") as engine:

            @engine.task("work")
            async def work(_: Any) -> int:
                return 1

            await engine.workflows.save(FLOW)
            first = await engine.executions.start("asks", {"due": now_ms() + 150})
            await first.result()
            again = await first.rerun(from_step="after")
            await again.result()
            (item,) = (await engine.approvals.list(execution=again.id, status="rejected")).items
            return item, (await engine.approvals.history(item.id)).items

    item, history = asyncio.run(asyncio.wait_for(scenario(), 30))
    assert item.due_date < item.created_at
    assert item.decided_at >= item.created_at
    assert [event.at >= item.created_at for event in history if event.what == "decided"] == [True]


def test_the_history_of_an_older_record_does_not_decide_before_it_opens() -> None:
    record = ApprovalRecord("a1", "e1", 2, "ask", {}, 1_000, status="rejected", decision="reject", decided_at=500)
    ((_, event),) = _unentered(record, [])
    assert (event.what, event.at) == ("decided", 1_000)
