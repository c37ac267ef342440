"""PARALLEL: branches beside one another. The step itself is where they meet; a part of it is where they begin."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from perdure.dialects.orchestration.built import Built
from perdure.dialects.orchestration.document import Branch, StepDef
from perdure.dialects.values import objects, quoted
from perdure.model.steps import Compute, Route, Step
from perdure.model.values import Expression


def begin_id(step_id: str) -> str:
    """The part that leads into the branches."""
    return f"{step_id}/branches"


def parallel(step: StepDef, entered: Mapping[str, str]) -> Built:
    firsts = tuple(dict.fromkeys(_first(step, branch, entered) for branch in step.branches))
    begin = Step(begin_id(step.id), Compute(), (Route(firsts),), join="any", part_of=step.id)
    outputs = objects({branch.name: Expression(_output(branch)) for branch in step.branches})
    return Built(Compute(outputs), parts=(begin,), waits_for_all=True)


def _first(step: StepDef, branch: Branch, entered: Mapping[str, str]) -> str:
    return entered[branch.steps[0].id] if branch.steps else step.id


def _output(branch: Branch) -> str:
    """What the last of its steps that has run came to."""
    steps = ", ".join(f"steps[{quoted(step.id)}]" for step in branch.steps)
    newest = "(best, one) => one?.status === 'completed' && (best == null || one.at >= best.at) ? one : best"
    return f"([{steps}].reduce({newest}, null).output ?? null)"


def ends(steps: tuple[StepDef, ...]) -> Iterator[tuple[StepDef, tuple[str, ...]]]:
    """Every step, with where its end leads: at the top nowhere, in a branch to where the branches meet."""
    for step in steps:
        yield step, ()
        for branch in step.branches:
            for inner, end in ends(branch.steps):
                yield inner, end or (step.id,)
