"""What stands behind the `?` of a path, and which conditions a request makes: what a route does not know is refused, not passed
over. A filter that nobody heeds answers with everything, and a condition that nobody heeds does what it should have kept from.
"""

from __future__ import annotations

from typing import Final

from fastapi.dependencies.utils import get_flat_params
from fastapi.params import Header, Query
from fastapi.routing import APIRoute
from msgspec import Struct
from starlette.requests import Request

from perdure.api.problems import Wrong
from perdure.expressions.wording import nearest
from perdure.model.problem import Problem

IF_MATCH: Final = "if-match"


class Known(Struct, frozen=True):
    """`names` are the parameters that a route takes, each once."""

    names: tuple[str, ...]
    takes_if_match: bool


def known_of(route: APIRoute) -> Known:
    fields = get_flat_params(route.dependant)
    names = tuple(each.alias for each in fields if isinstance(each.field_info, Query))
    return Known(names, any(isinstance(each.field_info, Header) and each.alias == IF_MATCH for each in fields))


def refuse_unknown(request: Request, known: Known) -> None:
    """Raises `Wrong`, with all that this route does not know."""
    if request.scope["query_string"]:
        problems = _problems(request, known)
        if problems:
            raise Wrong(422, "invalid_request", "; ".join(each.message for each in problems), problems=problems)
    if IF_MATCH in request.headers and not known.takes_if_match and request.method not in ("GET", "HEAD"):
        raise Wrong(
            400, "no_if_match", "nothing is compared by If-Match here; leave it out, or look before you change it"
        )


def _problems(request: Request, known: Known) -> list[Problem]:
    given = [name for name, _ in request.query_params.multi_items()]
    found: list[Problem] = []
    for name in dict.fromkeys(given):
        if name not in known.names:
            there = f"; there are {', '.join(known.names)}" if known.names else "; it takes none"
            told = f"there is no parameter {name[:80]!r} here{nearest(name, known.names) or there}"
            found.append(Problem("invalid_request", told, field=name))
        elif given.count(name) > 1:
            found.append(Problem("invalid_request", f"the parameter {name!r} is given twice; give it once", field=name))
    return found
