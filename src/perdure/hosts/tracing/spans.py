"""A span that is over, in our own words."""

from __future__ import annotations

from typing import Final, Literal, Protocol, TypeAlias

from msgspec import Struct

from perdure.hosts.tracing.ids import Place
from perdure.model.failure import Failure

Attribute: TypeAlias = str | int | bool
MS_NS, ERROR_MAX = 1_000_000, 100


class Span(Struct, frozen=True):
    """`parent` None: it is the first of its trace. `error`: of which kind, if it is one. Times in nanoseconds."""

    name: str
    place: Place
    parent: Place | None
    begun_at: int
    ended_at: int
    attributes: dict[str, Attribute]
    error: str | None = None
    kind: Literal["internal", "client"] = "internal"
    link: Place | None = None


ATTEMPT_SPAN: Final = "attempt"
"""First word of the name of a span of an attempt."""

ATTEMPT: Final = "perdure.attempt"
EXECUTION: Final = "perdure.execution.id"
OPERATION: Final = "perdure.operation"
STATUS: Final = "perdure.status"
STEP: Final = "perdure.step"
"""Attributes of spans that more than one module sets."""


class Emit(Protocol):
    """Tells a span to whoever collects them. It does not wait for that."""

    def __call__(self, span: Span, /) -> None: ...


def error_type(failure: Failure) -> str:
    """What can be told of a failure without its message, which may have anything in it."""
    return (failure.code or failure.exception or failure.category.value)[:ERROR_MAX]
