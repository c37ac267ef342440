"""What a case is: a document, what somebody types, and what is to come of it. Graph has its own, in `run.words`."""

from __future__ import annotations

from typing import Any, Protocol

from msgspec import Struct

from perdure.model.values import Json
from run.expected import UNSAID


class Case(Struct, frozen=True):
    """`view`, `error` and `waits` are what has to be there, by paths with dots; `exit` is the exit status."""

    name: str
    document: Json
    input: Json = None
    exit: int = 0
    output: Any = UNSAID
    ran: tuple[str, ...] | None = None
    """The steps that have an entry among the steps, in whatever order."""
    view: dict[str, Any] = {}
    error: dict[str, Any] = {}
    waits: dict[str, Any] = {}
    """What stands in `waiting_for`."""
    says: tuple[str, ...] = ()
    """What stands in the error or the problems; where there are none, in the variables."""
    beside: tuple[Json, ...] = ()
    """Documents to save first."""
    arguments: tuple[str, ...] = ()


class Warned(Struct, frozen=True):
    """A document that can run, and what `perdure validate` has to say about it."""

    name: str
    document: Json
    says: tuple[str, ...] = ()
    silent: bool = False
    """Nothing is said at all."""
    never: tuple[str, ...] = ()
    """Texts that no warning has."""


class Judged(Struct, frozen=True):
    """A document, and all that `perdure validate` has to say of it: these problems and no others, in this order, and of the
    warnings at least these. Of each is told what has to be there, by paths with dots.
    """

    name: str
    document: Json
    problems: tuple[dict[str, Any], ...] = ()
    warnings: tuple[dict[str, Any], ...] = ()


class Named(Protocol):
    @property
    def name(self) -> str: ...


def named(case: Named) -> str:
    return case.name.replace(" ", "-")
