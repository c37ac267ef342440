"""Reads functions: parameters and the patterns in them, arrows, bodies."""

from __future__ import annotations

from perdure.typescript.cursor import Cursor, shown_word
from perdure.typescript.notes import ARROW, ASYNC, FUNCTION, GENERATOR, Edit, Kind
from perdure.typescript.signatures import parameters_of, returned
from perdure.typescript.words import LINE_ENDS, NAME, NUMBER, PRIVATE, SIGN, TEXT

ASYNC_REFUSED = "a transform returns its value at once: leave 'async' out, and use tool steps for what takes time"
_MODIFIERS = ("public", "private", "protected", "readonly", "override")
_PROPERTY = "a parameter cannot declare a property here; declare it in the class, and set it in the constructor"


def annotation(c: Cursor, text: str = "") -> None:
    """`: T`, if it is there. `text` is left in its place."""
    if c.sees(":"):
        start = c.advance().start
        c.type()
        c.blank(start, text)


def generics(c: Cursor) -> None:
    """`<T>`, if it is there."""
    if c.sees("<"):
        start = c.word.start
        parameters_of(c)
        c.blank(start)


def function(c: Cursor, *, is_async: bool = False) -> Kind:
    """From `function` on, as an expression."""
    c.expect("function")
    is_generator = c.takes("*")
    with c.within():
        if c.sees_name() or c.sees_name("yield", "await"):
            c.declare(c.name("a function"))
        method(c)
    return Kind(ASYNC if is_async else GENERATOR if is_generator else FUNCTION)


def method(c: Cursor) -> bool:
    """From the parameters on; False if there is no body, as where a function is declared once more with other types."""
    generics(c)
    with c.within(is_function=True):
        parameters(c)
        if c.sees(":"):
            start = c.advance().start
            returned(c)
            c.blank(start)
        if not c.sees("{"):
            return False
        c.block()
    return True


def parameters(c: Cursor) -> None:
    c.expect("(", "before parameters")
    while not c.sees(")"):
        _parameter(c)
        if not c.takes(","):
            break
    c.expect(")", "after parameters", or_=",")


def _parameter(c: Cursor) -> None:
    decorators(c)
    if c.sees_name("this"):
        start = c.advance().start
        annotation(c)
        c.edits.append(Edit(start, c.word.end if c.sees(",") else c.last_end))
        return
    while c.sees_name(*_MODIFIERS) and (c.ahead().kind == NAME or c.ahead().text in ("{", "[")):
        c.refuse(c.word.start, _PROPERTY)
        c.advance()
    c.takes("...")
    pattern(c)
    if c.sees("?"):
        start = c.advance().start
        c.blank(start)
    annotation(c)
    if c.takes("="):
        c.value()


def key(c: Cursor) -> None:
    """The name of a property, in an object, a pattern or a class."""
    if c.takes("["):
        with c.inside():
            c.value()
        c.expect("]")
    elif c.word.kind in (NAME, TEXT, NUMBER, PRIVATE):
        c.advance()
    else:
        c.fail(f"{shown_word(c.word)} is unexpected here; the name of a property is expected")


def decorators(c: Cursor) -> None:
    while c.sees("@"):
        c.refuse(c.word.start, "there are no decorators; call the function instead")
        c.advance()
        if c.sees("("):
            c.advance()
            c.value()
            c.expect(")")
            continue
        c.name("a decorator")
        while c.takes("."):
            c.advance()
        if c.takes("("):
            while not c.sees(")"):
                c.value()
                if not c.takes(","):
                    break
            c.expect(")")


def pattern(c: Cursor, *, var: bool = False) -> tuple[tuple[str, int], ...]:
    """A name, or what is taken apart into names. The keys that are taken come back, with their places."""
    if c.sees("{"):
        return _object_pattern(c, var=var)
    if c.sees("["):
        _array_pattern(c, var=var)
    else:
        c.declare(c.name("a variable"), var=var)
    return ()


def _object_pattern(c: Cursor, *, var: bool) -> tuple[tuple[str, int], ...]:
    c.deeper()
    c.expect("{")
    keys = []
    while not c.sees("}"):
        word = c.word
        if c.takes("..."):
            pattern(c, var=var)
        else:
            if word.kind in (NAME, TEXT):
                keys.append((word.text.strip("\"'"), word.start))
            _pattern_of_key(c, var=var)
        if not c.takes(","):
            break
    c.expect("}", "after a pattern")
    c.back()
    return tuple(keys)


