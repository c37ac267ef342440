"""Reads types. Nothing of them is left in JavaScript, so who asks for one blanks it out."""

from __future__ import annotations

from perdure.typescript.cursor import Cursor, shown_word
from perdure.typescript.literals import number_of, text_of
from perdure.typescript.members import FUNCTION, is_mapped, mapped, members_of
from perdure.typescript.notes import RESERVED, Halt
from perdure.typescript.signatures import arguments_of, returned, signature, skip
from perdure.typescript.syntax import (
    Access,
    ArrayOf,
    Inexpressible,
    Intersection,
    KeyOf,
    Keyword,
    Literal,
    ObjectOf,
    Place,
    Reference,
    Tuple,
    Type,
    Union,
)
from perdure.typescript.words import NAME, NUMBER, SIGN, TEMPLATE, TEXT, Word

KEYWORDS = frozenset(
    (
        *("any", "unknown", "never", "void", "undefined", "null", "object", "string", "number", "boolean"),
        *("symbol", "bigint"),
    )
)
_RESERVED = RESERVED - {"let", "static", "yield", "await", "package", "public", "private", "protected"} - KEYWORDS
_IMPORTED = "a transform imports nothing: write the type into it"
_CONDITIONAL = "a conditional type cannot become a schema; write out the type that it comes to"


def type_of(c: Cursor, conditional: bool) -> Type:
    """`conditional`: `A extends B ? C : D` may stand here."""
    c.deeper()
    at = c.word.start
    found = _function(c) or _union(c)
    if conditional and c.sees_name("extends") and not c.word.after_line:
        c.advance()
        c.type(conditional=False)
        c.expect("?", "in a conditional type")
        c.type()
        c.expect(":", "in a conditional type")
        c.type()
        found = Inexpressible(at, _CONDITIONAL)
    c.back()
    return found


def _function(c: Cursor) -> Type | None:
    at = c.word.start
    if c.sees_name("new") or (c.sees_name("abstract") and c.ahead().text == "new" and c.ahead().kind == NAME):
        if c.advance().text == "abstract":
            c.advance()
        signature(c)
        c.expect("=>", "in the type of a constructor")
        c.type()
        return Inexpressible(at, FUNCTION)
    if c.sees("<") or (c.sees("(") and _may_be_signature(c)):
        return c.attempt("function type", lambda: _arrow(c)) if c.sees("(") else _arrow(c)
    return None


def _arrow(c: Cursor) -> Type:
    at = c.word.start
    signature(c)
    c.expect("=>", "in the type of a function")
    returned(c)
    return Inexpressible(at, FUNCTION)


def _may_be_signature(c: Cursor) -> bool:
    one, two = c.ahead(), c.ahead(2)
    if one.kind == NAME:
        return two.text in (":", ",", "?", "=") or (two.text == ")" and c.ahead(3).text == "=>")
    return one.kind == SIGN and one.text in (")", "...", "{", "[")


def _union(c: Cursor) -> Type:
    at = c.word.start
    c.takes("|")
    parts = [_intersection(c)]
    while c.takes("|"):
        parts.append(_function(c) or _intersection(c))
    return parts[0] if len(parts) == 1 else Union(at, tuple(parts))


def _intersection(c: Cursor) -> Type:
    at = c.word.start
    c.takes("&")
    parts = [_operator(c)]
    while c.takes("&"):
        parts.append(_operator(c))
    return parts[0] if len(parts) == 1 else Intersection(at, tuple(parts))


def _operator(c: Cursor) -> Type:
    before: list[Word] = []
    while c.sees_name("keyof", "readonly", "unique", "infer") and _begins_type(c.ahead()):
        c.deeper()
        before.append(c.advance())
        if before[-1].text == "infer":
            c.name("a type")
            if c.takes_name("extends"):
                c.type(conditional=False)
            c.back(len(before))
            return Inexpressible(before[0].start, _CONDITIONAL)
    found = _postfix(c)
    c.back(len(before))
    for word in reversed(before):
        if word.text == "keyof":
            found = KeyOf(word.start, found)
        elif word.text == "unique":
            found = Inexpressible(word.start, "a symbol is not JSON; write string")
    return found


def _begins_type(word: Word) -> bool:
    return word.kind in (NAME, TEXT, NUMBER, TEMPLATE) or (word.kind == SIGN and word.text in ("{", "[", "(", "-"))


