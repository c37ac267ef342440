"""`/a/{token}`: the page that an approval link opens. Whoever has the token may look, and decide once.

Looking decides nothing, by GET or HEAD, however often: programs that look through mail open every link. Only the form decides.
It is the one part of the server that answers with pages, also when something is wrong.
"""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, Final, cast
from urllib.parse import parse_qs

from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response

from perdure.api.asking import Guard
from perdure.api.bodies import STRANGERS_SLOW_SECONDS, bounded, read_json
from perdure.api.link_page import COMMENTS_MAX, Typed, may_change, opened_page, refused_page, unknown_page
from perdure.api.link_style import HEADERS
from perdure.api.problems import Wrong, wrong
from perdure.api.routes import routes
from perdure.errors import PerdureError
from perdure.model.values import Json
from perdure.service.deciding import Decision
from perdure.service.engine import Engine
from perdure.service.links import Hindrance, Links, Opened, UnknownLink
from perdure.store.approvals import same

ROUTES = routes("/a", "links")
PATH: Final = "/{token:path}"
FORM: Final = "application/x-www-form-urlencoded"
FORM_BYTES_MAX: Final = 500_000
FIELDS: Final = ("decision", "comments", "data")
MEDIA_TYPE: Final = "text/html; charset=utf-8"
_MAY_NOT: Final[frozenset[Hindrance]] = frozenset({"gone", "not_asked", "starter"})


class Form(Struct, frozen=True):
    """What was sent. `data` None: it was not in the form."""

    decision: Decision
    comments: str = ""
    data: str | None = None


@ROUTES.api_route(PATH, methods=["GET", "HEAD"], include_in_schema=False)
async def open_link(request: Request, token: str) -> Response:
    """What is asked, and a form."""
    try:
        return _page(opened_page(await _links(request).look(token)))
    except UnknownLink:
        return _page(unknown_page(), 404)
    except PerdureError as error:
        return _refused(wrong(error))


@ROUTES.post(PATH, include_in_schema=False)
async def decide_by_link(request: Request, token: str) -> Response:
    """Decide it. What came of it is a page; also if somebody else was first."""
    links = _links(request)
    try:
        opened = await links.look(token)  # whoever has no link is not read
        _refuse_strangers(request)
        form = await _form(request)
        return await _decided(links, token, opened, form)
    except UnknownLink:
        return _page(unknown_page(), 404)
    except Wrong as error:
        return _refused(error)
    except PerdureError as error:
        return _refused(wrong(error))


async def _decided(links: Links, token: str, opened: Opened, form: Form) -> Response:
    typed = Typed(form.comments, form.data)
    if len(form.comments) > COMMENTS_MAX:
        return _again(opened, typed, f"A comment has at most {COMMENTS_MAX:,} characters; make it shorter.")
    data: Json = None
    if opened.hindrance is None and form.decision == "approve" and form.data is not None:
        if not may_change(opened.item):
            return _again(opened, Typed(form.comments), "What is decided on cannot be changed here.")
        try:
            data = await _changed(opened, form.data)
        except Wrong as error:
            return _again(opened, typed, f"What is decided on is not JSON that can be kept: {error.detail}")
    after, counted = await links.decide(token, form.decision, comments=form.comments.strip() or None, data=data)
    return _page(opened_page(after), 200 if counted or _is_so(after, form) else _status(after))


async def _changed(opened: Opened, text: str) -> Json:
    """None: it is as it was submitted. Raises `Wrong`."""
    data: Json = await read_json(text.encode("utf-8", "replace"))
    return None if same(data, opened.item.submitted_data) else data


def _is_so(after: Opened, form: Form) -> bool:
    """Whether what they ask for is what they have decided before: the button was pressed twice, say."""
    item = after.item
    return after.hindrance == "settled" and (item.decision, item.decided_by) == (form.decision, after.link.member)


def _status(after: Opened) -> int:
    return HTTPStatus.FORBIDDEN if after.hindrance in _MAY_NOT else HTTPStatus.CONFLICT


async def _form(request: Request) -> Form:
    """Raises `Wrong`."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != FORM:
        raise Wrong(415, "unsupported_media_type", "What was sent is not the form of this page.")
    body = await bounded(request, FORM_BYTES_MAX, STRANGERS_SLOW_SECONDS)
    try:
        fields = parse_qs(
            body.decode("ascii"),
            keep_blank_values=True,
            strict_parsing=True,
            errors="strict",
            max_num_fields=len(FIELDS),
        )
    except ValueError as error:
        raise _no_form() from error
    if not fields.keys() <= set(FIELDS) or any(len(each) > 1 for each in fields.values()):
        raise _no_form()
    return _read({name: values[0] for name, values in fields.items()})


def _read(fields: Mapping[str, str]) -> Form:
    decision = fields.get("decision")
    if decision not in ("approve", "reject"):
        raise _no_form()
    comments = fields.get("comments", "").replace("\0", "\ufffd")  # of which not every database keeps one
    return Form(cast("Decision", decision), comments, fields.get("data"))


def _no_form() -> Wrong:
    return Wrong(422, "invalid_request", "What was sent is not the form of this page: open the link again.")


def _refuse_strangers(request: Request) -> None:
    """A page from elsewhere must not send the form in a browser's name. Browsers say where it comes from, the newer ones in
    words. Our page keeps its address to itself, and so its origin is `null` to them. Raises `Wrong`.
    """
    site, origin = request.headers.get("sec-fetch-site"), request.headers.get("origin")
    if site is not None:
        is_own = site in ("same-origin", "none")
    else:
        guard: Guard = request.app.state.guard
        is_own = origin in (None, "null") or guard.pages.is_own(origin or "", request.headers.get("host", ""))
    if not is_own:
        raise Wrong(403, "foreign_origin", "A page from elsewhere may not decide here: open the link itself.")


def _links(request: Request) -> Links:
    engine: Engine = request.app.state.engine
    return engine.links


def _again(opened: Opened, typed: Typed, what: str) -> Response:
    if opened.hindrance is not None:
        return _page(opened_page(opened), _status(opened))
    return _page(opened_page(opened, Typed(typed.comments[:COMMENTS_MAX], typed.data, what)), 422)


def _refused(error: Wrong) -> Response:
    return _page(refused_page(error.detail), error.status, error.headers)


def _page(content: bytes, status: int = 200, headers: Mapping[str, Any] | None = None) -> Response:
    return Response(content, status, {**HEADERS, **(headers or {})}, MEDIA_TYPE)
