"""Reads statements, and the types that are declared among them."""

from __future__ import annotations

from msgspec.structs import replace

from perdure.typescript.annotations import (
    doc_of,
    members_of,
    parameters_of,
    skip,
    type_of,
)
from perdure.typescript.classes import class_
from perdure.typescript.cursor import (
    ASYNC,
    CLASS,
    EXPRESSION,
    FUNCTION,
    GENERATOR,
    Cursor,
    Kind,
    shown_word,
)
from perdure.typescript.functions import ASYNC_REFUSED, annotation, decorators, method, pattern
from perdure.typescript.names import Mention
from perdure.typescript.syntax import Declared, ObjectOf
from perdure.typescript.values import expression
from perdure.typescript.words import END, NAME, TEXT, Word

_ENUM = "there are no enums: they are code; write a union, as in type Color = 'red' | 'green'"
_NAMESPACE = "there are no namespaces; declare what is in it at the top"
_DECLARE = "there is nothing outside of a transform that could be declared; give it as input"
_TOP_ONLY = "this can stand at the top only, outside of functions and blocks"


def block(c: Cursor) -> None:
    with c.within():
        statements(c)


def statements(c: Cursor) -> None:
    c.expect("{")
    while not c.takes("}"):
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
            c.refuse(word.start, _DECLARE)
            c.advance()
            if not declaration(c, top=top):
                c.fail(f"{shown_word(c.word)} is unexpected here; a declaration is expected after 'declare'")
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
    kind = Kind(ASYNC if is_async else GENERATOR if c.takes("*") else FUNCTION)
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
    start, doc = c.word.start, doc_of(c, c.word)
    c.advance()
    word = c.name("a type")
    parameters = parameters_of(c) if c.sees("<") else ()
    c.expect("=", "after the name of a type")
    type_ = type_of(c)
    c.semicolon()
    c.blank(start, ";")
    if not top:
        return
    if word.text in c.types:
        c.refuse(word.start, f"the type {word.text!r} is declared twice; give one of them another name")
    c.types[word.text] = Declared(word.start, word.text, parameters, type_, doc=doc)


def _interface(c: Cursor, *, top: bool) -> None:
    start, doc = c.word.start, doc_of(c, c.word)
    c.advance()
    word = c.name("an interface")
    parameters = parameters_of(c) if c.sees("<") else ()
    bases = []
    if c.takes_name("extends"):
        bases.append(type_of(c))
        while c.takes(","):
            bases.append(type_of(c))
    at = c.word.start
    type_ = ObjectOf(at, members_of(c))
    c.blank(start, ";")
    if not top:
        return
    declared = Declared(word.start, word.text, parameters, type_, tuple(bases), doc, is_interface=True)
    c.types[word.text] = _merged(c, c.types.get(word.text), declared)


def _merged(c: Cursor, before: Declared | None, one: Declared) -> Declared:
    """An interface that is declared twice has the members of both."""
    if before is None:
        return one
    if not before.is_interface:
        c.refuse(one.at, f"the type {one.name!r} is declared twice; give one of them another name")
        return one
    assert isinstance(before.type, ObjectOf)
    assert isinstance(one.type, ObjectOf)
    members = ObjectOf(before.type.at, before.type.members + one.type.members)
    return replace(before, type=members, bases=before.bases + one.bases, doc=before.doc or one.doc)


def _no_enum(c: Cursor) -> bool:
    c.refuse(c.word.start, _ENUM)
    c.advance()
    c.name("an enum")
    if not c.sees("{"):
        c.expect("{")
    skip(c)
    return True


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
                c.expect("case", "or 'default' in a switch")
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
