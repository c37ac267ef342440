"""Which events start a workflow, as documents write it: a pattern of their types, and a condition over the `event` alone, because
it is judged before there is an execution.
"""

from __future__ import annotations

from typing import Final

from perdure.core.patterns import why_nothing_fits
from perdure.dialects.fields import Fields
from perdure.dialects.values import checked, joined
from perdure.errors import InvalidExpression
from perdure.expressions import tree as t
from perdure.expressions.ready import ready
from perdure.expressions.scanner import Form
from perdure.expressions.walk import free_names, reads
from perdure.expressions.wording import nearest, shown
from perdure.model.values import Expression
from perdure.model.workflow import EventStart

EVENT: Final = ("id", "type", "source", "at", "correlationId", "payload", "metadata")
"""What an event has, in expressions."""


def read_event_start(
    given: Fields, pattern_key: str, condition_key: str = "condition", form: Form = "{{"
) -> EventStart | None:
    """None: it names no events, or not such as can be understood, which has been told."""
    pattern, condition = read_pattern(given, pattern_key, form), _condition(given, condition_key, form)
    return None if pattern is None else EventStart(pattern, condition)


def read_pattern(given: Fields, key: str, form: Form, *, required: bool = False) -> str | None:
    """A pattern that is known when the document is saved."""
    pattern = given.word(key, required=required)
    if pattern is None:
        return None
    why = "is not computed; write it out" if form in pattern else why_nothing_fits(pattern)
    if why is not None:
        given.problem("invalid_pattern", key, f"no event fits the pattern {shown(pattern)}: it {why}")
        return None
    return pattern


def _condition(data: Fields, key: str, form: Form) -> Expression | None:
    given, path = data.text(key), data.at(key)
    if given is None:
        return None
    try:
        source = joined(given, form)
        tree = ready(source).node
    except InvalidExpression as error:
        data.faults.take(error.problems, path, data.step)
        return None
    tell_of_names(tree, data, key)
    value = Expression(source)
    no_secrets = "what a task is given"
    return value if checked(value, path, data.faults, data.step, no_secrets=no_secrets) is value else None


def tell_of_names(tree: t.Node, data: Fields, key: str) -> None:
    """Where only the event is known: names that are not there, and parts that it has not."""
    for name in dict.fromkeys(name.name for name in free_names(tree) if name.name != "event"):
        message = f"there is no {name!r} here, only the event; did you mean event.payload.{name}?"
        data.problem("unknown_name", key, message)
    for part in dict.fromkeys(path[1] for path in sorted(reads(tree)) if path[0] == "event" and len(path) > 1):
        if part not in EVENT:
            data.warning("unknown_name", key, no_such_part(part))


def no_such_part(part: str) -> str:
    return f"an event has no {part!r}{nearest(part, EVENT) or f'; did you mean event.payload.{part}?'}"
