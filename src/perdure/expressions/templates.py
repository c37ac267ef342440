"""Templates: text with expressions in it, as `{{ … }}` or `${ … }`.

A text that is exactly one template is its value, whatever its type; in a longer text it is rendered. What is rendered is
data: nobody looks for templates in it again.
"""

from __future__ import annotations

from msgspec.structs import replace

from perdure.errors import Fault, InvalidExpression
from perdure.expressions.parse import parse
from perdure.expressions.scanner import Form, Part, parts_of
from perdure.model.problem import Problem
from perdure.model.values import Array, Constant, Expression, Json, Object, Text, Value

DOCUMENT_DEPTH_MAX = 100


def value_of(given: Json, form: Form, depth: int = 0) -> Value:
    """What a part of a document is: a constant, or a tree with expressions in it. Every expression is parsed here."""
    if depth > DOCUMENT_DEPTH_MAX:
        message = f"a document is at most {DOCUMENT_DEPTH_MAX} levels deep"
        raise InvalidExpression("", (Problem("invalid_expression", message),))
    match given:
        case str():
            return _text(given, form)
        case list():
            items = tuple(value_of(item, form, depth + 1) for item in given)
            return (
                Array(items) if any(not isinstance(item, Constant) for item in items) else Constant(_constants(items))
            )
        case dict():
            entries = tuple((_text(key, form), value_of(item, form, depth + 1)) for key, item in given.items())
            if any(not isinstance(part, Constant) for entry in entries for part in entry):
                return Object(entries)
            return Constant({key.value: item.value for key, item in entries})  # type: ignore[union-attr]
        case _:
            return Constant(given)


def _constants(items: tuple[Value, ...]) -> list[Json]:
    return [item.value for item in items if isinstance(item, Constant)]


def _text(text: str, form: Form) -> Value:
    parts = parts_of(text, form)
    values = tuple(_part(text, part) for part in parts)
    if not values:
        return Constant("")
    if len(values) == 1 and (parts[0].is_expression or isinstance(values[0], Constant)):
        return values[0]
    return Text(values)


def _part(text: str, part: Part) -> Value:
    if not part.is_expression:
        return Constant(part.source)
    source = part.source.strip()
    try:
        parse(source)
    except InvalidExpression as error:
        begins = part.at + len(part.source) - len(part.source.lstrip())
        raise InvalidExpression(source, [_moved(problem, text, begins) for problem in error.problems]) from error
    return Expression(source)


def _moved(problem: Fault, text: str, begins: int) -> Problem:
    """The problem with its place in the whole text."""
    assert isinstance(problem, Problem)
    line, column = problem.line or 1, problem.column or 1
    before = begins - (text.rfind("\n", 0, begins) + 1) if line == 1 else 0
    return replace(problem, line=line + text.count("\n", 0, begins), column=column + before)
