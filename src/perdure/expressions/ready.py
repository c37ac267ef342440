"""An expression made ready: read once, checked, and turned into a function of the scope."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from msgspec import Struct

from perdure.errors import EvaluationError
from perdure.expressions import results
from perdure.expressions import tree as t
from perdure.expressions.closures import compute
from perdure.expressions.effort import begin, begin_value
from perdure.expressions.operators import is_index
from perdure.expressions.parse import parse
from perdure.expressions.protocol import UNDEFINED, Path, Scope
from perdure.expressions.scanner import SOURCE_MAX
from perdure.expressions.sealing import Parts, masked, sealing
from perdure.expressions.walk import path_of, reads
from perdure.expressions.wording import shown

REMEMBERED_MAX = 1_024
"""Longer sources are read again each time: what is made of one can take a hundred times its length."""


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


def ready(source: str, bytes_max: int = SOURCE_MAX) -> Ready:
    """The expression, from its source. Raises `InvalidExpression` with what is wrong with it."""
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
    return Ready(source, node, guarded, _alone(guarded), found)


remembered = lru_cache(maxsize=512)(_made)


def _is_plain(path: Path | None) -> bool:
    """Whether it reads what the scope holds, which is JSON already, as it is, and takes no steps for it. The length of a text
    has to be counted, and a place in it may be half a character.
    """
    counted = ("now", "nowMs", "length")
    return path is not None and not any(name in counted or is_index(name) for name in path)


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
            raise EvaluationError(f"{shown(source)}: {error}", source=source) from error

    return guarded
