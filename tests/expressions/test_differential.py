"""The JavaScript part of the language against a JavaScript engine: random expressions have equal results, or differ in a way
that is listed here, with its reason.

Where a difference can be told to JavaScript, it is (`AMENDED`): then both must agree on what the difference makes of it.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable
from functools import cache
from random import Random
from typing import Any, NamedTuple

import pytest
import quickjs  # type: ignore[import-untyped]

from expressions.generate import SCOPE, Readings, expression
from perdure.errors import EvaluationError, InvalidExpression
from perdure.expressions.protocol import UNDEFINED
from perdure.expressions.ready import ready

CHUNKS, PER_CHUNK, BATCH = 26, 2_000, 500
MINORITY = 0.15
PLAIN = r"""
globalThis.attempt = source => {
    try {
        const value = (0, eval)('(' + source + '\n)');
        if (typeof value === 'function') return {function: true};
        return value === undefined ? {undefined: true} : {json: JSON.stringify(value)};
    } catch (error) { return {error: String(error)}; }
};
globalThis.answers = sources => JSON.stringify(JSON.parse(sources).map(attempt));
globalThis.missing = undefined;
const frozen = value => {
    if (typeof value === 'object' && value !== null) Object.values(Object.freeze(value)).forEach(frozen);
    return value;
};
globalThis.set = scope => Object.entries(JSON.parse(scope)).forEach(([name, value]) => globalThis[name] = frozen(value));
"""
AMENDED = r"""
const nothing = value => value === null || value === undefined;
globalThis.within = (one, other) => {
    if (nothing(other)) return false;
    if (Array.isArray(other)) return other.indexOf(one) >= 0;
    if (typeof other === 'string') return other.includes(String(one));
    if (typeof other === 'object') return Object.hasOwn(other, String(one));
    throw new TypeError('in');
};
globalThis.itemsOf = value => nothing(value) ? [] : value;
globalThis.entriesOf = value => {
    if (nothing(value) || (typeof value === 'object' && !Array.isArray(value))) return value;
    throw new TypeError('...');
};
Array.prototype.sort = Array.prototype.toSorted;
Array.prototype.reverse = Array.prototype.toReversed;
for (const name of ['replace', 'replaceAll']) {
    const own = String.prototype[name];
    String.prototype[name] = function (part, by) { return own.call(this, String(part), () => String(by)); };
}
String.prototype.localeCompare = function (other) {
    const [one, second] = [String(this), String(other)];
    return Number(one > second) - Number(one < second);
};
for (const name of ['keys', 'entries']) {
    const own = Array.prototype[name];
    Array.prototype[name] = function () { return [...own.call(this)]; };
}
for (const name of ['keys', 'values', 'entries']) {
    const own = Object[name];
    Object[name] = value => nothing(value) ? [] : own(value);
}
"""


class Case(NamedTuple):
    """`told` is what JavaScript answers once it has been told of the differences; `agrees` is whether that is our answer."""

    source: str
    ours: Any
    javascript: dict[str, Any]
    told: dict[str, Any]
    agrees: bool

    @property
    def error(self) -> str:
        return str(self.javascript.get("error", ""))


class Difference(NamedTuple):
    """`told`: the example, as JavaScript is told of the difference; if that has to be written otherwise."""

    why: str
    example: str
    applies: Callable[[Case], bool]
    told: str = ""


def _same_parts(case: Case) -> bool:
    """The same characters, in another order."""
    if isinstance(case.ours, Exception) or case.ours is UNDEFINED or "json" not in case.told:
        return False
    one, other = (
        json.dumps(mended(value), sort_keys=True) for value in (whole(case.ours), whole(json.loads(case.told["json"])))
    )
    return sorted(one) == sorted(other)


INTENDED: dict[str, Difference] = {
    "spreading nothing spreads nothing": Difference(
        "what is not there has no items, as it has no properties; JavaScript throws",
        "[...(nil)]",
        lambda case: case.agrees and "Symbol.iterator" in case.error,
        "[...itemsOf(nil)]",
    ),
    "a property of nothing is undefined": Difference(
        "a property, and so a method, of null or undefined is undefined, everywhere; JavaScript throws",
        "nil.a.b",
        lambda case: case.agrees and re.search(r"of (?:null|undefined)$", case.error) is not None,
        "nil?.a?.b",
    ),
    "nothing has no keys": Difference(
        "Object.keys, values and entries of nothing are empty; JavaScript throws",
        "Object.keys(nil)",
        lambda case: case.agrees and "null to object" in case.error,
    ),
    "sort and reverse leave the array as it is": Difference(
        "a value never changes: they make a new array; JavaScript would change the scope",
        "xs.sort()",
        lambda case: case.agrees and re.search(r"\.(?:sort|reverse)\(", case.source) is not None,
    ),
    "in asks arrays, texts and objects alike": Difference(
        "membership in arrays, substring in texts, key in objects; JavaScript knows only keys",
        "('b') in (ss)",
        lambda case: case.agrees and " in " in case.source,
        "within('b', ss)",
    ),
    "keys and entries are arrays": Difference(
        "there are no iterators among JSON values",
        "xs.keys()",
        lambda case: case.agrees and re.search(r"\.(?:keys|entries)\(\)", case.source) is not None,
    ),
    "only an object spreads into an object": Difference(
        "{...array} with keys 0, 1, 2 is a mistake more often than a wish; it is an error here",
        "{...(xs)}",
        lambda case: case.agrees and isinstance(case.ours, EvaluationError) and "... in an object" in str(case.ours),
        "{...entriesOf(xs)}",
    ),
    "keys stay in their order": Difference(
        "keys that look like whole numbers keep the place they were written at; JavaScript puts them first",
        "JSON.stringify({b: 1, 1: 2})",
        lambda case: re.search(r"\{.*(?:\d'?|\]): ", case.source) is not None and _same_parts(case),
    ),
    "a comparison that contradicts itself sorts in no particular order": Difference(
        "a - b of things that are no numbers is NaN; what comes out depends on the algorithm, in JavaScript too",
        "[9, NaN, 5].toSorted((a, b) => b - a).concat([5e-324, 5, NaN, 9].toSorted((a, b) => b - a))",
        lambda case: re.search(r"ort(?:ed)?\(\(a, b", case.source) is not None and _same_parts(case),
    ),
    "a dollar in a replacement is a dollar": Difference(
        "patterns like $& belong to regular expressions, which there are none of",
        "'aXb'.replace('X', '$&')",
        lambda case: case.agrees and ".replace" in case.source and "$&" in case.source,
    ),
    "localeCompare compares code units": Difference(
        "there is no locale: an answer must be the same on every machine",
        "'e\u0301'.localeCompare('\u00e9')",
        lambda case: case.agrees and ".localeCompare(" in case.source,
    ),
    "toString has base 10": Difference(
        "other bases are an error, which says so",
        "(25).toString(2)",
        lambda case: "toString(" in case.source and "base" in str(case.ours),
    ),
    "__proto__ is a key like any other": Difference(
        "there are no prototypes",
        "{__proto__: 1}.__proto__",
        lambda case: "__proto__" in case.source and case.ours == 1,
    ),
    "nothing is inherited": Difference(
        "an object has the properties that it holds, and no constructor, toString or __proto__",
        "o.constructor",
        lambda case: case.ours is UNDEFINED and "function" in case.javascript,
    ),
    "an array has no holes": Difference(
        "JSON has none; JavaScript's are undefined for some methods, and not there for others",
        "[1,,2]",
        lambda case: isinstance(case.ours, InvalidExpression) and "no holes" in str(case.ours),
    ),
    "no octal escapes": Difference(
        "JSON and strict JavaScript refuse them; here it says so",
        "'\\101'",
        lambda case: isinstance(case.ours, InvalidExpression) and "is no escape" in str(case.ours),
    ),
    "no escapes in names": Difference(
        "a name is written with its letters",
        "o.\\u0061",
        lambda case: isinstance(case.ours, InvalidExpression) and "has no meaning here" in str(case.ours),
    ),
    "JSON.parse knows no number beyond every double": Difference(
        "JavaScript makes it Infinity, which no JSON can hold; here it is an error",
        "JSON.parse('1e400') === Infinity",
        lambda case: "JSON.parse(" in case.source and "out of range" in str(case.ours),
    ),
}
HALVES = "halves of a pair are mended in the result"
"""A lone surrogate or a NUL is U+FFFD in a result: no UTF-8 holds the one, and Postgres does not store the other."""


@cache
def engines() -> tuple[Any, Any]:
    """JavaScript as it is, and JavaScript told of the differences."""
    made = []
    for text in (PLAIN, PLAIN + AMENDED):
        context = quickjs.Context()
        context.eval(text)
        context.get("set")(json.dumps(SCOPE))
        made.append(context)
    return made[0], made[1]


def answers(engine: Any, sources: list[str]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for start in range(0, len(sources), BATCH):
        found.extend(json.loads(engine.get("answers")(json.dumps(sources[start : start + BATCH]))))
    return found


def ours(source: str) -> Any:
    """The value, or the exception; one that is not ours is an answer, too, and a wrong one."""
    try:
        return ready(source).run(SCOPE)
    except Exception as error:  # noqa: BLE001
        return error


def whole(value: Any) -> Any:
    """With every number as the double that it is."""
    match value:
        case bool():
            return value
        case int() | float():
            return float(value)
        case list():
            return [whole(item) for item in value]
        case dict():
            return {key: whole(item) for key, item in value.items()}
        case _:
            return value


def mended(value: Any) -> Any:
    match value:
        case str():
            return "".join(
                "\ufffd" if character == "\0" or "\ud800" <= character <= "\udfff" else character for character in value
            )
        case list():
            return [mended(item) for item in value]
        case dict():
            return {mended(key): mended(item) for key, item in value.items()}
        case _:
            return value


def agree(own: Any, javascript: dict[str, Any], mend: Callable[[Any], Any] = lambda value: value) -> bool:
    """Whether both have this value, or both none."""
    if isinstance(own, Exception):
        return "error" in javascript and isinstance(own, InvalidExpression | EvaluationError)
    if own is UNDEFINED or "json" not in javascript:
        return own is UNDEFINED and "undefined" in javascript
    found = whole(json.loads(javascript["json"]))
    return bool(whole(own) == mend(found)) and _types(own) == _types(found)


def _types(value: Any) -> Any:
    """true is not 1."""
    match value:
        case list():
            return [_types(item) for item in value]
        case dict():
            return {mended(key): _types(item) for key, item in value.items()}
        case _:
            return isinstance(value, bool)


def difference(one: Readings, own: Any, javascript: dict[str, Any]) -> str | None:
    """The name of the difference; None where nobody listed it."""
    if agree(own, javascript, mended):
        return HALVES
    told = answers(engines()[1], [one.amended])[0]
    case = Case(one.source, own, javascript, told, agree(own, told, mended))
    return next((name for name, found in INTENDED.items() if found.applies(case)), None)


@pytest.mark.simulation
@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_random_expressions_have_the_results_that_javascript_gives_or_differ_as_listed(chunk: int) -> None:
    random = Random(f"differential {chunk}")
    cases = [expression(random, random.choice((1, 2, 2, 3))) for _ in range(PER_CHUNK)]
    found: Counter[str] = Counter()
    for one, javascript in zip(cases, answers(engines()[0], [one.source for one in cases]), strict=True):
        own = ours(one.source)
        if agree(own, javascript):
            continue
        name = difference(one, own, javascript)
        assert name is not None, f"{one.source}\nours: {own!r}\nJavaScript: {javascript}\ntold as: {one.amended}"
        found[name] += 1
    assert sum(found.values()) < MINORITY * PER_CHUNK, found


@pytest.mark.parametrize("name", INTENDED)
def test_each_listed_difference_is_one(name: str) -> None:
    listed = INTENDED[name]
    source, own = listed.example, ours(listed.example)
    javascript = answers(engines()[0], [source])[0]
    assert not agree(own, javascript), f"{source} is the same in both: take {name!r} off the list"
    told = answers(engines()[1], [listed.told or source])[0]
    assert listed.applies(Case(source, own, javascript, told, agree(own, told, mended))), (own, javascript, told)


def test_fifty_thousand_expressions_are_compared() -> None:
    assert CHUNKS * PER_CHUNK >= 50_000


def test_most_expressions_have_a_value() -> None:
    random = Random("values")
    computed = [ours(expression(random, random.choice((1, 2, 2, 3))).source) for _ in range(1_000)]
    assert sum(not isinstance(found, Exception) for found in computed) > 700


def test_a_chunk_is_the_same_each_time() -> None:
    first, second = Random(7), Random(7)
    assert [expression(first) for _ in range(50)] == [expression(second) for _ in range(50)]
