"""Reads what stands around types: their parameters and arguments, and those of functions."""

from __future__ import annotations

from perdure.typescript.cursor import Cursor, shown_word
from perdure.typescript.syntax import Parameter, Type
from perdure.typescript.words import END, NAME, REST, TEMPLATE


def arguments_of(c: Cursor) -> tuple[Type, ...]:
    """`<A, B>`. That it is not is remembered: `[a < b, c < d, …]` may be tried at each sign."""
    return c.remembering("type arguments", lambda: _arguments(c))


def _arguments(c: Cursor) -> tuple[Type, ...]:
    c.expect("<")
    found = [c.type()]
    while c.takes(","):
        found.append(c.type())
    c.expect(">", "after the arguments of a type")
    return tuple(found)


def parameters_of(c: Cursor) -> tuple[Parameter, ...]:
    """`<A, B extends C = D>`"""
    c.expect("<")
    found = []
    while not c.sees(">"):
        while c.sees_name("const", "in", "out") and c.ahead().kind == NAME:
            c.advance()
        word = c.name("a type parameter")
        if c.takes_name("extends"):
            c.type()
        found.append(Parameter(word.start, word.text, c.type() if c.takes("=") else None))
        if not c.takes(","):
            break
    c.expect(">", "after the parameters of a type")
    return tuple(found)


def signature(c: Cursor) -> None:
    """`<T>(a: A, {b}: B)`"""
    if c.sees("<"):
        parameters_of(c)
    c.expect("(")
    while not c.sees(")"):
        c.takes("...")
        if c.sees("{", "["):
            skip(c)
        elif c.word.kind == NAME:
            c.advance()
        else:
            c.fail(f"{shown_word(c.word)} is unexpected here; a parameter is expected")
        c.takes("?")
        if c.takes(":"):
            c.type()
        if not c.takes(","):
            break
    c.expect(")", "after parameters")


def returned(c: Cursor) -> None:
    """The type of what a function returns, which may be `x is T` or `asserts x is T`."""
    if c.sees_name("asserts") and c.ahead().kind == NAME and not c.ahead().after_line and c.ahead().text != "is":
        c.advance()
        c.advance()
        if c.takes_name("is"):
            c.type()
    elif c.word.kind == NAME and c.ahead().text == "is" and c.ahead().kind == NAME and not c.ahead().after_line:
        c.advance()
        c.advance()
        c.type()
    else:
        c.type()


def skip(c: Cursor) -> None:
    """Whatever stands between two brackets."""
    depth = 0
    while True:
        depth += c.sees("{", "[", "(") - c.sees("}", "]", ")")
        if c.word.kind == TEMPLATE:
            c.deeper()
            c.template(lambda: skip_to(c, "}"))
            c.back()
        else:
            if c.word.kind == END:
                c.fail("the end of the source is unexpected here; a bracket is not closed")
            c.advance()
        if depth <= 0:
            return


def skip_to(c: Cursor, sign: str) -> None:
    while not c.sees(sign) and c.word.kind != REST:
        if c.sees("{", "[", "("):
            skip(c)
        else:
            c.expect(sign) if c.word.kind == END else c.advance()
