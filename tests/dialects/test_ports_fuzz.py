"""Whatever a ports document holds, compiling it never raises, and what it accepts is a model that can run and be shown."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialects.changing import changes_are_judged
from dialects.test_fuzz import SLOW, judged, leaves, written
from dialects.words import KNOWN
from perdure import dialects
from perdure.model.values import Json

EXAMPLES: Final = sorted((Path(__file__).parent.parent.parent / "examples" / "ports").glob("*.json"))
TYPES: Final = ("trigger", "llm", "condition", "approval", "action", "loop", "output", "start", "human")
KEYS: Final = (
    *(
        "type",
        "name",
        "expr",
        "expression",
        "items",
        "collection",
        "batchSize",
        "maxIterations",
        "itemVariable",
        "loop",
    ),
    *(
        "parameters",
        "variables",
        "mapping",
        "approverRole",
        "dueDate",
        "onTimeout",
        "schedule",
        "every",
        "event",
        "tools",
    ),
    *(
        "systemPrompt",
        "prompt",
        "outputFormat",
        "outputSchema",
        "tokenBudget",
        "threadId",
        "workflowId",
        "connectionId",
    ),
    *("success", "default", "true", "onApprove", "error", "done", "retryPolicy", "timeout", "llmNode", "condition"),
)
TEXTS: Final = (
    *(
        "s0",
        "s1",
        "s2",
        "end",
        "complete",
        "manual",
        "schedule",
        "event",
        "webhook",
        "log",
        "set_variables",
        "workflow",
    ),
    *(
        "{{ steps.s0.output.data }}",
        "{{ lastOutput }}",
        "{{ steps }}",
        "{{ loop.parent.item }}",
        "{{ workflow }}",
        "{{ a.b }}",
    ),
    *(
        "'{{ a }}' == 'b'",
        "{{ a }} > 1 || b",
        "{{ now + 1 }}",
        "{{ secrets.KEY }}",
        "0 9 * * *",
        "P3D",
        "json",
        "mcp",
        "http",
    ),
)
values = st.recursive(
    leaves | st.sampled_from(TEXTS),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.sampled_from(KEYS) | written, inner, max_size=4)
    ),
    max_leaves=12,
)
step = st.tuples(st.sampled_from(TYPES), values, values, values, values)


@SLOW
@given(st.lists(step, max_size=4), values, values)
def test_steps_of_every_type_with_anything_in_them_are_compiled_or_refused(
    steps: Any, config: Json, triggers: Json
) -> None:
    made = [
        {
            "stepSlug": f"s{number}",
            "stepType": type_,
            "config": given_,
            "nextSteps": ports,
            "inputMapping": names,
            "outputMapping": mapping,
        }
        for number, (type_, given_, ports, names, mapping) in enumerate(steps)
    ]
    document = {"name": "any", "steps": made, "config": config, "triggers": triggers}
    judged(dialects.compile(document, KNOWN))
    dialects.requirements(document)


@SLOW
@given(values, values, values)
def test_a_document_of_any_shape_is_compiled_or_refused(first: Json, second: Json, more: Json) -> None:
    for document in (
        {"workflowConfig": first, "stepsConfig": second, "input": more},
        {"workflow": first, "steps": [{"stepSlug": second}, more]},
        [first, [{"stepSlug": second}, more]],
        {"steps": {"a": first, "b": second, "c": {"stepSlug": "c"}}, "status": more},
    ):
        judged(dialects.compile(document, KNOWN))
        dialects.requirements(document)
        dialects.started_with(document)


@pytest.mark.parametrize("file", EXAMPLES, ids=lambda file: file.stem)
def test_an_example_with_something_changed_is_compiled_or_refused(file: Path) -> None:
    changes_are_judged(file.stem, json.loads(file.read_text()), ("{{ x }}", "{{", *TEXTS), "ports")
