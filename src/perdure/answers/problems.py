"""What is wrong with what was given, problem by problem."""

from __future__ import annotations

from msgspec import UNSET, Struct, UnsetType

from perdure.model.problem import Problem
from perdure.model.values import Json
from perdure.service.shapes import if_any


class ProblemAnswer(Struct, frozen=True):
    """`type`, `step`, `field`, `message` and `path` are always there, also where they say nothing."""

    type: str
    step: str
    field: str
    message: str
    path: str
    ref: str | UnsetType = UNSET
    expected: Json = UNSET
    actual: Json = UNSET
    line: int | UnsetType = UNSET
    column: int | UnsetType = UNSET


def problem_answer(problem: Problem) -> ProblemAnswer:
    return ProblemAnswer(
        problem.type,
        problem.step,
        problem.field,
        problem.message,
        problem.path,
        if_any(problem.ref),
        if_any(problem.expected),
        if_any(problem.actual),
        if_any(problem.line),
        if_any(problem.column),
    )
