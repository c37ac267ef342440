"""What has become of the chains of an execution, which phases calls triggers: which have fired, what they have started, and why
others have not.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from perdure.core import facts as f
from perdure.expressions.wording import listed
from perdure.ids import derived
from perdure.model.workflow import Workflow

Fired: TypeAlias = Literal["pending", "triggered", "skipped", "failed"]


class Firing(Struct, frozen=True):
    """
    id       what people call it: `trigger-0`
    ids      the executions that it has started
    skipped  the places of items that nothing was started for, for want of values
    reason   why nothing was started, or what went wrong
    """

    id: str
    workflow: str
    status: Fired = "pending"
    ids: tuple[str, ...] = ()
    skipped: tuple[int, ...] = ()
    reason: str | None = None


class _Planned(Struct, frozen=True):
    status: Fired = "pending"
    total: int = 0
    cursor: int = 0
    skipped: tuple[int, ...] = ()
    unfit: tuple[int, ...] = ()
    reason: str | None = None


def firings(execution: str, workflow: Workflow, facts: Sequence[f.Fact]) -> tuple[Firing, ...]:
    """One for each chain; none, as long as the execution has not completed."""
    if not any(isinstance(fact, f.ExecutionCompleted) for fact in facts):
        return ()
    planned = _planned(facts)
    return tuple(
        _firing(execution, number, chain.workflow, planned.get(number, _Planned()))
        for number, chain in enumerate(workflow.chains)
    )


def awaited(workflow: Workflow) -> tuple[Firing, ...]:
    """The same, as long as the execution may still complete."""
    return tuple(Firing(_id(number), chain.workflow) for number, chain in enumerate(workflow.chains))


def together(fired: Sequence[Firing]) -> Fired:
    """How they stand, all in all; what is skipped does not count."""
    statuses = {firing.status for firing in fired}
    return "failed" if "failed" in statuses else "pending" if "pending" in statuses else "triggered"


def _planned(facts: Sequence[f.Fact]) -> dict[int, _Planned]:
    found: dict[int, _Planned] = {}
    for fact in facts:
        match fact:
            case f.ChainPlanned():
                found[fact.number] = _Planned("pending" if fact.total else "triggered", fact.total)
            case f.ChainAdvanced():
                before = found[fact.number]
                status: Fired = "pending" if fact.cursor < before.total else "triggered"
                skipped, unfit = (*before.skipped, *fact.skipped), (*before.unfit, *fact.unfit)
                found[fact.number] = replace(before, status=status, cursor=fact.cursor, skipped=skipped, unfit=unfit)
            case f.ChainSkipped() if fact.number >= 0:
                found[fact.number] = _Planned("skipped", reason=fact.reason)
            case f.ChainFailed():
                before = found.get(fact.number, _Planned())
                found[fact.number] = replace(before, status="failed", reason=_reason(fact, before.unfit))
            case _:
                pass
    return found


def _reason(fact: f.ChainFailed, unfit: tuple[int, ...]) -> str:
    """Of several items that the workflow does not take, the message tells but the first."""
    others = f" (the items are {listed([str(place) for place in unfit])})" if len(unfit) > 1 else ""
    return f"{fact.error.message}{others}"


def _firing(execution: str, number: int, workflow: str, planned: _Planned) -> Firing:
    left_out = frozenset((*planned.skipped, *planned.unfit))
    ids = (derived(execution, "chain", number, place) for place in range(planned.cursor) if place not in left_out)
    return Firing(_id(number), workflow, planned.status, tuple(ids), planned.skipped, planned.reason)


def _id(number: int) -> str:
    return f"trigger-{number}"
