"""What callers of Perdure can catch.

PerdureError
├── InvalidWorkflow     the model is not a workflow; `.problems` says all that is wrong with it
└── EvaluationError     an expression could not be computed from the values it was given

Failures inside a workflow are values (`model.failure.Failure`), not exceptions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from perdure.model.problem import Problem


class PerdureError(Exception):
    """The root of the tree."""


class InvalidWorkflow(PerdureError):
    """The model cannot run."""

    def __init__(self, name: str, problems: tuple[Problem, ...]) -> None:
        self.problems = problems
        lines = "".join(f"\n  {problem.path}: {problem.message}" for problem in problems)
        super().__init__(f"workflow {name!r} cannot run:{lines}")


class EvaluationError(PerdureError):
    """An expression met values it cannot work with; the message names the expression and the way out."""
