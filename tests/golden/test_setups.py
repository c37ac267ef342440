"""Setups that dialects write into the model have the fields that the golden names hold, and no others."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from golden.collection import STORED
from perdure import dialects
from perdure.model import executors
from perdure.model.codec import decode, encode
from perdure.model.steps import Task

ENTRIES = [{"name": "first", "value": "{{ input.a }}", "secure": True}]
SEALS = {
    "name": "seals",
    "steps": [
        {
            "stepSlug": "s",
            "stepType": "action",
            "config": {"type": "set_variables", "parameters": {"variables": ENTRIES}},
        }
    ],
}
CODE = {"code": "export default () => 1", "variableName": "x", "timeout": 500}
TRANSFORMS = {
    "name": "transforms",
    "nodes": [{"id": "start", "type": "MANUAL_TRIGGER"}, {"id": "run", "type": "CODE", "data": CODE}],
    "connections": [{"fromNodeId": "start", "toNodeId": "run"}],
}


@pytest.mark.parametrize(
    ("task", "document", "values"),
    [
        (executors.SEAL, SEALS, {"step": "s", "names": ["first"]}),
        (executors.TRANSFORM, TRANSFORMS, {"timeoutMs": 500}),
    ],
)
def test_setups_have_the_fields_that_the_golden_names_hold(
    task: str, document: dict[str, Any], values: dict[str, Any]
) -> None:
    compiled = dialects.compile(document)
    assert compiled.workflow is not None, compiled.problems
    stored = decode(encode(compiled.workflow))

    (setup,) = [step.work.setup for step in stored.steps if isinstance(step.work, Task) and step.work.task == task]

    assert isinstance(setup, dict)
    assert set(setup) == {field.encode_name for field in msgspec.structs.fields(STORED[f"setup of {task}"])}
    assert values.items() <= setup.items()
