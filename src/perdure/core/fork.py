"""Forks: a new execution that begins where another one once stood, with changes.

Its history is a copy of the other's up to that point, then `ExecutionForked`. So every value it refers to is its own,
and it folds like any other. What was open is opened anew, under new operations: a fork shares no effect with its origin.
"""

from __future__ import annotations

from msgspec import Struct

from perdure.core import ending
from perdure.core import facts as f
from perdure.core.draft import Draft, Transition, Wanting
from perdure.core.playing import feed_all, play
from perdure.core.program import Program
from perdure.core.state import State
from perdure.core.values import NO_VALUES, NeedValues, Values
from perdure.model.values import Json


class Edits(Struct, frozen=True):
    """What the fork changes. `steps`: where it goes on, instead of where its origin stood. `input` in a tuple of one. `by`: who
    has started it, if not whoever started its origin.
    """

    at: int
    execution: str
    input: tuple[Json] | None = None
    outputs: dict[str, Json] = {}
    variables: dict[str, Json] = {}
    steps: tuple[str, ...] | None = None
    by: str | None = None


def fork(program: Program, state: State, edits: Edits, values: Values = NO_VALUES) -> Transition | NeedValues:
    """Begin the fork. `state` is that of the origin at the point in its history where the fork leaves it."""
    draft = Draft(program, state, values, edits.at)
    try:
        draft.record(
            f.ExecutionForked(
                at=draft.at,
                execution=edits.execution,
                origin=state.execution,
                input=None if edits.input is None else edits.input[0],
                edited_input=edits.input is not None,
                outputs={program.number[step]: output for step, output in edits.outputs.items()},
                assigned=edits.variables or None,
                steps=None if edits.steps is None else tuple(program.number[step] for step in edits.steps),
                deadline_at=ending.deadline_at(draft),
                flowing=program.flowing,
                by=edits.by,
            )
        )
        ending.open_cancels(draft)
        feed_all(draft)
        play(draft)
        ending.settle(draft)
    except Wanting as wanting:
        return NeedValues(wanting.refs)
    return draft.transition()
