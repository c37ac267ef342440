"""Steps that fail, and error ports."""

from __future__ import annotations

from run.case import Case
from run.expected import NUMBER, TEXT, Holding
from run.ports.words import action, breaks, condition, echo, flow, step, trigger

FAILING: tuple[Case, ...] = (
    Case(
        "a failing step fails the execution",
        flow(trigger("break"), breaks(leads="a"), echo("a")),
        exit=1,
        says=("no more stock",),
        error={"message": Holding("no more stock"), "retriable": False, "timestamp": TEXT},
        ran=("start",),
        view={"status": "failed", "error": Holding("no more stock"), "currentStepSlug": "break", "waitingFor": None},
    ),
    *(
        Case(
            f"{port} takes what fails",
            flow(breaks(leads={"success": "a", port: "b"}), echo("a"), echo("b", x="caught")),
            output={"x": "caught"},
            view={"status": "completed", "error": None},
        )
        for port in ("error", "onError", "onFailure", "failure")
    ),
    Case(
        "default does not take what fails",
        flow(breaks(leads={"default": "a"}), echo("a")),
        exit=1,
        says=("no more stock",),
    ),
    Case("an error port that ends", flow(breaks(leads={"error": "end"})), view={"status": "completed"}),
    Case(
        "an error port that is null ends",
        flow(breaks(leads={"error": None})),
        view={"status": "completed"},
    ),
    Case(
        "an error port back to the step itself is a way",
        flow(
            action("go", "picky", {"item": "{{ steps.mend.output.data.item ?? 'bad' }}"}, {"error": "mend"}),
            echo("mend", "go", item="good"),
        ),
        output="good",
    ),
    Case(
        "a value that cannot be computed fails its step",
        flow(echo("a", x="{{ v.toUpperCase() }}")),
        {"v": 1},
        exit=1,
        says=("toUpperCase",),
    ),
    Case(
        "a value that cannot be computed goes by the error port",
        flow(echo("a", {"error": "b"}, x="{{ v.toUpperCase() }}"), echo("b", x=1)),
        {"v": 1},
        output={"x": 1},
    ),
    Case(
        "a condition that is no boolean goes by the error port",
        flow(condition("{{x}}", leads={"true": "yes", "error": "b"}), echo("yes"), echo("b", x="caught")),
        {"x": 5},
        output={"x": "caught"},
    ),
    Case(
        "a loop over nothing that is an array goes by the error port",
        flow(step("each", "loop", {"items": "{{x}}"}, {"error": "b"}), echo("b", x="caught")),
        {"x": 5},
        output={"x": "caught"},
    ),
    Case("a task that does not answer with JSON", flow(action("a", "not_json", {})), exit=1, says=("JSON",)),
    Case(
        "who catches may fail too",
        flow(breaks(leads={"error": "again"}), action("again", "breaks", {"message": "and again"})),
        exit=1,
        says=("and again",),
    ),
    Case(
        "a failed execution has no output",
        flow(echo("a", "break", x=1), breaks()),
        exit=1,
        view={"output": None, "completedAt": NUMBER, "variables.lastOutput.data": {"x": 1}},
    ),
)
