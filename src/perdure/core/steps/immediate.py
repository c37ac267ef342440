"""Work that is decided on the spot: computing, choosing, setting variables, publishing, failing on purpose."""

from __future__ import annotations

from perdure.core.commands import PublishEvent
from perdure.core.draft import Draft
from perdure.core.moves import Broken, Done, Move, invalid
from perdure.core.seat import Seat
from perdure.errors import EvaluationError
from perdure.expressions.protocol import UNDEFINED
from perdure.expressions.wording import kind
from perdure.ids import derived
from perdure.model.failure import Failure
from perdure.model.steps import Compute, Condition, Fail, Publish, SetVariables
from perdure.model.values import Json

NAME_LENGTH_MAX, NAME_BYTES_MAX = 500, 1_000
"""Maximum length of computed event types, patterns and names. The API takes event types of 500 characters."""


def compute(draft: Draft, seat: Seat, work: Compute) -> Move:
    return Done(draft.evaluate(work.output, seat))


def condition(draft: Draft, seat: Seat, work: Condition) -> Move:
    result = draft.evaluate(work.test, seat)
    if result is None or result is UNDEFINED:
        result = False
    if not isinstance(result, bool):
        return invalid(
            f"the condition of step {seat.node.step.id!r} must be true or false, not {result!r}",
            "NOT_BOOLEAN",
        )
    return Done(result, port="true" if result else "false")


def set_variables(draft: Draft, seat: Seat, work: SetVariables) -> Move:
    """In order: a later value sees the earlier."""
    values: dict[str, Json] = {}
    draft.overlay = values
    try:
        for name, value in work.values:
            result = draft.evaluate(value, seat)
            if result is not UNDEFINED:
                values[name] = result
    finally:
        draft.overlay = {}
    return Done(values, assigned=values)


def publish(draft: Draft, seat: Seat, work: Publish) -> Move:
    event_type = text(draft.evaluate(work.type, seat), "the type of an event")
    data = draft.evaluate(work.data, seat)
    event_id = derived(draft.state.execution, "event", draft.state.seq + 1)
    event = PublishEvent(event_id, event_type, None if data is UNDEFINED else data)
    return Done({"eventId": event_id, "type": event_type}, publishes=event)


def fail(draft: Draft, seat: Seat, work: Fail) -> Move:
    message = draft.evaluate(work.message, seat)
    return Broken(Failure(str(message), work.category, work.code, retriable=False))


def refuse_nul(value: str, what: str) -> None:
    """Raise for a name that Postgres cannot store. Values computed today have none; those of older versions may."""
    if "\0" in value:
        raise EvaluationError(f"{what} contains a NUL character (U+0000); remove it")


def refuse_long(value: str, what: str) -> None:
    """Raise for a name that is longer than an index of Postgres can hold, beside the others in its row."""
    if len(value) > NAME_LENGTH_MAX:
        raise EvaluationError(f"{what} has {len(value)} characters; shorten it to at most {NAME_LENGTH_MAX}")
    size = len(value.encode(errors="surrogatepass"))
    if size > NAME_BYTES_MAX:
        raise EvaluationError(f"{what} takes {size} bytes as UTF-8; shorten it to at most {NAME_BYTES_MAX}")


def text(value: Json, what: str) -> str:
    if isinstance(value, str) and value:
        refuse_nul(value, what)
        refuse_long(value, what)
        return value
    raise EvaluationError(
        f"{what} must be a text that is not empty, not {'an empty one' if value == '' else kind(value)}"
    )
