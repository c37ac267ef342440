"""Reads expressions. No tree is made of them: operators need no order to be blanked around, and names are noted on the way.

Precedence is left to who runs the JavaScript, and so are the finer rules, such as what may stand left of `=`. But `as` has one,
too, and takes it along when it is blanked: where that makes a difference, it is refused.
"""

from __future__ import annotations

from perdure.typescript.classes import class_
from perdure.typescript.cursor import Cursor, shown_word
from perdure.typescript.functions import ASYNC_REFUSED, arrow, decorators, function, has_line, key, method
from perdure.typescript.literals import text_of
from perdure.typescript.names import IMPORTS
from perdure.typescript.notes import EXPRESSION, RESERVED, Kind
from perdure.typescript.signatures import arguments_of
from perdure.typescript.words import END, NAME, NUMBER, PRIVATE, REGEX, REST, SIGN, TEMPLATE, TEXT, Word

_BINARY = frozenset(
    (
        *("+", "-", "*", "/", "%", "**", "==", "!=", "===", "!==", "<", ">", "<=", ">=", "<<", ">>", ">>>"),
        *("&&", "||", "??", "&", "|", "^"),
    )
)
_ASSIGNING = frozenset(
    (
        *("=", "+=", "-=", "*=", "/=", "%=", "**=", "&=", "|=", "^=", "&&=", "||=", "??="),
        *("<<=", ">>=", ">>>="),
    )
)
_PREFIX = ("!", "~", "+", "-", "++", "--")
_PREFIX_NAMES = ("typeof", "void", "delete", "new", "await")
_BINARY_NAMES = ("in", "instanceof", "as", "satisfies")
_BEGINS_VALUE = ("(", "[", "{", "!", "~", "++", "--", "/", "/=", "@")
_LITERALS = {"null": "null", "true": "a boolean", "false": "a boolean", "this": "'this'", "super": "'super'"}
_WAITS = "a transform returns its value at once: leave 'await' out, and use tool steps for what takes time"
_CLOSER = {
    **dict.fromkeys(("<", ">", "<=", ">=", "in", "instanceof"), 1),
    **dict.fromkeys(("<<", ">>", ">>>"), 2),
    **dict.fromkeys(("+", "-"), 3),
    **dict.fromkeys(("*", "/", "%"), 4),
    "**": 5,
}
"""What holds its operands as close as `as` does, or closer, and how close. All others leave it the value next to it."""

_CLOSEST = 6
_UNBOUND = "without the type, {!r} would take only a part of what stands before it; put parentheses around 'a as T'"
_ASSERTION = "write this type after its value, as in 'value as T'"


def expression(c: Cursor) -> Kind:
    """With commas."""
    kind = c.value()
    while c.takes(","):
        c.value()
        kind = EXPRESSION
    return kind


def value(c: Cursor, consequent: bool) -> Kind:
    c.deeper()
    kind = _yielded(c) or arrow(c, consequent=consequent)
    if kind is None:
        kind = _operands(c)
        while _goes_on(c):
            kind = EXPRESSION
            if _yielded(c) or arrow(c, consequent=consequent):
                break
            _operands(c)
    c.back()
    return kind


def operand(c: Cursor) -> Kind:
    """A value and what is taken of it, or called: `a.b(c)[d]`."""
    at = c.word.start
    kind = _primary(c)
    name = kind.name
    members: list[str] = []
    is_path = True
    """So far, each member is written out."""
    while True:
        if c.sees(".", "?."):
            found = _member(c)
        elif c.sees("["):
            found = _index(c)
        elif c.sees("("):
            found = _arguments(c)
        elif c.word.kind == TEMPLATE:
            found = _template(c)
        elif c.sees("++", "--") and not c.word.after_line:
            found = c.advance().text
        elif c.sees("!") and not c.word.after_line:
            c.blank(c.advance().start)
            continue
        elif c.sees("<") and c.attempt("type arguments of a value", lambda: _type_arguments(c)):
            found = None
        else:
            break
        kind = EXPRESSION
        is_path = is_path and found is not None
        if is_path and found:
            members.append(found)
    c.mention(name, at, *members)
    return kind


def _yielded(c: Cursor) -> Kind | None:
    """`yield` with nothing after it, or up to what is yielded."""
    while c.sees_name("yield"):
        c.advance()
        c.takes("*")
        if c.word.after_line or c.word.kind in (END, REST) or c.sees(")", "]", "}", ",", ";", ":"):
            return EXPRESSION
    return None


