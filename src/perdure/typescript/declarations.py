"""Reads declarations: of variables, functions and classes, and of types, which are noted and blanked out."""

from __future__ import annotations

from msgspec.structs import replace

from perdure.typescript.classes import class_
from perdure.typescript.cursor import Cursor, shown_word
from perdure.typescript.functions import ASYNC_REFUSED, annotation, decorators, method, pattern
from perdure.typescript.members import doc_of, members_of
from perdure.typescript.names import Mention
from perdure.typescript.notes import ASYNC, CLASS, EXPRESSION, FUNCTION, GENERATOR, Kind
from perdure.typescript.signatures import parameters_of, skip
from perdure.typescript.syntax import Declared, Inexpressible, ObjectOf
from perdure.typescript.words import NAME, TEXT, Word

_ENUM = "there are no enums: they are code; write a union, as in type Color = 'red' | 'green'"
_NAMESPACE = "there are no namespaces; declare what is in it at the top"
_DECLARE = "there is nothing outside of a transform that could be declared; give it as input"


def declaration(c: Cursor, *, top: bool = False) -> bool:
    """False if there is none here."""
    word, following = c.word, c.ahead()
    if c.sees("@"):
        decorators(c)
        return declaration(c, top=top)
    if word.kind != NAME:
        return False
    if word.text in ("var", "const", "let"):
        return _variables(c, top=top)
    if word.text == "function" or (word.text == "async" and following.text == "function" and not following.after_line):
        function_declaration(c, top=top)
        return True
    if word.text == "class" or (word.text == "abstract" and following.text == "class" and not following.after_line):
        _class(c, top=top)
        return True
    if following.after_line or (following.kind not in (NAME, TEXT) and following.text != "{"):
        return word.text == "enum" and _no_enum(c)
    return _of_types(c, word, following, top=top)


def _of_types(c: Cursor, word: Word, following: Word, *, top: bool) -> bool:
    match word.text:
        case "type" if following.kind == NAME and c.ahead(2).text in ("=", "<"):
            _alias(c, top=top)
        case "interface" if following.kind == NAME:
            _interface(c, top=top)
        case "enum":
            _no_enum(c)
        case "namespace" | "module" if following.text != "{":
            c.refuse(word.start, _NAMESPACE)
            c.advance()
            while not c.sees("{"):
                c.advance() if c.word.kind in (NAME, TEXT) or c.sees(".") else c.expect("{")
            skip(c)
        case "global" if following.text == "{":
            c.refuse(word.start, _DECLARE)
            c.advance()
            skip(c)
        case "declare" if following.kind == NAME:
            if following.text not in ("global", "module", "namespace"):
                c.refuse(word.start, _DECLARE)
            c.advance()
            c.deeper()
            if not declaration(c, top=top):
                c.fail(f"{shown_word(c.word)} is unexpected here; a declaration is expected after 'declare'")
            c.back()
        case _:
            return False
    return True


def function_declaration(c: Cursor, *, top: bool) -> Kind:
    """Without a body it is a signature, which JavaScript has not."""
    start = c.word.start
    is_async = c.takes_name("async")
    if is_async:
        c.refuse(start, ASYNC_REFUSED)
    c.expect("function")
    is_generator = c.takes("*")
    kind = Kind(ASYNC if is_async else GENERATOR if is_generator else FUNCTION)
    word = c.name("a function")
    c.declare(word)
    if not method(c):
        c.semicolon()
        c.blank(start, ";")
    elif top:
        c.kinds[word.text] = kind
    return replace(kind, name=word.text)


def _class(c: Cursor, *, top: bool) -> None:
    if c.sees_name("abstract"):
        c.blank(c.advance().start)
    following = c.ahead()
    if following.kind != NAME:
        c.advance()
        c.name("a class")
    c.declare(following)
    class_(c)
    if top:
        c.kinds[following.text] = Kind(CLASS)


def _variables(c: Cursor, *, top: bool) -> bool:
    """`let` is a word of the language where names follow it."""
    following = c.ahead()
    if c.sees_name("let") and not (following.kind == NAME or following.text in ("[", "{")):
        return False
    if c.sees_name("const") and following.text == "enum":
        c.advance()
        return _no_enum(c)
    variables(c, top=top)
    c.semicolon()
    return True


def variables(c: Cursor, *, top: bool = False) -> None:
    var = c.advance().text == "var"
    while True:
        word = c.word
        keys = pattern(c, var=var)
        if c.sees("!"):
            c.blank(c.advance().start)
        annotation(c)
        kind = c.value() if c.takes("=") else EXPRESSION
        if kind.name:
            c.mentions.extend(Mention(kind.name, at, c.scope, (key,)) for key, at in keys)
        if top and word.kind == NAME:
            c.kinds[word.text] = kind
        if not c.takes(","):
            return


def _alias(c: Cursor, *, top: bool) -> None:
    start, doc = c.word.start, _doc(c)
    c.advance()
    word = c.name("a type")
    parameters = parameters_of(c) if c.sees("<") else ()
    c.expect("=", "after the name of a type")
    type_ = c.type()
    c.semicolon()
    c.blank(start, ";")
    if not top:
        return
    declared = Declared(word.start, word.text, parameters, type_, doc=doc)
    c.types[word.text] = _unclear(c, declared) if word.text in c.types else declared


def _interface(c: Cursor, *, top: bool) -> None:
    start, doc = c.word.start, _doc(c)
    c.advance()
    word = c.name("an interface")
    parameters = parameters_of(c) if c.sees("<") else ()
    bases = []
    if c.takes_name("extends"):
        bases.append(c.type())
        while c.takes(","):
            bases.append(c.type())
    at = c.word.start
    type_ = ObjectOf(at, members_of(c))
    c.blank(start, ";")
    if not top:
        return
    declared = Declared(word.start, word.text, parameters, type_, tuple(bases), doc, is_interface=True)
    c.types[word.text] = _merged(c, c.types.get(word.text), declared)


def _doc(c: Cursor) -> str:
    """It stands before `export`, if that is there."""
    before = c.words[c.place - 1] if c.place else c.word
    return doc_of(c, before if before.text == "export" else c.word)


def _merged(c: Cursor, before: Declared | None, one: Declared) -> Declared:
    """An interface that is declared twice has the members of both."""
    if before is None:
        return one
    if not before.is_interface:
        return _unclear(c, one)
    assert isinstance(before.type, ObjectOf)
    assert isinstance(one.type, ObjectOf)
    members = ObjectOf(before.type.at, before.type.members + one.type.members)
    return replace(before, type=members, bases=before.bases + one.bases, doc=before.doc or one.doc)


def _unclear(c: Cursor, one: Declared) -> Declared:
    """Declared twice: nobody knows which is meant."""
    message = f"the type {one.name!r} is declared twice; give one of them another name"
    c.refuse(one.at, message)
    return Declared(one.at, one.name, one.parameters, Inexpressible(one.at, message))


def _no_enum(c: Cursor) -> bool:
    c.refuse(c.word.start, _ENUM)
    c.advance()
    c.name("an enum")
    if not c.sees("{"):
        c.expect("{")
    skip(c)
    return True
