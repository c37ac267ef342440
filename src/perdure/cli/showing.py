"""`perdure executions show`: one execution, as far into it as somebody wants to look."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from cyclopts import Parameter

from perdure.answers.executions import (
    entry_answer,
    firing_answer,
    progress_answer,
    requested_answer,
    step_answer,
)
from perdure.cli.engines import looking
from perdure.cli.hints import hint
from perdure.cli.options import AsJson, ExecutionId, Limit, Organization
from perdure.cli.outcome import waits_for
from perdure.cli.saying import print_json
from perdure.cli.tables import fields, table
from perdure.cli.where import HERE, Where
from perdure.cli.wording import format_json, shown, time_of_day, took
from perdure.clock import now_ms
from perdure.dialects.firing import Firing
from perdure.expressions.times import iso
from perdure.service.engine import Engine
from perdure.service.progress import StepProgress
from perdure.service.sentences import request
from perdure.service.times import local_time
from perdure.service.why import WaitDetail
from perdure.tasks.registry import in_words, save_again, worker_with


def show_command(
    execution: ExecutionId,
    /,
    *,
    view: Annotated[bool, Parameter(help="also in the words of its dialect")] = False,
    history: Annotated[bool, Parameter(help="also what happened, fact by fact")] = False,
    step: Annotated[
        str | None, Parameter(help="also one step: its attempts, what it was given and what came of it")
    ] = None,
    after: Annotated[int, Parameter(help="of the history, only after this number")] = 0,
    limit: Limit = 200,
    organization: Organization = "default",
    where: Where = HERE,
    json: AsJson = False,
) -> int:
    """One execution: how it stands, what came of it, and what happened in it.

    Example: perdure executions show ID --history --db sqlite:///flows.db
    """

    async def ask(engine: Engine) -> dict[str, Any]:
        found = await engine.executions.find(execution, organization=organization)
        described = await found.describe()
        told: dict[str, Any] = {"described": described, "requested": await found.requested(), "missing": ()}
        told["steps"] = tuple((await found.progress()).steps.values())
        told["triggers"] = await found.triggers()
        if described.status == "running":
            told["missing"] = [wait for wait in (await found.why()).waits if wait.kind == "missing_task"]
        if step is not None:
            told["step"] = await found.step(step)
            told["step_view"] = await found.step_view(step)
        if view:
            told["view"] = await found.view()
        if history:
            told["history"] = await found.history(after=after, limit=limit)
        return told

    told = looking(where, ask)
    if json:
        print_json(_as_json(told))
    else:
        _print(told, hint("worker", where=where))
    return 0


def _as_json(told: dict[str, Any]) -> dict[str, Any]:
    shown_: dict[str, Any] = told["described"].canonical()
    shown_["requested"] = [requested_answer(each) for each in told["requested"]]
    shown_["steps"] = [progress_answer(each) for each in told["steps"]]
    if told["triggers"]:
        shown_["triggers"] = [firing_answer(each) for each in told["triggers"]]
    if told["missing"]:
        missing = [(wait.step, wait.on, wait.since) for wait in told["missing"]]
        shown_["missing_tasks"] = [{"step": step, "task": task, "since": iso(at)} for step, task, at in missing]
    if "view" in told:
        shown_["view"] = told["view"]
    if "step" in told:
        shown_["step"] = step_answer(told["step"], told["step_view"])
    if "history" in told:
        page = told["history"]
        shown_["history"] = {"items": [entry_answer(entry) for entry in page.items], "next": page.next}
    return shown_


def _print(told: dict[str, Any], worker: str) -> None:
    described = told["described"]
    record, waiting = described.record, described.waiting_for
    pairs = [
        ("execution", record.id),
        ("workflow", f"{described.name}{f', version {described.version}' if described.version else ''}"),
        ("dialect", described.dialect or ""),
        ("status", record.status),
        ("waits", waits_for(waiting).removeprefix("waits ") if waiting is not None else ""),
        *(("waits", _misses(wait)) for wait in told["missing"]),
        ("version", f"{described.execution_version}, the number of its facts"),
        ("started", f"{local_time(record.started_at)} by {record.trigger}"),
        ("took" if record.ended_at else "so far", took((record.ended_at or now_ms()) - record.started_at)),
        ("made from", described.origin or ""),
        ("started by", "" if described.origin is not None else record.parent or ""),
        ("correlation", record.correlation_id or ""),
        ("error", "" if record.error is None else record.error.message),
        ("arose in", "" if record.error is None else record.error.origin or ""),
    ]
    asked = [("noted", f"{request(each)} Start one: {worker}") for each in told["requested"]]
    print(fields([*pairs, *asked]))
    _print_steps(told["steps"])
    _print_triggers(told["triggers"])
    if record.status == "completed":
        _print_value("output", record.output)
    if "step" in told:
        _print_step(told["step"])
        if "view" in told and told["step_view"] is not None:
            _print_value(f"view of step {shown(told['step'].step)}", told["step_view"])
    if "view" in told:
        _print_value("view", told["view"])
    if "history" in told:
        _print_history(told["history"])


def _print_steps(steps: tuple[StepProgress, ...]) -> None:
    now = now_ms()
    rows = [
        (
            each.step,
            f"{each.status}{'' if each.total is None else f' {each.done}/{each.total}'}",
            str(each.attempt or ""),
            took((each.ended_at or now) - each.started_at),
            f"{each.note}{f', until {local_time(each.until)}' if each.until is not None else ''}",
        )
        for each in steps
    ]
    if rows:
        print(f"\n{table(('STEP', 'STATUS', 'ATTEMPTS', 'TOOK', ''), rows)}")


def _print_triggers(fired: tuple[Firing, ...]) -> None:
    rows = [(each.id, each.workflow, each.status, f"{len(each.ids):,}", each.reason or "") for each in fired]
    if rows:
        print(f"\n{table(('TRIGGER', 'WORKFLOW', 'STATUS', 'STARTED', ''), rows)}")


def _misses(wait: WaitDetail) -> str:
    task = in_words(wait.on or "")
    return (
        f"at {wait.step!r} for a worker that has the {task}, since {local_time(wait.since)}; "
        f"start one that has it: {worker_with(wait.on or '')}{save_again(wait.on or '')}"
    )


def _print_step(step: Any) -> None:
    runs = f", {step.runs} runs" if step.runs > 1 else ""
    print(f"\nstep {shown(step.step)}: {step.status}{runs}")
    now = now_ms()
    rows = [
        (
            str(attempt.number),
            local_time(attempt.started_at),
            took((attempt.ended_at or now) - attempt.started_at),
            "" if attempt.error is None else attempt.error.message,
        )
        for attempt in step.attempts
    ]
    if rows:
        print(table(("ATTEMPT", "STARTED", "TOOK", "ERROR"), rows))
    _print_value("input", step.input)
    _print_value("output", step.output)


def _print_history(page: Any) -> None:
    print()
    rows = [
        (str(entry.seq), time_of_day(entry.at), entry.name or entry.kind, entry.step or "", _brief(entry.data))
        for entry in page.items
    ]
    print(table(("#", "AT", "WHAT", "STEP", "WITH"), rows))
    if page.next is not None:
        print(f"there is more: --after {page.items[-1].seq}")


def _print_value(name: str, value: Any) -> None:
    print(f"\n{name}:")
    print(format_json(value))


def _brief(data: Any) -> str:
    return "" if not data else msgspec.json.encode(data).decode(errors="replace")
