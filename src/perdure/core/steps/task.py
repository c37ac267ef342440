"""Tasks: code outside that is called, retried, given up, and paid for.

One operation, many attempts. `attempt` grows with every call, so that a late answer of an earlier one is known by its
number; `failures` counts only those that failed, because a worker that dies is not the task's fault.
"""

from __future__ import annotations

import math

from perdure.core import facts as f
from perdure.core.commands import PerformTask
from perdure.core.draft import Draft
from perdure.core.events import AttemptLost, TaskCheckpointed, TaskCompleted, TaskFailed
from perdure.core.moves import Broken, Done, Move
from perdure.core.seat import Seat
from perdure.core.state import State, TaskOp
from perdure.errors import EvaluationError
from perdure.expressions.protocol import UNDEFINED, Rendered
from perdure.expressions.sealing import MASK
from perdure.expressions.times import add_ms
from perdure.expressions.wording import shown
from perdure.ids import fraction
from perdure.model.failure import Category, Failure, refusal
from perdure.model.secrets import sealed_variable
from perdure.model.steps import Amounts, Retry, Step, Sums, Task
from perdure.model.values import Json, Value

RETRY_AFTER_MAX_MS = 24 * 60 * 60 * 1_000
"""Who is called may ask for so long a wait before the next attempt, and no longer."""


def begin(draft: Draft, seat: Seat, work: Task, undoes: int | None = None, **extra: Json) -> Broken | None:
    """Schedule the first attempt, if the budget has room for it."""
    reserve = _sums(draft, seat, work.reserve)
    if reserve:
        refused = _over_budget(draft, seat.node.step, reserve, _sums(draft, seat, work.budget))
        if refused is not None:
            return Broken(refused)
    rendered = _rendered(draft, seat, work, **extra)
    given = None if rendered.value is UNDEFINED else rendered.value
    sealed = _with_envelopes(draft, seat, rendered.sealed)
    missing = draft.missing(work.input, seat, **extra) if seat.node.step.warn_undefined else ()
    draft.record(
        f.StepScheduled(
            at=draft.at,
            step=seat.node.number,
            input=_masked(given) if work.secret_input else given,
            sealed=sealed,
            scope=seat.scope,
            item=seat.item,
            reserved=reserve,
            undoes=undoes,
        )
    )
    op = draft.state.seq
    if missing:
        draft.record(f.Warned(draft.at, seat.node.number, f"undefined in its input: {', '.join(missing)}"))
    draft.command(_perform(draft.state, op, 1, seat.node.step.id, work, given, sealed))
    return None


def _rendered(draft: Draft, seat: Seat, work: Task, **extra: Json) -> Rendered:
    """Render the input. If it is secret, an error has the source of the expression and no values."""
    try:
        return draft.render(work.input, seat, **extra)
    except EvaluationError as error:
        if not work.secret_input:
            raise
        what = shown(draft.program.written(error.source)) if error.source else "the value"
        message = f"{what} could not be computed; the cause is left out, because it may contain the secret value"
        raise EvaluationError(message, source=error.source) from None


def _masked(given: Json) -> Json:
    return dict.fromkeys(given, MASK) if isinstance(given, dict) else MASK


def _with_envelopes(draft: Draft, seat: Seat, sealed: Json) -> Json:
    """Pin the secrets that are sealed variables: beside the name of each stands the envelope that it has now."""
    if sealed is None or not draft.program.workflow.reserved:
        return sealed
    reserved = draft.program.workflow.reserved
    names = {part["secret"] for parts in sealed.values() for part in parts if isinstance(part, dict)}
    variables = draft.state.vars if seat.token.vars is None else seat.token.vars
    written = {name: variables.get(sealed_variable(name)) for name in names if sealed_variable(name) in reserved}
    facts = {name: draft.fact(each.seq) for name, each in written.items() if each is not None and not each.gone}
    draft.satisfied()
    envelopes = {name: fact.assigned[sealed_variable(name)] for name, fact in facts.items()}
    return {place: [_with_envelope(part, envelopes) for part in parts] for place, parts in sealed.items()}


def _with_envelope(part: Json, envelopes: dict[str, Json]) -> Json:
    if not isinstance(part, dict) or part["secret"] not in envelopes:
        return part
    return {**part, "envelope": envelopes[part["secret"]]}


def completed(op: TaskOp, event: TaskCompleted) -> Move:
    return Done(event.output, event.port, event.meta, event.usage, op=op.op)


def failed(draft: Draft, op: TaskOp, event: TaskFailed) -> Move | None:
    """Try again after a while, or give up."""
    node = draft.program.nodes[op.step]
    work = node.step.work
    assert isinstance(work, Task)
    settling = draft.state.status != "running" and op.undoes is None
    if settling and event.error.category == Category.TIMEOUT:  # it may have had its effect, and nobody knows
        draft.record(f.StepLost(draft.at, op.op, op.attempt, final=True))
        return None
    if settling or not _may_retry(work.retry, op.failures + 1, event.error):
        return Broken(event.error, event.usage, op.op)
    refused = _over_budget(draft, node.step, op.reserved, _sums(draft, draft.seat(op), work.budget), op, event.usage)
    if refused is not None:
        return Broken(refused, event.usage, op.op)
    attempt = op.attempt + 1
    asked_for = min(event.error.retry_after_ms or 0, RETRY_AFTER_MAX_MS)
    wait_ms = max(delay_ms(work.retry, op.failures + 1, draft.state.execution, op.op, attempt), asked_for)
    due_at = add_ms(draft.at, wait_ms)
    draft.record(f.StepRetrying(draft.at, op.op, attempt, due_at, event.error, event.usage))
    return None


