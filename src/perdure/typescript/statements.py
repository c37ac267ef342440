"""Reads statements."""

from __future__ import annotations

from perdure.typescript.cursor import Cursor
from perdure.typescript.declarations import declaration, variables
from perdure.typescript.functions import ASYNC_REFUSED, annotation, pattern
from perdure.typescript.values import expression
from perdure.typescript.words import END, NAME

_TOP_ONLY = "this can stand at the top only, outside of functions and blocks"


def block(c: Cursor) -> None:
    with c.within():
        statements(c)


def statements(c: Cursor) -> None:
    c.expect("{")
    while not c.takes("}"):
        if c.word.kind == END:
            c.expect("}", "to close the block")
        statement(c)


def statement(c: Cursor, *, top: bool = False) -> None:
    c.deeper()
    word = c.word
    read = _BY_WORD.get(word.text)
    if read is not None:
        read(c)
    elif not declaration(c, top=top):
        if word.kind == NAME and c.ahead().text == ":" and c.sees_name():
            c.advance()
            c.advance()
            statement(c)
        else:
            expression(c)
            c.semicolon()
    c.back()


def _if(c: Cursor) -> None:
    while True:
        c.advance()
        _condition(c)
        statement(c)
        if not c.takes_name("else"):
            return
        if not c.sees_name("if"):
            statement(c)
            return


def _condition(c: Cursor) -> None:
    c.expect("(")
    expression(c)
    c.expect(")", "after a condition")


def _while(c: Cursor) -> None:
    c.advance()
    _condition(c)
    statement(c)


def _do(c: Cursor) -> None:
    c.advance()
    statement(c)
    c.expect("while", "after 'do'")
    _condition(c)
    c.takes(";")


def _for(c: Cursor) -> None:
    c.advance()
    if c.sees_name("await"):
        c.refuse(c.word.start, ASYNC_REFUSED.replace("async", "await"))
        c.advance()
    with c.within():
        c.expect("(", "after 'for'")
        _for_head(c)
        c.expect(")", "after the head of 'for'")
        statement(c)


def _for_head(c: Cursor) -> None:
    c.no_in = True
    if c.sees_name("var", "const", "let") and (c.ahead().kind == NAME or c.ahead().text in ("[", "{")):
        variables(c)
    elif not c.sees(";"):
        expression(c)
    c.no_in = False
    if c.takes_name("of"):
        c.value()
    elif c.takes_name("in"):
        expression(c)
    else:
        c.expect(";", "in the head of 'for'")
        if not c.sees(";"):
            expression(c)
        c.expect(";", "in the head of 'for'")
        if not c.sees(")"):
            expression(c)


def _switch(c: Cursor) -> None:
    c.advance()
    _condition(c)
    with c.within():
        c.expect("{", "after 'switch'")
        while not c.takes("}"):
            if not c.takes_name("default"):
                c.expect("case", "in a switch", or_="default")
                expression(c)
            c.expect(":", "after a case")
            while not c.sees("}") and not c.sees_name("case", "default"):
                statement(c)


def _try(c: Cursor) -> None:
    c.advance()
    block(c)
    if not c.sees_name("catch", "finally"):
        c.expect("catch", "after 'try'")
    if c.takes_name("catch"):
        with c.within():
            if c.takes("("):
                pattern(c)
                annotation(c)
                c.expect(")")
            statements(c)
    if c.takes_name("finally"):
        block(c)


def _return(c: Cursor) -> None:
    if not c.functions:
        c.fail("'return' can stand in a function only")
    c.advance()
    if not (c.sees(";", "}") or c.word.after_line or c.word.kind == END):
        expression(c)
    c.semicolon()


def _throw(c: Cursor) -> None:
    c.advance()
    if c.word.after_line:
        c.fail("what is thrown stands on the line of 'throw'")
    expression(c)
    c.semicolon()


def _jump(c: Cursor) -> None:
    """`break` and `continue`, with or without a label."""
    c.advance()
    if c.sees_name() and not c.word.after_line:
        c.advance()
    c.semicolon()


def _debugger(c: Cursor) -> None:
    c.advance()
    c.semicolon()


def _empty(c: Cursor) -> None:
    c.advance()


def _with(c: Cursor) -> None:
    c.fail("there is no 'with'; take the properties apart, as in const {a, b} = x")


def _elsewhere(c: Cursor) -> None:
    if c.sees_name("import") and c.ahead().text in ("(", "."):
        expression(c)
        c.semicolon()
    else:
        c.fail(_TOP_ONLY)


_BY_WORD = {
    "{": block,
    ";": _empty,
    "if": _if,
    "for": _for,
    "while": _while,
    "do": _do,
    "switch": _switch,
    "try": _try,
    "return": _return,
    "throw": _throw,
    "break": _jump,
    "continue": _jump,
    "debugger": _debugger,
    "with": _with,
    "import": _elsewhere,
    "export": _elsewhere,
}
