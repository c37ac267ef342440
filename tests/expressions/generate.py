"""Random expressions of the JavaScript part of the language, over one scope: mostly well typed, but not only.

What comes out is a text with marks in it, since the language means two things in its own way: `readings` makes of it the
source, and the source that tells JavaScript the same. A mark before `.` or `[` says that a property of null is undefined;
three marks around `in` say what it asks; a mark after `...` says what can be spread.
"""

from __future__ import annotations

import json
import re
from random import Random
from typing import Any, NamedTuple

SCOPE: dict[str, Any] = {
    "n": 5,
    "f": 2.5,
    "neg": -3,
    "zero": 0,
    "big": 9007199254740991,
    "tiny": 1e-7,
    "huge": 1e21,
    "s": "hello world",
    "e": "",
    "u": "h\u00e4\u00df\U0001f600\ufb00\u0130",
    "t": " \ta,b , c\u00a0\n",
    "ns": "42",
    "d": "-1.50e2",
    "yes": True,
    "no": False,
    "nil": None,
    "xs": [3, 1, 2, 10],
    "fs": [0.5, -1, 10, 9, 1e21, 0],
    "ss": ["b", "a", "B", "10", "9", "", "\u00e9"],
    "mixed": [1, "1", None, True, [2], {"a": 1}],
    "empty": [],
    "nested": [[1, 2], [3, [4, [5]]], []],
    "o": {"a": 1, "b": {"c": "x", "d": [1, 2]}, "k-1": None, "z": False, "text": "ab"},
    "none": {},
    "users": [
        {"id": 1, "name": "Ann", "age": 31, "tags": ["x", "y"]},
        {"id": 2, "name": "bob", "age": 25.5, "tags": []},
        {"id": 3, "name": "\u00c9va", "age": None, "tags": ["x"]},
    ],
}
OF_KIND = {
    "number": ("n", "f", "neg", "zero", "big", "tiny", "huge", "o.a", "xs[0]", "users[1].age", "xs.length", "s.length"),
    "text": ("s", "e", "u", "t", "ns", "d", "o.b.c", "users[0].name", "ss[3]", "o['text']"),
    "boolean": ("yes", "no", "o.z"),
    "numbers": ("xs", "fs", "o.b.d"),
    "texts": ("ss", "users[0].tags", "users[1].tags"),
    "array": ("mixed", "empty", "nested", "users", "xs", "ss"),
    "object": ("o", "none", "users[0]", "o.b"),
    "nothing": ("nil", "missing", "o.nope", "o.b.nope", "xs[99]", "null", "undefined", "o['k-1']"),
}
KINDS = tuple(OF_KIND)
PROPERTIES = ("a", "b", "c", "d", "id", "name", "age", "tags", "nope", "text", "length", "k-1", "z", "0", "1")
NUMBERS = (
    *("0", "1", "2", "3", "7", "10", "100", "0.1", "0.2", "1.005", "2.5", "0.5", "1e3", "1e21", "1e-7", "5e-324", ".5"),
    *("1.7976931348623157e308", "9007199254740992", "9007199254740993", "123456789012345680000", "0x1f", "0b101"),
    *("0o17", "1_000", "4294967296", "2147483648", "1e400", "NaN", "Infinity", "Math.PI", "Number.MAX_SAFE_INTEGER"),
)
TEXTS = (
    *("", "a", "b", "abc", "hello", " ", "  x ", ",", "0", "1", "42", "-7", "1.5", "0x1F", "1e3", "Infinity", "true"),
    *(
        "null",
        "\u00e9",
        "e\u0301",
        "\U0001f600",
        "a\U0001f600b",
        "\ufb00",
        "\u03a3",
        "o",
        "l",
        "|",
        "||",
        "${",
        "{{ n }}",
    ),
    *(
        "}}",
        "'",
        '"',
        "`",
        "\\",
        "\n",
        "//",
        "/*",
        "\u2028",
        "\x00",
        "\x1c",
        "\ufeff1",
        "$&",
        "12px",
        "[1,2]",
        '{"a":1}',
    ),
)
CALLS_OF_TEXT = {
    "text": (
        *("{}.slice({n})", "{}.slice({n}, {n})", "{}.substring({n})", "{}.substring({n}, {n})", "{}.trim()"),
        *("{}.trimStart()", "{}.trimEnd()", "{}.toUpperCase()", "{}.toLowerCase()", "{}.replace({t}, {t})"),
        *("{}.replaceAll({t}, {t})", "{}.padStart({n})", "{}.padStart({c}, {t})", "{}.padEnd({c}, {t})"),
        *("{}.repeat({c})", "{}.charAt({n})", "{}.concat({t}, {a})", "{}.at({n})", "{}.toString()", "{}[{n}]"),
    ),
    "number": (
        *("{}.indexOf({t})", "{}.indexOf({t}, {n})", "{}.lastIndexOf({t})", "{}.lastIndexOf({t}, {n})"),
        *("{}.charCodeAt({n})", "{}.localeCompare({t})", "{}.length"),
    ),
    "boolean": (
        *("{}.includes({t})", "{}.includes({t}, {n})", "{}.startsWith({t})", "{}.startsWith({t}, {n})"),
        *("{}.endsWith({t})", "{}.endsWith({t}, {n})"),
    ),
    "texts": (
        "{}.split({t})",
        "{}.split({t}, {n})",
        "{}.split()",
        "[...\x05({})]",
        "Object.values({})",
        "Object.keys({})",
    ),
}
FUNCTIONS = {
    "number": (
        *("Math.abs({n})", "Math.ceil({n})", "Math.floor({n})", "Math.round({n})", "Math.trunc({n})", "Math.sign({n})"),
        *("Math.sqrt({n})", "Math.cbrt({n})", "Math.exp({n})", "Math.log({n})", "Math.log2({n})", "Math.log10({n})"),
        *("Math.max({n}, {n})", "Math.min({n}, {n}, {a})", "Math.max()", "Math.min()", "Math.pow({n}, {n})"),
        *("Math.hypot({n}, {n})", "Number({a})", "Number({t})", "Number()", "parseInt({t})", "parseInt({t}, {n})"),
        *("parseFloat({t})", "parseFloat({a})", "Number.parseInt({a})", "Number.parseFloat({t})", "Math.max({a})"),
    ),
    "text": (
        "String({a})",
        "String({n})",
        "JSON.stringify({a})",
        "String()",
        "({n})\x01.toFixed({c})",
        "({n})\x01.toString()",
    ),
    "boolean": (
        *("Boolean({a})", "Number.isFinite({n})", "Number.isInteger({n})", "Number.isNaN({n})", "isNaN({a})"),
        *("isFinite({a})", "Array.isArray({a})"),
    ),
    "texts": ("Object.keys({o})", "Object.keys({a})"),
    "array": ("Object.values({o})", "Object.entries({o})", "Object.values({a})", "Object.entries({a})"),
    "object": ("Object.fromEntries(Object.entries({o}))", "JSON.parse(JSON.stringify({o}))"),
    "any": ("JSON.parse({t})", "JSON.parse(JSON.stringify({a}))"),
}
CALLS_OF_ARRAY = {
    "array": (
        *("{}.map({f})", "{}.filter({f})", "{}.flatMap({f})", "{}.slice({n})", "{}.slice({n}, {n})", "{}.concat({a})"),
        *("{}.concat({r}, {a})", "{}.flat()", "{}.flat({c})", "{}.toReversed()", "{}.reverse()", "{}.sort()"),
        *(
            "{}.toSorted()",
            "[...\x05({}.entries())]",
            "[...\x05({}.keys())]",
            "[...\x05({}), {a}]",
            "[{a}, ...\x05({})]",
            "{}.keys()",
        ),
    ),
    "number": (
        *("{}.length", "{}.indexOf({a})", "{}.indexOf({a}, {n})", "{}.lastIndexOf({a})", "{}.lastIndexOf({a}, {n})"),
        *("{}.findIndex({f})", "{}.reduce((acc, x) => {acc}, {a})"),
    ),
    "boolean": ("{}.includes({a})", "{}.includes({a}, {n})", "{}.some({f})", "{}.every({f})"),
    "text": ("{}.join({t})", "{}.join()", "{}.toString()", "String({})"),
    "any": ("{}.find({f})", "{}.findLast({f})", "{}.at({n})", "{}[{n}]", "{}.reduce((acc, x) => {acc})", "{}[{t}]"),
    "numbers": ("{}.sort((a, b) => a - b)", "{}.toSorted((a, b) => b - a)", "{}.map(Number({n}) ? x => x : y => y)"),
}
PLAIN_NAME = re.compile(r"[a-z]+")
HOLE = re.compile(r"\{(n|c|t|a|o|r|f|acc|)\}")
RECEIVER, IN, ASKS, ASKED, ITEMS, ENTRIES = "\x01", "\x02", "\x03", "\x04", "\x05", "\x06"
ASKING = re.compile(r"\x02([^\x02\x03\x04]*)\x03([^\x02\x03\x04]*)\x04")


