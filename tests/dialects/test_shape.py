"""The shape of a graph document: every fault is told, all at once, with its path and the way out."""

from __future__ import annotations

from collections import Counter

import pytest

from dialects.words import KNOWN, alone, compiled, edges, graph, model, node, run, told, warned
from perdure import dialects
from perdure.core.facts import Warned
from perdure.dialects import Compiled, located, read, registry
from perdure.dialects.faults import PROBLEMS_MAX
from perdure.model import similarity
from perdure.model.problem import Problem
from perdure.model.steps import Compute, Step
from perdure.model.values import Json
from perdure.model.workflow import Workflow


@pytest.mark.parametrize(
    ("document", "path", "type_", "words"),
    [
        ({"nodes": {}, "connections": []}, "/nodes", "wrong_type", "'nodes' must be an array, not an object"),
        ({"nodes": None, "connections": []}, "", "missing_field", "'nodes' is missing"),
        ({"nodes": [], "connections": 7}, "/connections", "wrong_type", "an array, not 7"),
        ({"nodes": ["a"], "connections": []}, "/nodes/0", "wrong_type", "a node is an object, not a text"),
        ({"nodes": [None], "connections": []}, "/nodes/0", "wrong_type", "not null"),
        (graph({"type": "WORK"}), "/nodes/1", "missing_field", "'id' is missing"),
        (graph({"id": "a"}), "/nodes/1", "missing_field", "'type' is missing"),
        (graph({"id": "a", "tpye": "WORK"}), "/nodes/1", "missing_field", "'type' is missing; is 'tpye' meant for it?"),
        (graph({"id": "a", "Type": "WORK"}), "/nodes/1", "missing_field", "is 'Type' meant for it?"),
        (graph({"id": 7, "type": "WORK"}), "/nodes/1/id", "wrong_type", "a text that is not empty, not 7"),
        (graph({"id": "", "type": "WORK"}), "/nodes/1/id", "wrong_type", "not ''"),
        (graph({"id": {"a": []}, "type": "WORK"}), "/nodes/1/id", "wrong_type", "an object"),
        (graph({"id": "a", "type": ["WORK"]}), "/nodes/1/type", "wrong_type", "an array"),
        (graph(node("a", "WORK", "text")), "/nodes/1/data", "wrong_type", "an object, not 'text'"),
        (graph(node("a", name=7)), "/nodes/1/name", "wrong_type", "a text"),
        (graph(node("a", join="some")), "/nodes/1/join", "wrong_type", "one of all, any"),
        (graph(node("a", join=True)), "/nodes/1/join", "wrong_type", "not true"),
        (graph(node("a"), node("a")), "/nodes/2/id", "duplicate_id", "the other one is /nodes/1"),
        (graph(node("alpha"), "start > alhpa"), "/connections/0/toNodeId", "unknown_node", "did you mean 'alpha'?"),
        (graph(node("alpha"), "strat > alpha"), "/connections/0/fromNodeId", "unknown_node", "did you mean 'start'?"),
        ({**graph(), "connections": ["a"]}, "/connections/0", "wrong_type", "a connection is an object, not a text"),
        ({**graph(), "connections": [{}]}, "/connections/0", "missing_field", "'toNodeId' is missing"),
        (
            {**graph(), "connections": [{"fromNodeId": "start", "toNodeId": "start", "fromOutput": 1}]},
            "/connections/0/fromOutput",
            "wrong_type",
            "a text",
        ),
        (graph(name=""), "/name", "wrong_type", "not ''"),
        (graph(settings=[]), "/settings", "wrong_type", "an object, not an array"),
        (graph(settings={"maxNodes": 0}), "/settings/maxNodes", "wrong_type", "a whole number from 1 up, not 0"),
        (graph(settings={"maxNodes": "9"}), "/settings/maxNodes", "wrong_type", "not '9'"),
        (graph(settings={"maxNodes": True}), "/settings/maxNodes", "wrong_type", "not true"),
        (graph(settings={"maxNodes": 1.5}), "/settings/maxNodes", "wrong_type", "not 1.5"),
        (graph(settings={"maxDepth": -1}), "/settings/maxDepth", "wrong_type", "from 0 up"),
        (graph(settings={"sequential": "yes"}), "/settings/sequential", "wrong_type", "true or false, not 'yes'"),
        (graph(settings={"strict": 1}), "/settings/strict", "wrong_type", "true or false, not 1"),
        (graph(settings={"timeout": "soon"}), "/settings/timeout", "wrong_type", "a duration like PT5M, not 'soon'"),
        (graph(settings={"timeout": 0}), "/settings/timeout", "wrong_type", "more than 0"),
        (graph(settings={"retry": 3}), "/settings/retry", "wrong_type", "an object, not 3"),
    ],
)
def test_a_fault_is_told_with_its_path(document: Json, path: str, type_: str, words: str) -> None:
    problem = told({**document, "dialect": "graph"})[path]
    assert problem.type == type_
    assert words in problem.message, problem.message


