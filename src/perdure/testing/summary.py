"""What a world came to, in words that do not depend on what befell its workers on the way.

Two runs of one workflow under one script are the same run if their summaries are equal: the same executions, each with
the same status, output, error, step outcomes, variables, compensation and chains. Numbers of facts and attempts, and the
ids that follow from them, are left out or named by what they stand for.
"""

from __future__ import annotations

from typing import Any

import msgspec

from perdure.core import facts as f
from perdure.core.apply import fold
from perdure.core.draft import Draft
from perdure.core.program import Program
from perdure.core.scope import error_value, outcome
from perdure.core.standing import standing
from perdure.core.state import State
from perdure.core.values import Ref
from perdure.ids import derived
from perdure.model import codec
from perdure.model.values import Json
from perdure.testing.world import World


class Account(msgspec.Struct, frozen=True):
    """What one execution came to."""

    workflow: str
    status: str
    waiting: str | None
    output: Json
    error: Json
    runs: dict[str, int]
    outcomes: dict[str, Json]
    variables: dict[str, Json]
    failed_steps: tuple[str, ...]
    undone: Json
    chains: dict[str, str]


def summary(world: World) -> list[Any]:
    """All executions of a world, with ids replaced by names."""
    named = names(world)
    accounts = {named[execution]: account(world, execution) for execution in world.store.rows}
    text = msgspec.json.encode(sorted(accounts.items()), order="sorted").decode()
    for execution, name in named.items():
        text = text.replace(execution, name)
    for approval in world.store.approvals.values():
        text = text.replace(approval.id, f"approval of {approval.step}")
    for _, event_id in world.store.events:
        text = text.replace(event_id, "event")
    decoded: list[Any] = msgspec.json.decode(text)
    return decoded


def names(world: World) -> dict[str, str]:
    """A name for each execution that says where it comes from: whose child, of which step, run and item."""
    found: dict[str, str] = {}
    for execution, row in world.store.rows.items():  # a parent comes before its children
        parent = row.record.parent
        if row.record.trigger == "event":
            name = f"{row.record.workflow} by event of {found.get(parent or '', 'outside')}"
            while name in found.values():
                name += ", again"
            found[execution] = name
        elif parent is None:
            found[execution] = execution
        else:
            found[execution] = f"{found[parent]}/{_birth(world, parent, execution)}"
    return found


def _birth(world: World, parent: str, child: str) -> str:
    for seq, fact in enumerate(world.store.rows[parent].facts, start=1):
        if isinstance(fact, f.ChildStarted) and fact.child == child:
            place = world.place(parent, seq)
            return f"{place.step}.{place.run}.{place.item}"
        if isinstance(fact, f.ChainPlanned):
            for item in range(fact.total):
                if derived(parent, "chain", fact.number, item) == child:
                    return f"chain {fact.number}.{item}"
    raise LookupError(f"{child} has no place in the history of {parent}")


def account(world: World, execution: str) -> Account:
    """What one execution came to."""
    row = world.store.rows[execution]
    program = Program(codec.decode(world.store.model(row.record.digest)), world.compile)
    state = fold(row.facts)
    draft = Draft(program, state, _Everything(world, execution), state.at)
    status, waiting = standing(program, state)
    return Account(
        workflow=row.record.workflow,
        status=status,
        waiting=None if waiting is None else f"{waiting.kind} {waiting.step}",
        output=row.record.output,
        error=None if row.record.error is None else error_value(row.record.error),
        runs={program.name(step): runs for step, runs in state.runs.items()},
        outcomes={program.name(step): _outcome(draft, step) for step in state.last},
        variables=_variables(draft, state),
        failed_steps=_failed_steps(program, row.facts),
        undone=_undone(program, state),
        chains={str(number): kind for number, kind in _chains(row.facts).items()},
    )


def _outcome(draft: Draft, step: int) -> Json:
    found = outcome(draft, step, draft.state.last[step])
    found.pop("at")
    return found


def _variables(draft: Draft, state: State) -> dict[str, Json]:
    """At the end, those of the execution; while paths are open, theirs are not looked at."""
    return {name: draft.fact(written.seq).assigned[name] for name, written in state.vars.items() if not written.gone}


def _failed_steps(program: Program, facts: list[f.Fact]) -> tuple[str, ...]:
    for fact in reversed(facts):
        if isinstance(fact, f.ExecutionFailed):
            return tuple(program.name(step) for step in fact.steps)
    return ()


def _undone(program: Program, state: State) -> Json:
    undoing = state.undoing
    if undoing is None:
        return None
    return {
        "phase": undoing.phase,
        "plan": [[program.name(by), program.name(step)] for by, step in undoing.plan],
        "failed": [program.name(undoing.plan[at][0]) for at in undoing.failed],
        "unknown": sorted(program.name(step) for step in undoing.unknown),
    }


def _chains(facts: list[f.Fact]) -> dict[int, str]:
    found: dict[int, str] = {}
    for fact in facts:
        match fact:
            case f.ChainPlanned():
                found[fact.number] = f"planned {fact.total}"
            case f.ChainSkipped():
                found[fact.number] = "skipped"
            case f.ChainFailed():
                found[fact.number] = "failed"
            case _:
                pass
    return found


class _Everything(dict[Ref, Any]):
    """All values of an execution, as they are asked for."""

    def __init__(self, world: World, execution: str) -> None:
        super().__init__()
        self._world = world
        self._execution = execution

    def get(self, ref: Ref, default: Any = None) -> Any:
        del default
        return self._world.store.values(self._execution, [ref])[ref]
