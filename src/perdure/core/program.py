"""A workflow made ready to run: values compiled, routes resolved to positions, the graph analysed. Built once a process."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from msgspec import Struct

from perdure.core.joins import Graph
from perdure.errors import EvaluationError, Fault, InvalidExpression, InvalidWorkflow
from perdure.expressions.protocol import Compile, Compiled, Path
from perdure.expressions.wording import shown
from perdure.model import check
from perdure.model.codec import digest
from perdure.model.problem import Problem
from perdure.model.steps import Loop, Route, Step, Task
from perdure.model.values import Array, Constant, Expression, Object, Text, Value
from perdure.model.workflow import Compensation, Workflow

_VALUES = (Constant, Expression, Text, Object, Array)


class Way(Struct, frozen=True):
    """A route with its targets as positions: those ahead, and those that an edge back to them closes a cycle with."""

    port: str | None
    when: Value | None
    next: tuple[int, ...]
    again: tuple[int, ...]


class Node(Struct, frozen=True):
    """A step in its place."""

    number: int
    step: Step
    ways: tuple[Way, ...]
    error_ways: tuple[Way, ...]
    looks_at_itself: bool
    """Whether its own mappings and routes compute anything, and so may read its outcome."""
    chooses: bool
    """Whether any of its routes has a condition."""


class Bound(Struct, frozen=True):
    """A compiled value and what it reads."""

    compiled: Compiled
    reads: tuple[Path, ...]


class Program:
    """What `advance` works with. It holds no state of any execution."""

    def __init__(self, workflow: Workflow, compile_: Compile) -> None:
        problems = check.problems(workflow)
        if problems:
            raise InvalidWorkflow(workflow.name, problems)
        self.workflow = workflow
        self.digest = digest(workflow)
        self.number = {step.id: number for number, step in enumerate(workflow.steps)}
        entries = [self.number[entry.step] for entry in workflow.entries]
        edges = tuple(tuple(dict.fromkeys(self._targets((*s.routes, *s.on_error)))) for s in workflow.steps)
        self.graph = Graph(edges, entries, self._returns(edges))
        self.nodes = tuple(self._node(number, step) for number, step in enumerate(workflow.steps))
        self.flowing = workflow.variables == "flowing"
        self.lookup = workflow.lookup
        self._written = dict(workflow.written)
        self.parts_of: dict[str, list[int]] = {}
        for number, step in enumerate(workflow.steps):
            if step.part_of is not None:
                self.parts_of.setdefault(step.part_of, []).append(number)
        self.parts = frozenset(number for parts in self.parts_of.values() for number in parts)
        self.compensations = self._first_compensations()
        self._bound = _bound(workflow, compile_)

    def bound(self, value: Value) -> Bound:
        return self._bound[id(value)]

    def name(self, number: int) -> str:
        return self.workflow.steps[number].id

    def known_as(self, number: int) -> str:
        """What people call the step: a part of one, as that one."""
        step = self.workflow.steps[number]
        return step.part_of or step.id

    def written(self, source: str) -> str:
        """What the author wrote in place of an expression of the model."""
        return self._written.get(source, source)

    def as_written(self, error: EvaluationError) -> EvaluationError:
        """The same, told of what the author wrote in place of what the model has."""
        written = self._written.get(error.source)
        if written is None:
            return error
        return type(error)(f"{shown(written)}{str(error).removeprefix(shown(error.source))}", source=error.source)

    def _returns(self, edges: tuple[tuple[int, ...], ...]) -> Iterator[tuple[int, int]]:
        """The ways back to loops that go on after errors: from every step that control can come to in a tick."""
        for number, step in enumerate(self.workflow.steps):
            if isinstance(step.work, Loop) and step.work.continue_on_error:
                body = {number}
                ahead = list(self._targets(route for route in step.routes if route.port != "done"))
                while ahead:
                    inside = ahead.pop()
                    if inside not in body:
                        body.add(inside)
                        ahead.extend(edges[inside])
                for inside in sorted(body - {number}):
                    yield inside, number

    def _targets(self, routes: Iterable[Route]) -> Iterator[int]:
        for route in routes:
            for target in route.to:
                yield self.number[target]

    def _node(self, number: int, step: Step) -> Node:
        own = (step.assign, step.unassign, step.pause_until, step.meta)
        computed = (*own, *step.ports, *(route.when for route in step.routes))
        looks = any(value is not None for value in computed)
        chooses = any(route.when is not None for route in step.routes)
        return Node(number, step, self._ways(number, step.routes), self._ways(number, step.on_error), looks, chooses)

    def way_back(self, step: int, loop: int) -> Way:
        """From a step that failed, to the loop around it."""
        if (step, loop) in self.graph.closing:
            return Way(None, None, (), (loop,))
        return Way(None, None, (loop,), ())

    def _ways(self, number: int, routes: tuple[Route, ...]) -> tuple[Way, ...]:
        return tuple(self._way(number, route) for route in routes)

    def _way(self, number: int, route: Route) -> Way:
        targets = dict.fromkeys(self.number[target] for target in route.to)
        closing = self.graph.closing
        return Way(
            port=route.port,
            when=route.when,
            next=tuple(target for target in targets if (number, target) not in closing),
            again=tuple(target for target in targets if (number, target) in closing),
        )

    def _first_compensations(self) -> dict[int, tuple[int, Compensation]]:
        """For each step, what undoes it; where several do, the first."""
        chosen: dict[int, tuple[int, Compensation]] = {}
        for compensation in self.workflow.compensations:
            chosen.setdefault(self.number[compensation.of], (self.number[compensation.by], compensation))
        return chosen


def loop_work(node: Node) -> Loop:
    assert isinstance(node.step.work, Loop)
    return node.step.work


def _bound(workflow: Workflow, compile_: Compile) -> dict[int, Bound]:
    """Every value of the workflow, compiled. By identity: the program holds the workflow, so its values stay where they are."""
    found: dict[int, Bound] = {}
    problems: list[Problem] = []
    for path, value, seals in _values(workflow, ""):
        try:
            compiled = compile_(value)
        except InvalidExpression as error:
            problems.extend(_at(path, problem) for problem in error.problems)
            continue
        if compiled.has_secrets and not seals:
            message = "a secret can only stand in the input of a task"
            problems.append(Problem("secret_misused", message, path=path))
        found[id(value)] = Bound(compiled, compiled.reads)
    if problems:
        raise InvalidWorkflow(workflow.name, problems)
    return found


def _at(path: str, problem: Fault) -> Problem:
    return Problem("invalid_expression", problem.message, path=f"{path}{problem.path}")


def _values(part: Any, path: str, *, seals: bool = False) -> Iterator[tuple[str, Value, bool]]:
    """Every value in a workflow, outermost only, because the language compiles what is inside; its path, and whether
    secrets may be in it.
    """
    if isinstance(part, _VALUES):
        yield path, part, seals
    elif isinstance(part, Struct):
        for field in part.__struct_fields__:
            may_seal = isinstance(part, Task) and field == "input"
            yield from _values(getattr(part, field), f"{path}/{field}", seals=may_seal)
    elif isinstance(part, tuple):
        for number, item in enumerate(part):
            yield from _values(item, f"{path}/{number}")
