"""A small expression language, enough to test the core with.

Names, `a.b`, `a["b"]`, `a[0]`, literals, arithmetic, comparison (`==`, `<`, `in` …), `and or not`, `x if c else y`, lists,
and `len(x)`. A property that is not there is undefined; a name that is not there is too. It is read with Python's own
parser against an allow-list and never given to `eval`.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterator
from typing import Any

import msgspec

from perdure.errors import EvaluationError
from perdure.expressions.protocol import UNDEFINED, Compiled, Path, Rendered, Scope, truthy
from perdure.model.values import Array, Constant, Expression, Json, Object, Text, Value

_BINARY: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Mod: operator.mod,
    ast.FloorDiv: operator.floordiv,
}
_COMPARE: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.In: lambda one, other: one in other,
}
_CONSTANTS = {"null": None, "true": True, "false": False, "undefined": UNDEFINED}


def compile_value(value: Value) -> Compiled:
    """A value made ready, in this language."""
    return _Value(value)


class _Value:
    def __init__(self, value: Value) -> None:
        self._value = value
        self._trees = {source: ast.parse(source, mode="eval").body for source in _sources(value)}
        paths = {path for tree in self._trees.values() for path in _reads(tree)}
        self.reads: tuple[Path, ...] = tuple(sorted(paths - {("secrets",)}))

    def evaluate(self, scope: Scope) -> Json:
        return self._compute(self._value, scope, None, "")

    def render(self, scope: Scope) -> Rendered:
        sealed: dict[str, Json] = {}
        value = self._compute(self._value, scope, sealed, "")
        return Rendered(value, sealed or None)

    def missing(self, scope: Scope, without: frozenset[str]) -> tuple[str, ...]:
        return tuple(
            source
            for source, tree in self._trees.items()
            if without.isdisjoint(path[0] for path in _reads(tree)) and self._run(source, scope) is UNDEFINED
        )

    def _compute(self, value: Value, scope: Scope, sealed: dict[str, Json] | None, at: str) -> Json:
        match value:
            case Constant():
                return value.value
            case Expression():
                if sealed is not None and value.source.startswith("secrets."):
                    sealed[at] = [{"secret": value.source.removeprefix("secrets.")}]
                    return "***"
                return self._run(value.source, scope)
            case Text():
                return "".join(_text(self._compute(part, scope, None, at)) for part in value.parts)
            case Array():
                items = [self._compute(item, scope, sealed, f"{at}/{n}") for n, item in enumerate(value.items)]
                return [None if item is UNDEFINED else item for item in items]
            case Object():
                result = {}
                for key_value, part in value.entries:
                    key = _text(self._compute(key_value, scope, None, at))
                    found = self._compute(part, scope, sealed, f"{at}/{key}")
                    if found is not UNDEFINED:
                        result[key] = found
                return result

    def _run(self, source: str, scope: Scope) -> Json:
        try:
            return _evaluate(self._trees[source], scope)
        except (TypeError, ZeroDivisionError, ValueError) as error:
            raise EvaluationError(f"{source!r} could not be computed: {error}") from error


def _text(value: Json) -> str:
    if isinstance(value, str):
        return value
    if value is None or value is UNDEFINED:
        return ""
    return msgspec.json.encode(value).decode()


def _sources(value: Value) -> Iterator[str]:
    match value:
        case Expression():
            yield value.source
        case Text():
            for part in value.parts:
                yield from _sources(part)
        case Array():
            for item in value.items:
                yield from _sources(item)
        case Object():
            for key, part in value.entries:
                yield from _sources(key)
                yield from _sources(part)
        case Constant():
            pass


def _reads(tree: ast.expr) -> Iterator[Path]:
    path = _path(tree)
    if path is not None:
        if path[0] not in _CONSTANTS and path[0] != "len":
            yield path
        return
    for child in ast.iter_child_nodes(tree):
        if isinstance(child, ast.expr):
            yield from _reads(child)


def _path(tree: ast.expr) -> Path | None:
    match tree:
        case ast.Name(id=name):
            return (name,)
        case (
            ast.Attribute(value=inner, attr=name) | ast.Subscript(value=inner, slice=ast.Constant(value=str() as name))
        ):
            before = _path(inner)
            return None if before is None else (*before, name)
        case ast.Subscript(value=inner, slice=ast.Constant()):
            return _path(inner)
        case _:
            return None


def _evaluate(tree: ast.expr, scope: Scope) -> Any:
    match tree:
        case ast.Constant(value=value):
            return value
        case ast.Name(id=name):
            return _CONSTANTS[name] if name in _CONSTANTS else scope.get(name, UNDEFINED)
        case ast.Attribute(value=inner, attr=name):
            return _member(_evaluate(inner, scope), name)
        case ast.Subscript(value=inner, slice=key):
            return _member(_evaluate(inner, scope), _evaluate(key, scope))
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _BINARY:
            return _BINARY[type(op)](_evaluate(left, scope), _evaluate(right, scope))
        case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in _COMPARE:
            return _COMPARE[type(op)](_evaluate(left, scope), _evaluate(right, scope))
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return not truthy(_evaluate(operand, scope))
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_evaluate(operand, scope)
        case ast.BoolOp(op=op, values=values):
            stop_at = isinstance(op, ast.Or)
            result: Any = UNDEFINED
            for part in values:
                result = _evaluate(part, scope)
                if truthy(result) is stop_at:
                    return result
            return result
        case ast.IfExp(test=test, body=body, orelse=orelse):
            return _evaluate(body if truthy(_evaluate(test, scope)) else orelse, scope)
        case ast.List(elts=items):
            return [_evaluate(item, scope) for item in items]
        case ast.Call(func=ast.Name(id="len"), args=[argument]):
            return len(_evaluate(argument, scope))
        case _:
            raise ValueError(f"{ast.unparse(tree)!r} is not part of the language")


def _member(value: Any, key: Any) -> Any:
    if isinstance(value, dict):
        return value.get(key, UNDEFINED)
    if isinstance(value, list) and isinstance(key, int) and -len(value) <= key < len(value):
        return value[key]
    return UNDEFINED
