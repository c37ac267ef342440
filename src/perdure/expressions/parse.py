"""From the text of an expression to its tree: parsed by a JavaScript grammar, then taken over node by node.

What is not listed here is not in the language: there is no way from a kind of syntax that nobody thought of to a value.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeAlias

import tree_sitter_javascript
from tree_sitter import Language, Parser
from tree_sitter import Node as Syntax

from perdure.errors import InvalidExpression
from perdure.expressions import calls, numbers
from perdure.expressions import tree as t
from perdure.expressions.functions import CONSTANTS, FUNCTIONS
from perdure.expressions.outline import DEPTH_MAX, outline
from perdure.expressions.scanner import SOURCE_MAX
from perdure.expressions.texts import combined
from perdure.expressions.tokens import NAME, problem_at, unescaped
from perdure.model.problem import Problem

PROBLEMS_MAX = 10

_PARSER = Parser(Language(tree_sitter_javascript.language()))
_BINARY = frozenset({"+", "-", "*", "/", "%", "**", "==", "!=", "===", "!==", "<", "<=", ">", ">=", "in"})
_LOGICAL = frozenset({"&&", "||", "??"})
_UNARY = frozenset({"!", "-", "+"})
_HYPHENATED = re.compile(rf"(?<![\w$.])(steps|nodes)\.({NAME}(?:-{NAME})*)$")
_LAST_PART = re.compile(rf"{NAME}(?:-{NAME})*")


def parse(source: str) -> t.Node:
    """The tree of an expression. Raises `InvalidExpression` with what is wrong with it."""
    if len(source.encode("utf-8", "surrogatepass")) > SOURCE_MAX:
        problem = Problem("invalid_expression", f"an expression has at most {SOURCE_MAX} bytes, this one has more")
        raise InvalidExpression(source[:60] + "…", (problem,))
    return Reader(source).read()


class Reader:
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
        statement = root.named_children[0]
        found = self.parenthesized(statement.named_children[0], 0)
        if self.problems:
            raise InvalidExpression(self.source, self.problems)
        return found

    def inner(self, source: str) -> t.Node:
        """The tree of a source that stands in this one as a text."""
        return parse(source)

    # Telling what is wrong.

    def refuse(self, syntax: Syntax, message: str) -> t.Node:
        before = self.bytes[1 : max(syntax.start_byte, 1)].decode()
        at = min(self.rewritten.place(len(before)), len(self.source))
        self.problems.append(problem_at(self.source, at, message))
        return t.Literal(None)

    # Taking over.

    def node(self, syntax: Syntax, depth: int) -> t.Node:
        if len(self.problems) >= PROBLEMS_MAX:
            return t.Literal(None)
        if depth > DEPTH_MAX:
            return self.refuse(syntax, f"an expression is at most {DEPTH_MAX} levels deep")
        taken = _TAKEN.get(syntax.type)
        if taken is None:
            return self.refuse(syntax, "a function can only be an argument of a method or a pipe")
        return taken(self, syntax, depth + 1)

    def child(self, syntax: Syntax, name: str) -> Syntax:
        found = syntax.child_by_field_name(name)
        assert found is not None, (syntax.type, name)
        return found

    def field(self, syntax: Syntax, name: str, depth: int) -> t.Node:
        return self.node(self.child(syntax, name), depth)

    def text(self, syntax: Syntax) -> str:
        return self.bytes[syntax.start_byte : syntax.end_byte].decode()

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
        return t.Literal(numbers.from_text(self.text(syntax).replace("_", "")))

    def string(self, syntax: Syntax, depth: int) -> t.Node:
        del depth
        return t.Literal(combined("".join(map(self._piece, syntax.named_children))))

    def _piece(self, syntax: Syntax) -> str:
        text = self.text(syntax)
        return unescaped(text) if syntax.type == "escape_sequence" else text

    def template(self, syntax: Syntax, depth: int) -> t.Node:
        parts = [
            self.node(child.named_children[0], depth)
            if child.type == "template_substitution"
            else t.Literal(self._piece(child).replace("\r\n", "\n").replace("\r", "\n"))
            for child in syntax.named_children
        ]
        texts = [part.value for part in parts if isinstance(part, t.Literal) and isinstance(part.value, str)]
        return t.Literal(combined("".join(texts))) if len(texts) == len(parts) else t.TextOf(tuple(parts))

    def member(self, syntax: Syntax, depth: int) -> t.Node:
        name = self.property(syntax)
        constant = f"{self.root(syntax)}.{name}"
        if constant in CONSTANTS:
            return t.Literal(CONSTANTS[constant])
        if constant in FUNCTIONS:
            return self.refuse(syntax, f"{constant} is a function; call it, as in {constant}(…)")
        return t.Member(self.field(syntax, "object", depth), name)

    def property(self, syntax: Syntax) -> str:
        return self.text(self.child(syntax, "property"))

    def root(self, syntax: Syntax) -> str:
        """The name of what a property is taken of, if that is a name."""
        of = self.child(syntax, "object")
        return self.text(of) if of.type == "identifier" else ""

    def subscript(self, syntax: Syntax, depth: int) -> t.Node:
        return t.Index(self.field(syntax, "object", depth), self.field(syntax, "index", depth))

    def call(self, syntax: Syntax, depth: int) -> t.Node:
        return calls.call(self, syntax, depth)

    def unary(self, syntax: Syntax, depth: int) -> t.Node:
        operator = self._operator(syntax)
        assert operator in _UNARY, operator
        return t.Unary(operator, self.field(syntax, "argument", depth))  # type: ignore[arg-type]

    def binary(self, syntax: Syntax, depth: int) -> t.Node:
        operator = self._operator(syntax)
        if mixed := self._mixed(syntax, operator):
            return self.refuse(syntax, mixed)
        if operator == "-" and (name := self._hyphenated(syntax)):
            return self.refuse(syntax, f"a name with a hyphen goes in brackets: {name}")
        left, right = self.field(syntax, "left", depth), self.field(syntax, "right", depth)
        if operator in _LOGICAL:
            return t.Logical(operator, left, right)  # type: ignore[arg-type]
        assert operator in _BINARY, operator
        return t.Binary(operator, left, right)

    def _operator(self, syntax: Syntax) -> str:
        return self.text(self.child(syntax, "operator"))

    def _mixed(self, syntax: Syntax, operator: str) -> str:
        """What JavaScript wants in parentheses, because nobody agrees on what it means without."""
        sides = [self.child(syntax, side) for side in ("left", "right")]
        if operator == "**" and sides[0].type == "unary_expression":
            return "put one of the operators in parentheses: (-2) ** 2 or -(2 ** 2)"
        inner = {self._operator(side) for side in sides if side.type == "binary_expression"}
        if (operator == "??" and inner & {"||", "&&"}) or (operator in ("||", "&&") and "??" in inner):
            return "?? beside || or && needs parentheses"
        return ""

    def _hyphenated(self, syntax: Syntax) -> str:
        """`steps.fetch-users.output`: meant as a name with a hyphen, and read as a difference."""
        left, right = self.child(syntax, "left"), self.child(syntax, "right")
        before, after = _HYPHENATED.search(self.text(left)), _LAST_PART.match(self.text(right))
        if before is None or after is None or right.start_byte != left.end_byte + len("-"):
            return ""
        return f"{before[1]}['{before[2]}-{after[0]}']"

    def ternary(self, syntax: Syntax, depth: int) -> t.Node:
        parts = (self.field(syntax, name, depth) for name in ("condition", "consequence", "alternative"))
        return t.Choice(*parts)

    def spread(self, syntax: Syntax, depth: int) -> t.Spread:
        return t.Spread(self.node(syntax.named_children[0], depth))

    def array(self, syntax: Syntax, depth: int) -> t.Node:
        return t.ArrayOf(
            tuple(
                self.spread(child, depth) if child.type == "spread_element" else self.node(child, depth)
                for child in syntax.named_children
            )
        )

    def object(self, syntax: Syntax, depth: int) -> t.Node:
        return t.ObjectOf(tuple(self._entry(child, depth) for child in syntax.named_children))

    def _entry(self, syntax: Syntax, depth: int) -> tuple[t.Node, t.Node] | t.Spread:
        if syntax.type == "spread_element":
            return self.spread(syntax, depth)
        if syntax.type == "shorthand_property_identifier":
            return t.Literal(self.text(syntax)), self.identifier(syntax, depth)
        key = self.child(syntax, "key")
        value = self.field(syntax, "value", depth)
        match key.type:
            case "computed_property_name":
                return self.node(key.named_children[0], depth), value
            case "string":
                return self.string(key, depth), value
            case "number":
                return self.number(key, depth), value
            case _:
                return t.Literal(self.text(key)), value


_Take: TypeAlias = Callable[[Reader, Syntax, int], t.Node]
_TAKEN: dict[str, _Take] = {
    "parenthesized_expression": Reader.parenthesized,
    "identifier": Reader.identifier,
    "undefined": Reader.identifier,
    "number": Reader.number,
    "string": Reader.string,
    "template_string": Reader.template,
    "true": lambda *_: t.Literal(True),
    "false": lambda *_: t.Literal(False),
    "null": lambda *_: t.Literal(None),
    "member_expression": Reader.member,
    "subscript_expression": Reader.subscript,
    "call_expression": Reader.call,
    "unary_expression": Reader.unary,
    "binary_expression": Reader.binary,
    "ternary_expression": Reader.ternary,
    "array": Reader.array,
    "object": Reader.object,
}
