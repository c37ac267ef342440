"""CODE: a transform over the context, by the rules of seed 003. Braces in its code are its own, and no template."""

from __future__ import annotations

from typing import Final

from perdure.dialects.fields import Fields
from perdure.dialects.graph.built import Built, Surroundings, of_step, variable_name
from perdure.dialects.graph.document import Node
from perdure.dialects.graph.policies import retry_of, timeout_of
from perdure.dialects.transforms import read_transform, transform_task
from perdure.dialects.values import constants, quoted
from perdure.model.steps import Step
from perdure.model.values import Expression

_KEYS: Final = ("code", "variableName", "timeout", "retry", "retryPolicy", "label", "description")


def code(node: Node, data: Fields, around: Surroundings) -> Built:
    """`context[variableName]` is what it gives; its input is the context."""
    around.faults.unknown_keys(data.given, _KEYS, data.path, step=node.id, only_near=True)
    name, read = variable_name(data, required=True) or "", read_transform(data, "code")
    if retry_of(node, data) is not None:
        message = "a transform comes to the same each time, and is not tried again; this has no effect"
        around.faults.warning("no_effect", node.path, message, step=node.id, field="retry")
    javascript = "" if read is None else read.javascript
    work = transform_task(javascript, Expression("vars"), timeout_of(node, data), data)
    step = Step(node.id, work, assign=constants(**{name: Expression("output")}), keep_output=False)
    return Built(step, wrote=f"{{{quoted(name)}: {of_step(node.id, 'output')}}}")
