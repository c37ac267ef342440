"""Reads types. Nothing of them is left in JavaScript, so who asks for one blanks it out."""

from __future__ import annotations

from perdure.typescript.cursor import Cursor, Halt, shown_word
from perdure.typescript.literals import description_of, key_of, number_of, text_of
from perdure.typescript.syntax import (
    Access,
    ArrayOf,
    Index,
    Inexpressible,
    Intersection,
    KeyOf,
    Keyword,
    Literal,
    Mapped,
    Member,
    ObjectOf,
    Parameter,
    Place,
    Property,
    Reference,
    Tuple,
    Type,
    Union,
)
from perdure.typescript.words import NAME, NUMBER, SIGN, TEMPLATE, TEXT, Word

KEYWORDS = frozenset(
    (
        *("any", "unknown", "never", "void", "undefined", "null", "object", "string", "number", "boolean", "symbol"),
        "bigint",
    )
)
ARGUMENTS = "type arguments"
_FUNCTION = "a function is not JSON, so it cannot be a part of Input or Output; leave it out"
_CONDITIONAL = "a conditional type cannot become a schema; write out the type that it comes to"
_ENDS_OF_KEYS = (":", "?", "(", "<", ";", ",", "}", "=", "!")


def type_of(c: Cursor, *, conditional: bool = True) -> Type:
    """`conditional`: `A extends B ? C : D` may stand here."""
    c.deeper()
    at = c.word.start
    found = _function(c) or _union(c)
    if conditional and c.sees_name("extends") and not c.word.after_line:
        c.advance()
        type_of(c, conditional=False)
        c.expect("?", "in a conditional type")
        type_of(c)
        c.expect(":", "in a conditional type")
        type_of(c)
        found = Inexpressible(at, _CONDITIONAL)
    c.back()
    return found


def returned(c: Cursor) -> None:
    """The type of what a function returns, which may be `x is T` or `asserts x is T`."""
    if c.sees_name("asserts") and c.ahead().kind == NAME and not c.ahead().after_line and c.ahead().text != "is":
        c.advance()
        c.advance()
        if c.takes_name("is"):
            type_of(c)
    elif c.word.kind == NAME and c.ahead().text == "is" and c.ahead().kind == NAME and not c.ahead().after_line:
        c.advance()
        c.advance()
        type_of(c)
    else:
        type_of(c)


def arguments_of(c: Cursor) -> tuple[Type, ...]:
    """`<A, B>`. That it is not is remembered: `[a < b, c < d, …]` may be tried at each sign."""
    place = c.place
    if c.has_failed(ARGUMENTS):
        c.leads_nowhere()
    try:
        c.expect("<")
        found = [type_of(c)]
        while c.takes(","):
            found.append(type_of(c))
        c.expect(">", "after the arguments of a type")
    except Halt:
        c.failed(ARGUMENTS, place)
        raise
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
            type_of(c)
        found.append(Parameter(word.start, word.text, type_of(c) if c.takes("=") else None))
        if not c.takes(","):
            break
    c.expect(">", "after the parameters of a type")
    return tuple(found)


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
            if c.word.kind == "end":
                c.fail("the end of the source is unexpected here; a bracket is not closed")
            c.advance()
        if depth <= 0:
            return


def skip_to(c: Cursor, sign: str) -> None:
    while not c.sees(sign):
        if c.sees("{", "[", "("):
            skip(c)
        else:
            c.expect(sign) if c.word.kind == "end" else c.advance()


def _function(c: Cursor) -> Type | None:
    at = c.word.start
    if c.sees_name("new") or (c.sees_name("abstract") and c.ahead().text == "new" and c.ahead().kind == NAME):
        if c.advance().text == "abstract":
            c.advance()
        _signature(c)
        c.expect("=>", "in the type of a constructor")
        type_of(c)
        return Inexpressible(at, _FUNCTION)
    if c.sees("<") or (c.sees("(") and _may_be_signature(c)):
        return c.attempt("function type", lambda: _arrow(c)) if c.sees("(") else _arrow(c)
    return None


