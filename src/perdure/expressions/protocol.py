"""What the core asks of a compiled value, and nothing more.

A compiled value is pure: the same scope, the same result, and no way out of the scope. `reads` names, before anything
runs, every path that it may look at; the scope it is given holds these and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import Enum
from typing import Final, Protocol, TypeAlias

from msgspec import Struct

from perdure.model.values import Json, Value


class Undefined(Enum):
    """What JSON has no word for: a property that is not there."""

    UNDEFINED = "undefined"


UNDEFINED: Final = Undefined.UNDEFINED

Path: TypeAlias = tuple[str, ...]
"""("steps", "fetch", "output"): a root, and what is read of it as far as that is known. ("steps",) is all of it."""

Scope: TypeAlias = Mapping[str, Json]


class Rendered(Struct, frozen=True):
    """A value with `***` in place of secrets, and where in it which secrets belong."""

    value: Json
    sealed: Json = None


class Equality(Protocol):
    """What has to be equal for a condition on an event to be true: a part of the event, and something that stays as it is."""

    @property
    def place(self) -> str:
        """Where in the event."""
        ...

    @property
    def reads(self) -> tuple[Path, ...]:
        """What the other side is computed from."""
        ...

    def of(self, scope: Scope) -> str | None:
        """The key of the other side: equal values have the same. None: it cannot be computed."""
        ...


class Compiled(Protocol):
    """A value ready to be computed. Each method raises `EvaluationError` where the values do not fit."""

    @property
    def reads(self) -> tuple[Path, ...]: ...

    @property
    def has_secrets(self) -> bool:
        """Whether it has to be rendered: `evaluate` shows `***` for a secret."""
        ...

    @property
    def equality(self) -> Equality | None:
        """If it is a condition on an event that demands one: that by which most waits can be told apart."""
        ...

    def evaluate(self, scope: Scope) -> Json:
        """The value; `UNDEFINED` if it has none. Secrets are never in it."""
        ...

    def render(self, scope: Scope) -> Rendered:
        """The value as the input of a task, with its secrets sealed beside it."""
        ...

    def is_unbounded(self, scope: Scope) -> bool:
        """Whether it computes a number that is not finite, such as 1/0. `evaluate` returns null for it."""
        ...

    def missing(self, scope: Scope, without: frozenset[str]) -> tuple[str, ...]:
        """The sources of the expressions in it that are undefined, but for those that read a root in `without`."""
        ...


Compile: TypeAlias = Callable[[Value], Compiled]


def truthy(value: Json) -> bool:
    """As in JavaScript: null, undefined, false, 0, NaN and the empty string are false; empty arrays and objects are true."""
    if isinstance(value, list | dict):
        return True
    return value is not UNDEFINED and bool(value) and value == value  # noqa: PLR0124  NaN is not equal to itself
