"""Templates: text with expressions in it, as `{{ … }}` or `${ … }`.

A text that is exactly one template is its value, whatever its type; in a longer text it is rendered. What is rendered is
data: nobody looks for templates in it again.
"""

from __future__ import annotations

from perdure.expressions.parse import parse
from perdure.expressions.scanner import Form, Part, parts_of
from perdure.model.values import Array, Constant, Expression, Json, Object, Text, Value


def value_of(given: Json, form: Form) -> Value:
    """What a part of a document is: a constant, or a tree with expressions in it. Every expression is parsed here."""
    match given:
        case str():
            return _text(given, form)
        case list():
            items = tuple(value_of(item, form) for item in given)
            return (
                Array(items) if any(not isinstance(item, Constant) for item in items) else Constant(_constants(items))
            )
        case dict():
            entries = tuple((_text(key, form), value_of(item, form)) for key, item in given.items())
            if any(not isinstance(part, Constant) for entry in entries for part in entry):
                return Object(entries)
            return Constant({key.value: item.value for key, item in entries})  # type: ignore[union-attr]
        case _:
            return Constant(given)


def _constants(items: tuple[Value, ...]) -> list[Json]:
    return [item.value for item in items if isinstance(item, Constant)]


def _text(text: str, form: Form) -> Value:
    parts = parts_of(text, form)
    values = tuple(_part(part) for part in parts)
    if not values:
        return Constant("")
    if len(values) == 1 and (parts[0].is_expression or isinstance(values[0], Constant)):
        return values[0]
    return Text(values)


def _part(part: Part) -> Value:
    if not part.is_expression:
        return Constant(part.source)
    source = part.source.strip()
    parse(source)
    return Expression(source)
