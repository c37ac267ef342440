"""The same code and the same input have the same result, in whichever process: nothing that could differ can be reached."""

from __future__ import annotations

from typing import Any

from perdure.tasks.sandbox import Ran, Sandbox
from perdure.tasks.sandbox.kept import GLOBALS
from sandbox import corpus
from sandbox.words import outcome, ran, using

VARIED = """
const $default = (input) => {
  const tied = Array.from({ length: 500 }, (_, i) => ({ key: (i * 7919) % 13, i }));
  const deep = (n) => { try { return deep(n + 1) } catch { return n } };
  function* spin(n) { while (n--) yield n }
  const set = new Set(), weak = new WeakMap();
  for (let i = 0; i < 200; i++) { const o = { i }; weak.set(o, i); set.add(o) }
  let error; try { null.x } catch (e) { error = [String(e), e.stack] }
  const numbers = [0.1 + 0.2, 1 / 3, 1e21, 123456789.123, 5e-324, -0, 2 ** 53].map((n) => [
    String(n), n.toFixed(3), n.toExponential(4), n.toPrecision(5), n.toLocaleString(), n.toString(7),
  ]);
  return {
    tied: [...tied].sort((a, b) => a.key - b.key).map((x) => x.i),
    random: [3, 1, 2, 10, 'b', 'a', null, undefined].sort(),
    keys: Object.keys({ b: 1, 2: 1, a: 1, 1: 1, ...input }),
    depth: deep(0),
    spun: [...spin(5)],
    set: [...set].map((o) => weak.get(o)),
    error, numbers,
    words: ['z', 'ä', 'a', 'Z', 'A', 'é'].sort((a, b) => a.localeCompare(b)),
    upper: ['straße', 'ıİ', 'ﬁ'].map((s) => [s.toUpperCase(), s.toLowerCase(), s.toLocaleUpperCase(), s.normalize('NFKD')]),
    symbols: [Symbol('x').toString(), Symbol.for('y').description],
    functions: [String(deep), spin.name, (() => {}).name],
    regex: 'a1b22'.replace(/(?<n>\\d+)/g, (m, ...r) => JSON.stringify(r.at(-1))),
    bytes: [...new Uint8Array(new Float64Array([Math.PI]).buffer)],
    math: [Math.sin(1), Math.exp(1), Math.pow(2, 0.5), Math.hypot(3, 4), Math.cbrt(27), Math.fround(0.1)],
    proto: Object.getOwnPropertyNames(Object.prototype), globals: Object.getOwnPropertyNames(globalThis),
    mathNames: Object.getOwnPropertyNames(Math),
  };
};
"""


def test_two_processes_say_the_same_of_everything_that_might_differ() -> None:
    first, second = (ran(VARIED, {"q": 1, "0": 2}) for _ in range(2))
    assert first == second
    assert first.value["tied"] == sorted(range(500), key=lambda i: (i * 7919) % 13)
    assert first.value["keys"] == ["0", "1", "2", "b", "a", "q"]


def test_two_processes_say_the_same_of_the_hostile() -> None:
    """Of those that end by themselves."""
    scripts = [*corpus.TRICKS, *corpus.REACHING_OUT, *corpus.DEEP, *corpus.CHATTER]

    async def played(made: Sandbox) -> list[Any]:
        return [_told(await outcome(made, corpus.code(each.body), {"a": 1}, 1_000)) for each in scripts]

    first, second = using(played), using(played)
    differ = [
        (each.body, one, other)
        for each, one, other in zip(scripts, first, second, strict=True)
        if one != other and "TRANSFORM_TIMEOUT" not in (one[0], other[0])
    ]
    assert not differ
    assert sum(told[0] != "TRANSFORM_TIMEOUT" for told in first) > 110


def _told(came: Any) -> tuple[str, Any, Any]:
    return ("VALUE", came.value, came.logs) if isinstance(came, Ran) else (came.code, str(came), came.logs)


def test_there_is_nothing_but_what_is_known_to_be_the_same_each_time() -> None:
    found = ran("const $default = () => Object.getOwnPropertyNames(globalThis)").value
    assert sorted(found) == sorted((*GLOBALS, "console"))
    for name in (
        "Date",
        "Promise",
        "eval",
        "Function",
        "WeakRef",
        "Atomics",
        "performance",
        "Intl",
        "SharedArrayBuffer",
    ):
        assert name not in found


def test_nothing_else_can_be_reached_from_what_is_there() -> None:
    """Every value that leads on from the globals, by property or prototype; none of them is one of those."""
    code = """
    const $default = () => {
      const seen = new Set(), found = new Set(), open = [globalThis, function* () {}, async () => {}, async function* () {},
        (function* () {})(), (async () => 1)(), [][Symbol.iterator](), /x/g[Symbol.matchAll]('x'), new Map().entries(), new Error()];
      while (open.length) {
        const value = open.pop();
        if (value === null || (typeof value !== 'object' && typeof value !== 'function') || seen.has(value)) continue;
        seen.add(value);
        if (typeof value === 'function') found.add(value.name);
        if (value[Symbol.toStringTag]) found.add(String(value[Symbol.toStringTag]));
        open.push(Object.getPrototypeOf(value));
        for (const [key, each] of Object.entries(Object.getOwnPropertyDescriptors(value))) open.push(each.value, each.get, each.set);
        for (const key of Object.getOwnPropertySymbols(value)) {
          const each = Object.getOwnPropertyDescriptor(value, key);
          open.push(each.value, each.get, each.set);
        }
      }
      return [...found].sort();
    };
    """
    found = set(ran(code).value)
    assert "parse" in found
    assert "stringify" in found
    assert not found & {
        *("Date", "now", "random", "Function", "GeneratorFunction()", "eval", "WeakRef", "deref", "register"),
        *(
            "SharedArrayBuffer",
            "Atomics",
            "performance",
            "timeOrigin",
            "fromAsync",
            "queueMicrotask",
            "prepareStackTrace",
        ),
        *("getFunction", "resolve", "reject", "withResolvers", "getTimezoneOffset"),
    }
