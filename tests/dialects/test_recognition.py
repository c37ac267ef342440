"""Which dialect a document is in, and an honest word about those that cannot be run yet."""

from __future__ import annotations

import pytest

from perdure import dialects
from perdure.dialects import DIALECTS, Requirements, recognise
from perdure.dialects.recognition import DIALECT_NAMES
from perdure.model.problem import Problem
from perdure.model.values import Json

DOCUMENTS: list[tuple[str, Json]] = [
    ("graph", {"nodes": [], "connections": []}),
    ("graph", {"name": "x", "nodes": None, "connections": None, "settings": {}}),
    ("ports", {"steps": [{"stepSlug": "a"}]}),
    ("ports", {"workflowConfig": {"name": "x"}, "stepsConfig": [{"stepSlug": "a"}]}),
    ("ports", {"steps": [{"name": "no slug"}, {"stepSlug": "a"}]}),
    ("orchestration", {"steps": [{"stepId": "a"}]}),
    ("orchestration", {"steps": {"a": {"stepId": "a"}}}),
    ("phases", {"steps": [[{"name": "a"}], [{"name": "b"}]]}),
    ("phases", {"steps": [[]]}),
]


@pytest.mark.parametrize(("name", "value"), DOCUMENTS)
def test_a_document_is_known_by_its_keys(name: str, value: Json) -> None:
    assert recognise(value) == name


@pytest.mark.parametrize("name", DIALECT_NAMES)
def test_what_the_document_says_of_itself_wins(name: str) -> None:
    for _, value in DOCUMENTS:
        assert recognise({**value, "dialect": name}) == name
        assert recognise(value, name) == name


def test_all_dialects_are_known_and_graph_is_there() -> None:
    assert set(DIALECT_NAMES) == {"ports", "orchestration", "phases", "graph"}
    assert "graph" in [dialect.name for dialect in DIALECTS]


@pytest.mark.parametrize(
    ("value", "type_", "words"),
    [
        ({}, "unknown_dialect", ("'nodes' and 'connections' (graph)", "'stepSlug'", "'stepId'", "list of lists")),
        ({"nodes": []}, "unknown_dialect", ("the keys are 'nodes'",)),
        ({"steps": []}, "unknown_dialect", ("'steps'",)),
        ({"steps": [[], {"name": "x"}]}, "unknown_dialect", ()),
        ({"steps": "many"}, "unknown_dialect", ()),
        (
            {"steps": [{"stepId": "a", "stepSlug": "a"}]},
            "ambiguous_dialect",
            ("(ports)", "(orchestration)", '"dialect"'),
        ),
        ({"nodes": [], "connections": [], "steps": [[]]}, "ambiguous_dialect", ("(graph)", "(phases)")),
        ({"dialect": "grpah"}, "unknown_dialect", ("did you mean 'graph'?",)),
        ({"dialect": 7}, "unknown_dialect", ("a number", "ports")),
        ({"dialect": ""}, "unknown_dialect", ("''",)),
        ([], "not_an_object", ("an array",)),
        ("nodes", "not_an_object", ("a text",)),
        (None, "not_an_object", ("null",)),
        (7, "not_an_object", ("a number",)),
    ],
)
def test_what_fits_none_or_two_is_refused_and_the_keys_are_named(
    value: Json, type_: str, words: tuple[str, ...]
) -> None:
    problem = recognise(value)
    assert isinstance(problem, Problem)
    assert problem.type == type_
    assert all(word in problem.message for word in words), problem.message
    compiled = dialects.compile(value)
    assert (compiled.workflow, compiled.problems) == (None, (problem,))
    assert dialects.requirements(value) == Requirements()


def test_every_dialect_that_is_recognised_is_here() -> None:
    assert tuple(dialect.name for dialect in DIALECTS) == DIALECT_NAMES


def test_a_view_in_a_dialect_that_is_not_there_is_an_error_of_the_caller() -> None:
    with pytest.raises(
        ValueError, match="there is no dialect 'klingon' here; there are ports, orchestration, phases, graph"
    ):
        dialects.view("klingon", None)  # type: ignore[arg-type]
