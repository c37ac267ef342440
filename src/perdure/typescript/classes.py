"""Reads classes. Their types, their modifiers and what is declared without a body are blanked out.

A member of JavaScript may go on where one of TypeScript has ended, once what stood between is gone: `a = 1`, then on the next
line `private [b] = 2`. So a semicolon is left wherever something is blanked that began or ended a member.
"""

from __future__ import annotations

from perdure.typescript.cursor import Cursor
from perdure.typescript.functions import ASYNC_REFUSED, annotation, decorators, generics, key, method
from perdure.typescript.notes import CLASS, Kind
from perdure.typescript.signatures import arguments_of
from perdure.typescript.words import NAME, PRIVATE, SIGN, Word

_BLANKED = ("public", "private", "protected", "readonly", "abstract", "override", "declare")
_KEPT = ("static", "async", "get", "set", "accessor")
_ENDS_KEY = ("(", "<", "=", ";", ":", "?", "!", "}", ",")


def class_(c: Cursor) -> Kind:
    """From `class` on."""
    c.expect("class")
    with c.within():
        if c.sees_name() and not c.sees_name("implements", "extends"):
            c.declare(c.advance())
        generics(c)
        if c.takes_name("extends"):
            c.operand()
            if c.sees("<"):
                start = c.word.start
                arguments_of(c)
                c.blank(start)
        if c.sees_name("implements"):
            start = c.advance().start
            c.type()
            while c.takes(","):
                c.type()
            c.blank(start)
        _body(c)
    return Kind(CLASS)


def _body(c: Cursor) -> None:
    c.deeper()
    c.expect("{", "before the members of a class")
    while not c.takes("}"):
        if not c.takes(";"):
            _member(c)
    c.back()


def _member(c: Cursor) -> None:
    decorators(c)
    start = c.word.start
    modifiers = _modifiers(c)
    if c.sees("{") and modifiers == ["static"]:
        with c.within(is_function=True):
            c.block()
        return
    c.takes("*")
    if c.sees("[") and c.ahead().kind == NAME and c.ahead(2).text == ":":
        _index_signature(c, start)
        return
    if c.word.kind == PRIVATE:
        c.scope.declare(c.word.text)
    key(c)
    is_declared = "abstract" in modifiers or "declare" in modifiers
    begin = c.word.start
    if c.sees("?", "!"):
        c.advance()
    if c.sees("(", "<"):
        c.blank(begin)
        if not method(c):
            c.semicolon()
            c.blank(start, ";")
        return
    if c.takes(":"):
        c.type()
    if c.last_end > begin:
        c.blank(begin, "" if c.sees("=", ";") else ";")
    if c.takes("="):
        with c.within(is_function=True):
            c.value()
    c.semicolon()
    if is_declared:
        c.blank(start, ";")


def _modifiers(c: Cursor) -> list[str]:
    """Blanks out those that JavaScript has not. If one of them began the member, the one before it ends there."""
    found: list[str] = []
    while c.sees_name(*_BLANKED, *_KEPT) and not _ends_key(c.ahead(), c.word):
        word = c.advance()
        if word.text == "async":
            c.refuse(word.start, ASYNC_REFUSED)
        elif word.text == "accessor":
            c.refuse(word.start, "there are no accessor fields; leave 'accessor' out, or write get and set")
        if word.text in _BLANKED:
            c.blank(word.start, "" if found else ";")
        found.append(word.text)
    return found


def _ends_key(word: Word, modifier: Word) -> bool:
    """Whether what could be a modifier is the name of the member itself."""
    if word.kind == SIGN and word.text in _ENDS_KEY:
        return True
    return word.after_line and modifier.text not in ("static", "get", "set")


def _index_signature(c: Cursor, start: int) -> None:
    c.advance()
    c.advance()
    c.expect(":")
    c.type()
    c.expect("]")
    annotation(c)
    c.semicolon()
    c.blank(start, ";")
