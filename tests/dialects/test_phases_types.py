"""Whether what one step gives may be given to the next: from a tool's schema to another's, and to and from what transforms declare.

A text here is a type of TypeScript, and its step a transform; all else is a JSON Schema, and its step a tool.
"""

from __future__ import annotations

from typing import Any, Final, TypeAlias

import pytest

from perdure import dialects
from perdure.dialects import Compiled
from perdure.model.catalog import Catalog, TaskSchema
from perdure.model.values import Json

Type: TypeAlias = Any

TEXT: Final = {"type": "string"}
NUMBER: Final = {"type": "number"}
WHOLE: Final = {"type": "integer"}
FLAG: Final = {"type": "boolean"}
NULL: Final = {"type": "null"}


def list_of(items: Type, **more: Json) -> Type:
    return {"type": "array", "items": items, **more}


def object_of(required: str = "", closed: bool = False, **properties: Type) -> Type:
    """`required` are the keys that have to be there, with spaces between them."""
    end = {"additionalProperties": False} if closed else {}
    return {"type": "object", "properties": properties, "required": required.split(), **end}


def any_of(*types: Type) -> Type:
    return {"anyOf": list(types)}


def one_of(*values: Json) -> Type:
    return {"enum": list(values)}


def only(value: Json) -> Type:
    return {"const": value}


def _shown(type_: Type) -> str:
    return str(type_).replace("'", "").replace(" ", "")[:60]


FITS: Final[tuple[tuple[Type, Type], ...]] = (
    (TEXT, TEXT),
    (NUMBER, NUMBER),
    (FLAG, FLAG),
    (NULL, NULL),
    (WHOLE, NUMBER),
    ({}, TEXT),
    (TEXT, {}),
    ({}, list_of(TEXT)),
    (True, TEXT),
    (TEXT, True),
    (list_of(TEXT), list_of(TEXT)),
    (list_of(WHOLE), list_of(NUMBER)),
    (list_of(TEXT), {"type": "array"}),
    ({"type": "array"}, list_of(TEXT)),
    (list_of(list_of(TEXT)), list_of(list_of(TEXT))),
    (list_of(TEXT, minItems=1), list_of(TEXT)),
    ({"type": "array", "prefixItems": [TEXT, NUMBER], "items": False, "minItems": 2}, list_of(any_of(TEXT, NUMBER))),
    (object_of("a", a=TEXT), object_of("a", a=TEXT)),
    (object_of("a b", a=TEXT, b=NUMBER), object_of("a", a=TEXT)),
    (object_of("a", a=TEXT), object_of("", a=TEXT)),
    (object_of("", a=TEXT), object_of("", a=TEXT)),
    (object_of("a", a=TEXT), {"type": "object"}),
    ({"type": "object"}, {"type": "object"}),
    ({"type": "object", "additionalProperties": NUMBER}, {"type": "object", "additionalProperties": NUMBER}),
    (object_of("a", a=TEXT), {"type": "object", "additionalProperties": TEXT}),
    (any_of(TEXT, NUMBER), any_of(TEXT, NUMBER)),
    (TEXT, any_of(TEXT, NUMBER)),
    (TEXT, any_of(TEXT, NULL)),
    (any_of(TEXT, NUMBER), any_of(NUMBER, TEXT, FLAG)),
    (any_of(WHOLE, TEXT), any_of(NUMBER, TEXT)),
    ({"type": ["string", "null"]}, {"type": ["null", "string", "number"]}),
    ({"allOf": [object_of("a", a=TEXT), object_of("b", b=NUMBER)]}, object_of("a b", a=TEXT, b=NUMBER)),
    (object_of("a b", a=TEXT, b=NUMBER), {"allOf": [object_of("a", a=TEXT), object_of("b", b=NUMBER)]}),
    (one_of("a"), TEXT),
    (one_of("a"), one_of("a", "b")),
    (one_of(1, 2), WHOLE),
    (only(True), FLAG),
    (FLAG, one_of(True, False)),
    (only(None), NULL),
    (one_of("a", None), any_of(TEXT, NULL)),
    (only({"a": 1}), object_of("a", a=NUMBER)),
    (only([1, "x"]), list_of(any_of(NUMBER, TEXT))),
    ({"$ref": "#/$defs/T", "$defs": {"T": object_of("id", id=TEXT)}}, object_of("id", id=TEXT)),
    (
        {"$ref": "#/$defs/T", "$defs": {"T": object_of("id", id=TEXT, kids=list_of({"$ref": "#/$defs/T"}))}},
        {"$ref": "#/$defs/T", "$defs": {"T": object_of("id", id=TEXT, kids=list_of({"$ref": "#/$defs/T"}))}},
    ),
    ({"type": "string", "format": "date"}, TEXT),
    (TEXT, {"type": "string", "format": "date"}),
    (TEXT, {"type": "string", "pattern": "^a"}),
    (NUMBER, {"type": "number", "minimum": 5}),
    ({"type": "string", "description": "x", "title": "T"}, TEXT),
    (
        any_of(object_of("kind a", kind=only("x"), a=TEXT), object_of("kind b", kind=only("y"), b=NUMBER)),
        any_of(object_of("kind a", kind=only("x"), a=TEXT), object_of("kind b", kind=only("y"), b=NUMBER)),
    ),
    (
        any_of(object_of("kind a", kind=only("x"), a=TEXT)),
        any_of(object_of("kind a", kind=only("x"), a=TEXT), object_of("kind b", kind=only("y"), b=TEXT)),
    ),
    ("string", TEXT),
    ("string[]", list_of(TEXT)),
    ("Array<{ id: string; n?: number }>", list_of(object_of("id", id=TEXT))),
    ("'a' | 'b'", one_of("a", "b", "c")),
    ("unknown", {}),
    ("any", "unknown"),
    ("string[]", "object"),
    (list_of(TEXT), "object | null"),
    ("{ a: string[] }", "{ a: object }"),
    ("[string, string]", "object"),
    ("[string, string]", "string[]"),
    ("[string, string]", "[string, ...string[]]"),
    ("string[]", list_of(TEXT, minItems=1, maxItems=2)),
    (TEXT, "string"),
    (WHOLE, "number"),
    (NUMBER, "number"),
    (list_of(TEXT), "string[]"),
    (object_of("a", a=TEXT), "{ a: string }"),
    (object_of("a b", a=TEXT, b=NUMBER), "{ a: string }"),
    (object_of("a", a=TEXT), "{ a: string; b?: number }"),
    (one_of("a"), "'a' | 'b'"),
    (any_of(TEXT, NULL), "string | null"),
    ({}, "string[]"),
    (TEXT, "unknown"),
    (TEXT, "string | undefined"),
    ("{ a: { b: string[] } }", "{ a: { b: string[] } }"),
    ("Pick<{ a: string; b: number }, 'a'>", "{ a: string }"),
    ("{ a: string } & { b: number }", "{ a: string; b: number }"),
    ("boolean", "true | false"),
)
"""What is given, and what is taken: nothing is said of it."""

