"""Whatever comes in, only our own errors come out, soon, and small: raw text, soups of tokens, broken expressions, odd
arguments to everything, and shapes made to hurt, each by its name.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from random import Random
from time import thread_time
from typing import Any

import pytest

from expressions.generate import SCOPE, expression
from expressions.hostile import EXPRESSIONS, TEMPLATES
from perdure.errors import EvaluationError, InvalidExpression
from perdure.expressions.functions import FUNCTIONS
from perdure.expressions.language import compile_value
from perdure.expressions.methods import METHODS
from perdure.expressions.outline import DEPTH_MAX, outline
from perdure.expressions.piping import PIPES
from perdure.expressions.ready import ready, remembered
from perdure.expressions.scanner import SOURCE_MAX, Form
from perdure.expressions.templates import value_of

CHUNKS, PER_CHUNK = 6, 5_000
SOON = 0.050
RESULT_MAX = 4 << 20
GROWTH_MAX = 64
"""Megabytes: a text of one megabyte, a list of its characters, and some of each on the way."""

SEEN: dict[str, Any] = {**SCOPE, "now": 1_794_744_000_000}
OURS = (InvalidExpression, EvaluationError)
TOKENS = (
    *[
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        "`",
        "${",
        "'",
        '"',
        "\\",
        "|",
        "||",
        "&&",
        "??",
        "?.",
        "?",
        ":",
        ",",
        ";",
        ".",
        "...",
        "=>",
        "=",
        "==",
        "===",
        "!",
        "!=",
        "<",
        ">",
        "<=",
        "+",
        "-",
        "*",
        "**",
        "/",
        "%",
        "//",
        "/*",
        "*/",
        "<!--",
        "{{",
        "}}",
        "\\{{",
    ],
    *[
        "x",
        "xs",
        "o",
        "s",
        "now",
        "item",
        "Math",
        "max",
        "JSON",
        "Object",
        "map",
        "filter",
        "upper",
        "join",
        "length",
        "__proto__",
        "constructor",
        "this",
        "new",
        "function",
        "await",
    ],
    *[
        "in",
        "typeof",
        "secrets",
        "steps",
        "1",
        "0",
        "1e9",
        "0x",
        "1n",
        ".5",
        "null",
        "undefined",
        "true",
        "NaN",
        "\\u{1F600}",
        "\\x",
        "\\u",
        "#",
        "@",
        "é",
        "$",
        "_",
        "async",
        "of",
        "</a>",
    ],
    *("\n", " ", "get a(){}", "\ud800", "\udc00", "\0", "\u2028", "\u01c0", "\U0001f600", "\ufeff"),
)
ODD = (
    *("NaN", "Infinity", "-Infinity", "-1", "0", "1.5", "1e300", "-1e300", "2147483648", "null", "undefined", "true"),
    *(
        "''",
        "'a'",
        "'\U0001f600'",
        "'\\ud800'",
        "'__proto__'",
        "'now'",
        "'2026-11-15'",
        "'-P1D'",
        "'{{item}}'",
        "'item.'",
    ),
    *(
        "[]",
        "[[[]]]",
        "[null]",
        "[1, 'a']",
        "{}",
        "{a: 1}",
        "o",
        "xs",
        "users",
        "u",
        "now",
        "nowMs",
        "missing",
        "'desc'",
    ),
    *("x => x", "() => 1", "(a, b) => b", "x => [x, x]", "'9'.repeat(400)", "'a'.repeat(1000)"),
)
NAME = re.compile(r"(?<![\w.])[a-z]\w*")
WORDS = (
    *(
        "true",
        "null",
        "undefined",
        "in",
        "of",
        "let",
        "static",
        "async",
        "await",
        "yield",
        "new",
        "this",
        "typeof",
        "get",
    ),
    *(
        "set",
        "from",
        "as",
        "import",
        "export",
        "class",
        "super",
        "arguments",
        "eval",
        "enum",
        "target",
        "void",
        "delete",
    ),
)
VALUES = tuple(one for one in ODD if "=>" not in one)


def raw(random: Random) -> str:
    ranges = ((0, 0x7F), (0, 0x20), (0x20, 0x7F), (0x80, 0x2FF), (0xD7F0, 0xE00F), (0x2000, 0x206F), (0x1F600, 0x1F64F))
    return "".join(chr(random.randint(*random.choice(ranges))) for _ in range(random.randrange(40)))


def soup(random: Random) -> str:
    glue = random.choice(("", " "))
    return glue.join(random.choice(TOKENS) for _ in range(random.randrange(1, 16)))


def mutated(random: Random) -> str:
    text = expression(random, random.choice((1, 2, 2))).source
    for _ in range(random.choice((1, 1, 2, 4))):
        at, to = sorted((random.randint(0, len(text)), random.randint(0, len(text))))
        match random.randrange(6):
            case 5:
                text = NAME.sub(random.choice(WORDS), text, count=random.choice((1, 2, 0)))
            case 0:
                text = text[:at] + text[to:]
            case 1:
                text = text[:to] + text[at:]
            case 2:
                text = text[:at] + random.choice(TOKENS) + text[at:]
            case 3:
                text = text[:at] + text[at + 1 :]
            case _:
                text = text[:at] + text[at:to][::-1] + text[to:]
    return text


def nested(random: Random) -> str:
    """Brackets, braces and quotes, closed or not, and deep."""
    pairs = random.sample(
        ("()", "[]", "{}", "``", "''", '""', "${}", "!.", "-1", "a.", "[1].map(x=>)", "a|upper(", "?:"), 3
    )
    depth = random.choice((3, 10, 40, 70))
    opening = "".join(random.choice(pairs)[:-1] for _ in range(depth))
    closing = "".join(random.choice(pairs)[-1] for _ in range(random.choice((0, depth - 1, depth))))
    return opening + random.choice(("", "1", "x", "'")) + closing


def templated(random: Random) -> str:
    opening, closing = random.choice((("{{", "}}"), ("${", "}")))
    parts = (
        random.choice((soup, mutated))(random)
        if random.random() < 0.4
        else f"{opening} {expression(random, 1).source} {closing}"
        for _ in range(random.randrange(1, 4))
    )
    return random.choice(("", "a ", "\\")).join(parts)


def odd(random: Random) -> str:
    """Every method, function and pipe, with arguments that it was not made for."""
    given = ", ".join(random.choice(ODD) for _ in range(random.choice((0, 1, 1, 2, 3))))
    of = random.choice(VALUES)
    match random.randrange(4):
        case 0:
            return f"{random.choice(sorted(FUNCTIONS))}({given})"
        case 1:
            return f"({of})|{random.choice(sorted(PIPES))}" + (f"({given})" if given else "")
        case 2:
            sign = random.choice(("+", "-", "*", "/", "%", "**", "==", "===", "<", ">=", "in", "&&", "??"))
            return f"({of}) {sign} ({random.choice(VALUES)})"
        case _:
            return f"({of}).{random.choice(sorted(METHODS))}({given})"


def chained(random: Random) -> str:
    """Pipes after pipes."""
    names = sorted(PIPES)
    steps = (
        f"|{random.choice(names)}" + random.choice(("", "", f"({random.choice(ODD)})", f"({random.choice(ODD)}, 'a')"))
        for _ in range(random.randrange(1, 6))
    )
    return random.choice(("xs", "users", "ss", "o", "now", "s", "nested", "nil")) + "".join(steps)


KINDS: tuple[Callable[[Random], str], ...] = (raw, soup, mutated, nested, templated, odd, chained)


def attempt(text: str, form: Form) -> list[Any]:
    """As an expression, and as a template in a value and in a key; what is computed comes back."""
    found: list[Any] = []
    computed: tuple[Callable[[], Any], ...] = (
        lambda: ready(text).run(SEEN),
        lambda: compile_value(value_of({"a": [text], text: 1}, form)).render(SEEN).value,
    )
    for compute in computed:
        try:
            found.append(compute())
        except OURS:
            found.append(None)
    return found


def seconds(text: str, form: Form) -> tuple[float, list[Any]]:
    remembered.cache_clear()
    before = thread_time()
    found = attempt(text, form)
    return thread_time() - before, found


@pytest.mark.simulation
@pytest.mark.parametrize("chunk", range(CHUNKS))
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_whatever_comes_in_only_our_errors_come_out_soon(kind: Callable[[Random], str], chunk: int) -> None:
    random = Random(f"fuzz {kind.__name__} {chunk}")
    for _ in range(PER_CHUNK):
        text = kind(random)
        form: Form = random.choice(("{{", "${"))
        try:
            taken, found = seconds(text, form)
        except Exception as error:
            raise AssertionError(f"{text!r} raises {error!r}") from error
        if taken > SOON:  # the machine may have been busy, once
            taken = seconds(text, form)[0]
        assert taken <= SOON, f"{text!r} takes {taken * 1_000:.0f} ms"
        for value in found:
            if isinstance(value, str | list | dict):
                assert len(json.dumps(value)) <= RESULT_MAX, f"{text!r} makes too much"


BIG: dict[str, Any] = {
    "big": "a" * 1_000_000,
    "wide": "é" * 1_000_000,
    "smiles": "\U0001f600" * 500_000,
    "digits": "7" * 1_000_000,
    "many": list(range(5_000)),
    "rows": [{"id": number, "name": f"n{number}"} for number in range(3_000)],
}
"""As large as the values of a workflow get."""

ARGUMENTS = ("", "big", "wide", "digits, digits", "1, wide", "many", "rows, 'x'", "smiles, 5")


def with_big_values(word: str) -> list[str]:
    """Every way to give a word of the language much to do."""
    kind, _, name = word.partition(" ")
    match kind:
        case "operator":
            found = [f"{one} {name} {other}" for one in BIG for other in (*BIG, "5", "'a'")]
        case "method":
            found = [f"{of}.{name}({given})" for of in (*BIG, "'a'", "[big]") for given in ARGUMENTS]
        case "function":
            found = [f"{name}({given})" for given in (*BIG, *ARGUMENTS)]
        case "pipe":
            found = [
                f"({of})|{name}" + (f"({given})" if given else "") for of in (*BIG, "[wide]") for given in ARGUMENTS
            ]
        case _:
            found = [f"{name}{one}" for one in BIG] + [f"{one}[{other}]" for one in BIG for other in BIG]
    return [*found, *(f"many.map(x => {source}).length" for source in found)]


WORDS_OF_THE_LANGUAGE = (
    *(f"operator {sign}" for sign in ("+", "-", "**", "==", "===", "!=", "<", ">=", "in", "&&", "??")),
    *(f"method {name}" for name in sorted(METHODS)),
    *(f"function {name}" for name in sorted(FUNCTIONS)),
    *(f"pipe {name}" for name in sorted(PIPES)),
    *(f"sign {sign}" for sign in ("-", "!", "...")),
)


@pytest.mark.simulation
@pytest.mark.parametrize("word", WORDS_OF_THE_LANGUAGE)
def test_large_values_do_not_make_an_expression_slow(word: str) -> None:
    for source in with_big_values(word):
        taken = seconds_with_big_values(source)
        if taken > SOON:  # the machine may have been busy
            taken = min(seconds_with_big_values(source) for _ in range(3))
        assert taken <= SOON, f"{source} takes {taken * 1_000:.0f} ms"


def seconds_with_big_values(source: str) -> float:
    before = thread_time()
    with suppress(*OURS):
        ready(source).run(BIG)
    return thread_time() - before


def test_two_hundred_thousand_texts_are_tried() -> None:
    assert len(KINDS) * CHUNKS * PER_CHUNK >= 200_000


@pytest.mark.parametrize(
    "text",
    ["1" * (SOURCE_MAX + 1), "é" * SOURCE_MAX, "(" * 10_000, "'" + "a" * SOURCE_MAX + "'", " " * 5_000 + "1"],
    ids=["digits", "letters of two bytes", "parentheses", "a text", "space"],
)
def test_a_source_above_four_kilobytes_is_refused_whatever_it_is(text: str) -> None:
    with pytest.raises(InvalidExpression, match=f"at most {SOURCE_MAX} bytes"):
        ready(text)


def test_a_source_of_four_kilobytes_is_not() -> None:
    assert ready("'" + "a" * (SOURCE_MAX - 2) + "'").run({}) == "a" * (SOURCE_MAX - 2)


def test_brackets_are_at_most_so_deep() -> None:
    assert ready("[" * DEPTH_MAX + "1" + "]" * DEPTH_MAX).reads == frozenset()
    with pytest.raises(InvalidExpression, match="at most 64 levels deep"):
        outline("[" * 65 + "1" + "]" * 65)


def test_a_long_text_gets_no_longer_than_a_text_may_be() -> None:
    for source in ("text.replace('a', text)", "text + text"):
        with pytest.raises(EvaluationError, match="the limit is 1048576 characters"):
            ready(source).run({"text": "a" * 600_000})


def test_each_expression_has_all_its_steps() -> None:
    run = ready("items.map(x => x * 2).length").run
    for _ in range(5):
        assert run({"items": list(range(4_000))}) == 4_000
    path = ready("text.length").run
    for _ in range(5):
        assert path({"text": "é" * 600_000}) == 600_000


CHILD = """
import json, os, resource, sys, time
from perdure.errors import EvaluationError, InvalidExpression
from perdure.expressions.language import compile_value
from perdure.expressions.ready import ready, remembered
from perdure.expressions.templates import value_of

