"""The language, as the core asks for it: `compile_value` makes a value ready, once, and checks all of it first."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from itertools import groupby
from typing import Any, TypeAlias, assert_never

from msgspec import Struct

from perdure.errors import EvaluationError, InvalidExpression
from perdure.expressions import convert as v
from perdure.expressions import effort, results, texts
from perdure.expressions import tree as t
from perdure.expressions.closures import compute
from perdure.expressions.effort import begin
from perdure.expressions.parse import parse
from perdure.expressions.protocol import UNDEFINED, Compiled, Path, Rendered, Scope
from perdure.expressions.templates import pointer
from perdure.expressions.walk import children, path_of, reads
from perdure.expressions.wording import shown
from perdure.model.problem import Problem
from perdure.model.values import Array, Constant, Expression, Json, Object, Text, Value, sources

MASK = "***"
Sealed: TypeAlias = dict[str, Json]
Render: TypeAlias = Callable[[Scope, "Sealed | None", str], Any]
"""Computes a value from a scope; where secrets belong, with their place, goes into the second argument if there is one."""


class Ready(Struct, frozen=True):
    """An expression, read and made ready. `secrets` are its parts, if it is a text with secrets in it."""

    source: str
    run: Callable[[Scope], Any]
    reads: frozenset[Path]
    secrets: tuple[Json, ...] = ()


@lru_cache(maxsize=4_096)
def ready(source: str) -> Ready:
    """The expression, from its source. The same source is read once."""
    node = parse(source)
    try:
        secrets = _secrets(source, node)
        run = compute(node)
    except InvalidExpression as error:
        raise InvalidExpression(source, error.problems) from error
    found = frozenset(path for path in reads(node) if path[0] != "secrets")
    reading = path_of(node) not in (None, ("now",))  # what the scope holds is JSON already
    return Ready(source, _reading(run) if reading else _guarded(source, run), found, secrets)


def compile_value(value: Value) -> Compiled:
    """A value made ready. Raises `InvalidExpression` for what is not in the language."""
    return _Value(value)


def _reading(run: Callable[[Scope], Any]) -> Callable[[Scope], Any]:
    def reading(scope: Scope) -> Any:
        begin()
        return run(scope)

    return reading


def _guarded(source: str, run: Callable[[Scope], Any]) -> Callable[[Scope], Any]:
    """Whatever goes wrong names the expression, and what comes out is JSON or undefined."""

    def guarded(scope: Scope) -> Any:
        begin()
        try:
            found = run(scope)
            return found if found is UNDEFINED else results.plain(found)
        except EvaluationError as error:
            raise EvaluationError(f"{shown(source)}: {error}") from error

    return guarded


# Secrets.


def _secrets(source: str, node: t.Node) -> tuple[Json, ...]:
    """The parts of a text that holds secrets: texts, expressions and `{"secret": name}`. Empty: there are none."""
    if not _mentions(node):
        return ()
    parts = tuple(_concatenated(node))
    for part in parts:
        if not isinstance(part, dict) and _mentions(part):
            message = (
                "a secret can stand alone, or be joined to text with + or in a template; "
                "it cannot be compared, changed or looked into"
            )
            raise InvalidExpression("", (Problem("secret_misused", message),))
    return tuple(part if isinstance(part, dict) else _guarded(source, _as_text(compute(part))) for part in parts)


def _as_text(run: Callable[[Scope], Any]) -> Callable[[Scope], str]:
    """As + and template literals have it: null is "null"."""
    return lambda scope: v.to_text(run(scope))


def _mentions(node: t.Argument) -> bool:
    return (isinstance(node, t.Name) and node.name == "secrets") or any(_mentions(child) for child in children(node))


def _concatenated(node: t.Node) -> Iterator[Any]:
    match node, path_of(node):
        case _, ("secrets", name):
            yield {"secret": name}
        case t.Binary(operator="+", left=left, right=right), _ if _mentions(node):
            yield from _concatenated(left)
            yield from _concatenated(right)
        case t.TextOf(parts=parts), _:
            for part in parts:
                yield from _concatenated(part)
        case _:
            yield node


def _sealed_parts(parts: tuple[Json, ...], scope: Scope) -> list[Json]:
    """Neighbouring texts become one."""
    found: list[Json] = []
    for secret, group in groupby(parts, lambda part: isinstance(part, dict)):
        same = list(group)
        found.extend(same if secret else [_rendered(same, scope)])
    return found


def _rendered(parts: Iterable[Callable[[Scope], Any]], scope: Scope) -> str:
    return texts.joined("", (results.rendered(part(scope), free=True) for part in parts))


def _masked(parts: list[Json]) -> str:
    return "".join(MASK if isinstance(part, dict) else part for part in parts)


# Trees of values.


class _Value:
    def __init__(self, value: Value) -> None:
        self._ready = tuple(ready(source) for source in dict.fromkeys(sources(value)))
        self.reads: tuple[Path, ...] = tuple(sorted({path for one in self._ready for path in one.reads}))
        self.secrets: tuple[str, ...] = tuple(
            sorted({part["secret"] for one in self._ready for part in one.secrets if isinstance(part, dict)})
        )
        self._render = _tree(value)

    def evaluate(self, scope: Scope) -> Json:
        return self._render(scope, None, "")

    def render(self, scope: Scope) -> Rendered:
        sealed: Sealed = {}
        value = self._render(scope, sealed, "")
        return Rendered(value, sealed or None)

    def missing(self, scope: Scope, without: frozenset[str]) -> tuple[str, ...]:
        return tuple(
            one.source
            for one in self._ready
            if without.isdisjoint(path[0] for path in one.reads) and not one.secrets and one.run(scope) is UNDEFINED
        )


def _tree(value: Value) -> Render:
    match value:
        case Constant(value=constant):
            return lambda _scope, _sealed, _at: constant
        case Expression(source=source):
            return _expression(ready(source))
        case Text(parts=parts):
            return _text(parts)
        case Array(items=items):
            return _array([_tree(item) for item in items])
        case Object(entries=entries):
            return _object([(_tree(_key(key)), _tree(part)) for key, part in entries])
        case _:
            assert_never(value)


def _key(key: Value) -> Value:
    if any(ready(source).secrets for source in sources(key)):
        raise InvalidExpression("", (Problem("secret_misused", "a secret cannot be the name of a property"),))
    return key


def _expression(one: Ready) -> Render:
    if not one.secrets:
        run = one.run
        return lambda scope, _sealed, _at: run(scope)

    def render(scope: Scope, sealed: Sealed | None, at: str) -> Any:
        parts = _sealed_parts(one.secrets, scope)
        if sealed is not None:
            sealed[at] = parts
        return _masked(parts)

    return render


def _text(parts: tuple[Value, ...]) -> Render:
    pieces: list[Any] = []
    for part in parts:
        own = ready(part.source) if isinstance(part, Expression) else None
        pieces.extend(own.secrets if own is not None and own.secrets else (_piece(part),))
    if not any(isinstance(piece, dict) for piece in pieces):
        return lambda scope, _sealed, _at: _rendered(pieces, scope)

    def render(scope: Scope, sealed: Sealed | None, at: str) -> Any:
        found = _sealed_parts(tuple(pieces), scope)
        if sealed is not None:
            sealed[at] = found
        return effort.sized(_masked(found))

    return render


def _piece(part: Value) -> Callable[[Scope], Any]:
    if isinstance(part, Expression):
        return ready(part.source).run
    inner = _tree(part)
    return lambda scope: inner(scope, None, "")


def _array(items: list[Render]) -> Render:
    def render(scope: Scope, sealed: Sealed | None, at: str) -> Any:
        found = [item(scope, sealed, f"{at}/{number}") for number, item in enumerate(items)]
        return [None if item is UNDEFINED else item for item in found]

    return render


def _object(entries: list[tuple[Render, Render]]) -> Render:
    def render(scope: Scope, sealed: Sealed | None, at: str) -> Any:
        result: dict[str, Any] = {}
        for key_of, part in entries:
            key = results.rendered(key_of(scope, None, at), free=True)
            place = f"{at}/{pointer(key)}" if sealed is not None else ""
            if sealed and key in result:  # what stood there is replaced, and its secrets with it
                for old in [old for old in sealed if old == place or old.startswith(f"{place}/")]:
                    del sealed[old]
            found = part(scope, sealed, place)
            if found is not UNDEFINED:
                result[key] = found
        return result

    return render
