"""The outline of a source: values and operators in turn, brackets that close each other, texts that end.

The grammar's way of recovering from errors has no bound: there are texts of thirty characters from which it never comes back.
So it only gets to see what has none. This reads the source once, from left to right, and says what is wrong and where. On the
way it rewrites pipes, which JavaScript has not: `x|join(", ")` becomes a call of a method with a name that nobody can write.
So a pipe binds like a method call, tighter than every operator.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from enum import Enum
from typing import NoReturn, assert_never, get_args

from msgspec import Struct

from perdure.expressions.tokens import MARK, Token, Tokens
from perdure.expressions.tree import BinaryOperator, LogicalOperator, UnaryOperator
from perdure.expressions.wording import shown

DEPTH_MAX = 64
_INFIX = frozenset(get_args(BinaryOperator) + get_args(LogicalOperator))
_PREFIX = frozenset(get_args(UnaryOperator))
_NO_OPERATOR = frozenset({"&", "^", "~", "<<", ">>", ">>>"})
_WAITS = "an expression cannot wait"
_WORDS = {
    "this": "there is no this",
    "new": "there is no new",
    "function": "write an arrow function: x => x.id",
    "class": "there are no classes",
    "async": _WAITS,
    "await": _WAITS,
    "yield": _WAITS,
    **{word: f"there is no operator {word}" for word in ("typeof", "void", "delete", "instanceof")},
    **dict.fromkeys(
        (
            *("break", "case", "catch", "const", "continue", "debugger", "default", "do", "else", "enum", "export"),
            *("extends", "finally", "for", "if", "import", "in", "let", "return", "static", "super", "switch"),
            *("throw", "try", "var", "while", "with"),
        ),
        "this word means something else in JavaScript; as a property it can stand after a dot",
    ),
}
_CONSTANTS = frozenset({"true", "false", "null", "undefined"})
_PARAMETER = "a parameter is a plain name, as in x => x.id or (a, b) => a + b"
_LINE_BREAK = re.compile(r"\\(?:\r\n|.)|[\n\r]", re.DOTALL)
_LINE_BREAKS = {"\n": "\\n", "\r": "\\r"}
_CLOSING = {"(": ")", "[": "]", "{": "}", "${": "}"}


class Rewritten(Struct, frozen=True):
    """The source with its pipes as calls, and how to find a place of the original again."""

    source: str
    shifts: tuple[tuple[int, int], ...]
    """(place in the rewritten source, how far it is moved from there on)"""

    def place(self, at: int) -> int:
        """The place in the original source."""
        found = bisect_right(self.shifts, (at, 1 << 60)) - 1
        return at if found < 0 else max(at - self.shifts[found][1], 0)


def outline(source: str) -> Rewritten:
    """The source as the grammar may see it. Raises `InvalidExpression` at the first place that makes no sense."""
    return _Outline(source).read()


class _Next(Enum):
    """What may come next."""

    VALUE = "a value"
    OPERATOR = "an operator, or the end"
    KEY = "a key"
    COLON = "the colon after a key"
    NAME = "the name after a dot"


class _Kind(Enum):
    """What a bracket is the beginning of."""

    WHOLE = "the expression"
    GROUP = "a value, or the parameters of a function"
    CALL = "arguments"
    ARRAY = "an array"
    INDEX = "an index"
    OBJECT = "an object"
    COMPUTED_KEY = "a key in brackets"
    SUBSTITUTION = "a value in a template literal"


_LISTS = frozenset({_Kind.GROUP, _Kind.CALL, _Kind.ARRAY, _Kind.OBJECT})
"""What may be empty, and may have commas."""


class _Level(Struct):
    kind: _Kind
    opened: str
    at: int
    questions: int = 0
    """How many ? wait for their colon."""
    names_only: bool = False
    """Whether it can be the parameters of a function, as far as it has been read."""
    commas: bool = False


class _Outline:
    """Reads one source."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.tokens = Tokens(source)
        self.count = 0
        self.next = _Next.VALUE
        self.levels = [_Level(_Kind.WHOLE, "", 0)]
        self.last = Token("sign", "", 0)
        self.begins = 0
        """The number of the token that begins this item: the only place where a function can stand."""
        self.parameters = False
        """Whether what has just been read can be the parameters of a function."""
        self.only_parameters = ""
        """What is wrong with what has just been read, if it is anything else."""
        self.parts: list[str] = []
        self.copied = self.length = self.moved = 0
        self.shifts: list[tuple[int, int]] = []

    def read(self) -> Rewritten:
        while (token := self.tokens.next()) is not None:
            if self.only_parameters and token.text != "=>":
                self.fail(self.last.at, self.only_parameters)
            self.only_parameters = ""
            if token.kind == "text":
                self.escape_line_breaks(token)
            match self.next:
                case _Next.VALUE:
                    self.value(token)
                case _Next.OPERATOR:
                    self.operator(token)
                case _Next.KEY:
                    self.key(token)
                case _Next.COLON:
                    self.colon(token)
                case _Next.NAME:
                    self.name(token)
                case _:
                    assert_never(self.next)
            self.last = token
            self.count += 1
        self.end()
        self.copy(len(self.source), "")
        return Rewritten("".join(self.parts), tuple(self.shifts))

    def fail(self, at: int, message: str) -> NoReturn:
        self.tokens.fail(at, message)

    def end(self) -> None:
        level = self.levels[-1]
        if self.only_parameters:
            self.fail(self.last.at, self.only_parameters)
        if level.kind is not _Kind.WHOLE:
            self.fail(level.at, f"{level.opened!r} is not closed")
        self.answered(len(self.source))
        if self.next is not _Next.OPERATOR:
            self.fail(len(self.source), f"the expression ends too early; {self.next.value} is missing")

    # What may come next.

    def value(self, token: Token) -> None:
        level = self.levels[-1]
        match token.kind, token.text:
            case ("name", text) if text in _WORDS:
                self.fail(token.at, _WORDS[text])
            case ("name", text) if text not in _CONSTANTS:
                self.parameters = self.begins == self.count
                self.next = _Next.OPERATOR
                return
            case (("name" | "number" | "text"), _):
                self.next = _Next.OPERATOR
            case _, "`":
                self.template(token.at)
            case _, "(":
                self.open(_Kind.GROUP, token)
            case _, "[":
                self.open(_Kind.ARRAY, token)
            case _, "{":
                if self.last.text == "=>":
                    self.fail(token.at, "the body of an arrow function is one expression, without braces and return")
                self.open(_Kind.OBJECT, token)
            case _, "...":
                if level.kind is _Kind.GROUP:
                    self.fail(token.at, _PARAMETER)
                begins = self.last.text == "," or self.last.at <= level.at
                if level.kind not in (_Kind.CALL, _Kind.ARRAY) or not begins:
                    self.fail(token.at, "... stands before an argument, or before a part of an array or an object")
            case _, text if text in _PREFIX:
                pass
            case _, (")" | "]" | "}"):
                self.close(token)
                return
            case _:
                self.no_value(token, token.text, level)
        level.names_only = False
        self.parameters = False

    def no_value(self, token: Token, text: str, level: _Level) -> NoReturn:
        if text == "," and level.kind is _Kind.ARRAY:
            self.fail(token.at, "an array has no holes; write null")
        if text in ("/", "/="):
            self.fail(
                token.at, "there are no regular expressions; use includes, startsWith, endsWith, indexOf or split"
            )
        if text in ("++", "--"):
            self.fail(token.at, "an expression cannot assign; write x + 1 instead of x++")
        if text in _NO_OPERATOR:
            self.fail(token.at, f"there is no operator {text}")
        self.fail(token.at, f"a value is missing before {text!r}")

    def operator(self, token: Token) -> None:
        level, parameters = self.levels[-1], self.parameters
        self.parameters = False
        match token.text:
            case "." | "?.":
                level.names_only = False
                self.next = _Next.NAME
            case "(":
                self.open(_Kind.CALL, token)
            case "[":
                self.open(_Kind.INDEX, token)
            case ")" | "]" | "}":
                self.close(token)
            case ",":
                self.comma(token, level)
            case "?":
                level.questions += 1
                self.item()
            case ":":
                if not level.questions:
                    self.fail(token.at, "a ':' belongs to a '?' before it, or to an object in braces")
                level.questions -= 1
                self.item()
            case "=>":
                if not parameters:
                    self.fail(token.at, _PARAMETER)
                if "\n" in self.source[self.last.at : token.at]:
                    self.fail(token.at, "=> stands in the line of its parameters")
                self.item()
            case "|":
                self.pipe(token)
            case text if text in _INFIX:
                level.names_only = False
                self.next = _Next.VALUE
            case text:
                self.no_operator(token, text)

    def no_operator(self, token: Token, text: str) -> NoReturn:
        match text:
            case "=":
                why = "an expression cannot assign; to compare, write == instead of ="
            case "++" | "--":
                why = "an expression cannot assign; write x + 1 instead of x++"
            case "`":
                why = "there are no tagged templates"
            case "instanceof":
                why = _WORDS[text]
            case _ if text in _NO_OPERATOR:
                why = f"there is no operator {text}"
            case _ if token.kind == "sign" and text.endswith("="):
                why = "an expression cannot assign"
            case _:
                why = f"an operator is missing before {shown(text)}"
        self.fail(token.at, why)

    def name(self, token: Token) -> None:
        """After a dot comes a name; after ?. also brackets."""
        self.next = _Next.OPERATOR
        if self.last.text == "?." and token.text in ("(", "["):
            self.operator(token)
        elif token.kind != "name":
            self.fail(token.at, f"a name is missing before {shown(token.text)}")

    def key(self, token: Token) -> None:
        match token.kind, token.text:
            case (("name" | "number" | "text"), _):
                self.next = _Next.COLON
            case _, "[":
                self.open(_Kind.COMPUTED_KEY, token)
            case _, "...":
                self.next = _Next.VALUE
                self.begins = -1
            case _, "}":
                self.close(token)
            case _, ",":
                self.fail(token.at, "an entry is missing before ','")
            case _:
                self.fail(token.at, f"a key is missing before {shown(token.text)}")

    def colon(self, token: Token) -> None:
        """After a key. A name alone is a key, and the value of that name."""
        alone = self.last.kind == "name" and self.last.text not in _CONSTANTS
        match token.text:
            case ":":
                self.item()
            case "," | "}" if alone and self.last.text in _WORDS:
                self.fail(self.last.at, _WORDS[self.last.text])
            case "," if alone:
                self.comma(token, self.levels[-1])
            case "}" if alone:
                self.next = _Next.OPERATOR
                self.close(token)
            case "(":
                self.fail(self.last.at, "an object holds values, no methods")
            case "=":
                self.fail(token.at, "an object is written with colons: {a: 1}")
            case _:
                self.fail(token.at, f"':' is missing before {shown(token.text)}")

    def pipe(self, token: Token) -> None:
        found = self.tokens.pipe(token)
        self.levels[-1].names_only = False
        self.copy(token.at, f" .{MARK}", skips=found.start(1))
        self.copy(found.end(1), "(" if found[2] else "()", skips=found.end())
        if found[2]:
            self.open(_Kind.CALL, Token("sign", "(", found.end() - 1))

    # Levels.

    def item(self) -> None:
        """A value begins, which may be a function."""
        self.next = _Next.VALUE
        self.begins = self.count + 1

    def open(self, kind: _Kind, token: Token) -> None:
        if len(self.levels) > DEPTH_MAX:
            self.fail(token.at, f"an expression is at most {DEPTH_MAX} levels deep")
        self.levels[-1].names_only = False
        at_begin = kind is _Kind.GROUP and self.begins == self.count
        self.levels.append(_Level(kind, token.text, token.at, names_only=at_begin))
        self.item()
        if kind is _Kind.OBJECT:
            self.next = _Next.KEY

    def close(self, token: Token) -> None:
        level = self.levels[-1]
        if _CLOSING.get(level.opened) != token.text:
            self.fail(
                token.at, f"{token.text!r} closes no bracket" + (f"; {level.opened!r} is open" * bool(level.opened))
            )
        self.answered(token.at)
        empty, trailing = self.last.at <= level.at, self.last.text == ","
        if self.next is _Next.VALUE and not ((empty or trailing) and level.kind in _LISTS):
            self.fail(token.at, f"a value is missing before {token.text!r}")
        self.levels.pop()
        self.parameters = False
        if level.kind is _Kind.GROUP:
            self.parameters = level.names_only
            if level.commas:
                self.only_parameters = "an expression is one value; there is no comma operator"
            elif empty:
                self.only_parameters = "a value is missing before ')'"
        self.next = _Next.COLON if level.kind is _Kind.COMPUTED_KEY else _Next.OPERATOR
        if level.kind is _Kind.SUBSTITUTION:
            self.template(token.at)

    def comma(self, token: Token, level: _Level) -> None:
        self.answered(token.at)
        if level.kind not in _LISTS:
            self.fail(token.at, "an expression is one value; there is no comma operator")
        level.commas = True
        self.item()
        if level.kind is _Kind.OBJECT:
            self.next = _Next.KEY

    def answered(self, at: int) -> None:
        if self.levels[-1].questions:
            self.fail(at, "':' is missing here, for the '?' before")

    def template(self, begins: int) -> None:
        """The text of a template literal, up to its end or to the next value in it."""
        if self.tokens.template_text(begins) == "`":
            self.next = _Next.OPERATOR
        else:
            self.open(_Kind.SUBSTITUTION, Token("sign", "${", self.tokens.at - len("${")))

    # Rewriting.

    def escape_line_breaks(self, token: Token) -> None:
        """Write the line breaks in a string literal as escapes: JavaScript allows none, documents in JSON often have some."""
        for found in _LINE_BREAK.finditer(token.text):
            escape = _LINE_BREAKS.get(found.group())
            if escape is not None:
                at = token.at + found.start()
                self.copy(at, escape, skips=at + 1)

    def copy(self, end: int, instead: str, *, skips: int = 0) -> None:
        """The source up to `end`, and `instead` of what comes after it, up to `skips`."""
        self.parts.extend((self.source[self.copied : end], instead))
        self.length += end - self.copied + len(instead)
        self.copied = skips or end
        longer = len(instead) - (self.copied - end)
        if longer:
            self.moved += longer
            self.shifts.append((self.length, self.moved))
