"""From the tree of an expression to a function of the scope: closures over plain JSON values, and nothing else.

An expression without arrow functions does at most as many things as its source has characters. So only the bodies of arrow
functions are counted, each time they run, against `STEPS_MAX`.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias, assert_never

from perdure.errors import EvaluationError
from perdure.expressions import convert as v
from perdure.expressions import methods
from perdure.expressions import tree as t
from perdure.expressions.functions import FUNCTIONS
from perdure.expressions.methods import accepts
from perdure.expressions.parse import parse, path_of
from perdure.expressions.piping import PIPES
from perdure.expressions.protocol import UNDEFINED, Path, Scope, truthy
from perdure.expressions.scanner import parts_of

STEPS_MAX = 10_000
COUNTER = "\0steps"
"""Where the scope of an expression with arrow functions holds how many steps are left. No source can name it."""

Compute: TypeAlias = Callable[[Scope], Any]

_BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "+": v.add,
    "-": v.subtract,
    "*": v.multiply,
    "/": v.divide,
    "%": v.remainder,
    "**": v.power,
    "==": v.loosely_equal,
    "!=": lambda one, other: not v.loosely_equal(one, other),
    "===": v.strictly_equal,
    "!==": lambda one, other: not v.strictly_equal(one, other),
    "<": lambda one, other: v.less(one, other) is True,
    ">": lambda one, other: v.less(other, one) is True,
    "<=": lambda one, other: v.less(other, one) is False,
    ">=": lambda one, other: v.less(one, other) is False,
    "in": v.contains,
}
_PLAIN: dict[str, Callable[[Any, Any], Any]] = {
    "<": operator.lt,
    ">": operator.gt,
    "<=": operator.le,
    ">=": operator.ge,
}
"""What two ints or floats can be asked directly."""


def compute(node: t.Argument) -> Compute:
    """The function that computes the node from a scope."""
    match node:
        case t.Literal(value=value):
            return lambda _: value
        case t.Name() | t.Member() | t.Index():
            return _reading(node)
        case t.Call(of=of, method=method, arguments=given):
            return _call(compute(of), method, [compute(argument) for argument in given])
        case t.Function(name=name, arguments=given):
            return _function(FUNCTIONS[name], [compute(argument) for argument in given[: accepts(FUNCTIONS[name])[1]]])
        case t.Pipe():
            return _pipe(node)
        case t.Unary(operator=sign, of=of):
            return _unary(sign, compute(of))
        case t.Binary(operator=sign, left=left, right=right):
            return _binary(sign, compute(left), compute(right))
        case t.Logical(operator=sign, left=left, right=right):
            return _logical(sign, compute(left), compute(right))
        case t.Choice(test=test, yes=yes, no=no):
            return _choice(compute(test), compute(yes), compute(no))
        case t.ArrayOf(items=items):
            return _array([(isinstance(item, t.Spread), compute(_inner(item))) for item in items])
        case t.ObjectOf(entries=entries):
            return _object(entries)
        case t.TextOf(parts=parts):
            return _text([compute(part) for part in parts])
        case t.Arrow(parameters=parameters, body=body):
            return _arrow(parameters, body)
        case _:
            assert_never(node)


def _inner(item: t.Node | t.Spread) -> t.Node:
    return item.of if isinstance(item, t.Spread) else item


def _reading(node: t.Name | t.Member | t.Index) -> Compute:
    path = path_of(node)
    if path == ("now",):
        return lambda scope: _now(scope)
    if path == ("nowMs",):
        return lambda scope: scope.get("now", UNDEFINED)
    if path is not None:
        return _path(path[0], path[1:])
    if isinstance(node, t.Member):
        return _member(compute(node.of), node.name)
    assert isinstance(node, t.Index)
    return _index(compute(node.of), compute(node.key))


def _now(scope: Scope) -> Any:
    at = scope.get("now", UNDEFINED)
    return v.Instant(at) if isinstance(at, int) else at


def _path(root: str, names: tuple[str, ...]) -> Compute:
    """The common case, and so the fast one."""

    def read(scope: Scope) -> Any:
        value = scope.get(root, UNDEFINED)
        for name in names:
            value = value.get(name, UNDEFINED) if type(value) is dict else v.item(value, name)
        return value

    return read


def _member(of: Compute, name: str) -> Compute:
    return lambda scope: v.member(of(scope), name)


def _index(of: Compute, key: Compute) -> Compute:
    return lambda scope: v.item(of(scope), key(scope))


def _call(of: Compute, method: str, given: list[Compute]) -> Compute:
    return lambda scope: methods.call(of(scope), method, [argument(scope) for argument in given])


def _function(function: Callable[..., Any], given: list[Compute]) -> Compute:
    return lambda scope: function(*(argument(scope) for argument in given))


def _pipe(node: t.Pipe) -> Compute:
    spec = PIPES[node.name]
    given = [compute(argument) for argument in node.arguments]
    source = node.arguments[0] if node.arguments else None
    if spec.inner is not None and isinstance(source, t.Literal) and isinstance(source.value, str):
        given[0] = _inner_function(spec.inner, source.value)
    of, function = compute(node.of), spec.compute

    def computed(scope: Scope) -> Any:
        arguments = [of(scope), *(argument(scope) for argument in given)]
        if spec.needs_now:
            arguments.insert(0, scope.get("now", 0))
        return function(*arguments)

    return computed


def _inner_function(kind: str, source: str) -> Compute:
    """An expression, or a template, over each item: it sees the item's own properties, `item` and `index`."""
    body = _template(source) if kind == "template" else compute(parse(source))

    def function(scope: Scope) -> Any:
        counter = scope.get(COUNTER)

        def called(item: Any, number: int) -> Any:
            _count(counter, len(source))
            own = item if isinstance(item, dict) else {}
            return body({**own, "item": item, "index": number, "now": scope.get("now", UNDEFINED), COUNTER: counter})

        return called

    return function


