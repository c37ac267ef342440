"""Transforms that run: by what is special about them, the source, what is given and what comes of it.

Those under `NOT_FOR_NODE` have the old way of writing `<T>value`, which Node's own reader of types does not take, or are what it is
mistaken in: it leaves no semicolon after `as const`.
"""

from __future__ import annotations

from typing import Any

UNTYPED = "interface Input { x: any }\ninterface Output { y: any }\n"

RUNS: dict[str, tuple[str, Any, Any]] = {
    # As the seed has them.
    "the seed's example": (
        (
            "interface Input { items: string[] }\ninterface Output { names: string[] }\n"
            "export default (input: Input): Output => ({ names: input.items.map(i => i.toUpperCase()) })"
        ),
        {"items": ["a", "b"]},
        {"names": ["A", "B"]},
    ),
    "the seed's filter": (
        (
            "interface Input { users: Array<{ email: string; active: boolean }> }\ninterface Output { emails: string[] }\n"
            "export default (input: Input): Output => ({ emails: input.users.filter(u => u.active).map(u => u.email) })"
        ),
        {"users": [{"email": "a@b", "active": True}, {"email": "c@d", "active": False}]},
        {"emails": ["a@b"]},
    ),
    "the seed's decision": (
        (
            "interface Input { success: boolean; order?: object; customer?: { email: string }; error?: string; orderId?: string }\n"
            "interface Output { confirmation?: { order: object; email: string }; failure?: { error: string; orderId: string } }\n"
            "export default (input: Input): Output => input.success ? { confirmation: { order: input.order!, email: "
            "input.customer!.email } } : { failure: { error: input.error!, orderId: input.orderId! } }"
        ),
        {"success": False, "error": "no", "orderId": "7"},
        {"failure": {"error": "no", "orderId": "7"}},
    ),
    "the seed's transform without types": (
        "export default (input) => input.items.map(x => ({ id: x.id, data: x }))",
        {"items": [{"id": 1}]},
        [{"id": 1, "data": {"id": 1}}],
    ),
    # How the function is exported.
    "an arrow": ("export default (x: number) => x + 1", 1, 2),
    "an arrow without parentheses": ("export default x => x + 1;", 1, 2),
    "an arrow in parentheses": ("export default ((x: number) => x + 1);", 1, 2),
    "an arrow with satisfies": ("export default ((x: number) => x + 1) satisfies (x: number) => number;", 1, 2),
    "an arrow as any": ("export default ((x: number) => x + 1) as any;", 1, 2),
    "a function expression": ("export default (function (x: number) { return x + 1 })", 1, 2),
    "a function with a name": ("export default function plus(x: number): number { return x + 1 }", 1, 2),
    "a function without a name": ("export default function (x: number): number { return x + 1 }", 1, 2),
    "a function without a space": ("export default function(x: number): number { return x + 1 }", 1, 2),
    "a function without a name, then parentheses": ("export default function (x) { return x + 1 }\n(1, 2)", 1, 2),
    "a recursive function": (
        "export default function f(n: number): number { return n < 2 ? 1 : n * f(n - 1) }",
        5,
        120,
    ),
    "a function that stands above its export": ("function f(x: number) { return x }\nexport default f", 3, 3),
    "a function that stands below its export": ("export default f\nfunction f(x: number) { return x }", 3, 3),
    "a constant": ("const f = (x: number): number => x\nexport default f;", 3, 3),
    "a constant of a constant": ("const g = (x: any) => x; const f = g;\nexport default f", 3, 3),
    "a variable in parentheses": ("const f = (x: number): number => x\nexport default (f as any)!;", 3, 3),
    "a list of exports": ("const f = (x: number) => x * 2;\nexport { f as default };", 3, 6),
    "a list of exports before it": ("export { f as default }\nfunction f(x: number) { return x * 2 }", 3, 6),
    "many spaces between": ("export    default    (x) => x", 3, 3),
    "lines between": ("export\n  default\n  (x) => x", 3, 3),
    "a comment between": ("export /* this */ default (x) => x", 3, 3),
    "a function on another line": ("export default\nfunction (x) { return x }", 3, 3),
    "a function with overloads": (
        (
            "export default function f(x: string): string;\nexport default function f(x: number): number;\n"
            "export default function f(x: any): any { return x }"
        ),
        3,
        3,
    ),
    "a function without a name and with overloads": (
        "export default function (x: string): string\nexport default function (x: any): any { return x }",
        3,
        3,
    ),
    "other exports": (
        (
            "export const one = 1\nexport function two() { return 2 }\nexport class Three { n = 3 }\nexport type T = number;\n"
            "export interface I { a: number }\nexport { one as uno }\nexport type { T as U }\n"
            "export default (x) => one + two() + new Three().n + x"
        ),
        4,
        10,
    ),
    "nothing but a comment at the end": ("export default (x) => x // that is all", 3, 3),
    "a name at the end, and a comment": ("export default function f(x) { return x } // that is all", 3, 3),
    "a function that is hoisted, with a line before": (
        "const a = 1\nexport default function f(x) { return x + a }",
        3,
        4,
    ),
    "CRLF": (
        "interface Input {\r\n a: number\r\n}\r\ninterface Output {}\r\nexport default (x: Input) =>\r\n x.a",
        {"a": 4},
        4,
    ),
    "a mark at the beginning": ("\ufeffexport default (x: number) => x", 3, 3),
    # Types that go.
    "parameters": ("export default (x: number, y?: string, ...z: any[]) => [x, y, z.length]", 3, [3, None, 0]),
    "a default": ("export default (x: number, y: number = 2) => x + y", 3, 5),
    "patterns": (
        "export default ({ a, b: { c = 2 }, ...d }: { a: number; b: { c?: number }; e: 5 }, [f]: number[] = [1]) => [a, c, d, f]",
        {"a": 1, "b": {}, "e": 5},
        [1, 2, {"e": 5}, 1],
    ),
    "this as a parameter": (
        (
            "function f(this: { a: number }, b: number) { return this.a + b }\nfunction g(this: {a: number}) { return this.a }\n"
            "export default (x: number) => f.call({ a: 1 }, x) + g.call({ a: 5 })"
        ),
        3,
        9,
    ),
    "variables": (
        (
            "let a: number = 1, b: string, c!: number\nvar d: Array<number> = []\nconst e: { [k: string]: number } = {}\n"
            "export default (x: number) => [a, typeof b, typeof c, d, e]"
        ),
        3,
        [1, "undefined", "undefined", [], {}],
    ),
    "generics": (
        (
            "function id<T>(x: T): T { return x }\nconst pair = <A, B = A>(a: A, b: B): [A, B] => [a, b]\n"
            "class Box<T extends object = {}> { constructor(readonly: T) { } }\n"
            "export default (x: number) => pair<number, string>(id<number>(x), id('b'))"
        ),
        3,
        [3, "b"],
    ),
    "const in generics": ("const f = <const T,>(x: T) => x\nexport default (x) => f(x)", 3, 3),
    "calls with types": (
        (
            "const m = new Map<string, Array<Array<number>>>()\nm.set('a', [[1]])\nconst e = Array.from<number>([1])\n"
            "export default (x) => [m.get('a'), e, new Set<number>().size, String.raw<any>`a${x}`]"
        ),
        3,
        [[[1]], [1], 0, "a3"],
    ),
    "optional calls with types": (
        "const o: any = { f: (x: any) => x }\nexport default (x) => [o?.f<number>(x), o.g?.<number>(x)]",
        3,
        [3, None],
    ),
    "comparisons that look like types": (
        "export default ([a, b, c]: number[]) => [a < b, b > c, a < b && b > (c), (a < b) > (c as any), a<b, b>>1, a>>>0, b<<1, a<=b, a>=b]",
        [1, 2, 0],
        [True, True, True, True, True, 1, 1, 4, True, False],
    ),
    "assignments that look like types": (
        "export default (x: number) => { let a = x; a <<= 2; a >>= 1; a >>>= 0; a **= 2; a ??= 1; a ||= 1; a &&= 5; return a }",
        3,
        5,
    ),
    "a type instead of arguments": ("const f = <T>(x: T) => x\nconst g = f<number>;\nexport default (x) => g(x)", 3, 3),
    "as": ("export default (x: any) => (x as { a: number }).a + (x as any as { b: number })['b']", {"a": 1, "b": 2}, 3),
    "as const": ("export default (x) => [1, 'a', { b: x }] as const", 3, [1, "a", {"b": 3}]),
    "satisfies": ("export default (x) => ({ a: x } satisfies { a: number })", 3, {"a": 3}),
    "as among operators": ("export default (x: any) => x as number + 1 * (x as number) > 2 as any", 3, True),
    "as as a name": ("export default (as: number) => { const satisfies = as; return as + satisfies }", 3, 6),
    "not null": ("export default (x: any) => x!.a!.b! + x![`a`]!['b']!", {"a": {"b": 2}}, 4),
    "not null, then called": ("export default (x: any) => { const f: any = (y) => y; return f!(x!) }", 3, 3),
    "not null, then assigned": (
        "export default (x: any) => { let a: any = {}; a!.b = x; a!.b! += 1; a.b!++; return a }",
        3,
        {"b": 5},
    ),
    "not equal is not not null": ("export default (x: any) => x!==3 || x!=3", 3, False),
    "type predicates": (
        (
            "const isText = (x: unknown): x is string => typeof x === 'string'\nfunction must(x: unknown): asserts x is string { }\n"
            "function mustBe(x: unknown): asserts x { }\nexport default (x: unknown) => { must(x); mustBe(x); return isText(x) }"
        ),
        "a",
        True,
    ),
    "overloads": (
        "function f(x: string): string\nfunction f(x: number): number;\nfunction f(x: any) { return x }\nexport default (x) => f(x)",
        3,
        3,
    ),
    "types in a function": (
        "export default (x: number) => { type T = number; interface I { a: T }\n const i: I = { a: x }; return i.a }",
        3,
        3,
    ),
    "names that are words elsewhere": (
        (
            "const of = 2, get = 3, set = 4, async = 5, declare = 6, namespace = 7, module = 8, abstract = 9, is = 10\n"
            "const readonly = 11, keyof = 12, infer = 13, asserts = 14, global = 15, any = 16, override = 17, out = 18\n"
            "let type: any\ntype = 1\nexport default (x) => type + of + get + set + async + declare + namespace + module + abstract + is"
        ),
        3,
        1 + 2 + 3 + 4 + 5 + 6 + 7 + 8 + 9 + 10,
    ),
    "calls of names that are words elsewhere": (
        "const async = (x: any) => x, type = async, get = async\nexport default (x) => async(x) + type(x) + get(x)",
        3,
        9,
    ),
    "types of every kind": (
        (
            "export default (x: any): any => {\n"
            "  let a: (string | number)[] | null, b: readonly string[], c: [a: string, b?: number, ...c: any[]], d: typeof x\n"
            "  let e: keyof typeof x, f: (a: number, ...b: string[]) => void, g: new () => object, h: abstract new () => object\n"
            "  let i: { a: string; readonly b?: number, [k: string]: any; (x: number): string; new (x: number): object; m?<T>(): T }\n"
            "  let j: { readonly [K in 'a' | 'b']?: K }, k: { -readonly [K in keyof any as `x${string}`]-?: any }, l: `a${string}b`\n"
            "  let m: any extends infer U extends string ? U : never, n: unique symbol, o: -1 | 1n | true | undefined | void\n"
            "  let p: Array<Array<Array<number>>>, q: any['a']['b'][number], r: this, s: | 'a' | 'b', t: & object, u: ((a)), v: ({a}: any) => any\n"
            "  let w: <T extends keyof any, U = T>(x: T) => x is any, y: import_, z: A.B.C<D>, aa: asserts, bb: ([a]: any[]) => any, cc: ({ a: string })\n"
            "  return x\n}"
        ),
        3,
        3,
    ),
    # Classes.
    "a class": (
        (
            "interface Shape { area(): number }\nabstract class Base { abstract readonly kind: string; abstract area(): number\n"
            "  protected constructor(readonly_: number) { } static make?(): void }\n"
            "class Square extends Base implements Shape, Shape {\n  public readonly kind: string = 'square'\n  private static count = 0\n"
            "  declare extra: number\n  side!: number;\n  note?: string\n  [key: string]: any\n  constructor(side: number) { super(side); this.side = side; Square.count++ }\n"
            "  override area(): number { return this.side * this.side }\n  area2(x: string): number;\n  area2(x: any) { return x }\n"
            "  get double(): number { return this.side * 2 } set double(x: number) { this.side = x / 2 }\n"
            "  static get counted() { return Square.count } #hidden: number = 7; hidden() { return this.#hidden } has(x: any) { return #hidden in x }\n"
            "  static { Square.count = 0 as number } *each(): Generator<number> { yield 1; yield* [2] }\n}\n"
            "export default (x: number) => { const s = new Square(x); s.double = 8; return [s.area(), s.kind, s.double, Square.counted, s.hidden(), "
            "s.has(s), [...s.each()], Object.keys(s)] }"
        ),
        3,
        [16, "square", 8, 1, 7, True, [1, 2], ["kind", "side", "note"]],
    ),
    "private names of classes around": (
        (
            "class A { both() { return this.#m() + A.#s + this.#g + new (class { of(a: A) { return a.#q } })().of(this) }\n"
            "  #m(): number { return 1 } static #s = 2; get #g() { return 3 } #q: number = 4 }\nexport default (x) => new A().both()"
        ),
        None,
        10,
    ),
    "a class expression": (
        "const A = class<T> { a: T | undefined }, B = class N extends A<string> { }\nexport default (x) => [new A(), B.name]",
        3,
        [{}, "N"],
    ),
    "a class that extends a call": (
        "const mix = (x: any) => x\nclass A { a = 1 }\nclass B extends mix(A)<string> { }\nexport default (x) => new B().a",
        3,
        1,
    ),
    "fields whose names are words": (
        (
            "class A { get: number\n set: number\n static: string\n async: string\n readonly: number = 1\n declare = 2\n foo() { return 3 } }\n"
            "export default (x) => [Object.keys(new A()).join(), new A().foo()]"
        ),
        3,
        ["get,set,static,async,readonly,declare", 3],
    ),
    "fields, then methods with brackets": (
        (
            "class A { a = 1 as number\n ['b']() { return 2 }\n c: number\n *d() { yield 3 }\n e\n ['f']: number = 4 }\n"
            "export default (x) => { const a = new A(); return [a.a, a.b(), [...a.d()], a.f] }"
        ),
        3,
        [1, 2, [3], 4],
    ),
    "fields, then modifiers with brackets": (
        (
            "const b = 'b'\nclass A { a = 1\n private [b] = 2\n public *c() { yield 3 }\n d = 4\n readonly ['e'] = 5\n f = 6\n static readonly ['g'] = 7 }\n"
            "export default (x) => { const a = new A(); return [a.a, a[b], [...a.c()], a.d, a.e, a.f, A.g] }"
        ),
        3,
        [1, 2, [3], 4, 5, 6, 7],
    ),
    "fields, then an index signature": (
        "class A { a = 1;\n [k: string]: any\n ['b'] = 2 }\nexport default (x) => new A()",
        3,
        {"a": 1, "b": 2},
    ),
    "a field, then a signature": (
        "class A { a = () => 1\n b(x: string): void\n b(x: any) { return x } }\nexport default (x) => [new A().a(), new A().b(x)]",
        3,
        [1, 3],
    ),
    "a getter on another line": ("class A { get\n foo() { return 1 } }\nexport default (x) => new A().foo", 3, 1),
    # Semicolons that were not needed.
    "a type between a line and a parenthesis": (
        "let a = 1, b = (x: any) => 7\na = b\ntype T = 1\n(2, 3);\nexport default (x) => typeof a",
        3,
        "function",
    ),
    "an interface between a line and a bracket": (
        "let a: any = [5]\nlet b = a\ninterface T { }\n[1].map(x => x)\nexport default (x) => b",
        3,
        [5],
    ),
    "a signature between a line and a parenthesis": (
        "let b: any = 5\nlet a = b\nfunction f(): void\nfunction f() { return 1 }\n(1)\nexport default (x) => a",
        3,
        5,
    ),
    "a list of exports between a line and a parenthesis": (
        "let b: any = 5\nlet a = b\nexport { a }\n(1)\nexport default (x) => a",
        3,
        5,
    ),
    "as before a parenthesis": ("let b: any = 5\nlet a = b as any\n(1)\nexport default (x) => a", 3, 5),
    "as before a bracket": ("let b: any = 5\nlet a = b as any\n[1].map(x => x)\nexport default (x) => a", 3, 5),
    "as before a template": ("let b: any = 5\nlet a = b as any\n`x`\nexport default (x) => a", 3, 5),
    "satisfies before a parenthesis": ("let b = 5 satisfies any\n(1)\nexport default (x) => b", 3, 5),
    "as before an operator on the next line": ("let b: any = 5\nlet a = b as any\n+ 1\nexport default (x) => a", 3, 6),
    "returned as, before a parenthesis": ("export default (x) => { if (x) return x as any\n(1)\nreturn 2 }", 3, 3),
    "an arrow's value as, before a parenthesis": (
        "const f = (x: any) => x as any\n(1)\nexport default (x) => f(x)",
        3,
        3,
    ),
    "a variable before a parenthesis": ("let a: number\n(1)\nexport default (x) => typeof a", 3, "undefined"),
    "not null before a parenthesis calls": (
        "let f: any = (x: any) => x\nlet a = f!\n(4)\nexport default (x) => a",
        3,
        4,
    ),
    # Lines in types.
    "what an arrow returns on several lines": (
        "const f = (a: number): \n number\n | string => a\nexport default (x) => f(x)",
        3,
        3,
    ),
    "what an arrow returns on another line": (
        "const f = (a: number)\n : number => a\nexport default (x) => f(x)",
        3,
        3,
    ),
    "what an arrow returns is an object on several lines": (
        "export default (x: number): {\n  a: number // one\n  b?: string\n} => ({ a: x })",
        3,
        {"a": 3},
    ),
    "an arrow with a comment before what it returns": (
        "export default (x: number /* ( */) /* ) */ : /* => */\n number=> x",
        3,
        3,
    ),
    "generics on several lines after return": (
        "const f = () => { return <\n T,\n U>(x: T) => x }\nexport default (x) => f()(x)",
        3,
        3,
    ),
    "generics on several lines": ("const f = <\n T\n>(x: T): T => x\nexport default (x) => f<\n number\n>(x)", 3, 3),
    "as on several lines": ("export default (x: any) => { return x as {\n a: number\n } }", 3, 3),
    "an interface on one line with code": (
        "interface Input { a: number } interface Output { b: number } export default (x: Input) => x.a",
        {"a": 4},
        4,
    ),
    # Arrows or not.
    "a condition with parentheses": ("export default (x: any) => x ? (x) : y => y", 3, 3),
    "a condition with an arrow of a type": ("export default (x: any) => (x ? (y): number => y : 2)(5)", 3, 5),
    "a condition with an arrow": ("export default (x: any) => (x ? (y) => y : 2)(5)", 3, 5),
    "a condition with parentheses, then return": (
        "export default (x: any) => { const a = x ? (x) : (y): any => y\n return a }",
        3,
        3,
    ),
    "a condition in a condition": ("export default (a: any) => a ? (a) ? (a) : 1 : 2", 3, 3),
    "a condition with a call and an arrow": ("export default (a: any) => a ? (a, 1) : (b: any): any => b", 3, 1),
    "conditions in a row": ("export default (a: any) => a > 5 ? 'large' : a > 2 ? 'middle' : 'small'", 3, "middle"),
    "a condition with objects": ("export default (a: any) => a ? { b: (a) } : { c: (a) }", 3, {"b": 3}),
    "arrows in arrows": (
        "const f = (a: number) => (b: number = a) => (c = b): number => a + b + c\nexport default (x) => f(x)()()",
        3,
        9,
    ),
    "arrows in defaults": ("export default (x: any, f = (y: number) => y, g = ((z) => z)) => f(x) + g(x)", 3, 6),
    "parentheses that are no arrow": (
        "export default (x: any) => { const b = 2; let a = (x, b); a = (a) + (b); return (a) }",
        3,
        4,
    ),
    "an assignment in parentheses": (
        "export default (x: any) => { let a: any; (a = x); ({ a } = { a: a + 1 }); [a] = [a + 1]; return a }",
        3,
        5,
    ),
    "arrows as arguments": (
        "export default (x: any) => [3, 1, 2].sort((a: number, b: number): number => a - b).map((n, i) => n * i)",
        3,
        [0, 2, 6],
    ),
    "an arrow with nothing in it": ("export default (x: any) => [() => 1, (): void => {}, () => ({})].length", 3, 3),
    "a comma after the last parameter": ("export default (x: number, y = 1,) => [x, y,]", 3, [3, 1]),
    # The rest of JavaScript.
    "statements": (
        (
            "export default (n: number) => {\n  let s = 0\n  for (let i = 0; i < n; i++) { if (i === 1) continue; else s += i }\n"
            "  for (const x of [1, 2] as number[]) s += x\n  for (const k in { a: 1 }) s += k.length\n  for (var q in [1]) s += 1\n  let z\n  for (z of [1]) s += z\n"
            "  while (s > 100) s--\n  do s++; while (s < 5)\n  outer: for (;;) { for (;;) break outer }\n"
            "  switch (s as number) { case 1: case 2: s = 0; break; default: { s += 1 } }\n"
            "  try { throw new Error('a') } catch (e: unknown) { s += (e as Error).message.length } finally { s += 1 }\n"
            "  try { null!.x } catch { s += 1 }\n  if (s) { } else if (!s) { s = 1 } else s = 2\n  ;\n  label: { break label }\n  debugger\n  return s\n}"
        ),
        3,
        13,
    ),
    "regular expressions": (
        "export default (x: string) => [x.replace(/[/\"'`]/g, '-'), /\\//.test(x), x.split(/,/), x.length / 2 / 1, [/a/, /b/i].length, x && /a/.test(x)]",
        'a/"b,c',
        ["a--b,c", True, ['a/"b', "c"], 3, 2, True],
    ),
    "a regular expression after a condition": (
        "export default (x: string) => { if (x) /a/.test(x); return x.length /1/ 1 }",
        "abc",
        3,
    ),
    "templates": (
        "export default (x: any) => `a${x as number}b${`c${{ d: x! }.d}`}${[1].map((y: number): string => `${y}`)}\\`\\${`",
        3,
        "a3bc31`${",
    ),
    "templates and regular expressions that are read twice": (
        "export default (x: any) => { let a: any, b: any; (a = `p${x}q${`r${1}`}`); (b = /}[)]/); return [a, b.test('})')] }",
        3,
        ["p3qr1", True],
    ),
    "objects": (
        (
            "export default (x: number) => { const y = 1, o = { x, y, 'a-b': 1, 5: 2, [`k${x}`]: 3, get g(): number { return 4 }, set g(v: number) { }, "
            "m<T>(a: T): T { return a }, *gen() { yield 1 }, get: 5, set: 6, async: 7, static: 8, new: 9, ...{ z: 1 }, f: function <T>(a: T) { return a }, "
            "if: 1, async_() { }, get_: (a: any) => a, } as any; return [Object.keys(o).length, o.m(x), [...o.gen()], o.g, o.f(1)] }"
        ),
        3,
        [18, 3, [1], 4, 1],
    ),
    "generators": (
        (
            "function* count(n: number): Generator<number, void, unknown> { for (let i = 0; i < n; i++) yield i; const x = yield; yield }\n"
            "export default (x: number) => [...count(x)].length"
        ),
        3,
        5,
    ),
    "numbers": (
        "export default (x) => [0x1F, 0b11, 0o17, 1_000, 1e3, .5, 5., 1.5e-1, 0]",
        3,
        [31, 3, 15, 1000, 1000, 0.5, 5, 0.15, 0],
    ),
    "new.target": (
        (
            "class A { n = 0; constructor() { this.n = new.target.name.length } }\n"
            "export default (x: number) => new A().n + x"
        ),
        3,
        4,
    ),
    "operators": (
        (
            "export default (x: any) => [typeof x, void 0, -x, +x, !x, ~x, x ** 2, x % 2, x & 1, x | 4, x ^ 1, x ?? 1, 'a' in { a: 1 }, [] instanceof Array, "
            "delete ({ a: 1 } as any).a, x?.y?.z, x?.['y'], x++ + ++x, x-- - --x, (1, 2), new (class { a = 1 })().a, new Array<number>]"
        ),
        3,
        ["number", None, -3, 3, False, -4, 9, 1, 1, 7, 2, 3, True, True, True, None, None, 8, 2, 2, 1, []],
    ),
    "in in the head of a for": (
        "export default (x: any) => { let n = 0; for (const k = ('a' in x) ? 1 : 2; n < k; n++) { } return n }",
        {"a": 1},
        1,
    ),
    "commas and holes": (
        "export default (x: any) => { const [, a, , b = 5] = [1, 2, 3]; return [a, b, [1, , 2].length, ...[3]] }",
        3,
        [2, 5, 3, 3],
    ),
    "comments": (
        "// as any\n/* interface Input { */\n/** doc */ export default /* a */ (x /* : any */ : any /* ) */) => /* b */ x // c\n/* d */",
        3,
        3,
    ),
    "other letters": (
        "export default (größe: number) => ({ größe, 名: `ü${größe}`, emoji: '😀' as '😀' })",
        3,
        {"größe": 3, "名": "ü3", "emoji": "😀"},
    ),
    "a shadowed name": (
        "export default (x: any) => { const fetch = (y: any) => y, Date = 5; return fetch(x) + Date }",
        3,
        8,
    ),
    "properties with names that are refused": (
        "export default (x: any) => ({ Date: x.Date, fetch: x.crypto, a: x?.['Promise'] })",
        {"Date": 1, "crypto": 2, "Promise": 3},
        {"Date": 1, "fetch": 2, "a": 3},
    ),
    "comparisons that look like type arguments": (
        (
            "interface Input { age: number; top: number }\ninterface Output { y: any }\n"
            "export default ({ age, top }: Input) => { let x = 1, lo = 2, hi = 3, n = 0; const min = 18, list: Array<number>= [];\n"
            "for (let i = 0, k = 6; i < top, k >= 4; k--) n++\n"
            "const kept = [x < lo, hi >= 3, x]; list.push(1 < 2, 8 >> 1)\n"
            "return [[age < min, top >= age], x < lo | x >= hi ? 'out' : 'in', n, kept, list] }"
        ),
        {"age": 20, "top": 30},
        [[False, True], "out", 3, [True, True, 1], [True, 4]],
    ),
    "a type parameter on the line before its arrow": (
        "export default (x: number) => { const f = () => { return <T>\n(y: T) => y }; return (f() as any)(x) }",
        3,
        3,
    ),
    "a type parameter and a comment of two lines before its arrow": (
        "export default (x: number) => { const f = () => { return <T> /*\n*/ (y: T) => y }; return (f() as any)(x) }",
        3,
        3,
    ),
    "types between operators": (
        (
            "export default (x: any) => [1 + x as number + 2, 2 * x as number - 1, x as number * 2 ** 2, 1 + (x as number) * 2, 2 ** x as number * 2, "
            "x + 1 as number == 4 as any, x == 3 && x as number * 2, 1 + x as number < x * 2, 1 << x as number >> 1 as any]"
        ),
        3,
        [6, 5, 12, 7, 16, True, 6, True, 4],
    ),
    "a label that is a type elsewhere": ("export default (x: any) => { type: for (;;) { break type } return x }", 3, 3),
    "strict mode": ("export default function (x: any) { return this === undefined }", 3, True),
}
NOT_FOR_NODE: dict[str, tuple[str, Any, Any]] = {
    "as const before a parenthesis": ("let b = 5 as const\n(1)\nexport default (x) => b", 3, 5),
    "the old way to say a type": ("export default (x: any) => <number>x + (<any>[1])[0]", 3, 4),
    "the old way to say const": ("export default (x: any) => [<const>'a', !<any>x]", 3, ["a", False]),
    "the old way before an arrow": ("export default <any>((x: number) => x + 1)", 3, 4),
}
