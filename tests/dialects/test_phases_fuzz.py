"""Whatever a phases document holds, compiling it never raises, and what it accepts is a model that can run and be shown."""

from __future__ import annotations

from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialects.changing import changes_are_judged, seen
from dialects.test_fuzz import SLOW, judged, leaves, written
from perdure import dialects
from perdure.model.catalog import Catalog, TaskSchema
from perdure.model.values import Json
from run.phases.documents import EVERYTHING
from run.phases.words import calls, each, echo, fires, flow, gives, sleeps

KEYS: Final = (
    *(
        "name",
        "tool",
        "connectionId",
        "toolName",
        "transform",
        "sleep",
        "ms",
        "until",
        "input",
        "forEach",
        "as",
        "retry",
    ),
    *(
        "maxIterations",
        "concurrency",
        "onError",
        "maxAttempts",
        "backoffMs",
        "timeout",
        "workflowId",
        "inputs",
        "steps",
    ),
    *("workflow_timeout_ms", "max_retries", "triggers", "secrets", "inputSchema", "strictTypes", "maxDepth", "status"),
    *(
        "type",
        "properties",
        "required",
        "items",
        "anyOf",
        "enum",
        "$ref",
        "@s0.x",
        "to",
        "who",
        "const",
        "allOf",
        "not",
    ),
    *("prefixItems", "minItems", "maxItems", "additionalProperties", "$defs"),
)
TEXTS: Final = (
    *(
        "s0",
        "s1",
        "s-2",
        "item",
        "input",
        "echo",
        "list",
        "api",
        "local",
        "fail",
        "continue",
        "PT5M",
        "2026-11-15T10:00:00Z",
    ),
    *(
        "@s0",
        "@s0.output",
        "@s0.output.items",
        "@s0.items[0].id",
        "@s1.x",
        "@s-2.0.x",
        "@input",
        "@input.items",
        "@input.a.b",
    ),
    *(
        "@item",
        "@item.id",
        "@index",
        "@it.x",
        "@output",
        "@output.items",
        "@output.s0",
        "@ctx.execution_id",
        "@ctx",
        "@secrets",
    ),
    *(
        "@secrets.KEY",
        "Bearer @secrets.KEY",
        "of @s0.x and @nobody.y",
        "ops@example.com",
        "@@s0",
        "@",
        "@s0.",
        "@s0[",
        "@s0.x-",
    ),
    *(
        "export default (input) => input",
        "interface Input { a: string }",
        "import x from 'y'",
        "string",
        "array",
        "#/$defs/T",
    ),
    "interface Input { items: string[] } interface Output { n: number }\nexport default (i: Input): Output => ({ n: 1 })",
)
LISTS: Final = {
    "type": "object",
    "properties": {"items": {"type": "array", "items": {"$ref": "#/$defs/Item"}}, "total": {"type": "integer"}},
    "required": ["items"],
    "$defs": {"Item": {"type": "object", "properties": {"id": {"type": "string"}, "parent": {"$ref": "#/$defs/Item"}}}},
}
TAKES: Final = {
    "type": "object",
    "properties": {"to": {"type": "array", "items": {"type": "string"}}, "who": {"enum": ["a", None]}},
    "required": ["to"],
    "additionalProperties": False,
}
KNOWN: Final = Catalog(
    (
        *(TaskSchema(name) for name in ("echo", "value", "breaks")),
        TaskSchema("list", "api", None, LISTS),
        TaskSchema("send", "api", TAKES, {"type": "object", "properties": {"sent": {"type": "integer"}}}),
        TaskSchema("list-users", "api"),
        TaskSchema("odd", "api", {"anyOf": [TAKES, {"$ref": "#"}, 5]}, {"type": ["array", "nothing"], "items": 3}),
    ),
    ("KEY",),
)
values = st.recursive(
    leaves | st.sampled_from(TEXTS),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.sampled_from(KEYS) | written, inner, max_size=4)
    ),
    max_leaves=12,
)
names = st.sampled_from(("s0", "s1", "s-2", "s3", "output", "a b"))
tools = st.sampled_from(("echo", "api/list", "api/send", "api/odd", "api/nothing"))
kinds = st.one_of(
    tools.map(lambda tool: calls(tool, "x")),
    st.sampled_from(TEXTS).map(lambda text: {"transform": text}),
    st.dictionaries(st.sampled_from(("ms", "until")), leaves | st.sampled_from(TEXTS), max_size=2).map(
        lambda sleep: {"sleep": sleep}
    ),
)
modifiers = st.dictionaries(st.sampled_from(KEYS), values, max_size=3)
steps = st.tuples(kinds, modifiers, names).map(lambda parts: {**parts[0], **parts[1], "name": parts[2]})
GOOD: Final = {
    "everything": EVERYTHING,
    "typed": flow(
        calls("api/list", "s0"),
        {
            "name": "s1",
            "transform": "interface Input { items: Array<{ id?: string }> }\ninterface Output { ids: string[]; n?: number }\n"
            "export default (input: Input): Output => ({ ids: input.items.map(i => i.id ?? '') })",
        },
        [calls("api/send", "s2", input={"to": "@s1.ids", "who": "a"}), each("@s0.items", called="it", name="s3")],
        triggers=[fires("next", over="@output.s3", x="@item", at="@index"), fires("other", n="@output.sent")],
        inputSchema={"type": "object", "properties": {"tenant": {"type": "string"}}},
    ),
    "plain": flow(
        gives("a", {"@input.key": ["@input.x", "of @input.y"]}),
        [echo("b", v="@a.list[0].x", w="@ctx.depth"), sleeps(until="@a.at", ms=5), echo("c", k="@secrets.KEY")],
        calls("echo", "d", retry={"maxAttempts": 2, "backoffMs": 1}, timeout=5),
        triggers=[fires("case", b="@output.v", settings={"max_retries": 1, "workflow_timeout_ms": "PT1M"})],
        secrets={"OTHER": "CRM_KEY"},
        timeout="PT1H",
    ),
}


