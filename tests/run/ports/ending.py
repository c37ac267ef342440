"""Words that end an execution, and targets that are nowhere."""

from __future__ import annotations

from run.case import Case
from run.ports.words import condition, echo, flow, trigger

WORDS = ("end", "complete", "completed", "finish", "noop", "null")

ENDING: tuple[Case, ...] = (
    *(
        Case(f"{word} is an end", flow(trigger("a"), echo("a", {"default": word}, x=1)), output={"x": 1})
        for word in WORDS
    ),
    Case("null itself is an end", flow(echo("a", {"success": None}, x=1)), output={"x": 1}),
    *(
        Case(f"a step called {word} is no end", flow(echo("a", word), echo(word, x=word)), output={"x": word})
        for word in ("end", "complete", "noop")
    ),
    Case(
        "a target that is nowhere fails, and lists the steps",
        flow(echo("fetch", "nowhere"), echo("send"), name="Lost"),
        exit=1,
        says=("nowhere", "fetch", "send"),
        view={"status": "failed"},
    ),
    Case(
        "what came before a target that is nowhere is kept",
        flow(echo("fetch", "nowhere", x=1)),
        exit=1,
        ran=("fetch",),
        view={"variables.steps.fetch.output.data": {"x": 1}},
    ),
    Case(
        "a target that is nowhere, and nobody goes there",
        flow(condition("{{x}} > 1", leads={"true": "yes", "false": "nowhere"}), echo("yes", x="{{x}}")),
        {"x": 2},
        output={"x": 2},
    ),
    Case(
        "another spelling of an end is no end",
        flow(echo("a", "END")),
        exit=1,
        says=("END",),
    ),
)
