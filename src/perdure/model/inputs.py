"""Inputs, and whether they fit the schema that their workflow has for them. Who starts something asks here; the core is
given what it asks of others, and of itself does not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from perdure.model.failure import Failure, refusal
from perdure.model.problem import Problem
from perdure.model.values import Json
from perdure.model.workflow import Workflow

if TYPE_CHECKING:
    from perdure.schemas import Checker, Violation

INVALID_INPUT: Final = "INVALID_INPUT"
TOLD_MAX: Final = 3
"""So many of all that is wrong with an input stand in one text."""


class Inputs:
    """What a workflow can be started with; without a schema, anything."""

    def __init__(self, schema: Json) -> None:
        self._checker: Checker | None = None
        self._unusable: str | None = None
        if schema is not None:
            from perdure import schemas  # noqa: PLC0415  most workflows have none, and need not wait for it

            try:
                self._checker = schemas.checker(schema)
            except ValueError as error:  # another version of Perdure could use it
                self._unusable = f"it cannot be checked: its schema cannot be used ({error})"

    def problems(self, given: Json) -> tuple[Problem, ...]:
        """All that is wrong with an input, each with its path into it."""
        if self._unusable is not None:
            return (Problem("invalid_input", self._unusable),)
        if self._checker is None:
            return ()
        found = self._checker.violations(given)
        if found and given is None:  # what an object would need says more than that null is none
            needed = self._checker.violations({}) or found
            return tuple(
                Problem("invalid_input", f"there is no input, and {each.message}", field=each.missing)
                for each in needed
            )
        return tuple(Problem("invalid_input", each.message, each.path, field=_field(each)) for each in found)

    def reason(self, given: Json) -> str | None:
        """Why nothing can be started with an input, in one text; None: it can."""
        found = self.problems(given)
        return f"the input does not fit: {_told(found)}" if found else None

    def failure(self, given: Json) -> Failure | None:
        """The same, as what an execution fails with that exists already."""
        reason = self.reason(given)
        return None if reason is None else refusal(reason, code=INVALID_INPUT)


def unusable(workflow: Workflow) -> Iterator[Problem]:
    """What of its schema cannot be used, or keeps its own schedules from ever starting anything."""
    if workflow.input_schema is None:
        return
    from perdure import schemas  # noqa: PLC0415

    wrong = schemas.problems(workflow.input_schema)
    for each in wrong:
        message = f"the schema of its input is not a JSON Schema that can be used: {each.message}"
        yield Problem("invalid_schema", message, f"/input_schema{each.path}")
    inputs = Inputs(None if wrong else workflow.input_schema)
    for number, schedule in enumerate(workflow.schedules):
        found = inputs.problems({} if schedule.input is None else schedule.input)
        if found:
            message = f"what the schedule {schedule.id!r} gives does not fit the schema of the input: {_told(found)}"
            yield Problem("invalid_schedule", message, f"/schedules/{number}/input", schedule.id)


def _field(violation: Violation) -> str:
    """The key that it is about: `order.items`."""
    keys = [key.replace("~1", "/").replace("~0", "~") for key in violation.path.split("/")[1:]]
    return ".".join([*keys, violation.missing] if violation.missing else keys)


def _told(problems: Sequence[Problem]) -> str:
    told = [f"{each.path}: {each.message}" if each.path else each.message for each in problems[:TOLD_MAX]]
    more = len(problems) - TOLD_MAX
    return "; ".join(told) + (f"; and {more} more" if more > 0 else "")
