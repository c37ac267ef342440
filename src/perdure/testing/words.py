"""Short words for values, so that a workflow written as a model reads as one."""

from __future__ import annotations

from perdure.model.values import Array, Constant, Expression, Json, Object, Text, Value


def x(source: str) -> Expression:
    """An expression."""
    return Expression(source)


def k(value: Json) -> Constant:
    """A constant."""
    return Constant(value)


def obj(**entries: Value | Json) -> Object:
    """An object of values; what is not one is a constant."""
    return Object(tuple((Constant(name), _value(value)) for name, value in entries.items()))


def arr(*items: Value | Json) -> Array:
    """An array of values."""
    return Array(tuple(_value(item) for item in items))


def text(*parts: Value | str) -> Text:
    """Text with values in it."""
    return Text(tuple(_value(part) for part in parts))


def _value(value: Value | Json) -> Value:
    return value if isinstance(value, Constant | Expression | Text | Object | Array) else Constant(value)
