"""Whatever is sent, compiling it never raises, and what it accepts is a model that can run."""

from __future__ import annotations

import json
import random
from contextlib import suppress
from copy import deepcopy
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dialects.words import KNOWN, edges, graph, node
from perdure import dialects
from perdure.core.program import Program
from perdure.dialects import BadDocument, Compiled, located, read
from perdure.expressions.language import compile_value
from perdure.model import codec
from perdure.model.values import Json
from perdure.testing.script import Fixed
from perdure.testing.world import World

SLOW = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True)
KEYS = (
    *("nodes", "connections", "settings", "name", "id", "type", "data", "join", "retry", "timeout", "dialect", "steps"),
    *("fromNodeId", "toNodeId", "fromOutput", "toInput", "values", "condition", "field", "operator", "value", "cases"),
    *("expression", "amount", "unit", "timestamp", "variableName", "endpoint", "workflowId", "maxNodes", "stepId", ""),
    *("approverRole", "dueDate", "onTimeout", "escalateTo", "votesRequired", "priority", "resourceId", "member"),
)
TEXTS = (
    *(
        "a",
        "b",
        "start",
        "SET",
        "IF_ELSE",
        "SWITCH",
        "WAIT",
        "WAIT_UNTIL",
        "HTTP_REQUEST",
        "RUN_WORKFLOW",
        "CODE",
        "APPROVAL",
    ),
    *("MANUAL_TRIGGER", "WORKFLOW_TRIGGER", "MERGE", "WORK", "graph", "{{a}}", "{{", "}}", "{{a.b|upper}} x", "x > 1"),
    *("{{secrets.KEY}}", "{{1 +}}", "'", "\\", "eq", "in", "main", "true", "hours", "PT5M", "1970-01-01", "\U0001f600"),
)
written = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=4)
leaves = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-5, 100),
    st.floats(allow_nan=False, allow_infinity=False),
    st.sampled_from(TEXTS),
    written,
)
values = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4), st.dictionaries(st.sampled_from(KEYS) | written, inner, max_size=5)
    ),
    max_leaves=25,
)


def judged(compiled: Compiled) -> None:
    assert (compiled.workflow is None) == bool(compiled.problems)
    for problem in (*compiled.problems, *compiled.warnings):
        assert problem.type
        assert problem.message
        assert problem.type != "invalid_model", "the dialect has to say it, in the author's words"
    if compiled.workflow is not None:
        Program(compiled.workflow, compile_value)
        assert codec.decode(codec.encode(compiled.workflow)) == compiled.workflow


@SLOW
@given(values)
def test_any_value_is_compiled_or_refused(value: Json) -> None:
    judged(dialects.compile(value, KNOWN))
    dialects.requirements(value)


@SLOW
@given(st.lists(values, max_size=4), st.lists(values, max_size=4), values)
def test_any_lists_of_nodes_and_connections_are_compiled_or_refused(nodes: Json, connections: Json, more: Json) -> None:
    document = {"nodes": nodes, "connections": connections, "settings": more}
    judged(dialects.compile(document, KNOWN))
    dialects.requirements(document)


@SLOW
@given(st.lists(st.tuples(st.sampled_from(TEXTS), values), max_size=6), values)
def test_nodes_of_every_type_with_any_data_are_compiled_or_refused(nodes: list[tuple[str, Json]], more: Json) -> None:
    made = [{"id": f"n{n}", "type": type_, "data": data} for n, (type_, data) in enumerate(nodes)]
    joined = [{"fromNodeId": f"n{n}", "toNodeId": f"n{n + 1}", "toInput": "x"} for n in range(len(made) - 1)]
    judged(dialects.compile({"nodes": made, "connections": joined, "name": more}, KNOWN))


@SLOW
@given(st.binary(max_size=60))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    for text in (data, b'{"nodes": ' + data + b"}"):
        with suppress(BadDocument):
            document = read(text)
            located(dialects.compile(document.value).problems, document)


@SLOW
@given(values)
def test_what_is_written_is_read_and_every_problem_has_a_line(value: Json) -> None:
    document = read(json.dumps(value, indent=1))
    for problem in located(dialects.compile(document.value).problems, document):
        assert problem.line is not None


GOOD = graph(
    node("a", "SET", {"values": {"x": "{{n + 1}}"}}),
    node("b", "IF_ELSE", {"condition": {"field": "x", "operator": "gt", "value": 1}}),
    node("c", "SWITCH", {"expression": "x", "cases": {"1": "one"}, "default": "rest"}),
    node("d", "WAIT", {"amount": 1, "unit": "minutes", "label": "x"}),
    node("e", "WAIT_UNTIL", {"timestamp": "1970-01-02"}),
    node("f", "HTTP_REQUEST", {"variableName": "r", "endpoint": "https://x", "headers": {"a": "{{x}}"}}, timeout=5),
    node("g", "RUN_WORKFLOW", {"workflowId": "graph", "input": {"n": "{{x}}"}, "wait": True, "variableName": "y"}),
    node("h", "WORK", {"k": ["{{secrets.KEY}}"]}, retry={"maxAttempts": 2, "delay": 5}, join="any"),
    node("i", "CODE", {"code": "export default () => 1", "variableName": "z"}),
    node(
        "j", "APPROVAL", {"approverRole": "r", "dueDate": "P1D", "onTimeout": "escalate", "escalateTo": {"role": "s"}}
    ),
    "start > a",
    "a > b",
    "b.true > c",
    "b.false > d",
    "c.one > e",
    "c.rest > f",
    "d > h:left",
    "e > h:right",
    "f > g",
    "g > i",
    "i > a",
    "b.true > j",
    "j.approved > h",
    settings={"maxNodes": 20, "strict": False},
)


def places(part: Json, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    inside = part.items() if isinstance(part, dict) else enumerate(part) if isinstance(part, list) else ()
    return [path, *(found for key, each in inside for found in places(each, (*path, key)))]


def changed(seed: int) -> Json:
    """The good document, with something in it replaced or removed."""
    chance = random.Random(seed)
    document = deepcopy(GOOD)
    for _ in range(chance.randint(1, 2)):
        *path, last = chance.choice(places(document)[1:])
        part: Any = document
        for key in path:
            part = part[key]
        if chance.random() < 0.3:
            del part[last]
        else:
            part[last] = chance.choice((*TEXTS, None, 0, -1, 2.5, True, [], {}, [1], {"a": "{{b}}"}, edges("a > b")))
    return document


@pytest.mark.parametrize("seed", range(300))
def test_a_good_document_with_something_changed_is_compiled_or_refused_and_runs(seed: int) -> None:
    document = changed(seed)
    compiled = dialects.compile(document, KNOWN)
    judged(compiled)
    dialects.requirements(document)
    if compiled.workflow is not None:
        world = World(compile_value, Fixed())
        world.start(compiled.workflow, {"n": seed % 4})
        world.run()
        row = world.store.rows["main"]
        dialects.view("graph", dialects.Seen(row.record, tuple(row.facts), compiled.workflow))


def test_of_the_changed_documents_many_are_refused_and_many_run() -> None:
    refused = sum(dialects.compile(changed(seed), KNOWN).workflow is None for seed in range(300))
    assert 100 < refused < 250
