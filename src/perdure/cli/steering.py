"""`perdure executions cancel|retry|rerun|fork`: what people do to executions."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

from cyclopts import Parameter

from perdure.cli.engines import looking
from perdure.cli.files import given_input, given_outputs
from perdure.cli.options import AsJson, DatabaseUrl, ExecutionId, Organization
from perdure.cli.saying import print_json
from perdure.runtime.shell import now_ms
from perdure.service.engine import Engine
from perdure.service.execution import Execution

SECONDS_TO_SEE = 2.0
SECONDS_BETWEEN = 0.02

Input = Annotated[
    str | None, Parameter(allow_leading_hyphen=True, help="other input than it had: JSON, or @FILE with JSON in it")
]


def cancel_command(
    execution: ExecutionId,
    /,
    *,
    reason: Annotated[str, Parameter(help="why, for whoever looks later")] = "cancelled",
    no_compensation: Annotated[bool, Parameter(help="do not undo the steps that completed")] = False,
    organization: Organization = "default",
    db: DatabaseUrl = None,
    json: AsJson = False,
) -> int:
    """Cancel an execution. Whoever runs it stops it; what it has done is undone, where its workflow says how.

    Example: perdure executions cancel ID --reason "ordered twice" --db sqlite:///flows.db
    """

    async def tell(engine: Engine) -> Any:
        found = await engine.executions.get(execution, organization=organization)
        await found.cancel(reason, compensate=not no_compensation)
        return await _seen(found, lambda status: status not in ("pending", "running", "waiting"))

    return _tell_status(looking(db, tell), "cancelled", json)


def retry_command(
    execution: ExecutionId,
    /,
    *,
    organization: Organization = "default",
    db: DatabaseUrl = None,
    json: AsJson = False,
) -> int:
    """Take up a failed execution again, where it failed. What was done stays done.

    Example: perdure executions retry ID --db sqlite:///flows.db
    """

    async def tell(engine: Engine) -> Any:
        found = await engine.executions.get(execution, organization=organization)
        await found.retry()
        return await _seen(found, lambda status: status != "failed")

    return _tell_status(looking(db, tell), "retried", json)


def rerun_command(
    execution: ExecutionId,
    /,
    *,
    from_step: Annotated[str | None, Parameter(help="take over what came before this step (default: nothing)")] = None,
    input: Input = None,
    organization: Organization = "default",
    db: DatabaseUrl = None,
    json: AsJson = False,
) -> int:
    """Run it again as a new execution, from the beginning or from a step on.

    Example: perdure executions rerun ID --from-step charge --db sqlite:///flows.db
    """
    given = given_input(input)

    async def tell(engine: Engine) -> Any:
        found = await engine.executions.get(execution, organization=organization)
        return await (await found.rerun(from_step=from_step, **({} if input is None else {"input": given}))).describe()

    return _tell_new(looking(db, tell), execution, json)


def fork_command(
    execution: ExecutionId,
    /,
    *,
    at_step: Annotated[str, Parameter(help="where it goes another way")],
    output: Annotated[
        tuple[str, ...], Parameter(help="STEP=JSON: let this have come out of a step; repeatable")
    ] = (),
    input: Input = None,
    organization: Organization = "default",
    db: DatabaseUrl = None,
    json: AsJson = False,
) -> int:
    """A new execution that goes on from a point in the history of this one, with changes.

    Example: perdure executions fork ID --at-step charge --output 'check={"ok": true}' --db sqlite:///flows.db
    """
    given, outputs = given_input(input), given_outputs(output)

    async def tell(engine: Engine) -> Any:
        found = await engine.executions.get(execution, organization=organization)
        edits = {} if input is None else {"input": given}
        return await (await found.fork(at_step=at_step, outputs=outputs, **edits)).describe()

    return _tell_new(looking(db, tell), execution, json)


async def _seen(execution: Execution, is_so: Any) -> Any:
    """How it stands once somebody has taken it in, or after a while: there may be nobody who works."""
    until = now_ms() + SECONDS_TO_SEE * 1_000
    described = await execution.describe()
    while not is_so(described.record.status) and now_ms() < until:
        await asyncio.sleep(SECONDS_BETWEEN)
        described = await execution.describe()
    return described, is_so(described.record.status)


def _tell_status(seen: Any, done: str, as_json: bool) -> int:
    described, is_done = seen
    if as_json:
        print_json({**described.canonical(), "noted": not is_done})
    elif is_done:
        print(f"{described.record.id} is {done}: {described.record.status}")
    else:
        print(f"{described.record.id} will be {done}: it is noted, and no worker has taken it up yet.")
        print("`perdure worker --until-idle` does it now.")
    return 0


def _tell_new(described: Any, origin: str, as_json: bool) -> int:
    if as_json:
        print_json({**described.canonical(), "origin": origin})
    else:
        print(f"{described.record.id} was started, from {origin}")
        print(f"`perdure executions watch {described.record.id}` shows it; a worker runs it.")
    return 0
