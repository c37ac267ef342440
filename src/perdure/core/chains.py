"""Chains: the workflows that a completed execution starts. Planned with the completion, fired in chunks after it.

What the workflow does not take is not started: the others are, and the chain fails in the end.

Every child's id follows from the execution, the chain and the item, so that a chain fired twice starts nothing twice.
"""

from __future__ import annotations

from perdure.core import facts as f
from perdure.core.commands import FireChain, StartChild
from perdure.core.draft import Draft
from perdure.core.scope import outcome
from perdure.core.steps.child import unknown_workflow
from perdure.errors import EvaluationError
from perdure.expressions.protocol import UNDEFINED
from perdure.expressions.wording import kind
from perdure.ids import derived
from perdure.model.failure import Failure, refusal
from perdure.model.inputs import INVALID_INPUT
from perdure.model.values import Json
from perdure.model.workflow import Chain

CHUNK = 100
"""How many executions one transition starts."""

PER_ITEM = frozenset({"item", "index"})


def plan(draft: Draft, output: Json) -> None:
    """Decide what each chain will start."""
    for number in range(len(draft.program.workflow.chains)):
        _plan_one(draft, number, output)


def _plan_one(draft: Draft, number: int, output: Json) -> None:
    workflow = draft.program.workflow
    chain = workflow.chains[number]
    if draft.state.depth >= workflow.depth_max:
        reason = f"the depth of {draft.state.depth} has reached the limit of {workflow.depth_max}"
        draft.record(f.ChainSkipped(draft.at, reason, number))
        return
    try:
        decided = _decide(draft, number, chain, output)
    except EvaluationError as error:
        decided = f.ChainFailed(draft.at, number, refusal(str(error), code="EXPRESSION"))
    draft.record(decided)
    if number in draft.state.chains and not draft.state.chains[number].failed:
        draft.command(FireChain(number))


def _decide(draft: Draft, number: int, chain: Chain, output: Json) -> f.ChainPlanned | f.ChainSkipped | f.ChainFailed:
    items: list[Json] | None = None
    if chain.items is not None:
        found = draft.evaluate(chain.items, output=output)
        if found is UNDEFINED:
            told = ", ".join(draft.missing(chain.items, output=output))
            return f.ChainSkipped(draft.at, f"undefined: {told}", number)
        if not isinstance(found, list):
            message = f"one is to be started for each item of an array, not of {kind(found)}"
            return f.ChainFailed(draft.at, number, refusal(message, code="NOT_AN_ARRAY"))
        items = found
    without = PER_ITEM if items is not None else frozenset[str]()
    missing = draft.missing(chain.input, without=without, output=output)
    if missing:
        return f.ChainSkipped(draft.at, f"undefined: {', '.join(missing)}", number)
    return f.ChainPlanned(draft.at, number, 1 if items is None else len(items), items)


def fire(draft: Draft, number: int) -> None:
    """Start the next few executions of a chain."""
    firing = draft.state.chains.get(number)
    if firing is None or firing.failed:
        return
    planned = draft.fact(firing.seq)
    earlier = draft.fact(firing.unfit_seq) if firing.unfit_seq else None
    output = output_value(draft)
    name = draft.program.workflow.chains[number].workflow
    digest = draft.version_of(name)
    if not digest:
        draft.record(f.ChainFailed(draft.at, number, unknown_workflow(name)))
        return
    inputs = draft.inputs_of(digest)
    stop = min(firing.cursor + CHUNK, firing.total)
    skipped: list[int] = []
    try:
        starts = {
            place: start
            for place in range(firing.cursor, stop)
            if (start := _start(draft, number, planned, place, output, digest, skipped)) is not None
        }
    except EvaluationError as error:
        draft.record(f.ChainFailed(draft.at, number, refusal(str(error), code="EXPRESSION")))
        return
    unfit = {place: why for place, start in starts.items() if (why := inputs.reason(start.input)) is not None}
    advanced = f.ChainAdvanced(draft.at, number, stop, tuple(skipped), tuple(unfit), next(iter(unfit.values()), ""))
    draft.record(advanced)
    for place, start in starts.items():
        if place not in unfit:
            draft.command(start)
    if stop < firing.total:
        draft.command(FireChain(number))
    elif firing.unfit or unfit:
        failure = _not_taken(name, planned, firing.unfit + len(unfit), earlier or advanced)
        draft.record(f.ChainFailed(draft.at, number, failure))


def _not_taken(name: str, planned: f.ChainPlanned, count: int, first: f.ChainAdvanced) -> Failure:
    of = "" if planned.items is None else f" for {count} of {planned.total} items; item {first.unfit[0]}"
    return refusal(f"workflow {name!r} was not started{of}: {first.reason}", code=INVALID_INPUT)


def request(draft: Draft, number: int) -> None:
    """Fire a failed chain again."""
    firing = draft.state.chains.get(number)
    if firing is not None and firing.failed:
        output = output_value(draft)
        draft.satisfied()
        _plan_one(draft, number, output)


def output_value(draft: Draft) -> Json:
    """The output of the completed execution; None while the fact that holds it has to be loaded."""
    fact = draft.fact(draft.state.output_seq)
    if fact is None or isinstance(fact, f.ExecutionCompleted):
        return None if fact is None else fact.output
    return outcome(draft, fact.step, draft.state.output_seq)["output"]


def _start(
    draft: Draft,
    number: int,
    planned: f.ChainPlanned,
    place: int,
    output: Json,
    digest: str,
    skipped: list[int],
) -> StartChild | None:
    chain = draft.program.workflow.chains[number]
    extra: dict[str, Json] = {"output": output}
    if planned.items is not None:
        extra |= {"item": planned.items[place], "index": place}
    if draft.missing(chain.input, **extra):
        skipped.append(place)
        return None
    return StartChild(
        op=0,
        child=derived(draft.state.execution, "chain", number, place),
        workflow=chain.workflow,
        digest=digest,
        input=draft.evaluate(chain.input, **extra),
        depth=draft.state.depth + 1,
        deadline_ms=chain.deadline_ms,
        retries_max=chain.retries_max,
        by=draft.state.by,
    )
