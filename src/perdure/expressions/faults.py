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


def internal_error(source: str, error: Exception) -> EvaluationError:
    """Report an exception and return the error that the expression fails with."""
    report(source, error)
    told = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    return EvaluationError(
        f"internal error in an expression function ({told}); this is a bug in Perdure", source=source
    )
