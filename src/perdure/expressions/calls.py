"""Calls: of methods, functions and pipes. A function stands only where one of them takes it, so that it is never a value."""

from __future__ import annotations

from typing import Protocol

from tree_sitter import Node as Syntax

from perdure.errors import InvalidExpression
from perdure.expressions import tree as t
from perdure.expressions.functions import FUNCTIONS
from perdure.expressions.methods import METHODS, TAKE_FUNCTIONS, accepts
from perdure.expressions.piping import PIPES
from perdure.expressions.scanner import parts_of
from perdure.expressions.tokens import MARK
from perdure.expressions.wording import nearest, shown

_TAKEN_NAMES = frozenset({"now", "nowMs", "secrets"})


class Reader(Protocol):
    """What reads the source around a call."""

    def node(self, syntax: Syntax, depth: int) -> t.Node: ...
    def field(self, syntax: Syntax, name: str, depth: int) -> t.Node: ...
    def spread(self, syntax: Syntax, depth: int) -> t.Spread: ...
    def inner(self, source: str) -> t.Node: ...
    def child(self, syntax: Syntax, name: str) -> Syntax: ...
    def text(self, syntax: Syntax) -> str: ...
    def property(self, syntax: Syntax) -> str: ...
    def root(self, syntax: Syntax) -> str: ...
    def refuse(self, syntax: Syntax, message: str) -> t.Node: ...


def call(reader: Reader, syntax: Syntax, depth: int) -> t.Node:
    function, given = reader.child(syntax, "function"), reader.child(syntax, "arguments")
    arguments = tuple(_argument(reader, child, depth) for child in given.named_children)
    if function.type == "identifier":
        return _function(reader, syntax, reader.text(function), arguments)
    if function.type != "member_expression":
        return reader.refuse(function, "only methods and functions of the language can be called")
    name, root = reader.property(function), reader.root(function)
    if root and any(known.startswith(f"{root}.") for known in FUNCTIONS):
        return _function(reader, syntax, f"{root}.{name}", arguments)
    of = reader.field(function, "object", depth)
    if name.startswith(MARK):
        return _pipe(reader, syntax, of, name.removeprefix(MARK), arguments)
    if name not in METHODS:
        return reader.refuse(function, f"there is no method {name!r}{nearest(name, METHODS)}")
    return _misplaced(reader, given, arguments, name in TAKE_FUNCTIONS) or t.Call(of, name, arguments)


def _function(reader: Reader, syntax: Syntax, name: str, arguments: tuple[t.Argument, ...]) -> t.Node:
    if name not in FUNCTIONS:
        return reader.refuse(syntax, f"there is no function {name!r}{nearest(name, FUNCTIONS)}")
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
    for parameter in named:
        if reader.text(parameter) in _TAKEN_NAMES:
            return reader.refuse(parameter, f"{reader.text(parameter)} has a meaning already; give it another name")
    return t.Arrow(tuple(map(reader.text, named)), reader.field(syntax, "body", depth))


def _pipe(reader: Reader, syntax: Syntax, of: t.Node, name: str, arguments: tuple[t.Argument, ...]) -> t.Node:
    spec, given = PIPES.get(name), reader.child(syntax, "arguments")
    if spec is None:
        return reader.refuse(syntax, f"there is no pipe {name!r}{nearest(name, PIPES)}")
    if any(isinstance(argument, t.Spread) for argument in arguments):
        return reader.refuse(syntax, "a pipe takes no spread arguments")
    if (refused := _misplaced(reader, given, arguments, spec.takes_function)) is not None:
        return refused
    if spec.inner is not None and arguments:
        arguments = (_for_item(reader, given.named_children[0], name, arguments[0]), *arguments[1:])
    own = 1 + spec.needs_now
    least, most = accepts(spec.compute)
    if len(arguments) + own < least or (most is not None and len(arguments) + own > most):
        takes = str(least - own) if least == most else f"{least - own} to {'more' if most is None else most - own}"
        return reader.refuse(syntax, f"the pipe {name!r} takes {takes} arguments, not {len(arguments)}")
    return t.Pipe(of, name, arguments)


def _for_item(reader: Reader, syntax: Syntax, pipe: str, argument: t.Argument) -> t.Argument:
    """What a pipe goes by, where that is an expression or a template, written as a text."""
    if isinstance(argument, t.Arrow):
        return argument
    if not isinstance(argument, t.Literal) or not isinstance(argument.value, str):
        return reader.refuse(syntax, f"what {pipe} goes by is written here, as a text or a function, not computed")
    try:
        return t.ForItem(_body(reader, pipe, argument.value))
    except InvalidExpression as error:
        for problem in error.problems:
            reader.refuse(syntax, f"in {shown(argument.value)}: {problem.message}")
        return argument


def _body(reader: Reader, pipe: str, text: str) -> t.Node:
    if PIPES[pipe].inner == "expression":
        return reader.inner(text)
    parts = parts_of(text, "{{")
    return t.Template(
        tuple(reader.inner(part.source) if part.is_expression else t.Literal(part.source) for part in parts)
    )
