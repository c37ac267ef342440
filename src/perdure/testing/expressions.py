"""A small expression language, enough to test the core with.

Names, `a.b`, `a["b"]`, `a[0]`, literals, arithmetic, comparison (`==`, `<`, `in` …), `and or not`, `x if c else y`, lists,
and `len(x)`. A property that is not there is undefined; a name that is not there is too. It is read with Python's own
parser against an allow-list and never given to `eval`.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

import msgspec

from perdure.errors import EvaluationError
from perdure.expressions.protocol import UNDEFINED, Compiled, Path, Rendered, Scope, truthy
from perdure.model.values import Array, Constant, Expression, Json, Object, Text, Value, sources

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
Compute: TypeAlias = Callable[[Scope], Any]

_CONSTANTS = {"null": None, "true": True, "false": False, "undefined": UNDEFINED}


Sealing: TypeAlias = dict[str, Json] | None
Render: TypeAlias = Callable[[Scope, Sealing, str], Any]
"""Computes a value from a scope; secrets, with their place, go into the second argument if there is one."""


def compile_value(value: Value) -> Compiled:
    """A value made ready, in this language."""
    return _Value(value)


class _Value:
    def __init__(self, value: Value) -> None:
        trees = {source: ast.parse(source, mode="eval").body for source in sources(value)}
        self._functions = {source: _guarded(source, _build(tree)) for source, tree in trees.items()}
        self._paths = {source: frozenset(_reads(tree)) for source, tree in trees.items()}
        paths = {path for found in self._paths.values() for path in found}
        self.reads: tuple[Path, ...] = tuple(sorted(path for path in paths if path[0] != "secrets"))
        self._render = self._tree(value)

    def evaluate(self, scope: Scope) -> Json:
        return self._render(scope, None, "")

    def render(self, scope: Scope) -> Rendered:
        sealed: dict[str, Json] = {}
        value = self._render(scope, sealed, "")
        return Rendered(value, sealed or None)

    def missing(self, scope: Scope, without: frozenset[str]) -> tuple[str, ...]:
        return tuple(
            source
            for source, paths in self._paths.items()
            if without.isdisjoint(path[0] for path in paths) and self._functions[source](scope) is UNDEFINED
        )

    def _tree(self, value: Value) -> Render:
        match value:
            case Constant(value=constant):
                return lambda _scope, _sealed, _at: constant
            case Expression(source=source) if source.startswith("secrets."):
                return _secret(source.removeprefix("secrets."))
            case Expression(source=source):
                run = self._functions[source]
                return lambda scope, _sealed, _at: run(scope)
            case Text(parts=parts):
                texts = [self._tree(part) for part in parts]
                return lambda scope, _sealed, at: "".join(_text(part(scope, None, at)) for part in texts)
            case Array(items=items):
                return _array([self._tree(item) for item in items])
            case Object(entries=entries):
                return _object([(self._tree(key), self._tree(part)) for key, part in entries])


def _guarded(source: str, compute: Compute) -> Compute:
    def guarded(scope: Scope) -> Any:
        try:
            return compute(scope)
        except (TypeError, ZeroDivisionError, ValueError) as error:
            raise EvaluationError(f"{source!r} could not be computed: {error}") from error

    return guarded


def _secret(name: str) -> Render:
    def render(_scope: Scope, sealed: Sealing, at: str) -> Any:
        if sealed is not None:
            sealed[at] = [{"secret": name}]
        return "***"

    return render


def _array(items: list[Render]) -> Render:
    def render(scope: Scope, sealed: Sealing, at: str) -> Any:
        found = [item(scope, sealed, f"{at}/{number}") for number, item in enumerate(items)]
        return [None if item is UNDEFINED else item for item in found]

    return render


def _object(entries: list[tuple[Render, Render]]) -> Render:
    def render(scope: Scope, sealed: Sealing, at: str) -> Any:
        result = {}
        for key_of, part in entries:
            key = _text(key_of(scope, None, at))
            found = part(scope, sealed, f"{at}/{key}")
            if found is not UNDEFINED:
                result[key] = found
        return result

    return render


def _text(value: Json) -> str:
    if isinstance(value, str):
        return value
    if value is None or value is UNDEFINED:
        return ""
    return msgspec.json.encode(value).decode()


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


def _build(tree: ast.expr) -> Compute:
    """A function of the scope."""
    match tree:
        case ast.Constant(value=value):
            return lambda _: value
        case ast.Name(id=name) if name in _CONSTANTS:
            return lambda _: _CONSTANTS[name]
        case ast.Name(id=name):
            return lambda scope: scope.get(name, UNDEFINED)
        case ast.Attribute(value=inner, attr=name):
            of = _build(inner)
            return lambda scope: _member(of(scope), name)
        case ast.Subscript(value=inner, slice=key_tree):
            of, key = _build(inner), _build(key_tree)
            return lambda scope: _member(of(scope), key(scope))
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _BINARY:
            return _both(_BINARY[type(op)], left, right)
        case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in _COMPARE:
            return _both(_COMPARE[type(op)], left, right)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            of = _build(operand)
            return lambda scope: not truthy(of(scope))
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            of = _build(operand)
            return lambda scope: -of(scope)
        case ast.BoolOp(op=op, values=values):
            return _first([_build(part) for part in values], stop_at=isinstance(op, ast.Or))
        case ast.IfExp(test=test_tree, body=body, orelse=orelse):
            test, yes, no = _build(test_tree), _build(body), _build(orelse)
            return lambda scope: yes(scope) if truthy(test(scope)) else no(scope)
        case ast.List(elts=items):
            parts = [_build(item) for item in items]
            return lambda scope: [part(scope) for part in parts]
        case ast.Call(func=ast.Name(id="len"), args=[argument]):
            of = _build(argument)
            return lambda scope: len(of(scope))
        case _:
            raise ValueError(f"{ast.unparse(tree)!r} is not part of the language")


def _both(compute: Callable[[Any, Any], Any], left: ast.expr, right: ast.expr) -> Compute:
    one, other = _build(left), _build(right)
    return lambda scope: compute(one(scope), other(scope))


def _first(parts: list[Compute], *, stop_at: bool) -> Compute:
    """The first part that decides `and` or `or`, else the last."""

    def compute(scope: Scope) -> Any:
        result: Any = UNDEFINED
        for part in parts:
            result = part(scope)
            if truthy(result) is stop_at:
                return result
        return result

    return compute


def _member(value: Any, key: Any) -> Any:
    if isinstance(value, dict):
        return value.get(key, UNDEFINED)
    if isinstance(value, list) and isinstance(key, int) and -len(value) <= key < len(value):
        return value[key]
    return UNDEFINED
