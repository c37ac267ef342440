"""Finds the templates in a text: a scanner that knows texts and braces inside of expressions. It looks at each character once."""

from __future__ import annotations

import re
from typing import Literal, TypeAlias

from msgspec import Struct

from perdure.errors import InvalidExpression
from perdure.expressions.tokens import problem_at
from perdure.expressions.wording import SHOWN_MAX

SOURCE_MAX = 4_096
PARTS_MAX = 2_000
_TOO_MANY = f"a text has at most {PARTS_MAX:,} parts, templates and what stands between them"
Form: TypeAlias = Literal["{{", "${"]
"""How a template begins: as in ports and graph, or as in orchestration."""

_CLOSING = {"{{": "}}", "${": "}"}
_STOPS = re.compile(r"['\"`{}\\]")
_QUOTE = {"'": re.compile(r"'|\\.", re.DOTALL), '"': re.compile(r'"|\\.', re.DOTALL)}
_OPENING = {"{{": re.compile(r"\\\{\{|\{\{"), "${": re.compile(r"\\\$\{|\$\{")}
_KEY = re.compile(
    r"""\s*(?:\Z|\.\.\.|(?P<key>[\w$]+|'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|(?P<opening>\[)))""", re.DOTALL
)
_BRACKET = re.compile(r"""[\[\]]|'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*\"""", re.DOTALL)
_AFTER_KEY = re.compile(r"\s*[:,]")


class Part(Struct, frozen=True):
    """A piece of a text: literal, or the source of an expression, which begins at `at`."""

    source: str
    is_expression: bool = False
    at: int = 0


def parts_of(text: str, form: Form) -> list[Part]:
    """The pieces of a text. Raises `InvalidExpression` where a template is not closed."""
    parts: list[Part] = []
    literal: list[str] = []
    at = 0
    while (found := _OPENING[form].search(text, at)) is not None:
        literal.append(text[at : found.start()])
        if found.group().startswith("\\"):
            literal.append(form)
            at = found.end()
            continue
        end = _end_of_expression(text, found.end(), _CLOSING[form])
        if end < 0:
            within = f" within {SOURCE_MAX:,} characters" if len(text) - found.end() > SOURCE_MAX else ""
            message = f"this {form} is not closed{within}; {_CLOSING[form]} is missing"
            raise InvalidExpression(text[:SHOWN_MAX], (problem_at(text, found.start(), message),))
        if any(literal):
            parts.append(Part("".join(literal)))
        literal.clear()
        if len(parts) >= PARTS_MAX:
            raise InvalidExpression(text[:SHOWN_MAX], (problem_at(text, found.start(), _TOO_MANY),))
        source, begins = _without_braces(text[found.end() : end], found.end(), form)
        parts.append(Part(source, is_expression=True, at=begins))
        at = end + len(_CLOSING[form])
    literal.append(text[at:])
    if any(literal):
        parts.append(Part("".join(literal)))
    return parts


def _without_braces(source: str, at: int, form: Form) -> tuple[str, int]:
    """Read `{{{x}}}` as `{{x}}`. What has a key, like `{{{a: 1}}}` or `{{{a, b}}}`, is an object literal."""
    is_braced = form == "{{" and source.startswith("{") and source.endswith("}")
    if not is_braced or _end_of_expression(source, 1, "}") != len(source) - 1:
        return source, at
    inside = source[1:-1]
    return (source, at) if _is_object(inside) else (inside, at + 1)


def _is_object(inside: str) -> bool:
    """Return whether this stands between the braces of an object literal: nothing, a spread, or a key and what follows one."""
    found = _KEY.match(inside)
    if found is None:
        return False
    at = found.end()
    if found["opening"]:
        open_ = 1
        while open_ and (mark := _BRACKET.search(inside, at)) is not None:
            at = mark.end()
            open_ += {"[": 1, "]": -1}.get(mark.group(), 0)
    return not found["key"] or _AFTER_KEY.match(inside, at) is not None


def _end_of_expression(text: str, at: int, closing: str) -> int:
    """Where the closing braces stand; texts and braces inside of the expression are not taken for them."""
    depth: list[str] = []
    escaped, limit = -1, at + SOURCE_MAX + len(closing)
    while (found := _STOPS.search(text, at, limit)) is not None:
        mark, at = found.group(), found.end()
        if depth and depth[-1] == "`":
            if mark == "\\":
                escaped = at
                at += 1
            elif mark == "`":
                depth.pop()
            elif mark == "{" and text[found.start() - 1] == "$" and escaped != found.start() - 1:
                depth.append("{")
        elif mark in "'\"":
            at = _end_of_text(text, at, mark, limit)
        elif mark in "`{":
            depth.append(mark)
        elif mark == "}":
            if depth:
                depth.pop()
            elif text.startswith(closing, found.start()):
                return found.start()
    return -1


def _end_of_text(text: str, at: int, quote: str, limit: int) -> int:
    while (found := _QUOTE[quote].search(text, at, limit)) is not None:
        at = found.end()
        if found.group() == quote:
            return at
    return limit
