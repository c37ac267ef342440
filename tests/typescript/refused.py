"""What is refused, and what is said of it: line and column, and words that stand in the message."""

from __future__ import annotations

from typescript.hostile import TYPED, tagged

REFUSED: dict[str, tuple[str, list[tuple[int | None, int | None, str]]]] = {
    "a value is missing": (
        "const a = ;\nexport default (x) => x",
        [(1, 11, "';' is unexpected here; a value is expected")],
    ),
    "a bracket is not closed": (
        "export default (x) => [1, 2",
        [(1, 28, "the end of the source is unexpected here; ',' or ']' is expected in an array")],
    ),
    "a brace is not closed": (
        "export default (x) => { return 1",
        [(1, 33, "the end of the source is unexpected here; '}' is expected to close the block")],
    ),
    "a text is not closed": (
        "const a = 'abc\nexport default (x) => x",
        [(1, 11, "the text that begins here is not closed")],
    ),
    "a template is not closed": (
        "export default (x) => `a${x}",
        [(1, 28, "the template that this belongs to is not closed")],
    ),
    "a comment is not closed": (
        "export default (x) => x /* and",
        [(1, 25, "the comment that begins here is not closed")],
    ),
    "a regular expression is not closed": (
        "export default (x) => /a",
        [(1, 23, "the regular expression that begins here is not closed")],
    ),
    "a comma is missing in an object": (
        "export default (x) => ({ a: 1 b: 2 })",
        [(1, 31, "'b' is unexpected here; ',' or '}' is expected in an object")],
    ),
    "a comma is missing in an array": (
        "export default (x) => [1 2]",
        [(1, 26, "'2' is unexpected here; ',' or ']' is expected in an array")],
    ),
    "two statements on one line": (
        "const a = 1 const b = 2\nexport default (x) => x",
        [(1, 13, "'const' is unexpected here; an operator, or the end of the statement, is expected")],
    ),
    "a word as a name": (
        "const class = 1\nexport default (x) => x",
        [(1, 7, "'class' is a word of the language; take another name for a variable")],
    ),
    "a character that means nothing": (
        "const a = 1 § 2\nexport default (x) => x",
        [(1, 13, "the character U+00A7 has no meaning here")],
    ),
    "a colon is missing in a condition": (
        "export default (x) => x ? 1",
        [(1, 28, "the end of the source is unexpected here; ':' is expected after what a condition leads to")],
    ),
    "a type is missing": (
        "const a: = 1\nexport default (x) => x",
        [(1, 10, "'=' is unexpected here; a type is expected")],
    ),
    "a member without a colon": (
        "interface Input { a string }\ninterface Output {}\nexport default (x) => x\n",
        [(1, 21, "'string' is unexpected here; ';' or the next line is expected after a member")],
    ),
    "what an arrow returns is wrong": (
        "export default (input: Input): string[ => x",
        [(1, 40, "'=>' is unexpected here; a type is expected")],
    ),
    "an escape in a name": (
        "const \\u0061 = 1\nexport default (x) => x",
        [(1, 7, "a name is written with its letters, not with \\u escapes")],
    ),
    "a number that is none": ("const a = 1__0\nexport default (x) => x", [(1, 11, "'1__0' is not a number")]),
    "an old octal number": ("const a = 017\nexport default (x) => x", [(1, 11, "a number does not begin with 0")]),
    "return at the top": ("return 5\nexport default (x) => x", [(1, 1, "'return' can stand in a function only")]),
    "with": (
        "export default (x) => { with (x) { } }",
        [(1, 25, "there is no 'with'; take the properties apart, as in const {a, b} = x")],
    ),
    "throw on another line": (
        "export default (x) => { throw\nx }",
        [(2, 1, "what is thrown stands on the line of 'throw'")],
    ),
    "an HTML comment": (
        "const a = 1 <!-- 2\nexport default (x) => x",
        [(1, 13, "this begins a comment in some places of JavaScript; put a space into it")],
    ),
    "export in a block": (
        "{ export const a = 1 }\nexport default (x) => x",
        [(1, 3, "this can stand at the top only, outside of functions and blocks")],
    ),
    "import in a block": (
        "{ import a from 'a' }\nexport default (x) => x",
        [(1, 3, "this can stand at the top only, outside of functions and blocks")],
    ),
    "nothing at all": (
        "",
        [
            (
                1,
                1,
                "a transform must export a function by default, as in: export default (input: Input): Output => ({ … })",
            )
        ],
    ),
    "only a comment": (
        "// nothing",
        [
            (
                1,
                1,
                "a transform must export a function by default, as in: export default (input: Input): Output => ({ … })",
            )
        ],
    ),
    "half a character": (
        "const a = '\ud800'\nexport default (x) => x",
        [(1, 12, "this is no character; in a text, write it as \\0 or \\ud800")],
    ),
    "a zero": (
        "const a = '\x00'\nexport default (x) => x",
        [(1, 12, "this is no character; in a text, write it as \\0 or \\ud800")],
    ),
    "import": (
        "import { a } from 'lodash'\nexport default (x) => x",
        [(1, 1, "a transform imports nothing: write what it needs into it, or use a tool step")],
    ),
    "import of everything": (
        "import * as a from 'a';\nexport default (x) => x",
        [(1, 1, "a transform imports nothing: write what it needs into it, or use a tool step")],
    ),
    "import for its effects": (
        "import 'a'\nexport default (x) => x",
        [(1, 1, "a transform imports nothing: write what it needs into it, or use a tool step")],
    ),
    "import of a type": (
        "import type { A } from 'a'\nexport default (x) => x",
        [(1, 1, "a transform imports nothing: write what it needs into it, or use a tool step")],
    ),
    "import with require": (
        "import a = require('a')\nexport default (x) => x",
        [(1, 1, "a transform imports nothing: write what it needs into it, or use a tool step")],
    ),
    "require": (
        "const a = require('a')\nexport default (x) => x",
        [(1, 11, "a transform imports nothing: write what it needs into it, or use a tool step")],
    ),
    "dynamic import": (
        "export default (x) => import('a')",
        [(1, 23, "a transform imports nothing: write what it needs into it, or use a tool step")],
    ),
    "import.meta": (
        "export default (x) => import.meta.url",
        [(1, 23, "a transform imports nothing: write what it needs into it, or use a tool step")],
    ),
    "export from": (
        "export { a } from 'a'\nexport default (x) => x",
        [(1, 1, "a transform imports nothing: write what it needs into it, or use a tool step")],
    ),
    "export everything from": (
        "export * from 'a'\nexport default (x) => x",
        [(1, 1, "a transform imports nothing: write what it needs into it, or use a tool step")],
    ),
    "a type that is imported": (
        "type A = import('a').B\n\nexport default (x) => x",
        [(1, 10, "a transform imports nothing: write the type into it")],
    ),
    "an async arrow": (
        "export default async (x) => x",
        [(1, 16, "a transform returns its value at once: leave 'async' out, and use tool steps for what takes time")],
    ),
    "an async arrow without parentheses": (
        "const f = async x => x\nexport default (x) => x",
        [(1, 11, "a transform returns its value at once: leave 'async' out, and use tool steps for what takes time")],
    ),
    "an async function": (
        "async function f() {}\nexport default (x) => x",
        [(1, 1, "a transform returns its value at once: leave 'async' out, and use tool steps for what takes time")],
    ),
    "an async function as default": (
        "export default async function (x) { return x }",
        [(1, 16, "a transform returns its value at once: leave 'async' out, and use tool steps for what takes time")],
    ),
    "an async function with a name as default": (
        "export default async function f(x) { return x }",
        [(1, 16, "a transform returns its value at once: leave 'async' out, and use tool steps for what takes time")],
    ),
    "an async method": (
        "const o = { async f() {} }\nexport default (x) => x",
        [(1, 13, "a transform returns its value at once: leave 'async' out, and use tool steps for what takes time")],
    ),
    "an async method of a class": (
        "class A { async f() {} }\nexport default (x) => x",
        [(1, 11, "a transform returns its value at once: leave 'async' out, and use tool steps for what takes time")],
    ),
    "await": (
        "export default (x) => { const y = await x; return y }",
        [(1, 35, "a transform returns its value at once: leave 'await' out, and use tool steps for what takes time")],
    ),
    "for await": (
        "export default (x) => { for await (const y of x) { } }",
        [(1, 29, "a transform returns its value at once: leave 'await' out, and use tool steps for what takes time")],
    ),
    "Promise": (
        "export default (x) => Promise.resolve(x)",
        [(1, 23, "there is no Promise: a transform returns its value at once; use tool steps for what takes time")],
    ),
    "new Promise": (
        "export default (x) => new Promise(() => x)",
        [(1, 27, "there is no Promise: a transform returns its value at once; use tool steps for what takes time")],
    ),
    "fetch": (
        "export default (x) => fetch(x.url)",
        [
            (
                1,
                23,
                "there is no fetch: a transform reaches nothing outside; use a tool step, and give what it returns as input",
            )
        ],
    ),
    "Date": (
        "export default (x) => new Date().toISOString()",
        [
            (
                1,
                27,
                "there is no Date: it would be another one the next time; use a tool step for the time, and give it as input",
            )
        ],
    ),
    "Date.now": (
        "export default (x) => Date.now()",
        [
            (
                1,
                23,
                "there is no Date: it would be another one the next time; use a tool step for the time, and give it as input",
            )
        ],
    ),
    "Date as a value": (
        "const d = [Date]\nexport default (x) => x",
        [
            (
                1,
                12,
                "there is no Date: it would be another one the next time; use a tool step for the time, and give it as input",
            )
        ],
    ),
    "Date in a shorthand": (
        "const d = { Date }\nexport default (x) => x",
        [
            (
                1,
                13,
                "there is no Date: it would be another one the next time; use a tool step for the time, and give it as input",
            )
        ],
    ),
    "typeof Date": (
        "export default (x) => typeof Date",
        [
            (
                1,
                30,
                "there is no Date: it would be another one the next time; use a tool step for the time, and give it as input",
            )
        ],
    ),
    "Math.random": (
        "export default (x) => Math.random()",
        [(1, 23, "there is no Math.random: use a tool step for what is random, and give it as input")],
    ),
    "Math.random by its name": (
        "export default (x) => Math['random']()",
        [(1, 23, "there is no Math.random: use a tool step for what is random, and give it as input")],
    ),
    "Math.random by a template": (
        "export default (x) => Math[`random`]()",
        [(1, 23, "there is no Math.random: use a tool step for what is random, and give it as input")],
    ),
    "Math?.random": (
        "export default (x) => Math?.random()",
        [(1, 23, "there is no Math.random: use a tool step for what is random, and give it as input")],
    ),
    "Math in parentheses": (
        "export default (x) => (Math as any).random()",
        [(1, 23, "there is no Math.random: use a tool step for what is random, and give it as input")],
    ),
    "random taken out of Math": (
        "const { random } = Math\nexport default (x) => x",
        [(1, 9, "there is no Math.random: use a tool step for what is random, and give it as input")],
    ),
    "random taken out of Math under another name": (
        "const { floor, random: r = 1 } = Math\nexport default (x) => x",
        [(1, 16, "there is no Math.random: use a tool step for what is random, and give it as input")],
    ),
    "globalThis.Date": (
        "export default (x) => globalThis.Date.now()",
        [
            (
                1,
                23,
                "there is no Date: it would be another one the next time; use a tool step for the time, and give it as input",
            )
        ],
    ),
    "globalThis by a name": (
        "export default (x) => globalThis['fetch'](x)",
        [
            (
                1,
                23,
                "there is no fetch: a transform reaches nothing outside; use a tool step, and give what it returns as input",
            )
        ],
    ),
    "globalThis.Math.random": (
        "export default (x) => globalThis.Math.random()",
        [(1, 23, "there is no Math.random: use a tool step for what is random, and give it as input")],
    ),
    "taken out of globalThis": (
        "const { fetch: f } = globalThis\nexport default (x) => x",
        [
            (
                1,
                9,
                "there is no fetch: a transform reaches nothing outside; use a tool step, and give what it returns as input",
            )
        ],
    ),
    "crypto": (
        "export default (x) => crypto.randomUUID()",
        [(1, 23, "there is no crypto: use a tool step for what is random, and give it as input")],
    ),
    "setTimeout": (
        "export default (x) => { setTimeout(() => x, 5) }",
        [(1, 25, "there are no timers: a transform does not wait; use a sleep step")],
    ),
    "setInterval": (
        "export default (x) => { setInterval(() => x, 5) }",
        [(1, 25, "there are no timers: a transform does not wait; use a sleep step")],
    ),
    "clearTimeout": (
        "clearTimeout(1)\nexport default (x) => x",
        [(1, 1, "there are no timers: a transform does not wait; use a sleep step")],
    ),
    "queueMicrotask": (
        "queueMicrotask(() => 1)\nexport default (x) => x",
        [(1, 1, "there are no timers: a transform does not wait; use a sleep step")],
    ),
    "requestAnimationFrame": (
        "requestAnimationFrame(() => 1)\nexport default (x) => x",
        [(1, 1, "there are no timers: a transform does not wait; use a sleep step")],
    ),
    "performance": (
        "export default (x) => performance.now()",
        [(1, 23, "there is no performance: use a tool step for the time, and give it as input")],
    ),
    "eval": (
        "export default (x) => eval(x)",
        [(1, 23, "there is no eval: a transform runs no code but its own; write the function out")],
    ),
    "Function": (
        "export default (x) => new Function('return 1')()",
        [(1, 27, "there is no Function: a transform runs no code but its own; write the function out")],
    ),
    "a name that is declared elsewhere": (
        "export default (x) => { { const fetch = 1 } return fetch(x) }",
        [
            (
                1,
                52,
                "there is no fetch: a transform reaches nothing outside; use a tool step, and give what it returns as input",
            )
        ],
    ),
    "a name that is a parameter elsewhere": (
        "const f = (Date) => Date\nconst g = Date\nexport default (x) => x",
        [
            (
                2,
                11,
                "there is no Date: it would be another one the next time; use a tool step for the time, and give it as input",
            )
        ],
    ),
    "a type does not declare a value": (
        "interface Date { a: 1 }\nconst g = Date\nexport default (x) => x",
        [
            (
                2,
                11,
                "there is no Date: it would be another one the next time; use a tool step for the time, and give it as input",
            )
        ],
    ),
    "enum": (
        "enum Color { Red, Green }\nexport default (x) => x",
        [(1, 1, "there are no enums: they are code; write a union, as in type Color = 'red' | 'green'")],
    ),
    "const enum": (
        "const enum Color { Red = 'a' }\nexport default (x) => x",
        [(1, 7, "there are no enums: they are code; write a union, as in type Color = 'red' | 'green'")],
    ),
    "an exported enum": (
        "export enum Color { Red }\nexport default (x) => x",
        [(1, 8, "there are no enums: they are code; write a union, as in type Color = 'red' | 'green'")],
    ),
    "namespace": (
        "namespace A.B { export const a = 1 }\nexport default (x) => x",
        [(1, 1, "there are no namespaces; declare what is in it at the top")],
    ),
    "module": (
        "module A { }\nexport default (x) => x",
        [(1, 1, "there are no namespaces; declare what is in it at the top")],
    ),
    "declare": (
        "declare const a: string\nexport default (x) => x",
        [(1, 1, "there is nothing outside of a transform that could be declared; give it as input")],
    ),
    "declare function": (
        "declare function f(): void\nexport default (x) => x",
        [(1, 1, "there is nothing outside of a transform that could be declared; give it as input")],
    ),
    "declare global": (
        "declare global { interface Window { } }\nexport default (x) => x",
        [(1, 9, "there is nothing outside of a transform that could be declared; give it as input")],
    ),
    "declare module": (
        "declare module 'a' { }\nexport default (x) => x",
        [(1, 9, "there are no namespaces; declare what is in it at the top")],
    ),
    "a decorator": (
        "@sealed class A { }\nexport default (x) => x",
        [(1, 1, "there are no decorators; call the function instead")],
    ),
    "a decorator of a method": (
        "class A { @log() m() { } }\nexport default (x) => x",
        [(1, 11, "there are no decorators; call the function instead")],
    ),
    "a decorator of a parameter": (
        "class A { m(@inject a) { } }\nexport default (x) => x",
        [(1, 13, "there are no decorators; call the function instead")],
    ),
    "a parameter that is a property": (
        "class A { constructor(private a: string, public readonly b = 1) { } }\nexport default (x) => x",
        [
            (
                1,
                23,
                "a parameter cannot declare a property here; declare it in the class, and set it in the constructor",
            ),
            (
                1,
                42,
                "a parameter cannot declare a property here; declare it in the class, and set it in the constructor",
            ),
            (
                1,
                49,
                "a parameter cannot declare a property here; declare it in the class, and set it in the constructor",
            ),
        ],
    ),
    "export =": ("export = 5\nexport default (x) => x", [(1, 1, "there is no 'export ='; write 'export default'")]),
    "export as namespace": (
        "export as namespace a\nexport default (x) => x",
        [(1, 1, "there are no namespaces; write 'export default'")],
    ),
    "accessor": (
        "class A { accessor a = 1 }\nexport default (x) => x",
        [(1, 11, "there are no accessor fields; leave 'accessor' out, or write get and set")],
    ),
    "an old assertion before an object": (
        "export default (x) => <any>{ a: 1 }",
        [(1, 23, "write this type after its value, as in 'value as T'")],
    ),
    "an old assertion on two lines": (
        "export default (x) => { return <\nany>x }",
        [(1, 32, "write this type after its value, as in 'value as T'")],
    ),
    "an old assertion on the line before its value": (
        "export default (x) => { return <any>\nx }",
        [(1, 32, "write this type after its value, as in 'value as T'")],
    ),
    "a type before a closer operator": (
        "export default (x) => 10 - 4 as number / 2",
        [
            (
                1,
                40,
                "without the type, '/' would take only a part of what stands before it; put parentheses around 'a as T'",
            )
        ],
    ),
    "a type between powers": (
        "export default (x) => 2 ** 3 as number ** 2",
        [
            (
                1,
                40,
                "without the type, '**' would take only a part of what stands before it; put parentheses around 'a as T'",
            )
        ],
    ),
    "a type between a comparison and a sum": (
        "export default (x) => x < 3 satisfies boolean + 1",
        [
            (
                1,
                47,
                "without the type, '+' would take only a part of what stands before it; put parentheses around 'a as T'",
            )
        ],
    ),
    "two types before a closer operator": (
        "export default (x) => 1 << 2 as any as number - x",
        [
            (
                1,
                47,
                "without the type, '-' would take only a part of what stands before it; put parentheses around 'a as T'",
            )
        ],
    ),
    "a type between in and a shift": (
        "export default (x) => x in x as any >> 1",
        [
            (
                1,
                37,
                "without the type, '>>' would take only a part of what stands before it; put parentheses around 'a as T'",
            )
        ],
    ),
    "type arguments that touch a comparison": (
        "export default (a, b, c) => a<b>==c",
        [(1, 33, "'==' is unexpected here; a value is expected")],
    ),
    "the name that is ours": (
        "const $default = 1\nexport default (x) => x",
        [(1, 7, "$default is what the transform itself is called; take another name")],
    ),
    "the name that is ours, used": (
        "export default (x) => $default",
        [(1, 23, "$default is what the transform itself is called; take another name")],
    ),
    "no default": (
        "const a = (x) => x",
        [
            (
                1,
                1,
                "a transform must export a function by default, as in: export default (input: Input): Output => ({ … })",
            )
        ],
    ),
    "another export": (
        "export const f = (x) => x",
        [
            (
                1,
                1,
                "a transform must export a function by default, as in: export default (input: Input): Output => ({ … })",
            )
        ],
    ),
    "two defaults": (
        "export default (x) => x\nexport default (y) => y",
        [(2, 1, "something is exported by default already; a transform is one function")],
    ),
    "two defaults in different ways": (
        "export default function f(x) { return x }\nexport { f as default }",
        [(2, 10, "something is exported by default already; a transform is one function")],
    ),
    "a class as default": (
        "export default class { }",
        [(1, 1, "a transform is a function, not a class; export one by default")],
    ),
    "a class with a name as default": (
        "export default class A { }",
        [(1, 1, "a transform is a function, not a class; export one by default")],
    ),
    "a number as default": (
        "export default 5",
        [
            (
                1,
                1,
                "what is exported by default must be a function, not a number, as in: export default (input: Input): Output => ({ … })",
            )
        ],
    ),
    "an object as default": (
        "export default { a: 1 }",
        [
            (
                1,
                1,
                "what is exported by default must be a function, not an object, as in: export default (input: Input): Output => ({ … })",
            )
        ],
    ),
    "a call as default": (
        "export default make()",
        [
            (
                1,
                1,
                "what is exported by default must be a function, not an expression, as in: export default (input: Input): Output => ({ … })",
            )
        ],
    ),
    "a generator as default": (
        "export default function* (x) { yield x }",
        [(1, 1, "a transform returns its value at once; leave the * out, or call the generator in an arrow function")],
    ),
    "a variable that is no function": (
        "const f = 5\nexport default f",
        [
            (
                2,
                1,
                "what is exported by default must be a function, not a number, as in: export default (input: Input): Output => ({ … })",
            )
        ],
    ),
    "a variable that is a class": (
        "class A { }\nexport default A",
        [(2, 1, "a transform is a function, not a class; export one by default")],
    ),
    "a variable that is a generator": (
        "function* f() { }\nexport default f",
        [(2, 1, "a transform returns its value at once; leave the * out, or call the generator in an arrow function")],
    ),
    "a variable that is nowhere": (
        "export default f",
        [
            (
                1,
                1,
                "'f' is not declared at the top; export a function by default, as in: export default (input: Input): Output => ({ … })",
            )
        ],
    ),
    "a variable of itself": (
        "let f = g, g = f\nexport default f",
        [
            (
                2,
                1,
                "what is exported by default must be a function, not a variable, as in: export default (input: Input): Output => ({ … })",
            )
        ],
    ),
    "a condition as default": (
        "export default 1 ? (x) => x : 2",
        [
            (
                1,
                1,
                "what is exported by default must be a function, not an expression, as in: export default (input: Input): Output => ({ … })",
            )
        ],
    ),
    "an interface as default": (
        "export default interface A { }",
        [
            (
                1,
                1,
                "what is exported by default must be a function, not an interface, as in: export default (input: Input): Output => ({ … })",
            )
        ],
    ),
    "no Output": (
        "interface Input { a: string }\nexport default (x) => x",
        [(None, None, "Missing required 'Output' interface declaration")],
    ),
    "no Input": (
        "type Output = string;\nexport default (x) => x",
        [(None, None, "Missing required 'Input' interface declaration")],
    ),
    "a method": (
        "interface Input { a: string; f(): void }\ninterface Output {}\nexport default (x) => x\n",
        [(1, 30, "a function is not JSON, so it cannot be a part of Input or Output; leave it out")],
    ),
    "a function": (
        "interface Input { f: (x: string) => void }\ninterface Output {}\nexport default (x) => x\n",
        [(1, 22, "a function is not JSON, so it cannot be a part of Input or Output; leave it out")],
    ),
    "a constructor": (
        "interface Input { f: new () => object }\ninterface Output {}\nexport default (x) => x\n",
        [(1, 22, "a function is not JSON, so it cannot be a part of Input or Output; leave it out")],
    ),
    "what can be called": (
        "interface Input { (x: string): void }\ninterface Output {}\nexport default (x) => x\n",
        [(1, 19, "a function is not JSON, so it cannot be a part of Input or Output; leave it out")],
    ),
    "what can be constructed": (
        "interface Input { new (x: string): object }\ninterface Output {}\nexport default (x) => x\n",
        [(1, 19, "a function is not JSON, so it cannot be a part of Input or Output; leave it out")],
    ),
    "a getter": (
        "interface Input { get a(): string }\ninterface Output {}\nexport default (x) => x\n",
        [(1, 19, "a function is not JSON, so it cannot be a part of Input or Output; leave it out")],
    ),
    "a symbol": (
        "interface Input { a: symbol }\ninterface Output {}\nexport default (x) => x\n",
        [(1, 22, "a symbol is not JSON; write string")],
    ),
    "a unique symbol": (
        "interface Input { a: unique symbol }\ninterface Output {}\nexport default (x) => x\n",
        [(1, 22, "a symbol is not JSON; write string")],
    ),
    "a bigint": (
        "interface Input { a: bigint }\ninterface Output {}\nexport default (x) => x\n",
        [(1, 22, "a bigint is not JSON; write number, or string")],
    ),
    "a literal bigint": (
        "interface Input { a: 5n }\ninterface Output {}\nexport default (x) => x\n",
        [(1, 22, "5n is not a number of JSON; write number")],
    ),
    "a Date": (
        "interface Input { at: Date }\ninterface Output {}\nexport default (x) => x\n",
        [(1, 23, "a Date is not JSON; write string, for a time as in '2026-01-31T08:00:00Z', or number")],
    ),
    "a Map": (
        "interface Input { m: Map<string, number> }\ninterface Output {}\nexport default (x) => x\n",
        [(1, 22, "a Map is not JSON; write Record<string, …>")],
    ),
    "a Set": (
        "interface Input { m: Set<string> }\ninterface Output {}\nexport default (x) => x\n",
        [(1, 22, "a Set is not JSON; write an array")],
    ),
    "a Promise": (
        "interface Input {}\ntype Output = Promise<string>\nexport default (x) => x",
        [(2, 15, "a transform returns its value at once; write the type of the value itself")],
    ),
    "a conditional type": (
        "interface Input { a: string extends any ? 1 : 2 }\ninterface Output {}\nexport default (x) => x\n",
        [(1, 22, "a conditional type cannot become a schema; write out the type that it comes to")],
    ),
    "infer": (
        "type Input = any extends (infer U)[] ? U : never\ninterface Output {}\nexport default (x) => x\n",
        [(1, 14, "a conditional type cannot become a schema; write out the type that it comes to")],
    ),
    "a template with parts": (
        "interface Input { a: `x${string}` }\ninterface Output {}\nexport default (x) => x\n",
        [(1, 22, "a template with parts to fill in cannot become a schema; write string")],
    ),
    "typeof": (
        "const A = 1\ninterface Input { a: typeof A }\ninterface Output {}\nexport default (x) => x\n",
        [(2, 22, "the type of a variable cannot become a schema; write the type itself")],
    ),
    "this": (
        "interface Input { a: this }\ninterface Output {}\nexport default (x) => x\n",
        [(1, 22, "'this' as a type cannot become a schema; write the name of the type")],
    ),
    "void": (
        "interface Input { a: void }\ninterface Output {}\nexport default (x) => x\n",
        [(1, 22, "void is no value; write null, and return it")],
    ),
    "undefined alone": (
        "type Input = undefined\ninterface Output {}\nexport default (x) => x\n",
        [(1, 6, "no value is of the type 'Input'; write null if there is nothing")],
    ),
    "undefined in an array": (
        "interface Input { a: (string | undefined)[] }\ninterface Output {}\nexport default (x) => x\n",
        [
            (
                1,
                23,
                "JSON has no undefined here; write null, or make it a property that may be left out, as in a?: string",
            )
        ],
    ),
    "undefined in a tuple": (
        "interface Input { a: [string | undefined] }\ninterface Output {}\nexport default (x) => x\n",
        [
            (
                1,
                23,
                "JSON has no undefined here; write null, or make it a property that may be left out, as in a?: string",
            )
        ],
    ),
    "undefined at the top": (
        "type Input = string | undefined\ninterface Output {}\nexport default (x) => x\n",
        [
            (
                1,
                6,
                "JSON has no undefined here; write null, or make it a property that may be left out, as in a?: string",
            )
        ],
    ),
    "never at the top": (
        "type Input = never\ninterface Output {}\nexport default (x) => x\n",
        [(1, 6, "no value is of the type 'Input'; write null if there is nothing")],
    ),
    "an unknown name": (
        "interface Input { a: Usr }\ninterface User { a: string }\ninterface Output {}\nexport default (x) => x\n",
        [(1, 22, "there is no type 'Usr'; did you mean 'User'?")],
    ),
    "a type that TypeScript has, and that is not worked out": (
        "interface Input { a: Uppercase<'a'>; b: ReturnType<() => string> }\ninterface Output {}\nexport default (x) => x\n",
        [
            (1, 22, "Uppercase is not worked out here; write the type that it comes to"),
            (1, 41, "ReturnType is not worked out here; write the type that it comes to"),
        ],
    ),
    "an unknown name with dots": (
        "interface Input { a: A.B }\ninterface Output {}\nexport default (x) => x\n",
        [(1, 22, "there is no type 'A.B'; declare it in the transform")],
    ),
    "a class as a type": (
        "class A { }\ninterface Input { a: A }\ninterface Output {}\nexport default (x) => x\n",
        [(2, 22, "'A' is a class, not a type of JSON; declare an interface")],
    ),
    "too few types": (
        "interface Input { a: Page }\ninterface Page<T> { a: T }\ninterface Output {}\nexport default (x) => x\n",
        [(1, 22, "'Page' takes one type, and 0 are given")],
    ),
    "too many types": (
        "interface Input { a: User<string> }\ninterface User { a: string }\ninterface Output {}\nexport default (x) => x\n",
        [(1, 22, "'User' takes no types, and 1 is given")],
    ),
    "too many types for defaults": (
        "interface Input { a: Page<1, 2, 3> }\ninterface Page<T, U = T> { a: T }\ninterface Output {}\nexport default (x) => x\n",
        [(1, 22, "'Page' takes 1 to 2 types, and 3 are given")],
    ),
    "too few types for Record": (
        "interface Input { a: Record<string> }\ninterface Output {}\nexport default (x) => x\n",
        [(1, 22, "Record takes 2 types, and 1 is given")],
    ),
    "too many types for Array": (
        "interface Input { a: Array<string, number> }\ninterface Output {}\nexport default (x) => x\n",
        [(1, 22, "Array takes one type, and 2 are given")],
    ),
    "keys that are no keys": (
        "interface Input { a: Record<boolean, string> }\ninterface Output {}\nexport default (x) => x\n",
        [(1, 29, "keys are string, number, or written out, as in 'a' | 'b'")],
    ),
    "an index that is none": (
        "interface Input { [k: symbol]: string }\ninterface Output {}\nexport default (x) => x\n",
        [(1, 23, "the keys of an index signature are string or number; name others one by one")],
    ),
    "a computed name": (
        "const k = 'a'\ninterface Input { [k]: string }\ninterface Output {}\nexport default (x) => x\n",
        [(2, 19, "the name of a property must be written out, as in a: string or 'a-b': string")],
    ),
    "a property that is not there": (
        "interface Input { a: U['b'] }\ninterface U { a: 1 }\ninterface Output {}\nexport default (x) => x\n",
        [(1, 24, "there is no such property; name one that the type has, as in User['name']")],
    ),
    "a part of what a variable holds": (
        "const X = ['a'] as const\ntype Input = typeof X[number]\ninterface Output {}\nexport default (x) => x\n",
        [(2, 14, "the type of a variable cannot become a schema; write the type itself")],
    ),
    "a part of what a variable holds, by another name": (
        "const X = { a: 1 }\ntype Input = A['a']\ntype A = typeof X\ninterface Output {}\nexport default (x) => x\n",
        [(3, 10, "the type of a variable cannot become a schema; write the type itself")],
    ),
    "too many types to compare": (
        f"type U = {tagged('a', 200)}\ntype V = {tagged('b', 200)}\ntype Input = Exclude<U, V>{TYPED}",
        [
            (
                3,
                14,
                "this takes too long to work out: too many types are compared with each other; write out what is left",
            )
        ],
    ),
    "Pick of what is not there": (
        "type Input = Pick<{ name: 1 }, 'nme'>\ninterface Output {}\nexport default (x) => x\n",
        [(1, 32, "there is no property 'nme'; did you mean 'name'?")],
    ),
    "Pick of keys that are not named": (
        "type Input = Pick<{ name: 1 }, string>\ninterface Output {}\nexport default (x) => x\n",
        [(1, 32, "there is no index signature to pick; name properties, as in 'a' | 'b'")],
    ),
    "Pick of what only one alternative has": (
        "type Input = Pick<{ a: 1 } | { a: 1; b: 2 }, 'b'>\ninterface Output {}\nexport default (x) => x\n",
        [(1, 46, "there is no property 'b'")],
    ),
    "Pick of what may be null": (
        "type Input = Pick<{ a: 1 } | null, 'a'>\ninterface Output {}\nexport default (x) => x\n",
        [(1, 19, "Pick needs an object type; write out its properties")],
    ),
    "a property that only one alternative has": (
        "type Input = ({ a: 1 } | { b: 2 })['a']\ninterface Output {}\nexport default (x) => x\n",
        [(1, 36, "there is no such property; name one that the type has, as in User['name']")],
    ),
    "a property twice": (
        "interface Input { a: string; a: number }\ninterface Output {}\nexport default (x) => x\n",
        [(1, 30, "the property 'a' is declared twice, with different types; keep one of them")],
    ),
    "a property twice, deep in it": (
        (
            "type Input = { a: [1, { b: 2 }] }\ninterface Output { a: X }\ninterface X { y: [1, { b: 2 }] }\n"
            "interface X { y: [1, { b: 3 }]; }\nexport default (x) => x\n"
        ),
        [(4, 15, "the property 'y' is declared twice, with different types; keep one of them")],
    ),
    "a property twice, once left out": (
        "type Input = { a: 1; a?: 1; b: [1]; b: [1, 2] }\ninterface Output {}\nexport default (x) => x\n",
        [
            (1, 22, "the property 'a' is declared twice, with different types; keep one of them"),
            (1, 37, "the property 'b' is declared twice, with different types; keep one of them"),
        ],
    ),
    "a private name that no class has": (
        "export default (x) => { class A { m() { return this.#q } has(o) { return #r in o } } return 1 }",
        [
            (1, 53, "no class around this has the private name #q; declare it there, as in #q = 0"),
            (1, 74, "no class around this has the private name #r; declare it there, as in #r = 0"),
        ],
    ),
    "a private name of another class": (
        "class A { #q = 1 }\nexport default (x) => x.#q",
        [(2, 25, "no class around this has the private name #q; declare it there, as in #q = 0")],
    ),
    "Partial of a text": (
        "type Input = Partial<string>\ninterface Output {}\nexport default (x) => x\n",
        [(1, 22, "Partial needs an object type; write out its properties")],
    ),
    "keyof a text": (
        "type Input = keyof string\ninterface Output {}\nexport default (x) => x\n",
        [(1, 20, "keyof needs an object type; write out the keys, as in 'a' | 'b'")],
    ),
    "a mapped type with as": (
        "type Input = { [K in 'a' as `x${K}`]: 1 }\ninterface Output {}\nexport default (x) => x\n",
        [(1, 14, "a mapped type with 'as' cannot become a schema; write out its properties")],
    ),
    "extending a union": (
        "type U = { a: 1 } | { b: 2 }\ninterface Input extends U { }\ninterface Output {}\nexport default (x) => x\n",
        [(2, 25, "an interface can extend object types only")],
    ),
    "itself": (
        "type Input = Input\ninterface Output {}\nexport default (x) => x\n",
        [(1, 14, "this type refers to itself without end, or takes too long to work out; write it out")],
    ),
    "itself or a text": (
        "type Input = string | Input\ninterface Output {}\nexport default (x) => x\n",
        [(1, 14, "this type refers to itself without end, or takes too long to work out; write it out")],
    ),
    "itself in parentheses": (
        "type Input = A\ntype A = (B)\ntype B = A & { a: 1 }\ninterface Output {}\nexport default (x) => x\n",
        [(3, 10, "this type refers to itself without end, or takes too long to work out; write it out")],
    ),
    "extending itself": (
        "interface Input extends Input { }\ninterface Output {}\nexport default (x) => x\n",
        [(1, 25, "this type refers to itself without end, or takes too long to work out; write it out")],
    ),
    "growing without end": (
        "interface Input { a: N<string> }\ninterface N<T> { n?: N<T[]> }\ninterface Output {}\nexport default (x) => x\n",
        [(2, 22, "this type is nested more than 64 levels deep, or grows without end; make it flatter")],
    ),
    "declared twice": (
        "type Input = string\ntype Input = number\ninterface Output {}\nexport default (x) => x\n",
        [(2, 6, "the type 'Input' is declared twice; give one of them another name")],
    ),
    "an interface after a type": (
        "type Input = { a: string }\ninterface Input { b: string }\ninterface Output {}\nexport default (x) => x\n",
        [(2, 11, "the type 'Input' is declared twice; give one of them another name")],
    ),
    "a tuple with more after the rest": (
        "type Input = [...string[], number]\ninterface Output {}\nexport default (x) => x\n",
        [(1, 28, "nothing can come after '...' in a tuple; put it last")],
    ),
    "a tuple with a rest that is no array": (
        "type Input = [...string]\ninterface Output {}\nexport default (x) => x\n",
        [(1, 18, "after '...' in a tuple comes an array, as in ...string[]")],
    ),
    "a number beyond JSON": (
        "type Input = 1e999\ninterface Output {}\nexport default (x) => x\n",
        [(1, 14, "1e999 is not a number of JSON; write number")],
    ),
    "a wrong escape": (
        "type Input = '\\x1'\ninterface Output {}\nexport default (x) => x\n",
        [(1, 14, "this text has an escape that means nothing, or half a character")],
    ),
    "an async function that is a value": (
        "const f = async function () { }\nexport default (x) => x",
        [(1, 11, "a transform returns its value at once: leave 'async' out, and use tool steps for what takes time")],
    ),
    "a minus without a number": (
        "type A = -x\n\nexport default (x) => x",
        [(1, 11, "'x' is unexpected here; a number is expected")],
    ),
    "a word as a type": (
        "let a: class\nexport default (x) => x",
        [(1, 8, "'class' is a word of the language; take another name for a type")],
    ),
    "asserts where nothing is returned": (
        "let a: asserts b\nexport default (x) => x",
        [(1, 16, "'asserts' can stand before what a function returns only")],
    ),
    "typeof of nothing": (
        "let a: typeof 5\nexport default (x) => x",
        [(1, 15, "'5' is unexpected here; the name of a variable is expected after typeof")],
    ),
    "typeof of an import": (
        "type A = typeof import('a')\ninterface Input { a: A }\ninterface Output {}\nexport default (x) => x\n",
        [(1, 10, "the type of a variable cannot become a schema; write the type itself")],
    ),
    "typeof with types": (
        "type A = typeof f<string>\ninterface Input { a: A }\ninterface Output {}\nexport default (x) => x\n",
        [(1, 10, "the type of a variable cannot become a schema; write the type itself")],
    ),
    "an imported type with types": (
        "interface Input { a: import('a').B<string> }\ninterface Output {}\nexport default (x) => x\n",
        [(1, 22, "a transform imports nothing: write the type into it")],
    ),
    "Partial of a Date": (
        "type Input = Partial<Date>\ninterface Output {}\nexport default (x) => x\n",
        [(1, 22, "Partial needs an object type; write out its properties")],
    ),
    "Partial of an array": (
        "type Input = Partial<Array<string>>\ninterface Output {}\nexport default (x) => x\n",
        [(1, 22, "Partial needs an object type; write out its properties")],
    ),
    "nothing but itself, to be read only": (
        "type Input = Readonly<Input>\ninterface Output {}\nexport default (x) => x\n",
        [(1, 23, "this type is nothing but itself; say what it has")],
    ),
    "a place that a tuple has not": (
        "type Input = [string]['a']\ninterface Output {}\nexport default (x) => x\n",
        [(1, 23, "there is no such property; name one that the type has, as in User['name']")],
    ),
    "a key of an array that is none": (
        "type Input = []['length']\ninterface Output {}\nexport default (x) => x\n",
        [(1, 17, "there is no such property; name one that the type has, as in User['name']")],
    ),
    "a parameter that takes types": (
        "type A<T> = T<string>\ntype Input = A<string>\ninterface Output {}\nexport default (x) => x\n",
        [(1, 13, "there is no type 'T'; declare it in the transform")],
    ),
    "keys that are booleans": (
        "type Input = Record<true, 1>\ninterface Output {}\nexport default (x) => x\n",
        [(1, 21, "keys are string, number, or written out, as in 'a' | 'b'")],
    ),
    "decorators of all kinds": (
        "@(a) @b.c @d(1, 2) class A { }\nexport default (x) => x",
        [
            (1, 1, "there are no decorators; call the function instead"),
            (1, 6, "there are no decorators; call the function instead"),
            (1, 11, "there are no decorators; call the function instead"),
        ],
    ),
    "import with attributes": (
        "import a from 'a' with { type: 'json' }\nexport default (x) => x",
        [(1, 1, "a transform imports nothing: write what it needs into it, or use a tool step")],
    ),
    "export of types from": (
        "export type { A } from 'a'\nexport default (x) => x",
        [(1, 1, "a transform imports nothing: write what it needs into it, or use a tool step")],
    ),
    "export of some types": (
        "export { type A, b } from 'a'\nexport default (x) => x",
        [(1, 1, "a transform imports nothing: write what it needs into it, or use a tool step")],
    ),
    "import in an expression": (
        "export default (x) => { import('a') }",
        [(1, 25, "a transform imports nothing: write what it needs into it, or use a tool step")],
    ),
    "try alone": (
        "export default (x) => { try { } }",
        [(1, 33, "'}' is unexpected here; 'catch' is expected after 'try'")],
    ),
    "a label for nothing": ("export default (x) => { a: }", [(1, 28, "'}' is unexpected here; a value is expected")]),
    "new.target is fine, Date is not": (
        "function F() { return new.target }\nexport default (x) => Date",
        [
            (
                2,
                23,
                "there is no Date: it would be another one the next time; use a tool step for the time, and give it as input",
            )
        ],
    ),
    "all at once": (
        "interface Input { a: Date; b: Map<string, symbol>; c(): void }\nimport a from 'a'\nenum E { }\nexport default async (x) => fetch(Date)",
        [
            (None, None, "Missing required 'Output' interface declaration"),
            (1, 22, "a Date is not JSON; write string, for a time as in '2026-01-31T08:00:00Z', or number"),
            (1, 31, "a Map is not JSON; write Record<string, …>"),
            (1, 52, "a function is not JSON, so it cannot be a part of Input or Output; leave it out"),
            (2, 1, "a transform imports nothing: write what it needs into it, or use a tool step"),
            (3, 1, "there are no enums: they are code; write a union, as in type Color = 'red' | 'green'"),
            (4, 16, "a transform returns its value at once: leave 'async' out, and use tool steps for what takes time"),
            (
                4,
                29,
                "there is no fetch: a transform reaches nothing outside; use a tool step, and give what it returns as input",
            ),
            (
                4,
                35,
                "there is no Date: it would be another one the next time; use a tool step for the time, and give it as input",
            ),
        ],
    ),
}