REFUSED: Final[tuple[tuple[Type, Type, str], ...]] = (
    ("null", "{}", "Expected {} but got null"),
    (NUMBER, WHOLE, "Expected integer but got number"),
    (TEXT, NUMBER, "Expected number but got string"),
    (NUMBER, TEXT, "Expected string but got number"),
    (FLAG, TEXT, "Expected string but got boolean"),
    (NULL, TEXT, "Expected string but got null"),
    (TEXT, NULL, "Expected null but got string"),
    (TEXT, FLAG, "Expected boolean but got string"),
    (TEXT, False, "'v' is nothing that 'b' takes"),
    (list_of(NUMBER), list_of(TEXT), "Expected string[] but got number[]: [] is a number, but a string is needed"),
    (list_of(NUMBER), list_of(WHOLE), "Expected integer[] but got number[]: [] is a number, but an integer is needed"),
    (TEXT, list_of(TEXT), "Expected string[] but got string"),
    (list_of(TEXT), TEXT, "Expected string but got string[]"),
    (
        list_of(list_of(NUMBER)),
        list_of(list_of(TEXT)),
        "Expected string[][] but got number[][]: [][] is a number, but a string is needed",
    ),
    (
        list_of(TEXT, maxItems=1),
        list_of(TEXT, minItems=2),
        "Expected string[] but got string[]: has at most 1 item, but the least needed is 2",
    ),
    (
        list_of(TEXT, minItems=3),
        list_of(TEXT, maxItems=2),
        "Expected string[] but got string[]: has at least 3 items, but the most allowed is 2",
    ),
    (
        {"type": "array", "prefixItems": [TEXT, NUMBER], "minItems": 2, "items": False},
        list_of(TEXT),
        "Expected string[] but got [string, number]: [1] is a number, but a string is needed",
    ),
    (
        object_of("a b", a=TEXT, b=NUMBER),
        object_of("a", True, a=TEXT),
        "Expected { a: string } but got { a: string; b: number }: 'b' is not one of the keys allowed",
    ),
    (
        object_of("a", a=TEXT),
        object_of("a b", a=TEXT, b=NUMBER),
        "Expected { a: string; b: number } but got { a: string }: 'b' is required and not there",
    ),
    (
        object_of("a", a=NUMBER),
        object_of("a", a=TEXT),
        "Expected { a: string } but got { a: number }: a is a number, but a string is needed",
    ),
    (
        object_of("a", a=object_of("b", b=NUMBER)),
        object_of("a", a=object_of("b", b=TEXT)),
        "Expected { a: { b: string } } but got { a: { b: number } }: a.b is a number, but a string is needed",
    ),
    (
        object_of("a", a=object_of("b", b=list_of(object_of("c", c=NUMBER)))),
        object_of("a", a=object_of("b", b=list_of(object_of("c", c=TEXT)))),
        "Expected { a: { b: object[] } } but got { a: { b: object[] } }: a.b[].c is a number, but a string is needed",
    ),
    (TEXT, {"type": "object"}, "Expected object but got string"),
    ("string[]", {"type": "object"}, "Expected object but got string[]"),
    ("string[]", "{ length: number }", "Expected { length: number } but got string[]"),
    ("string", "object", "Expected object but got string"),
    ({"type": "object"}, TEXT, "Expected string but got object"),
    (list_of(TEXT), {"type": "object"}, "Expected object but got string[]"),
    (
        {"type": "object", "additionalProperties": NUMBER},
        {"type": "object", "additionalProperties": TEXT},
        "Expected { [key: string]: string } but got { [key: string]: number }: * is a number, but a string is needed",
    ),
    (
        object_of("a", a=NUMBER),
        {"type": "object", "additionalProperties": TEXT},
        "Expected { [key: string]: string } but got { a: number }: a is a number, but a string is needed",
    ),
    (any_of(TEXT, NUMBER), TEXT, "Expected string but got string | number"),
    (any_of(TEXT, NULL), TEXT, "Expected string but got string | null"),
    (any_of(TEXT, NULL), any_of(TEXT, NUMBER), "Expected string | number but got string | null"),
    (any_of(list_of(TEXT), TEXT), list_of(TEXT), "Expected string[] but got string[] | string"),
    ({"type": ["string", "null"]}, TEXT, "Expected string but got string | null"),
    ({"oneOf": [TEXT, NUMBER]}, TEXT, "Expected string but got string | number"),
    (
        {"allOf": [object_of("a", a=TEXT), object_of("b", b=NUMBER)]},
        object_of("a b", a=TEXT, b=TEXT),
        "Expected { a: string; b: string } but got { a: string; b: number }: b is a number, but a string is needed",
    ),
    (
        object_of("a", a=TEXT),
        {"allOf": [object_of("a", a=TEXT), object_of("b", b=NUMBER)]},
        "Expected { a: string; b: number } but got { a: string }: 'b' is required and not there",
    ),
    (TEXT, one_of("a"), "Expected 'a' but got string"),
    (one_of("a", "b"), one_of("a"), "Expected 'a' but got 'a' | 'b'"),
    (one_of("a", 1), TEXT, "Expected string but got 'a' | 1"),
    (one_of(1, 2.5), WHOLE, "Expected integer but got 1 | 2.5"),
    (FLAG, only(True), "Expected true but got boolean"),
    (one_of("a", "b", "c"), one_of("x"), "Expected 'x' but got 'a' | 'b' | 'c'"),
    (only("a"), only("b"), "Expected 'b' but got 'a'"),
    (only({"a": 1}), object_of("a", a=TEXT), "Expected { a: string } but got {…}: a is 1, but a string is needed"),
    (
        {"$ref": "#/$defs/T", "$defs": {"T": object_of("id", id=NUMBER)}},
        object_of("id", id=TEXT),
        "Expected { id: string } but got { id: number }: id is a number, but a string is needed",
    ),
    (
        {"$ref": "#/$defs/T", "$defs": {"T": object_of("id", id=TEXT, kids=list_of({"$ref": "#/$defs/T"}))}},
        {"$ref": "#/$defs/T", "$defs": {"T": object_of("id", id=TEXT, kids=list_of(object_of("name", name=TEXT)))}},
        "Expected { id: string; kids?: { name: string }[] } but got { id: string; kids?: { id: string; kids?: array }[] }: kids[] 'name' is required and not there",
    ),
    (
        any_of(object_of("kind a", kind=only("x"), a=TEXT), object_of("kind b", kind=only("y"), b=NUMBER)),
        any_of(object_of("kind a", kind=only("x"), a=TEXT), object_of("kind b", kind=only("y"), b=TEXT)),
        "Expected { kind: 'x'; a: string } | { kind: 'y'; b: string } but got { kind: 'x'; a: string } | { kind: 'y'; b: number }: b is a number, but a string is needed",
    ),
    (
        object_of("kind", kind=TEXT),
        any_of(object_of("kind", kind=only("x")), object_of("kind", kind=only("y"))),
        "Expected { kind: 'x' } | { kind: 'y' } but got { kind: string }: kind is a string, but 'x' is needed",
    ),
    ("number", TEXT, "Expected string but got number"),
    (
        "{ a: string }",
        object_of("a b", a=TEXT, b=NUMBER),
        "Expected { a: string; b: number } but got { a: string }: 'b' is required and not there",
    ),
    ("'a' | 'd'", one_of("a", "b", "c"), "Expected 'a' | 'b' | 'c' but got 'a' | 'd'"),
    ("string | null", TEXT, "Expected string but got string | null"),
    (
        "Record<string, number>",
        {"type": "object", "additionalProperties": TEXT},
        "Expected { [key: string]: string } but got { [key: string]: number }: * is a number, but a string is needed",
    ),
    (
        "[string, number]",
        list_of(TEXT),
        "Expected string[] but got [string, number]: [1] is a number, but a string is needed",
    ),
    (
        "{ a: string; b: number }",
        object_of("a", True, a=TEXT),
        "Expected { a: string } but got { a: string; b: number }: 'b' is not one of the keys allowed",
    ),
    (NUMBER, "string", "Expected string but got number"),
    (
        list_of(NUMBER),
        "readonly string[]",
        "Expected string[] but got number[]: [] is a number, but a string is needed",
    ),
    (
        object_of("a", a=TEXT),
        "{ a: string; b: number }",
        "Expected { a: string; b: number } but got { a: string }: 'b' is required and not there",
    ),
    (TEXT, "'a' | 'b'", "Expected 'a' | 'b' but got string"),
    (any_of(TEXT, NULL), "string", "Expected string but got string | null"),
    (
        "{ a: { b: number[] } }",
        "{ a: { b: string[] } }",
        "Expected { a: { b: string[] } } but got { a: { b: number[] } }: a.b[] is a number, but a string is needed",
    ),
)
"""And what is said."""