def test_all_faults_are_told_at_once() -> None:
    document = graph(
        node("a", "SET"),
        node("a", "SWITCH"),
        node("c", "IF_ELSE", {"expression": "1 +"}),
        node("d", "WORK", {"x": "{{ 1 + }}", "y": ["{{", 1]}),
        {"id": 1},
        "a > nobody",
        settings={"maxNodes": "many"},
    )
    assert set(told(document)) == {
        "/nodes/1/data",
        "/nodes/2/id",
        "/nodes/3/data/expression",
        "/nodes/4/data/x",
        "/nodes/4/data/y/0",
        "/nodes/5",
        "/nodes/5/id",
        "/connections/0/toNodeId",
        "/settings/maxNodes",
    }


def test_a_trigger_type_that_is_empty_is_shown() -> None:
    problem = told(graph(settings={"triggers": [""]}))["/settings/triggers/0"]
    assert problem.message.endswith('not ""')


def test_a_fault_of_a_node_names_the_node_and_the_field() -> None:
    problem = told(graph(node("check", "IF_ELSE", {"condition": {"field": "x", "operator": "equals"}})))[
        "/nodes/1/data/condition/operator"
    ]
    assert (problem.step, problem.field) == ("check", "operator")


def test_problems_have_the_line_of_what_they_speak_of() -> None:
    text = """{"name": "x",
  "nodes": [
    {"id": "a", "type": "MANUAL_TRIGGER"},
    {"id": "b", "type": "SET",
     "data": {"values": {"v": "{{ 1 + }}"}}}
  ],
  "connections": [
    {"fromNodeId": "a",
     "toNodeId": "c"}
  ]}"""
    document = read(text)
    found = located(dialects.compile(document.value).problems, document)
    assert [(problem.type, problem.line) for problem in found] == [("unknown_node", 9), ("invalid_expression", 5)]


def test_an_edge_to_a_node_that_could_not_be_read_is_no_fault_of_its_own() -> None:
    assert list(told(graph({"id": "a"}, "start > a"))) == ["/nodes/1"]


