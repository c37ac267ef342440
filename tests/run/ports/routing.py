"""Which step follows: the port exactly, then its alias, then `default`; and where nothing is found."""

from __future__ import annotations

from run.case import Case
from run.ports.words import Leads, condition, echo, flow, leaves, trigger


def _routed(name: str, port: str, leads: Leads, taken: str | None) -> Case:
    document = flow(leaves("go", port, leads), *(echo(target) for target in ("a", "b", "c")))
    return Case(name, document, ran=("go", taken) if taken else ("go",))


def _aliased(port: str, *spellings: str) -> tuple[Case, ...]:
    return tuple(_routed(f"{port} is {spelling}", port, {spelling: "a", "default": "b"}, "a") for spelling in spellings)


def _strict(name: str, leads: Leads, exit_: int, *says: str) -> Case:
    return Case(name, flow(leaves("go", "odd", leads), echo("a"), strictPorts=True), exit=exit_, says=says)


ROUTING: tuple[Case, ...] = (
    _routed(
        "the port itself before its alias and default",
        "success",
        {"onSuccess": "b", "default": "c", "success": "a"},
        "a",
    ),
    _routed("the alias before default", "success", {"default": "c", "onSuccess": "b"}, "b"),
    _routed("default", "success", {"default": "c"}, "c"),
    _routed("a port of its own", "vip", {"vip": "a", "success": "b", "default": "c"}, "a"),
    _routed("a port of its own, by default", "vip", {"success": "b", "default": "c"}, "c"),
    *_aliased("onSuccess", "success"),
    *_aliased("true", "onTrue"),
    *_aliased("false", "onFalse"),
    *_aliased("approved", "onApprove", "approve"),
    *_aliased("reject", "rejected", "onReject"),
    *_aliased("error", "onError", "onFailure", "failure"),
    *_aliased("failure", "error"),
    _routed("aliases are of one meaning only", "true", {"onSuccess": "a", "onFalse": "b"}, None),
    _routed("a port that leads nowhere completes", "odd", {"success": "a"}, None),
    _routed("an empty map ends", "success", {}, None),
    _routed("no map ends", "success", None, None),
    _routed("null ends, also before default", "success", {"success": None, "default": "c"}, None),
    Case(
        "a port that leads nowhere: its data is the output",
        flow(leaves("go", "odd", {"success": "a"}), echo("a")),
        output="odd",
        view={"status": "completed", "error": None},
    ),
    _strict(
        "strictPorts: a port that leads nowhere fails",
        {"success": "a", "other": "a"},
        1,
        "odd",
        "go",
        "success",
        "other",
    ),
    _strict("strictPorts: an empty map ends", {}, 0),
    _strict("strictPorts: no map ends", None, 0),
    _strict("strictPorts: default is a way", {"default": "a"}, 0),
    Case(
        "strictPorts: what is routed is as it was",
        flow(trigger("gate"), condition("{{x}} > 1"), echo("yes"), echo("no"), strictPorts=True),
        {"x": 2},
        ran=("start", "gate", "yes"),
    ),
    *(
        Case(
            f"a trigger leads on by {port}",
            flow(trigger({port: "a"}), echo("a", x=1)),
            output={"x": 1},
        )
        for port in ("success", "onSuccess", "default")
    ),
    *(
        Case(
            f"a condition leads on by {port}",
            flow(condition("{{x}} > 1", leads={port: "a"}), echo("a")),
            {"x": x},
            ran=("gate", "a"),
        )
        for port, x in (("true", 2), ("onTrue", 2), ("false", 0), ("onFalse", 0), ("default", 2))
    ),
    Case("a condition without a way for false", flow(condition("false", leads={"true": "a"}), echo("a")), output=False),
)
