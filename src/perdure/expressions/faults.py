"""Internal errors in expression functions: exceptions that are no `EvaluationError`. The expression fails, and observers
are told.

This layer does not log. A runtime adds an observer that does.
"""

from __future__ import annotations

from collections.abc import Callable

from perdure.errors import EvaluationError

Observer = Callable[[str, Exception], object]
observers: list[Observer] = []
"""Functions that are called with the source of the expression and the exception."""


def report(source: str, error: Exception) -> None:
    for observe in observers:
        observe(source, error)


class InternalExpressionError(EvaluationError, code="internal_expression_error"):
    """An expression failed by a bug in Perdure. What it would have come to is not known, so no default stands for it."""


def internal_error(source: str, error: Exception) -> InternalExpressionError:
    """Report an exception and return the error that the expression fails with."""
    report(source, error)
    told = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    return InternalExpressionError(
        f"internal error in an expression function ({told}); this is a bug in Perdure", source=source
    )
