"""APPROVAL: a node that asks people and leads on by `approved` or `rejected`. Its data is that of an approval step of `ports`."""

from __future__ import annotations

from typing import Final

from perdure.dialects.approvals import KEYS, read_approval
from perdure.dialects.fields import Fields
from perdure.dialects.graph.built import Built, Surroundings, of_step, variable_name
from perdure.dialects.graph.document import Node
from perdure.dialects.graph.templates import CONTEXT, template
from perdure.dialects.values import constants, quoted
from perdure.model.steps import Step
from perdure.model.values import Expression, Value

_KEYS: Final = ("variableName", *KEYS, "label")


def approval(node: Node, data: Fields, around: Surroundings) -> Built:
    """`context[variableName] = {approvalId, status, decision, comments, submittedData, modifiedData?, decidedBy}`."""
    around.faults.unknown_keys(data.given, _KEYS, data.path, step=node.id, only_near=True)
    name = variable_name(data)
    work = read_approval(data, _value, Expression(CONTEXT))
    step = Step(node.id, work, assign=None if name is None else constants(**{name: Expression("output")}))
    wrote = "{}" if name is None else f"{{{quoted(name)}: {of_step(node.id, 'output')}}}"
    return Built(step, frozenset({"approved", "rejected"}), wrote=wrote, took=of_step(node.id, "port"))


def _value(data: Fields, key: str) -> Value:
    return template(data.given.get(key), data.at(key), data.faults, step=data.step)
