"""Triggers on the step and on the workflow, as `run` starts them by hand."""

from __future__ import annotations

from typing import Any

from run.case import Case
from run.ports.words import echo, flow, step, trigger

EVERY_SIX_HOURS = "0 */6 * * *"


def _refused(name: str, config: dict[str, Any], *says: str) -> Case:
    return Case(f"refused: trigger, {name}", flow(step("start", "trigger", config, "a"), echo("a")), exit=2, says=says)


def _workflow(name: str, triggers: Any, *says: str) -> Case:
    document = flow(echo("a", x=1), beside={"triggers": triggers})
    if says:
        return Case(f"refused: triggers, {name}", document, exit=2, says=says)
    return Case(f"triggers: {name}", document, output={"x": 1}, view={"triggeredBy": "manual"})


TRIGGERS: tuple[Case, ...] = (
    *(
        Case(
            f"a trigger of type {config['type']}, started by hand",
            flow(step("start", "trigger", config, "a"), echo("a", v="{{steps.start.output.meta.trigger.type}}")),
            output={"v": config["type"]},
            view={"triggeredBy": "manual", "variables.steps.start.output.data": "Trigger executed successfully"},
        )
        for config in (
            {"type": "manual"},
            {"type": "schedule", "schedule": EVERY_SIX_HOURS, "timezone": "UTC"},
            {"type": "scheduled", "schedule": EVERY_SIX_HOURS},
            {"type": "webhook"},
            {"type": "event", "event": "order.paid"},
        )
    ),
    Case(
        "a trigger tells what it is and when it was",
        flow(trigger("a"), echo("a", v="{{lastOutput.meta.trigger.receivedAt != null}}")),
        output={"v": True},
    ),
    Case("a trigger without a type", flow(step("start", "trigger", {}, "a"), echo("a", x=1)), output={"x": 1}),
    Case("a trigger without a config", flow(step("start", "trigger", None, "a"), echo("a", x=1)), output={"x": 1}),
    _workflow("a schedule", {"schedule": EVERY_SIX_HOURS}),
    _workflow("an event", {"event": "subscription_cancelled"}),
    _workflow("both", {"schedule": EVERY_SIX_HOURS, "event": "subscription_cancelled"}),
    _workflow(
        "more of a schedule",
        {"schedule": {"schedule": EVERY_SIX_HOURS, "timezone": "Europe/Berlin", "catchUp": "none"}},
    ),
    _workflow("none", {}),
    _workflow("a schedule that is none", {"schedule": "every day"}, "every day", "/triggers/schedule"),
    _workflow("a list", ["x"], "/triggers"),
    _refused("a type that is none", {"type": "cron"}, "cron", "schedule", "/steps/0/config/type"),
    _refused(
        "a schedule that is none", {"type": "schedule", "schedule": "99 * * * *"}, "99", "/steps/0/config/schedule"
    ),
    _refused(
        "a zone that is none", {"type": "schedule", "schedule": EVERY_SIX_HOURS, "timezone": "Mars/Base"}, "Mars/Base"
    ),
    _refused("catchUp", {"type": "schedule", "schedule": EVERY_SIX_HOURS, "catchUp": "some"}, "some", "one"),
    _refused("overlap", {"type": "schedule", "schedule": EVERY_SIX_HOURS, "overlap": "never"}, "never", "skip"),
)
