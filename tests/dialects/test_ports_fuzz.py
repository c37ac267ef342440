"""Whatever a ports document holds, compiling it never raises, and what it accepts is a model that can run and be shown."""

from __future__ import annotations

import json
import random
from copy import deepcopy
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialects.test_fuzz import SLOW, judged, leaves, written
from dialects.words import KNOWN
from perdure import dialects
from perdure.dialects import Seen
from perdure.expressions.language import compile_value
from perdure.model.values import Json
from perdure.testing.script import Fixed
from perdure.testing.world import World

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
    chance, good = random.Random(file.stem), json.loads(file.read_text())
    for _ in range(150):
        document = deepcopy(good)
        for _ in range(chance.randint(1, 3)):
            _change(document, chance)
        compiled = dialects.compile(document, KNOWN)
        judged(compiled)
        dialects.requirements(document)
        if compiled.workflow is not None and chance.random() < 0.2:
            _seen(compiled.workflow, document)


def _change(document: Json, chance: random.Random) -> None:
    """Somewhere in it, something else, or nothing, or a key under another name."""
    held: Json = document
    while isinstance(held, dict | list) and held:
        key = chance.choice(list(held) if isinstance(held, dict) else range(len(held)))
        if not isinstance(held[key], dict | list) or not held[key] or chance.random() < 0.25:
            break
        held = held[key]
    if not isinstance(held, dict | list) or not held:
        return
    match chance.randrange(3):
        case 0:
            held[key] = chance.choice([None, 1, -1, True, "", "{{ x }}", "{{", [], {}, [1], {"a": 1}, *TEXTS])
        case 1:
            del held[key]
        case _:
            if isinstance(held, dict):
                held[f"{key}x"] = held.pop(key)


def _seen(workflow: Any, document: Json) -> None:
    """It can be run, and shown however it stands."""
    world = World(compile_value, Fixed())
    world.start(workflow, {"items": [1, 2], "amount": 1})
    world.run()
    row = world.store.rows["main"]
    seen = Seen(row.record, tuple(row.facts), workflow, document, "1")
    json.dumps(dialects.view("ports", seen))
    for each in workflow.steps[:3]:
        json.dumps(dialects.step_view("ports", seen, each.id))
