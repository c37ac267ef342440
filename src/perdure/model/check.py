"""What must hold of every workflow, whichever dialect it came from. All faults at once, each with its place.

Dialects check their documents first, in their author's words; a fault found here is one that a dialect let through.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from perdure.model.codec import misfits
from perdure.model.cron import fault
from perdure.model.problem import Problem
from perdure.model.similarity import closest
from perdure.model.steps import Approval, Child, EventWait, Loop, Retry, Route, Step, Task, Timer
from perdure.model.workflow import Schedule, Workflow
from perdure.model.zones import is_zone

EVERY_MS_MIN = 1_000
"""Slots are no closer together than this."""

NAME_LENGTH_MAX = 200
"""Maximum length of the name of a task, as in documents."""

REPEATABLE = (Task, Timer, EventWait, Approval, Child)


def problems(workflow: Workflow) -> tuple[Problem, ...]:
    """Every fault that would keep the workflow from running."""
    found = misfits(workflow)
    if found:  # what follows would stumble over them
        return found
    ids = {step.id for step in workflow.steps}
    return tuple(
        problem
        for part in (_ids, _steps, _targets, _entries, _compensations, _numbers, _schedules)
        for problem in part(workflow, ids)
    )


def long_names(workflow: Workflow) -> tuple[Problem, ...]:
    """Names that are too long to be saved. A stored workflow may have them: older versions did not limit them."""
    return tuple(
        Problem("too_long", _too_long(step.work.task), f"/steps/{number}/work/task", step.id)
        for number, step in enumerate(workflow.steps)
        if isinstance(step.work, Task) and len(step.work.task) > NAME_LENGTH_MAX
    )


def _too_long(name: str) -> str:
    return f"the name of a task has {len(name):,} characters; the limit is {NAME_LENGTH_MAX}"


def _ids(workflow: Workflow, ids: set[str]) -> Iterator[Problem]:
    for step_id, count in Counter(step.id for step in workflow.steps).items():
        if count > 1:
            yield Problem("duplicate_id", f"{count} steps have the id {step_id!r}", path="/steps", step=step_id)
    if "" in ids:
        yield Problem("missing_id", "a step has an empty id", path="/steps")


def _steps(workflow: Workflow, ids: set[str]) -> Iterator[Problem]:
    del ids
    for number, step in enumerate(workflow.steps):
        path = f"/steps/{number}"
        if step.each is not None and not isinstance(step.work, REPEATABLE):
            kind = type(step.work).__name__
            yield Problem("not_repeatable", f"{kind} cannot be repeated for each item", f"{path}/each", step.id)
        if isinstance(step.work, Timer) and step.work.delay_ms is None and step.work.until is None:
            yield Problem("no_time", "a timer needs delay_ms or until", f"{path}/work", step.id)
        if isinstance(step.work, Approval) and step.work.on_timeout == "escalate" and step.work.escalate_to is None:
            yield Problem("no_escalation", "escalate needs escalate_to", f"{path}/work/escalate_to", step.id)


def _targets(workflow: Workflow, ids: set[str]) -> Iterator[Problem]:
    for number, step in enumerate(workflow.steps):
        for field, target in _leads_to(step):
            if target not in ids:
                yield _unknown(target, ids, f"/steps/{number}/{field}", step.id)


def _leads_to(step: Step) -> Iterator[tuple[str, str]]:
    routes: tuple[tuple[str, tuple[Route, ...]], ...] = (("routes", step.routes), ("on_error", step.on_error))
    for field, group in routes:
        for number, route in enumerate(group):
            for target in route.to:
                yield f"{field}/{number}/to", target


def _entries(workflow: Workflow, ids: set[str]) -> Iterator[Problem]:
    if workflow.steps and not workflow.entries:
        yield Problem("no_entry", "the workflow has steps but names none to begin with", path="/entries")
    for number, entry in enumerate(workflow.entries):
        if entry.step not in ids:
            yield _unknown(entry.step, ids, f"/entries/{number}/step")


def _compensations(workflow: Workflow, ids: set[str]) -> Iterator[Problem]:
    by_id = {step.id: step for step in workflow.steps}
    for number, compensation in enumerate(workflow.compensations):
        path = f"/compensations/{number}"
        if compensation.of not in ids:
            yield _unknown(compensation.of, ids, f"{path}/of")
        step = by_id.get(compensation.by)
        if step is None:
            yield _unknown(compensation.by, ids, f"{path}/by")
        elif not isinstance(step.work, Task) or step.each is not None:
            yield Problem("not_a_task", "a compensation is a single task", f"{path}/by", compensation.by)


def _schedules(workflow: Workflow, ids: set[str]) -> Iterator[Problem]:
    del ids
    for number, schedule in enumerate(workflow.schedules):
        path = f"/schedules/{number}"
        for field, message in _unsound(schedule):
            yield Problem("invalid_schedule", message, f"{path}/{field}", schedule.id)
        if any(other.id == schedule.id for other in workflow.schedules[:number]):
            yield Problem("duplicate_id", f"two schedules have the id {schedule.id!r}", f"{path}/id", schedule.id)


def _unsound(schedule: Schedule) -> Iterator[tuple[str, str]]:
    """(field, what is wrong with it)"""
    if (schedule.cron is None) == (schedule.every_ms is None):
        yield "cron", "a schedule needs either cron or every_ms"
    if schedule.cron is not None and (found := fault(schedule.cron)) is not None:
        yield "cron", found
    if schedule.every_ms is not None and schedule.every_ms < EVERY_MS_MIN:
        yield "every_ms", f"every_ms is {schedule.every_ms}, the least is {EVERY_MS_MIN}"
    if not is_zone(schedule.timezone):
        yield "timezone", f"{schedule.timezone!r} is no time zone; give one like Europe/Berlin"
    if schedule.start_at is not None and schedule.end_at is not None and schedule.end_at < schedule.start_at:
        yield "end_at", "a schedule cannot end before it starts"


def _numbers(workflow: Workflow, ids: set[str]) -> Iterator[Problem]:
    del ids
    for path, value, least in _bounded(workflow):
        if value is not None and value < least:
            yield Problem("out_of_range", f"{path} is {value}, the least is {least}", path)


def _bounded(workflow: Workflow) -> Iterator[tuple[str, float | None, int]]:
    yield "/parallel_max", workflow.parallel_max, 1
    yield "/steps_max", workflow.steps_max, 1
    yield "/deadline_ms", workflow.deadline_ms, 1
    yield "/settle_ms", workflow.settle_ms, 0
    for number, step in enumerate(workflow.steps):
        path = f"/steps/{number}"
        if step.each is not None:
            yield f"{path}/each/concurrency", step.each.concurrency, 1
        match step.work:
            case Task(retry=retry, timeout_ms=timeout_ms):
                yield f"{path}/work/timeout_ms", timeout_ms, 1
                yield from _bounded_retry(retry, f"{path}/work/retry")
            case Loop(batch_size=batch_size, iterations_max=iterations_max):
                yield f"{path}/work/batch_size", batch_size, 1
                yield f"{path}/work/iterations_max", iterations_max, 0
            case Approval(votes_required=votes_required):
                yield f"{path}/work/votes_required", votes_required, 1
            case _:
                pass


def _bounded_retry(retry: Retry, path: str) -> Iterator[tuple[str, float | None, int]]:
    yield f"{path}/attempts_max", retry.attempts_max, 1
    yield f"{path}/delay_ms", retry.delay_ms, 0
    yield f"{path}/multiplier", retry.multiplier, 0


def _unknown(target: str, ids: set[str], path: str, step: str = "") -> Problem:
    near = closest(target, sorted(ids))
    hint = "" if near is None else f"; did you mean {near!r}?"
    return Problem("unknown_step", f"{target!r} is not a step{hint}", path=path, step=step, ref=target)
