"""Of whom an approval is asked, as the values of its step say it."""

from __future__ import annotations

from typing import Any

from perdure.core.draft import Draft
from perdure.core.seat import Seat
from perdure.core.steps.immediate import refuse_long, refuse_nul
from perdure.errors import EvaluationError
from perdure.expressions.convert import is_number, to_text
from perdure.expressions.protocol import UNDEFINED
from perdure.model.asking import NOBODY, PRIORITIES, TOLD, Asked
from perdure.model.steps import Approval
from perdure.model.values import Json, Value


def asked(draft: Draft, seat: Seat, work: Approval) -> tuple[Asked, list[str]]:
    """Who, and what is odd about it. That somebody was to be named and nobody is has to be seen: then anybody who may approve
    can decide.
    """
    by = draft.state.by
    is_plain = work.member is None and work.role is None and work.details is None
    if is_plain and not work.apart and not work.fixed and by is None:
        return NOBODY, []
    warnings: list[str] = []
    member = _name(draft, seat, work.member, "approverMemberId")
    role = _name(draft, seat, work.role, "approverRole")
    if member is None and role is None and (work.member is not None or work.role is not None):
        warnings.append("whoever was to decide came to nothing; anybody who may approve can decide now")
    details = _details(draft, seat, work)
    found = Asked(
        member,
        role,
        _short(details.get("resourceType"), "resourceType"),
        _short(details.get("resourceId"), "resourceId"),
        _text(details.get("routeHint"), "routeHint"),
        _priority(details.get("priority"), warnings),
        _metadata(details, warnings),
        work.apart,
        by,
        work.fixed,
    )
    return found, warnings


def _name(draft: Draft, seat: Seat, value: Value | None, what: str) -> str | None:
    return None if value is None else _short(draft.evaluate(value, seat), what)


def _details(draft: Draft, seat: Seat, work: Approval) -> dict[str, Json]:
    found = UNDEFINED if work.details is None else draft.evaluate(work.details, seat)
    if found is UNDEFINED or found is None:
        return {}
    if isinstance(found, dict):
        return found
    raise EvaluationError(f"the details of an approval must be an object, not {found!r}")


def _metadata(details: dict[str, Json], warnings: list[str]) -> Json:
    """With the title and the description in it. What it says itself, it says better; an approval is not lost over either."""
    metadata = details.get("metadata")
    told: dict[str, Json] = {}
    for key in TOLD:
        try:
            text = _text(details.get(key), key)
        except EvaluationError as error:
            warnings.append(f"{error}; it is left out")
        else:
            told |= {} if text is None else {key: text}
    if not told:
        return metadata
    if metadata is None or isinstance(metadata, dict):
        return {**told, **(metadata or {})}
    return {**told, "metadata": metadata}


def _short(value: Json, what: str) -> str | None:
    """What approvals are found by."""
    found = _text(value, what)
    if found is not None:
        refuse_long(found, what)
    return found


def _text(value: Json, what: str) -> str | None:
    """Ids are numbers elsewhere. What is empty is not there."""
    if value is UNDEFINED or value is None or value == "":
        return None
    if isinstance(value, str):
        refuse_nul(value, what)
        return value
    if is_number(value):
        return to_text(value)
    raise EvaluationError(f"{what} must be a text, not {value!r}")


def _priority(value: Json, warnings: list[str]) -> Any:
    """An approval is not lost over it."""
    if value is None or value in PRIORITIES:
        return value or "medium"
    warnings.append(f"the priority {value!r} is none of {', '.join(PRIORITIES)}; it is medium")
    return "medium"
