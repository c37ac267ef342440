"""From the text of an expression to its tree: parsed by a JavaScript grammar, then taken over node by node.

What is not listed here is not in the language: there is no way from a kind of syntax that nobody thought of to a value.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeAlias, get_args

import tree_sitter_javascript
from tree_sitter import Language, Parser
from tree_sitter import Node as Syntax

from perdure.errors import InvalidExpression
from perdure.expressions import calls, numbers
from perdure.expressions import tree as t
from perdure.expressions.functions import CONSTANTS, FUNCTIONS, NAMESPACES
from perdure.expressions.outline import DEPTH_MAX, outline
from perdure.expressions.scanner import SOURCE_MAX
from perdure.expressions.texts import combined
from perdure.expressions.tokens import MARK, NAME, problem_at, unescaped
from perdure.expressions.wording import nearest
from perdure.model.problem import Problem

PROBLEMS_MAX = 10

_PARSER = Parser(Language(tree_sitter_javascript.language()))
_BINARY: dict[str, t.BinaryOperator] = {sign: sign for sign in get_args(t.BinaryOperator)}
_LOGICAL: dict[str, t.LogicalOperator] = {sign: sign for sign in get_args(t.LogicalOperator)}
_UNARY: dict[str, t.UnaryOperator] = {sign: sign for sign in get_args(t.UnaryOperator)}
_MARK = MARK.encode()
_OF_STEPS = r"(?:workflow\.(?:(?:instance\.)?state\.)?)?steps|nodes"
"""Where names stand that people write hyphens into."""

_HYPHENATED = re.compile(rf"(?<![\w$.])({_OF_STEPS})\.({NAME}(?:-{NAME})*)$")
_LAST_PART = re.compile(rf"{NAME}(?:-{NAME})*")


def parse(source: str, bytes_max: int = SOURCE_MAX) -> t.Node:
    """The tree of an expression. Raises `InvalidExpression` with what is wrong with it."""
    if len(source.encode("utf-8", "surrogatepass")) > bytes_max:
        problem = Problem("invalid_expression", f"an expression has at most {bytes_max} bytes, this one has more")
        raise InvalidExpression(source[:60] + "…", (problem,))
    return Reader(source).read(0)


def grammatical(source: str) -> Syntax:
    """The source in parentheses, so that an object is not taken for a block, as the grammar reads it."""
    root = _PARSER.parse(f"({source})".encode()).root_node
    if root.has_error:  # whatever has an outline is grammatical; should that ever be wrong, it is refused
        raise InvalidExpression(source, (problem_at(source, 0, "this is not an expression"),))
    return root.named_children[0].named_children[0]


class Reader:
    """Reads one source."""

    def __init__(self, source: str, stands_at: int | None = None) -> None:
        """`stands_at`: where it stands in another source, as a text."""
        self.source = source
        self.stands_at = stands_at
        self.problems: list[Problem] = []
        self.rewritten = outline(source)
        self.bytes = f"({self.rewritten.source})".encode()
        self.size = 0
        """How many nodes have been taken over."""

    def read(self, depth: int) -> t.Node:
        """`depth`: how deep the source stands inside of another one."""
        found = self.parenthesized(grammatical(self.rewritten.source), depth)
        if self.problems:
            raise InvalidExpression(self.source, self.problems)
        return found

    def inner(self, source: str, syntax: Syntax, depth: int) -> tuple[t.Node, int]:
        """The tree of a source that stands in this one as a text, and how many nodes it has."""
        reader = Reader(source, self.at(syntax) if self.stands_at is None else self.stands_at)
        return reader.read(depth), reader.size

    # Telling what is wrong.

    def refuse(self, syntax: Syntax, message: str, after: int = 0) -> t.Node:
        """`after`: so many characters after its beginning."""
        self.problems.append(problem_at(self.source, self.at(syntax) + after, message))
        return t.Literal(None)

    def at(self, syntax: Syntax) -> int:
        """Where it stands in the original source."""
        before = self.bytes[1 : syntax.start_byte].decode()
        return self.rewritten.place(len(before) + self.bytes.startswith(_MARK, syntax.start_byte))

    # Taking over.

    def node(self, syntax: Syntax, depth: int) -> t.Node:
        if len(self.problems) >= PROBLEMS_MAX:
            return t.Literal(None)
        if depth > DEPTH_MAX:
            return self.refuse(syntax, f"an expression is at most {DEPTH_MAX} levels deep")
        self.size += 1
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
        if name in FUNCTIONS:
            return self.refuse(syntax, f"{name} is a function; call it, as in {name}(x) or x => {name}(x)")
        if name in NAMESPACES:
            return self.refuse(syntax, f"{name} is no value; it has functions, as in {NAMESPACES[name]}")
        if name == "Date":
            return self.refuse(
                syntax, "there is no Date; the time is now, or nowMs as a number, and x|parseDate reads one"
            )
        return t.Name(name, self.at(syntax) if self.stands_at is None else self.stands_at)

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
            else t.Literal(self._template_piece(child))
            for child in syntax.named_children
        ]
        texts = [part.value for part in parts if isinstance(part, t.Literal) and isinstance(part.value, str)]
        return t.Literal(combined("".join(texts))) if len(texts) == len(parts) else t.TextOf(tuple(parts))

    def _template_piece(self, syntax: Syntax) -> str:
        """As JavaScript has it, a line ends with a line feed, however it is written; an escape is what it says."""
        if syntax.type == "escape_sequence":
            return self._piece(syntax)
        return self.text(syntax).replace("\r\n", "\n").replace("\r", "\n")

    def member(self, syntax: Syntax, depth: int) -> t.Node:
        name, root = self.property(syntax), self.root(syntax)
        known = f"{root}.{name}"
        if known in CONSTANTS:
            return t.Literal(CONSTANTS[known])
        if known in FUNCTIONS:
            return self.refuse(syntax, f"{known} is a function; call it, as in {known}(x) or x => {known}(x)")
        if root in NAMESPACES:
            return self.refuse(syntax, f"there is no {known}{nearest(known, (*CONSTANTS, *FUNCTIONS))}")
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
        return t.Unary(_UNARY[self._operator(syntax)], self.field(syntax, "argument", depth))

    def binary(self, syntax: Syntax, depth: int) -> t.Node:
        operator = self._operator(syntax)
        if mixed := self._mixed(syntax, operator):
            return self.refuse(syntax, mixed)
        if operator == "-" and (refused := self._hyphenated(syntax)) is not None:
            return refused
        left, right = self.field(syntax, "left", depth), self.field(syntax, "right", depth)
        if operator in _LOGICAL:
            return t.Logical(_LOGICAL[operator], left, right)
        return t.Binary(_BINARY[operator], left, right)

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

    def _hyphenated(self, syntax: Syntax) -> t.Node | None:
        """`steps.fetch-users.output`: meant as a name with a hyphen, and read as a difference."""
        left, right = self.child(syntax, "left"), self.child(syntax, "right")
        before, after = _HYPHENATED.search(self.text(left)), _LAST_PART.match(self.text(right))
        if before is None or after is None or right.start_byte != left.end_byte + len("-"):
            return None
        message = f"a name with a hyphen goes in brackets: {before[1]}['{before[2]}-{after[0]}']"
        return self.refuse(left, message, after=before.start())

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