def _template(source: str) -> Compute:
    parts = [
        compute(parse(part.source) if part.is_expression else t.Literal(part.source)) for part in parts_of(source, "{{")
    ]
    return lambda scope: v.sized("".join(v.rendered(part(scope)) for part in parts))


def _unary(sign: str, of: Compute) -> Compute:
    match sign:
        case "!":
            return lambda scope: not truthy(of(scope))
        case "-":
            return lambda scope: v.multiply(of(scope), -1)
        case _:
            return lambda scope: v.multiply(of(scope), 1)


def _binary(sign: str, left: Compute, right: Compute) -> Compute:
    apply = _BINARY[sign]
    plain = _PLAIN.get(sign)
    if plain is None:
        return lambda scope: apply(left(scope), right(scope))

    def computed(scope: Scope) -> Any:
        one, other = left(scope), right(scope)
        if type(one) in _NUMBERS and type(other) in _NUMBERS:
            return plain(one, other)
        return apply(one, other)

    return computed


_NUMBERS = (int, float)


def _logical(sign: str, left: Compute, right: Compute) -> Compute:
    def either(scope: Scope) -> Any:
        found = left(scope)
        return found if truthy(found) else right(scope)

    def both(scope: Scope) -> Any:
        found = left(scope)
        return right(scope) if truthy(found) else found

    def unless_nothing(scope: Scope) -> Any:
        found = left(scope)
        return right(scope) if found is None or found is UNDEFINED else found

    return {"||": either, "&&": both, "??": unless_nothing}[sign]


def _choice(test: Compute, yes: Compute, no: Compute) -> Compute:
    return lambda scope: yes(scope) if truthy(test(scope)) else no(scope)