@pytest.mark.parametrize(
    ("document", "type_", "path", "words"),
    [
        (graph(settings={"maxNode": 5}), "unknown_key", "/settings/maxNode", "did you mean 'maxNodes'?"),
        (graph(settings={"colour": "red"}), "unknown_key", "/settings/colour", "known are maxNodes"),
        (graph(seetings={}), "unknown_key", "/seetings", "did you mean 'settings'?"),
        (graph(node("a", retyr={}), "start > a"), "unknown_key", "/nodes/1/retyr", "did you mean 'retry'?"),
        (
            graph(settings={"triggers": ["MANUAL_TRIGER"]}),
            "unknown_trigger_type",
            "/settings/triggers",
            "did you mean 'MANUAL_TRIGGER'?",
        ),
        (
            graph(
                node("fetch", "SET", {"values": {"r": 1}}),
                node("is", "IF_ELSE", {"condition": {"field": "fetch.x[0]", "operator": "exists"}}),
                "start > fetch",
                "fetch > is",
            ),
            "unknown_name",
            "/nodes/2/data/condition/field",
            "did you mean 'r'?",
        ),
        ({"nodes": [], "connections": []}, "no_nodes", "/nodes", "completes at once"),
        (graph(node("a"), node("b"), "start > a"), "other_root", "/nodes/2", "begin with 'start'"),
        (
            graph(node("a"), node("b"), "a > b", "b > a"),
            "unreachable",
            "/nodes/2",
            "no way leads from where executions begin to node 'b'",
        ),
        (graph(node("a"), node("b"), "start > a", "a > b", "b > a"), "cycle", "/nodes/1", "'a' → 'b' → 'a'"),
        (graph(node("a"), "start > a", "a > a"), "cycle", "/nodes/1", "'a' → 'a'"),
        (graph(node("a"), "start > a a"), "duplicate_connection", "/connections/1", "the other one is /connections/0"),
        (alone("ENRICH"), "unknown_task", "/nodes/1/type", "nobody has registered an executor for 'ENRICH'"),
        (alone("HTTP_REQEST"), "unknown_task", "/nodes/1/type", "did you mean 'HTTP_REQUEST'?"),
        (alone("set"), "unknown_task", "/nodes/1/type", "did you mean 'SET'?"),
        (alone("wrok"), "unknown_task", "/nodes/1/type", "did you mean 'WORK'?"),
        (alone("WORK", {"k": "{{secrets.KEI}}"}), "unknown_secret", "/nodes/1/data", "did you mean 'KEY'?"),
        (alone("IF_ELSE", {}), "no_condition", "/nodes/1", "the branch is 'true'"),
        (alone("MERGE", {"mode": "append"}), "unknown_mode", "/nodes/1/data/mode", "combine"),
        (graph(node("s", "SCHEDULE_TRIGGER")), "no_schedule", "/nodes/0/data", "or 'every', like PT15M"),
        (
            graph(node("a", "IF_ELSE", {"expression": "x"}), node("b"), "start > a", "a > b"),
            "dead_output",
            "/connections/1/fromOutput",
            "'a' never leads by 'main'; its outputs are false, true",
        ),
        (
            graph(node("a", "SET", {"values": {}}), node("b"), node("c"), "start > a", "a.x > b", "a.y > c"),
            "dead_output",
            "/connections/2/fromOutput",
            "there is no 'main'",
        ),
        *(
            (
                graph(node("a", type_, data), node("b"), "start > a", "a > b", "a.error > b"),
                "dead_output",
                "/connections/2/fromOutput",
                "'a' never fails, so its output 'error' is never taken",
            )
            for type_, data in (
                ("MERGE", {}),
                ("WAIT", {"amount": 1}),
                ("WAIT", {"amount": 300_000, "unit": "days", "label": "long"}),
                ("SET", {"values": {"x": 1}}),
            )
        ),
        (
            graph(node("a"), node("b"), "start > a", "a.error > b"),
            "no_success_output",
            "/nodes/1",
            "its only connection is from the output 'error'",
        ),
        (
            graph(node("a"), "start > a", "start.error > a"),
            "dead_output",
            "/connections/1/fromOutput",
            "'start' never fails",
        ),
    ],
)
def test_a_warning_keeps_nobody_from_running_it(document: Json, type_: str, path: str, words: str) -> None:
    warning = warned(document)[type_]
    assert warning.path == path
    assert words in warning.message, warning.message


def test_nothing_is_said_of_a_document_that_is_as_it_should_be() -> None:
    document = graph(
        node("a", "SET", {"values": {"x": 1}}, name="A", position={"x": 1, "y": 2}),
        node("b", "WORK", {"key": "{{secrets.KEY}}", "label": "{{x}}"}),
        "start > a",
        "a > b",
        description="…",
        createdAt="2026-01-01",
        settings={"maxNodes": 9, "sequential": True, "strict": True, "maxDepth": 2, "timeout": "PT1H", "retry": {}},
    )
    found = compiled(document)
    assert (found.problems, found.warnings, found.dialect, found.name) == ((), (), "graph", "graph")


def test_strict_refuses_cycles() -> None:
    problem = told(graph(node("a"), node("b"), "start > a", "a > b", "b > a", settings={"strict": True}))["/nodes/1"]
    assert problem.type == "cycle"
    assert problem.actual == ["a", "b", "a"]
    assert "settings.strict" in problem.message


