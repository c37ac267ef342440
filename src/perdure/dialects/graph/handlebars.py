"""Handlebars in templates of graphs: `{{json x}}` is read, everything that expressions do not have is refused by name.

Graphs of this kind are often written for Handlebars. Its blocks, partials, comments and helpers have no meaning in expressions,
and what the parser says of them does not help: the message names the construct and what to write instead.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from perdure.dialects.faults import Faults
from perdure.errors import InvalidExpression
from perdure.expressions.numbers import SPACE
from perdure.expressions.ready import ready
from perdure.expressions.scanner import parts_of
from perdure.expressions.templates import DOCUMENT_DEPTH_MAX
from perdure.expressions.tokens import problem_at
from perdure.expressions.wording import pointer, shown
from perdure.model.problem import Problem
from perdure.model.values import Json

_TAG: Final = re.compile(
    rf"~?[{SPACE}]*(?:([#^]|/(?=[{SPACE}]*\w+[{SPACE}]*~?$))[{SPACE}]*(\w*)"
    rf"|(else|this)\b|(>)|(!--|!(?=[{SPACE}]*\w+[{SPACE}]+\w))|(&)|(@)|(\.\./))"
)
_JSON: Final = re.compile(rf"json[{SPACE}]+(.+)", re.DOTALL)
_HELPER: Final = re.compile(rf"([A-Za-z_]\w*)[{SPACE}]+[\w'\"(@\[]")
_COMMENT: Final = re.compile(r"(?<!\\)\{\{!--")
_RAW: Final = re.compile(rf"\{{\{{\{{\{{[{SPACE}]*/[{SPACE}]*(\w+)[{SPACE}]*\}}\}}\}}\}}")
"""The end of a raw block. Its beginning may be an object."""

_CONDITION: Final = "write a condition, like {{vip ? 'gold' : 'plain'}}, or branch with an IF_ELSE node"
_BLOCKS: Final = {
    "if": _CONDITION,
    "unless": _CONDITION,
    "each": "write {{items.map(item => item.name).join(', ')}}, or {{items|map('name')|join(', ')}}",
    "with": "write the whole path, like {{user.name}}",
}
_EXPRESSION: Final = "write an expression, like {{items.length > 0 ? items[0].name : 'none'}}"
_OF_BLOCKS: Final = (
    "it belongs to blocks; write {{items.map((item, index) => index + item.name)}}, which has the item and its index"
)


def without_handlebars(given: Json, path: str, faults: Faults, *, step: str = "") -> Json:
    """The same part of a document in the language of expressions. Constructs that have no counterpart are told, and left out."""

    def rewrite(text: str, at: str) -> str:
        rewritten, problem = _rewritten(text)
        if problem is not None:
            faults.take((problem,), at, step)
        return rewritten

    return _walk(given, path, rewrite)


def rewritten_silently(given: Json) -> Json:
    """The same, where what is wrong has been told elsewhere."""
    return _walk(given, "", lambda text, _: _rewritten(text)[0])


def _walk(given: Json, path: str, rewrite: Callable[[str, str], str], depth: int = 0) -> Json:
    if depth > DOCUMENT_DEPTH_MAX:  # a problem, wherever templates are read
        return given
    match given:
        case str():
            return rewrite(given, path) if "{{" in given else given
        case list():
            return [_walk(item, f"{path}/{number}", rewrite, depth + 1) for number, item in enumerate(given)]
        case dict():
            pairs = [(key, item, f"{path}/{pointer(key)}") for key, item in given.items()]
            return {_walk(key, at, rewrite): _walk(item, at, rewrite, depth + 1) for key, item, at in pairs}
        case _:
            return given


def _rewritten(text: str) -> tuple[str, Problem | None]:
    """A text with its templates rewritten; empty, and a problem, if it holds what cannot be."""
    raw = _RAW.search(text)
    if raw is not None:
        return "", problem_at(text, raw.start(), _refusal("{{/", raw[1]))
    try:
        parts = [part for part in parts_of(text, "{{") if part.is_expression]
    except InvalidExpression:  # a quote in a comment begins a string that never ends
        comment = _COMMENT.search(text)
        return (text, None) if comment is None else ("", problem_at(text, comment.start(), _refusal("!--", "")))
    pieces: list[str] = []
    at = 0
    for part in parts:
        source = _source(part.source)
        message = _why_not(source)
        if message:
            return "", problem_at(text, part.at, message)
        if source != part.source.strip(SPACE):
            pieces += (text[at : part.at], source)
            at = part.at + len(part.source)
    return "".join((*pieces, text[at:])), None


def _source(source: str) -> str:
    """`json x`, also between three braces, is `JSON.stringify(x)`."""
    source = source.strip(SPACE)
    inner = source[1:-1].strip(SPACE) if source.startswith("{") and source.endswith("}") else source
    helper = _JSON.fullmatch(inner)
    if helper is None or _is_expression(inner) or not _is_expression(helper[1]):
        return source
    return f"JSON.stringify({helper[1]})"


def _is_expression(source: str) -> bool:
    try:
        ready(source)
    except InvalidExpression:
        return False
    return True


def _why_not(source: str) -> str:
    """What is to be said of the inside of a template; nothing, if it is no Handlebars."""
    tag = _TAG.match(source)
    if tag is not None and not _is_expression(source):
        sign = next(group for group in (tag[1], *tag.groups()[2:]) if group is not None)
        return _refusal(sign, tag[2] or "")
    if source.startswith("~") or source.endswith("~"):
        return f"Handlebars' ~ in {shown(source)} is not supported: whitespace stays as it is written; remove the ~"
    helper = _HELPER.match(source)
    if helper is None or _is_expression(source):
        return ""
    if helper[1] == "json" and source.split()[1:] == ["this"]:
        return _refusal("this", "")
    if helper[1] == "json":
        return f"{shown(source)}: json takes one expression, like {{{{json order}}}}"
    return (
        f"the Handlebars helper {shown(helper[1])} is not supported, only json is; write an expression or a pipe, like "
        "{{name.toUpperCase()}} or {{name|upper}}"
    )


def _refusal(sign: str, name: str) -> str:
    match sign:
        case "{{/":
            return f"the Handlebars raw block {{{{{{{{{name}}}}}}}}} is not supported: write \\{{{{ where braces are to stay text"
        case "#" | "/":
            return f"the Handlebars block {{{{{sign}{name}}}}} is not supported: {_BLOCKS.get(name, _EXPRESSION)}"
        case "^" | "else":
            return f"Handlebars' {{{{{sign}}}}} is not supported: {_CONDITION}"
        case ">":
            return "Handlebars partials ({{> name}}) are not supported: write the text here"
        case "!--" | "!":
            return (
                "Handlebars comments ({{!-- … --}}) are not supported: remove it; the 'name' of a node can describe it"
            )
        case "&":
            return "Handlebars' {{& x}} is not supported: write {{x}}, which escapes nothing"
        case _:
            return f"Handlebars' {sign} is not supported: {_OF_BLOCKS}"
