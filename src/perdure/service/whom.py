"""Whether there is anybody to decide the approvals of a workflow: told when it is saved, where an organization has members."""

from __future__ import annotations

from collections.abc import Iterator

from perdure.model.problem import Problem
from perdure.model.steps import Approval
from perdure.model.values import Constant, Object, Value
from perdure.model.workflow import Workflow
from perdure.service.members import every_member
from perdure.store.questions import Questions


def nobody_there(store: Questions, organization: str, workflow: Workflow) -> tuple[Problem, ...]:
    """A warning for each member and group that is named and is not there. They may still come, and an admin may always decide."""
    named = [each for step in workflow.steps if isinstance(step.work, Approval) for each in _named(step.id, step.work)]
    if not named:
        return ()
    members = {member.id: member.groups for member in every_member(store, organization)}
    if not members:  # where there are none, people have names even so
        return ()
    groups = {group for each in members.values() for group in each}
    known = {"member": set(members), "role": groups, "either": set(members) | groups}
    return tuple(_told(*each) for each in named if each[3] not in known[each[2]])


def _named(step: str, work: Approval) -> Iterator[tuple[str, str, str, str]]:
    """(step, field, what it is, name); templates are not known yet."""
    for field, sort, value in (("approverMemberId", "member", work.member), ("approverRole", "role", work.role)):
        if isinstance(value, Constant) and isinstance(value.value, str):
            yield step, field, sort, value.value
    if work.on_timeout == "escalate" and work.escalate_to is not None:
        for sort, name in _handed(work.escalate_to):
            yield step, "escalateTo", sort, name


def _handed(value: Value) -> Iterator[tuple[str, str]]:
    match value:
        case Constant(value=str(name)):
            yield "either", name
        case Object():
            for key, part in value.entries:
                match key, part:
                    case Constant(value="member" | "role" as sort), Constant(value=str(name)):
                        yield sort, name
        case _:
            pass


def _told(step: str, field: str, sort: str, name: str) -> Problem:
    """The command is named that brings them."""
    member = f"{name!r} is no member (`perdure members add {name}`)"
    group = f"nobody is in the group {name!r} (`perdure members set MEMBER --group {name}`)"
    why = {"member": member, "role": group, "either": f"{member}, and {group}"}[sort]
    message = f"step {step!r}: {why}; until then only an admin can decide"
    return Problem("nobody_to_decide", message, step=step, field=field)
