"""What is rendered is data: a text that looks like a template is never looked into, wherever it comes from.

Tens of thousands of such texts, from a seed, stand at every place of a scope that holds values or keys. The templates that
render them are ours; a marker in the scope tells whether anything in the data was computed.
"""

from __future__ import annotations

import json
from random import Random
from typing import Literal

import pytest

from perdure.expressions.language import compile_value
from perdure.expressions.ready import ready
from perdure.expressions.templates import value_of
from perdure.model.values import Json

MARKER = "EVALUATED-8f3a"
BATCHES, PER_BATCH = 42, 500
Form = Literal["{{", "${"]

NAMES = (
    *(
        "marker",
        "input.marker",
        "steps.one.output",
        "vars.marker",
        "secrets.MARKER",
        "now",
        "nowMs",
        "item",
        "loop.item",
    ),
    *("marker|upper", "marker + marker", "marker.slice(0)", "'x' + marker", "[marker]", "{a: marker}", "7*7", "1/0"),
    *("`${marker}`", "marker ? marker : marker", "JSON.stringify(marker)", "", " ", "'", '"', "`", "\\", "x =", "..."),
)
FORMS = (
    *("{{%s}}", "{{ %s }}", "${%s}", "${ %s }", "@%s", "@{%s}", "@input.%s", "\\{{%s}}", "\\${%s}", "\\\\{{%s}}"),
    *("{{{%s}}}", "{{{{%s}}}}", "$${%s}", "#{%s}", "<%%= %s %%>", "{%% %s %%}", "{{%s", "${%s", "%s}}", "%s}", "{%s}"),
    *("{{!%s}}", "{{#%s}}", "{{&%s}}", "$%s", "@@%s", "{{ '%s' }}", "${ '%s' }", '{{ "%s" }}', "`${%s}`", "%s"),
)
GLUE = ("", " ", "\n", "a", "}}", "{{", "${", "}", "\\", "@", "***", "\U0001f600", "é", "\2", "'", '"', ", ", "null")


def text(rng: Random) -> str:
    """Something that looks like a template: of any form, nested, broken, escaped."""
    inner = rng.choice(NAMES)
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        inner = rng.choice(FORMS) % inner
        if rng.random() < 0.4:
            inner = rng.choice(GLUE) + inner
        if rng.random() < 0.4:
            inner += rng.choice(GLUE)
        if rng.random() < 0.15:
            inner += rng.choice(FORMS) % rng.choice(NAMES)
    if rng.random() < 0.1:
        cut = rng.randrange(len(inner) + 1)
        inner = inner[:cut]
    return inner


def scope_of(data: str) -> dict[str, Json]:
    """The data at every kind of place; beside it a marker that the data tries to read."""
    return {
        "marker": MARKER,
        "secrets": {"MARKER": MARKER},
        "input": {"data": data, "marker": MARKER, "list": [data, [data], {"data": data}], data: {"under": data}},
        "steps": {"one": {"output": {"data": data, "keys": {data: 1}}}, "x-y": {"output": [data]}},
        "vars": {"data": data, "marker": MARKER, "key": data},
        "loop": {"item": data, "index": 0, "batch": {"items": [data, data]}},
        "event": {"payload": {"data": data}},
        "item": data,
        "now": 1_794_736_800_000,
    }


def document(begin: str, end: str) -> tuple[Json, Form]:
    """Every way to render a value: whole, in text, as a key, in arrays, through pipes, methods and template literals."""

    def e(source: str) -> str:
        return f"{begin} {source} {end}"

    return {
        "whole": e("input.data"),
        "step": e("steps.one.output.data"),
        "bracket": e("steps['x-y'].output[0]"),
        "variable": e("vars.data"),
        "loop": e("loop.item"),
        "event": e("event.payload.data"),
        "text": f"<{e('input.data')}>",
        "twice": f"{e('input.data')}|{e('vars.data')}",
        "array": [e("item"), f"-{e('item')}", [e("input.list[1][0]")]],
        "deep": e("input.list[2].data"),
        "list": e("input.list"),
        "computed": e("input[vars.key].under"),
        "joined": e("loop.batch.items|join('+')"),
        "string": e("item|string"),
        "concatenated": e("'<' + item + '>'"),
        "literal": e("`<${item}>`"),
        "mapped": e("loop.batch.items.map(x => x)"),
        "piped": e("[input]|map('data')|first"),
        "formatted": e("[{d: item}]|formatList('{{d}}')"),
        "filtered": e('[item]|filter("item == item")|first'),
        "found": e("[{d: item}]|find('d', item).d"),
        "method": e("item.concat('')"),
        "sliced": e("item.slice(0)"),
        "replaced": e("'#'.replace('#', item)"),
        "replacedAll": e("'#'.replaceAll('#', item)"),
        "split": e("(item + '\\u0001' + item).split('\\u0001')[1]"),
        "json": e("JSON.parse(JSON.stringify({d: item})).d"),
        "piped json": e("JSON.stringify([item])|parseJSON|last"),
        "spread": e("{...steps.one.output.keys}"),
        "keys": e("Object.keys(steps.one.output.keys)[0]"),
        "entries": e("Object.fromEntries([[item, item]])"),
        "chosen": e("(item ?? item) || item"),
        "key": {f"k{e('item')}": e("item")},
        "computed key": e("{[item]: item}"),
        "in": e("item in [item]"),
    }, ("{{" if begin == "{{" else "${")


