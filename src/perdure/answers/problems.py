"""What is wrong with what was given, problem by problem."""

from __future__ import annotations

from msgspec import UNSET, Struct, UnsetType

from perdure.expressions.texts import mended
from perdure.model.problem import Problem
from perdure.model.values import Json
from perdure.service.shapes import if_any, or_none


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


class ProblemDetails(Struct, frozen=True, rename="camel"):
    """What went wrong, as RFC 9457 has it. `type` names the kind of it, and so does `code`, in a word."""

    type: str
    title: str
    status: int
    detail: str
    code: str
    request_id: str | UnsetType = UNSET
    error: str | UnsetType = UNSET
    errors: tuple[ProblemAnswer, ...] | UnsetType = UNSET


def problem_answer(problem: Problem) -> ProblemAnswer:
    """Whatever somebody has sent: a place in it may be named by half a character, which no JSON can hold."""
    return ProblemAnswer(
        problem.type,
        mended(problem.step),
        mended(problem.field),
        mended(problem.message),
        mended(problem.path),
        if_any(problem.ref),
        if_any(problem.expected),
        if_any(problem.actual),
        if_any(problem.line),
        if_any(problem.column),
    )


def problem_from(answer: ProblemAnswer) -> Problem:
    return Problem(
        answer.type,
        answer.message,
        answer.path,
        answer.step,
        answer.field,
        or_none(answer.ref),
        or_none(answer.expected),
        or_none(answer.actual),
        or_none(answer.line),
        or_none(answer.column),
    )
