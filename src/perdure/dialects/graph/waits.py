"""WAIT and WAIT_UNTIL: the node is done at once, and control stays there for a while, as after `_wait` of an executor."""

from __future__ import annotations

import math
from typing import Final

from perdure.dialects.fields import Fields
from perdure.dialects.graph.built import Built, Surroundings
from perdure.dialects.graph.document import Node
from perdure.dialects.graph.templates import template
from perdure.dialects.values import constants
from perdure.errors import EvaluationError
from perdure.expressions.times import moment
from perdure.model.steps import Compute, Step
from perdure.model.values import Constant, Expression, Json, Value

_UNITS_MS: Final = {"seconds": 1_000, "minutes": 60_000, "hours": 3_600_000, "days": 86_400_000}
_IS_NUMBER: Final = (
    "(Number.isFinite(local.amount)"
    " || (local.amount === String(local.amount) && local.amount.trim() !== '' && isFinite(local.amount)))"
)
"""Also as a text. What JavaScript makes a number of besides (`true`, an empty list or text) was never meant to be one."""

_NEVER_FAILS_MS_MAX: Final = 1_000 * 365 * _UNITS_MS["days"]
"""Maximum of a pause that ends before the year 10000 by any plausible clock; after a longer one, the node may fail."""

_UNITS: Final = (*_UNITS_MS, *(unit.removesuffix("s") for unit in _UNITS_MS))


def wait(node: Node, data: Fields, around: Surroundings) -> Built:
    """`amount` of `unit`: one hour, if nothing else is said."""
    unit = data.choice("unit", _UNITS, "hours")
    unit_ms = _UNITS_MS.get(unit) or _UNITS_MS[f"{unit}s"]
    amount = template(data.given.get("amount", 1), data.at("amount"), around.faults, step=node.id)
    if isinstance(amount, Constant):
        pause_ms = _constant_ms(data, amount.value, unit_ms)
        until = Expression(f"nowMs + {pause_ms}")
        return _paused(node, data, around, until, fails=pause_ms > _NEVER_FAILS_MS_MAX)
    # What is undefined is no time, and has to be an error: a pause until nothing would be no pause.
    pause, shown = f"Number(local.amount) * {unit_ms}", _shown(amount, "amount")
    finite = f"isFinite(nowMs + {pause}) ? nowMs + {pause} : 'amount ' + local.amount + ' ({unit})'"
    until = Expression(f"{_IS_NUMBER} ? ({finite}) : local.amount ?? {shown}")
    return _paused(node, data, around, until, fails=True, amount=amount)


def wait_until(node: Node, data: Fields, around: Surroundings) -> Built:
    """Until an instant; one that has passed is no wait."""
    if not data.has("timestamp"):
        data.missing("timestamp")
    timestamp = template(data.given.get("timestamp"), data.at("timestamp"), around.faults, step=node.id)
    if isinstance(timestamp, Constant) and data.has("timestamp"):
        try:
            moment(timestamp.value, 0)
        except EvaluationError as error:
            data.problem("invalid_time", "timestamp", f"'timestamp': {error}")
    return _paused(
        node,
        data,
        around,
        Expression(f"local.timestamp ?? {_shown(timestamp, 'timestamp')}"),
        fails=True,
        timestamp=timestamp,
    )


def _paused(node: Node, data: Fields, around: Surroundings, until: Value, *, fails: bool, **names: Value) -> Built:
    """`fails`: the time may not be computable; a label that is a template may not be either."""
    label = template(data.given.get("label"), data.at("label"), around.faults, step=node.id)
    step = Step(
        node.id,
        Compute(),
        locals=constants(**names) if names else None,
        pause_until=until,
        pause_label=label if data.has("label") else None,
    )
    return Built(step, fails=fails or not isinstance(label, Constant))


def _shown(value: Value, name: str) -> str:
    """An expression: the field with its value, for a message. A local that is not a finite number is null."""
    return f"'{name} ' + String(({value.source}))" if isinstance(value, Expression) else "'undefined'"


def _constant_ms(data: Fields, amount: Json, unit_ms: int) -> int:
    """A number, also as a text, of units; or a duration, which has its own."""
    found = _number(amount)
    if found is not None:
        amount = found * unit_ms
    try:
        return moment(amount, 0)
    except EvaluationError as error:
        data.problem("invalid_time", "amount", f"'amount': {error}")
        return 0


def _number(amount: Json) -> float | None:
    if isinstance(amount, bool):
        return None
    if isinstance(amount, int | float):
        return amount
    try:
        found = float(amount) if isinstance(amount, str) else None
    except ValueError:
        return None
    return found if found is not None and math.isfinite(found) else None
