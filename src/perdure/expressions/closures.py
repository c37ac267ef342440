"""From the tree of an expression to a function of the scope: closures over plain JSON values, and nothing else.

An expression without functions does at most as many things as its source has characters. So steps are counted only where
functions run: one for each call, and more for a long body, for a method that goes through a long value, and for a long result.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias, assert_never

from perdure.errors import EvaluationError, InvalidExpression
from perdure.expressions import convert as v
from perdure.expressions import methods
from perdure.expressions import tree as t
from perdure.expressions.functions import FUNCTIONS
from perdure.expressions.methods import accepts
from perdure.expressions.parse import parse, path_of
from perdure.expressions.piping import PIPES
from perdure.expressions.protocol import UNDEFINED, Path, Scope, truthy
from perdure.expressions.scanner import parts_of
from perdure.expressions.wording import kind
from perdure.model.problem import Problem

STEPS_MAX = 10_000
NODES_A_STEP = 16
CHARACTERS_A_STEP = 128
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
            return _call(compute(of), method, _given(given))
        case t.Function(name=name, arguments=given):
            return _function(FUNCTIONS[name], _given(given))
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
        case t.Spread(of=of):
            return compute(of)
        case _:
            assert_never(node)


def _inner(item: t.Argument) -> t.Node | t.Arrow:
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


def _given(arguments: tuple[t.Argument, ...]) -> Callable[[Scope], list[Any]]:
    """What a call is given. A spread array gives its items."""
    spreads = [isinstance(argument, t.Spread) for argument in arguments]
    parts = [compute(_inner(argument)) for argument in arguments]
    if any(spreads):
        return _array(list(zip(spreads, parts, strict=True)))
    return lambda scope: [part(scope) for part in parts]


def _call(of: Compute, method: str, given: Callable[[Scope], list[Any]]) -> Compute:
    def called(scope: Scope) -> Any:
        value = of(scope)
        if COUNTER in scope:
            _count(scope[COUNTER], _size(value))
        return methods.call(value, method, given(scope))

    return called


def _function(function: Callable[..., Any], given: Callable[[Scope], list[Any]]) -> Compute:
    most = accepts(function)[1]
    return lambda scope: function(*given(scope)[:most])


def _pipe(node: t.Pipe) -> Compute:
    spec = PIPES[node.name]
    given = [compute(_inner(argument)) for argument in node.arguments]
    source = node.arguments[0] if node.arguments else None
    if spec.inner is not None and isinstance(source, t.Literal) and isinstance(source.value, str):
        given[0] = _inner_function(spec.inner, source.value)
    of, function = compute(node.of), spec.compute

    def computed(scope: Scope) -> Any:
        value = of(scope)
        if isinstance(value, v.Instant) and not spec.of_time:
            value = v.to_text(value)
        arguments = [value, *(argument(scope) for argument in given)]
        if spec.needs_now:
            arguments.insert(0, scope.get("now", 0))
        return function(*arguments)

    return computed


def _inner_function(kind: str, source: str) -> Compute:
    """An expression, or a template, over each item: it sees the item's own properties, `item` and `index`."""
    body = _template(source) if kind == "template" else _expression(source)

    def function(scope: Scope) -> Any:
        counter = scope.get(COUNTER)

        def called(item: Any, number: int, *_: Any) -> Any:
            _count(counter, 1 + len(source) // CHARACTERS_A_STEP)
            own = item if isinstance(item, dict) else {}
            found = body({**own, "item": item, "index": number, "now": scope.get("now", UNDEFINED), COUNTER: counter})
            _count(counter, _size(found))
            return found

        return called

    return function


def _expression(source: str) -> Compute:
    node = parse(source)
    if any(path[0] == "secrets" for path in reads(node)):
        message = "a secret can stand alone, or be joined to text; a pipe cannot look into it"
        raise InvalidExpression(source, (Problem("secret_misused", message),))
    return compute(node)


def _template(source: str) -> Compute:
    parts = [
        _expression(part.source) if part.is_expression else compute(t.Literal(part.source))
        for part in parts_of(source, "{{")
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
                raise EvaluationError(f"... in an array needs an array, not {kind(value)}")
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
                raise EvaluationError(f"... in an object needs an object, not {kind(value)}")
        return found

    return computed


def _text(parts: list[Compute]) -> Compute:
    return lambda scope: v.from_code_units(v.sized("".join(v.to_text(part(scope)) for part in parts)))


def _arrow(parameters: tuple[str, ...], body: t.Node) -> Compute:
    inner = compute(body)
    weight = 1 + sum(1 for _ in descendants(body)) // NODES_A_STEP

    def function(scope: Scope) -> Any:
        counter = scope.get(COUNTER)

        def called(*given: Any) -> Any:
            _count(counter, weight)
            padded = (*given, *(UNDEFINED for _ in parameters))
            found = inner({**scope, **dict(zip(parameters, padded, strict=False))})
            _count(counter, _size(found))
            return found

        return called

    return function


def _count(counter: Any, steps: int) -> None:
    counter[0] -= steps
    if counter[0] < 0:
        raise EvaluationError(f"it takes more than {STEPS_MAX:,} steps; move the work into a task or a transform")


def _size(value: Any) -> int:
    return len(value) // CHARACTERS_A_STEP if isinstance(value, str | list | dict) else 0


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
        case t.Member(of=of) | t.Unary(of=of) | t.Spread(of=of):
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
    asks_the_time = isinstance(node, t.Pipe) and (PIPES[node.name].needs_now or PIPES[node.name].inner is not None)
    found: frozenset[Path] = frozenset({("now",)} if asks_the_time else ())
    for child in children(node):
        found |= reads(child, inside)
    return found
