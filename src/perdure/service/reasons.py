"""Finding out why an execution is where it is: its state, as far as it is durable, and what has to be asked about it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import assert_never

from perdure.core import facts as f
from perdure.core.state import ApprovalOp, ChildOp, EventOp, Op, PauseOp, State, TaskOp, TimerOp
from perdure.core.steps.approval import approval_id
from perdure.hosts.connections import stored
from perdure.model.catalog import ALL_TOOLS, called
from perdure.model.steps import Task
from perdure.service import sentences
from perdure.service.deciding import who_is_asked
from perdure.service.requests import Requested, requested
from perdure.service.standing import Stood, facts_of, stood
from perdure.service.why import WaitDetail, Why
from perdure.store.questions import Questions

OPS_MAX = 20
"""So many open operations are told."""

PAGE = 1_000
"""So many facts are read at a time."""

CHILDREN_MAX = 10
"""So deep is asked why a child waits."""


def why(store: Questions, execution: str, organization: str, now: int, depth: int = 0) -> Why:
    found = stood(store, execution, organization)
    record, asked = found.record, requested(store, execution)
    attended = bool(store.living(now))
    if record.ended_at is not None and not record.live:
        return Why(record.status, sentences.ended(found, asked), (), asked, attended)
    waits = tuple(sorted(_Asked(store, found, asked, now, depth).waits(), key=_wakes))
    said = sentences.sentence(record.status, waits, asked, now, attended=attended)
    return Why(record.status, said, waits, asked, attended)


class _Asked:
    """One execution, and what has to be asked about it."""

    def __init__(self, store: Questions, found: Stood, asked: tuple[Requested, ...], now: int, depth: int) -> None:
        self._store, self._stood, self._asked, self._now, self._depth = store, found, asked, now, depth
        self._living = store.living(now)
        self._missing = self._without_task()

    def waits(self) -> Iterator[WaitDetail]:
        look, state = self._stood.look, self._stood.state
        if look.record.waiting is not None and look.record.waiting.kind == "operator" and look.owner is None:
            parked = look.record.waiting
            yield WaitDetail("operator", self._last_step(), parked.since, on="an operator", note=parked.on or "")
            return
        unattended = self._unattended()
        if unattended is not None:
            yield unattended
        if state.status != "running":
            yield self._after_the_end(state)
            return
        for _, op in sorted(state.ops.items())[:OPS_MAX]:
            if unattended is None or not isinstance(op, TaskOp) or op.op in self._missing:
                yield self._op(op)
        if state.retry_at is not None:
            note = "it failed, and tries again by itself"
            yield WaitDetail("backoff", "", state.at, state.retry_at, note=note)

    def _without_task(self) -> set[int]:
        """The operations whose task nobody has who could take them up: no worker that lives, if nobody has the execution, else
        the one that has it. It goes on with the rest first.
        """
        look, state = self._stood.look, self._stood.state
        if look.owner is None:
            known = frozenset(task for tasks in self._living.values() for task in tasks)
            return {op for op, task in look.uncalled if not self._has(task, known)}
        known = self._living.get(look.owner, frozenset())
        if not known:  # it has not said
            return set()
        calls = [op for op in state.ops.values() if isinstance(op, TaskOp) and op.due_at is None]
        return {op.op for op in calls if not self._has(self._task_of(op), known)}

    def _has(self, task: str, known: frozenset[str]) -> bool:
        """Whether workers that have these can call it: the tools of an operator's connection too, and of the organization's."""
        connection, _, tool = task.partition("/")
        if task in known or not tool:
            return task in known
        organization = self._stood.record.organization
        return called(ALL_TOOLS, connection) in known or stored(self._store, organization, connection) is not None

    def _unattended(self) -> WaitDetail | None:
        """It could go on at once, and nobody does it."""
        look, state = self._stood.look, self._stood.state
        owned = look.owner is not None and look.owner in self._living
        waits_for_time = not look.mail and look.start is None and not _calls(state, self._missing)
        due = look.record.wake_at
        overdue = due is not None and due <= self._now
        if owned or (waits_for_time and not overdue and look.owner is None and not _has_tokens_alone(state)):
            return None
        since = max(state.at, look.record.started_at)
        if waits_for_time and due is not None and overdue:
            since = due
        elif self._asked and look.start is None and not _calls(state, self._missing):  # nothing else has to be done
            since = self._asked[0].at
        gone = f"its worker {look.owner} is gone" if look.owner is not None else "nobody has it"
        on = None if self._living else "no worker runs; start one on this database"
        return WaitDetail("worker", "", since, on=on or "the next worker that has time", note=gone)

    def _after_the_end(self, state: State) -> WaitDetail:
        if state.undoing is not None and state.undoing.phase != "done":
            left = len(state.undoing.plan) - state.undoing.done
            what = (
                "attempts in flight settle" if state.undoing.phase == "settling" else f"{left} steps are to be undone"
            )
            return WaitDetail("undoing", "", state.at, note=what)
        return WaitDetail("chain", "", state.at, note="what follows it is being started")

    def _op(self, op: Op) -> WaitDetail:
        name = self._stood.name(op.step)
        match op:
            case TimerOp():
                return WaitDetail("timer", name, op.since, op.due_at)
            case PauseOp():
                return WaitDetail("timer", name, op.since, op.due_at, op.label)
            case EventOp():
                return WaitDetail("event", name, op.since, op.due_at, op.pattern)
            case ApprovalOp():
                return self._approval(op, name)
            case ChildOp():
                return self._child(op, name)
            case TaskOp():
                return self._task(op, name)
            case _:
                assert_never(op)

    def _approval(self, op: ApprovalOp, name: str) -> WaitDetail:
        id_ = approval_id(self._stood.record.id, op.op)
        found = next((each for each in self._store.approvals_of(self._stood.record.id) if each.id == id_), None)
        if found is None:
            return WaitDetail("approval", name, op.since, op.due_at, id_)
        votes = f"{len(found.votes)} of {found.votes_required} votes" if found.votes_required > 1 else ""
        late = "overdue" if found.overdue else ""
        is_named = found.asked.member is not None or found.asked.role is not None or found.escalated_to is not None
        who = f"{found.claimed_by} has taken it on" if found.claimed_by else f"asked: {who_is_asked(found)}"
        note = (late, votes, who if is_named or found.claimed_by else "")
        return WaitDetail("approval", name, op.since, op.due_at, id_, note=", ".join(filter(None, note)))

    def _child(self, op: ChildOp, name: str) -> WaitDetail:
        began = self._opened(op.op)
        since = began.at if began is not None else self._stood.state.at
        record = self._store.record(op.child)
        organization = self._stood.record.organization
        if record is None or record.organization != organization or self._depth >= CHILDREN_MAX:
            return WaitDetail("child", name, since, op.due_at, op.child)
        of_child = why(self._store, op.child, organization, self._now, self._depth + 1)
        return WaitDetail("child", name, since, op.due_at, op.child, note=of_child.sentence, why=of_child)

    def _task_of(self, op: TaskOp) -> str:
        work = self._stood.workflow.steps[op.step].work
        return work.task if isinstance(work, Task) else self._stood.name(op.step)

    def _task(self, op: TaskOp, name: str) -> WaitDetail:
        task = self._task_of(op)
        since, error = self._attempts.get(op.op, (self._stood.state.at, None))
        if op.due_at is not None:
            note = "" if error is None else error
            return WaitDetail("backoff", name, since, op.due_at, task, note, op.attempt)
        if op.op in self._missing:
            return WaitDetail("missing_task", name, since, on=task, attempt=op.attempt)
        return WaitDetail("task", name, since, on=self._stood.look.owner, note=task, attempt=op.attempt)

    @cached_property
    def _attempts(self) -> dict[int, tuple[int, str | None]]:
        """Since when each operation that calls a task stands as it does, and with which failure."""
        told = sorted(self._stood.state.ops.items())[:OPS_MAX]
        calls = {number for number, op in told if isinstance(op, TaskOp)}
        found: dict[int, tuple[int, str | None]] = {}
        for seq, fact in self._facts_from(min(calls)):
            if seq in calls:
                found[seq] = fact.at, None
            elif isinstance(fact, f.ExecutionRetried):
                found = {op: (fact.at, error) for op, (_, error) in found.items()}
            elif isinstance(fact, f.StepRetrying) and fact.op in calls:
                found[fact.op] = fact.at, fact.error.message
            elif isinstance(fact, f.StepAttempted | f.StepLost) and fact.op in calls:
                found[fact.op] = fact.at, found[fact.op][1] if fact.op in found else None
        return found

    def _facts_from(self, seq: int) -> Iterator[tuple[int, f.Fact]]:
        while entries := self._store.history(self._stood.record.id, seq - 1, PAGE):
            yield from facts_of(entries)
            seq = entries[-1].seq + 1

    def _opened(self, op: int) -> f.Fact | None:
        return next((fact for _, fact in facts_of(self._store.history(self._stood.record.id, op - 1, 1))), None)

    def _last_step(self) -> str:
        steps = [op.step for op in self._stood.state.ops.values()]
        return self._stood.name(steps[-1]) if steps else ""


def _calls(state: State, missing: set[int]) -> bool:
    """Whether a task is, or should be, being called that somebody has."""
    return any(isinstance(op, TaskOp) and op.due_at is None and op.op not in missing for op in state.ops.values())


def _has_tokens_alone(state: State) -> bool:
    """Whether steps are to be entered, and nothing is open that would lead to them."""
    return bool(state.tokens) and not state.ops


def _wakes(wait: WaitDetail) -> tuple[bool, float]:
    """What keeps everything else comes first, then what wakes first."""
    return wait.kind not in ("operator", "worker"), float("inf") if wait.until is None else wait.until
