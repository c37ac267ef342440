"""Expressions put into one another, where it shows late how they are to be read: arrows or parentheses, types or comparisons."""

from __future__ import annotations

from random import Random

LEAVES = [
    *(
        "a",
        "1",
        "`x${a}y`",
        "/re/g",
        "a as any",
        "a!",
        "f<T>(a)",
        "(a)",
        "{a: 1}",
        "[a]",
        "a ? b : c",
        "x => x",
        "async",
    ),
    *(
        "a as T<U>",
        "new A<B>",
        "-a",
        "typeof a",
        "(a, b)",
        "`a`",
        "a.b?.c",
        "a as const",
        "(x: any) => x ? (x) : y => y",
    ),
    *(
        "class { a: number = 1 }",
        "function <T>(this: any, a?: T): T { return a }",
        "(x: T): {\n a: 1\n} => x",
        "/[`}]/",
    ),
]
AROUND = [
    *("(a = {0})", "a ? ({0}) : {1}", "a ? {0} : {1}", "f<A>({0}, {1})", "[a < b, {0}, c > ({1})]", "({0})", "a = {0}"),
    *("(a, b = {0}, c = {1}) => {2}", "(a: T = {0}): U => {1}", "({0}) as T | U", "(({0}) satisfies any)!", "x[{0}]!"),
    *("{{ a: {0}, b: {1}, m(c = {2}): T {{ return {0} }} }}", "`${{{0}}}x${{{1}}}`", "({0}) < b > ({1})", "a ?? ({0})"),
    *(
        "({{a}} = {0}) => ({1})",
        "<T,>(a: T, b = {0}) => {1}",
        "(a?: T, ...b: U[]): a is T => {0}",
        "({0})!.a",
        "!({0})",
    ),
    *(
        "(function (a = {0}) {{ return {1} }})",
        "class {{ private x: T = {0}\n y?: number\n [z] = {1} }}",
        "f<A, B<C>>({0})",
    ),
    *("a ? (b) : c => ({0})", "a ? (b: T) => {0} : c", "a ? (b): T => ({0}) : c", "new Map<A, B>([[{0}, {1}]])"),
    "(a) => {{ const b: T = {0}\n if (a < b) return {1}\n return {2} as any }}",
]


def composed(random: Random, depth: int) -> str:
    if not depth or random.random() < 0.15:
        return random.choice(LEAVES)
    return random.choice(AROUND).format(*(composed(random, depth - 1) for _ in range(3)))
