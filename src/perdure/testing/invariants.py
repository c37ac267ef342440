"""The invariants of the engine, checked over a world at rest. What is promised is listed in `docs/reliability.md`.

I1 every acknowledged start exists, and ends or provably waits · I2 at most one recorded result per step instance, never
changed · I3 terminal is final, except failed → running by a retry · I4 effects seen outside at least once and at most as
often as attempts are recorded, under one key · I5 epochs only grow, no write with an old one · I6 for every live
execution the open operations of its state equal its wake rows, and there is at least one · I7 every timer fired once,
none early · I8 one execution per chain and item, per event and trigger, per schedule and slot, none early · I9 state =
fold of history, byte for byte · I10 one decision per approval · I11 no row points to another organization's row.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from perdure.core import facts as f
from perdure.core.apply import fold
from perdure.core.program import Program
from perdure.core.readiness import has_ready
from perdure.core.state import ChildOp, State, TaskOp, from_json, is_live, to_json, wake_at
from perdure.expressions.times import instant_ms
from perdure.ids import derived
from perdure.model import codec
from perdure.store.agreement import Rows, disagreements
from perdure.testing.world import World

_AFTER_COMPLETED = (f.ChainPlanned, f.ChainAdvanced, f.ChainSkipped, f.ChainFailed)
_AFTER_THE_END = (
    *(f.StepCompleted, f.StepFailed, f.ItemCompleted, f.ItemFailed, f.StepLost, f.StepRetrying, f.StepAttempted),
    *(f.StepScheduled, f.StepCheckpointed, f.CompensationPlanned, f.CompensationFinished, f.Warned),
    f.ExecutionRetried,
)


def violations(world: World) -> list[str]:
    """Everything that should hold of this world at rest and does not."""
    found = [
        f"I1: {start} was acknowledged and is gone" for start in world.acknowledged if start not in world.store.rows
    ]
    found += [f"I5: {text}" for text in world.fencing_faults]
    for execution in world.store.rows:
        history = _History(world, execution)
        for check in (
            _results,
            _finality,
            _effects,
            _wake_rows,
            _timers,
            _chains,
            _slots,
            _folds,
            _decisions,
            _organizations,
        ):
            found += [f"{execution}: {text}" for text in check(history)]
    return found


class _History:
    def __init__(self, world: World, execution: str) -> None:
        self.world = world
        self.row = world.store.rows[execution]
        self.facts = self.row.facts
        self.state = fold(self.facts) if self.facts else State()
        self.program = Program(codec.decode(world.store.model(self.row.record.digest)), world.compile)


def _results(history: _History) -> Iterator[str]:
    done: Counter[int] = Counter()
    for fact in history.facts:
        op = getattr(fact, "op", 0)
        if op and done[op] and not isinstance(fact, f.PauseEnded):
            yield f"I2: {type(fact).__name__} after operation {op} had completed"
        if isinstance(fact, f.StepCompleted | f.ItemCompleted) and op:
            done[op] += 1
    runs: Counter[tuple[int, int]] = Counter()
    for fact in history.facts:
        if isinstance(fact, f.ItemCompleted):
            runs[fact.scope, fact.item] += 1
    yield from (f"I2: item {item} of {scope} has {n} results" for (scope, item), n in runs.items() if n > 1)


def _finality(history: _History) -> Iterator[str]:
    allowed: tuple[type, ...] | None = None
    for fact in history.facts:
        if isinstance(fact, f.ExecutionRetried):
            if allowed is _AFTER_COMPLETED:
                yield "I3: retried after it had completed"
            allowed = None
        if allowed is not None and not isinstance(fact, allowed):
            yield f"I3: {type(fact).__name__} after the end"
        if isinstance(fact, f.ExecutionCompleted):
            allowed = _AFTER_COMPLETED
        elif isinstance(fact, f.ExecutionFailed | f.ExecutionCancelled):
            allowed = _AFTER_THE_END


def _effects(history: _History) -> Iterator[str]:
    execution = history.row.record.id
    attempts: dict[int, int] = {}
    for seq, fact in enumerate(history.facts, start=1):
        if isinstance(fact, f.StepScheduled):
            attempts[seq] = 1
        elif isinstance(fact, f.StepRetrying | f.StepAttempted):
            attempts[fact.op] = max(attempts[fact.op], fact.attempt)
        elif isinstance(fact, f.StepLost) and not fact.final:
            attempts[fact.op] = max(attempts[fact.op], fact.attempt + 1)
    seen: dict[int, set[int]] = {}
    for (key, attempt), count in history.world.effects.items():
        owner, _, number = key.rpartition(":")
        if owner == execution:
            seen.setdefault(int(number), set()).add(attempt)
            if count > 1:
                yield f"I4: attempt {attempt} of operation {number} was made {count} times"
    retried = sum(isinstance(fact, f.ExecutionRetried) for fact in history.facts)
    for op, made in seen.items():
        if op not in attempts:
            yield f"I4: operation {op} had an effect and was never recorded"
        elif len(made) > attempts[op] + retried:
            yield f"I4: operation {op} had {len(made)} effects and {attempts[op]} attempts"
    for fact in history.facts:
        if isinstance(fact, f.StepCompleted | f.ItemCompleted) and fact.op in attempts and fact.op not in seen:
            yield f"I4: operation {fact.op} completed and was never performed"


def _wake_rows(history: _History) -> Iterator[str]:
    row, state = history.row, history.state
    if not history.facts:
        if row.start is None:
            yield "I6: it has not begun and nothing will begin it"
        return
    pending = frozenset(a.op for a in _approvals(history) if a.status == "pending")
    known = Rows(row.record.live, row.record.wake_at, frozenset(row.waits), pending, mail=False)
    yield from (f"I6: {text}" for text in disagreements(history.program, state, known))
    if any(wait.look_back for wait in row.waits.values()):
        yield "I6: a wait has not been shown what came before it"
    if row.inbox:
        yield f"I6: mail that nobody took in: {list(row.inbox.values())}"
    if is_live(state):
        yield from _sources(history, state)


def _sources(history: _History, state: State) -> Iterator[str]:
    """At rest, whatever is live waits for a time, an event, a person or a child; no worker will do anything."""
    for op in state.ops.values():
        if isinstance(op, TaskOp) and op.due_at is None and not _is_silent(history, op):
            yield f"I6: operation {op.op} is under way and nobody performs it"
        if isinstance(op, ChildOp):
            child = history.world.store.rows.get(op.child)
            if child is None or not child.record.live:
                yield f"I6: waits for {op.child}, which is not live"
    if has_ready(history.program, state):
        yield "I1: steps are ready and nobody enters them"
    if not state.ops and wake_at(state) is None:
        yield "I1: it is live and nothing will wake it"


def _is_silent(history: _History, op: TaskOp) -> bool:
    """Whether it is being performed, by its owner, and will never end: the world's doing, not the engine's."""
    return (history.row.record.id, op.op, history.row.owner, op.attempt) in history.world.silent


def _timers(history: _History) -> Iterator[str]:
    due: dict[int, int] = {}
    for seq, fact in enumerate(history.facts, start=1):
        if isinstance(fact, f.TimerOpened):
            due[seq] = fact.due_at
        elif isinstance(fact, f.StepCompleted) and fact.hold_until is not None:
            due[seq] = fact.hold_until
        elif isinstance(fact, f.StepRetrying):
            due[fact.op] = fact.due_at
        elif isinstance(fact, f.StepCompleted | f.ItemCompleted | f.StepAttempted | f.PauseEnded):
            if fact.op in due and fact.at < due[fact.op]:
                yield f"I7: operation {fact.op} fired {due[fact.op] - fact.at} ms early"
            due.pop(fact.op, None)


def _chains(history: _History) -> Iterator[str]:
    started: Counter[int] = Counter()
    total: dict[int, int] = {}
    for fact in history.facts:
        if isinstance(fact, f.ChainAdvanced):
            started[fact.number] = fact.cursor
        elif isinstance(fact, f.ChainPlanned):
            total[fact.number] = fact.total
    for number, planned in total.items():
        firing = history.state.chains.get(number)
        if planned and firing is None and started[number] != planned:
            yield f"I8: chain {number} started {started[number]} of {planned}"


def _slots(history: _History) -> Iterator[str]:
    """The id of what a schedule starts is that of its slot: there cannot be two."""
    started = history.facts[0] if history.facts else None
    if not isinstance(started, f.ExecutionStarted) or started.trigger != "schedule":
        return
    data = started.trigger_data
    if not isinstance(data, dict) or "slot" not in data:  # somebody has a timetable of their own
        return
    record, slot = history.row.record, instant_ms(data["slot"])
    if record.id != derived(record.organization, record.workflow, data["schedule"], slot):
        yield f"I8: it is not the execution of slot {data['slot']} of {data['schedule']}"
    if started.at < slot:
        yield f"I8: slot {data['slot']} of {data['schedule']} was started {slot - started.at} ms early"


def _folds(history: _History) -> Iterator[str]:
    state = history.state
    if history.facts and from_json(to_json(state)) != state:
        yield "I9: a snapshot does not hold all of the state"
    if history.row.snapshot is not None:
        seq, data, _ = history.row.snapshot
        if to_json(fold(history.facts[seq:], from_json(data))) != to_json(state):
            yield "I9: snapshot and later facts do not make the state"


def _decisions(history: _History) -> Iterator[str]:
    decided: dict[int, Any] = {
        fact.op: fact.output
        for fact in history.facts
        if isinstance(fact, f.StepCompleted | f.ItemCompleted) and isinstance(fact.output, dict)
    }
    for approval in _approvals(history):
        recorded = decided.get(approval.op, {}).get("decision")
        if recorded is not None and recorded != approval.decision:
            yield f"I10: {approval.id} is decided {approval.decision}, the step says {recorded}"


def _organizations(history: _History) -> Iterator[str]:
    parent = history.world.store.rows.get(history.row.record.parent or "")
    if parent is not None and parent.record.organization != history.row.record.organization:
        yield "I11: it belongs to another organization than what started it"


def _approvals(history: _History) -> list[Any]:
    return [a for a in history.world.store.approvals.values() if a.execution == history.row.record.id]
