"""What must hold of a world, in words that compose.

What takes a world first looks something up in it. What returns a `Check` says what must be so; `every` joins several.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any, TypeAlias, TypeVar

from lowered.base import T0, main
from perdure.core import facts as f
from perdure.core.apply import fold
from perdure.core.program import Program
from perdure.core.standing import standing
from perdure.model import codec
from perdure.model.records import ApprovalRecord, EventRecord, ExecutionRecord
from perdure.model.values import Json
from perdure.model.workflow import Workflow
from perdure.testing.world import World

Check: TypeAlias = Callable[[World], None]
AnyFact = TypeVar("AnyFact")


def every(*checks: Check) -> Check:
    """All of them hold."""

    def check(world: World) -> None:
        for part in checks:
            part(world)

    return check


def record(world: World, execution: str = "main") -> ExecutionRecord:
    return world.store.rows[execution].record


def model(world: World, execution: str = "main") -> Workflow:
    """What the execution is a run of."""
    return codec.decode(world.store.model(record(world, execution).digest))


def program(world: World) -> Program:
    return Program(model(world), world.compile)


def number_of(world: World, step: str, execution: str = "main") -> int:
    """By which the facts name the step."""
    return [known.id for known in model(world, execution).steps].index(step)


def history(world: World, execution: str = "main") -> list[f.Fact]:
    return world.store.rows[execution].facts


def facts(world: World, kind: type[AnyFact], step: str | None = None, execution: str = "main") -> list[AnyFact]:
    """The facts of one kind, in order; of one step."""
    found: list[Any] = [fact for fact in history(world, execution) if isinstance(fact, kind)]
    if step is None:
        return found
    # A number that no step has is an error here; -1 stands for none.
    names = {-1: None, **{number: known.id for number, known in enumerate(model(world, execution).steps)}}
    return [fact for fact in found if names[fact.step] == step]


def moments(world: World, kind: type[f.Fact], step: str | None = None) -> list[int]:
    """When facts of one kind came about; of one step."""
    return [fact.at for fact in facts(world, kind, step)]


def begun(world: World, step: str) -> list[int]:
    """When the task of this step was called."""
    return moments(world, f.StepScheduled, step)


def ended(world: World, step: str) -> list[int]:
    return moments(world, f.StepCompleted, step)


def ended_after(ms: int) -> Check:
    """The execution, so long after the start."""

    def check(world: World) -> None:
        assert record(world).ended_at == T0 + ms

    return check


def announced(*words: str) -> Check:
    """The execution has told of itself, in this order: started, completed, …"""

    def check(world: World) -> None:
        told = [e for e in world.store.events.values() if e.source == "main" and e.type.startswith("workflow.")]
        assert [event.type for event in told] == [f"workflow.{word}" for word in words]
        assert all(event.data["executionId"] == "main" for event in told)

    return check


def failed_with(code: str, *steps: str) -> Check:
    """The execution failed with this code, and these steps were the cause."""

    def check(world: World) -> None:
        error = record(world).error
        assert error is not None
        assert error.code == code
        assert main(world).failed_steps == steps

    return check


def is_running(world: World) -> None:
    """A backoff counts as running."""
    assert record(world).status == "running"


def stands_waiting(kind: str, step: str) -> Check:
    """It waits now, for this."""

    def check(world: World) -> None:
        found = record(world)
        assert found.status == "waiting"
        assert found.waiting is not None
        assert (found.waiting.kind, found.waiting.step) == (kind, step)

    return check


def stood(world: World, at: int) -> tuple[str, str | None]:
    """How the execution stood at a time: its status, and what it waited for."""
    status, waiting = standing(program(world), fold(fact for fact in history(world) if fact.at <= at))
    return status, None if waiting is None else f"{waiting.kind} {waiting.step}"


def given(world: World, step: str, execution: str = "main") -> list[Json]:
    """What the calls of a task were given."""
    return [fact.input for fact in facts(world, f.StepScheduled, step, execution)]


def calls(step: str, *inputs: Json, execution: str = "main") -> Check:
    """The task of this step was called with these inputs, one operation each."""

    def check(world: World) -> None:
        assert given(world, step, execution) == list(inputs)

    return check


def attempts(step: str, times: dict[int, int] | int, execution: str = "main") -> Check:
    """By item, or without forEach: so many attempts were seen outside, under one idempotency key."""
    expected = {-1: times} if isinstance(times, int) else times

    def check(world: World) -> None:
        number = number_of(world, step, execution)
        made: dict[int, set[int]] = {}
        for seq, fact in enumerate(history(world, execution), start=1):
            if isinstance(fact, f.StepScheduled) and fact.step == number:
                assert fact.item not in made, "a second operation is a second key"
                made[fact.item] = {attempt for key, attempt in world.effects if key == f"{execution}:{seq}"}
        assert made == {item: set(range(1, count + 1)) for item, count in expected.items()}

    return check


def backed_off(*least_ms: int) -> Check:
    """So often, each time for this long and up to a tenth more; each attempt was made when it was due."""

    def check(world: World) -> None:
        retrying = facts(world, f.StepRetrying)
        delays = [fact.due_at - fact.at for fact in retrying]
        assert len(delays) == len(least_ms), retrying
        assert all(ms <= delay <= ms * 1.1 for ms, delay in zip(least_ms, delays, strict=True)), delays
        assert moments(world, f.StepAttempted) == [fact.due_at for fact in retrying]
        failures: Counter[int] = Counter()
        for fact in retrying:
            failures[fact.op] += 1
            assert fact.attempt == failures[fact.op] + 1

    return check


def outcome(step: str, **parts: Json) -> Check:
    """The last outcome of the step has these parts; a part that is an object may have more."""

    def check(world: World) -> None:
        found = main(world).outcomes[step]
        for name, value in parts.items():
            part = found[name]
            seen = {key: part[key] for key in value} if isinstance(value, dict) and isinstance(part, dict) else part
            assert seen == value, (step, name, found)

    return check


def variables(**values: Json) -> Check:
    def check(world: World) -> None:
        assert main(world).variables == values

    return check


def warnings(world: World) -> list[str]:
    return [fact.message for fact in facts(world, f.Warned)]


def warned(*parts: str) -> Check:
    """There are as many warnings, and each holds its text. None: nothing was warned of."""

    def check(world: World) -> None:
        found = warnings(world)
        assert len(found) == len(parts), found
        for part, warning in zip(parts, found, strict=True):
            assert part in warning

    return check


def the_approval(world: World) -> ApprovalRecord:
    (approval,) = world.store.approvals.values()
    return approval


def decided(status: str, by: str, after_ms: int) -> Check:
    """The one approval was decided so, and the step says the same."""

    def check(world: World) -> None:
        approval = the_approval(world)
        assert (approval.status, approval.decided_by) == (status, by)
        assert approval.decided_at == T0 + after_ms
        decision = {"approved": "approve", "rejected": "reject"}[status]
        found = main(world).outcomes[approval.step]
        assert found["port"] == found["output"]["status"] == status
        assert found["output"]["decision"] == approval.decision == decision
        assert found["output"]["approvalId"] == approval.id

    return check


def the_event(world: World, event_type: str) -> EventRecord:
    """The only one of this type."""
    (event,) = [event for event in world.store.events.values() if event.type == event_type]
    return event


def published(event_type: str, data: Json) -> Check:
    """Exactly one event of this type, with this data."""

    def check(world: World) -> None:
        assert the_event(world, event_type).data == data

    return check


def started(world: World, workflow: str | None = None) -> list[ExecutionRecord]:
    """The executions, of one workflow, in the order in which they were made; the one under test is not among them."""
    records = [row.record for execution, row in world.store.rows.items() if execution != "main"]
    return [record for record in records if workflow in {None, record.workflow}]


def the_other(world: World, workflow: str | None = None) -> ExecutionRecord:
    """The only execution beside the one under test; it is of this workflow."""
    (execution,) = started(world)
    assert workflow in {None, execution.workflow}
    return execution


def alone(world: World) -> None:
    """Nothing was started beside the execution under test."""
    assert list(world.store.rows) == ["main"]


def inputs(world: World, workflow: str) -> list[Json]:
    """What the executions of a workflow were started with."""
    firsts = [history(world, record.id)[0] for record in started(world, workflow)]
    return [fact.input for fact in firsts if isinstance(fact, f.ExecutionStarted)]


def the_start(world: World, execution: str) -> f.ExecutionStarted:
    """What an execution began with."""
    (fact,) = facts(world, f.ExecutionStarted, execution=execution)
    return fact


def skipped(*words: str, step: str | None = None) -> Check:
    """One start was skipped, by this step, for a reason that holds these words; nothing was started."""

    def check(world: World) -> None:
        (fact,) = facts(world, f.ChainSkipped)
        assert all(word in fact.reason for word in words), fact.reason
        assert fact.step == (-1 if step is None else number_of(world, step))
        alone(world)

    return check
