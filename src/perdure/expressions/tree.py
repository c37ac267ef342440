"""What an expression is, once it has been read: a small closed tree, with nothing in it that the language does not have."""

from __future__ import annotations

from typing import Literal as OneOf
from typing import TypeAlias

from msgspec import Struct

from perdure.model.values import Json

UnaryOperator: TypeAlias = OneOf["!", "-", "+"]
BinaryOperator: TypeAlias = OneOf["+", "-", "*", "/", "%", "**", "==", "!=", "===", "!==", "<", "<=", ">", ">=", "in"]
LogicalOperator: TypeAlias = OneOf["&&", "||", "??"]


class Literal(Struct, frozen=True):
    value: Json


class Name(Struct, frozen=True):
    """A root of the scope, or a parameter of an arrow function around it. `at` is where it stands in the source."""

    name: str
    at: int = 0


class Member(Struct, frozen=True):
    of: Node
    name: str


class Index(Struct, frozen=True):
    of: Node
    key: Node


class Call(Struct, frozen=True):
    """A method of a string, an array or a number. `arguments` may hold arrow functions and spread arrays."""

    of: Node
    method: str
    arguments: tuple[Argument, ...]


class Function(Struct, frozen=True):
    """A function of the language: Math.max, JSON.stringify, Number."""

    name: str
    arguments: tuple[Argument, ...]


class Pipe(Struct, frozen=True):
    of: Node
    name: str
    arguments: tuple[Argument, ...]


class Unary(Struct, frozen=True):
    operator: UnaryOperator
    of: Node


class Binary(Struct, frozen=True):
    operator: BinaryOperator
    left: Node
    right: Node


class Logical(Struct, frozen=True):
    operator: LogicalOperator
    left: Node
    right: Node


class Choice(Struct, frozen=True):
    test: Node
    yes: Node
    no: Node


class Spread(Struct, frozen=True):
    of: Node


class ArrayOf(Struct, frozen=True):
    items: tuple[Node | Spread, ...]


class ObjectOf(Struct, frozen=True):
    """Pairs of a key and a value; a Spread stands for the entries of another object."""

    entries: tuple[tuple[Node, Node] | Spread, ...]


class TextOf(Struct, frozen=True):
    """A template literal."""

    parts: tuple[Node, ...]


class Template(Struct, frozen=True):
    """A text with values in it, as `{{ }}` has it: nothing is empty, arrays and objects are JSON."""

    parts: tuple[Node, ...]


class ForItem(Struct, frozen=True):
    """What a pipe computes for each item, written as a text. It sees the item's own properties, `item` and `index`."""

    body: Node
    size: int
    """How many nodes the body has."""


class Arrow(Struct, frozen=True):
    """A function as an argument."""

    parameters: tuple[str, ...]
    body: Node
    size: int
    """How many nodes the body has."""


Node: TypeAlias = (
    Literal
    | Name
    | Member
    | Index
    | Call
    | Function
    | Pipe
    | Unary
    | Binary
    | Logical
    | Choice
    | ArrayOf
    | ObjectOf
    | TextOf
    | Template
)
Argument: TypeAlias = Node | Arrow | ForItem | Spread
