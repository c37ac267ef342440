"""Laws of the core, over random walks: whatever happens to any workflow, in whatever order, these hold."""

from __future__ import annotations

from collections import Counter
from random import Random

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.drive import Drive
from lowered import ALL
from perdure.core import NeedValues, fold, outstanding
from perdure.core import commands as c
from perdure.core import events as e
from perdure.core import facts as f
from perdure.core.outstanding import in_flight
from perdure.core.readiness import has_ready
from perdure.core.state import ApprovalOp, ChildOp, EventOp, TaskOp, is_live, to_json, wake_at
from perdure.core.values import Ref
from perdure.model.failure import Category, Failure
from perdure.model.records import EventRecord
from perdure.testing.generator import INPUT, workflow

GENERATED = [workflow(Random(seed))[0] for seed in range(len(ALL))]
WORKFLOWS = [*(lowered.workflow for lowered in ALL), *GENERATED]
INPUTS = [*(lowered.input for lowered in ALL), *(INPUT for _ in GENERATED)]
FINAL = (f.ExecutionCompleted, f.ExecutionFailed, f.ExecutionCancelled)
STEPS_MAX = 60
NOT_ABOUT_AN_OPERATION = (e.Continued, e.ChainDue, e.RetryRequested, e.ChainRequested, e.TimeReached)

walks = settings(
    max_examples=400, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow], database=None
)
numbers = st.integers(0, len(WORKFLOWS) - 1)
randoms = st.randoms(use_true_random=False)


def walk(number: int, rng: Random) -> tuple[Drive, list[e.Event]]:
    """A workflow, driven by whatever could happen next; all laws are checked at every step."""
    drive = Drive(WORKFLOWS[number], INPUTS[number])
    sent: list[e.Event] = []
    performed = Counter(_performed(drive))
    for _ in range(STEPS_MAX):
        possible = events(drive, rng)
        if not possible:
            break
        event = rng.choice(possible)
        drive.send(event)
        sent.append(event)
        performed.update(_performed(drive))
        assert all(count == 1 for count in performed.values()), performed
        check_end(drive)
        check_repetition(drive, event)
        check_wake_source(drive)
    return drive, sent


def _performed(drive: Drive) -> list[tuple[object, ...]]:
    """What must never be asked for twice: an attempt, a child, an approval, an event."""
    found: list[tuple[object, ...]] = []
    for command in drive.commands:
        match command:
            case c.PerformTask():
                found.append(("task", command.op, command.attempt))
            case c.StartChild():
                found.append(("child", command.child))
            case c.OpenApproval() | c.PublishEvent():
                found.append((type(command).__name__, command.id))
            case _:
                pass
    return found


def events(drive: Drive, rng: Random) -> list[e.Event]:
    """Everything that could happen to the execution now."""
    state, now = drive.state, drive.now
    found: list[e.Event] = []
    for op in in_flight(state):
        found.append(e.TaskCompleted(now, op.op, op.attempt, {"n": rng.randrange(9), "items": [1, 2]}))
        error = Failure("no", Category.TRANSIENT, rng.choice(["E1", None]), retriable=rng.random() < 0.5)
        found.append(e.TaskFailed(now, op.op, op.attempt, error))
        found.append(e.AttemptLost(now, op.op, op.attempt))
        found.append(e.TaskCheckpointed(now, op.op, op.attempt, "part", rng.randrange(3), 1))
    for other in state.ops.values():
        if isinstance(other, ApprovalOp):
            found.append(e.ApprovalDecided(now, other.op, rng.choice(["approve", "reject"]), "ann"))
        elif isinstance(other, ChildOp):
            found.append(e.ChildEnded(now, other.op, other.child, {"n": 1}))
        elif isinstance(other, EventOp):
            name = other.pattern.replace("*", "any")
            found.append(e.EventArrived(now, EventRecord(f"e{rng.randrange(50)}", name, now, {"n": 1})))
    due = wake_at(state)
    if due is not None:
        drive.now = max(drive.now, due)
        found.append(e.TimeReached(drive.now))
    if has_ready(drive.program, state):
        found.append(e.Continued(now))
    found += [e.ChainDue(now, number) for number, firing in state.chains.items() if not firing.failed]
    if state.status == "running" and rng.random() < 0.1:
        version = rng.choice([None, state.seq, state.seq - 1])
        found.append(e.CancelRequested(now, "enough", compensate=rng.random() < 0.7, version=version))
    if state.status == "failed" and rng.random() < 0.3:
        found.append(e.RetryRequested(now, "ann", rng.choice([None, state.seq, state.seq + 1])))
    return found


