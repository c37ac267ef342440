"""The words of a source: names, numbers, texts and signs, one after the other, each with its place."""

from __future__ import annotations

import re
from typing import NoReturn

from msgspec import Struct

from perdure.errors import InvalidExpression
from perdure.expressions.numbers import SPACE
from perdure.expressions.wording import shown
from perdure.model.problem import Problem

NAME = r"[A-Za-z_$][\w$]*"
MARK = "\u01c0"
"""A letter that no name in a source may have: the names that are made from pipes begin with it."""

_TOKEN = re.compile(
    rf"""
      (?P<space>[{SPACE}]+)
    | (?P<comment>//|/\*|<!--)
    | (?P<name>[^\W\d][\w$]*|\$[\w$]*)
    | (?P<number>0[xX][0-9a-fA-F]+(?:_[0-9a-fA-F]+)*|0[bB][01]+(?:_[01]+)*|0[oO][0-7]+(?:_[0-7]+)*
        |(?:[0-9]+(?:_[0-9]+)*(?:\.(?:[0-9]+(?:_[0-9]+)*)?)?|\.[0-9]+(?:_[0-9]+)*)(?:[eE][+-]?[0-9]+(?:_[0-9]+)*)?)
    | (?P<text>'(?:[^'\\]|\\(?:\r\n|.))*'|"(?:[^"\\]|\\(?:\r\n|.))*")
    | (?P<sign>\.\.\.|=>|\?\.(?![0-9])|>>>=|===|!==|\*\*=|<<=|>>=|>>>|&&=|\|\|=|\?\?=|==|!=|<=|>=|&&|\|\||\?\?
        |\+\+|--|[-+*/%&|^]=|<<|>>|\*\*|.)
    """,
    re.VERBOSE | re.DOTALL,
)
_TEMPLATE_TEXT = re.compile(r"(?:[^`\\$]|\\.|\$(?!\{))*", re.DOTALL)
_ESCAPE = re.compile(
    r"\\(u\{0*(?:10|[0-9a-fA-F])?[0-9a-fA-F]{1,4}\}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|0(?![0-9])|[^ux0-9])", re.DOTALL
)
_BROKEN = re.compile("[\0\ud800-\udfff]")
_BACKSLASH = re.compile(r"\\.", re.DOTALL)
_PIPE = re.compile(rf"[{SPACE}]*({NAME})([{SPACE}]*\()?", re.ASCII)
_QUOTES = "'\""
_SIGNS = frozenset("()[]{}`.,:?=!<>|+-*/%&^~")
_STRANGE = {
    "#": "there are no private names",
    ";": "an expression is one value; there are no statements",
}
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "0": "\0"}
_LINE_ENDS = ("\n", "\r", "\r\n", "\u2028", "\u2029")


class Token(Struct, frozen=True):
    kind: str
    text: str
    at: int


def problem_at(source: str, at: int, message: str, *, type_: str = "invalid_expression") -> Problem:
    line = source.count("\n", 0, at) + 1
    column = at - (source.rfind("\n", 0, at) + 1) + 1
    return Problem(type_, message, line=line, column=column)


def unescaped(escape: str) -> str:
    """What an escape sequence of JavaScript stands for."""
    after = escape[1:]
    if after in _LINE_ENDS:
        return ""
    if after[0] in "ux":
        return chr(int(after[1:].strip("{}"), 16))
    return _ESCAPED.get(after, after)


class Tokens:
    """Takes one source apart. Who reads the tokens says where a template literal begins, and where it goes on."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.at = 0
        if not source.strip(SPACE):
            self.fail(0, "an expression is missing here")
        if (broken := _BROKEN.search(source)) is not None:
            self.fail(broken.start(), "this is no character; in a text, write it as \\0 or \\ud800")

    def fail(self, at: int, message: str) -> NoReturn:
        raise InvalidExpression(self.source, (problem_at(self.source, at, message),))

    def next(self) -> Token | None:
        while self.at < len(self.source):
            found = _TOKEN.match(self.source, self.at)
            assert found is not None, "every character is a sign, at least"
            token = Token(str(found.lastgroup), found.group(), self.at)
            self.at = found.end()
            if token.kind != "space":
                self._check(token)
                return token
        return None

    def _check(self, token: Token) -> None:
        match token:
            case Token(kind="comment"):
                self.fail(token.at, "there are no comments")
            case Token(kind="name", text=text) if MARK in text or not text.replace("$", "_").isidentifier():
                self.fail(token.at, f"{shown(text)} is not a name; put it in brackets and quotes, as in steps['a-b']")
            case Token(kind="number"):
                self._check_number(token)
            case Token(kind="text"):
                self._check_escapes(token.at + 1, self.at - 1)
            case Token(kind="sign", text=text) if text in _QUOTES:
                self.fail(token.at, "the text that begins here is not closed")
            case Token(kind="sign", text=text) if len(text) == 1 and text not in _SIGNS:
                self.fail(token.at, _STRANGE.get(text, f"the character {text!r} has no meaning here"))
            case _:
                pass

    def _check_number(self, token: Token) -> None:
        after = self.source[self.at : self.at + 1]
        if re.match("0[0-9_]", token.text):
            self.fail(token.at, "a number does not begin with 0")
        if after == "n":
            self.fail(token.at, "numbers are JSON numbers; leave the n out")
        if after.isalnum() or after in ("_", "$"):
            self.fail(token.at, f"{shown(token.text + after)} is no number")

    def _check_escapes(self, start: int, end: int) -> None:
        for found in _BACKSLASH.finditer(self.source, start, end):
            if _ESCAPE.match(self.source, found.start(), end) is None:
                self.fail(found.start(), f"{found.group()} is no escape; a backslash is written as \\\\")

    def template_text(self, begins: int) -> str:
        """The text of a template literal, up to `${` or its end; which of them it was comes back."""
        found = _TEMPLATE_TEXT.match(self.source, self.at)
        assert found is not None, "it fits nothing, too"
        self._check_escapes(self.at, found.end())
        self.at = found.end()
        ends = next((ends for ends in ("${", "`") if self.source.startswith(ends, self.at)), None)
        if ends is None:
            self.fail(begins, "the template literal that begins here is not closed")
        self.at += len(ends)
        return ends

    def pipe(self, token: Token) -> re.Match[str]:
        """The name after `|`, and the parenthesis after it, if there is one."""
        found = _PIPE.match(self.source, self.at)
        if found is None:
            self.fail(token.at, "there is no operator |; after | comes the name of a pipe, as in x|upper")
        self.at = found.end()
        return found
