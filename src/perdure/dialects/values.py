"""Values of documents that write `{{ }}` or `${ }`: templates and expressions, with the names that a dialect has for what the
model has.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final, TypeAlias, assert_never

from perdure.dialects.faults import Faults
from perdure.errors import InvalidExpression
from perdure.expressions.language import compile_value
from perdure.expressions.numbers import SPACE
from perdure.expressions.scanner import Form, parts_of
from perdure.expressions.templates import value_of
from perdure.model.values import NOTHING, Array, Constant, Expression, Json, Object, Text, Value

Rename: TypeAlias = Callable[[str], str]
"""The source of an expression with the names of the model. Raises `InvalidExpression`."""

UNDEFINED: Final = Expression("undefined")


def template(
    given: Json,
    rename: Rename,
    path: str,
    faults: Faults,
    *,
    step: str = "",
    no_secrets: str | None = "",
    form: Form = "{{",
) -> Value:
    """A part of the document with templates in it. `no_secrets`: where secrets may stand instead; None: here."""

    def noted(source: str) -> str:
        return note(source, rename(source), faults)

    try:
        value = renamed(value_of(given, form), noted)
    except InvalidExpression as error:
        faults.take(error.problems, path, step)
        return NOTHING
    return checked(value, path, faults, step, no_secrets=no_secrets)


def expression(
    given: str, rename: Rename, path: str, faults: Faults, *, step: str, no_secrets: str, form: Form = "{{"
) -> Expression:
    """An expression as such. Each `{{ }}` in it is an operand, not text that is pasted in: `{{status}} == 'active'`."""
    try:
        value = Expression(note(given, rename(joined(given, form)), faults))
    except InvalidExpression as error:
        faults.take(error.problems, path, step)
        return UNDEFINED
    checked(value, path, faults, step, no_secrets=no_secrets)
    return value


def note(written: str, source: str, faults: Faults) -> str:
    """The source, of which it is remembered what its author wrote."""
    if written != source:
        faults.written[source] = written
    return source


def joined(given: str, form: Form = "{{") -> str:
    """The source of an expression that may have `{{ }}` around its operands. In quotes, they are a part of that text."""
    source: list[str] = []
    quote, inside = "", _Quoted()
    for part in parts_of(given, form):
        if part.is_expression:
            operand = part.source.strip(SPACE)
            if quote:
                inside.add(f"${{{operand}}}")
            else:
                source.append(f"({operand})")
            continue
        for piece in _PIECE.findall(part.source):
            if piece == quote:
                source.append(inside.source(quote))
                quote = ""
            elif quote:
                inside.literals.append(piece)
            elif piece in _QUOTES:
                quote, inside = piece, _Quoted()
            else:
                source.append(piece)
    return "".join(source) if not quote else f"{''.join(source)}{quote}{inside.source('')}"


_QUOTES: Final = ("'", '"')
_PIECE: Final = re.compile(r"""\\.|['"]|[^'"\\]+|\\""", re.DOTALL)


class _Quoted:
    """A text in an expression. One with operands in it is a template literal."""

    def __init__(self) -> None:
        self.before: list[str] = []
        self.literals: list[str] = []

    def add(self, operand: str) -> None:
        self.before += (_escaped("".join(self.literals)), operand)
        self.literals = []

    def source(self, quote: str) -> str:
        rest = "".join(self.literals)
        return f"`{''.join(self.before)}{_escaped(rest)}`" if self.before else f"{quote}{rest}{quote}"


def _escaped(text: str) -> str:
    return text.replace("`", "\\`").replace("${", "\\${")


def quoted(text: str) -> str:
    """As a text in an expression."""
    escaped = text.replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n").replace("\r", "\\r")
    return f"'{escaped}'"


def constants(**values: Json) -> Object:
    """An object whose parts are values already, or constants."""
    return objects(values)


def objects(values: dict[str, Json]) -> Object:
    kinds = (Constant, Expression, Text, Object, Array)
    return Object(
        tuple(
            (Constant(name), value if isinstance(value, kinds) else Constant(value)) for name, value in values.items()
        )
    )


def renamed(value: Value, rename: Rename) -> Value:
    match value:
        case Expression(source=source):
            return Expression(rename(source))
        case Text(parts=parts):
            return Text(tuple(renamed(part, rename) for part in parts))
        case Array(items=items):
            return Array(tuple(renamed(item, rename) for item in items))
        case Object(entries=entries):
            return Object(tuple((renamed(key, rename), renamed(part, rename)) for key, part in entries))
        case Constant():
            return value
        case _:
            assert_never(value)


def checked(value: Value, path: str, faults: Faults, step: str, *, no_secrets: str | None) -> Value:
    try:
        compiled = compile_value(value)
    except InvalidExpression as error:
        faults.take(error.problems, path, step)
        return NOTHING
    if compiled.has_secrets and no_secrets is not None:
        faults.problem("secret_misused", path, f"a secret can only stand in {no_secrets}", step=step)
        return NOTHING
    return value