def _pattern_of_key(c: Cursor, *, var: bool) -> None:
    if c.word.kind == NAME and c.ahead().text != ":":
        c.declare(c.name("a variable"), var=var)
    else:
        key(c)
        c.expect(":", "after the name of a property")
        pattern(c, var=var)
    if c.takes("="):
        c.value()


def _array_pattern(c: Cursor, *, var: bool) -> None:
    c.deeper()
    c.expect("[")
    while not c.sees("]"):
        if c.takes(","):
            continue
        c.takes("...")
        pattern(c, var=var)
        if c.takes("="):
            c.value()
        if not c.sees("]"):
            c.expect(",", "in a pattern")
    c.expect("]", "after a pattern")
    c.back()


def arrow(c: Cursor, *, consequent: bool) -> Kind | None:
    """An arrow function, if one begins here."""
    if c.word.kind == NAME:
        return _arrow_of_name(c, consequent=consequent)
    if not c.sees("<") and not (c.sees("(") and _may_be_arrow(c)):
        return None
    return _tried(c, consequent=consequent, is_async=False)


def _arrow_of_name(c: Cursor, *, consequent: bool) -> Kind | None:
    following = c.ahead()
    if following.text == "=>" and not following.after_line and c.sees_name():
        with c.within(is_function=True):
            c.declare(c.advance())
            c.advance()
            _arrow_body(c, consequent=consequent)
        return Kind(ARROW)
    if c.word.text != "async" or following.after_line:
        return None
    at = c.word.start
    if following.kind == NAME and c.ahead(2).text == "=>":
        c.refuse(at, ASYNC_REFUSED)
        c.advance()
        _arrow_of_name(c, consequent=consequent)
        return Kind(ASYNC)
    if following.kind == SIGN and following.text in ("(", "<"):
        return _tried(c, consequent=consequent, is_async=True)
    return None


def _may_be_arrow(c: Cursor) -> bool:
    one, two = c.ahead(), c.ahead(2)
    if one.kind == NAME:
        if two.text == ")":
            return c.ahead(3).text in ("=>", ":")
        return two.text in (":", ",", "?", "=") or two.kind == NAME or two.text in ("{", "[")
    return one.text in (")", "...", "{", "[", "@")


def _tried(c: Cursor, *, consequent: bool, is_async: bool) -> Kind | None:
    mark, at = c.mark(), c.word.start
    with c.within(is_function=True):
        has_type = c.attempt("arrow", lambda: _arrow_head(c, is_async=is_async))
        if has_type is None:
            return None
        if is_async:
            c.refuse(at, ASYNC_REFUSED)
        if not (consequent and has_type):
            _arrow_body(c, consequent=consequent)
        elif c.attempt("arrow of a consequent", lambda: _body_before_colon(c)) is None:
            c.undo(mark)
            return None
    return Kind(ASYNC if is_async else ARROW)


def _body_before_colon(c: Cursor) -> bool:
    """In `a ? (b) : c => d` the colon is not the arrow's, unless there is another one after it."""
    _arrow_body(c, consequent=True)
    return c.sees(":") or c.leads_nowhere()


def _arrow_head(c: Cursor, *, is_async: bool) -> bool:
    """Up to `=>`; whether it says what it returns. What an arrow function has before its arrow may not be on another line than
    that, nor what comes after `return`: if there are lines in the types, the parentheses move to where they end or begin.
    """
    if is_async:
        c.advance()
    if c.sees("<"):
        start = c.word.start
        parameters_of(c)
        c.blank(start)
        if has_line(c.source, start, c.word.start) and c.sees("("):
            c.edits.append(Edit(start, start + 1, "("))
            c.edits.append(Edit(c.word.start, c.word.end))
    parameters(c)
    closing = c.last_end
    has_type = c.sees(":")
    if has_type:
        start = c.advance().start
        returned(c)
        c.blank(start)
    end = c.last_end
    if not c.sees("=>") or c.word.after_line:
        c.leads_nowhere()
    if has_line(c.source, closing, c.advance().start):
        c.edits.append(Edit(closing - 1, closing))
        c.edits.append(Edit(end - 1, end, ")"))
    return has_type


def _arrow_body(c: Cursor, *, consequent: bool) -> None:
    if c.sees("{"):
        c.block()
    else:
        c.value(consequent=consequent)


def has_line(source: str, start: int, end: int) -> bool:
    return any(line_end in source[start:end] for line_end in LINE_ENDS)
