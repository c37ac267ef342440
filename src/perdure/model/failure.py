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
    """`code` names the failure for routes and retry lists; its time is that of the fact that holds it."""

    message: str
    category: Category = Category.UNKNOWN
    code: str | None = None
    retriable: bool = True
    details: Json = None
    stack: str | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """What a route or a retry list may call this failure by, the most exact first."""
        return (self.category,) if self.code is None else (self.code, self.category)


def refusal(message: str, *, code: str, category: Category = Category.VALIDATION) -> Failure:
    """A failure that trying again would only repeat."""
    return Failure(message=message, category=category, code=code, retriable=False)
