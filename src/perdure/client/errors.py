"""What went wrong on the way to a server, and what it says went wrong there: as the same errors that an engine raises.

PerdureError
├── Unauthorized    the server does not know who asks
├── NoServer        there is none at this address that answers, or it is none of Perdure
└── ServerFailed    something went wrong in the server; its log has more, under the request id
"""

from __future__ import annotations

from typing import Final

import msgspec

from perdure.answers.problems import ProblemDetails, problem_from
from perdure.errors import (
    EvaluationError,
    InvalidExpression,
    InvalidWorkflow,
    PerdureError,
    UnknownExecution,
    UnknownWorkflow,
)
from perdure.expressions.canonical import NotJson
from perdure.hosts.envelopes import CannotOpen
from perdure.hosts.refusing import Refused
from perdure.runtime.waiters import OutcomeUnknown, Stopped, StoreFailed
from perdure.service import refusals
from perdure.service.bulk import MoreByNow
from perdure.service.connections import Unreachable
from perdure.service.errors import (
    Ambiguous,
    Conflict,
    ExecutionNotFound,
    Forbidden,
    NotFound,
    OtherRequest,
    Outdated,
    TooMany,
    WorkflowNotFound,
)
from perdure.service.paging import BadCursor
from perdure.store.port import Broken, Unavailable


class Unauthorized(PerdureError, code="unauthorized"):
    """The server does not know who asks: no key was sent, or one that does not count."""


class NoServer(PerdureError, code="no_server"):
    """Nobody answers at this address within the time, or somebody who is no server of Perdure."""


class ServerFailed(PerdureError, code="server_failed"):
    """Something went wrong in the server, or before it."""


_KNOWN: Final[dict[str, type[PerdureError]]] = {
    kind.code: kind
    for kind in (
        Ambiguous,
        BadCursor,
        Broken,
        CannotOpen,
        Conflict,
        EvaluationError,
        ExecutionNotFound,
        Forbidden,
        InvalidExpression,
        InvalidWorkflow,
        MoreByNow,
        NotFound,
        NotJson,
        OtherRequest,
        Outdated,
        OutcomeUnknown,
        Refused,
        Stopped,
        StoreFailed,
        TooMany,
        Unauthorized,
        Unavailable,
        UnknownExecution,
        UnknownWorkflow,
        Unreachable,
        WorkflowNotFound,
        refusals.BadBody,
        refusals.BadSignature,
        refusals.BodyTooLarge,
        refusals.CannotVerify,
        refusals.StaleDelivery,
        refusals.UnknownWebhook,
    )
}
_BY_STATUS: Final[dict[int, type[PerdureError]]] = {
    401: Unauthorized,
    403: Forbidden,
    404: NotFound,
    409: Conflict,
    412: Outdated,
    429: TooMany,
    503: Unavailable,
}
FAILED: Final = 500
_details = msgspec.json.Decoder(ProblemDetails)


def error_of(status: int, content: bytes, where: str, retry_after_seconds: float = 0) -> PerdureError:
    """What a server answered with that is no success. `where`: the server, for what is none of Perdure."""
    try:
        details = _details.decode(content)
    except msgspec.DecodeError:
        if status >= FAILED:
            return ServerFailed(f"{where} answers with {status}, and says nothing of why")
        return NoServer(f"{where} answers with {status}, and not as a server of Perdure does; look at the address")
    kind = _KNOWN.get(details.code) or _by_status(status)
    said = details.detail
    if kind is ServerFailed and isinstance(details.request_id, str):
        said = f"{said} (request id {details.request_id})"
    error = _made(kind, said, details)
    if isinstance(error, TooMany):
        error.retry_after_seconds = max(1, int(retry_after_seconds))
    return error


def _by_status(status: int) -> type[PerdureError]:
    """Of a word that this version does not know."""
    return _BY_STATUS.get(status) or (ServerFailed if status >= FAILED else Refused)


def _made(kind: type[PerdureError], said: str, details: ProblemDetails) -> PerdureError:
    """As the server has made it: its message is made already, so that what makes messages is left out."""
    error = kind.__new__(kind, said)
    problems = tuple(map(problem_from, details.errors)) if isinstance(details.errors, tuple) else ()
    if problems or kind is Refused:
        error.__dict__.update(problems=problems, warnings=())
    return error
