"""The reference page of the language is made from the tables in the code, and every word in it has an example that holds.

`PERDURE_DRAW=1 .venv/bin/pytest tests/expressions/test_page.py` writes it anew.
"""

from __future__ import annotations

import os
from pathlib import Path

import msgspec

from expressions.test_differential import INTENDED
from perdure.dialects import transforms
from perdure.expressions import examples
from perdure.expressions.effort import (
    CHARACTERS_A_STEP,
    ITEMS_A_STEP,
    LEVELS_MAX,
    LIST_MAX,
    OPERATIONS_A_STEP,
    STEPS_MAX,
    TEXT_MAX,
    VALUE_STEPS_MAX,
)
from perdure.expressions.functions import CONSTANTS, FUNCTIONS
from perdure.expressions.methods import METHODS
from perdure.expressions.outline import DEPTH_MAX
from perdure.expressions.piping import PIPES
from perdure.expressions.protocol import UNDEFINED
from perdure.expressions.ready import SOURCE_WORK, WORK_MAX, ready
from perdure.expressions.scanner import SOURCE_MAX
from perdure.expressions.times import instant_ms

PAGE = Path(__file__).parent.parent.parent / "docs" / "expressions.md"
NOW = instant_ms("2026-11-15T10:00:00Z")

HEAD = f"""# Expressions

One language for conditions, templates and mappings, in every dialect: JavaScript's expressions over JSON values, without anything that
could run code, wait, change a value or read what it was not given. This page is made from the tables of the code; every result in
it was computed.

- **A pipe binds like a method call**, tighter than every operator: `status|lower == 'active'` compares the lower-case text.
- **A property of null or undefined is undefined**, and so is a method of theirs. What is not there never breaks an expression.
- **`now`** is the time of the event that is being handled: a text with an ISO instant wherever a text is needed, milliseconds in
  arithmetic and comparison. `nowMs` is the number.
- **`in`** asks for an item of an array, a part of a text, or a key of an object.
- `sort` and `reverse` make a new array. A function gets an item, its index and the array, and stands only where something takes it.
- What JSON has no number for (`1 / 0`) is null in the end.
- Not there: statements, assignment, `new`, `this`, regular expressions, comments, the comma operator.
- What `filter` and `formatList` go by may be written as a text: `users|filter("age > 20")`. It sees the properties of each item, `item`,
  `index` and `now`, and nothing else.
- In the text of `formatList`, single braces hold a field of the item, `{{name}}`, `{{address.city}}` or `{{lines[0].sku}}`; `{{item}}` and `{{index}}` are the
  item and its number. `{{{{ }}}}` holds an expression. A backslash before the brace makes it text.
- `map("p")` leaves out items that lack `p`; `map(x => x.p)` keeps a null in their place.
- `isoDate` and `parseDate` read numbers below 1e11 as Unix seconds, others as milliseconds; `isoDate('s')` and `isoDate('ms')` say which. To the other date pipes a number is milliseconds;
  a number below 1,000,000 before `daysAgo`, `hoursAgo` and `minutesAgo` is a count.
- `parseDate` returns milliseconds. `isoDate` knows that within one expression. If you keep the number in a variable and read
  it in a later one, a number below 1e11 (a date from 1966-10-31 to 1973-03-03) is read as seconds there: keep
  `(…|parseDate)|isoDate` instead, or read it with `isoDate('ms')`.
- Of null, undefined or the empty string, a date pipe makes an empty string; `isAfter` and `isBefore` are false. `parseJSON` of null or undefined is null.
- A string literal may contain line breaks: in a JSON document, `"{{{{ names|join('\\n') }}}}"` joins with a line break.

Limits: {SOURCE_MAX:,} bytes of source and {DEPTH_MAX} levels, where each operator in a row is one; {STEPS_MAX:,} steps (a call, an item that a function
runs over, {OPERATIONS_A_STEP} operations in it, {ITEMS_A_STEP} items or {CHARACTERS_A_STEP} characters handled), and {VALUE_STEPS_MAX:,} for all the expressions of a value; texts and
results of {TEXT_MAX:,} characters, arrays of {LIST_MAX:,} items, values of {LEVELS_MAX} levels. Each is an error that names the limit.

All expressions of a document together come to {WORK_MAX:,} at most: the characters of those that differ, as they are written and with the names of the model, and {SOURCE_WORK} for each.
That is some seven thousand. Its transforms come to {transforms.WORK_MAX:,}: their bytes, and the work that their types are. What is more is refused when it is saved, with the limit and what it comes to.

## In a template

`{{{{ … }}}}` in ports and graph, `${{ … }}` in orchestration, `@ref` in phases. A text that is exactly one template keeps the type
of its value; in a longer text null and undefined are nothing, arrays and objects compact JSON. Keys of objects can be templates too. An
undefined value drops its key, and is null in an array. `\\{{{{` and `\\${{` are what they look like. A value that was rendered is data: it is
never looked at again. `{{{{{{x}}}}}}` is the same as `{{{{x}}}}`, with a path, a pipe or any other expression inside; with a key, as in `{{{{{{a: 1}}}}}}` or `{{{{{{a, b}}}}}}`, it is an
object. (To make an object of one name, write `{{{{ {{x}} }}}}`.)

`@fetch.items[0].id` leads to a step or to the input. Alone it is the value; in a longer text one that leads nowhere stays as it is written, so that
e-mail addresses survive. `@@x` is the text `@x`.

`secrets.NAME` can stand alone or be joined to text, in the input of a task. It is filled in for that call only, and is `***` everywhere else: [secrets](secrets.md).
"""


def row(source: str) -> str:
    found = ready(source).run({"now": NOW})
    result = "undefined" if found is UNDEFINED else msgspec.json.encode(found).decode()
    return f"| {code(source)} | {code(result)} |"


def code(text: str) -> str:
    fence = "``" if "`" in text else "`"
    return f"{fence} {text} {fence}".replace("|", "\\|") if "`" in text else f"`{text}`".replace("|", "\\|")


def table(title: str, sources: tuple[str, ...]) -> str:
    return "\n".join([f"\n## {title}\n", "| expression | result |", "|---|---|", *map(row, sources), ""])


def page() -> str:
    def of(words: dict[str, str]) -> tuple[str, ...]:
        return tuple(words[word] for word in sorted(words, key=str.lower))

    return HEAD + "".join(
        (
            table("Operators", examples.OPERATORS),
            table("Methods", of(examples.METHODS)),
            table("Functions", of(examples.FUNCTIONS)),
            table("Pipes", of(examples.PIPES)),
            table("Constants", tuple(sorted(CONSTANTS, key=str.lower))),
            differences(),
        )
    )


def differences() -> str:
    """Those that are meant, as they are listed where the language is held against a JavaScript engine."""
    rows = [f"| {code(one.example)} | {name}: {one.why} |" for name, one in INTENDED.items()]
    return "\n".join(("\n## Other than in JavaScript\n", "| for example | |", "|---|---|", *rows, ""))


def test_every_word_of_the_language_has_an_example() -> None:
    assert set(examples.METHODS) == METHODS
    assert set(examples.FUNCTIONS) == set(FUNCTIONS)
    assert set(examples.PIPES) == set(PIPES)
    for word, source in {**examples.METHODS, **examples.FUNCTIONS, **examples.PIPES}.items():
        assert word in source


def test_the_page_is_what_the_code_says() -> None:
    if os.environ.get("PERDURE_DRAW"):
        PAGE.write_text(page())
    assert PAGE.read_text() == page(), "write it anew: PERDURE_DRAW=1 .venv/bin/pytest tests/expressions/test_page.py"