def lost(draft: Draft, op: TaskOp, event: AttemptLost) -> None:
    """Nobody will report this attempt: make the next at once. If the execution settles, its outcome stays unknown."""
    if draft.state.status != "running" and op.undoes is None:
        draft.record(f.StepLost(draft.at, op.op, event.attempt, final=True))
        return
    command = again(draft, op, event.attempt + 1)
    draft.record(f.StepLost(draft.at, op.op, event.attempt))
    draft.command(command)


def due(draft: Draft, op: TaskOp) -> None:
    """The backoff is over, or the time to settle."""
    if draft.state.status != "running" and op.undoes is None:
        draft.record(f.StepLost(draft.at, op.op, op.attempt, final=True))
        return
    command = again(draft, op, op.attempt)
    draft.record(f.StepAttempted(draft.at, op.op, op.attempt))
    draft.command(command)


def checkpointed(draft: Draft, op: TaskOp, event: TaskCheckpointed) -> None:
    """The first value of a checkpoint stays."""
    if op.checkpoints is None or f"{event.name}#{event.n}" not in op.checkpoints:
        draft.record(f.StepCheckpointed(draft.at, op.op, event.name, event.n, event.value))


def again(draft: Draft, op: TaskOp, attempt: int) -> PerformTask:
    """The command for a further attempt: the input it was scheduled with, and what earlier ones left behind."""
    scheduled = draft.fact(op.op)
    left = [draft.fact(seq) for seq in sorted((op.checkpoints or {}).values())]
    draft.satisfied()
    node = draft.program.nodes[op.step]
    assert isinstance(node.step.work, Task)
    checkpoints = tuple((fact.name, fact.n, fact.value) for fact in left)
    given = scheduled.input
    if node.step.work.secret_input:  # nothing that it reads has changed: control stands at this step
        rendered = _rendered(draft, draft.seat(op), node.step.work, now=scheduled.at)
        given = None if rendered.value is UNDEFINED else rendered.value
    return _perform(
        draft.state,
        op.op,
        attempt,
        node.step.id,
        node.step.work,
        given,
        scheduled.sealed,
        checkpoints,
    )


def _perform(
    state: State,
    op: int,
    attempt: int,
    step: str,
    work: Task,
    given: Json,
    sealed: Json,
    checkpoints: tuple[tuple[str, int, Json], ...] = (),
) -> PerformTask:
    return PerformTask(
        op=op,
        attempt=attempt,
        step=step,
        task=work.task,
        input=given,
        key=f"{state.execution}:{op}",
        timeout_ms=work.timeout_ms,
        sealed=sealed,
        checkpoints=checkpoints,
        setup=work.setup,
        secret_input=work.secret_input,
    )


def _may_retry(retry: Retry, failures: int, error: Failure) -> bool:
    if not error.retriable or failures >= retry.attempts_max:
        return False
    names = set(error.names)
    return not names.intersection(retry.never) and (not retry.only or bool(names.intersection(retry.only)))


def delay_ms(retry: Retry, failures: int, *parts: str | int) -> int:
    """How long to wait after so many failures. The jitter follows from `parts`, so that replay needs no chance."""
    try:
        grown = min(retry.delay_ms * float(retry.multiplier) ** (failures - 1), retry.delay_max_ms)
    except OverflowError:  # the power exceeds the range of floats, and so any maximum
        grown = min(retry.delay_ms, 1) * retry.delay_max_ms
    return int(grown + grown * retry.jitter * fraction(*parts))


def _sums(draft: Draft, seat: Seat, given: Sums) -> Amounts:
    if not given:
        return ()
    return tuple((unit, _whole(draft, seat, unit, amount)) for unit, amount in given)


def _whole(draft: Draft, seat: Seat, unit: str, amount: int | Value) -> int:
    """More than nothing is at least one; less than nothing is nothing."""
    if isinstance(amount, int):
        return amount
    found = draft.evaluate(amount, seat)
    if isinstance(found, bool) or not isinstance(found, int | float):
        raise EvaluationError(f"how many {unit} must be a number, not {found!r}")
    return max(0, math.ceil(found))


def _over_budget(
    draft: Draft, step: Step, reserve: Amounts, budget: Amounts, op: TaskOp | None = None, used: Amounts = ()
) -> Failure | None:
    """Whether the next call might spend more than there is, in this step or in the execution.

    On a retry: what the call before had reserved is free again, and what it `used` is not yet among what was spent.
    """
    limits, here, now = dict(draft.program.workflow.budget), dict(budget), dict(used)
    reserved, spent = (dict(op.reserved), dict(op.spent)) if op is not None else ({}, {})
    state = draft.state
    for unit, amount in reserve:
        taken = state.spent.get(unit, 0) + state.reserved.get(unit, 0) - reserved.get(unit, 0) + now.get(unit, 0)
        if unit in limits and taken + amount > limits[unit]:
            left = f"the budget of the execution has {max(0, limits[unit] - taken)} left of {limits[unit]}"
            return _budget_failure(step, unit, amount, left)
        own = spent.get(unit, 0) + now.get(unit, 0)
        if unit in here and own + amount > here[unit]:
            return _budget_failure(step, unit, amount, f"the budget of the step has {max(0, here[unit] - own)} left")
    return None


def _budget_failure(step: Step, unit: str, amount: int, left: str) -> Failure:
    return refusal(
        f"step {(step.part_of or step.id)!r} needs up to {amount} {unit}, and {left}; raise the budget or ask for less",
        code="BUDGET",
        category=Category.BUSINESS,
    )