DOUBTED: Final[tuple[tuple[Type, Type, str], ...]] = (
    (object_of("", a=TEXT), object_of("a", a=TEXT), "@a.v: 'a' is required and may not be there"),
    ({"type": "object"}, object_of("a", a=TEXT), "@a.v: 'a' is required and may not be there"),
    (
        {"type": "object", "additionalProperties": TEXT},
        object_of("a", a=TEXT),
        "@a.v: 'a' is required and may not be there",
    ),
    ("number", WHOLE, "@a.v is a number, but an integer is needed"),
    ("number[]", list_of(WHOLE), "@a.v: [] is a number, but an integer is needed"),
    ("{ a?: string }", object_of("a", a=TEXT), "@a.v: 'a' is required and may not be there"),
    ("string[]", "[string, string]", "@a.v may have fewer items than the 2 needed"),
    ("string[]", "[string, ...string[]]", "@a.v may have fewer items than the 1 needed"),
    ("string[]", "[string?]", "@a.v may have more items than the 1 allowed"),
    ("string[]", "[]", "@a.v may have more items than the 0 allowed"),
    ("[string, string?]", "[string, string]", "@a.v may have fewer items than the 2 needed"),
    ("object", object_of("a", a=TEXT), "@a.v: 'a' is required and may not be there"),
    (object_of("", a=TEXT), "{ a: string }", "@a.v: 'a' is required and may not be there"),
    ({"type": "object"}, "{ a: string }", "@a.v: 'a' is required and may not be there"),
    ("Partial<{ a: string }>", "{ a: string }", "@a.v: 'a' is required and may not be there"),
)
"""It may be saved, and is warned of."""


