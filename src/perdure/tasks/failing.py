"""How a task fails: what it raises, and the failure that becomes of it.

Everything is tried again unless it says otherwise: a TypeError may be a bug, but as well a dependency that answered
nonsense for a minute, and a retry policy bounds the cost. A failure is kept in history for ever, so it is small.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import PurePath
from traceback import TracebackException
from typing import Any, Final

import msgspec

from perdure.errors import PerdureError
from perdure.expressions.canonical import NotJson, canonical
from perdure.expressions.texts import storable
from perdure.model.failure import Category, Failure
from perdure.model.values import Json

MESSAGE_LENGTH_MAX: Final = 2_000
STACK_LENGTH_MAX: Final = 3_000
DETAILS_BYTES_MAX: Final = 4_000
_FRAMES_MAX: Final = 6
_CODE_LENGTH_MAX: Final = 100
_WAIT_MS_MAX: Final = 366 * 24 * 60 * 60 * 1_000
_CUT: Final = "…"
_BUGS: Final = (LookupError, AttributeError, TypeError, NameError, ArithmeticError, AssertionError)


_PACKAGE: Final = __name__.partition(".")[0]


class Abandoned(Exception):
    """Nobody waits for this attempt any more: it was cancelled, its time is over, or its worker stops."""


class _Named:
    """Base of the exceptions that tasks raise. A class of this package states its public name, which histories keep and retry
    lists compare: `class Gone(NonRetryable, public_name="Gone")`. A class of a user is called by its own name.
    """

    def __init_subclass__(cls, *, public_name: str | None = None, **options: Any) -> None:
        super().__init_subclass__(**options)
        cls.__perdure_name__ = public_name  # of this class alone: a subclass has its own

    __perdure_name__: str | None = None


class NonRetryable(_Named, Exception, public_name="NonRetryable"):
    """Trying again would only repeat it. `code` names it for routes; without one, the name of the class does. `usage` is what
    was spent all the same, as in `Result`.
    """

    category: Category = Category.PERMANENT
    stack: str | None = None
    """Where it went wrong, if that is not for Python to say; empty: nobody can."""

    def __init__(
        self, message: str = "", *, code: str | None = None, details: Json = None, usage: dict[str, int] | None = None
    ) -> None:
        super().__init__(message)
        self.code, self.details, self.usage = code, details, usage


class Retryable(_Named, Exception, public_name="Retryable"):
    """Trying again may help, but not before `retry_after_ms`, if that is known."""

    category: Category = Category.TRANSIENT

    def __init__(
        self,
        message: str = "",
        *,
        retry_after_ms: int | None = None,
        code: str | None = None,
        details: Json = None,
        usage: dict[str, int] | None = None,
    ) -> None:
        super().__init__(message)
        self.retry_after_ms, self.code, self.details, self.usage = retry_after_ms, code, details, usage


def name_of(kind: type[BaseException]) -> str:
    """Return the name of an exception in failures: the public name of our own classes, the class name of all others."""
    if issubclass(kind, _Named) and kind.__perdure_name__ is not None:
        return kind.__perdure_name__
    if issubclass(kind, PerdureError) and kind.__module__.partition(".")[0] == _PACKAGE:
        return "".join(word.capitalize() for word in kind.code.split("_"))
    return kind.__name__


def failure_of(exception: Exception, hide: Callable[[str], str] = str) -> Failure:
    """What history keeps of an exception. `hide` takes secrets out of its texts, before they are cut."""
    name = name_of(type(exception))
    code, details = None, None
    own_stack = exception.stack if isinstance(exception, NonRetryable) else None
    match exception:
        case NonRetryable() | Retryable():
            category, code, details = _category(exception.category), exception.code, exception.details
        case TimeoutError():
            category = Category.TIMEOUT
        case OSError():
            category = Category.TRANSIENT
        case msgspec.ValidationError():
            category = Category.VALIDATION
        case _:
            category = Category.UNKNOWN
    return Failure(
        message=_head(hide(_told(exception, name)), MESSAGE_LENGTH_MAX) or name,
        category=category,
        code=_head(hide(str(code or name)), _CODE_LENGTH_MAX),
        retriable=not isinstance(exception, NonRetryable),
        details=_small(details),
        stack=_stack(exception, hide) if own_stack is None else _head(hide(own_stack), STACK_LENGTH_MAX) or None,
        exception=_head(hide(name), _CODE_LENGTH_MAX),
        retry_after_ms=_wait_ms(exception.retry_after_ms) if isinstance(exception, Retryable) else None,
    )


def _category(given: object) -> Category:
    """A subclass may say anything."""
    return next((each for each in Category if each == given), Category.UNKNOWN)


def _wait_ms(given: object) -> int | None:
    """Whole milliseconds. What makes no sense is left out, as details are."""
    if isinstance(given, bool) or not isinstance(given, int | float) or not math.isfinite(given):
        return None
    return min(max(0, math.ceil(given)), _WAIT_MS_MAX)


def _small(details: Json) -> Json:
    """Details are a courtesy: those that are not JSON, or too much of it, are left out rather than cut in two."""
    try:
        plain = canonical(msgspec.to_builtins(details))
        return plain if len(msgspec.json.encode(plain)) <= DETAILS_BYTES_MAX else None
    except (TypeError, ValueError, OverflowError, RecursionError, NotJson):
        return None


def _told(exception: Exception, name: str) -> str:
    """What is most likely a bug says what it is, and where: `'items'` alone tells nobody anything."""
    message = _message(exception)
    if not isinstance(exception, _BUGS):
        return message
    frames = TracebackException.from_exception(exception, lookup_lines=False).stack
    where = f" ({PurePath(frames[-1].filename).name}:{frames[-1].lineno})" if frames else ""
    return f"{name}: {message}{where}" if message else f"{name}{where}"


def _message(exception: Exception) -> str:
    try:
        return str(exception)
    except Exception:  # noqa: BLE001 -- the author's own __str__ may be what is broken
        return ""


def _stack(exception: Exception, hide: Callable[[str], str]) -> str | None:
    """The frames nearest to where it was raised. Values of variables are not in it: they may be secrets."""
    if exception.__traceback__ is None:
        return None
    summary = TracebackException.from_exception(exception, limit=-_FRAMES_MAX, compact=True)
    # Not of the exception and its causes as a whole: their messages may be of any size, and stand in `message`.
    text = hide("".join(summary.stack.format()))
    return storable(text if len(text) <= STACK_LENGTH_MAX else _CUT + text[1 - STACK_LENGTH_MAX :])


def _head(text: str, length_max: int) -> str:
    return storable(text if len(text) <= length_max else text[: length_max - 1] + _CUT)
