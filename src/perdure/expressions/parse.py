"""From the text of an expression to its tree: parsed by a JavaScript grammar, then taken over node by node.

What is not listed here is not in the language: there is no way from a kind of syntax that nobody thought of to a value.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable
from difflib import get_close_matches
from typing import TypeAlias

import tree_sitter_javascript
from tree_sitter import Language, Parser
from tree_sitter import Node as Syntax

from perdure.errors import InvalidExpression
from perdure.expressions import numbers
from perdure.expressions import tree as t
from perdure.expressions.convert import from_code_units
from perdure.expressions.functions import CONSTANTS, FUNCTIONS
from perdure.expressions.methods import METHODS, TAKE_FUNCTIONS, accepts
from perdure.expressions.outline import DEPTH_MAX, MARK, outline, problem_at
from perdure.expressions.piping import PIPES
from perdure.expressions.protocol import UNDEFINED
from perdure.expressions.scanner import SOURCE_MAX, parts_of
from perdure.expressions.wording import shown
from perdure.model.problem import Problem

PROBLEMS_MAX = 10
"""Who reads more?"""

_PARSER = Parser(Language(tree_sitter_javascript.language()))
_BINARY = {"+", "-", "*", "/", "%", "**", "==", "!=", "===", "!==", "<", "<=", ">", ">=", "in"}
_LOGICAL = {"&&", "||", "??"}
_UNARY = {"!", "-", "+"}
_NAME = re.compile(r"[A-Za-z_$][\w$]*(?:-[A-Za-z_$][\w$]*)*")
_HYPHENATED = re.compile(rf"(?<![\w$.])(steps|nodes)\.({_NAME.pattern})$")
_NOT_THERE = {
    "arrow_function": "a function can only be an argument of a method or a pipe",
    "object_pattern": "a parameter is a plain name",
    "array_pattern": "a parameter is a plain name",
}


def parse(source: str) -> t.Node:
    """The tree of an expression. Raises `InvalidExpression` with all that is wrong with it."""
    if len(source.encode("utf-8", "surrogatepass")) > SOURCE_MAX:
        problem = Problem("invalid_expression", f"an expression has at most {SOURCE_MAX} bytes, this one has more")
        raise InvalidExpression(source[:60] + "…", (problem,))
    return _Reader(source).read()


class _Reader:
    """Reads one source."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.problems: list[Problem] = []
        self.rewritten = outline(source)
        # In parentheses, so that an object is not taken for a block.
        self.bytes = f"({self.rewritten.source})".encode()

    def read(self) -> t.Node:
        root = _PARSER.parse(self.bytes).root_node
        assert not root.has_error, "the grammar reads whatever has an outline"
        found = self.node(root.named_children[0].named_children[0], 0)
        if self.problems:
            raise InvalidExpression(self.source, self.problems)
        return found

    # Telling what is wrong.

    def fault(self, at: int, message: str) -> None:
        self.problems.append(problem_at(self.source, at, message))

    def at(self, node: Syntax) -> int:
        """Where in the original source the node begins."""
        before = self.bytes[1 : max(node.start_byte, 1)].decode("utf-8", "ignore")
        return min(self.rewritten.place(len(before)), len(self.source))

    def refuse(self, node: Syntax, message: str) -> t.Node:
        self.fault(self.at(node), message)
        return t.Literal(None)

    # Taking over.

    def node(self, syntax: Syntax, depth: int) -> t.Node:
        if len(self.problems) >= PROBLEMS_MAX:
            return t.Literal(None)
        if depth > DEPTH_MAX:
            return self.refuse(syntax, f"an expression is at most {DEPTH_MAX} levels deep")
        taken = _TAKEN.get(syntax.type)
        if taken is None:
            why = _NOT_THERE.get(syntax.type, f"{syntax.type.replace('_', ' ')} is not part of the language")
            return self.refuse(syntax, why)
        return taken(self, syntax, depth + 1)

    def field(self, syntax: Syntax, name: str, depth: int) -> t.Node:
        child = syntax.child_by_field_name(name)
        assert child is not None, (syntax.type, name)
        return self.node(child, depth)

    def text(self, syntax: Syntax) -> str:
        return self.bytes[syntax.start_byte : syntax.end_byte].decode("utf-8", "replace")

    def parenthesized(self, syntax: Syntax, depth: int) -> t.Node:
        return self.node(syntax.named_children[0], depth)

    def identifier(self, syntax: Syntax, depth: int) -> t.Node:
        del depth
        name = self.text(syntax)
        if name in CONSTANTS:
            return t.Literal(CONSTANTS[name])
        if name in FUNCTIONS or any(known.startswith(f"{name}.") for known in FUNCTIONS):
            return self.refuse(syntax, f"{name} is a function; call it, as in {name}(…)")
        return t.Name(name)

    def number(self, syntax: Syntax, depth: int) -> t.Node:
        del depth
        text = self.text(syntax).replace("_", "")
        return t.Literal(numbers.from_text(text))

    def string(self, syntax: Syntax, depth: int) -> t.Node:
        del depth
        return t.Literal(from_code_units("".join(self._piece(child) for child in syntax.named_children)))

    def _piece(self, syntax: Syntax) -> str:
        text = self.text(syntax)
        return text if syntax.type == "string_fragment" else _unescaped(text)

    def template(self, syntax: Syntax, depth: int) -> t.Node:
        parts = [
            self.node(child.named_children[0], depth)
            if child.type == "template_substitution"
            else t.Literal(self._piece(child).replace("\r\n", "\n").replace("\r", "\n"))
            for child in syntax.named_children
        ]
        texts = [part.value for part in parts if isinstance(part, t.Literal) and isinstance(part.value, str)]
        return t.Literal(from_code_units("".join(texts))) if len(texts) == len(parts) else t.TextOf(tuple(parts))

    def member(self, syntax: Syntax, depth: int) -> t.Node:
        name = self._property(syntax)
        constant = f"{self._root(syntax)}.{name}"
        if constant in CONSTANTS:
            return t.Literal(CONSTANTS[constant])
        if constant in FUNCTIONS:
            return self.refuse(syntax, f"{constant} is a function; call it, as in {constant}(…)")
        return t.Member(self.field(syntax, "object", depth), name)

    def _property(self, syntax: Syntax) -> str:
        found = syntax.child_by_field_name("property")
        assert found is not None
        return self.text(found)

    def _root(self, syntax: Syntax) -> str:
        found = syntax.child_by_field_name("object")
        return self.text(found) if found is not None and found.type == "identifier" else ""

    def subscript(self, syntax: Syntax, depth: int) -> t.Node:
        return t.Index(self.field(syntax, "object", depth), self.field(syntax, "index", depth))

    def call(self, syntax: Syntax, depth: int) -> t.Node:
        function = syntax.child_by_field_name("function")
        given = syntax.child_by_field_name("arguments")
        assert function is not None
        assert given is not None
        arguments = tuple(self.argument(child, depth) for child in given.named_children)
        if function.type == "identifier":
            name = self.text(function)
            if name in FUNCTIONS:
                return self._takes_no_function(given, arguments) or t.Function(name, arguments)
            return self.refuse(function, f"there is no function {name!r}{_nearest(name, FUNCTIONS)}")
        if function.type != "member_expression":
            return self.refuse(function, "only methods and functions of the language can be called")
        name, root = self._property(function), self._root(function)
        if f"{root}.{name}" in FUNCTIONS:
            return self._takes_no_function(given, arguments) or t.Function(f"{root}.{name}", arguments)
        if any(known.startswith(f"{root}.") for known in FUNCTIONS) and root:
            known = tuple(known for known in FUNCTIONS if known.startswith(f"{root}."))
            return self.refuse(function, f"there is no function {root}.{name}{_nearest(f'{root}.{name}', known)}")
        of = self.field(function, "object", depth)
        if name.startswith(MARK):
            return self._pipe(syntax, of, name.removeprefix(MARK), arguments)
        if name not in METHODS:
            return self.refuse(function, f"there is no method {name!r}{_nearest(name, METHODS)}")
        return self._takes_no_function(given, arguments, name in TAKE_FUNCTIONS) or t.Call(of, name, arguments)

    def _takes_no_function(self, given: Syntax, arguments: tuple[t.Argument, ...], first: int = 0) -> t.Node | None:
        """A function is no value: it stands only where something takes it."""
        for number in range(first, len(arguments)):
            if isinstance(arguments[number], t.Arrow):
                return self.refuse(given.named_children[number], "this argument cannot be a function")
        return None

    def _pipe(self, syntax: Syntax, of: t.Node, name: str, arguments: tuple[t.Argument, ...]) -> t.Node:
        given = syntax.child_by_field_name("arguments")
        assert given is not None
        if name not in PIPES:
            return self.refuse(syntax, f"there is no pipe {name!r}{_nearest(name, PIPES)}")
        if any(isinstance(argument, t.Spread) for argument in arguments):
            return self.refuse(syntax, "a pipe takes no spread arguments")
        if (refused := self._takes_no_function(given, arguments, PIPES[name].takes_function)) is not None:
            return refused
        if PIPES[name].inner is not None and arguments:
            arguments = (self._for_item(given.named_children[0], name, arguments[0]), *arguments[1:])
        own = 1 + PIPES[name].needs_now
        least, most = accepts(PIPES[name].compute)
        if len(arguments) + own < least or (most is not None and len(arguments) + own > most):
            return self.refuse(
                syntax, f"the pipe {name!r} takes {_count(least - own, most, own)}, not {len(arguments)}"
            )
        return t.Pipe(of, name, arguments)

    def _for_item(self, syntax: Syntax, pipe: str, argument: t.Argument) -> t.Argument:
        """What a pipe goes by, where that is an expression or a template, written as a text."""
        if isinstance(argument, t.Arrow):
            return argument
        if not isinstance(argument, t.Literal) or not isinstance(argument.value, str):
            return self.refuse(syntax, f"what {pipe} goes by is written here, as a text or a function, not computed")
        try:
            if PIPES[pipe].inner == "expression":
                return t.ForItem(parse(argument.value))
            parts = parts_of(argument.value, "{{")
            return t.ForItem(
                t.Template(
                    tuple(parse(part.source) if part.is_expression else t.Literal(part.source) for part in parts)
                )
            )
        except InvalidExpression as error:
            for problem in error.problems:
                self.fault(self.at(syntax), f"in {shown(argument.value)}: {problem.message}")
            return argument

    def argument(self, syntax: Syntax, depth: int) -> t.Argument:
        if syntax.type == "spread_element":
            return t.Spread(self.node(syntax.named_children[0], depth))
        if syntax.type != "arrow_function":
            return self.node(syntax, depth)
        if any(child.type == "async" for child in syntax.children):
            return self.refuse(syntax, "an expression cannot wait")
        single = syntax.child_by_field_name("parameter")
        several = syntax.child_by_field_name("parameters")
        named = [single] if single is not None else [] if several is None else several.named_children
        for parameter in named:
            if self.text(parameter) in ("now", "nowMs", "secrets"):
                return self.refuse(parameter, f"{self.text(parameter)} has a meaning already; give it another name")
            if parameter.type != "identifier":
                return self.refuse(parameter, _NOT_THERE.get(parameter.type, "a parameter is a plain name"))
        return t.Arrow(tuple(self.text(parameter) for parameter in named), self.field(syntax, "body", depth))

    def unary(self, syntax: Syntax, depth: int) -> t.Node:
        operator = self._operator(syntax)
        if operator not in _UNARY:
            return self.refuse(syntax, f"there is no operator {operator}")
        return t.Unary(operator, self.field(syntax, "argument", depth))  # type: ignore[arg-type]

    def binary(self, syntax: Syntax, depth: int) -> t.Node:
        operator = self._operator(syntax)
        mixed = self._mixed(syntax, operator)
        if mixed:
            return self.refuse(syntax, mixed)
        if operator == "-" and (name := self._hyphenated(syntax)):
            return self.refuse(syntax, f"a name with a hyphen goes in brackets: {name}")
        left, right = self.field(syntax, "left", depth), self.field(syntax, "right", depth)
        if operator in _LOGICAL:
            return t.Logical(operator, left, right)  # type: ignore[arg-type]
        if operator not in _BINARY:
            return self.refuse(syntax, f"there is no operator {operator}")
        return t.Binary(operator, left, right)

    def _mixed(self, syntax: Syntax, operator: str) -> str:
        """What JavaScript wants in parentheses, because nobody agrees on what it means without."""
        sides = [syntax.child_by_field_name("left"), syntax.child_by_field_name("right")]
        if operator == "**" and sides[0] is not None and sides[0].type == "unary_expression":
            return "put one of the operators in parentheses: (-2) ** 2 or -(2 ** 2)"
        inner = {self._operator(side) for side in sides if side is not None and side.type == "binary_expression"}
        if (operator == "??" and inner & {"||", "&&"}) or (operator in ("||", "&&") and "??" in inner):
            return "?? beside || or && needs parentheses"
        return ""

    def _operator(self, syntax: Syntax) -> str:
        found = syntax.child_by_field_name("operator")
        assert found is not None
        return self.text(found)

    def _hyphenated(self, syntax: Syntax) -> str:
        """`steps.fetch-users.output`: meant as a name with a hyphen, and read as a difference."""
        left, right = (syntax.child_by_field_name(side) for side in ("left", "right"))
        assert left is not None
        assert right is not None
        before, after = _HYPHENATED.search(self.text(left)), _NAME.match(self.text(right))
        if before is None or after is None or right.start_byte != left.end_byte + len("-"):
            return ""
        return f"{before[1]}['{before[2]}-{after[0]}']"

    def ternary(self, syntax: Syntax, depth: int) -> t.Node:
        parts = (self.field(syntax, name, depth) for name in ("condition", "consequence", "alternative"))
        return t.Choice(*parts)

    def array(self, syntax: Syntax, depth: int) -> t.Node:
        items: list[t.Node | t.Spread] = []
        if self._has_holes(syntax):
            return self.refuse(syntax, "an array has no holes; write null")
        for child in syntax.named_children:
            if child.type == "spread_element":
                items.append(t.Spread(self.node(child.named_children[0], depth)))
            else:
                items.append(self.node(child, depth))
        return t.ArrayOf(tuple(items))

    def _has_holes(self, syntax: Syntax) -> bool:
        kinds = [child.type for child in syntax.children]
        return any(kind == "," and kinds[place - 1] in (",", "[", "{") for place, kind in enumerate(kinds))

    def object(self, syntax: Syntax, depth: int) -> t.Node:
        entries: list[tuple[t.Node, t.Node] | t.Spread] = []
        if self._has_holes(syntax):
            return self.refuse(syntax, "an entry is missing between two commas")
        for child in syntax.named_children:
            if child.type == "spread_element":
                entries.append(t.Spread(self.node(child.named_children[0], depth)))
            elif child.type == "shorthand_property_identifier":
                entries.append((t.Literal(self.text(child)), self.identifier(child, depth)))
            elif child.type == "pair":
                entries.append((self._key(child, depth), self.field(child, "value", depth)))
            else:
                self.refuse(child, _NOT_THERE.get(child.type, "an object holds pairs of a key and a value"))
        return t.ObjectOf(tuple(entries))

    def _key(self, pair: Syntax, depth: int) -> t.Node:
        key = pair.child_by_field_name("key")
        assert key is not None
        match key.type:
            case "computed_property_name":
                return self.node(key.named_children[0], depth)
            case "string":
                return self.string(key, depth)
            case "number":
                return self.number(key, depth)
            case _:
                return t.Literal(self.text(key))

    def undefined(self, syntax: Syntax, depth: int) -> t.Node:
        del syntax, depth
        return t.Literal(UNDEFINED)


