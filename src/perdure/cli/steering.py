"""`perdure executions cancel|retry|refire|rerun|fork`: what people do to executions."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from perdure.answers.executions import firing_answer
from perdure.cli.engines import looking
from perdure.cli.files import given_input, given_values
from perdure.cli.hints import hint
from perdure.cli.options import AsJson, AsOperator, ExecutionId, Organization
from perdure.cli.saying import print_json
from perdure.cli.where import HERE, Where
from perdure.cli.wording import printable
from perdure.dialects.firing import Firing
from perdure.service.describing import Described
from perdure.service.engine import Engine

Input = Annotated[
    str | None, Parameter(metavar="JSON|@FILE", allow_leading_hyphen=True, help="other input than it had")
]


IfVersion = Annotated[
    int | None, Parameter(metavar="N", help="only if it is still at this version, as `executions show` tells it")
]


def cancel_command(
    execution: ExecutionId,
    /,
    *,
    reason: Annotated[str, Parameter(metavar="TEXT", help="why, for whoever looks later")] = "cancelled",
    no_compensation: Annotated[bool, Parameter(help="do not undo the steps that completed")] = False,
    if_version: IfVersion = None,
    as_: AsOperator = None,
    organization: Organization = "default",
    where: Where = HERE,
    json: AsJson = False,
) -> int:
    """Cancel an execution. Whoever runs it stops it; what it has done is undone, where its workflow says how.

    Example: perdure executions cancel ID --reason "ordered twice" --db sqlite:///flows.db
    """

    async def tell(engine: Engine) -> Described:
        found = await engine.executions.find(execution, organization=organization)
        await found.cancel(reason, compensate=not no_compensation, if_version=if_version, actor=as_)
        return await found.describe()

    described = looking(where, tell)
    done, way_on = described.record.ended_at is not None, hint("worker", "--until-idle", where=where)
    return _tell_status(described, "cancelled", way_on, done=done, as_json=json)


def retry_command(
    execution: ExecutionId,
    /,
    *,
    if_version: IfVersion = None,
    as_: AsOperator = None,
    organization: Organization = "default",
    where: Where = HERE,
    json: AsJson = False,
) -> int:
    """Take up a failed execution again, where it failed. What was done stays done.

    Example: perdure executions retry ID --db sqlite:///flows.db
    """

    async def tell(engine: Engine) -> Described:
        found = await engine.executions.find(execution, organization=organization)
        await found.retry(if_version=if_version, actor=as_)
        return await found.describe()

    described = looking(where, tell)
    done, way_on = described.record.status != "failed", hint("worker", "--until-idle", where=where)
    return _tell_status(described, "retried", way_on, done=done, as_json=json)


def refire_command(
    execution: ExecutionId,
    /,
    *,
    trigger: Annotated[
        str | None, Parameter(metavar="TRIGGER", help="only this one, like trigger-0 (default: all)")
    ] = None,
    as_: AsOperator = None,
    organization: Organization = "default",
    where: Where = HERE,
    json: AsJson = False,
) -> int:
    """Fire triggers again that have failed to start what they were to start. Nothing is started twice.

    Example: perdure executions refire ID --db sqlite:///flows.db
    """

    async def tell(engine: Engine) -> tuple[str, tuple[Firing, ...], bool]:
        found = await engine.executions.find(execution, organization=organization)
        wanted = await found.refire(trigger, actor=as_)
        fired = tuple(each for each in await found.triggers() if each.id in wanted)
        return found.id, fired, not await found.requested()

    id_, fired, done = looking(where, tell)
    if json:
        print_json({"id": id_, "triggers": [firing_answer(each) for each in fired], "noted": not done})
    elif done:
        for each in fired:
            print(printable(f"{each.id} of {id_} is {each.status} now{f': {each.reason}' if each.reason else ''}"))
    else:
        names = ", ".join(each.id for each in fired)
        print(printable(f"{names} of {id_} will be fired again: it is noted, and no worker has taken it up yet."))
        print(f"{hint('worker', '--until-idle', where=where)} does it now.")
    return 0


def rerun_command(
    execution: ExecutionId,
    /,
    *,
    from_step: Annotated[
        str | None, Parameter(metavar="STEP", help="take over what came before this step (default: nothing)")
    ] = None,
    input: Input = None,
    as_: AsOperator = None,
    organization: Organization = "default",
    where: Where = HERE,
    json: AsJson = False,
) -> int:
    """Run it again as a new execution, from the beginning or from a step on.

    Example: perdure executions rerun ID --from-step charge --db sqlite:///flows.db
    """
    given = given_input(input)

    async def tell(engine: Engine) -> Described:
        found = await engine.executions.find(execution, organization=organization)
        edits = {} if input is None else {"input": given}
        return await (await found.rerun(from_step=from_step, actor=as_, **edits)).describe()

    return _tell_new(looking(where, tell), where, organization, as_json=json)


def fork_command(
    execution: ExecutionId,
    /,
    *,
    at_step: Annotated[str, Parameter(metavar="STEP", help="where it goes another way")],
    output: Annotated[
        tuple[str, ...], Parameter(metavar="STEP=JSON", help="let this have come out of a step; repeatable")
    ] = (),
    set_: Annotated[
        tuple[str, ...],
        Parameter(name="--set", metavar="NAME=JSON", help="let a variable (a key of the context) be this; repeatable"),
    ] = (),
    input: Input = None,
    as_: AsOperator = None,
    organization: Organization = "default",
    where: Where = HERE,
    json: AsJson = False,
) -> int:
    """A new execution that goes on from a point in the history of this one, with changes.

    Example: perdure executions fork ID --at-step charge --set 'total=90' --db sqlite:///flows.db
    """
    given, outputs = given_input(input), given_values("--output", "STEP", output)
    variables = given_values("--set", "NAME", set_)

    async def tell(engine: Engine) -> Described:
        found = await engine.executions.find(execution, organization=organization)
        edits = {} if input is None else {"input": given}
        forked = await found.fork(at_step=at_step, outputs=outputs, variables=variables, actor=as_, **edits)
        return await forked.describe()

    return _tell_new(looking(where, tell), where, organization, as_json=json)


def _tell_status(described: Described, word: str, way_on: str, *, done: bool, as_json: bool) -> int:
    """The service has waited until a worker has taken it in, if there is one."""
    if as_json:
        print_json({**described.canonical(), "noted": not done})
    elif done:
        print(f"{described.id} is {word}; it is {described.status} now")
    else:
        print(f"{described.id} will be {word}: it is noted, and no worker has taken it up yet.")
        print(f"{way_on} does it now (with --tasks, if its nodes are yours).")
    return 0


def _tell_new(described: Described, where: Where, organization: str, *, as_json: bool) -> int:
    if as_json:
        print_json(described.canonical())
    else:
        print(f"{described.id} was started, from {described.origin}")
        watch = hint("executions", "watch", described.id, where=where, organization=organization)
        print(f"{watch} shows it; a worker runs it: {hint('worker', where=where)}")
    return 0
