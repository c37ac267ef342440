"""Values of a graph document. The names in its expressions are keys of the context, which the model has as `vars`."""

from __future__ import annotations

from typing import assert_never

from perdure.dialects.faults import Faults
from perdure.errors import InvalidExpression
from perdure.expressions.language import compile_value
from perdure.expressions.numbers import SPACE
from perdure.expressions.renaming import under
from perdure.expressions.scanner import parts_of
from perdure.expressions.templates import value_of
from perdure.model.values import NOTHING, Array, Constant, Expression, Json, Object, Text, Value

CONTEXT = "vars"


def template(given: Json, path: str, faults: Faults, *, step: str = "", secrets: bool = False) -> Value:
    """A part of the document with `{{ }}` in it. `secrets`: they may stand there, because a task is given it."""
    try:
        value = _under_context(value_of(given, "{{"))
    except InvalidExpression as error:
        faults.take(error.problems, path, step)
        return NOTHING
    return checked(value, path, faults, step, secrets=secrets)


def expression(given: str, path: str, faults: Faults, *, step: str = "") -> Expression:
    """An expression as such. Each `{{ }}` in it is an operand, not text that is pasted in: `{{status}} == 'active'`."""
    try:
        value = Expression(under(joined(given), CONTEXT))
    except InvalidExpression as error:
        faults.take(error.problems, path, step)
        return Expression("undefined")
    checked(value, path, faults, step, secrets=False)
    return value


def joined(given: str) -> str:
    """The source of an expression that may have `{{ }}` around its operands."""
    parts = parts_of(given, "{{")
    return "".join(f"({part.source.strip(SPACE)})" if part.is_expression else part.source for part in parts)


def field(given: str, path: str, faults: Faults, *, step: str = "") -> Value:
    """A path into the context, like `user.tags.0`; or a template, which is its value."""
    if "{{" in given:
        return template(given, path, faults, step=step)
    keys = [part for piece in given.split(".") for part in piece.replace("]", "").split("[")]
    if not all(keys):
        faults.problem("invalid_field", path, "a field is a path into the context, like user.name", step=step)
        return NOTHING
    value = Expression(CONTEXT + "".join(f"[{quoted(key)}]" for key in keys))
    return checked(value, path, faults, step, secrets=False)


def quoted(text: str) -> str:
    """As a text in an expression."""
    escaped = text.replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n").replace("\r", "\\r")
    return f"'{escaped}'"


def constants(**values: Json) -> Object:
    """An object whose parts are values already, or constants."""
    kinds = (Constant, Expression, Text, Object, Array)
    return Object(
        tuple(
            (Constant(name), value if isinstance(value, kinds) else Constant(value)) for name, value in values.items()
        )
    )


def _under_context(value: Value) -> Value:
    match value:
        case Expression(source=source):
            return Expression(under(source, CONTEXT))
        case Text(parts=parts):
            return Text(tuple(map(_under_context, parts)))
        case Array(items=items):
            return Array(tuple(map(_under_context, items)))
        case Object(entries=entries):
            return Object(tuple((_under_context(key), _under_context(part)) for key, part in entries))
        case Constant():
            return value
        case _:
            assert_never(value)


def checked(value: Value, path: str, faults: Faults, step: str, *, secrets: bool) -> Value:
    try:
        compiled = compile_value(value)
    except InvalidExpression as error:
        faults.take(error.problems, path, step)
        return NOTHING
    if compiled.has_secrets and not secrets:
        message = "a secret can only stand in the data of a node that calls something: an executor or a request"
        faults.problem("secret_misused", path, message, step=step)
        return NOTHING
    return value
