"""TypeScript and the JSON Schema that it comes to: types alone, and whole declarations of `Input`."""

from __future__ import annotations

from typing import Any

NUMBER_OR_NULL: Any = {"anyOf": [{"type": "number"}, {"type": "null"}]}
STRING_OR_NUMBERS: Any = {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "number"}}]}


PRESENT: Any = {"not": {"type": "null"}}


def tree(name: str, kind: str) -> Any:
    """What `{ v: …; kids: Name[] }` comes to."""
    kids = {"type": "array", "items": {"$ref": f"#/$defs/{name}"}}
    return {"type": "object", "properties": {"v": {"type": kind}, "kids": kids}, "required": ["v", "kids"]}


def has(**properties: Any) -> Any:
    """An object of these, all of them required."""
    return {"type": "object", "properties": properties, "required": list(properties)}


TYPES: list[tuple[str, Any]] = [
    ("string", {"type": "string"}),
    ("number", {"type": "number"}),
    ("boolean", {"type": "boolean"}),
    ("null", {"type": "null"}),
    ("unknown", {}),
    ("any", {}),
    ("object", {"type": "object"}),
    ("{}", PRESENT),
    ("{} | null", {"anyOf": [PRESENT, {"type": "null"}]}),
    ("{} & unknown", PRESENT),
    ("(string | null) & {}", {"type": "string"}),
    ("('a' | 1 | null) & {}", {"enum": ["a", 1]}),
    ("(string | 1 | null) & {}", {"anyOf": [{"type": "string"}, {"const": 1}]}),
    ("(unknown[] | null) & {}", {"type": "array"}),
    ("{ a: null & {} }", {"type": "object", "properties": {"a": False}, "required": ["a"]}),
    ("{}[]", {"type": "array", "items": PRESENT}),
    ("'a'", {"const": "a"}),
    ('"it\'s"', {"const": "it's"}),
    ("5", {"const": 5}),
    ("-5", {"const": -5}),
    ("0x10", {"const": 16}),
    ("1.5", {"const": 1.5}),
    ("1_000", {"const": 1000}),
    ("true", {"const": True}),
    ("`a`", {"const": "a"}),
    ("'a\\n\\u0041'", {"const": "a\nA"}),
    ("string | null", {"anyOf": [{"type": "string"}, {"type": "null"}]}),
    ("'a' | 'b'", {"enum": ["a", "b"]}),
    ("'a' | 'b' | null", {"enum": ["a", "b", None]}),
    ("1 | 2 | 'x' | true", {"enum": [1, 2, "x", True]}),
    ("true | false", {"type": "boolean"}),
    ("true | false | null", {"anyOf": [{"type": "boolean"}, {"type": "null"}]}),
    ("boolean | 'a'", {"anyOf": [{"type": "boolean"}, {"const": "a"}]}),
    ("string | 'a'", {"type": "string"}),
    ("'a' | string | 1", {"anyOf": [{"type": "string"}, {"const": 1}]}),
    ("number | 1 | 'b'", {"anyOf": [{"type": "number"}, {"const": "b"}]}),
    ("string | unknown", {}),
    ("string | never", {"type": "string"}),
    ("'a' | 'a' | 'b'", {"enum": ["a", "b"]}),
    ("| 'a' | 'b'", {"enum": ["a", "b"]}),
    ("(string | number)[]", {"type": "array", "items": {"anyOf": [{"type": "string"}, {"type": "number"}]}}),
    ("string[]", {"type": "array", "items": {"type": "string"}}),
    ("string[][]", {"type": "array", "items": {"type": "array", "items": {"type": "string"}}}),
    ("Array<string>", {"type": "array", "items": {"type": "string"}}),
    ("ReadonlyArray<number>", {"type": "array", "items": {"type": "number"}}),
    ("readonly string[]", {"type": "array", "items": {"type": "string"}}),
    ("Array<unknown>", {"type": "array"}),
    ("any[]", {"type": "array"}),
    (
        "Array<{ a: string }>",
        {"type": "array", "items": {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}},
    ),
    ("never[]", {"type": "array", "items": False}),
    ("[]", {"type": "array", "items": False}),
    ("[string]", {"type": "array", "prefixItems": [{"type": "string"}], "items": False, "minItems": 1}),
    (
        "[string, number]",
        {"type": "array", "prefixItems": [{"type": "string"}, {"type": "number"}], "items": False, "minItems": 2},
    ),
    (
        "[string, number?]",
        {"type": "array", "prefixItems": [{"type": "string"}, {"type": "number"}], "items": False, "minItems": 1},
    ),
    (
        "[a: string, b?: number]",
        {"type": "array", "prefixItems": [{"type": "string"}, {"type": "number"}], "items": False, "minItems": 1},
    ),
    (
        "[string, ...number[]]",
        {"type": "array", "prefixItems": [{"type": "string"}], "items": {"type": "number"}, "minItems": 1},
    ),
    ("[...string[]]", {"type": "array", "items": {"type": "string"}}),
    ("[first: string, ...rest: unknown[]]", {"type": "array", "prefixItems": [{"type": "string"}], "minItems": 1}),
    (
        "readonly [string, boolean]",
        {"type": "array", "prefixItems": [{"type": "string"}, {"type": "boolean"}], "items": False, "minItems": 2},
    ),
    (
        "[string, ...Array<number>]",
        {"type": "array", "prefixItems": [{"type": "string"}], "items": {"type": "number"}, "minItems": 1},
    ),
    ("{ a: string }", {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}),
    ("{ a?: string }", {"type": "object", "properties": {"a": {"type": "string"}}}),
    ("{ a: string | undefined }", {"type": "object", "properties": {"a": {"type": "string"}}}),
    (
        "{ a?: string | null }",
        {"type": "object", "properties": {"a": {"anyOf": [{"type": "string"}, {"type": "null"}]}}},
    ),
    ("{ a?: undefined }", {"type": "object", "properties": {"a": False}}),
    (
        "{ readonly a: string; b?: number, c: boolean }",
        {
            "type": "object",
            "properties": {"a": {"type": "string"}, "b": {"type": "number"}, "c": {"type": "boolean"}},
            "required": ["a", "c"],
        },
    ),
    (
        "{ 'a-b': string; 5: number; ['c']: boolean }",
        {
            "type": "object",
            "properties": {"a-b": {"type": "string"}, "5": {"type": "number"}, "c": {"type": "boolean"}},
            "required": ["a-b", "5", "c"],
        },
    ),
    (
        "{ a: { b: { c: string } } }",
        {
            "type": "object",
            "properties": {
                "a": {
                    "type": "object",
                    "properties": {"b": {"type": "object", "properties": {"c": {"type": "string"}}, "required": ["c"]}},
                    "required": ["b"],
                }
            },
            "required": ["a"],
        },
    ),
    ("{ a }", {"type": "object", "properties": {"a": {}}, "required": ["a"]}),
    (
        "{ a: string\n b: number }",
        {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "number"}}, "required": ["a", "b"]},
    ),
    (
        "{ if: string; type: string; readonly: boolean; get: number; new?: string }",
        {
            "type": "object",
            "properties": {
                "if": {"type": "string"},
                "type": {"type": "string"},
                "readonly": {"type": "boolean"},
                "get": {"type": "number"},
                "new": {"type": "string"},
            },
            "required": ["if", "type", "readonly", "get"],
        },
    ),
    ("{ [key: string]: number }", {"type": "object", "additionalProperties": {"type": "number"}}),
    ("{ [key: number]: string }", {"type": "object", "additionalProperties": {"type": "string"}}),
    ("{ [key: string | number]: string }", {"type": "object", "additionalProperties": {"type": "string"}}),
    ("{ [key: string]: string | undefined }", {"type": "object", "additionalProperties": {"type": "string"}}),
    ("{ [key: string]: unknown }", {"type": "object", "additionalProperties": {}}),
    (
        "{ id: string; [key: string]: string | number }",
        {
            "type": "object",
            "properties": {"id": {"type": "string"}},
            "required": ["id"],
            "additionalProperties": {"anyOf": [{"type": "string"}, {"type": "number"}]},
        },
    ),
    ("Record<string, number>", {"type": "object", "additionalProperties": {"type": "number"}}),
    ("Record<string, unknown>", {"type": "object", "additionalProperties": {}}),
    ("Record<number, string>", {"type": "object", "additionalProperties": {"type": "string"}}),
    (
        "Record<'a' | 'b', number>",
        {"type": "object", "properties": {"a": {"type": "number"}, "b": {"type": "number"}}, "required": ["a", "b"]},
    ),
    (
        "Record<'a' | 'b', number | undefined>",
        {"type": "object", "properties": {"a": {"type": "number"}, "b": {"type": "number"}}},
    ),
    (
        "Record<string, { a: string }>",
        {
            "type": "object",
            "additionalProperties": {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]},
        },
    ),
    (
        "Record<1 | 2, string>",
        {"type": "object", "properties": {"1": {"type": "string"}, "2": {"type": "string"}}, "required": ["1", "2"]},
    ),
    (
        "Record<string, Record<string, boolean>>",
        {"type": "object", "additionalProperties": {"type": "object", "additionalProperties": {"type": "boolean"}}},
    ),
    (
        "Partial<{ a: string; b: number }>",
        {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "number"}}},
    ),
    (
        "Partial<Record<'a' | 'b', number>>",
        {"type": "object", "properties": {"a": {"type": "number"}, "b": {"type": "number"}}},
    ),
    (
        "Required<{ a?: string; b?: number | undefined }>",
        {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "number"}}, "required": ["a", "b"]},
    ),
    ("Readonly<{ a: string }>", {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}),
    ("Readonly<string[]>", {"type": "array", "items": {"type": "string"}}),
    (
        "Pick<{ a: string; b?: number; c: boolean }, 'a' | 'b'>",
        {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "number"}}, "required": ["a"]},
    ),
    (
        "Pick<{ a: string; b: number }, 'a'>",
        {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]},
    ),
    (
        "Omit<{ a: string; b: number; c: boolean }, 'a' | 'c'>",
        {"type": "object", "properties": {"b": {"type": "number"}}, "required": ["b"]},
    ),
    (
        "Omit<{ a: string; b: number }, 'zzz'>",
        {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "number"}}, "required": ["a", "b"]},
    ),
    ("Pick<{ a: string; [k: string]: unknown }, 'a'>", has(a={"type": "string"})),
    ("Pick<{ a: string; [k: string]: unknown }, string>", {"type": "object", "additionalProperties": {}}),
    ("Pick<Record<string, number>, 'a'>", has(a={"type": "number"})),
    ("Pick<{ a: 1; b: 2 } | { a: 3; c: 4 }, 'a'>", has(a={"enum": [1, 3]})),
    ("Pick<{ a: 1 } | { a?: 2 }, 'a'>", {"type": "object", "properties": {"a": {"enum": [1, 2]}}}),
    ("Pick<{ a: 1 } | Record<string, 2>, 'a'>", has(a={"enum": [1, 2]})),
    ("Pick<Record<string, 1> | Record<string, 2>, 'a'>", has(a={"enum": [1, 2]})),
    ("Pick<{ a: 1 }, never>", {"type": "object"}),
    ("Omit<{ a: string; b: number }, string>", {"type": "object"}),
    ("Omit<{ a: string; b: number }, number>", has(a={"type": "string"}, b={"type": "number"})),
    ("Omit<{ a: string; [k: string]: unknown }, 'a'>", {"type": "object", "additionalProperties": {}}),
    ("Omit<Record<string, number>, string | number>", {"type": "object"}),
    ("Omit<{ a: 1; b: 2 } | { a: 3; b: 2; c: 4 }, 'a'>", has(b={"const": 2})),
    ("Record<'a' | string, number>", {"type": "object", "additionalProperties": {"type": "number"}}),
    ("Record<1 | number | 'a', 2>", {**has(a={"const": 2}), "additionalProperties": {"const": 2}}),
    ("Record<never, number>", {"type": "object"}),
    ("{ [K in 'a' | string]: number }", {"type": "object", "additionalProperties": {"type": "number"}}),
    ("({ a: 1 } | { a: 2; b: 3 })['a']", {"enum": [1, 2]}),
    ("({ a: 1 } | { a: string })['a']", {"anyOf": [{"type": "string"}, {"const": 1}]}),
    ("(1[] | [2, 3])[0]", {"enum": [1, 2]}),
    (
        "Partial<{ a: 1 } | { b: 2 } | null>",
        {
            "anyOf": [
                {"type": "object", "properties": {"a": {"const": 1}}},
                {"type": "object", "properties": {"b": {"const": 2}}},
                {"type": "null"},
            ]
        },
    ),
    ("Required<{ a?: 1 } | { b?: 2 }>", {"anyOf": [has(a={"const": 1}), has(b={"const": 2})]}),
    ("Partial<Exclude<{ a: 1 } | 'x', 'x'>>", {"type": "object", "properties": {"a": {"const": 1}}}),
    ("Partial<'a' | 1>", {"enum": ["a", 1]}),
    ("Partial<Pick<{ a: string; b: number }, 'a'>>", {"type": "object", "properties": {"a": {"type": "string"}}}),
    ("Exclude<'a' | 'b' | 'c', 'a'>", {"enum": ["b", "c"]}),
    ("Exclude<'a' | 1 | true, string>", {"enum": [1, True]}),
    ("Extract<'a' | 'b' | 1, string>", {"enum": ["a", "b"]}),
    ("Extract<'a' | 'b' | 'c', 'b' | 'z'>", {"const": "b"}),
    (
        "Extract<{ k: 'x'; a: 1 } | { k: 'y'; b: 2 }, { k: 'y' }>",
        {"type": "object", "properties": {"k": {"const": "y"}, "b": {"const": 2}}, "required": ["k", "b"]},
    ),
    ("Exclude<string | number | null, null>", {"anyOf": [{"type": "string"}, {"type": "number"}]}),
    ("NonNullable<string | null | undefined>", {"type": "string"}),
    ("keyof { a: string; b: number }", {"enum": ["a", "b"]}),
    ("keyof { [k: string]: number }", {"anyOf": [{"type": "string"}, {"type": "number"}]}),
    ("{ a: string; b: number }['a']", {"type": "string"}),
    ("{ a: string; b: number }['a' | 'b']", {"anyOf": [{"type": "string"}, {"type": "number"}]}),
    ("{ a: string[] }['a'][number]", {"type": "string"}),
    ("[string, number][0]", {"type": "string"}),
    ("[string, number][number]", {"anyOf": [{"type": "string"}, {"type": "number"}]}),
    ("string[][number]", {"type": "string"}),
    (
        "{ [K in 'a' | 'b']: number }",
        {"type": "object", "properties": {"a": {"type": "number"}, "b": {"type": "number"}}, "required": ["a", "b"]},
    ),
    ("{ [K in 'a' | 'b']?: K }", {"type": "object", "properties": {"a": {"const": "a"}, "b": {"const": "b"}}}),
    ("{ readonly [K in string]: number }", {"type": "object", "additionalProperties": {"type": "number"}}),
    (
        "{ a: string } & { b: number }",
        {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "number"}}, "required": ["a", "b"]},
    ),
    (
        "{ a: string } & { a: 'x'; b?: number }",
        {"type": "object", "properties": {"a": {"const": "x"}, "b": {"type": "number"}}, "required": ["a"]},
    ),
    ("{ a?: string } & { a: string }", {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}),
    ("string & 'a'", {"const": "a"}),
    ("('a' | 'b') & ('b' | 'c')", {"const": "b"}),
    (
        "{ a: string } & ({ b: 1 } | { c: 2 })",
        {
            "allOf": [
                {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]},
                {
                    "anyOf": [
                        {"type": "object", "properties": {"b": {"const": 1}}, "required": ["b"]},
                        {"type": "object", "properties": {"c": {"const": 2}}, "required": ["c"]},
                    ]
                },
            ]
        },
    ),
    (
        "{ a: string } | { b: number }",
        {
            "anyOf": [
                {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]},
                {"type": "object", "properties": {"b": {"type": "number"}}, "required": ["b"]},
            ]
        },
    ),
    (
        "{ kind: 'a'; x: number } | { kind: 'b'; y: string } | null",
        {
            "anyOf": [
                {
                    "type": "object",
                    "properties": {"kind": {"const": "a"}, "x": {"type": "number"}},
                    "required": ["kind", "x"],
                },
                {
                    "type": "object",
                    "properties": {"kind": {"const": "b"}, "y": {"type": "string"}},
                    "required": ["kind", "y"],
                },
                {"type": "null"},
            ]
        },
    ),
    ("((string))", {"type": "string"}),
    ("(((string | (number | null))))", {"anyOf": [{"type": "string"}, {"type": "number"}, {"type": "null"}]}),
    (
        "{ /** The name. */ a: string }",
        {"type": "object", "properties": {"a": {"type": "string", "description": "The name."}}, "required": ["a"]},
    ),
    (
        "{ /** one\n * two\n * @deprecated */ a: string; // no\n b: number }",
        {
            "type": "object",
            "properties": {"a": {"type": "string", "description": "one two"}, "b": {"type": "number"}},
            "required": ["a", "b"],
        },
    ),
    ("{ a: /** not this */ string }", {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}),
    ("unknown[] | string", {"anyOf": [{"type": "array"}, {"type": "string"}]}),
    ("'😀' | 'ü'", {"enum": ["😀", "ü"]}),
    ("{ größe: number }", {"type": "object", "properties": {"größe": {"type": "number"}}, "required": ["größe"]}),
    ("{ a: never }", {"type": "object", "properties": {"a": False}, "required": ["a"]}),
    ("{ a: any; b?: unknown }", {"type": "object", "properties": {"a": {}, "b": {}}, "required": ["a"]}),
    ("-0", {"const": 0}),
    ("1e21", {"const": 1e21}),
    (
        "{ a: 'x', b: 1, c: true, d: null }",
        {
            "type": "object",
            "properties": {"a": {"const": "x"}, "b": {"const": 1}, "c": {"const": True}, "d": {"type": "null"}},
            "required": ["a", "b", "c", "d"],
        },
    ),
]
DECLARATIONS: list[tuple[str, Any]] = [
    (
        "type Input = Readonly<[string]>[0] | [string, ...number[]][5] | A[number]; type A = [1, ...2[]]",
        {"anyOf": [{"type": "string"}, {"type": "number"}]},
    ),
    ("type Input = { a: never & string }", {"type": "object", "properties": {"a": False}, "required": ["a"]}),
    ("type Input = unknown & any", {}),
    (
        "interface Input { a: [1, { b: string }] } interface Input { /** again */ a: [1, { b: string }] }",
        has(
            a={
                "type": "array",
                "prefixItems": [{"const": 1}, has(b={"type": "string"})],
                "items": False,
                "minItems": 2,
                "description": "again",
            }
        ),
    ),
    (
        "type Input = { a: unknown } & { a: string }",
        {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]},
    ),
    ("type Input = (string & {}) | 'a'", {"type": "string"}),
    ("type Input = null & null", {"type": "null"}),
    ("type Input = 'a' & (null | 'a')", {"const": "a"}),
    (
        "interface Input { a: T<string> } interface T<A, B = A[]> { a: A; b: B }",
        {
            "type": "object",
            "properties": {
                "a": {
                    "type": "object",
                    "properties": {"a": {"type": "string"}, "b": {"type": "array", "items": {"type": "string"}}},
                    "required": ["a", "b"],
                }
            },
            "required": ["a"],
        },
    ),
    (
        "type Input = { [K in 'a']-?: string | undefined }",
        {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]},
    ),
    ("type Input = Record<'a' | 'b', string>['a']", {"type": "string"}),
    (
        "interface Input { a: B } interface B { c: Partial<C>['d'] } interface C { d: { e: 1 } }",
        {
            "type": "object",
            "properties": {
                "a": {
                    "type": "object",
                    "properties": {"c": {"type": "object", "properties": {"e": {"const": 1}}, "required": ["e"]}},
                }
            },
            "required": ["a"],
        },
    ),
    (
        "type Input = (string)[] & { length: 1 }",
        {"type": "array", "items": {"type": "string"}},
    ),
    ("type Input = string & { readonly __brand: 'Id' }", {"type": "string"}),
    ("type Input = Brand<number, 'Id'> | null; type Brand<T, B> = T & { __brand: B }", NUMBER_OR_NULL),
    ("type Input = ('a' | 'b') & { __brand?: 1 }", {"enum": ["a", "b"]}),
    ("type Input = (string | number[]) & { __brand: 1 }", STRING_OR_NUMBERS),
    (
        "interface Input { a: Tree2<string>; b: Tree2<number> } interface Tree2<T> { v: T; kids: Tree2<T>[] }",
        {
            "type": "object",
            "properties": {"a": {"$ref": "#/$defs/Tree2"}, "b": {"$ref": "#/$defs/Tree22"}},
            "required": ["a", "b"],
            "$defs": {"Tree2": tree("Tree2", "string"), "Tree22": tree("Tree22", "number")},
        },
    ),
    (
        "type Input = [A<string>, A<number>, A2]; interface A<T> { v: T; kids: A<T>[] } interface A2 { v: null; kids: A2[] }",
        {
            "type": "array",
            "prefixItems": [{"$ref": "#/$defs/A"}, {"$ref": "#/$defs/A2"}, {"$ref": "#/$defs/A22"}],
            "items": False,
            "minItems": 3,
            "$defs": {"A": tree("A", "string"), "A2": tree("A2", "number"), "A22": tree("A22", "null")},
        },
    ),
    (
        "type Input = Exclude<S, N>; interface N { k: 'a'; next: N | null } type S = { k: 'a'; next: null } | { k: 'b' }",
        {"type": "object", "properties": {"k": {"const": "b"}}, "required": ["k"]},
    ),
    (
        "type Input = Extract<S, N>; interface N { k: 'a'; next: N | null } type S = { k: 'a'; next: null } | { k: 'b' }",
        {"type": "object", "properties": {"k": {"const": "a"}, "next": {"type": "null"}}, "required": ["k", "next"]},
    ),
    ("type Input = Exclude<boolean, true>", {"const": False}),
    ("type Input = Extract<boolean | string, true>", {"const": True}),
    ("type Input = Exclude<boolean | string, string>", {"type": "boolean"}),
    ("type Input = Exclude<boolean | 'a', boolean>", {"const": "a"}),
    (
        "type Input = { [k: string]: 1 | 'a' } & { [k: string]: 'a' | 'b' }",
        {"type": "object", "additionalProperties": {"const": "a"}},
    ),
    (
        "type Input = { [K in keyof A]: A[K] }; type A = { [k: string]: number }",
        {"type": "object", "additionalProperties": {"type": "number"}},
    ),
    ("type Input = Extract<string | undefined | 'a', string | undefined> & string", {"type": "string"}),
    (
        "type Input = { a: Exclude<string | undefined, undefined> }",
        {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]},
    ),
    (
        "type Input = string[] | number[]",
        {"anyOf": [{"type": "array", "items": {"type": "string"}}, {"type": "array", "items": {"type": "number"}}]},
    ),
    (
        "type Input = [] | [string]",
        {
            "anyOf": [
                {"type": "array", "items": False},
                {"type": "array", "prefixItems": [{"type": "string"}], "items": False, "minItems": 1},
            ]
        },
    ),
    (
        "interface Input { a: B } interface B { b: string }",
        {
            "type": "object",
            "properties": {"a": {"type": "object", "properties": {"b": {"type": "string"}}, "required": ["b"]}},
            "required": ["a"],
        },
    ),
    (
        "interface Input { a: B; c: B } interface B { b: string }",
        {
            "type": "object",
            "properties": {
                "a": {"type": "object", "properties": {"b": {"type": "string"}}, "required": ["b"]},
                "c": {"type": "object", "properties": {"b": {"type": "string"}}, "required": ["b"]},
            },
            "required": ["a", "c"],
        },
    ),
    (
        "interface Input { a: B[] } type B = 'x' | 'y'",
        {"type": "object", "properties": {"a": {"type": "array", "items": {"enum": ["x", "y"]}}}, "required": ["a"]},
    ),
    ("type Input = A | 'c'; type A = 'a' | 'b'", {"enum": ["a", "b", "c"]}),
    (
        "type Input = A; type A = B; type B = { a: number }",
        {"type": "object", "properties": {"a": {"type": "number"}}, "required": ["a"]},
    ),
    (
        "interface Input extends A { b: number } interface A { a: string }",
        {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "number"}}, "required": ["a", "b"]},
    ),
    (
        "interface Input extends A, B { c: number } interface A { a: string } interface B { b?: string }",
        {
            "type": "object",
            "properties": {"a": {"type": "string"}, "b": {"type": "string"}, "c": {"type": "number"}},
            "required": ["a", "c"],
        },
    ),
    (
        "interface Input extends A { a: 'x' } interface A { a: string; b: number }",
        {"type": "object", "properties": {"a": {"const": "x"}, "b": {"type": "number"}}, "required": ["a", "b"]},
    ),
    (
        "interface Input extends Omit<A, 'b'> { c: number } interface A { a: string; b: number }",
        {"type": "object", "properties": {"a": {"type": "string"}, "c": {"type": "number"}}, "required": ["a", "c"]},
    ),
    (
        "interface Input extends P<string> { n: number } interface P<T> { items: T[] }",
        {
            "type": "object",
            "properties": {"items": {"type": "array", "items": {"type": "string"}}, "n": {"type": "number"}},
            "required": ["items", "n"],
        },
    ),
    (
        "interface Input { a: string } interface Input { b: number }",
        {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "number"}}, "required": ["a", "b"]},
    ),
    (
        "interface Input { next?: Input }",
        {
            "$ref": "#/$defs/Input",
            "$defs": {"Input": {"type": "object", "properties": {"next": {"$ref": "#/$defs/Input"}}}},
        },
    ),
    (
        "interface Input { tree: Tree } interface Tree { value: number; children: Tree[] }",
        {
            "type": "object",
            "properties": {"tree": {"$ref": "#/$defs/Tree"}},
            "required": ["tree"],
            "$defs": {
                "Tree": {
                    "type": "object",
                    "properties": {
                        "value": {"type": "number"},
                        "children": {"type": "array", "items": {"$ref": "#/$defs/Tree"}},
                    },
                    "required": ["value", "children"],
                }
            },
        },
    ),
    (
        "interface Input { a: Tree; b: Tree } interface Tree { children?: Tree[] }",
        {
            "type": "object",
            "properties": {"a": {"$ref": "#/$defs/Tree"}, "b": {"$ref": "#/$defs/Tree"}},
            "required": ["a", "b"],
            "$defs": {
                "Tree": {
                    "type": "object",
                    "properties": {"children": {"type": "array", "items": {"$ref": "#/$defs/Tree"}}},
                }
            },
        },
    ),
    (
        "type Input = { json: Json }; type Json = string | number | boolean | null | Json[] | { [key: string]: Json }",
        {
            "type": "object",
            "properties": {"json": {"$ref": "#/$defs/Json"}},
            "required": ["json"],
            "$defs": {
                "Json": {
                    "anyOf": [
                        {"type": "string"},
                        {"type": "number"},
                        {"type": "boolean"},
                        {"type": "array", "items": {"$ref": "#/$defs/Json"}},
                        {"type": "object", "additionalProperties": {"$ref": "#/$defs/Json"}},
                        {"type": "null"},
                    ]
                }
            },
        },
    ),
    (
        "interface Input { a: A } interface A { b?: B } interface B { a?: A }",
        {
            "type": "object",
            "properties": {"a": {"$ref": "#/$defs/A"}},
            "required": ["a"],
            "$defs": {
                "A": {
                    "type": "object",
                    "properties": {"b": {"type": "object", "properties": {"a": {"$ref": "#/$defs/A"}}}},
                }
            },
        },
    ),
    (
        "type Input = L<string>; type L<T> = { value: T; next: L<T> | null }",
        {
            "$ref": "#/$defs/L",
            "$defs": {
                "L": {
                    "type": "object",
                    "properties": {
                        "value": {"type": "string"},
                        "next": {"anyOf": [{"$ref": "#/$defs/L"}, {"type": "null"}]},
                    },
                    "required": ["value", "next"],
                }
            },
        },
    ),
    (
        "interface Input { a: L<string>; b: L<number> } interface L<T> { value: T; next?: L<T> }",
        {
            "type": "object",
            "properties": {"a": {"$ref": "#/$defs/L"}, "b": {"$ref": "#/$defs/L2"}},
            "required": ["a", "b"],
            "$defs": {
                "L": {
                    "type": "object",
                    "properties": {"value": {"type": "string"}, "next": {"$ref": "#/$defs/L"}},
                    "required": ["value"],
                },
                "L2": {
                    "type": "object",
                    "properties": {"value": {"type": "number"}, "next": {"$ref": "#/$defs/L2"}},
                    "required": ["value"],
                },
            },
        },
    ),
    (
        "interface Input extends Page<User> {} interface Page<T> { items: T[]; total: number } interface User { id: string }",
        {
            "type": "object",
            "properties": {
                "items": {
                    "type": "array",
                    "items": {"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]},
                },
                "total": {"type": "number"},
            },
            "required": ["items", "total"],
        },
    ),
    (
        "interface Input { page: Page<{ id: string }> } interface Page<T, M = { n: number }> { items: T[]; meta: M }",
        {
            "type": "object",
            "properties": {
                "page": {
                    "type": "object",
                    "properties": {
                        "items": {
                            "type": "array",
                            "items": {"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]},
                        },
                        "meta": {"type": "object", "properties": {"n": {"type": "number"}}, "required": ["n"]},
                    },
                    "required": ["items", "meta"],
                }
            },
            "required": ["page"],
        },
    ),
    (
        "interface Input { r: Result<string> } type Result<T, E = string> = { ok: true; value: T } | { ok: false; error: E }",
        {
            "type": "object",
            "properties": {
                "r": {
                    "anyOf": [
                        {
                            "type": "object",
                            "properties": {"ok": {"const": True}, "value": {"type": "string"}},
                            "required": ["ok", "value"],
                        },
                        {
                            "type": "object",
                            "properties": {"ok": {"const": False}, "error": {"type": "string"}},
                            "required": ["ok", "error"],
                        },
                    ]
                }
            },
            "required": ["r"],
        },
    ),
    (
        "type Input = Maybe<string>[]; type Maybe<T> = T | null",
        {"type": "array", "items": {"anyOf": [{"type": "string"}, {"type": "null"}]}},
    ),
    (
        "interface Input { a: Opt<string> } type Opt<T> = T | undefined",
        {"type": "object", "properties": {"a": {"type": "string"}}},
    ),
    (
        "interface Input { a: Pair<Pair<string>> } type Pair<T> = [T, T]",
        {
            "type": "object",
            "properties": {
                "a": {
                    "type": "array",
                    "prefixItems": [
                        {
                            "type": "array",
                            "prefixItems": [{"type": "string"}, {"type": "string"}],
                            "items": False,
                            "minItems": 2,
                        },
                        {
                            "type": "array",
                            "prefixItems": [{"type": "string"}, {"type": "string"}],
                            "items": False,
                            "minItems": 2,
                        },
                    ],
                    "items": False,
                    "minItems": 2,
                }
            },
            "required": ["a"],
        },
    ),
    (
        "interface Input { k: keyof User } interface User { id: string; name: string }",
        {"type": "object", "properties": {"k": {"enum": ["id", "name"]}}, "required": ["k"]},
    ),
    (
        "interface Input { n: User['name']; t: User['tags'][number] } interface User { name: string; tags: ('a' | 'b')[] }",
        {"type": "object", "properties": {"n": {"type": "string"}, "t": {"enum": ["a", "b"]}}, "required": ["n", "t"]},
    ),
    (
        "interface Input { u: Partial<User> } interface User { id: string; mail?: string }",
        {
            "type": "object",
            "properties": {
                "u": {"type": "object", "properties": {"id": {"type": "string"}, "mail": {"type": "string"}}}
            },
            "required": ["u"],
        },
    ),
    (
        "interface Input { u: Mapped<User> } type Mapped<T> = { [K in keyof T]: T[K] }; interface User { id: string; mail?: string }",
        {
            "type": "object",
            "properties": {
                "u": {
                    "type": "object",
                    "properties": {"id": {"type": "string"}, "mail": {"type": "string"}},
                    "required": ["id"],
                }
            },
            "required": ["u"],
        },
    ),
    (
        "interface Input { u: Nullable<User> } type Nullable<T> = { [K in keyof T]: T[K] | null }; interface User { id: string; mail?: string }",
        {
            "type": "object",
            "properties": {
                "u": {
                    "type": "object",
                    "properties": {
                        "id": {"anyOf": [{"type": "string"}, {"type": "null"}]},
                        "mail": {"anyOf": [{"type": "string"}, {"type": "null"}]},
                    },
                    "required": ["id"],
                }
            },
            "required": ["u"],
        },
    ),
    (
        "interface Input { u: Opt<User> } type Opt<T> = { [K in keyof T]?: T[K] }; interface User { id: string; /** Mail. */ mail?: string }",
        {
            "type": "object",
            "properties": {
                "u": {
                    "type": "object",
                    "properties": {"id": {"type": "string"}, "mail": {"type": "string", "description": "Mail."}},
                }
            },
            "required": ["u"],
        },
    ),
    (
        "interface Input { u: Req<User> } type Req<T> = { [K in keyof T]-?: T[K] }; interface User { id: string; mail?: string }",
        {
            "type": "object",
            "properties": {
                "u": {
                    "type": "object",
                    "properties": {"id": {"type": "string"}, "mail": {"type": "string"}},
                    "required": ["id", "mail"],
                }
            },
            "required": ["u"],
        },
    ),
    (
        "/** All of it. */ interface Input { a: string }",
        {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"], "description": "All of it."},
    ),
    (
        "/** What comes in. */ export interface Input { /** A user. */ u: User } /** Somebody. */ interface User { id: string }",
        {
            "type": "object",
            "properties": {
                "u": {
                    "type": "object",
                    "properties": {"id": {"type": "string"}},
                    "required": ["id"],
                    "description": "A user.",
                }
            },
            "required": ["u"],
            "description": "What comes in.",
        },
    ),
    (
        "export type Input = { a: string }",
        {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]},
    ),
    (
        "interface Input { a: Array<Input> }",
        {
            "$ref": "#/$defs/Input",
            "$defs": {
                "Input": {
                    "type": "object",
                    "properties": {"a": {"type": "array", "items": {"$ref": "#/$defs/Input"}}},
                    "required": ["a"],
                }
            },
        },
    ),
    (
        "interface Input { a: A } type A = B['x']; interface B { x: { y: string } }",
        {
            "type": "object",
            "properties": {"a": {"type": "object", "properties": {"y": {"type": "string"}}, "required": ["y"]}},
            "required": ["a"],
        },
    ),
    (
        "interface Input { a: Partial<A['x']> } interface A { x: { y: string } }",
        {
            "type": "object",
            "properties": {"a": {"type": "object", "properties": {"y": {"type": "string"}}}},
            "required": ["a"],
        },
    ),
    ("type Input = Keys<{ a: 1; b: 2 }>; type Keys<T> = keyof T & string", {"enum": ["a", "b"]}),
    (
        "interface Input { a: Id<string>; b: Id<number> } type Id<T = string> = T",
        {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "number"}}, "required": ["a", "b"]},
    ),
    ("type Input = Id; type Id<T = string> = T[]", {"type": "array", "items": {"type": "string"}}),
    (
        "interface Input { a: A<string> } interface A<T> { b?: A<number>; v: T }",
        {
            "type": "object",
            "properties": {
                "a": {
                    "type": "object",
                    "properties": {"b": {"$ref": "#/$defs/A"}, "v": {"type": "string"}},
                    "required": ["v"],
                }
            },
            "required": ["a"],
            "$defs": {
                "A": {
                    "type": "object",
                    "properties": {"b": {"$ref": "#/$defs/A"}, "v": {"type": "number"}},
                    "required": ["v"],
                }
            },
        },
    ),
    (
        "interface Input { deep: Deep<User> } type Deep<T> = { [K in keyof T]?: Deep2<T[K]> }; type Deep2<T> = T | null; interface User { a: string }",
        {
            "type": "object",
            "properties": {
                "deep": {"type": "object", "properties": {"a": {"anyOf": [{"type": "string"}, {"type": "null"}]}}}
            },
            "required": ["deep"],
        },
    ),
    (
        "type Input = Readonly<Partial<Required<{ a?: string }>>>",
        {"type": "object", "properties": {"a": {"type": "string"}}},
    ),
    ("type Input = Required<{ a: undefined }>", {"type": "object", "properties": {"a": False}, "required": ["a"]}),
    (
        "interface Input extends Record<string, number> { a: 1 }",
        {
            "type": "object",
            "properties": {"a": {"const": 1}},
            "required": ["a"],
            "additionalProperties": {"type": "number"},
        },
    ),
    (
        "type Input = { a: string } & Record<string, unknown>",
        {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"], "additionalProperties": {}},
    ),
    ("type Input = Readonly<Array<string>>[number]", {"type": "string"}),
    (
        "class Unused { m() {} } interface Input { a: string } interface Strange { f(): Promise<Date> }",
        {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]},
    ),
    ("interface Input {}", {"type": "object"}),
    (
        "interface Input { c: Child } interface Child extends Input { d?: Child }",
        {
            "type": "object",
            "properties": {"c": {"$ref": "#/$defs/Child"}},
            "required": ["c"],
            "$defs": {
                "Child": {
                    "type": "object",
                    "properties": {"c": {"$ref": "#/$defs/Child"}, "d": {"$ref": "#/$defs/Child"}},
                    "required": ["c"],
                }
            },
        },
    ),
    (
        "type Input = Record<Color, number>; type Color = 'red' | 'green'",
        {
            "type": "object",
            "properties": {"red": {"type": "number"}, "green": {"type": "number"}},
            "required": ["red", "green"],
        },
    ),
    (
        "interface Input { a: Record<'x', A> } interface A { b?: Partial<A> }",
        {
            "type": "object",
            "properties": {
                "a": {
                    "type": "object",
                    "properties": {"x": {"type": "object", "properties": {"b": {"$ref": "#/$defs/Partial"}}}},
                    "required": ["x"],
                }
            },
            "required": ["a"],
            "$defs": {"Partial": {"type": "object", "properties": {"b": {"$ref": "#/$defs/Partial"}}}},
        },
    ),
    (
        "interface Array<T> { mine: T } interface Input { a: Array<string> }",
        {
            "type": "object",
            "properties": {"a": {"type": "object", "properties": {"mine": {"type": "string"}}, "required": ["mine"]}},
            "required": ["a"],
        },
    ),
    (
        "interface Input { d: Date } interface Date { year: number }",
        {
            "type": "object",
            "properties": {"d": {"type": "object", "properties": {"year": {"type": "number"}}, "required": ["year"]}},
            "required": ["d"],
        },
    ),
    (
        "interface Input { a: Größe } type Größe = { n?: Größe }",
        {
            "type": "object",
            "properties": {"a": {"$ref": "#/$defs/Gr%C3%B6%C3%9Fe"}},
            "required": ["a"],
            "$defs": {"Größe": {"type": "object", "properties": {"n": {"$ref": "#/$defs/Gr%C3%B6%C3%9Fe"}}}},
        },
    ),
    (
        "type Input = Exclude<Shape, { kind: 'dot' }>; type Shape = { kind: 'dot' } | { kind: 'circle'; r: number }",
        {
            "type": "object",
            "properties": {"kind": {"const": "circle"}, "r": {"type": "number"}},
            "required": ["kind", "r"],
        },
    ),
    ("type Input = [...Rest, ]; type Rest = string[]", {"type": "array", "items": {"type": "string"}}),
    (
        "interface Input { x: Pick<A, 'a'> } interface A { method(): void; a: string; f: () => void; d: Date; s?: Set<string> }",
        {
            "type": "object",
            "properties": {"x": {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}},
            "required": ["x"],
        },
    ),
]
