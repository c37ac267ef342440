"""How much an expression may do: ten thousand steps, however it spends them.

A step is a call, a function run over an item, eight operations in its body, four items handled or 128 characters. So the
time of the worst expression is bounded, and so is what it builds on the way. What is computed runs from beginning to end
without a pause, so that one count is enough for each thread.
"""

from __future__ import annotations

from contextvars import ContextVar
from typing import Any

from perdure.errors import EvaluationError

STEPS_MAX = 10_000
VALUE_STEPS_MAX = 100_000
"""For all the expressions of a value together, and the texts that are made of them."""

OPERATIONS_A_STEP = 8
ITEMS_A_STEP = 4
CHARACTERS_A_STEP = 128
TEXT_MAX = 1 << 20
"""How long a text may get while an expression is computed, and how large its result, in characters."""

LIST_MAX = 100_000
LEVELS_MAX = 200
"""How deep a value may be that an expression makes, copies or reads as a text."""


_left: ContextVar[list[int]] = ContextVar("how many steps are left")
"""For this expression, and for this value without what this expression has taken."""


def begin_value() -> None:
    """A value begins, with all its expressions."""
    _left.set([STEPS_MAX, VALUE_STEPS_MAX])


def begin() -> None:
    """An expression begins."""
    left = _left.get()
    if left[0] < STEPS_MAX:
        left[1] -= STEPS_MAX - left[0]
        left[0] = STEPS_MAX
        _still_any(left)


def wrote(text: str) -> None:
    """A text has been made of the values of expressions."""
    if len(text) >= CHARACTERS_A_STEP:
        left = _left.get()
        left[1] -= len(text) // CHARACTERS_A_STEP
        _still_any(left)


def _still_any(left: list[int]) -> None:
    if left[1] < 0:
        raise EvaluationError(
            f"the expressions of this value take more than {VALUE_STEPS_MAX:,} steps together; move the work into a task"
        )


def spend(steps: int) -> None:
    left = _left.get()
    left[0] -= steps
    if left[0] < 0:
        raise EvaluationError(f"it takes more than {STEPS_MAX:,} steps; move the work into a task or a transform")


def handle(value: Any) -> None:
    """Spends what it takes to go through the value once; what is inside of its items does not count."""
    kind = type(value)
    if kind is str:
        read(value)
    elif (kind is list or kind is dict) and len(value) >= ITEMS_A_STEP:
        spend(len(value) // ITEMS_A_STEP)


def read(value: Any) -> None:
    """Spends what it takes to read the value, if it is a text. Arrays and objects are passed on as they are."""
    if type(value) is str and len(value) >= CHARACTERS_A_STEP:
        spend(len(value) // CHARACTERS_A_STEP)


def sized(text: str) -> str:
    fits(len(text))
    return text


def fits(length: int) -> None:
    """Before a text gets so long."""
    if length > TEXT_MAX:
        raise EvaluationError(TOO_LONG)


TOO_LONG = f"a text gets longer than an expression may make; the limit is {TEXT_MAX} characters"


def fitting(count: int) -> None:
    """Before an array gets so many items."""
    if count > LIST_MAX:
        raise EvaluationError(f"an array gets longer than an expression may make; the limit is {LIST_MAX} items")


def not_too_deep(depth: int) -> None:
    if depth > LEVELS_MAX:
        raise EvaluationError(f"the value is more than {LEVELS_MAX} levels deep")
