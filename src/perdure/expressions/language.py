"""The language, as the core asks for it: `compile_value` makes a value ready, once, and checks all of it first."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias, assert_never

from perdure.errors import EvaluationError, InvalidExpression
from perdure.expressions import effort, results, texts
from perdure.expressions.effort import begin_value, wrote
from perdure.expressions.faults import internal_error
from perdure.expressions.keys import best
from perdure.expressions.protocol import UNDEFINED, Compiled, Equality, Path, Rendered, Scope
from perdure.expressions.ready import LOWERED_MAX, Ready, ready
from perdure.expressions.sealing import Parts, masked, mention, merged
from perdure.expressions.wording import pointer
from perdure.model.problem import Problem
from perdure.model.values import Array, Constant, Expression, Json, Object, Text, Value, sources

Sealed: TypeAlias = dict[str, Json]
Render: TypeAlias = Callable[[Scope, "Sealed | None", str], Any]
"""Computes a value from a scope; where secrets belong, with their place, goes into the second argument if there is one."""


def compile_value(value: Value) -> Compiled:
    """A value made ready. Raises `InvalidExpression` for what is not in the language."""
    return _Value(value)


class _Value:
    def __init__(self, value: Value) -> None:
        self._ready = {source: ready(source, LOWERED_MAX) for source in sources(value)}
        self.reads: tuple[Path, ...] = tuple(sorted({path for one in self._ready.values() for path in one.reads}))
        self.has_secrets = any(one.parts is not None for one in self._ready.values())
        self._render = self._tree(value)
        alone = self._alone = self._ready[value.source] if isinstance(value, Expression) else None
        self._read = None if alone is None else alone.read
        is_of_event = alone is not None and any(path[0] == "event" for path in self.reads)
        self.equality: Equality | None = best(alone.node) if alone is not None and is_of_event else None

    def evaluate(self, scope: Scope) -> Json:
        if self._read is not None:
            return self._read(scope)
        begin_value()
        return self._run(scope, None)

    def render(self, scope: Scope) -> Rendered:
        if not self.has_secrets:
            return Rendered(self.evaluate(scope))
        begin_value()
        sealed: Sealed = {}
        value = self._run(scope, sealed)
        return Rendered(value, sealed or None)

    def is_unbounded(self, scope: Scope) -> bool:
        if self._alone is None or self._alone.unbounded is None:
            return False
        begin_value()
        return self._alone.unbounded(scope) is True

    def _run(self, scope: Scope, sealed: Sealed | None) -> Any:
        try:
            return self._render(scope, sealed, "")
        except EvaluationError:
            raise
        except Exception as error:
            raise internal_error("", error) from error

    def missing(self, scope: Scope, without: frozenset[str]) -> tuple[str, ...]:
        begin_value()
        return tuple(
            one.source
            for one in self._ready.values()
            if without.isdisjoint(path[0] for path in one.reads) and one.compute(scope) is UNDEFINED
        )

    def _tree(self, value: Value) -> Render:
        match value:
            case Constant(value=constant):
                return lambda _scope, _sealed, _at: constant
            case Expression(source=source):
                return _expression(self._ready[source])
            case Text(parts=parts):
                return self._text(parts)
            case Array(items=items):
                return _array([self._tree(item) for item in items])
            case Object(entries=entries):
                return _object([(self._key(key), self._tree(part)) for key, part in entries])
            case _:
                assert_never(value)

    def _key(self, key: Value) -> Render:
        for source in sources(key):
            if mention(self._ready[source].node) is not None:
                message = "a secret cannot be the name of a property"
                raise InvalidExpression(source, (Problem("secret_misused", message),))
        return self._tree(key)

    def _text(self, parts: tuple[Value, ...]) -> Render:
        if not any(self._has_parts(part) for part in parts):
            return _plain_text([self._plain_piece(part) for part in parts])
        pieces = [self._piece(part) for part in parts]

        def render(scope: Scope, sealed: Sealed | None, at: str) -> Any:
            found = merged(part for piece in pieces for part in piece(scope))
            text = masked(found)
            wrote(text)
            if sealed is not None and any(isinstance(part, dict) for part in found):
                sealed[at] = found
            return text

        return render

    def _has_parts(self, part: Value) -> bool:
        return any(self._ready[source].parts is not None for source in sources(part))

    def _piece(self, part: Value) -> Callable[[Scope], Parts]:
        """With the secrets in it apart."""
        parts = self._ready[part.source].parts if isinstance(part, Expression) else None
        if parts is not None:
            return parts
        plain = self._plain_piece(part)
        if isinstance(plain, str):
            return lambda _scope: [plain]
        return lambda scope: [results.rendered(plain(scope), free=True)]

    def _plain_piece(self, part: Value) -> str | Callable[[Scope], Any]:
        match part:
            case Constant(value=str() as text):
                return text
            case Expression(source=source):
                return self._ready[source].compute
            case _:
                inner = self._tree(part)
                return lambda scope: inner(scope, None, "")


def _plain_text(pieces: list[str | Callable[[Scope], Any]]) -> Render:
    """The common case, and so the fast one."""

    def render(scope: Scope, _sealed: Sealed | None, _at: str) -> Any:
        found = [piece if type(piece) is str else _rendered(piece, scope) for piece in pieces]
        effort.fits(sum(map(len, found)))
        text = texts.combined("".join(found))
        wrote(text)
        return text

    return render


def _rendered(compute: Callable[[Scope], Any] | str, scope: Scope) -> str:
    assert not isinstance(compute, str)
    value = compute(scope)
    return value if type(value) is str else results.rendered(value, free=True)


def _expression(one: Ready) -> Render:
    compute, parts = one.compute, one.parts
    if parts is None:
        return lambda scope, _sealed, _at: compute(scope)

    def render(scope: Scope, sealed: Sealed | None, at: str) -> Any:
        found = parts(scope)
        if sealed is not None:
            sealed[at] = found
        return masked(found)

    return render


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
            own: Sealed | None = {} if sealed is not None else None
            found = part(scope, own, place)
            if found is UNDEFINED:
                continue
            if sealed and key in result:  # what stood there is replaced, and its secrets with it
                for old in [old for old in sealed if old == place or old.startswith(f"{place}/")]:
                    del sealed[old]
            if sealed is not None and own:
                sealed.update(own)
            result[key] = found
        return result

    return render
