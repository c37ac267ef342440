"""New executions from old ones: run again from a step, with or without changes.

What was done before the step is kept, as a copy of the history up to the moment at which the step was entered; the step and all
that comes after it run anew. So does what ran beside it and had not ended by then. The new execution is on the version of the old
one, and names it as its parent.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

import msgspec
from msgspec import Struct

from perdure.core import events as e
from perdure.core import facts as f
from perdure.core.apply import fold
from perdure.core.commands import OpenWait
from perdure.core.state import wake_at
from perdure.expressions.language import compile_value
from perdure.expressions.times import add_ms
from perdure.ids import derived
from perdure.model.problem import Problem
from perdure.model.records import ExecutionRecord
from perdure.model.secrets import SEALED, sealed_variable
from perdure.model.steps import SetVariables
from perdure.model.values import Json
from perdure.runtime import writes
from perdure.service.approval_gates import refuse_to_pass_approvals
from perdure.service.errors import Conflict, Refused
from perdure.service.given import AGAIN
from perdure.service.standing import Stood, everything
from perdure.service.steps import entries
from perdure.store.port import Changes, Fork
from perdure.store.questions import Questions


class Edits(Struct, frozen=True):
    """What the new execution does not take over. `input` in a tuple of one: null is a value too. `by`: who wants it so."""

    outputs: Mapping[str, Json] = {}
    variables: Mapping[str, Json] = {}
    input: tuple[Json] | None = None
    by: str | None = None

    def whose(self, before: str | None) -> str | None:
        """Who must not decide about it themselves: whoever has changed what it is about, else who has started it."""
        changed = self.outputs or self.variables or self.input is not None
        return self.by if changed and self.by is not None else before

    def told(self) -> dict[str, Json]:
        """What is changed, without the values."""
        named: dict[str, Json] = {"outputs": sorted(self.outputs), "variables": sorted(self.variables)}
        return {name: names for name, names in named.items() if names} | ({"input": True} if self.input else {})

    def key(self, given: str | None, who: str, origin: str, step: str | None) -> str | None:
        """Under which the new execution stands in the database. The same key of the same person for the same request is one
        execution; for another request it is another key.
        """
        if given is None:
            return None
        asked = (who, given, origin, step, self.outputs, self.variables, self.input)
        return f"{AGAIN}{derived(msgspec.json.encode(asked, order='sorted').decode())}"


def forked(
    store: Questions,
    origin: ExecutionRecord,
    new: str,
    at: int,
    step: str,
    edits: Edits,
    key: str | None = None,
    *,
    may_pass_approvals: bool = True,
) -> Fork:
    """What has to be committed. Raises `NotFound` for steps that are none, `Conflict` for one that was not reached, `Refused` for
    variables that nobody can set, `Forbidden` if an approval before that step has been decided, also one in a child.
    """
    stood, facts = everything(store, origin.id, origin.organization)
    _refuse_parts(stood, (step, *edits.outputs))
    _refuse_what_has_no_effect(stood, edits)
    _refuse_reserved(stood, edits)
    upto = _before(stood, facts, step)
    if not may_pass_approvals:
        refuse_to_pass_approvals(store, stood, facts[:upto], step)
    outputs = {stood.number(name): output for name, output in edits.outputs.items()}
    started = facts[0]
    assert isinstance(started, f.ExecutionStarted)
    fork = f.ExecutionForked(
        at=at,
        execution=new,
        origin=origin.id,
        input=None if edits.input is None else edits.input[0],
        edited_input=edits.input is not None,
        outputs=outputs,
        assigned=dict(edits.variables) or None,
        deadline_at=None if started.deadline_ms is None else add_ms(at, started.deadline_ms),
        flowing=stood.workflow.variables == "flowing",
        by=edits.whose(None),
    )
    record = ExecutionRecord(
        id=new,
        workflow=origin.workflow,
        digest=origin.digest,
        started_at=at,
        organization=origin.organization,
        status="running",
        wake_at=wake_at(fold((*facts[:upto], fork))),
        seq=upto + 1,
        trigger=origin.trigger,
        correlation_id=origin.correlation_id,
        parent=origin.id,
        depth=origin.depth,
    )
    cancels = tuple(OpenWait(-1 - number, cancel.pattern) for number, cancel in enumerate(stood.workflow.cancels))
    told = writes.lifecycle(record, "started", at, stood.workflow.name)
    changes = Changes(waits_opened=cancels, events=(told,))
    return Fork(record, origin.id, upto, (fork,), e.Continued(at), changes, key)


def _refuse_parts(stood: Stood, names: Iterable[str]) -> None:
    """What is done with a step is done with all of it."""
    owners = {each.id: each.part_of for each in stood.workflow.steps if each.part_of is not None}
    for name in names:
        if name in owners:
            raise Conflict(f"{name!r} is a part of step {owners[name]!r}; name that one")


def _refuse_what_has_no_effect(stood: Stood, edits: Edits) -> None:
    """What a step did may be in the variables alone, and so may the input: then to change anything else changes nothing."""
    for name in edits.outputs:
        step = stood.workflow.steps[stood.number(name)]
        if not step.keep_output or step.assign is not None or isinstance(step.work, SetVariables):
            raise Conflict(
                f"what step {name!r} did is in the variables (in a graph: the context), and its output is not read again; "
                "change the variables instead"
            )
    initial = stood.workflow.initial
    if (
        edits.input is not None
        and initial is not None
        and any(path[0] == "input" for path in compile_value(initial).reads)
    ):
        raise Conflict(
            "the variables (in a graph: the context) were made of the input when it began; change them instead, or run all of it "
            "again with another input"
        )


def _refuse_reserved(stood: Stood, edits: Edits) -> None:
    """What no input brings into the variables, no edit does: in a graph, control keys are between the engine and executors."""
    reserved = [name for name in edits.variables if name in stood.workflow.reserved]
    if reserved:
        raise Refused(
            Problem("reserved_name", _why_reserved(name, stood.workflow.reserved), field=name) for name in reserved
        )


def _why_reserved(name: str, reserved: Collection[str]) -> str:
    if name.startswith(SEALED) or sealed_variable(name) in reserved:
        return f"{name!r} is a sealed variable, which a fork cannot change; leave it out, or rerun from the step that seals it"
    return f"{name!r} is a control key, which nobody can set; leave it out"


def _before(stood: Stood, facts: tuple[f.Fact, ...], step: str) -> int:
    """How many facts there were when the step was entered for the last time."""
    begins = next((each.id for each in stood.workflow.steps if step in (each.part_of, each.id)), step)
    found = entries(list(enumerate(facts, 1)), stood.number(begins))
    if not found:
        raise Conflict(
            f"step {step!r} was not reached by execution {stood.record.id}, so that there is nothing to go on from; "
            "name a step that was, or run all of it again"
        )
    return found[-1] - 1