class Readings(NamedTuple):
    """`amended` is what JavaScript has to be told, so that a property of null and `in` mean what they mean here."""

    source: str
    amended: str


def expression(random: Random, depth: int = 4) -> Readings:
    """One expression."""
    return readings(Generator(random).any(depth))


def readings(marked: str) -> Readings:
    source = marked.replace(RECEIVER, "").replace(ITEMS, "").replace(ENTRIES, "")
    amended = marked.replace(RECEIVER + ".", "?.").replace(RECEIVER + "[", "?.[")
    amended = amended.replace(ITEMS, "itemsOf").replace(ENTRIES, "entriesOf")
    while IN in source:
        source = ASKING.sub(r"(\1 in \2)", source)
        amended = ASKING.sub(r"within(\1, \2)", amended)
    return Readings(source, amended)


class Generator:
    """Makes expressions; each method makes one of a kind, with at most `depth` more levels inside."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.bound: list[str] = []

    def any(self, depth: int) -> str:
        return self.of(self.random.choice(KINDS), depth)

    def of(self, kind: str, depth: int) -> str:
        """Of this kind, or now and then of any other."""
        random = self.random
        if random.random() < 0.06:
            kind = random.choice(KINDS)
        if depth <= 0 or random.random() < 0.12:
            return self.leaf(kind)
        chance = random.random()
        if chance < 0.05:
            test, yes, no = self.operand("boolean", depth - 1), self.of(kind, depth - 1), self.of(kind, depth - 1)
            return f"({test} ? {yes} : {no})"
        if chance < 0.12:
            sign = random.choice(("&&", "||", "??"))
            return (
                f"({self.operand(random.choice((kind, 'nothing')), depth - 1)} {sign} {self.operand(kind, depth - 1)})"
            )
        made: str = getattr(self, kind)(depth - 1)
        return made

    def leaf(self, kind: str) -> str:
        random = self.random
        if self.bound and random.random() < 0.5:
            return random.choice(self.bound)
        if random.random() < 0.4:
            match kind:
                case "number":
                    return random.choice(NUMBERS)
                case "text":
                    return self.quoted(random.choice(TEXTS))
                case "boolean":
                    return random.choice(("true", "false"))
        return self.marked(random.choice(OF_KIND[kind]))

    def quoted(self, text: str) -> str:
        """As a literal, in one of the ways to write it."""
        random = self.random
        if random.random() < 0.3:
            return json.dumps(text)
        quote = random.choice("'\"`")
        written = text.replace("\\", "\\\\").replace(quote, "\\" + quote).replace("${", "\\${")
        written = written.replace("\n", random.choice(("\\n", "\\x0a", "\\u000a", "\\u{a}"))).replace("\x00", "\\0")
        return f"{quote}{written}{quote}"

    @staticmethod
    def marked(path: str) -> str:
        return path.replace(".", RECEIVER + ".").replace("[", RECEIVER + "[")

    def operand(self, kind: str, depth: int) -> str:
        """Beside an operator: mostly without parentheses, so that precedence matters."""
        made = self.of(kind, depth)
        return f"({made})" if self.random.random() < 0.3 else made

    def receiver(self, kind: str, depth: int) -> str:
        """Before a dot."""
        made = self.of(kind, depth)
        return made if PLAIN_NAME.fullmatch(made) and made not in ("true", "false", "null") else f"({made})"

    def filled(self, pattern: str, kind: str, depth: int) -> str:
        """A pattern with its holes filled: the receiver, a number, a small count, a text, anything, an object, a function."""

        def fill(hole: re.Match[str]) -> str:
            match hole[1]:
                case "":
                    return self.of(kind, depth) if pattern.startswith("Object") else self.receiver(kind, depth)
                case "n":
                    if self.random.random() < 0.5:
                        return str(self.random.randint(-4, 6))
                    return self.of("number", depth)
                case "c":
                    return str(self.random.choice((0, 1, 2, 3, 5, 8, "f", -1, "xs.length", "'3'")))
                case "t":
                    return self.of("text", depth)
                case "o":
                    return self.of("object", depth)
                case "r":
                    return self.of("array", depth)
                case "f":
                    return self.arrow(depth)
                case "acc":
                    return self.inside(("acc", "x"), lambda: self.wrapped(self.any(depth)))
                case _:
                    return self.any(depth)

        optional = "?." if self.random.random() < 0.1 else RECEIVER + "."
        return HOLE.sub(
            fill,
            pattern.replace("{}.", "{}" + optional).replace(
                "{}[", "{}" + ("?." if optional == "?." else RECEIVER) + "["
            ),
        )

    def arrow(self, depth: int) -> str:
        random = self.random
        parameters = random.choice((("x",), ("x", "i"), ("item",), ()))
        if random.random() < 0.02:
            return self.any(depth)
        body = self.inside(parameters, lambda: self.wrapped(self.body(depth)))
        if len(parameters) == 1 and random.random() < 0.6:
            return f"{parameters[0]} => {body}"
        return f"({', '.join(parameters)}) => {body}"

    def body(self, depth: int) -> str:
        random = self.random
        one = random.choice(self.bound) if self.bound else "n"
        match random.randrange(6):
            case 0:
                return f"{one}{RECEIVER}.{random.choice(('id', 'name', 'age', 'tags', 'length'))}"
            case 1:
                return f"{one} {random.choice(('>', '<=', '===', '!=', '*', '+'))} {self.of('number', depth)}"
            case 2:
                return f"{{id: {one}, v: {self.any(depth)}}}"
            case 3:
                return f"[{one}, {self.any(depth)}]"
            case _:
                return self.any(depth)

    def inside(self, parameters: tuple[str, ...], make: Any) -> str:
        before = self.bound
        self.bound = [*before, *parameters]
        made: str = make()
        self.bound = before
        return made

    @staticmethod
    def wrapped(body: str) -> str:
        return f"({body})" if body.startswith("{") else body

    def called(self, kind: str, depth: int) -> str:
        """A method or function whose result is of this kind."""
        ways = [
            (pattern, of)
            for table, of in ((CALLS_OF_TEXT, "text"), (CALLS_OF_ARRAY, "array"), (FUNCTIONS, ""))
            for pattern in table.get(kind, ())
        ]
        pattern, of = self.random.choice(ways)
        if of == "array":
            of = self.random.choice(("array", "numbers", "texts"))
            if "a - b" in pattern or "b - a" in pattern:
                of = "numbers"
        return self.filled(pattern, of, depth)

    # One method for each kind.

    def number(self, depth: int) -> str:
        random = self.random
        if random.random() < 0.45:
            return self.called("number", depth)
        if random.random() < 0.2:
            return f"{random.choice('-+')}{self.receiver(random.choice(('number', 'text', 'boolean')), depth)}"
        sign = random.choice(("+", "-", "*", "/", "%", "+", "-", "**"))
        left, right = (self.operand("number", depth) for _ in range(2))
        if sign == "**":
            left = f"({left})"
        return f"{left} {sign} {right}"

    def text(self, depth: int) -> str:
        random = self.random
        if random.random() < 0.5:
            return self.called("text", depth)
        if random.random() < 0.5:
            return f"{self.operand('text', depth)} + {self.operand(random.choice(KINDS), depth)}"
        parts = (
            f"${{{self.any(depth)}}}"
            if random.random() < 0.5
            else random.choice(
                ("a ", "|x", "}", "{", "'", "\\`", "\\n", "$", "\u00e9", "\U0001f600", "\\${", "\\u0041")
            )
            for _ in range(random.randrange(4))
        )
        return f"`{''.join(parts).replace('$${', '$ ${')}`"

    def boolean(self, depth: int) -> str:
        random = self.random
        chance = random.random()
        if chance < 0.3:
            return self.called("boolean", depth)
        if chance < 0.45:
            return f"!{self.receiver(random.choice(KINDS), depth)}"
        if chance < 0.6:
            one, other = self.any(depth), self.of(random.choice(("array", "text", "object")), depth)
            return f"{IN}({one}){ASKS}({other}){ASKED}"
        sign = random.choice(("<", "<=", ">", ">=", "==", "!=", "===", "!=="))
        kind = random.choice(KINDS)
        return f"{self.operand(kind, depth)} {sign} {self.operand(random.choice((kind, kind, random.choice(KINDS))), depth)}"

    def numbers(self, depth: int) -> str:
        if self.random.random() < 0.3:
            pattern = self.random.choice(CALLS_OF_ARRAY["numbers"][:2])
            return self.filled(pattern, "numbers", depth)
        return self._array("number", depth)

    def texts(self, depth: int) -> str:
        return self.called("texts", depth) if self.random.random() < 0.6 else self._array("text", depth)

    def array(self, depth: int) -> str:
        return (
            self.called("array", depth)
            if self.random.random() < 0.65
            else self._array(self.random.choice(KINDS), depth)
        )

    def _array(self, kind: str, depth: int) -> str:
        random = self.random
        items = (
            f"...{ITEMS}({self.of(random.choice(('array', 'array', 'text', 'nothing')), depth)})"
            if random.random() < 0.2
            else self.of(kind, depth)
            for _ in range(random.randrange(5))
        )
        return f"[{', '.join(items)}]"

    def object(self, depth: int) -> str:
        if self.random.random() < 0.3:
            return self.called("object", depth)
        return f"{{{', '.join(self._entry(depth) for _ in range(self.random.randrange(4)))}}}"

    def _entry(self, depth: int) -> str:
        random = self.random
        match random.randrange(8):
            case 0:
                return (
                    f"...{ENTRIES}({self.of(random.choice(('object', 'object', 'object', 'nothing', 'array')), depth)})"
                )
            case 1:
                return random.choice(("n", "s", "xs", "o", "nil", "missing"))
            case 2:
                return f"[{self.of('text', depth)}]: {self.any(depth)}"
            case 3:
                return f"{random.choice((1, 10, 2, 0.5, '1e3'))}: {self.any(depth)}"
            case 4:
                return f"'{random.choice(PROPERTIES)}': {self.any(depth)}"
            case _:
                return f"{random.choice(('a', 'b', 'id', 'if', 'length', 'é'))}: {self.any(depth)}"

    def nothing(self, depth: int) -> str:
        """A property of something, which may be there."""
        random = self.random
        if random.random() < 0.3:
            return self.called("any", depth)
        of = self.receiver(random.choice(("object", "object", "array", "nothing", random.choice(KINDS))), depth)
        name = random.choice(PROPERTIES)
        optional = "?." if random.random() < 0.2 else RECEIVER
        if name.isalpha() and random.random() < 0.6:
            return f"{of}{'?.' if optional == '?.' else RECEIVER + '.'}{name}"
        key = self.of("text", depth) if random.random() < 0.2 else f"'{name}'"
        return f"{of}{optional}[{key}]"