def _arrow(c: Cursor) -> Type:
    at = c.word.start
    _signature(c)
    c.expect("=>", "in the type of a function")
    returned(c)
    return Inexpressible(at, _FUNCTION)


def _may_be_signature(c: Cursor) -> bool:
    one, two = c.ahead(), c.ahead(2)
    if one.kind == NAME:
        return two.text in (":", ",", "?", "=") or (two.text == ")" and c.ahead(3).text == "=>")
    return one.kind == SIGN and one.text in (")", "...", "{", "[")


def _signature(c: Cursor) -> None:
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
            type_of(c)
        if not c.takes(","):
            break
    c.expect(")", "after parameters")


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
        before.append(c.advance())
        if before[-1].text == "infer":
            c.name("a type")
            if c.takes_name("extends"):
                type_of(c, conditional=False)
            return Inexpressible(before[0].start, _CONDITIONAL)
    found = _postfix(c)
    for word in reversed(before):
        if word.text == "keyof":
            found = KeyOf(word.start, found)
        elif word.text == "unique":
            found = Inexpressible(word.start, "a symbol is not JSON; write string")
    return found


def _begins_type(word: Word) -> bool:
    return word.kind in (NAME, TEXT, NUMBER, TEMPLATE) or (word.kind == SIGN and word.text in ("{", "[", "(", "-"))


def _postfix(c: Cursor) -> Type:
    at = c.word.start
    found = _primary(c)
    while c.sees("[") and not c.word.after_line:
        c.advance()
        if c.takes("]"):
            found = ArrayOf(at, found)
        else:
            found = Access(at, found, type_of(c))
            c.expect("]")
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
        if c.template(lambda: type_of(c)):
            return Inexpressible(word.start, "a template with parts to fill in cannot become a schema; write string")
        return _text(word)
    if c.takes("-"):
        if c.word.kind != NUMBER:
            c.fail(f"{shown_word(c.word)} is unexpected here; a number is expected")
        return _number(c.advance(), -1)
    if c.takes("("):
        found = type_of(c)
        c.expect(")", "after a type in parentheses")
        return found
    if c.sees("["):
        return _tuple(c)
    if c.sees("{"):
        return _mapped(c) if _is_mapped(c) else ObjectOf(word.start, members_of(c))
    c.fail(f"{shown_word(word)} is unexpected here; a type is expected")


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
        c.refuse(word.start, "a transform imports nothing: write the type into it")
        skip(c)
        _path(c, "")
        if c.sees("<") and not c.word.after_line:
            arguments_of(c)
        return Inexpressible(word.start, "a type cannot be imported; write it into the transform")
    if word.text in KEYWORDS and not c.sees("."):
        return Keyword(word.start, word.text)
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
        type_ = type_of(c)
        optional = c.takes("?") or optional
        places.append(Place(type_, optional, rest))
        if not c.takes(","):
            break
    c.expect("]", "after the places of a tuple")
    return Tuple(at, tuple(places))


def _is_mapped(c: Cursor) -> bool:
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


def _mapped(c: Cursor) -> Type:
    at = c.expect("{").start
    c.takes("+", "-")
    c.takes_name("readonly")
    c.expect("[")
    name = c.advance().text
    c.expect("in")
    keys = type_of(c)
    renamed = c.takes_name("as")
    if renamed:
        type_of(c)
    c.expect("]")
    sign = c.advance().text if c.sees("+", "-") else "+"
    optional = (sign == "+") if c.takes("?") else None
    type_ = type_of(c) if c.takes(":") else Keyword(at, "any")
    c.takes(";", ",")
    c.expect("}", "after a mapped type")
    if renamed:
        return Inexpressible(at, "a mapped type with 'as' cannot become a schema; write out its properties")
    return Mapped(at, name, keys, type_, optional)


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
        key = type_of(c)
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
    return type_of(c) if c.takes(":") else Keyword(at, "any")


def _method(c: Cursor, at: int, name: str | None = None) -> Member:
    _signature(c)
    if c.takes(":"):
        returned(c)
    found = Inexpressible(at, _FUNCTION)
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
