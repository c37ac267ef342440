"""Every verb of the service that changes or starts something, as somebody does it: what it takes, and what the audit says then."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

from msgspec import Struct

from perdure import Engine
from perdure.hosts.envelopes import new_key
from perdure.model.steps import Approval, Step, Task
from perdure.model.workflow import Chain, Schedule
from perdure.service.acting import Actor
from perdure.service.bulk import Chosen
from perdure.service.connections import Unreachable
from perdure.service.engine import Execution
from perdure.service.errors import ExecutionFailed, NotFound
from perdure.testing.words import x
from service.words import BROKEN, adding, begun, breaking, one, sequence, until, waiting

NIGHTLY = sequence(1, "nightly", schedules=(Schedule("clock", cron="@daily"), Schedule("night", cron="@daily")))
ASKS = one(Step("ask", Approval(x("input"), apart=True)), "asks")
CHAINED = one(Step("s0", Task("add", x("input"))), "chained", chains=(Chain("nowhere"),))
INLINE: dict[str, Any] = {
    "name": "inline",
    "nodes": [
        {"id": "start", "type": "MANUAL_TRIGGER"},
        {"id": "set", "type": "SET", "data": {"values": {"done": True}}},
    ],
    "connections": [{"fromNodeId": "start", "toNodeId": "set"}],
}
OPERATORS = ("operator", "editor", "admin")
EDITORS = ("editor", "admin")
APPROVERS = ("approver", "admin")
ADMINS = ("admin",)


class Place(Struct):
    """An organization in which everything can be done."""

    engine: Engine
    asks: Execution
    broken: Execution
    done: Execution
    approval: str
    webhook: str
    key: str
    session: str


class Act(Struct, frozen=True):
    """`roles` may do it, and then the audit has `action`, if it has anything. `ends_in`: what comes of it here, if it may be."""

    roles: tuple[str, ...]
    act: Callable[[Place, Actor], Awaitable[Any]]
    action: str | None = None
    ends_in: type[Exception] | None = None


ACTS: dict[str, Act] = {
    "Workflows.save": Act(EDITORS, lambda p, a: p.engine.workflows.save(INLINE, actor=a), "workflow.saved"),
    "Workflows.activate": Act(
        EDITORS, lambda p, a: p.engine.workflows.activate("nightly", "2", actor=a), "workflow.activated"
    ),
    "Workflows.deactivate": Act(
        EDITORS, lambda p, a: p.engine.workflows.deactivate("nightly", "1", actor=a), "workflow.deactivated"
    ),
    "Executions.start": Act(OPERATORS, lambda p, a: p.engine.executions.start("asks", {"n": 1}, actor=a)),
    "Executions.start, not saved": Act(EDITORS, lambda p, a: p.engine.executions.start(INLINE, actor=a)),
    "Execution.cancel": Act(OPERATORS, lambda p, a: p.asks.cancel(actor=a), "execution.cancelled"),
    "Execution.retry": Act(OPERATORS, lambda p, a: p.broken.retry(actor=a), "execution.retried"),
    "Execution.refire": Act(OPERATORS, lambda p, a: p.done.refire(actor=a), "execution.refired"),
    "Execution.rerun": Act(OPERATORS, lambda p, a: p.done.rerun(actor=a), "execution.rerun"),
    "Execution.rerun, from a step": Act(
        OPERATORS, lambda p, a: p.done.rerun(from_step="s0", actor=a), "execution.rerun"
    ),
    "Execution.fork": Act(
        OPERATORS, lambda p, a: p.done.fork(at_step="s0", variables={"v": 1}, actor=a), "execution.forked"
    ),
    "Events.send": Act(OPERATORS, lambda p, a: p.engine.events.send({"type": "a.b"}, actor=a)),
    "Events.send_all": Act(OPERATORS, lambda p, a: p.engine.events.send_all([{"type": "a.b"}], actor=a)),
    "Events.reroute": Act(OPERATORS, lambda p, a: p.engine.events.reroute("none", actor=a), ends_in=NotFound),
    "Engine.publish": Act(OPERATORS, lambda p, a: p.engine.publish("a.b", actor=a)),
    "Schedules.add": Act(
        EDITORS, lambda p, a: p.engine.schedules.add("asks", {"every": "P1D"}, id="new", actor=a), "schedule.added"
    ),
    "Schedules.change": Act(
        EDITORS, lambda p, a: p.engine.schedules.change("asks/daily", {"every": "P2D"}, actor=a), "schedule.changed"
    ),
    "Schedules.remove": Act(EDITORS, lambda p, a: p.engine.schedules.remove("asks/daily", actor=a), "schedule.removed"),
    "Schedules.pause": Act(
        OPERATORS, lambda p, a: p.engine.schedules.pause("nightly/clock", actor=a), "schedule.paused"
    ),
    "Schedules.resume": Act(
        OPERATORS, lambda p, a: p.engine.schedules.resume("nightly/night", actor=a), "schedule.resumed"
    ),
    "Schedules.reset": Act(
        OPERATORS, lambda p, a: p.engine.schedules.reset("nightly/clock", actor=a), "schedule.reset"
    ),
    "Approvals.decide": Act(
        APPROVERS, lambda p, a: p.engine.approvals.decide(p.approval, "approve", actor=a), "approval.approved"
    ),
    "Approvals.claim": Act(APPROVERS, lambda p, a: p.engine.approvals.claim(p.approval, actor=a), "approval.claimed"),
    "Approvals.link": Act(
        APPROVERS,
        lambda p, a: p.engine.approvals.link(p.approval, member="boss" if a is None else None, actor=a),
        "approval.linked",
    ),
    "Approvals.link, for another": Act(
        ADMINS, lambda p, a: p.engine.approvals.link(p.approval, member="boss", actor=a), "approval.linked"
    ),
    "Approvals.release": Act(
        APPROVERS, lambda p, a: p.engine.approvals.release(p.approval, actor=a), "approval.released"
    ),
    "Members.add": Act(ADMINS, lambda p, a: p.engine.members.add("new", actor=a), "member.added"),
    "Members.change": Act(ADMINS, lambda p, a: p.engine.members.change("other", name="O", actor=a), "member.changed"),
    "Members.remove": Act(ADMINS, lambda p, a: p.engine.members.remove("other", actor=a), "member.removed"),
    "Organizations.change": Act(
        ADMINS, lambda p, a: p.engine.organizations.change("default", name="Us", actor=a), "organization.changed"
    ),
    "Audit.list": Act(ADMINS, lambda p, a: p.engine.audit.list(actor=a)),
    "Notifiers.add": Act(ADMINS, lambda p, a: p.engine.notifiers.add("new", "log", actor=a), "notifier.added"),
    "Notifiers.remove": Act(ADMINS, lambda p, a: p.engine.notifiers.remove("desk", actor=a), "notifier.removed"),
    "Secrets.set": Act(EDITORS, lambda p, a: p.engine.secrets.set("NEW", "a-long-value", actor=a), "secret.set"),
    "Secrets.remove": Act(EDITORS, lambda p, a: p.engine.secrets.remove("OLD", actor=a), "secret.removed"),
    "Secrets.rotate": Act(ADMINS, lambda p, a: p.engine.secrets.rotate(actor=a)),
    "Connections.add": Act(
        EDITORS, lambda p, a: p.engine.connections.add("new", "https://mcp.example/mcp", actor=a), "connection.added"
    ),
    "Connections.remove": Act(EDITORS, lambda p, a: p.engine.connections.remove("old", actor=a), "connection.removed"),
    "Connections.tools": Act(
        EDITORS, lambda p, a: p.engine.connections.tools("old", refresh=True, actor=a), ends_in=Unreachable
    ),
    "Keys.create": Act(ADMINS, lambda p, a: p.engine.keys.create("other", actor=a), "key.created"),
    "Keys.revoke": Act(ADMINS, lambda p, a: p.engine.keys.revoke(p.key, actor=a), "key.revoked"),
    "Sessions.end": Act(ADMINS, lambda p, a: p.engine.sessions.end(p.session, actor=a), "session.ended"),
    "Bulk.perform": Act(
        OPERATORS, lambda p, a: p.engine.bulk.perform("cancel", Chosen(workflow="asks"), actor=a), "execution.cancelled"
    ),
    "Webhooks.create": Act(EDITORS, lambda p, a: p.engine.webhooks.create("nightly", actor=a), "webhook.created"),
    "Webhooks.rotate": Act(EDITORS, lambda p, a: p.engine.webhooks.rotate(p.webhook, actor=a), "webhook.rotated"),
    "Webhooks.remove": Act(EDITORS, lambda p, a: p.engine.webhooks.remove(p.webhook, actor=a), "webhook.removed"),
}
"""What a comma follows is another way to do the same."""

LOOKS: frozenset[str] = frozenset(
    {
        *(f"Workflows.{verb}" for verb in ("check", "warnings", "list", "show", "versions", "diff")),
        *(f"Executions.{verb}" for verb in ("get", "find", "list", "names")),
        *(f"Execution.{verb}" for verb in ("result", "describe", "view", "step_view", "history", "progress", "step")),
        *(f"Execution.{verb}" for verb in ("triggers", "why", "requested", "ended")),
        *("Bulk.preview", "Keys.list", "KeyUses.list", "Sessions.list", "Triggers.list", "Workflows.offers"),
        *(f"Events.{verb}" for verb in ("list", "get")),
        *(f"Schedules.{verb}" for verb in ("list", "get", "next")),
        *(f"Approvals.{verb}" for verb in ("list", "get", "history")),
        *(f"Members.{verb}" for verb in ("list", "get")),
        *(f"Organizations.{verb}" for verb in ("list", "get")),
        *(f"Notifiers.{verb}" for verb in ("list", "get")),
        *("Secrets.list", "Connections.list", "Webhooks.list"),
    }
)
"""What changes nothing, and every member may."""

OF_THE_PROGRAM: frozenset[str] = frozenset(
    {
        *(f"Engine.{verb}" for verb in ("serve", "run_until_idle", "next_due", "decide")),
        "Organizations.add",  # nobody is a member of all
        "Secrets.to_sign_with",
        *(f"Answers.{verb}" for verb in ("begin", "give", "withdraw")),
        *("Keys.caller", "Keys.caller_by_hash", "Keys.exist", "KeyUses.used"),  # by what a member is known
        *(f"Sessions.{verb}" for verb in ("sign_in", "sign_in_member", "sign_out", "caller")),
        *("Limits.start", "Triggers.note"),
        *("Webhooks.receive", "Webhooks.look", "Links.look", "Links.decide"),  # who has the token may
        "Webhooks.signed",
    }
)
"""What is not done in the name of a member."""


ACTOR = "ann"
"""By whom it is done."""


def opened(url: str = "memory://") -> Engine:
    return breaking(adding(Engine(url, secret_keys=new_key())))


async def place(engine: Engine, what: str) -> Place:
    """All that it takes, and somebody who is not an actor."""
    await engine.workflows.save(NIGHTLY)
    await engine.workflows.save(sequence(2, "nightly"), activate=False)
    await engine.schedules.pause("nightly/night")
    await engine.secrets.set("OLD", "a-long-value")
    await engine.connections.add("old", "http://127.0.0.1:9/mcp")
    await engine.notifiers.add("desk", "log", on=["overdue"])
    await engine.members.add("other")
    if what.startswith("Approvals.link"):
        await engine.members.add("boss", roles=["admin"])
    asks = await begun(engine, ASKS, {"n": 1})
    await waiting(asks)
    await engine.schedules.add("asks", {"every": "P1D"}, id="daily")
    broken = await begun(engine, BROKEN)
    with suppress(ExecutionFailed):
        await broken.result()
    done = await begun(engine, CHAINED, {"n": 1})
    await done.result()
    await until(lambda: _has_failed(done))
    (approval,) = (await engine.approvals.list()).items
    webhook = (await engine.webhooks.create("nightly")).webhook.id
    if what == "Approvals.release":
        await engine.approvals.claim(approval.id, by=ACTOR)
    key = (await engine.keys.create("other")).key.id
    session = (await engine.sessions.sign_in_member("other", issuer="https://id.example")).session.id
    return Place(engine, asks, broken, done, approval.id, webhook, key, session)


async def _has_failed(execution: Execution) -> bool:
    return all(each.status == "failed" for each in await execution.triggers())


async def standing(place: Place) -> list[Any]:
    """All that somebody could have changed."""
    engine = place.engine
    workflows = (await engine.workflows.list()).items
    executions = (await engine.executions.list()).items
    return [
        workflows,
        [await engine.workflows.versions(each.id) for each in workflows],
        [(each.id, each.status, each.seq) for each in executions],
        [await (await engine.executions.get(each.id)).requested() for each in executions],
        (await engine.events.list()).items,
        (await engine.schedules.list()).items,
        (await engine.approvals.list()).items,
        (await engine.members.list()).items,
        await engine.organizations.get("default"),
        await engine.notifiers.list(),
        (await engine.secrets.list()).items,
        await engine.connections.list(),
        await engine.webhooks.list(),
        (await engine.keys.list()).items,
        (await engine.sessions.list()).items,
        (await engine.audit.list()).items,
    ]