def test_nested_cycles_are_each_named_once() -> None:
    document = graph(*map(node, "abc"), "start > a", "a > b", "b > c", "c > b a")
    cycles = [warning.actual for warning in compiled(document).warnings if warning.type == "cycle"]
    assert cycles == [["b", "c", "b"], ["a", "b", "c", "a"]]


def test_a_document_without_a_name_is_called_as_its_file_or_by_its_content() -> None:
    nameless: Json = {"nodes": [], "connections": []}
    assert compiled(nameless, name="from-file").name == "from-file"
    assert compiled({**nameless, "name": "own"}, name="from-file").name == "own"
    generated = compiled(nameless).name
    assert generated.startswith("graph-")
    assert generated == compiled(dict(nameless)).name != compiled({**nameless, "x": 1}).name


def test_edges_may_be_left_out_where_the_dialect_is_named() -> None:
    assert model({"dialect": "graph", "nodes": [node("a")]}).entries[0].step == "a"


def test_null_is_as_good_as_nothing() -> None:
    document = {"name": None, "nodes": [{"id": "a", "type": "WORK", "data": None, "join": None}], "connections": None}
    assert compiled({**document, "settings": None}).problems == ()
    assert model({**graph(node("a")), "connections": [{**edges("start > a")[0], "fromOutput": None}]}).steps[0].routes


def test_requirements_name_tasks_tools_and_secrets() -> None:
    document = graph(
        node("a", "WORK", {"k": "{{secrets.KEY}}", "again": "{{secrets['KEY']}}"}),
        node("b", "HTTP_REQUEST", {"variableName": "r", "endpoint": "https://x", "headers": {"a": "B {{secrets.T}}"}}),
        node("c", "MCP_TOOL", {"connectionId": "crm", "toolName": "find"}),
        node("d", "MCP_TOOL", {"connectionId": 7}),
        node("e", "SET", {}),
        node("hook", "WEBHOOK_TRIGGER"),
        {"type": "WEBHOOK_TRIGGER"},
    )
    found = dialects.requirements(document)
    assert found.tasks == ("node:WORK", "http", "undefined")
    assert found.tools == (("crm", "find"),)
    assert found.secrets == ("KEY", "T")
    assert found.webhooks == ("hook",)


def test_the_number_of_problems_is_bounded() -> None:
    many = [{"id": 1} for _ in range(5_000)]
    found = compiled({"nodes": many, "connections": many}, KNOWN)
    assert 100 <= len(found.problems) <= PROBLEMS_MAX + 1


@pytest.mark.parametrize(
    ("document", "path"),
    [
        (graph(node("x" * 201)), "/nodes/1/id"),
        (graph(node("a", "T" * 201)), "/nodes/1/type"),
        (graph(node("a"), f"start.{'o' * 201} > a"), "/connections/0/fromOutput"),
        (graph(node("a"), f"start > a:{'i' * 201}"), "/connections/0/toInput"),
        (alone("HTTP_REQUEST", {"endpoint": "x", "variableName": "v" * 201}), "/nodes/1/data/variableName"),
    ],
)
def test_what_names_something_is_short(document: Json, path: str) -> None:
    problem = told(document)[path]
    assert problem.type == "too_long"
    assert "201 characters; the limit is 200" in problem.message


def test_a_path_of_a_field_may_not_be_longer_than_an_expression() -> None:
    condition = {"field": "a." * 3_000 + "a", "operator": "exists"}
    assert "/nodes/1/data/condition/field" in told(alone("IF_ELSE", {"condition": condition}))


def test_more_edges_than_can_be_told_apart_at_one_input_are_a_problem() -> None:
    names = [f"n{number}" for number in range(100)]
    document = graph(
        *map(node, names), node("it"), f"start > {' '.join(names)}", *(f"{name} > it:left" for name in names)
    )
    (problem,) = told(document).values()
    assert (problem.type, problem.path, problem.step) == ("too_many_connections", "/connections/199", "it")
    fewer = graph(*map(node, names), node("it"), f"start > {' '.join(names)}", *(f"{name} > it" for name in names))
    assert compiled(fewer).problems == ()


def test_of_very_many_cycles_some_are_told() -> None:
    names = [f"n{number}" for number in range(50)]
    document = graph(*map(node, names), f"start > {' '.join(names)}", *(f"{name} > {name}" for name in names))
    assert len([warning for warning in compiled(document).warnings if warning.type == "cycle"]) == 20