def _array(items: list[tuple[bool, Compute]]) -> Compute:
    def computed(scope: Scope) -> Any:
        found: list[Any] = []
        for spreads, item in items:
            value = item(scope)
            if not spreads:
                found.append(value)
            elif isinstance(value, list | str):
                found.extend(value)
            elif value is not None and value is not UNDEFINED:
                raise EvaluationError(f"... in an array needs an array, not {v.kind(value)}")
        return v.fitting(found)

    return computed


def _object(entries: tuple[tuple[t.Node, t.Node] | t.Spread, ...]) -> Compute:
    parts = [
        (None, compute(entry.of)) if isinstance(entry, t.Spread) else (compute(entry[0]), compute(entry[1]))
        for entry in entries
    ]

    def computed(scope: Scope) -> Any:
        found: dict[str, Any] = {}
        for key, part in parts:
            value = part(scope)
            if key is not None:
                found[v.to_text(key(scope))] = value
            elif isinstance(value, dict):
                found.update(value)
            elif value is not None and value is not UNDEFINED:
                raise EvaluationError(f"... in an object needs an object, not {v.kind(value)}")
        return found

    return computed


def _text(parts: list[Compute]) -> Compute:
    return lambda scope: v.sized("".join(v.to_text(part(scope)) for part in parts))


def _arrow(parameters: tuple[str, ...], body: t.Node) -> Compute:
    inner = compute(body)
    weight = 1 + sum(1 for _ in descendants(body))

    def function(scope: Scope) -> Any:
        counter = scope.get(COUNTER)

        def called(*given: Any) -> Any:
            _count(counter, weight)
            padded = (*given, *(UNDEFINED for _ in parameters))
            return inner({**scope, **dict(zip(parameters, padded, strict=False))})

        return called

    return function


def _count(counter: Any, steps: int) -> None:
    counter[0] -= steps
    if counter[0] < 0:
        raise EvaluationError(f"it takes more than {STEPS_MAX:,} steps; move the work into a task or a transform")


def loops(node: t.Argument) -> bool:
    """Whether it holds a function that may run many times."""
    return isinstance(node, t.Arrow | t.Pipe) or any(isinstance(part, t.Arrow | t.Pipe) for part in descendants(node))


def descendants(node: t.Argument) -> Iterator[t.Argument]:
    """All nodes inside of a node."""
    for child in children(node):
        yield child
        yield from descendants(child)


def children(node: t.Argument) -> Iterator[t.Argument]:
    match node:
        case t.Literal() | t.Name():
            return
        case t.Member(of=of) | t.Unary(of=of):
            yield of
        case t.Index(of=of, key=key):
            yield from (of, key)
        case t.Call(of=of, arguments=given) | t.Pipe(of=of, arguments=given):
            yield from (of, *given)
        case t.Function(arguments=given):
            yield from given
        case t.Binary(left=left, right=right) | t.Logical(left=left, right=right):
            yield from (left, right)
        case t.Choice(test=test, yes=yes, no=no):
            yield from (test, yes, no)
        case t.ArrayOf(items=items):
            yield from map(_inner, items)
        case t.ObjectOf(entries=entries):
            for entry in entries:
                yield from (entry.of,) if isinstance(entry, t.Spread) else entry
        case t.TextOf(parts=parts):
            yield from parts
        case t.Arrow(body=body):
            yield body
        case _:
            assert_never(node)


def reads(node: t.Argument, local: frozenset[str] = frozenset()) -> frozenset[Path]:
    """Every path of the scope that it may look at; parameters of arrow functions are not of the scope."""
    path = path_of(node) if isinstance(node, t.Name | t.Member | t.Index) else None
    if path is not None:
        return frozenset() if path[0] in local else frozenset({("now",) if path[0] == "nowMs" else path})
    inside = local | frozenset(node.parameters) if isinstance(node, t.Arrow) else local
    asks_the_time = isinstance(node, t.Pipe) and PIPES[node.name].needs_now
    found: frozenset[Path] = frozenset({("now",)} if asks_the_time else ())
    for child in children(node):
        found |= reads(child, inside)
    return found