def _operands(c: Cursor) -> Kind:
    kind = _unary(c)
    loosest = loosest_typed = _CLOSEST
    """Of the operators that are in the left side of an `as` here; and in that of the one that was read last."""
    while True:
        at = c.word.start
        if c.sees_name("as", "satisfies") and not c.word.after_line:
            _as(c)
            loosest_typed = loosest
            continue
        operator = _takes_binary(c)
        if not operator:
            return kind
        close = _CLOSER.get(operator, 0)
        if close > loosest_typed or close == loosest_typed == _CLOSER["**"]:
            c.refuse(at, _UNBOUND.format(operator))
        loosest, loosest_typed = min(loosest, close) if close else _CLOSEST, _CLOSEST
        kind = _second(c)


def _takes_binary(c: Cursor) -> str:
    if c.sees_name("in", "instanceof") and not (c.no_in and c.word.text == "in"):
        return c.advance().text
    return _takes_operator(c, _BINARY)


def _second(c: Cursor) -> Kind:
    _unary(c)
    return EXPRESSION


def _goes_on(c: Cursor) -> bool:
    """Past `=`, or past `? … :`, to another value."""
    if _takes_operator(c, _ASSIGNING):
        return True
    if not c.takes("?"):
        return False
    with c.inside():
        c.value(consequent=True)
    c.expect(":", "after what a condition leads to")
    return True


def _takes_operator(c: Cursor, operators: frozenset[str]) -> str:
    if c.word.kind != SIGN:
        return ""
    text, count = c.word.text, 1
    if text in ("<", ">"):
        end = c.word.end
        while len(text) <= len(">>>") and c.ahead(count).start == end and c.ahead(count).text in (c.word.text, "="):
            text, end, count = text + c.ahead(count).text, c.ahead(count).end, count + 1
    if text not in operators:
        return ""
    for _ in range(count):
        c.advance()
    return text


def _as(c: Cursor) -> None:
    """`as T`. What begins the next line would call what stands before it, once the type between them is gone."""
    start = c.advance().start
    if not c.takes_name("const"):
        c.type()
    begins_anew = c.word.after_line and (c.sees("(", "[") or c.word.kind == TEMPLATE)
    c.blank(start, ";" if begins_anew else "")


def _unary(c: Cursor) -> Kind:
    is_plain = True
    while True:
        if c.sees(*_PREFIX) or (c.sees_name(*_PREFIX_NAMES) and not _is_new_target(c)):
            is_plain = False
            if c.sees_name("await"):
                c.refuse(c.word.start, _WAITS)
            c.advance()
        elif c.sees("<"):
            _assertion(c)
        else:
            break
    kind = operand(c)
    return kind if is_plain else EXPRESSION


def _is_new_target(c: Cursor) -> bool:
    return c.sees_name("new") and c.ahead().text == "."


def _assertion(c: Cursor) -> None:
    """`<T>value`. Where something else would come of the value alone, it is refused."""
    start = c.advance().start
    if not c.takes_name("const"):
        c.type()
    c.expect(">", "after a type")
    if has_line(c.source, start, c.word.start) or c.sees("{") or c.sees_name("function", "class"):
        c.refuse(start, _ASSERTION)
    c.blank(start)


def _type_arguments(c: Cursor) -> bool:
    start = c.word.start
    arguments_of(c)
    if not _follows_type_arguments(c):
        c.leads_nowhere()
    c.blank(start)
    return True


def _follows_type_arguments(c: Cursor) -> bool:
    """As TypeScript decides it: `f<T>(x)` is a call, `a < b > c` are comparisons, and so are `a < b, c >= d`: to values, `>=` is
    one sign.
    """
    if c.word.start == c.last_end and c.word.kind == SIGN and c.word.text[0] in "=>":
        return False
    if c.sees("(") or c.word.kind == TEMPLATE:
        return True
    if c.sees("<", ">", "+", "-"):
        return False
    if c.word.after_line or c.sees_name(*_BINARY_NAMES):
        return True
    return c.word.kind in (SIGN, END, REST) and c.word.text not in _BEGINS_VALUE


