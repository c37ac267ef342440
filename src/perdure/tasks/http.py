"""The task `http`, also called `webhook`: one call through the door, and its answer as a value."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, Final, TypeAlias
from urllib.parse import urlencode

import httpx2
import msgspec
from msgspec import UNSET

from perdure.errors import EvaluationError
from perdure.expressions.times import duration_ms
from perdure.model.failure import Category
from perdure.model.values import Json
from perdure.tasks import targets
from perdure.tasks.answers import result_of, retry_after_ms
from perdure.tasks.calling import InvalidInput
from perdure.tasks.context import TaskContext
from perdure.tasks.door import Answer, Call, Door
from perdure.tasks.failing import NonRetryable, Retryable
from perdure.tasks.http_input import HttpInput, Scalar
from perdure.tasks.offload import run_by_size

_COME_BACK_LATER: Final = (429, 503)
_TRANSIENT: Final = (408, 425, 429, 500, 502, 503, 504)
_REDIRECTS: Final = (301, 302, 303, 307, 308)
_SAFE_METHODS: Final = ("GET", "HEAD", "OPTIONS")


class HttpError(NonRetryable, public_name="HttpError"):
    """The answer says that asking again would not help. Its code is HTTP_ and the status."""

    category = Category.PERMANENT


class HttpTransientError(Retryable, public_name="HttpTransientError"):
    """The answer says that a later try may succeed. Its code is HTTP_ and the status."""


HttpTask: TypeAlias = Callable[[HttpInput, TaskContext], Awaitable[Any]]


def http_task(door: Door, now_ms: Callable[[], int], *, method_default: str = "GET") -> HttpTask:
    """The task. Without a method, what has a body is sent with POST."""

    async def http(given: HttpInput, context: TaskContext) -> dict[str, Json]:
        url = _with_query(targets.read(given.url), given.query)
        body, media = _body(given)
        method = (given.method or ("POST" if media else method_default)).upper()
        headers = _headers(given, media)
        if method not in _SAFE_METHODS:
            # The same for every attempt, so that a server that knows the header does the work once.
            headers.setdefault("idempotency-key", context.idempotency_key)
        answer = await door.send(Call(url, method, headers, body, _timeout_ms(given.timeout)))
        what = f"{method} {targets.origin(url)}"
        await run_by_size(len(answer.body), lambda: _raise_for_status(given, what, answer, now_ms))
        return await run_by_size(len(answer.body), lambda: result_of(answer))

    return http


def _raise_for_status(given: HttpInput, what: str, answer: Answer, now_ms: Callable[[], int]) -> None:
    delay_ms = retry_after_ms(answer, now_ms()) if answer.status in _COME_BACK_LATER else None
    is_error = answer.status >= 400 or answer.status in _REDIRECTS  # noqa: PLR2004 -- as every reader knows it
    if given.fail_on_error is False or not (delay_ms is not None or (given.fail_on_error and is_error)):
        return
    message, code = f"{what} was answered with {answer.status}", f"HTTP_{answer.status}"
    if answer.status in _REDIRECTS:
        message += ", a redirect, which is not followed; call the new address itself"
    details = result_of(answer)
    if answer.status in _TRANSIENT:
        raise HttpTransientError(message, retry_after_ms=delay_ms, code=code, details=details)
    raise HttpError(message, code=code, details=details)


def _with_query(url: httpx2.URL, query: dict[str, Scalar | list[Scalar]]) -> httpx2.URL:
    """Added to what the URL has; null is left out."""
    lists = [(name, value if isinstance(value, list) else [value]) for name, value in query.items()]
    pairs = [(name, _text(each)) for name, values in lists for each in values if each is not None]
    if not pairs:
        return url
    return url.copy_with(query=b"&".join(part for part in (url.query, urlencode(pairs).encode()) if part))


def _body(given: HttpInput) -> tuple[bytes, str]:
    """What is sent, and its media type; nothing of both without a body."""
    if given.body is not UNSET and given.json is not UNSET:
        raise InvalidInput("give 'body' or 'json', not both")
    if isinstance(given.body, str):
        return given.body.encode("utf-8", "replace"), "text/plain; charset=utf-8"
    value = given.json if given.body is UNSET or given.body is None else given.body
    return (b"", "") if value is UNSET else (msgspec.json.encode(value), "application/json")


def _headers(given: HttpInput, media: str) -> dict[str, str]:
    headers = {name.lower(): _text(value) for name, value in given.headers.items() if value is not None}
    if media:
        headers.setdefault("content-type", media)
    return headers


def _text(value: Scalar) -> str:
    """As JSON writes it: true, not True."""
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def _timeout_ms(timeout: float | str | None) -> int | None:
    try:
        given_ms = duration_ms(timeout) if isinstance(timeout, str) else timeout
    except EvaluationError as error:
        raise InvalidInput(f"'timeout': {error}") from error
    if given_ms is not None and not given_ms > 0:
        raise InvalidInput(f"'timeout' must be more than zero milliseconds, not {given_ms}")
    return None if given_ms is None else max(1, int(given_ms))
