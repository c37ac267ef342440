"""What went wrong, as RFC 9457 has it: `application/problem+json`.

Every answer that is no success is such an object, whatever went wrong: `code` is a word that a program can match, `detail`
says it to a person, `errors` has all that is wrong with what was given, each with its place.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any, Final

import msgspec
from msgspec import UNSET
from starlette.responses import Response

from perdure.answers.problems import ProblemDetails, problem_answer
from perdure.errors import PerdureError, UnknownExecution, UnknownWorkflow
from perdure.expressions.canonical import NotJson
from perdure.expressions.texts import mended
from perdure.hosts.envelopes import CannotOpen
from perdure.hosts.refusing import Refused
from perdure.model.problem import Problem
from perdure.runtime.waiters import OutcomeUnknown, Stopped, StoreFailed
from perdure.service.errors import Conflict, Forbidden, NotFound, NotStorable, OtherRequest, Outdated, TooMany
from perdure.service.paging import BadCursor
from perdure.service.refusals import WebhookRefused
from perdure.store.port import Broken, Unavailable

_log: Final = logging.getLogger("perdure.api")
MEDIA_TYPE: Final = "application/problem+json"
NO_WORKFLOW: Final = "Workflow validation failed"
"""What seed 003 says of a document that cannot be saved."""

FAILED: Final = 500
"""Something went wrong here; from there on it is not whoever asks who is mistaken."""

RETRY_SECONDS: Final = 1
"""After so long it is worth trying again what the database could not take."""


class Wrong(Exception):
    """A request that cannot be answered as it was meant. Raised anywhere; the door makes the answer of it."""

    def __init__(
        self,
        status: int,
        code: str,
        detail: str,
        *,
        problems: Sequence[Problem] = (),
        headers: Mapping[str, str] | None = None,
        error: str | None = None,
    ) -> None:
        self.status, self.code, self.detail = status, code, detail
        self.problems, self.headers, self.error = tuple(problems), dict(headers or {}), error
        super().__init__(detail)

    def answer(self, request_id: str | None = None) -> Response:
        problems = tuple(problem_answer(each) for each in self.problems)
        details = ProblemDetails(
            f"urn:perdure:{self.code}",
            HTTPStatus(self.status).phrase,
            self.status,
            mended(self.detail),
            self.code,
            UNSET if request_id is None else request_id,
            UNSET if self.error is None else self.error,
            problems or UNSET,
        )
        return Response(msgspec.json.encode(details), self.status, self.headers, MEDIA_TYPE)


def wrong(error: PerdureError) -> Wrong:
    """What the service has refused, as HTTP says it. What nobody is refused with is a mistake of ours, and raised on: the door
    tells the log, and whoever asked no more than that.
    """
    status, headers = status_of(error)
    if status == FAILED:
        raise error
    if isinstance(error, CannotOpen):
        _log.error("%s", error)  # whoever runs the server can mend it, and nobody else
    problems: Sequence[Problem] = getattr(error, "problems", ())
    return Wrong(status, error.code, str(error), problems=problems, headers=headers)


def refused_document(error: Refused) -> Wrong:
    """A document that is no workflow, with the members that seed 003 has; or one that cannot be started with this input."""
    if all(problem.type == "invalid_input" for problem in error.problems):
        return wrong(error)
    return Wrong(400, error.code, str(error), problems=error.problems, error=NO_WORKFLOW)


def status_of(error: PerdureError) -> tuple[int, dict[str, str]]:
    """With the headers that go with it."""
    match error:
        case NotFound() | UnknownWorkflow() | UnknownExecution():
            return 404, {}
        case Forbidden():
            return 403, {}
        case TooMany():
            return 429, {"Retry-After": str(error.retry_after_seconds)}
        case Refused() | NotJson() | OtherRequest() | NotStorable():
            return 422, {}
        case Outdated():
            return 412, {}
        case BadCursor():
            return 400, {}
        case WebhookRefused():
            return error.status, {}
        case Unavailable() | OutcomeUnknown() | Stopped() | StoreFailed() | Broken() | CannotOpen():
            return 503, {"Retry-After": str(RETRY_SECONDS)}
        case Conflict():
            return 409, {}
        case _:
            return FAILED, {}


def schema() -> dict[str, Any]:
    """How the OpenAPI document describes it."""
    return {"description": "what went wrong", "content": {MEDIA_TYPE: {"schema": _reference}}}


_reference: Final = {"$ref": "#/components/schemas/ProblemDetails"}
