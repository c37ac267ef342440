"""From the tree of an expression to a function of the scope: closures over plain JSON values, and nothing else."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, TypeAlias, assert_never

from perdure.errors import EvaluationError
from perdure.expressions import convert as v
from perdure.expressions import effort, methods, numbers, operators, results, texts
from perdure.expressions import tree as t
from perdure.expressions.effort import OPERATIONS_A_STEP, handle, read, spend
from perdure.expressions.functions import FUNCTIONS
from perdure.expressions.methods import accepts
from perdure.expressions.piping import PIPES
from perdure.expressions.protocol import UNDEFINED, Scope, truthy
from perdure.expressions.walk import path_of, unspread
from perdure.expressions.wording import kind

Compute: TypeAlias = Callable[[Scope], Any]

_BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "+": operators.add,
    "-": operators.subtract,
    "*": operators.multiply,
    "/": operators.divide,
    "%": operators.remainder,
    "**": operators.power,
    "==": operators.loosely_equal,
    "!=": lambda one, other: not operators.loosely_equal(one, other),
    "===": operators.strictly_equal,
    "!==": lambda one, other: not operators.strictly_equal(one, other),
    "<": lambda one, other: operators.less(one, other) is True,
    ">": lambda one, other: operators.less(other, one) is True,
    "<=": lambda one, other: operators.less(other, one) is False,
    ">=": lambda one, other: operators.less(one, other) is False,
    "in": operators.contains,
}
_PLAIN: dict[str, Callable[[Any, Any], Any]] = {
    "<": operator.lt,
    ">": operator.gt,
    "<=": operator.le,
    ">=": operator.ge,
}
"""What two ints or floats can be asked directly."""


def compute(node: t.Node | t.Arrow | t.ForItem) -> Compute:
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
            return _array([(isinstance(item, t.Spread), compute(unspread(item))) for item in items])
        case t.ObjectOf(entries=entries):
            return _object(entries)
        case t.TextOf(parts=parts):
            return _joining([compute(part) for part in parts], v.to_text)
        case t.Template(parts=parts):
            return _joining([compute(part) for part in parts], results.rendered)
        case t.Arrow(parameters=parameters, body=body, size=size):
            return _arrow(parameters, compute(body), _weight(size))
        case t.ForItem(body=body, size=size):
            return _for_item(compute(body), _weight(size))
        case _:
            assert_never(node)


def _reading(node: t.Name | t.Member | t.Index) -> Compute:
    if isinstance(node, t.Name) and node.name == "now":
        return lambda scope: v.Instant(_now(scope))
    if isinstance(node, t.Name) and node.name == "nowMs":
        return _now
    path = path_of(node)
    if path is not None and path[0] not in ("now", "nowMs"):
        return _path(path[0], path[1:])
    if isinstance(node, t.Member):
        return _member(compute(node.of), node.name)
    assert isinstance(node, t.Index)
    return _index(compute(node.of), compute(node.key))


def _now(scope: Scope) -> int:
    at: int | None = scope.get("now")
    if at is None:
        raise EvaluationError("there is no time here")
    return at


def _path(root: str, names: tuple[str, ...]) -> Compute:
    """The common case, and so the fast one."""

    def read(scope: Scope) -> Any:
        value = scope.get(root, UNDEFINED)
        for name in names:
            value = value.get(name, UNDEFINED) if type(value) is dict else operators.item(value, name)
        return value

    return read


def _member(of: Compute, name: str) -> Compute:
    return lambda scope: operators.member(of(scope), name)


def _index(of: Compute, key: Compute) -> Compute:
    def computed(scope: Scope) -> Any:
        value = of(scope)
        return UNDEFINED if value is None or value is UNDEFINED else operators.item(value, key(scope))

    return computed


def _given(arguments: tuple[t.Argument, ...]) -> Callable[[Scope], list[Any]]:
    """What a call is given. A spread array gives its items."""
    spreads = [isinstance(argument, t.Spread) for argument in arguments]
    parts = [compute(unspread(argument)) for argument in arguments]
    if any(spreads):
        return _array(list(zip(spreads, parts, strict=True)))
    return lambda scope: [part(scope) for part in parts]


def _call(of: Compute, method: str, given: Callable[[Scope], list[Any]]) -> Compute:
    goes_through = method not in methods.LIGHT

    def called(scope: Scope) -> Any:
        value = of(scope)
        if value is None or value is UNDEFINED:  # as every property of theirs
            return UNDEFINED
        spend(1)
        if goes_through:
            handle(value)
        arguments = given(scope)
        for argument in arguments:
            read(argument)
        found = methods.call(value, method, arguments)
        handle(found)
        return found

    return called


def _function(function: Callable[..., Any], given: Callable[[Scope], list[Any]]) -> Compute:
    most = accepts(function)[1]

    def called(scope: Scope) -> Any:
        arguments = given(scope)[:most]
        spend(1)
        for argument in arguments:
            handle(argument)
        found = function(*arguments)
        handle(found)
        return found

    return called


def _pipe(node: t.Pipe) -> Compute:
    spec = PIPES[node.name]
    given = [compute(unspread(argument)) for argument in node.arguments]
    of, function = compute(node.of), spec.compute

    def computed(scope: Scope) -> Any:
        value = of(scope)
        if isinstance(value, v.Instant) and not spec.of_time:
            value = v.to_text(value)
        arguments = [value, *(argument(scope) for argument in given)]
        spend(1)
        for argument in () if spec.light else arguments:
            handle(argument)
        if spec.needs_now:
            arguments.insert(0, _now(scope))
        found = function(*arguments)
        handle(found)
        return found

    return computed


def _unary(sign: str, of: Compute) -> Compute:
    match sign:
        case "!":
            return lambda scope: not truthy(of(scope))
        case "-":
            return lambda scope: operators.multiply(of(scope), -1)
        case _:
            return lambda scope: operators.multiply(of(scope), 1)


def _binary(sign: str, left: Compute, right: Compute) -> Compute:
    apply = _BINARY[sign]
    plain = _PLAIN.get(sign)
    if plain is None:
        return _handling(apply, left, right)

    def computed(scope: Scope) -> Any:
        one, other = left(scope), right(scope)
        if type(one) in _NUMBERS and type(other) in _NUMBERS and abs(one) < _SAFE > abs(other):
            return plain(one, other)
        read(one)
        read(other)
        return apply(one, other)

    return computed


def _handling(apply: Callable[[Any, Any], Any], left: Compute, right: Compute) -> Compute:
    def computed(scope: Scope) -> Any:
        one, other = left(scope), right(scope)
        read(one)
        read(other)
        found = apply(one, other)
        read(found)
        return found

    return computed


_NUMBERS = (int, float)
_SAFE = numbers.WHOLE_MAX
"""Beyond it a whole number means the double that is nearest."""


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
            elif isinstance(value := operators.as_text_if_time(value), list | str):
                effort.fitting(len(found) + len(value))
                found.extend(value)
            elif value is not None and value is not UNDEFINED:
                raise EvaluationError(f"... in an array needs an array, not {kind(value)}")
        handle(found)
        return found

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
        handle(found)
        return found

    return computed


def _joining(parts: list[Compute], text_of: Callable[[Any], str]) -> Compute:
    def computed(scope: Scope) -> Any:
        found = texts.joined("", (text_of(part(scope)) for part in parts))
        handle(found)
        return found

    return computed


def _for_item(inner: Compute, weight: int) -> Compute:
    def function(scope: Scope) -> Any:
        time = {"now": scope["now"]} if "now" in scope else {}

        def called(item: Any, number: int, *_: Any) -> Any:
            spend(weight)
            own = item if isinstance(item, dict) else {}
            handle(own)
            return inner({**own, "item": item, "index": number, **time})

        return called

    return function


def _weight(size: int) -> int:
    return 1 + size // OPERATIONS_A_STEP


def _arrow(parameters: tuple[str, ...], inner: Compute, weight: int) -> Compute:
    unknown = (UNDEFINED,) * len(parameters)

    def function(scope: Scope) -> Any:
        # One for all items: a function is called one time after the other, and is gone before the next is made.
        own = dict(scope)

        def called(*given: Any) -> Any:
            spend(weight)
            own.update(zip(parameters, given + unknown, strict=False))
            return inner(own)

        return called

    return function
