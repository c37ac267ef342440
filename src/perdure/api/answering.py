"""Answers: the shapes of `perdure.answers`, encoded once, and described in the OpenAPI document from the same types."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeVar, get_args, get_origin

import msgspec
from starlette.responses import JSONResponse, Response

from perdure.api.problems import schema as problem_schema
from perdure.service.paging import Page

MEDIA_TYPE: Final = "application/json"
_encode = msgspec.json.Encoder().encode
Item = TypeVar("Item")
Shape = TypeVar("Shape")


class Answer(JSONResponse):
    """A value of one of our types, as JSON."""

    media_type = MEDIA_TYPE

    def render(self, content: Any) -> bytes:
        return _encode(content)


def page(found: Page[Item], shape: Callable[[Item], Shape]) -> Answer:
    return Answer({"items": [shape(item) for item in found.items], "next": found.next})


def describes(
    type_: Any, status: int = 200, *, also: Mapping[int, str] | None = None, headers: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """What a route says of its answers: its type, and that everything else is a problem. `also`: statuses under which the same
    type is answered, and what they mean.
    """
    content = {MEDIA_TYPE: {"schema": reference(type_)}}
    told = {name: {"description": what, "schema": {"type": "string"}} for name, what in (headers or {}).items()}
    first: dict[str, Any] = {"content": content} | ({"headers": told} if told else {})
    others = {each: {"description": what, "content": content} for each, what in (also or {}).items()}
    return {
        "status_code": status,
        "response_class": Answer,
        "response_model": None,
        "responses": {status: first, **others, "4XX": problem_schema(), "5XX": problem_schema()},
    }


def describes_nothing(status: int = 204) -> dict[str, Any]:
    """It answers with nothing, if it goes well."""
    return {
        "status_code": status,
        "response_class": Response,
        "response_model": None,
        "responses": {"4XX": problem_schema(), "5XX": problem_schema()},
    }


_told: Final[dict[str, Any]] = {}
"""The types that routes answer with, by the name that the document has for them."""


def reference(type_: Any) -> dict[str, Any]:
    if get_origin(type_) is Page:
        (item,) = get_args(type_)
        items = {"type": "array", "items": reference(item)}
        more = {"anyOf": [{"type": "string"}, {"type": "null"}], "description": "the cursor of the next page"}
        return {"type": "object", "properties": {"items": items, "next": more}, "required": ["items", "next"]}
    _told[type_.__name__] = type_
    return {"$ref": f"#/components/schemas/{type_.__name__}"}


def components() -> dict[str, Any]:
    """The schemas of all types that were named."""
    _, found = msgspec.json.schema_components(_told.values(), ref_template="#/components/schemas/{name}")
    return found
