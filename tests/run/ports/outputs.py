"""What an execution comes to."""

from __future__ import annotations

from run.case import Case
from run.expected import ABSENT
from run.ports.words import action, condition, echo, flow, output, step

OUTPUTS: tuple[Case, ...] = (
    Case("the data of the last step", flow(echo("a", "b", x=1), echo("b", y=2)), output={"y": 2}),
    Case(
        "the last step that ran, not the last in the list",
        flow(echo("a", "c"), echo("b", x="b"), echo("c", "b")),
        output={"x": "b"},
    ),
    Case("a condition at the end", flow(condition("{{x}} > 1", leads={"true": "end"})), {"x": 2}, output=True),
    Case(
        "an output step",
        flow(echo("a", "result", x=1), output(sum="{{lastOutput.data.x + 1}}", text="x is {{steps.a.output.data.x}}")),
        output={"sum": 2, "text": "x is 1"},
        view={"output": {"sum": 2, "text": "x is 1"}, "variables.steps.result.stepType": "output"},
    ),
    Case(
        "variables are kept apart",
        flow(echo("a", "result"), output(x="{{x}}")),
        {"x": 1, "y": 2},
        output={"x": 1},
        view={"output": {"x": 1}, "variables.y": 2, "variables.sum": ABSENT},
    ),
    Case(
        "an output step that is not the last",
        flow({**output("result", x=1), "nextSteps": {"success": "b"}}, echo("b", y=2)),
        output={"x": 1},
        ran=("result", "b"),
    ),
    Case(
        "an output step that nobody reaches",
        flow(condition("{{x}} > 1", leads={"true": "result", "false": "b"}), output(x=1), echo("b", y=2)),
        {"x": 0},
        output={"y": 2},
    ),
    Case("an output of what is undefined", flow(output(x="{{nobody}}", y=[1, "{{nobody}}"])), output={"y": [1, None]}),
    Case("an empty mapping", flow(echo("a", "result", x=1), step("result", "output", {"mapping": {}})), output={}),
    *(
        Case(
            f"an output step without a mapping: {config}",
            flow(echo("a", "result", x=1), step("result", "output", config)),
            output={"x": 1},
            view={"output": {"x": 1}, "variables.steps.result.output": {"type": "output", "data": {"x": 1}}},
        )
        for config in (None, {}, {"mapping": None}, {"name": "End"})
    ),
    Case("an output step without a mapping, alone", flow(step("result", "output", {})), {"x": 1}, output=None),
    Case(
        "outputMapping in the config of an output step",
        flow(step("result", "output", {"outputMapping": {"x": "{{x}}"}})),
        {"x": 1},
        output={"x": 1},
    ),
    Case(
        "workflow.output is that of an output step before",
        flow(
            {**output("result", x=1), "nextSteps": {"success": "notify"}},
            action("notify", "echo", {"event": "workflow_completed", "data": "{{workflow.output}}"}),
        ),
        output={"x": 1},
        view={"variables.steps.notify.output.data": {"event": "workflow_completed", "data": {"x": 1}}},
    ),
)