def _member(c: Cursor) -> str | None:
    """`.name`; nothing if `?.` is followed by what says more."""
    if c.advance().text == "?." and (c.sees("(", "[", "<") or c.word.kind == TEMPLATE):
        return ""
    if c.word.kind not in (NAME, PRIVATE):
        c.fail(f"{shown_word(c.word)} is unexpected here; the name of a property is expected after the dot")
    if c.word.kind == PRIVATE:
        c.mention(c.word.text, c.word.start)
    return c.advance().text


def _index(c: Cursor) -> str | None:
    """`[…]`; what is in it, if that is a text."""
    c.advance()
    is_text = c.word.kind in (TEXT, TEMPLATE) and c.word.text[0] == c.word.text[-1] and c.ahead().text == "]"
    literal = text_of(c.word.text) if is_text else None
    with c.inside():
        expression(c)
    c.expect("]")
    return literal


def _arguments(c: Cursor) -> str | None:
    c.expect("(")
    with c.inside():
        while not c.sees(")"):
            c.takes("...")
            c.value()
            if not c.takes(","):
                break
    c.expect(")", "after arguments", or_=",")
    return None


def _template(c: Cursor) -> str | None:
    with c.inside():
        c.template(lambda: expression(c))
    return None


def _primary(c: Cursor) -> Kind:
    word = c.word
    if word.kind == NAME:
        return _named(c)
    if word.kind == TEMPLATE:
        _template(c)
        return Kind("a text")
    if c.sees("/", "/="):
        c.word = c.words.regex(c.place)
    if c.word.kind == PRIVATE:
        c.mention(c.word.text, c.word.start)
    if c.word.kind in _KINDS:
        return Kind(_KINDS[c.advance().kind])
    if c.takes("("):
        with c.inside():
            kind = expression(c)
        c.expect(")", "after an expression in parentheses")
        return kind
    if c.sees("["):
        return _array(c)
    if c.sees("{"):
        return _object(c)
    if c.sees("@"):
        decorators(c)
        return class_(c)
    return c.fail(f"{shown_word(c.word)} is unexpected here; a value is expected")


_KINDS = {NUMBER: "a number", TEXT: "a text", REGEX: "a regular expression", PRIVATE: "a private name"}


def _named(c: Cursor) -> Kind:
    word = c.word
    if word.text == "function":
        return function(c)
    if word.text == "class":
        return class_(c)
    if word.text == "async" and c.ahead().text == "function" and not c.ahead().after_line:
        c.refuse(word.start, ASYNC_REFUSED)
        c.advance()
        return function(c, is_async=True)
    if _is_new_target(c):
        c.advance()
        c.advance()
        c.advance()
        return EXPRESSION
    if word.text == "import":
        c.refuse(word.start, IMPORTS)
        c.advance()
        if not c.sees("(", "."):
            c.fail(f"{shown_word(c.word)} is unexpected here; 'import' stands at the top only")
        return EXPRESSION
    if word.text in _LITERALS:
        return Kind(_LITERALS[c.advance().text])
    return Kind("a variable", c.name("a value").text)


def _array(c: Cursor) -> Kind:
    c.expect("[")
    with c.inside():
        while not c.sees("]"):
            if c.takes(","):
                continue
            c.takes("...")
            c.value()
            if not c.sees("]", ","):
                c.expect("]", "in an array", or_=",")
            c.takes(",")
    c.expect("]", "after an array")
    return Kind("an array")


def _object(c: Cursor) -> Kind:
    c.expect("{")
    with c.inside():
        while not c.sees("}"):
            if c.takes("..."):
                c.value()
            else:
                _property(c)
            if not c.takes(","):
                break
    c.expect("}", "in an object", or_=",")
    return Kind("an object")


def _property(c: Cursor) -> None:
    while c.sees_name("get", "set", "async") and _begins_key(c.ahead()):
        if c.sees_name("async"):
            c.refuse(c.word.start, ASYNC_REFUSED)
        c.advance()
    c.takes("*")
    word = c.word
    key(c)
    if c.sees("(", "<"):
        if not method(c):
            c.expect("{", "before the body of a method")
    elif c.takes(":"):
        c.value()
    elif word.kind != NAME or word.text in RESERVED:
        c.expect(":", "after the name of a property")
    else:
        c.mention(word.text, word.start)
        if c.takes("="):
            c.value()


def _begins_key(word: Word) -> bool:
    return word.kind in (NAME, TEXT, NUMBER, PRIVATE) or word.text in ("[", "*")
