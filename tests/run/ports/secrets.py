"""Secrets where they may not stand, and where there are none."""

from __future__ import annotations

from typing import Any

from run.case import Case
from run.ports.words import action, approval, condition, echo, flow, loop, output, sets, step


def _misused(name: str, *steps: dict[str, Any], **config: Any) -> Case:
    return Case(f"refused: a secret in {name}", flow(*steps, **config), exit=2, says=("secret", "/"))


def _plain(name: str, value: Any) -> Case:
    return Case(
        f"refused: {name} as a secret", flow(echo("a"), secrets={"KEY": value}), exit=2, says=("KEY", "/config/secrets")
    )


SECRETS: tuple[Case, ...] = (
    _misused("a condition", condition("{{secrets.KEY}} == 'x'", leads={"default": "end"})),
    _misused("a bare condition", condition("secrets.KEY == 'x'", leads={"default": "end"})),
    _misused("a prompt", step("ask", "llm", {"userPrompt": "use {{secrets.KEY}}"})),
    _misused("an output mapping", {**echo("a"), "outputMapping": {"key": "{{secrets.KEY}}"}}),
    _misused("an output step", output(key="{{secrets.KEY}}")),
    _misused("a variable", sets("s", key="{{secrets.KEY}}")),
    _misused("items", loop("{{secrets.KEY}}")),
    _misused("what is submitted", approval(submittedData={"key": "{{secrets.KEY}}"})),
    _misused("an object key", action("a", "echo", {"{{secrets.KEY}}": 1})),
    _misused("a method", echo("a", key="{{secrets.KEY.slice(1)}}")),
    _misused("a pipe", echo("a", key="{{secrets.KEY|upper}}")),
    _misused(
        "the input of a workflow", action("w", "workflow", {"workflowId": "w", "input": {"key": "{{secrets.KEY}}"}})
    ),
    _plain("plain text", "sk-live 123!"),
    _plain("a number", 5),
    _plain("an object of another kind", {"kind": "plain", "value": "x"}),
    Case(
        "a secret that nobody has set fails by its name",
        flow(echo("a", key="{{secrets.CRM_KEY}}")),
        exit=1,
        error={"category": "SECURITY"},
        says=("CRM_KEY",),
    ),
    Case(
        "a secret by another name fails by the name it goes by",
        flow(echo("a", key="Bearer {{secrets.KEY}}"), secrets={"KEY": "CRM_KEY"}),
        exit=1,
        says=("CRM_KEY",),
        view={"variables.secrets": {"KEY": "***"}},
    ),
    Case(
        "a secret that nobody reads",
        flow(echo("a", x=1), secrets={"KEY": "CRM_KEY"}),
        output={"x": 1},
        view={"variables.secrets": {"KEY": "***"}},
    ),
)
