"""Reads what stands at the top: what is exported, which is one function, and what is imported, which is nothing.

`export default` becomes `let $default =`, in the same place. A function with a name is declared as it is, so that it is known
above, and given that name at the end.
"""

from __future__ import annotations

from perdure.typescript.classes import class_
from perdure.typescript.cursor import Cursor, shown_word
from perdure.typescript.declarations import declaration, function_declaration
from perdure.typescript.functions import ASYNC_REFUSED, decorators, has_line, method
from perdure.typescript.names import EXPORTED, IMPORTS
from perdure.typescript.notes import ARROW, ASYNC, CLASS, FUNCTION, GENERATOR, Edit, Kind
from perdure.typescript.signatures import skip
from perdure.typescript.statements import statement
from perdure.typescript.words import END, NAME, TEXT, Word

_EXAMPLE = "as in: export default (input: Input): Output => ({ … })"
MISSING = f"a transform must export a function by default, {_EXAMPLE}"
_WRONG = {
    CLASS: "a transform is a function, not a class; export one by default",
    GENERATOR: "a transform returns its value at once; leave the * out, or call the generator in an arrow function",
}


def program(c: Cursor) -> None:
    while c.word.kind != END:
        if c.sees_name("import") and c.ahead().text not in ("(", "."):
            _import(c)
        elif c.sees_name("export"):
            _export(c)
        else:
            statement(c, top=True)


def check_exported(c: Cursor) -> None:
    """One function is exported by default."""
    if not c.exported:
        c.refuse(0, MISSING)
        return
    for at, _, _ in c.exported[1:]:
        c.refuse(at, "something is exported by default already; a transform is one function")
    at, kind, _ = c.exported[0]
    seen: set[str] = set()
    while kind.name and kind.what == "a variable" and kind.name not in seen:
        seen.add(kind.name)
        if kind.name not in c.kinds:
            c.refuse(at, f"{kind.name!r} is not declared at the top; export a function by default, {_EXAMPLE}")
            return
        kind = c.kinds[kind.name]
    if kind.what == ASYNC:
        return  # that it is async is told already
    if kind.what in _WRONG:
        c.refuse(at, _WRONG[kind.what])
    elif kind.what not in (FUNCTION, ARROW):
        c.refuse(at, f"what is exported by default must be a function, not {kind.what}, {_EXAMPLE}")


def _import(c: Cursor) -> None:
    c.refuse(c.word.start, IMPORTS)
    start, mentions = c.advance().start, len(c.mentions)
    while not c.sees(";") and c.word.kind != END:
        if c.sees("{"):
            skip(c)
        elif c.takes("="):
            c.value()
            break
        elif c.advance().kind == TEXT:
            if c.sees_name("with", "assert") and not c.word.after_line:
                c.advance()
                skip(c)
            break
    c.semicolon()
    c.blank(start, ";")
    del c.mentions[mentions:]


def _export(c: Cursor) -> None:
    export = c.advance()
    if c.sees_name("default"):
        _default(c, export)
    elif c.sees("{") or (c.sees_name("type") and c.ahead().text == "{"):
        _listed(c, export)
    elif c.sees("*", "=") or c.sees_name("import", "as") or (c.sees_name("type") and c.ahead().text == "*"):
        _elsewhere(c, export)
    else:
        c.edits.append(Edit(export.start, export.end))
        if not declaration(c, top=True):
            c.fail(f"{shown_word(c.word)} is unexpected here; a declaration, or 'default', is expected after 'export'")


def _elsewhere(c: Cursor, export: Word) -> None:
    if c.sees("="):
        c.refuse(export.start, "there is no 'export ='; write 'export default'")
        c.advance()
        c.value()
        c.semicolon()
        return
    if c.sees_name("as"):
        c.refuse(export.start, "there are no namespaces; write 'export default'")
    _import(c) if c.sees_name("import") else _skipped(c, export)


def _skipped(c: Cursor, export: Word) -> None:
    """`export * from 'x'`, `export as namespace x`"""
    if not c.sees_name("as"):
        c.refuse(export.start, IMPORTS)
    while not c.sees(";") and c.word.kind != END and not c.word.after_line:
        c.advance()
    c.semicolon()


def _listed(c: Cursor, export: Word) -> None:
    """`export { a, b as c }`"""
    c.takes_name("type")
    c.expect("{")
    while not c.sees("}"):
        if c.sees_name("type") and c.ahead().kind == NAME and c.ahead().text != "as":
            c.advance()
        word = c.advance()
        renamed = c.advance() if c.takes_name("as") else word
        if renamed.text == "default":
            c.exported.append((word.start, Kind("a variable", word.text), f"var {EXPORTED} = {word.text};"))
        if not c.takes(","):
            break
    c.expect("}")
    if c.takes_name("from"):
        c.refuse(export.start, IMPORTS)
        c.advance()
    c.semicolon()
    c.blank(export.start, ";")


def _default(c: Cursor, export: Word) -> None:
    default = c.advance()
    decorators(c)
    is_async = c.sees_name("async") and c.ahead().text == "function" and not c.ahead().after_line
    if c.sees_name("function") or is_async:
        _default_function(c, export, default, is_async=is_async)
        return
    if c.sees_name("class") or (c.sees_name("abstract") and c.ahead().text == "class"):
        c.takes_name("abstract")
        c.exported.append((export.start, class_(c), ""))
        return
    if c.sees_name("interface") and c.ahead().kind == NAME:
        declaration(c, top=True)
        c.exported.append((export.start, Kind("an interface"), ""))
        return
    _overlay(c, export, default, f"let {EXPORTED} =")
    kind = c.value()
    c.semicolon()
    c.exported.append((export.start, kind, ""))


def _default_function(c: Cursor, export: Word, default: Word, *, is_async: bool) -> None:
    names = 1 + is_async
    has_star = c.ahead(names).text == "*"
    if c.ahead(names + has_star).kind == NAME:
        c.edits.append(Edit(export.start, default.end))
        kind = function_declaration(c, top=True)
        if kind.name in c.kinds:  # else it was a mere signature
            c.exported.append((export.start, Kind(kind.what), f"var {EXPORTED} = {kind.name};"))
        return
    if is_async:
        c.refuse(c.word.start, ASYNC_REFUSED)
        c.advance()
    word = c.advance()
    has_star = c.takes("*")
    if not method(c):
        c.semicolon()
        c.blank(export.start, ";")
        return
    _overlay(c, export, word, f"function {EXPORTED}")
    c.exported.append((export.start, Kind(ASYNC if is_async else GENERATOR if has_star else FUNCTION), ""))


def _overlay(c: Cursor, first: Word, last: Word, text: str) -> None:
    """Written over these words; if they stand on several lines, on the last of them, which moves what follows there."""
    c.edits.append(Edit(first.start, last.end, "" if has_line(c.source, first.start, last.end) else text))
    if not c.edits[-1].text:
        c.edits.append(Edit(last.start, last.end, text))
