"""What is wrong with a request, each with its place and a way out."""

from __future__ import annotations

from typing import Any, Final, get_args

from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from starlette.requests import Request

from perdure.api.given import Body
from perdure.expressions.wording import nearest
from perdure.model.problem import Problem

_MUST_BE: Final = {
    "string_type": "a text",
    "int_type": "a whole number",
    "int_parsing": "a whole number",
    "bool_type": "true or false",
    "bool_parsing": "true or false",
    "dict_type": "an object",
    "model_type": "an object",
    "model_attributes_type": "an object",
    "tuple_type": "an array",
    "list_type": "an array",
}
"""What pydantic has technical words for."""

MISTAKES_MAX: Final = 50
"""So many are told. Whoever sends a hundred thousand has made one, a hundred thousand times."""


def mistakes(request: Request, error: RequestValidationError) -> list[Problem]:
    """All of them, or the first, and how many more there are."""
    known = _fields(request.scope.get("route"))
    found = error.errors()
    told = [_problem(each, known) for each in found[:MISTAKES_MAX]]
    more = len(found) - len(told)
    return [*told, Problem("invalid_request", f"and {more:,} more like these")] if more else told


def _problem(each: Any, known: list[str]) -> Problem:
    where, *path = each["loc"]
    name = str(path[-1]) if path else str(where)
    told = _told(each, name, known if len(path) == 1 else [])
    if where == "body":
        return Problem("invalid_request", told, "".join(f"/{part}" for part in path), field=name if path else "")
    return Problem("invalid_request", f"{name} of the {where}: {told}", "", field=name)


def _told(each: Any, name: str, known: list[str]) -> str:
    match each["type"]:
        case "extra_forbidden":
            there = f"; there are {', '.join(known)}" if known else ""
            return f"there is no field {name!r} here{nearest(name, known) or there}"
        case "missing":
            return f"{name!r} is missing"
        case kind if kind in _MUST_BE:
            return f"it must be {_MUST_BE[kind]}"
        case _:
            message = str(each["msg"]).removeprefix("Value error, ")
            return message[:1].lower() + message[1:]


def _fields(route: object) -> list[str]:
    """What the body of this route may have."""
    field = route.body_field if isinstance(route, APIRoute) else None
    given = None if field is None else field.field_info.annotation
    body = next((each for each in (given, *get_args(given)) if isinstance(each, type) and issubclass(each, Body)), None)
    return [] if body is None else [each.alias or name for name, each in body.model_fields.items()]
