"""IF_ELSE and SWITCH: nodes that choose a branch. What they compare are names of their own, so that no text becomes source."""

from __future__ import annotations

from typing import Final

from perdure.dialects.fields import Fields
from perdure.dialects.graph.document import Node
from perdure.dialects.graph.templates import expression, field, template
from perdure.dialects.values import constants, note
from perdure.expressions.wording import shown
from perdure.model.steps import Compute, Condition, Step
from perdure.model.values import Expression, Json, Text, Value

_EQUAL: Final = (
    "(local.field == null || local.value == null ? local.field == local.value"
    " : local.fieldText.toLowerCase() == local.valueText.toLowerCase())"
)
"""Compared as strings, ignoring case. A missing or null field equals null only, and never an empty string."""

_EXISTS: Final = "(local.field != null && local.field !== '')"


def _item_equals(side: str) -> str:
    """Compare `item` of an array with `local.field` or `local.value`, by the rules of `_EQUAL`."""
    own, text = f"local.{side}", f"local.{side}Text"
    return f"(item == null || {own} == null ? item == {own} : (item|string|lower) == {text}.toLowerCase())"


_TESTS: Final = {
    "exists": _EXISTS,
    "not_exists": f"!{_EXISTS}",
    "eq": _EQUAL,
    "neq": f"!{_EQUAL}",
    "contains": (
        f"Array.isArray(local.field) ? local.field.some(item => {_item_equals('value')})"
        " : local.field != null && local.value != null"
        " && local.fieldText.toLowerCase().includes(local.valueText.toLowerCase())"
    ),
    "in": (
        "(Array.isArray(local.value) ? local.value : local.valueText.split(',').map(item => item.trim()))"
        f".some(item => {_item_equals('field')})"
    ),
}
_ORDERS: Final = {"gt": ">", "gte": ">=", "lt": "<", "lte": "<="}
OPERATORS: Final = ("exists", "not_exists", "eq", "neq", "gt", "gte", "lt", "lte", "contains", "in")


def if_else(node: Node, data: Fields) -> Step:
    """Branch `true` or `false`."""
    if data.has("condition") and data.has("expression"):
        data.problem("contradiction", "condition", "give 'condition' or 'expression', not both")
    condition = data.within("condition")
    if isinstance(data.given.get("condition"), dict):
        return _compared(node, condition)
    source = data.text("expression")
    if source is not None:
        test = expression(source, data.at("expression"), data.faults, step=node.id)
        return Step(node.id, Condition(Expression(note(source, f"!!({test.source})", data.faults))))
    if not data.has("expression") and not data.has("condition"):
        data.faults.warning(
            "no_condition", node.path, "without 'condition' and 'expression' the branch is 'true'", step=node.id
        )
    return Step(node.id, Condition(Expression("true")))


def switch(node: Node, data: Fields) -> Step:
    """The branch is the output of the case that fits, else `default`; without one, the path ends. A missing or null value fits no
    case.
    """
    source = data.text("expression", required=True)
    key: Value = Expression("undefined")
    if source is not None:
        key = expression(source, data.at("expression"), data.faults, step=node.id)
    names = constants(value=key, key=Text((key,)), cases=_cases(data), default=data.word("default"))
    choice = Expression("local.value != null && local.key in local.cases ? local.cases[local.key] : local.default")
    return Step(node.id, Compute(choice), locals=names, ports=(Expression("output"),))


def switch_outputs(data: Fields) -> set[str]:
    """Every output that it can lead by."""
    cases = data.given.get("cases")
    outputs = [*(cases.values() if isinstance(cases, dict) else ()), data.given.get("default")]
    return {output for output in outputs if isinstance(output, str)}


def _cases(data: Fields) -> dict[str, Json]:
    cases = data.within("cases", required=True)
    for case in cases.given:
        cases.word(case, required=True)
    return cases.given


def _compared(node: Node, condition: Fields) -> Step:
    faults = condition.faults
    faults.unknown_keys(condition.given, ("field", "operator", "value"), condition.path, step=node.id)
    named = condition.text("field", required=True)
    if not condition.has("operator"):
        condition.missing("operator")
    operator = condition.choice("operator", OPERATORS, "exists")
    if operator not in {"exists", "not_exists"} and "value" not in condition.given:
        faults.problem(
            "missing_field", condition.path, f"{shown(operator)} needs a 'value'", step=node.id, field="value"
        )
    left: Value = Expression("undefined")
    if named is not None:
        left = field(named, condition.at("field"), faults, step=node.id)
    right = template(condition.given.get("value"), condition.at("value"), faults, step=node.id)
    names = constants(field=left, value=right, fieldText=Text((left,)), valueText=Text((right,)))
    return Step(node.id, Condition(Expression(_test(operator))), locals=names)


def _test(operator: str) -> str:
    """Compare numbers and numeric strings as numbers, other strings as strings. A missing field has no order, and an empty string
    is not the number 0.
    """
    sign = _ORDERS.get(operator)
    if sign is None:
        return _TESTS[operator]
    left, right = (f"(isFinite(local.{side}) && local.{side}Text.trim() !== '')" for side in ("field", "value"))
    return (
        f"local.field != null && local.value != null && ({left} && {right}"
        f" ? Number(local.field) {sign} Number(local.value)"
        f" : !{left} && !{right} && local.fieldText {sign} local.valueText)"
    )
