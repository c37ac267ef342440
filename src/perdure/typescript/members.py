"""Reads what stands in the braces of an object type."""

from __future__ import annotations

from perdure.typescript.cursor import Cursor, shown_word
from perdure.typescript.literals import description_of, key_of, text_of
from perdure.typescript.signatures import returned, signature, skip
from perdure.typescript.syntax import Index, Inexpressible, Keyword, Mapped, Member, Property, Type
from perdure.typescript.words import NAME, NUMBER, SIGN, TEXT, Word

FUNCTION = "a function is not JSON, so it cannot be a part of Input or Output; leave it out"
_ENDS_OF_KEYS = (":", "?", "(", "<", ";", ",", "}", "=", "!")


def members_of(c: Cursor) -> tuple[Member, ...]:
    """`{ … }`"""
    c.expect("{")
    found = []
    while not c.takes("}"):
        found.append(_member(c))
        if not (c.takes(";", ",") or c.sees("}") or c.word.after_line):
            c.fail(f"{shown_word(c.word)} is unexpected here; ';' or the next line is expected after a member")
    return tuple(found)


def doc_of(c: Cursor, word: Word) -> str:
    return description_of(c.source[slice(*word.doc)]) if word.doc else ""


def _member(c: Cursor) -> Member:
    word = c.word
    doc, at = doc_of(c, word), word.start
    if c.sees("(", "<"):
        return _method(c, at)
    if c.sees_name("new") and c.ahead().text in ("(", "<"):
        c.advance()
        return _method(c, at)
    while c.sees_name("readonly", "get", "set") and not _ends_key(c.ahead()):
        if c.advance().text != "readonly":
            return _method(c, at, _key(c))
    if c.sees("[") and c.ahead().kind == NAME and c.ahead(2).text == ":":
        c.advance()
        c.advance()
        c.expect(":")
        key = c.type()
        c.expect("]")
        c.takes("?")
        return Index(at, key, _typed(c, at))
    at = c.word.start
    name = _key(c)
    optional = c.takes("?")
    if c.sees("(", "<"):
        return _method(c, at, name)
    type_ = _typed(c, at)
    if name is None:
        return Inexpressible(at, "the name of a property must be written out, as in a: string or 'a-b': string")
    return Property(at, name, type_, optional, doc)


def _ends_key(word: Word) -> bool:
    return word.after_line or (word.kind == SIGN and word.text in _ENDS_OF_KEYS)


def _typed(c: Cursor, at: int) -> Type:
    return c.type() if c.takes(":") else Keyword(at, "any")


def _method(c: Cursor, at: int, name: str | None = None) -> Member:
    signature(c)
    if c.takes(":"):
        returned(c)
    found = Inexpressible(at, FUNCTION)
    return found if name is None else Property(at, name, found)


def _key(c: Cursor) -> str | None:
    """None for one that is computed."""
    if c.sees("["):
        word, is_alone = c.ahead(), c.ahead(2).text == "]"
        skip(c)
        literal = text_of(word.text) if word.kind == TEXT else None
        return literal if is_alone else None
    word = c.word
    if word.kind not in (NAME, TEXT, NUMBER):
        c.fail(f"{shown_word(word)} is unexpected here; the name of a property is expected")
    c.advance()
    if word.kind == NAME:
        return word.text
    return text_of(word.text) if word.kind == TEXT else key_of(word.text)


def is_mapped(c: Cursor) -> bool:
    places = 1
    if c.ahead().text in ("+", "-"):
        places += 1
    if c.ahead(places).text == "readonly" and c.ahead(places + 1).text == "[":
        places += 1
    return (
        c.ahead(places).text == "["
        and c.ahead(places + 1).kind == NAME
        and c.ahead(places + 2).text == "in"
        and c.ahead(places + 2).kind == NAME
    )


def mapped(c: Cursor) -> Type:
    at = c.expect("{").start
    c.takes("+", "-")
    c.takes_name("readonly")
    c.expect("[")
    name = c.advance().text
    c.expect("in")
    keys = c.type()
    renamed = c.takes_name("as")
    if renamed:
        c.type()
    c.expect("]")
    sign = c.advance().text if c.sees("+", "-") else "+"
    optional = (sign == "+") if c.takes("?") else None
    type_ = c.type() if c.takes(":") else Keyword(at, "any")
    c.takes(";", ",")
    c.expect("}", "after a mapped type")
    if renamed:
        return Inexpressible(at, "a mapped type with 'as' cannot become a schema; write out its properties")
    return Mapped(at, name, keys, type_, optional)