WRITTEN: Final[tuple[tuple[Json, Type, str, str], ...]] = (
    (
        [],
        list_of(TEXT, minItems=1),
        "v",
        "Expected string[] but got []: has at most 0 items, but the least needed is 1",
    ),
    (
        ["a", "b", "c"],
        list_of(TEXT, maxItems=2),
        "v",
        "Expected string[] but got ['a', 'b', 'c']: has at least 3 items, but the most allowed is 2",
    ),
    ([1], list_of(False), "v", "Expected [] but got [1]: has at least 1 item, but the most allowed is 0"),
    (
        [1],
        {"type": "array", "prefixItems": [False]},
        "v",
        "Expected [never] but got [1]: [0] is not allowed: no value is",
    ),
    (["a", 5], list_of(TEXT), "v.1", "Expected string but got 5"),
    ([[1]], list_of(list_of(TEXT)), "v.0.0", "Expected string but got 1"),
    ({"a": {"b": [1]}}, object_of("a", a=object_of("b", b=list_of(TEXT))), "v.a.b.0", "Expected string but got 1"),
    ({"a": 1, "z": 2}, object_of("a", True, a=NUMBER), "v.z", "'z' is nothing that 'b' takes; there are a"),
    (
        {},
        object_of("a", a=object_of("b", b=TEXT)),
        "v.a",
        "Expected { b: string } but got nothing: 'a' is required",
    ),
    ("x", one_of("a", None), "v", "Expected 'a' | null but got 'x'"),
    (None, one_of("a", "b"), "v", "Expected 'a' | 'b' but got null"),
    ([None], one_of("a"), "v", "Expected 'a' but got [null]"),
    ({"k": 1}, one_of("a"), "v", "Expected 'a' but got { k: 1 }"),
    (5, one_of(True, 1.5, [1], {"k": 1}), "v", "Expected true | 1.5 | […] | {…} but got 5"),
    (5, any_of(TEXT, list_of(TEXT)), "v", "Expected string | string[] but got 5"),
    ("x", {"allOf": [TEXT, NUMBER]}, "v", "Expected never but got 'x'"),
    (True, TEXT, "v", "Expected string but got true"),
    ("of @input.x", NUMBER, "v", "Expected number but got string"),
    ("@a.n", TEXT, "v", "Expected string but got integer"),
    ("@a.text.length", TEXT, "v", "Expected string but got integer"),
    ("@a.list.length", TEXT, "v", "Expected string but got integer"),
    ("@a.list[0]", NUMBER, "v", "Expected number but got string | boolean"),
    ("@a.either.k", TEXT, "v", "Expected string but got number | boolean"),
)
"""What stands in the document, what is taken, and what is said of which field."""

