"""What is noted while a source is read, and what it is called."""

from __future__ import annotations

from msgspec import Struct

from perdure.typescript.names import Scope

RESERVED = frozenset(
    (
        *("break", "case", "catch", "class", "const", "continue", "debugger", "default", "delete", "do", "else"),
        *("enum", "export", "extends", "false", "finally", "for", "function", "if", "import", "in", "instanceof"),
        *("new", "null", "return", "super", "switch", "this", "throw", "true", "try", "typeof", "var", "void"),
        *("while", "with", "implements", "interface", "let", "package", "private", "protected", "public"),
        *("static", "yield", "await"),
    )
)
"""No names of variables, in strict mode."""

FUNCTION, ARROW, GENERATOR, ASYNC, CLASS = (
    *("a function", "an arrow function", "a generator function", "an async function", "a class"),
)


class Halt(Exception):
    """This cannot be read on."""

    def __init__(self, at: int, message: str) -> None:
        super().__init__(message)
        self.at = at
        self.message = message


class Beyond(Halt):
    """A bound is reached: whatever is tried instead, it stays so."""


class Kind(Struct, frozen=True):
    """What an expression is, as far as it shows. `name`: of a variable."""

    what: str = "an expression"
    name: str = ""


EXPRESSION = Kind()


class Edit(Struct, frozen=True):
    """From `start` to `end` there are blanks in JavaScript, but for `text`, which is put at `start`."""

    start: int
    end: int
    text: str = ""


class Mark(Struct, frozen=True):
    """Where reading stood, and how much was noted."""

    place: int
    last_end: int
    depth: int
    scope: Scope
    no_in: bool
    functions: int
    notes: tuple[int, int, int]