def check_end(drive: Drive) -> None:
    """It ends once, nothing goes on after that in the same breath, and what has ended calls nobody but to undo."""
    ends = [number for number, fact in enumerate(drive.facts) if isinstance(fact, FINAL)]
    assert len(ends) <= 1, drive.facts
    if ends:
        assert not any(isinstance(fact, f.ExecutionRetried) for fact in drive.facts[ends[0] :])
    for command in drive.commands:
        if isinstance(command, c.PerformTask) and drive.state.status != "running":
            op = drive.state.ops.get(command.op)
            assert isinstance(op, TaskOp)
            assert op.undoes is not None


def check_repetition(drive: Drive, event: e.Event) -> None:
    """The same event again changes nothing."""
    if isinstance(event, NOT_ABOUT_AN_OPERATION) or (
        isinstance(event, e.CancelRequested) and event.version is not None
    ):
        return  # of what was asked for another version, it is told each time
    before, facts, commands = drive.state, drive.facts, drive.commands
    drive.send(event)
    warned_only = all(type(fact).__name__ == "Warned" for fact in drive.facts)
    assert drive.state is before or warned_only, (event, drive.facts)
    assert drive.commands == ()
    drive.facts, drive.commands = facts, commands


def check_wake_source(drive: Drive) -> None:
    """It has ended, or something will wake it."""
    state = drive.state
    if is_live(state):
        firing = any(not chain.failed for chain in state.chains.values())
        assert state.ops or wake_at(state) is not None or has_ready(drive.program, state) or firing


@walks
@given(numbers, randoms)
def test_the_fold_of_the_facts_is_the_state_byte_for_byte(number: int, rng: Random) -> None:
    drive, _ = walk(number, rng)
    assert to_json(fold(drive.history)) == to_json(drive.state)
    cut = rng.randrange(len(drive.history) + 1)
    assert to_json(fold(drive.history[cut:], fold(drive.history[:cut]))) == to_json(drive.state)


@walks
@given(numbers, randoms)
def test_events_that_come_late_change_nothing(number: int, rng: Random) -> None:
    drive, sent = walk(number, rng)
    for event in sent:
        if isinstance(event, e.TaskCompleted | e.TaskFailed | e.AttemptLost | e.ApprovalDecided | e.ChildEnded):
            before = drive.state
            assert drive.send(event).facts == ()
            assert drive.state is before


@walks
@given(numbers, randoms)
def test_no_operation_has_the_number_of_another(number: int, rng: Random) -> None:
    drive, _ = walk(number, rng)
    opened = [op.op for op in (*drive.state.ops.values(), *drive.state.stopped.values())]
    assert len(opened) == len(set(opened))
    assert all(0 < op <= len(drive.history) for op in opened)


@walks
@given(numbers, randoms)
def test_outstanding_after_any_prefix_leads_to_the_same_end(number: int, rng: Random) -> None:
    drive, _ = walk(number, rng)
    one, other = _copy(drive), _copy(drive)
    _finish(one, {op.op for op in in_flight(one.state)})
    _finish(other, {command.op for command in _outstanding(other) if isinstance(command, c.PerformTask)})
    assert to_json(one.state) == to_json(other.state)
    assert one.history == other.history


def _copy(drive: Drive) -> Drive:
    """Another process, that knows nothing but the history."""
    copy = Drive.__new__(Drive)
    copy.program, copy.now, copy.history = drive.program, drive.now, list(drive.history)
    copy.state, copy.commands = fold(copy.history), ()
    return copy


def _outstanding(drive: Drive) -> tuple[c.Perform, ...]:
    values: dict[Ref, object] = {}
    while isinstance(found := outstanding(drive.program, drive.state, values), NeedValues):
        values.update({ref: drive.value(ref) for ref in found.refs})
    return found


def _finish(drive: Drive, performing: set[int]) -> None:
    """On to the end, or so far: only what is known to be performed is answered."""
    for _ in range(STEPS_MAX):
        event = _next(drive, performing)
        if event is None:
            return
        drive.send(event)
        performing |= {command.op for command in drive.commands if isinstance(command, c.PerformTask)}


def _next(drive: Drive, performing: set[int]) -> e.Event | None:
    state = drive.state
    waiting = [op for _, op in sorted(state.ops.items()) if isinstance(op, TaskOp) and op in in_flight(state)]
    for op in waiting:
        assert op.op in performing, f"nobody performs operation {op.op}"
        return e.TaskCompleted(drive.now, op.op, op.attempt, {"n": 1, "items": []})
    if has_ready(drive.program, state):
        return e.Continued(drive.now)
    firing = [number for number, chain in sorted(state.chains.items()) if not chain.failed]
    if firing:
        return e.ChainDue(drive.now, firing[0])
    due = wake_at(state)
    if due is not None:
        drive.now = max(drive.now, due)
        return e.TimeReached(drive.now)
    return None
