"""Bodies of requests: bounded before they are read, and read strictly before anything looks at them.

Nothing is parsed that is too large, too deep, has too many parts, says a key twice, is compressed, or is not what its content
type says. What FastAPI validates after that is plain JSON.
"""

from __future__ import annotations

import asyncio
import re
from typing import Any, Final

from starlette.datastructures import Headers
from starlette.requests import Request

from perdure.api.headers import headers_of
from perdure.api.problems import Wrong
from perdure.dialects import BadDocument
from perdure.dialects.reading import read
from perdure.tasks.offload import run_by_size

BODY_BYTES_MAX: Final = 2_000_000
STRANGERS_BYTES_MAX: Final = 16_384
"""Of somebody who has not said who they are: that is all that they send here."""

NODES_MAX: Final = 100_000
UNKEEPABLE: Final = {"not_a_character", "too_deep", "too_large"}
"""JSON, but none that is taken."""

_SIGNS: Final = (b",", b"[", b"{")
_VALUES: Final = re.compile(rb'"(?:[^"\\]|\\.)*+"?|,|[\[{](?!\s*[\]}])', re.DOTALL)

SLOW_SECONDS: Final = 30.0
"""Timeout for the body of a request."""

STRANGERS_SLOW_SECONDS: Final = 5.0
"""The same, while it is not known who sends it."""

HOOKS_SLOW_SECONDS: Final = 10.0
"""The same for webhooks: their senders have a token, and who they are is known once all of the body is there."""


class StrictRequest(Request):
    """A request whose body is bounded, and whose JSON is strict."""

    bytes_max, slow_seconds = BODY_BYTES_MAX, SLOW_SECONDS
    _raw: bytes
    _read: Any

    @property
    def headers(self) -> Headers:
        return headers_of(self.scope)

    async def body(self) -> bytes:
        if not hasattr(self, "_raw"):
            self._raw = await bounded(self, self.bytes_max, self.slow_seconds)
        return self._raw

    async def json(self) -> Any:
        if not hasattr(self, "_read"):
            self._read = await read_json(await self.body())
        return self._read


async def bounded(request: Request, most: int, seconds: float = SLOW_SECONDS) -> bytes:
    """All of a body, if it is not more than that and comes in time. Raises `Wrong`."""
    if request.headers.get("content-encoding", "").strip().lower() not in ("", "identity"):
        raise Wrong(415, "unsupported_encoding", "the body is compressed; send it as it is, without Content-Encoding")
    told = request.headers.get("content-length", "")
    if told.isdecimal() and int(told) > most:
        raise _too_large(most)
    parts: list[bytes] = []
    size, receive, has_more = 0, request.receive, True
    try:
        async with asyncio.timeout(seconds):
            while has_more:
                message = await receive()
                if message["type"] == "http.disconnect":
                    raise Wrong(400, "cut_off", "the body was cut off")
                part, has_more = message.get("body", b""), message.get("more_body", False)
                size += len(part)
                if size > most:
                    raise _too_large(most)
                parts.append(part)
    except TimeoutError as error:
        raise Wrong(408, "too_slow", f"request body timed out after {seconds:g} seconds") from error
    return b"".join(parts)


async def read_json(body: bytes) -> Any:
    """As `strict_json`; a large body is read in a thread."""
    return await run_by_size(len(body), lambda: strict_json(body))


def strict_json(body: bytes) -> Any:
    """Raises `Wrong`, with all places where it is no JSON that can be kept."""
    if has_more_than(body, NODES_MAX):
        raise Wrong(413, "too_many_values", f"the body has more than {NODES_MAX:,} values; send less at once")
    try:
        value = read(body).value
    except BadDocument as error:
        types = {problem.type for problem in error.problems}
        status = 413 if "too_large" in types else 400
        code = "invalid_json" if types - UNKEEPABLE else "cannot_be_kept"
        raise Wrong(status, code, str(error), problems=error.problems) from error
    return value


def has_more_than(body: bytes, most: int) -> bool:
    """Whether there are more values in JSON, itself among them: one after each comma, and one that each thing begins with which
    is not empty. They are counted before they are made.
    """
    if sum(map(body.count, _SIGNS)) < most:  # with those in texts, which is nearly always few enough
        return False
    count = 1
    for found in _VALUES.finditer(body):
        count += not found[0].startswith(b'"')
        if count > most:
            break
    return count > most


def require_body(request: Request, body: bytes) -> None:
    """Raises `Wrong`, if there is none, and nothing says that there should be one."""
    if not body and "content-type" not in request.headers:
        raise Wrong(400, "no_body", "this takes a body, and there is none; send it as application/json")


def require_json(request: Request) -> None:
    """Raises `Wrong`, if the body is something else."""
    told = request.headers.get("content-type")
    if told is None:
        raise Wrong(415, "unsupported_media_type", "what is the body? send it with Content-Type: application/json")
    kind = told.partition(";")[0].strip().lower()
    if kind != "application/json" and not (kind.startswith("application/") and kind.endswith("+json")):
        raise Wrong(415, "unsupported_media_type", f"the body is {kind[:80]!r}; send application/json")


def _too_large(most: int) -> Wrong:
    return Wrong(413, "too_large", f"the body has more than {most:,} bytes, which is the most that is taken")
