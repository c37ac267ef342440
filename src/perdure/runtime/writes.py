"""From what the core wants written to what the store writes: waits, approvals, messages, starts and events."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, assert_never

from msgspec.structs import replace

from perdure.core import commands as c
from perdure.core import events as e
from perdure.core.advance import Start
from perdure.core.steps.approval import approval_id
from perdure.model.records import ApprovalRecord, EventRecord, ExecutionRecord, settled
from perdure.runtime.notices import notice
from perdure.store.notices import NOTICES, Topic
from perdure.store.port import NO_CHANGES, Changes, Message, Pending

_PERFORMED = frozenset((c.PerformTask, c.AbandonTask, c.Continue, c.FireChain))


def changes(
    record: ExecutionRecord,
    commands: Sequence[c.Command],
    *,
    at: int,
    seen: tuple[int, ...] = (),
    declined: tuple[str, ...] = (),
    name: str,
) -> Changes:
    """The changes that belong to the facts of one commit. `name` is that of the workflow."""
    if not seen and not declined and _only_performs(commands):
        return NO_CHANGES  # the common case: a step is done, and the next one is called
    lists: dict[str, list[Any]] = {}

    def add(field: str, entry: Any) -> None:
        lists.setdefault(field, []).append(entry)

    for command in commands:
        match command:
            case c.PerformTask() | c.AbandonTask() | c.Continue() | c.FireChain():
                pass
            case c.Finish():
                _finish(record, command, at, name, add)
            case c.OpenWait():
                add("waits_opened", command)
            case c.CloseWait():
                add("waits_closed", command.op)
            case c.OpenApproval():
                add("approvals_opened", _approval(record, command, at))
                add("notices", notice("opened", command.id, record.organization, at))
            case c.EscalateApproval():
                add("approvals_overdue", (command.op, command.to))
                topic: Topic = "overdue" if command.to is None else "escalated"
                add("notices", notice(topic, approval_id(record.id, command.op), record.organization, at))
            case c.SettleApproval():
                add("approvals_settled", (command.op, command.decision))
                if command.decision is not None:
                    add("notices", notice("decided", approval_id(record.id, command.op), record.organization, at))
            case c.CloseApproval():
                add("approvals_closed", command.op)
            case c.StartChild():
                add("starts", _child(record, command, at))
            case c.CancelChild():
                cancel = e.CancelRequested(at, "the execution that started it ended", "system")
                add("messages", Message(command.child, cancel, f"cancel:{record.id}:{command.op}"))
            case c.PublishEvent():
                event = _event(record, command.id, command.type, command.data, at, of_itself=command.of_itself)
                add("events", event)
            case _:
                assert_never(command)
    if "approvals_settled" in lists:
        _settle_what_was_just_opened(lists, at)
    return Changes(seen, declined, **{field: tuple(entries) for field, entries in lists.items()})


def _only_performs(commands: Sequence[c.Command]) -> bool:
    for command in commands:  # noqa: SIM110  asked at every step, and a generator costs more than what it goes through
        if type(command) not in _PERFORMED:
            return False
    return True


def _settle_what_was_just_opened(lists: dict[str, list[Any]], at: int) -> None:
    """An approval that one commit both opens and settles is recorded as settled: there is nothing yet to guard."""
    opened = {approval.op for approval in lists.get("approvals_opened", ())}
    at_once = {op: decision for op, decision in lists.get("approvals_settled", ()) if op in opened}
    if at_once:
        lists["approvals_settled"] = [entry for entry in lists["approvals_settled"] if entry[0] not in at_once]
        lists["approvals_opened"] = [
            settled(approval, at_once[approval.op], at) if approval.op in at_once else approval
            for approval in lists["approvals_opened"]
        ]


def lifecycle(record: ExecutionRecord, status: str, at: int, name: str, **outcome: Any) -> EventRecord:
    """The event that every execution publishes when it starts and when it ends."""
    data = {
        "executionId": record.id,
        "workflowId": record.workflow,
        "name": name,
        "status": status,
        **outcome,
    }
    event_id = f"{record.id}:{status}:{record.seq}"  # beside that of its neighbours in the index
    return _event(record, event_id, f"workflow.{status}", data, at, of_itself=True)


def _approval(record: ExecutionRecord, command: c.OpenApproval, at: int) -> ApprovalRecord:
    return ApprovalRecord(
        id=command.id,
        execution=record.id,
        op=command.op,
        step=command.step,
        request=command.request,
        opened_at=at,
        organization=record.organization,
        due_at=command.due_at,
        votes_required=command.votes_required,
        asked=command.asked,
        workflow=record.workflow,
        on_timeout=command.on_timeout,
        escalate_to=command.escalate_to,
    )


def _child(record: ExecutionRecord, command: c.StartChild, at: int) -> Pending:
    start = Start(
        at=at,
        execution=command.child,
        input=command.input,
        organization=record.organization,
        trigger="chain",
        correlation_id=record.correlation_id,
        parent=record.id,
        depth=command.depth,
        deadline_ms=command.deadline_ms,
        retries_max=command.retries_max,
        by=command.by,
    )
    return pending(start, command.workflow, command.digest, command.op)


def pending(start: Start, workflow: str, digest: str, parent_op: int = 0) -> Pending:
    """An execution that is to begin."""
    record = ExecutionRecord(
        id=start.execution,
        workflow=workflow,
        digest=digest,
        started_at=start.at,
        organization=start.organization,
        trigger=start.trigger,
        correlation_id=start.correlation_id,
        parent=start.parent,
        parent_op=parent_op,
        depth=start.depth,
    )
    return Pending(record, start)


def _finish(record: ExecutionRecord, command: c.Finish, at: int, name: str, add: Any) -> None:
    outcome = {"output": command.output} if command.error is None else {"error": command.error.message}
    if record.workflow != NOTICES:
        # Facts carry the time of what they answer, which may be a start that waited for a worker: it ended only now.
        ended_at = at if record.ended_at is None else record.ended_at
        add("events", lifecycle(record, command.status, ended_at, name, **outcome))
    if record.parent is not None and record.parent_op:
        ended = e.ChildEnded(at, record.parent_op, record.id, command.output, command.error)
        add("messages", Message(record.parent, ended, f"child:{record.id}"))


def _event(
    record: ExecutionRecord, event_id: str, event_type: str, data: Any, at: int, *, of_itself: bool
) -> EventRecord:
    return EventRecord(
        id=event_id,
        type=event_type,
        at=at,
        data=data,
        source=record.id,
        organization=record.organization,
        correlation_id=record.correlation_id,
        depth=record.depth,
        told_by=record.workflow if of_itself else None,
    )


def with_events(given: Changes, events: tuple[EventRecord, ...]) -> Changes:
    return replace(given, events=(*events, *given.events))
