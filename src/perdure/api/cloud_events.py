"""CloudEvents as HTTP has them in binary mode: what is told of an event stands in headers, and the body is what it brings."""

from __future__ import annotations

from typing import Final
from urllib.parse import unquote

from starlette.datastructures import Headers
from starlette.requests import Request

from perdure.api.bodies import read_json, require_json
from perdure.model.values import Json

_PREFIX: Final = "ce-"
_WHOLE: Final = "application/cloudevents"
"""So the content type begins if the body is the whole event, whatever headers there are."""


def is_binary(headers: Headers) -> bool:
    return f"{_PREFIX}specversion" in headers and not headers.get("content-type", "").lower().startswith(_WHOLE)


async def read_binary(request: Request, body: bytes) -> dict[str, Json]:
    """The event as it would be in one piece. Raises `Wrong`, if what it brings is no JSON."""
    event: dict[str, Json] = {
        name.removeprefix(_PREFIX): unquote(value)
        for name, value in request.headers.items()
        if name.startswith(_PREFIX)
    }
    if body:
        require_json(request)
        event["datacontenttype"] = request.headers["content-type"]
        event["data"] = await read_json(body)
    return event
