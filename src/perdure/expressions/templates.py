"""Templates: text with expressions in it, as `{{ … }}` or `${ … }`.

A text that is exactly one template is its value, whatever its type; in a longer text it is rendered. What is rendered is
data: nobody looks for templates in it again.
"""

from __future__ import annotations

from msgspec.structs import replace

from perdure.errors import InvalidExpression
from perdure.expressions.parse import parse
from perdure.expressions.scanner import Form, Part, parts_of
from perdure.model.problem import Problem
from perdure.model.values import NOTHING, Array, Constant, Expression, Json, Object, Text, Value

DOCUMENT_DEPTH_MAX = 100


def value_of(given: Json, form: Form) -> Value:
    """What a part of a document is: a constant, or a tree with expressions in it. Every expression is parsed here, and all
    that is wrong is told at once, each with its path in `given`.
    """
    reading = _Reading(form)
    value = reading.value(given, "", 0)
    if reading.faults:
        source, _ = reading.faults[0]
        raise InvalidExpression(source, [problem for _, problem in reading.faults])
    return value


class _Reading:
    """Reads one part of a document."""

    def __init__(self, form: Form) -> None:
        self.form = form
        self.faults: list[tuple[str, Problem]] = []

    def value(self, given: Json, path: str, depth: int) -> Value:
        if depth > DOCUMENT_DEPTH_MAX:
            message = f"a document is at most {DOCUMENT_DEPTH_MAX} levels deep"
            self.faults.append(("", Problem("invalid_expression", message, path=path)))
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
            self.fault(text, path, error, 0)
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
        source = part.source.strip()
        try:
            parse(source)
        except InvalidExpression as error:
            self.fault(text, path, error, part.at + len(part.source) - len(part.source.lstrip()))
        return Expression(source)

    def fault(self, text: str, path: str, error: InvalidExpression, begins: int) -> None:
        """The problems with their path, and their place in the whole text."""
        for problem in error.problems:
            assert isinstance(problem, Problem)
            self.faults.append((error.source, replace(_moved(problem, text, begins), path=path)))


def pointer(key: str) -> str:
    """A key as a part of a path, by RFC 6901."""
    return key.replace("~", "~0").replace("/", "~1")


def _moved(problem: Problem, text: str, begins: int) -> Problem:
    line, column = problem.line or 1, problem.column or 1
    before = begins - (text.rfind("\n", 0, begins) + 1) if line == 1 else 0
    return replace(problem, line=line + text.count("\n", 0, begins), column=column + before)
