"""The dialects that there are, and the way to each. An explicit tuple: nothing is registered by being imported."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from msgspec.structs import replace

from perdure.core.program import Program
from perdure.dialects import graph, orchestration, phases, ports
from perdure.dialects.port import Compiled, Dialect, Naming, Requirements, Seen
from perdure.dialects.reading import faults
from perdure.dialects.recognition import recognise
from perdure.errors import InvalidExpression, InvalidWorkflow
from perdure.expressions.language import compile_value
from perdure.expressions.ready import SOURCE_WORK, Together, together
from perdure.expressions.wording import shown
from perdure.model import inputs
from perdure.model.catalog import LOCAL, Catalog
from perdure.model.executors import OURS
from perdure.model.problem import Problem
from perdure.model.steps import Task
from perdure.model.values import Json
from perdure.model.workflow import Workflow

DIALECTS: Final[tuple[Dialect, ...]] = (ports.DIALECT, orchestration.DIALECT, phases.DIALECT, graph.DIALECT)
_NOTHING: Final = Catalog()


def compile(
    value: Json,
    catalog: Catalog = _NOTHING,
    *,
    dialect: str | None = None,
    name: str | None = None,
    id: str | None = None,
) -> Compiled:
    """What becomes of a document: a model that runs, or every problem. It never raises on a document.

    `name` is what it is called if it does not say so itself; `id` is the one it is saved under, if that is known.
    """
    found = _dialect_of(value, dialect)
    if isinstance(found, Compiled):
        return found
    with together() as expressions:
        try:
            compiled = found.compile(value, catalog, Naming(name, id))
            compiled = compiled if compiled.workflow is None else _proved(compiled)
        except InvalidExpression:
            if not expressions.is_too_much:
                raise
            compiled = Compiled(None, name or "?", found.name)
    return (
        compiled
        if not expressions.is_too_much
        else replace(compiled, workflow=None, problems=(_too_much(expressions),))
    )


def requirements(value: Json, *, dialect: str | None = None) -> Requirements:
    """What the catalog has to hold for this document; of one that is none, nothing."""
    found = _dialect_of(value, dialect)
    return Requirements() if isinstance(found, Compiled) else found.requirements(value)


def view(dialect: str, seen: Seen) -> Json:
    """An execution in the words of its dialect."""
    found = _known(dialect)
    if found is None:
        raise ValueError(f"there is no dialect {dialect!r} here; there are {', '.join(each.name for each in DIALECTS)}")
    return found.view(seen)


def definition(value: Json) -> dict[str, Json]:
    """The part of a document that has its id, its name and its status; of one that is none, what is there."""
    found = _dialect_of(value, None)
    if isinstance(found, Compiled):
        return value if isinstance(value, dict) else {}
    return found.definition(value)


def step_view(dialect: str, seen: Seen, step: str) -> Json:
    """One step of an execution in the words of its dialect; None where it has none of its own."""
    found = _known(dialect)
    return None if found is None else found.step_view(seen, step)


def history_name(dialect: str, kind: str) -> str | None:
    """What the dialect calls what happened, if it has a name for it."""
    found = _known(dialect)
    return None if found is None else found.history_name(kind)


def inline_metadata(dialect: str, value: Json) -> Json:
    """What an execution keeps of a document that is run without being saved."""
    found = _known(dialect)
    return None if found is None else found.inline_metadata(value)


def version(dialect: str, value: Json) -> str | None:
    """The author's own semantic version of a document; None: the engine counts."""
    found = _known(dialect)
    return None if found is None else found.version(value)


def started_with(value: Json) -> dict[str, Json]:
    """What a document brings along to be started with; of one that is none, nothing."""
    found = _dialect_of(value, None)
    return {} if isinstance(found, Compiled) else found.started_with(value)


def input_problems(dialect: str, given: Json) -> tuple[Problem, ...]:
    """Why no execution can begin with this input; where no dialect knows, it can."""
    found = _known(dialect)
    return () if found is None else found.input_problems(given)


def depth(dialect: str, given: Json) -> int:
    """How deep in a chain of starts this input says that it is; where no dialect knows, 0."""
    found = _known(dialect)
    return 0 if found is None else found.depth(given)


def _dialect_of(value: Json, dialect: str | None) -> Dialect | Compiled:
    wrong = faults(value)
    if wrong:
        return Compiled(None, "?", None, tuple(wrong))
    name = recognise(value, dialect)
    if isinstance(name, Problem):
        return Compiled(None, "?", None, (name,))
    found = _known(name)
    assert found is not None, "whatever is recognised is here"
    return found


def _known(name: str) -> Dialect | None:
    return next((each for each in DIALECTS if each.name == name), None)


def _too_much(expressions: Together) -> Problem:
    """What else is wrong with it is not known: not all of it has been looked at."""
    message = (
        f"the expressions of this document come to {expressions.work:,}, and {expressions.most:,} is the most that is taken: the "
        f"characters of all that differ, and {SOURCE_WORK} for each; split the workflow, or compute more of it in tasks"
    )
    return Problem("too_large", message, expected=expressions.most, actual=expressions.work)


def _proved(compiled: Compiled) -> Compiled:
    """That the model runs is not only what the dialect believes: what is wrong with it now is told, not met by an execution."""
    assert compiled.workflow is not None, "the dialect has found no problem"
    ours = tuple(_not_for_documents(compiled.workflow))
    if ours:
        return Compiled(None, compiled.name, compiled.dialect, ours, compiled.warnings, compiled.obstacles)
    try:
        Program(compiled.workflow, compile_value)
    except InvalidWorkflow as error:
        problems = tuple(
            Problem("invalid_model", f"it cannot run: {fault.message} (in its model, at {fault.path or '/'})")
            for fault in error.problems
        )
        return Compiled(None, compiled.name, compiled.dialect, problems, compiled.warnings, compiled.obstacles)
    problems = tuple(replace(problem, path="") for problem in inputs.unusable(compiled.workflow))
    if problems:  # their paths lead into the model, not into the document
        return Compiled(None, compiled.name, compiled.dialect, problems, compiled.warnings, compiled.obstacles)
    return compiled


def _not_for_documents(workflow: Workflow) -> Iterator[Problem]:
    """Tasks that only the engine calls believe what they are given. A transform is made by its dialect, which sets it up."""
    for step in workflow.steps:
        work = step.work
        if isinstance(work, Task) and work.task.removeprefix(f"{LOCAL}/").startswith(OURS) and work.setup is None:
            message = f"{shown(work.task)} is a part of the engine, as all whose names begin with {OURS!r}, and no task to call"
            yield Problem("not_a_task", message, step=step.part_of or step.id, ref=work.task)
