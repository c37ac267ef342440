"""A document of very much of something that is small: each is bounded, and so are all of them together."""

from __future__ import annotations

import time
from typing import Any

import pytest

from perdure import dialects
from perdure.dialects import transforms
from perdure.expressions import ready as expressions
from perdure.expressions.ready import SOURCE_WORK, remembered

CODE = "interface Output { b: string }\nexport default ({ a }: Input): Output => ({ b: 'x' })"
ALTERNATIVES = " & ".join(f"({{a{number}: 1}} | {{a{number}: 2}})" for number in range(16))
"""Sixteen times one of two: 65,536 objects."""


def graph(values: dict[str, str]) -> dict[str, Any]:
    return {
        "name": "much",
        "nodes": [{"id": "start", "type": "MANUAL_TRIGGER"}, {"id": "set", "type": "SET", "data": {"values": values}}],
        "connections": [{"fromNodeId": "start", "toNodeId": "set"}],
    }


def phases(*codes: str) -> dict[str, Any]:
    steps = [{"name": f"t{number}", "transform": code, "input": {"a": "x"}} for number, code in enumerate(codes)]
    return {"name": "much", "steps": [steps]}


def test_each_expression_of_a_document_is_read_once_however_many_there_are() -> None:
    """More of them than are remembered beyond a document."""
    count = 2_000
    before = remembered.cache_info().misses
    compiled = dialects.compile(graph({f"z{number}": f"{{{{a{number} + b}}}}" for number in range(count)}))
    assert compiled.problems == ()
    sources = 2  # as it was written, and with the names of the model
    assert remembered.cache_info().misses - before <= sources * count + 10


def test_too_many_expressions_are_refused_with_the_limit_and_how_many_it_would_be(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(expressions, "WORK_MAX", 10_000)
    document = graph({f"z{number}": f"{{{{a{number} + b}}}}" for number in range(1_000)})
    before = remembered.cache_info().misses
    for _ in range(2):  # what was remembered of the first time changes nothing
        compiled = dialects.compile(document)
        (problem,) = compiled.problems
        assert compiled.workflow is None
        assert problem.type == "too_large"
        assert isinstance(problem.actual, int)
        assert problem.actual > 1_000 * SOURCE_WORK
        assert f"{problem.actual:,}" in problem.message
        assert problem.expected == 10_000
    assert remembered.cache_info().misses - before < 10_000 / SOURCE_WORK * 2


@pytest.mark.parametrize("dialect", ["graph", "ports", "orchestration", "phases"])
def test_in_every_dialect_nothing_is_raised_where_it_is_too_much(dialect: str, monkeypatch: pytest.MonkeyPatch) -> None:
    documents: dict[str, dict[str, Any]] = {
        "graph": graph({"a": "{{b + 1}}", "c": "{{d}} and {{e}}"}),
        "ports": {
            "workflow_id": "w",
            "name": "w",
            "steps": [{"id": "s", "type": "task", "task": "log", "config": {"message": "{{a.b + 1}}"}}],
        },
        "orchestration": {
            "id": "w",
            "name": "w",
            "version": "1.0.0",
            "steps": [{"id": "s", "type": "task", "task": "log", "input": {"message": "${input.a + 1}"}}],
        },
        "phases": {
            "name": "w",
            "steps": [
                [{"name": "s", "tool": {"connectionId": "local", "toolName": "log"}, "input": {"a": "@input.b"}}]
            ],
        },
    }
    for most in (0, 40, 80, 120):
        monkeypatch.setattr(expressions, "WORK_MAX", most)
        dialects.compile(documents[dialect], dialect=dialect if dialect != "ports" else None)


def test_too_much_typescript_is_refused_where_it_becomes_too_much(monkeypatch: pytest.MonkeyPatch) -> None:
    code = f"interface Input {{ a: string }}\n{CODE}"
    monkeypatch.setattr(transforms, "WORK_MAX", 3 * len(code))
    (problem,) = dialects.compile(phases(*(f"{code} // {number}" for number in range(50)))).problems
    assert problem.path == "/steps/0/2/transform"
    assert f"{3 * len(code):,} is the most that is taken in a document" in problem.message


def test_types_that_are_much_to_compare_take_no_longer_than_a_document_may() -> None:
    code = f"type T = {ALTERNATIVES};\ninterface Input {{ a: T }}\n{CODE}"

    def seconds(count: int) -> float:
        began = time.process_time()
        found = dialects.compile(phases(*(f"{code} // {number}" for number in range(count))))
        assert found.problems == ()
        assert any("comparing the types of this document takes too long" in each.message for each in found.warnings)
        return time.process_time() - began

    assert seconds(60) < 20 * seconds(5)
