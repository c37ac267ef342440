"""Of whom an approval is asked, and what helps people to find what it is about: what the author of a workflow says of it."""

from __future__ import annotations

from typing import Final, Literal, TypeAlias, get_args

from msgspec import Struct

from perdure.model.values import Json

Priority: TypeAlias = Literal["low", "medium", "high", "urgent"]
PRIORITIES: Final[tuple[str, ...]] = get_args(Priority)
OnTimeout: TypeAlias = Literal["stay", "fail", "approve", "reject", "escalate"]
"""What becomes of an approval that nobody decides in time. Time settles it, but for "stay" and "escalate"."""
TOLD: Final = ("title", "description")
"""What people read of an approval first. It is a part of its metadata."""
DETAILS: Final = ("resourceType", "resourceId", "routeHint", "priority", "metadata", *TOLD)
"""The keys of the details of an approval."""


class Asked(Struct, frozen=True, gc=False, omit_defaults=True):
    """
    member, role   who is asked: one person, whoever has that role; neither: anybody who may approve
    apart          who started the execution may not decide
    started_by     who that was, if it is known
    fixed          who decides may not change what is to be decided on
    """

    member: str | None = None
    role: str | None = None
    resource_type: str | None = None
    resource_id: str | None = None
    route_hint: str | None = None
    priority: Priority = "medium"
    metadata: Json = None
    apart: bool = False
    started_by: str | None = None
    fixed: bool = False


NOBODY: Final = Asked()
"""Nobody in particular."""


def handed_to(escalated_to: Json) -> tuple[str | None, str | None]:
    """The member and the role that an overdue approval was handed to. A text may be either: `"ann"`, `{"role": "directors"}`."""
    if isinstance(escalated_to, str):
        return escalated_to or None, escalated_to or None
    if not isinstance(escalated_to, dict):
        return None, None
    member, role = escalated_to.get("member"), escalated_to.get("role")
    return (member if isinstance(member, str) else None), (role if isinstance(role, str) else None)