def _postfix(c: Cursor) -> Type:
    at, levels = c.word.start, 0
    found = _primary(c)
    while c.sees("[") and not c.word.after_line:
        c.deeper()
        levels += 1
        c.advance()
        if c.takes("]"):
            found = ArrayOf(at, found)
        else:
            found = Access(at, found, c.type())
            c.expect("]")
    c.back(levels)
    return found


def _primary(c: Cursor) -> Type:
    word = c.word
    if word.kind == NAME:
        return _named(c)
    if word.kind == TEXT:
        return _text(c.advance())
    if word.kind == NUMBER:
        return _number(c.advance(), 1)
    if word.kind == TEMPLATE:
        if c.template(lambda: c.type()):
            return Inexpressible(word.start, "a template with parts to fill in cannot become a schema; write string")
        return _text(word)
    if c.takes("-"):
        if c.word.kind != NUMBER:
            c.fail(f"{shown_word(c.word)} is unexpected here; a number is expected")
        return _number(c.advance(), -1)
    if c.takes("("):
        found = c.type()
        c.expect(")", "after a type in parentheses")
        return found
    if c.sees("["):
        return _tuple(c)
    if c.sees("{"):
        return mapped(c) if is_mapped(c) else ObjectOf(word.start, members_of(c))
    return c.fail(f"{shown_word(word)} is unexpected here; a type is expected")


def _text(word: Word) -> Type:
    text = text_of(word.text)
    if text is None:
        raise Halt(word.start, "this text has an escape that means nothing, or half a character")
    return Literal(word.start, text)


def _number(word: Word, sign: int) -> Type:
    number = number_of(word.text)
    if number is None:
        return Inexpressible(word.start, f"{word.text} is not a number of JSON; write number")
    return Literal(word.start, sign * number if number else number)


def _named(c: Cursor) -> Type:
    word = c.advance()
    if word.text == "typeof":
        return _type_query(c, word)
    if word.text in ("true", "false"):
        return Literal(word.start, word.text == "true")
    if word.text == "this":
        return Inexpressible(word.start, "'this' as a type cannot become a schema; write the name of the type")
    if word.text == "import":
        c.refuse(word.start, _IMPORTED)
        skip(c)
        _path(c, "")
        if c.sees("<") and not c.word.after_line:
            arguments_of(c)
        return Inexpressible(word.start, _IMPORTED)
    if word.text in KEYWORDS and not c.sees("."):
        return Keyword(word.start, word.text)
    if word.text in _RESERVED:
        raise Halt(word.start, f"{word.text!r} is a word of the language; take another name for a type")
    if word.text == "asserts" and c.word.kind == NAME and not c.word.after_line:
        c.fail("'asserts' can stand before what a function returns only")
    name = _path(c, word.text)
    given = arguments_of(c) if c.sees("<") and not c.word.after_line else ()
    return Reference(word.start, name, given)


def _path(c: Cursor, name: str) -> str:
    while c.takes("."):
        if c.word.kind != NAME:
            c.fail(f"{shown_word(c.word)} is unexpected here; a name is expected after the dot")
        name = f"{name}.{c.advance().text}"
    return name


def _type_query(c: Cursor, word: Word) -> Type:
    if c.word.kind != NAME:
        c.fail(f"{shown_word(c.word)} is unexpected here; the name of a variable is expected after typeof")
    if c.advance().text == "import":
        skip(c)
    _path(c, "")
    if c.sees("<") and not c.word.after_line:
        arguments_of(c)
    return Inexpressible(word.start, "the type of a variable cannot become a schema; write the type itself")


def _tuple(c: Cursor) -> Type:
    at = c.expect("[").start
    places = []
    while not c.sees("]"):
        rest = c.takes("...")
        optional = False
        if c.word.kind == NAME and (
            c.ahead().text == ":" or (c.ahead().text == "?" and c.ahead().kind == SIGN and c.ahead(2).text == ":")
        ):
            c.advance()
            optional = c.takes("?")
            c.expect(":")
        type_ = c.type()
        optional = c.takes("?") or optional
        places.append(Place(type_, optional, rest))
        if not c.takes(","):
            break
    c.expect("]", "after the places of a tuple")
    return Tuple(at, tuple(places))