RECURSIVE: Final = {"$ref": "#/$defs/T", "$defs": {"T": object_of("v", v=list_of({"$ref": "#/$defs/T"}))}}

READ: Final = object_of(
    "n text list either",
    True,
    n=WHOLE,
    text=TEXT,
    list=list_of(any_of(TEXT, FLAG), minItems=1),
    either=any_of(object_of("k", k=NUMBER), object_of("k", k=FLAG)),
    fixed=only({"k": 1}),
)


@pytest.mark.parametrize(("given", "taken", "field", "says"), WRITTEN, ids=_shown)
def test_what_is_written_there_is_told_by_its_place(given: Json, taken: Type, field: str, says: str) -> None:
    (problem,) = _written(given, taken).problems
    assert (problem.type, problem.step, problem.field, problem.message) == ("type_mismatch", "b", field, says)


@pytest.mark.parametrize(
    ("given", "taken"),
    [
        ({"a": "@input.x"}, object_of("a", a=NUMBER)),
        ({"@input.k": 1}, object_of("a", True, a=NUMBER)),
        (1.0, WHOLE),
        ({"a": None}, object_of("a", a=any_of(TEXT, NULL))),
        ([], list_of(TEXT)),
        ("@a.fixed.k", TEXT),
    ],
)
def test_what_is_written_there_and_may_fit_is_accepted_in_silence(given: Json, taken: Type) -> None:
    compiled = _written(given, taken)
    assert (compiled.problems, compiled.warnings) == ((), ())