@SLOW
@given(st.lists(st.lists(steps, max_size=3), max_size=3), values, values)
def test_steps_of_every_kind_with_anything_in_them_are_compiled_or_refused(
    phases: Any, trigger: Json, more: Json
) -> None:
    document = {
        "dialect": "phases",
        "steps": phases,
        "triggers": [trigger, {"workflowId": "x", "inputs": {"v": trigger}, "forEach": more}],
        "inputSchema": more,
    }
    judged(dialects.compile(document, KNOWN))
    dialects.requirements(document)


@SLOW
@given(st.lists(st.tuples(values, st.sampled_from(TEXTS)), min_size=1, max_size=3), values)
def test_whatever_tools_are_given_what_compiles_runs(given_: Any, trigger: Json) -> None:
    """One phase after the other; some steps for each of something."""
    made = [
        calls("echo", f"s{number}", input={"v": value}, **({"forEach": over} if over.startswith("@") else {}))
        for number, (value, over) in enumerate(given_)
    ]
    document = flow(*made, calls("echo", "last"), triggers=[fires("x", v=trigger)])
    compiled = dialects.compile(document, KNOWN)
    judged(compiled)
    if compiled.workflow is not None:
        seen(compiled.workflow, document, "phases")


@SLOW
@given(values, values, values)
def test_a_document_of_any_shape_is_compiled_or_refused(first: Json, second: Json, more: Json) -> None:
    for document in (
        {"dialect": "phases", "steps": first, "triggers": second, "secrets": more},
        {"steps": [[first, {"name": "a", "tool": second}], [{"name": "b", "transform": more}]]},
        {"steps": [[{"name": first, "sleep": second, "forEach": more}]], "name": second, "timeout": more},
        {"steps": [[{**calls("api/list", "a"), "retry": first, "input": second}], more]},
    ):
        judged(dialects.compile(document, KNOWN))
        dialects.requirements(document)


@SLOW
@given(values, values)
def test_whatever_schemas_tools_have_nothing_raises(takes: Json, gives_: Json) -> None:
    """They come from strangers."""
    shape = {"type": "object", "properties": {"to": takes, "who": {"type": "array", "prefixItems": [takes, gives_]}}}
    catalog = Catalog((TaskSchema("a", "x", takes, gives_), TaskSchema("b", "x", shape, None)))
    document = flow(
        calls("x/a", "a"),
        [
            calls("x/b", "b", input={"to": ["@a.items", 1, []], "who": ["@a", {"to": "@a[0].x"}]}),
            calls("x/b", "c"),
            calls("x/b", "d", input="@a.output"),
            each("@a.output", "x/b", name="e"),
        ],
        triggers=[fires("y", v="@output.to", over="@a.items")],
    )
    compiled = dialects.compile(document, catalog)
    judged(compiled)
    if compiled.workflow is not None:
        seen(compiled.workflow, document, "phases")


@pytest.mark.parametrize("name", GOOD)
def test_a_good_document_with_something_changed_is_compiled_or_refused(name: str) -> None:
    changes_are_judged(name, GOOD[name], TEXTS, "phases", catalog=KNOWN)


@pytest.mark.parametrize("name", GOOD)
def test_a_good_document_is_good(name: str) -> None:
    assert dialects.compile(GOOD[name], KNOWN).problems == ()
