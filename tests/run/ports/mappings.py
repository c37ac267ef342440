"""inputMapping: names for one step. outputMapping: variables from its result."""

from __future__ import annotations

from typing import Any

from run.case import Case
from run.expected import ABSENT
from run.ports.words import action, breaks, condition, echo, flow


def _kept(name: str, value: Any, comes: Any) -> Case:
    mapped = {**echo("a", "b", score=7, tags=["p", "q"]), "outputMapping": {"kept": value}}
    read = echo("b", v="{{kept}}")
    return Case(
        f"outputMapping: {name}",
        flow(mapped, read),
        output={} if comes is ABSENT else {"v": comes},
        view={"variables.kept": comes},
    )


MAPPINGS: tuple[Case, ...] = (
    Case(
        "inputMapping gives names",
        flow({**echo("a", v="{{customer.name}}"), "inputMapping": {"customer": "{{workflow.input.person}}"}}),
        {"person": {"name": "ann"}},
        output={"v": "ann"},
        view={"variables.customer": ABSENT},
    ),
    Case(
        "inputMapping keeps types, and text around",
        flow({**echo("a", n="{{n}}", t="{{t}}"), "inputMapping": {"n": "{{input.n}}", "t": "no. {{input.n}}"}}),
        {"n": 5},
        output={"n": 5, "t": "no. 5"},
    ),
    Case(
        "inputMapping before the root, in its own step only",
        flow(
            {**echo("a", "b", x="{{x}}"), "inputMapping": {"x": "{{ 'local' }}"}},
            echo("b", first="{{steps.a.output.data.x}}", x="{{x}}"),
        ),
        {"x": "root"},
        output={"first": "local", "x": "root"},
        view={"variables.x": "root"},
    ),
    Case(
        "inputMapping in a condition",
        flow(
            {**condition("{{score}} > 0.7"), "inputMapping": {"score": "{{input.risk.score}}"}}, echo("yes"), echo("no")
        ),
        {"risk": {"score": 0.8}},
        ran=("gate", "yes"),
    ),
    Case(
        "inputMapping from the step before",
        flow(echo("a", "b", n=2), {**echo("b", v="{{twice}}"), "inputMapping": {"twice": "{{lastOutput.data.n * 2}}"}}),
        output={"v": 4},
    ),
    Case(
        "a name that inputMapping found nothing for is looked up on",
        flow({**echo("a", v="{{x ?? 'nothing'}}"), "inputMapping": {"y": "{{input.nobody}}"}}),
        {"x": 1},
        output={"v": 1},
    ),
    _kept("a path over data", "data.score", 7),
    _kept("a path over result", "result.score", 7),
    _kept("a path over output", "output.data.score", 7),
    _kept("a path into an array", "data.tags[1]", "q"),
    _kept("all of data", "data", {"score": 7, "tags": ["p", "q"]}),
    _kept("the envelope", "output", {"type": "action", "data": {"score": 7, "tags": ["p", "q"]}}),
    _kept("a template", "{{data.score + 1}}", 8),
    _kept("a template over output", "{{ output.data.tags|join('-') }}", "p-q"),
    _kept("a template in text", "score {{result.score}}!", "score 7!"),
    _kept("nothing there", "data.nobody", ABSENT),
    Case(
        "outputMapping reads other variables too",
        flow({**echo("a", n=2), "outputMapping": {"sum": "{{ data.n + input.n }}"}}),
        {"n": 3},
        view={"variables.sum": 5},
    ),
    Case(
        "outputMapping over a config variable",
        flow(
            {**echo("a", "b", n=2), "outputMapping": {"n": "data.n"}},
            echo("b", n="{{n}}", c="{{config.n}}"),
            variables={"n": 1},
        ),
        output={"n": 2, "c": 1},
    ),
    Case(
        "outputMapping of a condition",
        flow({**condition("{{x}} > 1"), "outputMapping": {"passed": "data"}}, echo("yes", v="{{passed}}"), echo("no")),
        {"x": 2},
        output={"v": True},
    ),
    Case(
        "outputMapping with the meta of a result",
        flow(
            {
                **action("a", "leave", {"data": 1, "meta": {"source": "shop"}}, "b"),
                "outputMapping": {"source": "output.meta.source"},
            },
            echo("b", v="{{source}}"),
        ),
        output={"v": "shop"},
    ),
    Case(
        "outputMapping does not change the output",
        flow({**echo("a", n=2), "outputMapping": {"n": "data.n"}}),
        output={"n": 2},
        view={"variables.lastOutput": {"type": "action", "data": {"n": 2}}},
    ),
    Case(
        "outputMapping does nothing where its step fails",
        flow({**breaks(leads={"error": "b"}), "outputMapping": {"kept": "data"}}, echo("b", v="{{kept ?? 'nothing'}}")),
        output={"v": "nothing"},
    ),
    Case(
        "outputMapping from a variable, by its path",
        flow(
            {
                **echo("a", "b", score=7),
                "outputMapping": {"x": "variables.n", "y": "variables['n']", "z": "variables.nobody"},
            },
            echo("b", x="{{x}}", y="{{y}}", z="{{z}}"),
            variables={"n": 5},
        ),
        output={"x": 5, "y": 5},
        view={"variables.z": ABSENT},
    ),
    Case(
        "outputMapping from a result that has a key variables",
        flow(
            {**echo("a", "b", variables={"m": 1}), "outputMapping": {"x": "variables.m", "y": "variables.n"}},
            echo("b", x="{{x}}", y="{{y}}"),
            variables={"n": 5},
        ),
        output={"x": 1},
    ),
    Case(
        "outputMapping from variables, of an input that has a key variables",
        flow(
            {**echo("a", "b", score=7), "outputMapping": {"x": "variables.n"}},
            echo("b", x="{{x}}"),
            variables={"n": 5},
        ),
        {"variables": {"n": 6}},
        output={"x": 6},
    ),
    Case(
        "inputMapping from a variable, by its path",
        flow(
            {**echo("a", x="{{x}}", y="{{y}}"), "inputMapping": {"x": "variables.n", "y": "variables"}},
            variables={"n": 5},
        ),
        output={"x": 5, "y": "variables"},
    ),
    Case("mappings that are empty", flow({**echo("a", n=1), "inputMapping": {}, "outputMapping": {}}), output={"n": 1}),
)