_Take: TypeAlias = Callable[[_Reader, Syntax, int], t.Node]
_TAKEN: dict[str, _Take] = {
    "parenthesized_expression": _Reader.parenthesized,
    "identifier": _Reader.identifier,
    "number": _Reader.number,
    "string": _Reader.string,
    "template_string": _Reader.template,
    "true": lambda *_: t.Literal(True),
    "false": lambda *_: t.Literal(False),
    "null": lambda *_: t.Literal(None),
    "undefined": _Reader.undefined,
    "member_expression": _Reader.member,
    "subscript_expression": _Reader.subscript,
    "call_expression": _Reader.call,
    "unary_expression": _Reader.unary,
    "binary_expression": _Reader.binary,
    "ternary_expression": _Reader.ternary,
    "array": _Reader.array,
    "object": _Reader.object,
}


def path_of(node: t.Node) -> tuple[str, ...] | None:
    """The names of a plain path: `a.b['c']` is ("a", "b", "c")."""
    match node:
        case t.Name(name=name):
            return (name,)
        case t.Member(of=of, name=name) | t.Index(of=of, key=t.Literal(value=str() as name)):
            before = path_of(of)
            return None if before is None else (*before, name)
        case _:
            return None


def _nearest(name: str, known: Iterable[str]) -> str:
    found = get_close_matches(name, list(known), 1, 0.6)
    return f"; did you mean {found[0]!r}?" if found else ""


def _count(least: int, most: int | None, own: int) -> str:
    if most is None:
        return f"at least {least} arguments"
    return f"{least} arguments" if least == most - own else f"{least} to {most - own} arguments"


_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "0": "\0", "\n": "", "\r\n": ""}


def _unescaped(text: str) -> str:
    """One escape sequence of JavaScript."""
    after = text[1:]
    if after[:1] in ("u", "x"):
        digits = after[1:].strip("{}")
        return chr(min(int(digits, 16), sys.maxunicode))
    return _ESCAPES.get(after, after)