def test_whole_numbers_may_be_written_with_a_point_and_objects_may_be_missing() -> None:
    assert model(graph(settings={"maxNodes": 7.0})).steps_max == 7


def test_a_model_that_cannot_run_is_told_of_and_never_handed_out() -> None:
    broken = Compiled(Workflow("x", (Step("a", Compute()),)), "x", "graph", warnings=(Problem("w", "m"),))
    found = registry._proved(broken)
    assert (found.workflow, found.warnings) == (None, broken.warnings)
    assert "names none to begin with (in its model, at /entries)" in found.problems[0].message


def test_a_key_that_means_something_itself_is_not_taken_for_a_misspelt_one() -> None:
    problem = told({**graph(), "connections": [{"fromNodeId": "start"}]})["/connections/0"]
    assert problem.message == "'toNodeId' is missing"


def test_names_that_are_near_are_looked_for_in_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    compared: Counter[str] = Counter()
    distance = similarity._distance

    def counted(one: str, other: str) -> int:
        compared[one] += 1
        return distance(one, other)

    monkeypatch.setattr(similarity, "_distance", counted)
    nodes = [node(f"the-node-with-number-{number}") for number in range(600)]
    bad = [f"the-node-wiht-number-{number} > the-node-wiht-number-{number}" for number in range(PROBLEMS_MAX)]
    found = compiled(graph(*nodes, *bad))
    assert "did you mean 'the-node-with-number-0'?" in found.problems[0].message
    assert len(compared) <= PROBLEMS_MAX
    assert 1 <= max(compared.values()) <= 2 * 20  # both ends of an edge


@pytest.mark.parametrize(
    ("type_", "data"),
    [
        ("WORK", {}),
        ("SET", {"values": {"x": "{{y}}"}}),
        ("WAIT", {"amount": "{{y}}"}),
        ("WAIT", {"amount": 1, "label": "{{y.toUpperCase()}}"}),
        ("WAIT", {"amount": 8_000 * 365, "unit": "days"}),
        ("WAIT_UNTIL", {"timestamp": "{{y}}"}),
        ("IF_ELSE", {"expression": "y"}),
        ("SWITCH", {"expression": "y", "cases": {"1": "main"}}),
        ("HTTP_REQUEST", {"variableName": "r", "endpoint": "https://example.com", "method": "GET"}),
        ("CODE", {"variableName": "r", "code": "export default (input) => 1"}),
        ("RUN_WORKFLOW", {"workflowId": "other"}),
        ("APPROVAL", {"approverRole": "boss"}),
        ("LLM", {"variableName": "r", "userPrompt": "Hello", "outputFormat": "json"}),
    ],
)
def test_a_connection_from_the_output_error_is_taken_where_a_node_can_fail(type_: str, data: Json) -> None:
    document = graph(node("a", type_, data), node("b"), "start > a", "a.error > b")
    steps = {step.id: step for step in model(document).steps}
    assert "dead_output" not in warned(document)
    assert steps["a/error"].routes[0].to == ("b",)
    owned = [step for step in steps.values() if step.id == "a" or step.part_of == "a"]
    failing = [step for step in owned if step.id != "a/error"]
    assert all(step.on_error[-1].to == ("a/error",) for step in failing)
    ways = [route for step in failing for route in step.routes if "b" in route.to]
    assert not ways or (type_ == "WORK" and [route.port for route in ways] == ["error"]), "success does not lead there"


def test_two_failures_that_meet_are_told_by_their_nodes() -> None:
    broken = {"values": {"x": "{{n.toUpperCase()}}"}}
    document = graph(
        *(node(name, "SET", broken) for name in ("a", "b")),
        node("m", "MERGE"),
        *("start > a b", "a.error > m", "b.error > m"),
    )
    world = run(document, {"n": 1})
    row = world.store.rows["main"]
    assert row.record.output["error"]["nodeId"] == "b"
    told = [fact.message for fact in row.facts if isinstance(fact, Warned)]
    assert told == ["both 'a' and 'b' wrote 'error' on paths that meet; what 'b' wrote is kept"]