def _written(given: Json, taken: Type) -> Compiled:
    """`a` gives what `READ` says; `v` is taken."""
    tools = (TaskSchema("gives", "x", None, READ), TaskSchema("takes", "x", _with_v(taken), {}))
    steps = [[{"name": "a", **_tool("gives")}], [{"name": "b", **_tool("takes"), "input": {"v": given}}]]
    return dialects.compile({"steps": steps}, Catalog(tools))


def judged(given: Type, taken: Type) -> Compiled:
    """`@a.v` is given, and `v` is taken."""
    tools = [
        *([] if isinstance(given, str) else [TaskSchema("gives", "x", None, _with_v(given))]),
        *([] if isinstance(taken, str) else [TaskSchema("takes", "x", _with_v(taken), {})]),
    ]
    gives = _transform("x?: string", f"v: {given}") if isinstance(given, str) else _tool("gives")
    takes = _transform(f"v: {taken}", "x?: string") if isinstance(taken, str) else _tool("takes")
    document = {"steps": [[{"name": "a", **gives, "input": {}}], [{"name": "b", **takes, "input": {"v": "@a.v"}}]]}
    return dialects.compile(document, Catalog(tuple(tools)))


def judged_beside(given: Type, taken: Type) -> Compiled:
    """The same, of what a phase of several steps has come to, where no input is written: `a.v` is given, and taken."""
    tools = [
        TaskSchema("nap", "x", None, RECURSIVE),
        *([] if isinstance(given, str) else [TaskSchema("gives", "x", None, _with_v(given))]),
        *([] if isinstance(taken, str) else [TaskSchema("takes", "x", _with_a_v(taken), {})]),
    ]
    gives = _transform("x?: string", f"v: {given}") if isinstance(given, str) else _tool("gives")
    takes = _transform(f"a: {{ v: {taken} }}", "x?: string") if isinstance(taken, str) else _tool("takes")
    phase = [{"name": "a", **gives, "input": {}}, {"name": "beside/~ it", **_tool("nap"), "input": {}}]
    return dialects.compile({"steps": [phase, [{"name": "b", **takes}]]}, Catalog(tuple(tools)))


def _with_v(type_: Type) -> Json:
    return {**object_of("v", v=type_), **_definitions(type_)}


def _with_a_v(type_: Type) -> Json:
    return {**object_of("a", a=object_of("v", v=type_)), **_definitions(type_)}


def _definitions(type_: Type) -> dict[str, Json]:
    return {"$defs": type_["$defs"]} if isinstance(type_, dict) and "$defs" in type_ else {}


def _tool(name: str) -> dict[str, Json]:
    return {"tool": {"connectionId": "x", "toolName": name}}


def _transform(takes: str, gives: str) -> dict[str, Json]:
    types = f"interface Input {{ {takes} }}\ninterface Output {{ {gives} }}"
    return {"transform": f"{types}\nexport default (input: Input): Output => input as any"}


@pytest.mark.parametrize(("given", "taken"), FITS, ids=_shown)
def test_what_fits_is_accepted_in_silence(given: Type, taken: Type) -> None:
    compiled = judged(given, taken)
    assert (compiled.problems, compiled.warnings) == ((), ())


@pytest.mark.parametrize(("given", "taken", "says"), REFUSED, ids=_shown)
def test_what_does_not_fit_is_refused_and_both_types_are_told(given: Type, taken: Type, says: str) -> None:
    (problem,) = judged(given, taken).problems
    assert (problem.type, problem.step, problem.field, problem.message) == ("type_mismatch", "b", "v", says)
    if says.startswith("Expected"):
        assert problem.ref == "@a.v"
        assert problem.expected is not None
        assert problem.actual is not None


@pytest.mark.parametrize(("given", "taken", "says"), DOUBTED, ids=_shown)
def test_what_may_not_fit_is_accepted_and_warned_of(given: Type, taken: Type, says: str) -> None:
    compiled = judged(given, taken)
    assert compiled.problems == ()
    assert [(each.type, each.message, each.ref) for each in compiled.warnings] == [("may_not_fit", says, "@a.v")]


