"""Answers: the shapes of `perdure.answers`, encoded once, and described in the OpenAPI document from the same types."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final, TypeVar, get_args, get_origin

import msgspec
from fastapi.routing import APIRoute
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute

from perdure.api.problems import schema as problem_schema
from perdure.service.paging import Page

MEDIA_TYPE: Final = "application/json"
_encode = msgspec.json.Encoder().encode
Item = TypeVar("Item")
Shape = TypeVar("Shape")


class Answer(JSONResponse):
    """A value of one of our types, as JSON."""

    media_type = MEDIA_TYPE
    is_final = True
    """False: some of it could not be done, and may be by the same request, under its key."""

    def render(self, content: Any) -> bytes:
        return _encode(content)


def page(found: Page[Item], shape: Callable[[Item], Shape]) -> Answer:
    return Answer({"items": [shape(item) for item in found.items], "next": found.next})


def describes(
    type_: Any,
    status: int = 200,
    *,
    also: Mapping[int, str] | None = None,
    headers: Mapping[str, str] | None = None,
    or_object: str | None = None,
) -> dict[str, Any]:
    """What a route says of its answers: its type, and that everything else is a problem. `also`: statuses under which the same
    type is answered, and what they mean. `or_object`: when it is some other object.
    """
    schema = reference(type_)
    if or_object is not None:
        schema = {"anyOf": [schema, {"type": "object", "description": or_object}]}
    content = {MEDIA_TYPE: {"schema": schema}}
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


class Reference(dict[str, Any]):
    """How the document refers to a type, and which that is."""

    def __init__(self, type_: Any) -> None:
        super().__init__({"$ref": f"#/components/schemas/{type_.__name__}"})
        self.type = type_


def reference(type_: Any) -> dict[str, Any]:
    if get_origin(type_) is Page:
        (item,) = get_args(type_)
        items = {"type": "array", "items": reference(item)}
        more = {"anyOf": [{"type": "string"}, {"type": "null"}], "description": "the cursor of the next page"}
        return {"type": "object", "properties": {"items": items, "next": more}, "required": ["items", "next"]}
    return Reference(type_)


def components(routes: Iterable[BaseRoute], *more: Any) -> dict[str, Any]:
    """The schemas of all types that these routes answer with, and of more, by the names that the document has for them."""
    named = [*more, *(each for route in routes if isinstance(route, APIRoute) for each in _types(route.responses))]
    types = {type_.__name__: type_ for type_ in named}.values()
    _, found = msgspec.json.schema_components(types, ref_template="#/components/schemas/{name}")
    return found


def _types(schema: Any) -> Iterator[Any]:
    if isinstance(schema, Reference):
        yield schema.type
    elif isinstance(schema, dict | list):
        for part in schema.values() if isinstance(schema, dict) else schema:
            yield from _types(part)