def run(text, template):
    remembered.cache_clear()
    try:
        if template:
            for form in ("{{", "${"):
                compile_value(value_of(text, form)).render({"x": 1, "now": 5})
        else:
            ready(text).run({"xs": [1], "now": 5})
    except (InvalidExpression, EvaluationError):
        return "ours"
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return "a value"

def judged(text, template, soon):
    resource.setrlimit(resource.RLIMIT_CPU, (2, 3))
    resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))
    before, clock = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.process_time()
    outcome = run(text, template)
    taken = time.process_time() - clock
    for _ in range(2):  # the machine may have been busy
        if taken > soon:
            clock = time.process_time()
            run(text, template)
            taken = min(taken, time.process_time() - clock)
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    return {"outcome": outcome, "taken": taken, "grown": grown}

def apart(text, template, soon):
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.write(writing, json.dumps(judged(text, template, soon)).encode())
        os._exit(0)
    os.close(writing)
    ended = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    with os.fdopen(reading) as answer:
        return json.load(answer) if ended == 0 else {"outcome": f"the process ends with {ended}"}

given = json.load(sys.stdin)
run("[1].map(x => x)|join(',')", False)
print(json.dumps([apart(text, template, given["soon"]) for text, template in given["texts"]]))
"""


@cache
def damages() -> dict[str, str]:
    """What is wrong with how each is taken, each in a process of its own with a limit to its time and memory."""
    texts = [(text, False) for text in EXPRESSIONS.values()] + [(text, True) for text in TEMPLATES.values()]
    ended = subprocess.run(
        [sys.executable, "-c", CHILD],
        input=json.dumps({"texts": texts, "soon": SOON}),
        capture_output=True,
        text=True,
        check=True,
    )
    return dict(zip((*EXPRESSIONS, *TEMPLATES), map(_damage, json.loads(ended.stdout)), strict=True))


def _damage(found: dict[str, Any]) -> str:
    if found["outcome"] not in ("ours", "a value"):
        return str(found["outcome"])
    if found["taken"] > SOON:
        return f"it takes {found['taken'] * 1_000:.0f} ms"
    return f"it takes {found['grown']:.0f} MB" if found["grown"] > GROWTH_MAX else ""


@pytest.mark.simulation
@pytest.mark.parametrize("name", [*EXPRESSIONS, *TEMPLATES])
def test_what_is_made_to_hurt_does_not(name: str) -> None:
    assert not damages()[name]
