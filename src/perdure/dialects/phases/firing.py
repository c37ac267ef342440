"""What has become of the triggers of an execution: which have fired, what they have started, and why others have not."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from perdure.core import facts as f
from perdure.ids import derived
from perdure.model.values import Json
from perdure.model.workflow import Workflow


class Firing(Struct):
    """`started` are the places of the items that something was started for; the only one, where there is no forEach, is 0."""

    status: str
    total: int = 0
    cursor: int = 0
    skipped: list[int] = []
    reason: str | None = None
    error: str | None = None

    def ids(self, execution: str, number: int) -> list[str]:
        left_out = set(self.skipped)
        return [derived(execution, "chain", number, place) for place in range(self.cursor) if place not in left_out]


def firings(facts: Sequence[f.Fact]) -> dict[int, Firing]:
    """By the number of the trigger."""
    found: dict[int, Firing] = {}
    for fact in facts:
        match fact:
            case f.ChainPlanned():
                found[fact.number] = Firing("pending" if fact.total else "triggered", fact.total)
            case f.ChainAdvanced():
                firing = found[fact.number]
                firing.cursor, firing.skipped = fact.cursor, [*firing.skipped, *fact.skipped]
                firing.status = "pending" if fact.cursor < firing.total else "triggered"
            case f.ChainSkipped() if fact.number >= 0:
                found[fact.number] = Firing("skipped", reason=fact.reason)
            case f.ChainFailed():
                firing = found.setdefault(fact.number, Firing("failed"))
                firing.status, firing.error = "failed", fact.error.message
            case _:
                pass
    return found


def told(execution: str, workflow: Workflow, facts: Sequence[f.Fact]) -> dict[str, Json]:
    """`triggerStatus`, `triggeredExecutionIds`, and a result for each trigger; nothing, if there are none."""
    if not workflow.chains:
        return {}
    fired = firings(facts)
    ids = {number: firing.ids(execution, number) for number, firing in fired.items()}
    return {
        "triggerStatus": _together([firing.status for firing in fired.values()], has_begun=bool(fired)),
        "triggeredExecutionIds": [id_ for number in sorted(ids) for id_ in ids[number]],
        "triggerResults": [
            _result(number, chain.workflow, fired.get(number, Firing("pending")), ids.get(number, []))
            for number, chain in enumerate(workflow.chains)
        ],
    }


def _together(statuses: list[str], *, has_begun: bool) -> str:
    if "failed" in statuses:
        return "failed"
    return "pending" if "pending" in statuses or not has_begun else "triggered"


def _result(number: int, workflow: str, firing: Firing, ids: list[str]) -> dict[str, Json]:
    found: dict[str, Json] = {
        "triggerId": f"trigger-{number}",
        "workflowId": workflow,
        "status": firing.status,
        "executionIds": ids,
    }
    if firing.reason is not None:
        found["reason"] = firing.reason
    if firing.skipped:
        found["skippedItems"] = firing.skipped
    return found if firing.error is None else {**found, "error": firing.error}
