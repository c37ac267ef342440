"""A failure inside a workflow, as a value: what failed, with what, and the way out."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct

from perdure.model.values import Json


class Category(StrEnum):
    TRANSIENT = "TRANSIENT"
    PERMANENT = "PERMANENT"
    BUSINESS = "BUSINESS"
    SYSTEM = "SYSTEM"
    TIMEOUT = "TIMEOUT"
    VALIDATION = "VALIDATION"
    SECURITY = "SECURITY"
    UNKNOWN = "UNKNOWN"


class Failure(Struct, frozen=True, omit_defaults=True):
    """`code` names the failure for routes and retry lists, as does `exception`, the name of what was raised.

    Its time is that of the fact that holds it.
    """

    message: str
    category: Category = Category.UNKNOWN
    code: str | None = None
    retriable: bool = True
    details: Json = None
    stack: str | None = None
    exception: str | None = None
    retry_after_ms: int | None = None
    """Trying again before is of no use: who was called has said so."""
    origin: str | None = None
    """Id of the execution in which it arose, if it was passed up from a child; None: the execution that has it."""

    @property
    def names(self) -> tuple[str, ...]:
        """What a route or a retry list may call this failure by, the most exact first."""
        return tuple(name for name in (self.code, self.exception, self.category) if name is not None)


def refusal(message: str, *, code: str, category: Category = Category.VALIDATION) -> Failure:
    """A failure that trying again would only repeat."""
    return Failure(message=message, category=category, code=code, retriable=False)


NEVER_CALLED = refusal("the execution ended before it was called", code="NEVER_CALLED", category=Category.SYSTEM)
"""Of a task that was to be called, when nobody wanted it any more."""
