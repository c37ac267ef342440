"""Templates: types, text, keys, what is undefined, and what is left alone."""

from __future__ import annotations

from typing import Any

from run.case import Case
from run.ports.words import action, flow

GIVEN = {
    "n": 5,
    "t": "text",
    "b": True,
    "z": None,
    "o": {"k": [1, None]},
    "l": ["p", "q"],
    "code": "{{ n }}",
    "key": "name",
    "people": [{"name": "Ann", "p": {"q": 1}}, {"name": "Bob"}],
}


def _renders(name: str, template: Any, comes: Any) -> Case:
    return Case(f"template: {name}", flow(action("a", "echo", {"v": template})), GIVEN, output={"v": comes})


TEMPLATES: tuple[Case, ...] = (
    _renders("a number", "{{n}}", 5),
    _renders("a boolean", "{{ b }}", True),
    _renders("null", "{{z}}", None),
    _renders("an object", "{{o}}", {"k": [1, None]}),
    _renders("an array", "{{l}}", ["p", "q"]),
    _renders("in text", "n is {{n}}, b is {{b}}!", "n is 5, b is true!"),
    _renders("an object in text", "{{o}}!", '{"k":[1,null]}!'),
    _renders("null and nothing in text", "[{{z}}{{nobody}}]", "[]"),
    _renders("two of them", "{{n}}{{n}}", "55"),
    _renders("with blanks around it is text", " {{n}} ", " 5 "),
    _renders("deep", {"a": [{"b": "{{o.k[0]}}"}]}, {"a": [{"b": 1}]}),
    _renders("keys", {"{{key}}": 1, "x-{{n}}": 2}, {"name": 1, "x-5": 2}),
    _renders("nothing drops its key", {"a": "{{nobody}}", "b": 1}, {"b": 1}),
    _renders("nothing is null in an array", ["{{nobody}}", "{{nobody.at.all}}", 1], [None, None, 1]),
    _renders("what came of it is data", "{{code}}", "{{ n }}"),
    _renders("what came of it in text is data", "<{{code}}>", "<{{ n }}>"),
    _renders("escaped", "\\{{n}}", "{{n}}"),
    _renders("escaped in text", "say \\{{n}} for {{n}}", "say {{n}} for 5"),
    _renders("an expression", "{{ n * 2 + 1 }}", 11),
    _renders("a pipe", "{{ l|join(', ')|upper }}", "P, Q"),
    _renders("a ternary", "{{ n > 3 ? 'many' : 'few' }}", "many"),
    _renders("a method", "{{ l.map(one => one + '!') }}", ["p!", "q!"]),
    _renders("three braces", "{{{n}}}", 5),
    _renders("three braces with a path in text", "<{{{o.k}}}>", "<[1,null]>"),
    _renders("three braces with a pipe", "{{{ l|join(', ')|upper }}}", "P, Q"),
    _renders("three braces with a key", "{{{a: n, l}}}", {"a": 5, "l": ["p", "q"]}),
    _renders("fields of a list", '{{ people|formatList("{name}: {p.q}", "; ") }}', "Ann: 1; Bob: "),
    _renders(
        "fields and templates of a list", "{{ people|formatList('{name} {{name|upper}}', ', ') }}", "Ann ANN, Bob BOB"
    ),
    _renders("a field that some lack", '{{ people|map("p.q") }}', [1]),
    _renders("seconds as a date", "{{ 1705312200|isoDate }}", "2024-01-15T09:50:00.000Z"),
    _renders("seconds as milliseconds", "{{ 1705312200|parseDate }}", 1_705_312_200_000),
    _renders("a date that is not there", "[{{ z|isoDate }}{{ nobody|daysAgo }}]", "[]"),
    _renders("no JSON to parse", ["{{ z|parseJSON }}", "{{ nobody|parseJSON }}"], [None, None]),
    _renders("a line break in a text", '{{ l|join("\n") }}', "p\nq"),
    _renders("braces inside", "{{ {a: {b: n}} }}", {"a": {"b": 5}}),
    _renders("braces in a text inside", "{{ '}}' + n }}", "}}5"),
    _renders("other braces are text", "${n} { {n} }", "${n} { {n} }"),
    _renders("no template at all", "n", "n"),
    _renders("a property of nothing", "{{ (z.a.b) ?? 'none' }}", "none"),
)
