"""Secrets: where they may stand, and where not."""

from __future__ import annotations

from typing import Any

from run.case import Case
from run.phases.words import calls, each, echo, fires, flow, gives, sleeps

KEY = "@secrets.API_KEY"


def _misused(name: str, document: Any, *says: str) -> Case:
    return Case(f"refused: a secret in {name}", document, exit=2, says=("secret", *says))


SECRETS: tuple[Case, ...] = (
    Case(
        "secrets: one that is not set",
        flow(echo("a", key=KEY)),
        exit=1,
        says=("API_KEY",),
        view={"steps.a.status": "failed"},
    ),
    Case("secrets: in a text, one that is not set", flow(echo("a", key=f"Bearer {KEY}")), exit=1, says=("API_KEY",)),
    _misused("a sleep", flow(sleeps(until=KEY)), "/steps/0/0/sleep/until", "the input of a tool step"),
    _misused("a forEach", flow(each(KEY)), "/steps/0/0/forEach", "the input of a tool step"),
    _misused(
        "the inputs of a trigger",
        flow(gives("a", 1), triggers=[fires("child", key=KEY)]),
        "/triggers/0/inputs/key",
        "the input of a tool step",
    ),
    _misused(
        "the forEach of a trigger", flow(gives("a", 1), triggers=[fires("child", over=KEY)]), "/triggers/0/forEach"
    ),
    _misused("a key", flow(echo("a", x={KEY: 1})), "/steps/0/0/input"),
    _misused("a part of it", flow(echo("a", x="@secrets.API_KEY.length")), "missing_ref", "'@secrets.NAME'"),
    _misused("no name", flow(echo("a", x="@secrets")), "missing_ref", "a secret is named"),
    _misused("plain text", flow(echo("a", x=KEY), secrets={"API_KEY": {"value": "sesame"}}), "/secrets/API_KEY"),
    _misused(
        "plain text that looks like one",
        flow(echo("a", x=KEY), secrets={"API_KEY": "ghp_k3J9xQ7LmN2pR8sT"}),
        "/secrets/API_KEY",
    ),
    Case(
        "secrets: a name that is a step's is no secret",
        flow(gives("secret", {"API_KEY": 1}), echo("a", x="@secret.API_KEY")),
        output={"x": 1},
    ),
    Case(
        "secrets: a tool that wants a text is given one",
        flow(calls("crm/record", "a", input={"id": KEY})),
        exit=1,
        says=("API_KEY",),
    ),
)
