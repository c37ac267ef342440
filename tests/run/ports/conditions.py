"""Conditions: templates as operands, bare expressions, and what is true."""

from __future__ import annotations

from typing import Any

from run.case import Case
from run.ports.words import condition, echo, flow, step

BRANCHES = (echo("yes"), echo("no"))


def _holds(name: str, expression: str, given: Any, holds: bool) -> Case:
    return Case(
        f"condition: {name}",
        flow(condition(expression), *BRANCHES),
        given,
        ran=("gate", "yes" if holds else "no"),
        view={"variables.steps.gate.output": {"type": "condition", "data": holds, "meta": {"expression": expression}}},
    )


THREE_BRACES = (
    _holds("three braces", "{{{n}}} > 3", {"n": 5}, True),
    _holds("three braces with a path", "{{{o.n}}} == {{ n }}", {"n": 5, "o": {"n": 4}}, False),
    _holds("a line break in a text", "{{ t }} == 'a\nb'", {"t": "a\nb"}, True),
    _holds("a date that is not there", "{{ at }}|isAfter(now)", {}, False),
)


def _fails(name: str, expression: str, given: Any) -> Case:
    return Case(
        f"condition: {name} fails",
        flow(condition(expression), *BRANCHES),
        given,
        exit=1,
        ran=(),
        says=("gate",),
    )


CONDITIONS: tuple[Case, ...] = (
    *THREE_BRACES,
    _holds("a template is an operand", "{{status}} == 'active'", {"status": "active"}, True),
    _holds("and not pasted text", "{{status}} == 'active'", {"status": "x' || 'active' == 'active"}, False),
    _holds("of numbers", "{{score}} > 0.7", {"score": 0.8}, True),
    _holds("of numbers that are not", "{{score}} > 0.7", {"score": 0.7}, False),
    _holds("two templates", "{{a}} === {{b}}", {"a": [1][0], "b": 1}, True),
    _holds("a bare expression", "score > 0.7 && status == 'active'", {"score": 1, "status": "active"}, True),
    _holds(
        "all of it in one template", "{{ score > 0.7 && status == 'active' }}", {"score": 1, "status": "idle"}, False
    ),
    _holds("an operand with an operator of its own", "{{a || b}} && {{c}}", {"a": True, "c": False}, False),
    _holds("a boolean", "{{flag}}", {"flag": True}, True),
    _holds("null", "{{flag}}", {"flag": None}, False),
    _holds("what is not there", "{{flag}}", {}, False),
    _holds("&& of a text", "{{a}} && {{b}}", {"a": "x", "b": "y"}, True),
    _holds("|| of nothing", "{{a}} || {{b}}", {"a": "", "b": 0}, False),
    _holds("!", "!{{a}}", {"a": "x"}, False),
    _holds("! of what is not there", "!{{a.b.c}}", {}, True),
    _holds("in an array", "{{status}} in ['active', 'new']", {"status": "new"}, True),
    _holds("a pipe inside", "{{items|length}} > 2", {"items": [1, 2, 3]}, True),
    _holds("a pipe outside", "{{status}}|lower == 'active'", {"status": "ACTIVE"}, True),
    _holds("a bare pipe", "status|lower == 'active'", {"status": "Active"}, True),
    _holds("a method", "{{items}}.includes(2)", {"items": [1, 2]}, True),
    _holds("an operand in quotes", "'{{status}}' == 'active'", {"status": "active"}, True),
    _holds("a literal", "true", {}, True),
    _fails("a number", "{{x}}", {"x": 5}),
    _fails("zero", "{{x}}", {"x": 0}),
    _fails("a text", "{{x}}", {"x": "true"}),
    _fails("an object", "{{x}}", {"x": {}}),
    _fails("a sum", "{{x}} + 1", {"x": 1}),
    _fails("a ternary that is a number", "x ? 1 : 0", {"x": True}),
    Case(
        "condition: expression is expr",
        flow(step("gate", "condition", {"expression": "{{x}} > 1"}, {"true": "yes", "false": "no"}), *BRANCHES),
        {"x": 1},
        ran=("gate", "no"),
    ),
    Case(
        "condition: over what a step came to",
        flow(echo("a", "gate", churn_risk_score=0.9), condition("{{churn_risk_score}} > 0.7"), *BRANCHES),
        ran=("a", "gate", "yes"),
    ),
    Case(
        "condition: says what it came to instead",
        flow(condition("{{x}}"), *BRANCHES),
        {"x": 5},
        exit=1,
        says=("true or false", "5"),
    ),
)
