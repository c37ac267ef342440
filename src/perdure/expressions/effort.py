"""How much an expression may do: ten thousand steps, however it spends them.

A step is a call, a function run over an item, sixteen operations in its body, eight items handled or 128 characters. So the
time of the worst expression is bounded, and so is what it builds on the way. What is computed runs in one thread from
beginning to end; each thread counts for itself.
"""

from __future__ import annotations

from threading import local
from typing import Any

from perdure.errors import EvaluationError

STEPS_MAX = 10_000
OPERATIONS_A_STEP = 16
ITEMS_A_STEP = 8
CHARACTERS_A_STEP = 128


class _Left(local):
    steps = STEPS_MAX


_left = _Left()


def begin() -> None:
    """An expression begins."""
    _left.steps = STEPS_MAX


def spend(steps: int) -> None:
    _left.steps -= steps
    if _left.steps < 0:
        raise EvaluationError(f"it takes more than {STEPS_MAX:,} steps; move the work into a task or a transform")


def handle(value: Any) -> None:
    """Spends what it takes to go through the value once; what is inside of its items does not count."""
    kind = type(value)
    if kind is str:
        if len(value) >= CHARACTERS_A_STEP:
            spend(len(value) // CHARACTERS_A_STEP)
    elif (kind is list or kind is dict) and len(value) >= ITEMS_A_STEP:
        spend(len(value) // ITEMS_A_STEP)
