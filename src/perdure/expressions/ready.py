"""An expression made ready: read once, checked, and turned into a function of the scope."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache
from math import isfinite
from typing import Any

from msgspec import Struct

from perdure.errors import EvaluationError, InvalidExpression
from perdure.expressions import results
from perdure.expressions import tree as t
from perdure.expressions.closures import compute
from perdure.expressions.effort import begin, begin_value
from perdure.expressions.faults import internal_error
from perdure.expressions.operators import is_index
from perdure.expressions.parse import parse
from perdure.expressions.protocol import UNDEFINED, Path, Scope
from perdure.expressions.scanner import SOURCE_MAX
from perdure.expressions.sealing import Parts, masked, sealing
from perdure.expressions.walk import path_of, reads
from perdure.expressions.wording import shown
from perdure.model.problem import Problem

REMEMBERED_MAX = 1_024
"""Longer sources are read again each time: what is made of one can take a hundred times its length."""


WORK_MAX, SOURCE_WORK = 600_000, 32
"""For all expressions of a document, as their author wrote them and with the names of the model: their characters, and what each
takes beside those.
"""

LOWERED_MAX = 16 * SOURCE_MAX
"""What a dialect makes of an author's expression, with the names of the model in it, may be so much longer."""


class Ready(Struct, frozen=True):
    """`parts`: if it is a text with secrets in it, its parts; then `compute` has `***` in their place."""

    source: str
    node: t.Node
    compute: Callable[[Scope], Any]
    """As one of the expressions of a value, which has begun."""
    run: Callable[[Scope], Any]
    """Alone."""
    reads: frozenset[Path]
    parts: Callable[[Scope], Parts] | None = None
    read: Callable[[Scope], Any] | None = None
    """If it only reads what the scope holds: that, which takes no steps."""
    unbounded: Callable[[Scope], Any] | None = None
    """Whether the result is a number that is not finite, which is null as JSON. None: it never is."""


class Together:
    """The expressions of one document: each is made ready once, and there may be only so much of them. One alone is bounded, and
    so is a document, but one of nothing but expressions would take a minute to read.

    What is counted follows from the document, and not from what is remembered: it is taken, or refused, whatever came before it.
    `work` is also counted where nothing is made ready any more, so that it can be told.
    """

    def __init__(self) -> None:
        self.work, self.most = 0, WORK_MAX
        self._made: dict[tuple[str, int], Ready] = {}

    @property
    def is_too_much(self) -> bool:
        return self.work > self.most

    def ready(self, source: str, bytes_max: int) -> Ready:
        key = source, 0 if len(source) <= REMEMBERED_MAX else bytes_max
        found = self._made.get(key)
        if found is None:
            self.work += len(source) + SOURCE_WORK
            if self.is_too_much:
                message = f"the expressions of a document come to {self.most:,} at most"
                raise InvalidExpression(source, [Problem("too_large", message)])
            found = self._made[key] = _remembered_or_made(source, bytes_max)
        return found


_together: ContextVar[Together | None] = ContextVar("the document whose expressions are read", default=None)


@contextmanager
def together() -> Iterator[Together]:
    """While this lasts, all expressions are those of one document."""
    document = Together()
    token = _together.set(document)
    try:
        yield document
    finally:
        _together.reset(token)


def ready(source: str, bytes_max: int = SOURCE_MAX) -> Ready:
    """The expression, from its source. Raises `InvalidExpression` with what is wrong with it."""
    document = _together.get()
    return _remembered_or_made(source, bytes_max) if document is None else document.ready(source, bytes_max)


def _remembered_or_made(source: str, bytes_max: int) -> Ready:
    return remembered(source) if len(source) <= REMEMBERED_MAX else _made(source, bytes_max)


def _made(source: str, bytes_max: int = SOURCE_MAX) -> Ready:
    node = parse(source, bytes_max)
    found = frozenset(path for path in reads(node) if path[0] != "secrets")
    parts = sealing(source, node)
    if parts is not None:
        sealed = _guarded(source, parts)
        hidden = _masking(sealed)
        return Ready(source, node, hidden, _alone(hidden), found, sealed)
    run = compute(node)
    if _is_plain(path_of(node)):
        return Ready(source, node, run, run, found, read=run)
    guarded = _guarded(source, run, results.plain)
    return Ready(source, node, guarded, _alone(guarded), found, unbounded=_guarded(source, run, _is_unbounded))


remembered = lru_cache(maxsize=512)(_made)


def _is_plain(path: Path | None) -> bool:
    """Whether it reads what the scope holds, which is JSON already, as it is, and takes no steps for it. The length of a text
    has to be counted, and a place in it may be half a character.
    """
    counted = ("now", "nowMs", "length")
    return path is not None and not any(name in counted or is_index(name) for name in path)


def _is_unbounded(found: Any) -> bool:
    return isinstance(found, float) and not isfinite(found)


def _masking(parts: Callable[[Scope], Parts]) -> Callable[[Scope], Any]:
    return lambda scope: masked(parts(scope))


def _alone(run: Callable[[Scope], Any]) -> Callable[[Scope], Any]:
    def alone(scope: Scope) -> Any:
        begin_value()
        return run(scope)

    return alone


def _guarded(
    source: str, run: Callable[[Scope], Any], outcome: Callable[[Any], Any] = lambda found: found
) -> Callable[[Scope], Any]:
    """Whatever goes wrong names the expression. What comes out is undefined, or what `outcome` makes of it."""

    def guarded(scope: Scope) -> Any:
        try:
            begin()
            found = run(scope)
            return found if found is UNDEFINED else outcome(found)
        except EvaluationError as error:
            raise type(error)(f"{shown(source)}: {error}", source=source) from error
        except Exception as error:
            told = internal_error(source, error)
            raise type(told)(f"{shown(source)}: {told}", source=source) from error

    return guarded
