"""What is refused, with all that is wrong with it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from perdure.errors import TOLD_MAX, PerdureError
from perdure.model.problem import Problem


class Refused(PerdureError, code="refused"):
    """The document cannot run, or not with this input; what is sent is no event. Nothing has been changed."""

    def __init__(
        self, problems: Iterable[Problem], warnings: Sequence[Problem] = (), *, what: str = "it cannot run"
    ) -> None:
        self.problems, self.warnings = tuple(problems), tuple(warnings)
        told = "".join(f"\n  {_told(problem)}" for problem in self.problems[:TOLD_MAX])
        more = len(self.problems) - TOLD_MAX
        super().__init__(f"{what}:{told}" + (f"\n  and {more} more" if more > 0 else ""))


def refuse_input(problems: Sequence[Problem]) -> None:
    """Raises `Refused`, if there are any."""
    if problems:
        raise Refused(problems, what="it cannot be started with this input")


def _told(problem: Problem) -> str:
    place = f"line {problem.line}: " if problem.line is not None else f"{problem.path}: " if problem.path else ""
    return f"{place}{problem.message}"