@pytest.mark.parametrize(("given", "taken"), FITS, ids=_shown)
def test_what_fits_does_so_beside_others(given: Type, taken: Type) -> None:
    compiled = judged_beside(given, taken)
    assert compiled.problems == ()
    assert [each.type for each in compiled.warnings] == ["no_ref"]


@pytest.mark.parametrize(("given", "taken", "says"), REFUSED, ids=_shown)
def test_what_does_not_fit_is_refused_beside_others(given: Type, taken: Type, says: str) -> None:
    (problem,) = judged_beside(given, taken).problems
    assert (problem.type, problem.step, problem.field) == ("type_mismatch", "b", "input")
    assert problem.message.startswith("Expected {"), says


@pytest.mark.parametrize(("given", "taken", "says"), DOUBTED, ids=_shown)
def test_what_may_not_fit_is_warned_of_beside_others(given: Type, taken: Type, says: str) -> None:
    compiled = judged_beside(given, taken)
    assert compiled.problems == ()
    assert [each.type for each in compiled.warnings if each.step == "b"] == ["may_not_fit"], says


def test_what_refers_to_itself_is_compared_however_it_is_called() -> None:
    """Of a phase of several: by its own definitions, and not by those of the others, which may have the same names."""
    tree = "interface Tree { id: string; kids: Tree[] }\n"
    gives, takes = (
        _transform("x?: string", "v: Tree"),
        _transform("'a/~ %b': { v: Tree }; c: { v: Tree }", "x?: string"),
    )
    number = tree.replace("string", "number")
    phase = [
        {"name": "a/~ %b", "transform": tree + gives["transform"], "input": {}},
        {"name": "c", "transform": number + gives["transform"], "input": {}},
    ]
    (problem,) = dialects.compile(
        {"steps": [phase, [{"name": "b", "transform": tree + takes["transform"]}]]}, Catalog()
    ).problems
    assert problem.message.endswith(": c.v.id is a number, but a string is needed")


@pytest.mark.parametrize(
    ("given", "taken", "needed"),
    [("unknown", TEXT, "string"), ("any", "string[]", "string[]"), ("{}", TEXT, "string"), ("unknown", "{}", "{}")],
)
def test_what_a_transform_says_nothing_of_is_not_checked_and_warned_of(given: Type, taken: Type, needed: str) -> None:
    compiled = judged(given, taken)
    (warning,) = compiled.warnings
    says = f"@a.v is unknown, and {needed} is needed: whether it fits is not checked"
    assert (compiled.problems, warning.type, warning.message, warning.step) == ((), "unchecked", says, "b")


def test_a_key_that_may_be_meant_is_told_with_the_one_that_is_missing() -> None:
    tools = (TaskSchema("takes", "x", object_of("items n", items=TEXT, n=NUMBER), {}),)
    steps = [[{"name": "b", **_tool("takes"), "input": {"itms": "x", "n": 1}}]]
    (problem,) = dialects.compile({"steps": steps}, Catalog(tools)).problems
    assert problem.message == (
        "Expected string but got nothing: 'items' is required; 'itms' is not known here, and may be meant"
    )


def test_a_key_that_can_never_be_there_is_not_what_is_meant() -> None:
    steps = [[{"name": "a", **_transform("", "v: never"), "input": {}}], [{"name": "b", "sleep": {"until": "@a.v"}}]]
    (problem,) = dialects.compile({"steps": steps}).problems
    assert (problem.type, problem.message) == ("missing_ref", "'v' is not in the output of step 'a'")


def test_problems_are_told_in_the_order_of_the_document() -> None:
    wrong = {"sleep": {"until": "@nobody.x"}}
    phases = [[{"name": "a", **wrong}, {"name": "a", **wrong}], {"name": "c", "sleep": {}}, [{"name": "d"}]]
    trigger = {"workflowId": "w", "inputs": {"x": "@nobody.y"}}
    found = dialects.compile({"triggers": [trigger], "steps": phases, "status": "no"}, dialect="phases").problems
    assert [each.path for each in found] == [
        "/status",
        "/steps/0/0/sleep/until",
        "/steps/0/1/name",
        "/steps/0/1/sleep/until",
        "/steps/1/sleep",
        "/steps/2/0",
        "/triggers/0/inputs/x",
    ]


def test_there_are_enough() -> None:
    assert len(FITS) + len(REFUSED) + len(DOUBTED) >= 140
