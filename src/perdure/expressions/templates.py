"""Templates: text with expressions in it, as `{{ … }}` or `${ … }`.

A text that is exactly one template is its value, whatever its type; in a longer text it is rendered. What is rendered is
data: nobody looks for templates in it again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeAlias

from msgspec.structs import replace

from perdure.errors import InvalidExpression
from perdure.expressions.numbers import SPACE
from perdure.expressions.ready import ready
from perdure.expressions.scanner import Form, Part, parts_of
from perdure.expressions.wording import pointer
from perdure.model.problem import Problem
from perdure.model.values import NOTHING, Array, Constant, Expression, Json, Object, Text, Value

DOCUMENT_DEPTH_MAX = 100
PROBLEMS_MAX = 100
Look: TypeAlias = Callable[[str], Iterable[Problem]]
"""What is to be said of the source of an expression, with its line and column in it."""


def value_of(given: Json, form: Form) -> Value:
    """What a part of a document is: a constant, or a tree with expressions in it. Every expression is read here, and all
    that is wrong is told at once, each with its path in `given`.
    """
    reading = _Reading(form, _faults)
    value = reading.value(given, "", 0)
    if reading.problems:
        raise InvalidExpression("", reading.problems)
    return value


def look_at(given: Json, form: Form, look: Look) -> list[Problem]:
    """What `look` says of the expressions in a part of a document, with path and place in it."""
    reading = _Reading(form, look)
    reading.value(given, "", 0)
    return reading.problems


def _faults(source: str) -> Iterable[Problem]:
    try:
        ready(source)
    except InvalidExpression as error:
        return _problems(error)
    return ()


def _problems(error: InvalidExpression) -> list[Problem]:
    return [problem for problem in error.problems if isinstance(problem, Problem)]


class _Reading:
    """Reads one part of a document."""

    def __init__(self, form: Form, look: Look) -> None:
        self.form = form
        self.look = look
        self.problems: list[Problem] = []

    def value(self, given: Json, path: str, depth: int) -> Value:
        if depth > DOCUMENT_DEPTH_MAX:
            message = f"a document is at most {DOCUMENT_DEPTH_MAX} levels deep"
            self.problems.append(Problem("invalid_expression", message, path=path))
            return NOTHING
        if len(self.problems) >= PROBLEMS_MAX:
            return NOTHING
        match given:
            case str():
                return self.text(given, path)
            case list():
                items = [self.value(item, f"{path}/{number}", depth + 1) for number, item in enumerate(given)]
                if any(not isinstance(item, Constant) for item in items):
                    return Array(tuple(items))
                return Constant([item.value for item in items if isinstance(item, Constant)])
            case dict():
                entries = [self.entry(key, item, f"{path}/{pointer(key)}", depth + 1) for key, item in given.items()]
                if any(not isinstance(part, Constant) for entry in entries for part in entry):
                    return Object(tuple(entries))
                return Constant({key.value: item.value for key, item in entries})  # type: ignore[union-attr]
            case _:
                return Constant(given)

    def entry(self, key: str, item: Json, path: str, depth: int) -> tuple[Value, Value]:
        return self.text(key, path), self.value(item, path, depth)

    def text(self, text: str, path: str) -> Value:
        try:
            parts = parts_of(text, self.form)
        except InvalidExpression as error:
            self.problems.extend(replace(problem, path=path) for problem in _problems(error))
            return NOTHING
        values = tuple(self.part(text, part, path) for part in parts)
        match values:
            case ():
                return Constant("")
            case (value,):
                return value
            case _:
                return Text(values)

    def part(self, text: str, part: Part, path: str) -> Value:
        if not part.is_expression:
            return Constant(part.source)
        source = part.source.strip(SPACE)
        begins = part.at + len(part.source) - len(part.source.lstrip(SPACE))
        self.problems.extend(replace(_moved(problem, text, begins), path=path) for problem in self.look(source))
        return Expression(source)


def _moved(problem: Problem, text: str, begins: int) -> Problem:
    line, column = problem.line or 1, problem.column or 1
    before = begins - (text.rfind("\n", 0, begins) + 1) if line == 1 else 0
    return replace(problem, line=line + text.count("\n", 0, begins), column=column + before)
