"""Whether a start that comes again is the one that came first. Its idempotency key alone does not say so."""

from __future__ import annotations

from perdure.core.advance import Start
from perdure.core.facts import ExecutionStarted
from perdure.model.records import ExecutionRecord
from perdure.model.values import Json
from perdure.store.questions import Questions


def repeats(store: Questions, record: ExecutionRecord, start: Start) -> bool:
    """Whether an execution, which may not have begun, was started with the same input, and the same data beside it."""
    first = _first(store, record.id)
    return (
        first is None  # nobody can tell any more
        or (first.input, first.trigger_data, first.trigger, record.correlation_id)
        == (start.input, start.trigger_data, start.trigger, start.correlation_id)
    )


def is_of_another_version(store: Questions, record: ExecutionRecord, start: Start, digest: str | None) -> bool:
    """Whether an execution is not of the version that is named now, or of the document that is given, which has this `digest`.
    None: the active one is meant, and that may have been another then.
    """
    first = _first(store, record.id)
    is_named_otherwise = first is not None and first.version != start.version
    return is_named_otherwise or digest not in (None, record.digest)


def has_other_input(store: Questions, execution: str, given: Json) -> bool:
    first = _first(store, execution)
    return first is not None and first.input != given


def _first(store: Questions, execution: str) -> ExecutionStarted | Start | None:
    for entry in store.history(execution, 0, 1):
        return entry.fact if isinstance(entry.fact, ExecutionStarted) else None
    look = store.look(execution)
    return None if look is None else look.start
