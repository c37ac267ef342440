"""The workflow that tells people of an approval: whom, by what, and then each on its own, tried again until it is sent.

That is what the engine does with everything: it survives a crash, is seen when it fails, and what was sent is not sent again.
The id of its execution follows from what it tells of; what is sent carries it.
"""

from __future__ import annotations

from functools import cache
from typing import Final

from perdure.core.advance import Start
from perdure.ids import derived
from perdure.model import codec
from perdure.model.executors import OURS
from perdure.model.records import ExecutionRecord
from perdure.model.steps import ForEach, Retry, Route, Step, Task
from perdure.model.values import Expression
from perdure.model.workflow import Entry, Workflow
from perdure.store.notices import NOTICES, NOTIFIERS_MAX, Topic
from perdure.store.port import Model, Notice, Pending
from perdure.store.versions import MODEL

WHOM: Final = f"{OURS}notices.whom"
SEND: Final = f"{OURS}notices.send"
"""The tasks. The service has them."""

WORKFLOW: Final = Workflow(
    "notices",
    (
        Step("whom", Task(WHOM, Expression("input"), Retry(10, delay_ms=1_000)), (Route(("send",)),)),
        Step(
            "send",
            Task(SEND, Expression("item"), Retry(12, delay_ms=1_000, delay_max_ms=3_600_000), timeout_ms=60_000),
            # All at once: one that fails then keeps no other from being sent, and a retry sends what has failed and nothing else.
            each=ForEach(Expression("steps.whom.output"), concurrency=NOTIFIERS_MAX),
        ),
    ),
    (Entry("whom"),),
)


def notice_id(topic: Topic, approval: str) -> str:
    """The one execution that tells of this. Nobody but the engine can start it: ids are not for others to choose."""
    return derived(approval, "notice", topic)


def notice(topic: Topic, approval: str, organization: str, at: int) -> Notice:
    id_ = notice_id(topic, approval)
    given = {"topic": topic, "approval": approval, "organization": organization, "at": at}
    start = Start(at, id_, given, organization, trigger="event")
    digest, model = _model()
    record = ExecutionRecord(
        id=id_, workflow=NOTICES, digest=digest, started_at=at, organization=organization, trigger=start.trigger
    )
    return Notice(topic, Pending(record, start), model)


@cache
def _model() -> tuple[str, Model]:
    return codec.digest(WORKFLOW), Model(codec.encode(WORKFLOW), MODEL)
