"""What a task answers with: a value, and if it likes the port it leaves by and what there is to say about the value."""

from __future__ import annotations

from typing import Any, Final

import msgspec
from msgspec import Struct

from perdure.expressions.canonical import DEPTH_MAX, ESCAPED_NUL, SIZE_MAX, NotJson, canonical
from perdure.expressions.texts import storable
from perdure.model.failure import Category
from perdure.model.values import Json
from perdure.tasks.decoding import decode_json
from perdure.tasks.failing import NonRetryable
from perdure.tasks.offload import run_by_size

_NOT_JSON: Final = (TypeError, ValueError, OverflowError, RecursionError)
_BASES: Final[tuple[type[Any], ...]] = (str, int, float, dict, list, tuple)

_UNIT_LENGTH_MAX: Final = 100
AMOUNT_MAX: Final = 2**53 - 1


class InvalidOutput(NonRetryable, public_name="InvalidOutput"):
    """What the task answered cannot be taken. It has run: running it again would repeat its effects."""

    category = Category.VALIDATION


class Result(Struct, frozen=True):
    """A task that returns `data` alone answers on the port that its step has for success; this one chooses.

    `meta` is kept beside the output of the step: where it came from, say, or what it cost. `usage` is what the call has spent of
    budgets, by unit: `{"tokens": 412}`.
    """

    data: Any = None
    port: str | None = None
    meta: Any = None
    usage: dict[str, int] | None = None

    def __post_init__(self) -> None:
        port: object = self.port
        if port is not None and (not isinstance(port, str) or not port):
            said = "empty" if port == "" else f"of type {type(port).__name__}"
            raise InvalidOutput(
                f'the port of a Result is {said}; it has to be a text that is not empty, like "approved"'
            )


async def read_answer(what: str, answer: Any) -> Result:
    """Return the answer of a task as JSON. Large values are read in a thread. Raises `InvalidOutput`."""
    if not isinstance(answer, Result):
        return Result(await plain_by_size(what, answer))
    if answer.port is not None and storable(answer.port) != answer.port:
        raise InvalidOutput(f"{what} answered on port {answer.port!r}, which holds NUL or a lone surrogate; remove it")
    meta = None if answer.meta is None else await plain_by_size(f"the meta of {what}", answer.meta)
    return Result(await plain_by_size(what, answer.data), answer.port, meta, usage_of(what, answer.usage))


async def plain_by_size(what: str, answer: Any) -> Json:
    """As `plain`."""
    encoded = _encoded(what, answer)
    return await run_by_size(len(encoded), lambda: _decoded(what, answer, encoded))


def usage_of(what: str, given: object) -> dict[str, int] | None:
    """How much of what, as budgets count it."""
    if given is None:
        return None
    if isinstance(given, dict) and all(_is_unit(unit) and _is_whole(amount) for unit, amount in given.items()):
        return dict(given)
    raise InvalidOutput(f'the usage of {what} is not an object of whole numbers from 0 up, like {{"tokens": 412}}')


def _is_unit(unit: object) -> bool:
    return isinstance(unit, str) and 0 < len(unit) <= _UNIT_LENGTH_MAX and unit.isprintable()


def _is_whole(amount: object) -> bool:
    return isinstance(amount, int) and not isinstance(amount, bool) and 0 <= amount <= AMOUNT_MAX


def plain(what: str, answer: Any) -> Json:
    """By way of JSON itself, so that what goes on is what will be read back: no tuples, null for NaN, U+FFFD for NUL."""
    return _decoded(what, answer, _encoded(what, answer))


def _encoded(what: str, answer: Any) -> bytes:
    try:
        return msgspec.json.encode(answer, enc_hook=_base)
    except _NOT_JSON as error:
        raise _not_json(what, answer, error) from error


def _decoded(what: str, answer: Any, encoded: bytes) -> Json:
    try:
        value: Json = decode_json(encoded)
        doubtful = len(encoded) > SIZE_MAX or encoded.count(b"[") + encoded.count(b"{") > DEPTH_MAX
        doubtful = doubtful or ESCAPED_NUL in encoded
        return canonical(value) if doubtful else value
    except NotJson as error:
        raise InvalidOutput(f"{what} answered with what cannot be kept: {error}") from error
    except _NOT_JSON as error:
        raise _not_json(what, answer, error) from error


def _not_json(what: str, answer: Any, error: Exception) -> InvalidOutput:
    return InvalidOutput(f"{what} answered with {type(answer).__name__}, which is not JSON: {error}")


def _base(value: Any) -> Json:
    """Libraries answer with subclasses of text, numbers and the like, which are JSON all the same."""
    for kind in _BASES:
        if isinstance(value, kind):
            return kind(value)
    raise TypeError(f"{type(value).__name__} is not JSON")
