"""Calls: of methods, functions and pipes. A function stands only where one of them takes it, so that it is never a value."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Protocol

from tree_sitter import Node as Syntax

from perdure.errors import InvalidExpression
from perdure.expressions import tree as t
from perdure.expressions.functions import CONSTANTS, FUNCTIONS, NAMESPACES
from perdure.expressions.methods import METHODS, TAKE_FUNCTIONS, accepts
from perdure.expressions.outline import DEPTH_MAX
from perdure.expressions.piping import PIPES
from perdure.expressions.scanner import parts_of
from perdure.expressions.tokens import MARK
from perdure.expressions.walk import path_of
from perdure.expressions.wording import nearest, shown

_TAKEN_NAMES = frozenset({"now", "nowMs", "secrets", *CONSTANTS, *FUNCTIONS, *NAMESPACES})

_TIMES = (("execution", "startedAt"), ("cancellation", "at"), ("event", "at"))
_STEP_TIME = ("steps", "<id>", "at")
"""Where the model has times. Authors never write these paths: dialects make them of the names that they have."""

_KEY = re.compile(r"[\w$-]+")
_FIELD = re.compile(r"\\\{[^{}]*\}|(?<!\{)\{\s*(?P<path>[\w$-]+(?:\.[\w$-]+|\[[0-9]+\])*)\s*\}")
"""A field in braces, or with a backslash before them, text."""

_INSTEAD = {
    **dict.fromkeys(("push", "append", "add", "unshift"), "concat: items.concat([item])"),
    **dict.fromkeys(("pop", "shift", "splice", "remove"), "slice or filter"),
}
"""What people write who are used to lists that change."""


class Reader(Protocol):
    """What reads the source around a call."""

    def node(self, syntax: Syntax, depth: int) -> t.Node: ...
    def field(self, syntax: Syntax, name: str, depth: int) -> t.Node: ...
    def spread(self, syntax: Syntax, depth: int) -> t.Spread: ...
    def inner(self, source: str, syntax: Syntax, depth: int) -> tuple[t.Node, int]: ...
    def child(self, syntax: Syntax, name: str) -> Syntax: ...
    def text(self, syntax: Syntax) -> str: ...
    def property(self, syntax: Syntax) -> str: ...
    def root(self, syntax: Syntax) -> str: ...
    def refuse(self, syntax: Syntax, message: str) -> t.Node: ...

    size: int


def call(reader: Reader, syntax: Syntax, depth: int) -> t.Node:
    function, given = reader.child(syntax, "function"), reader.child(syntax, "arguments")
    arguments = tuple(_argument(reader, child, depth) for child in given.named_children)
    if function.type == "identifier":
        return _function(reader, syntax, reader.text(function), arguments)
    if function.type != "member_expression":
        return reader.refuse(function, "only methods and functions of the language can be called")
    name, root = reader.property(function), reader.root(function)
    if root in NAMESPACES:
        return _function(reader, syntax, f"{root}.{name}", arguments)
    of = reader.field(function, "object", depth)
    if name.startswith(MARK):
        return _pipe(reader, syntax, of, name.removeprefix(MARK), arguments, depth)
    if name not in METHODS:
        place = reader.child(function, "property")
        if name == "length":
            return reader.refuse(place, "length is a property; leave the parentheses out")
        instead = _INSTEAD.get(name)
        hint = nearest(name, METHODS) if instead is None else f"; values do not change here, use {instead}"
        return reader.refuse(place, f"there is no method {shown(name)}{hint}")
    return _misplaced(reader, given, arguments, name in TAKE_FUNCTIONS) or t.Call(of, name, arguments)


def _function(reader: Reader, syntax: Syntax, name: str, arguments: tuple[t.Argument, ...]) -> t.Node:
    if name not in FUNCTIONS:
        return reader.refuse(syntax, f"there is no function {shown(name)}{nearest(name, FUNCTIONS)}")
    return _misplaced(reader, reader.child(syntax, "arguments"), arguments) or t.Function(name, arguments)


def _misplaced(reader: Reader, given: Syntax, arguments: tuple[t.Argument, ...], first: int = 0) -> t.Node | None:
    """A function where nothing takes one."""
    for number in range(first, len(arguments)):
        if isinstance(arguments[number], t.Arrow):
            return reader.refuse(given.named_children[number], "this argument cannot be a function")
    return None


def _argument(reader: Reader, syntax: Syntax, depth: int) -> t.Argument:
    if syntax.type == "spread_element":
        return reader.spread(syntax, depth)
    if syntax.type != "arrow_function":
        return reader.node(syntax, depth)
    single = syntax.child_by_field_name("parameter")
    named = [single] if single is not None else reader.child(syntax, "parameters").named_children
    names = [reader.text(parameter) for parameter in named]
    for number, parameter in enumerate(named):
        if names[number] in _TAKEN_NAMES:
            return reader.refuse(parameter, f"{names[number]} has a meaning already; give it another name")
        if names[number] in names[:number]:
            return reader.refuse(parameter, f"two parameters are named {names[number]}")
    before = reader.size
    body = reader.field(syntax, "body", depth)
    return t.Arrow(tuple(names), body, reader.size - before)


def _pipe(
    reader: Reader, syntax: Syntax, of: t.Node, name: str, arguments: tuple[t.Argument, ...], depth: int
) -> t.Node:
    spec, given = PIPES.get(name), reader.child(syntax, "arguments")
    place = reader.child(reader.child(syntax, "function"), "property")
    if spec is None:
        return reader.refuse(place, f"there is no pipe {shown(name)}{nearest(name, PIPES)}")
    if any(isinstance(argument, t.Spread) for argument in arguments):
        return reader.refuse(place, "a pipe takes no spread arguments")
    if (refused := _misplaced(reader, given, arguments, spec.takes_function)) is not None:
        return refused
    if spec.inner is not None and arguments:
        arguments = (_for_item(reader, given.named_children[0], name, arguments[0], depth), *arguments[1:])
    if name in ("isoDate", "parseDate") and not arguments and _is_in_milliseconds(of):
        arguments = (t.Literal("ms"),)
    own = 1 + spec.needs_now
    least, most = accepts(spec.compute)
    if len(arguments) + own < least or (most is not None and len(arguments) + own > most):
        takes = (
            f"{least - own} or more"
            if most is None
            else " to ".join(map(str, dict.fromkeys((least - own, most - own))))
        )
        return reader.refuse(place, f"the pipe {name!r} takes {takes} arguments, not {len(arguments)}")
    return t.Pipe(of, name, arguments)


def _is_in_milliseconds(node: t.Node) -> bool:
    """Return whether a number is known to be in milliseconds, however small it is: a parsed date, or a time of the engine."""
    if isinstance(node, t.Pipe):
        return node.name == "parseDate"
    path = path_of(node)
    return path in _TIMES or (path is not None and len(path) == len(_STEP_TIME) and path[::2] == _STEP_TIME[::2])


def _for_item(reader: Reader, syntax: Syntax, pipe: str, argument: t.Argument, depth: int) -> t.Argument:
    """What a pipe goes by, where that is an expression or a template, written as a text."""
    if isinstance(argument, t.Arrow):
        return argument
    if not isinstance(argument, t.Literal) or not isinstance(argument.value, str):
        return reader.refuse(syntax, f"what {pipe} goes by is written here, as a text or a function, not computed")
    try:
        return _inner(reader, syntax, pipe, argument.value, depth)
    except InvalidExpression as error:
        for problem in error.problems:
            reader.refuse(syntax, f"in {shown(argument.value)}: {problem.message}")
        return argument


def _inner(reader: Reader, syntax: Syntax, pipe: str, text: str, depth: int) -> t.ForItem:
    if PIPES[pipe].inner == "expression":
        return t.ForItem(*reader.inner(text, syntax, depth))
    parts: list[t.Node] = []
    sizes = 0
    for part in parts_of(text, "{{"):
        if part.is_expression:
            body, size = reader.inner(part.source, syntax, depth)
            parts.append(body)
            sizes += size
        else:
            fields = list(_fields(reader, syntax, part.source, depth))
            parts += fields
            sizes += len(fields)
    return t.ForItem(t.Template(tuple(parts)), sizes)


def _fields(reader: Reader, syntax: Syntax, text: str, depth: int) -> Iterator[t.Node]:
    """Split the text of a `formatList` template at its fields: `{name}`, `{address.city}`, `{lines[0].sku}`."""
    at = 0
    for found in _FIELD.finditer(text):
        yield t.Literal(text[at : found.start()])
        path = found["path"]
        yield t.Literal(found.group()[1:]) if path is None else _field(reader, syntax, path, depth)
        at = found.end()
    yield t.Literal(text[at:])


def _field(reader: Reader, syntax: Syntax, path: str, depth: int) -> t.Node:
    """Read a field of the item. `{item}` and `{index}` are the item itself and its number, unless it has such a field."""
    keys = _KEY.findall(path)
    if len(keys) + depth > DEPTH_MAX:
        return reader.refuse(syntax, f"a field is at most {DEPTH_MAX} levels deep")
    own = _at(t.Name("item"), keys)
    return t.Logical("??", own, _at(t.Name(keys[0]), keys[1:])) if keys[0] in ("item", "index") else own


def _at(node: t.Node, keys: list[str]) -> t.Node:
    for key in keys:
        node = t.Index(node, t.Literal(key))
    return node