def expected(data: str) -> dict[str, Json]:
    return {
        "whole": data,
        "step": data,
        "bracket": data,
        "variable": data,
        "loop": data,
        "event": data,
        "text": f"<{data}>",
        "twice": f"{data}|{data}",
        "array": [data, f"-{data}", [data]],
        "deep": data,
        "list": [data, [data], {"data": data}],
        "computed": data,
        "joined": f"{data}+{data}",
        "string": data,
        "concatenated": f"<{data}>",
        "literal": f"<{data}>",
        "mapped": [data, data],
        "piped": data,
        "formatted": data,
        "filtered": data,
        "found": data,
        "method": data,
        "sliced": data,
        "replaced": data,
        "replacedAll": data,
        "split": data,
        "json": data,
        "piped json": data,
        "spread": {data: 1},
        "keys": data,
        "entries": {data: data},
        "chosen": data,
        "key": {f"k{data}": data},
        "computed key": {data: data},
        "in": True,
    }


COMPILED = [compile_value(value_of(*document("{{", "}}"))), compile_value(value_of(*document("${", "}")))]
SECOND = [
    compile_value(value_of({"again": "{{ whole }}", "text": "<{{ text }}>", "{{ whole }}": "{{ list|string }}"}, "{{")),
    compile_value(value_of({"again": "${ whole }", "text": "<${ text }>", "${ whole }": "${ list|string }"}, "${")),
]


def is_read_otherwise(data: str) -> bool:
    """The names of the scope itself: a key of that name stands for the other value."""
    return data in {"data", "marker", "list"}


@pytest.mark.parametrize("batch", range(BATCHES))
def test_data_comes_out_as_it_went_in(batch: int) -> None:
    rng = Random(batch)
    for number in range(PER_BATCH):
        data = text(rng)
        if is_read_otherwise(data):
            continue
        wanted = expected(data)
        rendered = COMPILED[number % 2].render(scope_of(data))
        found = rendered.value
        assert found == wanted, next((key, found[key]) for key in wanted if found[key] != wanted[key])
        assert rendered.sealed is None
        assert MARKER not in json.dumps(found)


@pytest.mark.parametrize("batch", range(BATCHES))
def test_what_was_rendered_is_rendered_again_as_data(batch: int) -> None:
    """The result of one rendering is the scope of the next, and of the one after it, in both forms."""
    rng = Random(1_000 + batch)
    for _ in range(PER_BATCH // 10):
        data = text(rng)
        if is_read_otherwise(data) or data in {"again", "text"}:
            continue
        for first in COMPILED:
            for second in SECOND:
                once = first.evaluate(scope_of(data))
                assert once == expected(data)
                twice = second.evaluate({**once, "marker": MARKER})
                assert twice["again"] == data
                assert twice["text"] == f"<<{data}>>"
                assert json.loads(twice[data]) == [data, [data], {"data": data}]
                assert MARKER not in json.dumps(twice)


def test_the_texts_are_many_and_differ() -> None:
    made = [text(rng) for seed in range(BATCHES) for rng in (Random(seed),) for _ in range(PER_BATCH)]
    assert len(made) >= 20_000
    assert len(set(made)) > 10_000
    assert sum("marker" in one for one in made) > 5_000
    assert all(sum(form in one for one in made) > 1_000 for form in ("{{", "${", "@", "\\{{", "\\${"))


def test_the_marker_would_show_if_a_text_were_a_template() -> None:
    """The same texts, given as documents, do read the marker: so the tests above could fail."""
    scope = scope_of("x")
    assert compile_value(value_of("{{ marker }}", "{{")).evaluate(scope) == MARKER
    assert compile_value(value_of("a ${ vars.marker } b", "${")).evaluate(scope) == f"a {MARKER} b"
    assert ready("`${marker}`").run(scope) == MARKER
