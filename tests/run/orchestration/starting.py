"""Where an execution begins, and with what."""

from __future__ import annotations

from run.case import Case
from run.orchestration.words import decides, echo, flow, waits

STARTING = (
    Case("one step", flow(echo("a", x=1)), output={"x": 1}, ran=("a",)),
    Case("the first of the list begins", flow(echo("b", x="b"), echo("a", x="a")), output={"x": "b"}, ran=("b",)),
    Case("no step follows by its place alone", flow(echo("a"), echo("b")), ran=("a",)),
    Case("a line", flow(echo("a", "c"), echo("b"), echo("c", "b")), ran=("a", "b", "c")),
    Case(
        "no steps: completed at once",
        {"dialect": "orchestration", "name": "case", "steps": []},
        {"x": 1},
        output=None,
        ran=(),
        view={"status": "COMPLETED", "input": {"x": 1}},
    ),
    Case(
        "the input", flow(echo("a", x="${workflow.input.x}")), {"x": [1]}, output={"x": [1]}, view={"input": {"x": [1]}}
    ),
    Case("no input", flow(echo("a", x="${workflow.input.x}", y=1)), output={"y": 1}),
    Case("an input that is a list", flow(echo("a", x="${workflow.input[1]}")), [1, 2], output={"x": 2}),
    Case("an input that is a text", flow(echo("a", x="${workflow.input}")), "hello", output={"x": "hello"}),
    Case(
        "a decision begins",
        flow(decides(("workflow.input.x > 1", "a"), default="b"), echo("a", v="a"), echo("b", v="b")),
        {"x": 2},
        output={"v": "a"},
    ),
    Case("a wait begins", flow(waits("a", "paid")), exit=3, ran=("a",), waits={"kind": "event", "on": "paid"}),
    Case(
        "a step may come round again",
        flow(
            echo("a", "gate", n="${(steps.a.output.n ?? 0) + 1}"),
            decides(("steps.a.output.n < 3", "a"), default="done"),
            echo("done", n="${steps.a.output.n}"),
        ),
        output={"n": 3},
    ),
    Case(
        "the output is that of the step that completed last",
        flow(echo("a", "b", x="a"), echo("b", "gate", x="b"), decides(("true", None))),
        output={"x": "b"},
    ),
)
