"""Variables at the root, names that a template can read, and where a bare name is looked up."""

from __future__ import annotations

from typing import Any

from run.case import Case
from run.expected import ABSENT, TEXT
from run.ports.words import condition, echo, flow, sets, step

EVIL = {"steps": 1, "lastOutput": 2, "loop": 3, "organizationId": "evil", "input": 4, "secrets": 5, "x": 6}


def _reads(name: str, template: str, comes: Any, given: Any = None, **config: Any) -> Case:
    """What a template comes to in the second step, after one whose data is `{last: "last", x: "last"}`."""
    document = flow(echo("first", "a", last="last", x="last"), echo("a", v=template), **config)
    return Case(name, document, given, output={} if comes is ABSENT else {"v": comes})


VARIABLES: tuple[Case, ...] = (
    _reads("object input is spread at the root", "{{x}}", 1, {"x": 1}),
    _reads("input by its name", "{{input.x}}", 1, {"x": 1}),
    _reads("the whole input", "{{input}}", {"x": 1, "y": [2]}, {"x": 1, "y": [2]}),
    _reads("an input that is a number", "{{input}}", 5, 5),
    _reads("an input that is an array", "{{input[1]}}", 2, [1, 2]),
    _reads("config.variables at the root", "{{limit}}", 7, variables={"limit": 7}),
    _reads("config.variables win over input at the root", "{{x}}", "config", {"x": "input"}, variables={"x": "config"}),
    _reads("input.x is the input's all the same", "{{input.x}}", "input", {"x": "input"}, variables={"x": "config"}),
    _reads("config.x is the config's", "{{config.x}}", "config", {"x": "input"}, variables={"x": "config"}),
    _reads("config.x of the input alone is nothing", "{{config.x}}", ABSENT, {"x": "input"}, variables={"y": 1}),
    _reads("a bare name of the last output's data", "{{last}}", "last"),
    _reads("the root before the last output's data", "{{x}}", "root", {"x": "root"}),
    _reads("a null at the root is found there", "{{x}}", None, {"x": None}),
    _reads("lastOutput", "{{lastOutput}}", {"type": "action", "data": {"last": "last", "x": "last"}}),
    _reads("lastOutput.data", "{{lastOutput.data.last}}", "last"),
    _reads("a step by its slug", "{{steps.first.output.data.last}}", "last"),
    _reads("a step by its slug in brackets", "{{steps['first'].output.type}}", "action"),
    _reads("what kind of step it was", "{{steps.first.stepType}} {{steps.first.name}}", "action First"),
    _reads("a step that has not run", "{{steps.a.output.data}}", ABSENT),
    _reads("organizationId", "{{organizationId}}", "default"),
    _reads("nobody knows it", "{{nobody.knows.it}}", ABSENT),
    _reads("workflow.name", "{{workflow.name}}", "case"),
    _reads("workflow.input", "{{workflow.input.x}}", 1, {"x": 1}),
    _reads("workflow.variables", "{{workflow.variables.x}}", 1, {"x": 1}),
    _reads("workflow.executionId", "{{workflow.executionId}}", TEXT),
    _reads("workflow.output is what there is by now", "{{workflow.output.last}}", "last"),
    _reads("variables.x is the root's x", "{{variables.x}}", 1, {"x": 1}),
    _reads("variables.x of config.variables", "{{variables.x.y}}", 7, {"x": 1}, variables={"x": {"y": 7}}),
    _reads("variables.x is not the last output's", "{{variables.last}}", ABSENT),
    _reads("variables['x y']", "{{variables['x y']}}", 1, {"x y": 1}),
    _reads("all variables", "{{variables}}", {"x": 1, "y": 2}, {"x": 1}, variables={"y": 2}),
    _reads("a variable by a computed name", "{{variables[input.name]}}", 5, {"name": "n", "n": 5}),
    _reads("variables.steps", "{{variables.steps.first.output.data.last}}", "last"),
    _reads("variables.lastOutput", "{{variables.lastOutput.data.last}}", "last"),
    _reads("variables.input", "{{variables.input.x}}", 1, {"x": 1}),
    _reads("variables.organizationId", "{{variables.organizationId}}", "default"),
    _reads("variables.config is a key of the input", "{{variables.config}}", 7, {"config": 7}, variables={"x": 1}),
    _reads("config is a key of variables then", "{{variables}}", {"config": 7}, {"config": 7}),
    _reads("variables.config without one", "{{variables.config}}", ABSENT, {"y": 1}, variables={"x": 1}),
    _reads("workflow.variables.config", "{{workflow.variables.config}}", ABSENT, variables={"config": 1}),
    _reads("variables of the input", "{{variables.x}}", 1, {"x": 2, "variables": {"x": 1}}),
    _reads("variables of the input, a null", "{{variables.x}}", ABSENT, {"x": 2, "variables": None}),
    _reads("reserved names of variables of the input", "{{variables.steps}}", 3, {"variables": {"steps": 3}}),
    _reads("variables of the config", "{{variables.x}}", 1, {"x": 2}, variables={"variables": {"x": 1}}),
    _reads("variables in a condition's operand", "{{ {a: variables.x} }}", {"a": 1}, {"x": 1}),
    Case(
        "variables.x after set_variables",
        flow(sets("s", "a", x={"y": 1}), echo("a", v="{{variables.x.y}} {{ variables.x.y + 1 }}")),
        {"x": 9},
        output={"v": "1 2"},
    ),
    Case(
        "variables.x in a condition",
        flow(sets("s", "gate", x=5), condition("variables.x > {{variables.x}} - 1"), echo("yes"), echo("no")),
        ran=("s", "gate", "yes"),
    ),
    Case(
        "variables that a step sets itself",
        flow(sets("s", "a", variables={"x": 1}), echo("a", v="{{variables.x}}")),
        {"x": 2},
        output={"v": 1},
    ),
    Case(
        "variables of an inputMapping are that step's",
        flow(
            {**echo("a", "b", v="{{variables.x}}"), "inputMapping": {"variables": {"x": 1}}},
            echo("b", v="{{variables.x}}", before="{{lastOutput.data.v}}"),
        ),
        {"x": 2},
        output={"v": 2, "before": 1},
    ),
    Case(
        "variables.x in an outputMapping",
        flow({**echo("a", "b"), "outputMapping": {"y": "{{variables.x}}"}}, echo("b", v="{{y}}")),
        {"x": 2},
        output={"v": 2},
    ),
    _reads("executionId", "{{executionId == workflow.executionId && executionId.length > 10}}", True),
    _reads("workflowId", "{{workflowId == workflow.id}} {{workflowId}}", TEXT),
    _reads("wfDefinitionId of what is not stored", "{{wfDefinitionId}}", None),
    _reads("userId where a program started it", "{{userId}}", None),
    _reads("userId of the input", "{{userId}}", 7, {"userId": 7}),
    _reads("executionId that is null in the input", "{{executionId}}", None, {"executionId": None}),
    _reads("workflowId of the config", "{{workflowId}}", "w", variables={"workflowId": "w"}),
    Case(
        "executionId of the last output's data",
        flow(echo("a", "b", executionId=5), echo("b", v="{{executionId}}")),
        output={"v": 5},
    ),
    _reads("now acts as a number", "{{now + 86400000 - nowMs}}", 86_400_000),
    _reads("now renders as an instant", "{{'' + (now|string).slice(10, 11)}}", "T"),
    _reads("nowMs is a number", "{{nowMs > 1700000000000}}", True),
    Case(
        "a step whose slug has a dash",
        flow(echo("fetch-users", "a", n=1), echo("a", v="{{steps['fetch-users'].output.data.n}}")),
        output={"v": 1},
    ),
    Case(
        "metadata of the workflow",
        flow(echo("a", v="{{workflow.metadata.owner}}"), beside={"metadata": {"owner": "ann"}}),
        output={"v": "ann"},
    ),
    Case(
        "reserved roots do not come from the input",
        flow(echo("a", x="{{x}}", org="{{organizationId}}", given="{{input.steps}}")),
        EVIL,
        output={"x": 6, "org": "default", "given": 1},
        view={
            "variables.steps.a.stepType": "action",
            "variables.lastOutput.type": "action",
            "variables.organizationId": "default",
            "variables.input": EVIL,
            "variables.loop": ABSENT,
            "variables.secrets": ABSENT,
            "variables.x": 6,
        },
    ),
    Case(
        "reserved roots do not come from config.variables",
        flow(
            echo("a", org="{{organizationId}}"),
            variables={"organizationId": "evil", "steps": 1, "lastOutput": 2, "loop": 3},
        ),
        {"y": 1},
        output={"org": "default"},
        view={
            "variables.steps.a.stepType": "action",
            "variables.organizationId": "default",
            "variables.loop": ABSENT,
            "variables.input": {"y": 1},
        },
    ),
    Case(
        "input and config.variables in the variables",
        flow(echo("a"), variables={"x": "config", "z": [3]}),
        {"x": "input", "y": 2},
        view={"variables.x": "config", "variables.y": 2, "variables.z": [3], "variables.input": {"x": "input", "y": 2}},
    ),
    Case(
        "names of templates are no variables",
        flow(echo("a"), variables={"x": 1}),
        view={f"variables.{name}": ABSENT for name in ("config", "workflow", "now", "nowMs")},
    ),
    Case(
        "an input that is no object is not spread",
        flow(echo("a")),
        ["p", "q"],
        view={"variables.input": ["p", "q"], "variables.0": ABSENT},
    ),
    Case(
        "what a step sets wins over config at the root, and config.x stays",
        flow(
            sets("s", "a", x="set"),
            echo("a", x="{{x}}", config="{{config.x}}", input="{{input.x}}"),
            variables={"x": "config"},
        ),
        {"x": "input"},
        output={"x": "set", "config": "config", "input": "input"},
        view={"variables.x": "set", "variables.input": {"x": "input"}},
    ),
    Case(
        "values of config.variables may be anything",
        flow(echo("a", v="{{deep.list[1].name}}"), variables={"deep": {"list": [0, {"name": "ann"}]}}),
        output={"v": "ann"},
    ),
    Case(
        "a task writes no variables by its output",
        flow(echo("a", "b", total=5), echo("b", "c"), echo("c", v="{{total}}")),
        output={},
        view={"variables.total": ABSENT},
    ),
    Case(
        "a step that runs again has its last output",
        flow(
            echo("a", "gate", n="{{ (steps.a.output.data.n ?? 0) + 1 }}"),
            step("gate", "condition", {"expr": "steps.a.output.data.n < 3"}, {"true": "a", "false": "end"}),
        ),
        output=False,
        view={"variables.steps.a.output.data": {"n": 3}},
    ),
)
