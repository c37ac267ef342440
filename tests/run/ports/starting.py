"""Where an execution begins, and what `order` is for."""

from __future__ import annotations

from run.case import Case
from run.ports.words import echo, flow, step, trigger

STARTING = (
    Case("a trigger alone", flow(trigger()), {"x": 1}, output="Trigger executed successfully", ran=("start",)),
    Case(
        "the trigger, whatever its order", flow(echo("a"), {**trigger("b"), "order": 9}, echo("b")), ran=("start", "b")
    ),
    Case(
        "no trigger: the lowest order",
        flow({**echo("b"), "order": 7}, {**echo("a", "b", x=1), "order": 3}),
        ran=("a", "b"),
    ),
    Case(
        "the first of two triggers",
        flow(trigger("a"), trigger("b", "other"), echo("a", x="a"), echo("b", x="b")),
        ran=("start", "a"),
    ),
    Case(
        "order is otherwise for display",
        flow(echo("a", "c"), echo("b"), echo("c", "b")),
        ran=("a", "b", "c"),
    ),
    Case("no step follows by its order alone", flow(echo("a"), echo("b")), ran=("a",)),
    Case("an order below zero", flow(echo("a"), {**echo("b"), "order": -1}), ran=("b",)),
    Case("one order twice: the first in the list", flow(echo("a"), {**echo("b"), "order": 1}), ran=("a",)),
    Case(
        "no order: the first in the list",
        {"name": "case", "steps": [echo("a", "b"), echo("b")]},
        ran=("a", "b"),
    ),
    Case("no steps: completed at once", {"dialect": "ports", "name": "case", "steps": []}, output=None, ran=()),
    Case(
        "no steps of an inline body",
        {"workflowConfig": {"name": "case"}, "stepsConfig": []},
        output=None,
        ran=(),
        view={"status": "completed"},
    ),
    Case(
        "a trigger in the middle begins all the same",
        flow(echo("a", "start"), trigger("b"), echo("b")),
        ran=("start", "b"),
    ),
    Case(
        "a step may come round again",
        flow(
            echo("a", "gate"),
            step("gate", "condition", {"expr": "{{ steps.b.output.data.done }}"}, {"true": "end", "false": "b"}),
            echo("b", "a", done=True),
        ),
        output=True,
        ran=("a", "b", "gate"),
    ),
)
