"""Reading a document: bytes or text in, a JSON value out, or every reason why not, each with its place.

Nothing that anybody sends makes this raise anything but `BadDocument`, or take long: what is too large is not looked at,
and what is too deep is refused before a parser goes into it.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, NoReturn

from msgspec.structs import replace

from perdure.dialects.faults import PROBLEMS_MAX, at, left_out
from perdure.dialects.places import line_and_column, lines_and_columns, offsets, repeated
from perdure.dialects.port import Document
from perdure.errors import TOLD_MAX, PerdureError
from perdure.expressions.numbers import double
from perdure.model.problem import LEFT_OUT, Problem
from perdure.model.values import Json

BYTES_MAX = 2_000_000
DEPTH_MAX = 100
INT_MIN, INT_MAX = -(2**63), 2**64 - 1
"""What a stored model has whole numbers for; beyond that, a number is a double, as it is in JavaScript."""

_BRACKETS = re.compile(r'"(?:[^"\\]|\\.)*+"?|[\[\]{}]', re.DOTALL)
_NUMBERS = re.compile(r'"(?:[^"\\]|\\.)*+"|-?(?:[0-9][0-9.eE+-]*+|Infinity)|NaN', re.DOTALL)
"""Each number of a text that was JSON up to the one that is odd; and its texts, in which there are none."""

_NO_CHARACTER = re.compile("[\0\ud800-\udfff]")


class BadDocument(PerdureError, code="bad_document"):
    """What was given is no document; `.problems` says all that is wrong with it."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        more = len(self.problems) - TOLD_MAX
        told = [_told(problem) for problem in self.problems[:TOLD_MAX]] + ([f"and {more} more"] if more > 0 else [])
        super().__init__("; ".join(told))


def read(given: bytes | str) -> Document:
    """The document that a text holds. Raises `BadDocument`."""
    text = _text(given)
    _refuse_depth(text)
    value, has_again = _value(text)
    found = list(faults(value))
    if has_again:
        found = [*_again(text), *found]
    if found:
        raise BadDocument(located(found, Document(value, text)))
    return Document(value, text)


def faults(value: Any) -> list[Problem]:
    """What in a value is no JSON, or not such that it can be kept: a document may also be given as a value."""
    found: list[Problem] = []
    ways: list[str | int] = []
    """The steps to what is looked at. A path is made of them only where there is something to tell."""
    open_: list[Iterator[tuple[str | int, Any]]] = [iter((("", value),))]
    while open_ and len(found) < PROBLEMS_MAX:
        for step, part in open_[-1]:
            kind = type(part)
            if len(open_) <= DEPTH_MAX and (
                (kind is int and INT_MIN <= part <= INT_MAX) or part is None or kind is bool
            ):
                continue  # what there is most of
            ways.append(step)
            inside = _looked_at(part, ways, found, depth=len(open_) - 1)
            if inside is not None:
                open_.append(inside)
                break
            ways.pop()
            if len(found) >= PROBLEMS_MAX:
                break
        else:
            open_.pop()
            del ways[-1:]
    return [*found, left_out("problem")] if open_ else found


def _looked_at(
    part: Any, ways: Sequence[str | int], found: list[Problem], *, depth: int
) -> Iterator[tuple[str | int, Any]] | None:
    """What is wrong with a part of a value itself is told; what is inside of it comes back, to be looked at next."""
    if depth > DEPTH_MAX:
        found.append(_too_deep(_path(ways)))
    elif isinstance(part, dict):
        odd = [key for key in part if not isinstance(key, str)]
        found.extend(Problem("not_json", f"the key {key!r} is not a text", _path(ways)) for key in odd[:PROBLEMS_MAX])
        known = [key for key in part if isinstance(key, str)]
        strange = islice((key for key in known if _NO_CHARACTER.search(key)), PROBLEMS_MAX)
        found.extend(_character(key, at(_path(ways), key), "a key") for key in strange)
        return ((key, part[key]) for key in known)
    elif isinstance(part, list):
        return enumerate(part)
    elif isinstance(part, str):
        if _NO_CHARACTER.search(part):
            found.append(_character(part, _path(ways), "a text"))
    elif isinstance(part, float) and not math.isfinite(part):
        found.append(Problem("not_json", "a number that is too large, or none, is not JSON", _path(ways)))
    elif isinstance(part, int) and not INT_MIN <= part <= INT_MAX:
        message = "a whole number of more than 64 bits cannot be kept; give a text"
        found.append(Problem("not_json", message, _path(ways)))
    elif part is not None and not isinstance(part, bool | int | float):
        message = f"{type(part).__name__} is not JSON; give dicts, lists and texts"
        found.append(Problem("not_json", message, _path(ways)))
    return None


def _path(ways: Sequence[str | int]) -> str:
    """The first step leads to the whole."""
    path = ""
    for step in ways[1:]:
        path = at(path, step) if isinstance(step, str) else f"{path}/{step}"
    return path


def located(problems: Iterable[Problem], document: Document) -> tuple[Problem, ...]:
    """The problems, each with line and column of what its path leads to; of the nearest part around it, if that is missing."""
    problems = tuple(problems)
    wanted = {path for problem in problems if problem.line is None for path in _with_parents(problem.path)}
    if not wanted or not document.text:
        return problems
    found = offsets(document.text, wanted)
    lines = lines_and_columns(document.text, found.values())
    there = {path: lines[offset] for path, offset in found.items()}
    return tuple(_with_place(problem, there) for problem in problems)


def _with_place(problem: Problem, found: dict[str, tuple[int, int]]) -> Problem:
    if problem.line is not None or (problem.type == LEFT_OUT and not problem.path):
        return problem
    line, column = next((found[path] for path in _with_parents(problem.path) if path in found), (None, None))
    return replace(problem, line=line, column=column)


def _with_parents(path: str) -> list[str]:
    """The path, and those to what is around it, the innermost first."""
    paths = [path]
    while path:
        path = path.rpartition("/")[0]
        paths.append(path)
    return paths


def _text(given: bytes | str) -> str:
    """The text of bytes. A mark at its beginning that says that it is UTF-8 belongs to no document."""
    size = len(given)
    if size > BYTES_MAX:
        unit = "bytes" if isinstance(given, bytes) else "characters"
        message = f"the document has {size:,} {unit}; the limit is {BYTES_MAX:,}"
        _refuse(Problem("too_large", message, expected=BYTES_MAX, actual=size))
    if isinstance(given, str):
        return given.removeprefix("\ufeff")
    try:
        return given.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        line, column = line_and_column(given[: error.start].decode("utf-8"), len(given[: error.start].decode("utf-8")))
        message = f"the document is not UTF-8: byte {error.start} is 0x{given[error.start]:02x}; save it as UTF-8"
        _refuse(Problem("not_utf8", message, line=line, column=column))


def _refuse_depth(text: str) -> None:
    if text.count("[") + text.count("{") <= DEPTH_MAX:  # with those in texts, which is mostly so
        return
    depth = 0
    for token in _BRACKETS.finditer(text):
        sign = token.group()
        if sign in {"[", "{"}:
            depth += 1
            if depth > DEPTH_MAX:
                line, column = line_and_column(text, token.start())
                _refuse(replace(_too_deep(""), line=line, column=column))
        elif sign in {"]", "}"}:
            depth -= 1


def _value(text: str) -> tuple[Json, bool]:
    """The value, and whether an object in it has a key twice."""
    if not text.strip():
        _refuse(Problem("not_json", "the document is empty", line=1, column=1))
    try:
        try:
            return _STRICT.decode(text), False
        except _Again:
            return _LENIENT.decode(text), True
    except json.JSONDecodeError as error:
        message = f"the document is not JSON: {_said(error, text)}"
        _refuse(Problem("not_json", message, line=error.lineno, column=error.colno))
    except _Odd as odd:
        _refuse(replace(odd.problem, **_found_number(text, odd.written)))


class _Odd(Exception):
    """A number that JSON, or Python, has no way to read."""

    def __init__(self, written: str, message: str) -> None:
        self.written = written
        self.problem = Problem("not_json", message)
        super().__init__(message)


def _constant(written: str) -> NoReturn:
    raise _Odd(written, f"the document is not JSON: {written} is no number there; use null")


def _whole(written: str) -> int | float:
    digits_max = 400
    if len(written) > digits_max:
        raise _Odd(written, f"a number of {len(written):,} digits is too large; write it as a text")
    number = int(written)
    return number if INT_MIN <= number <= INT_MAX else double(number)


class _Again(Exception):
    """A key stands twice in an object. Which, and where, is found out afterwards."""


def _once(entries: list[tuple[str, Json]]) -> dict[str, Json]:
    made = dict(entries)
    if len(made) != len(entries):
        raise _Again
    return made


_STRICT = json.JSONDecoder(object_pairs_hook=_once, parse_constant=_constant, parse_int=_whole)
_LENIENT = json.JSONDecoder(parse_constant=_constant, parse_int=_whole)
"""Made once: to make one takes longer than to read a small document. Of a key that stands twice, the second takes the last."""


def _found_number(text: str, written: str) -> dict[str, int]:
    """Where an odd number stands, outside of texts. No pattern is made of it: to search for one that is long would take long."""
    # What follows its digits may belong to no number: then the parser has told of the digits before it came to that.
    token = next(each for each in _NUMBERS.finditer(text) if each.group().startswith(written))
    line, column = line_and_column(text, token.start())
    return {"line": line, "column": column}


def _said(error: json.JSONDecodeError, text: str) -> str:
    """What the parser says, with the way out where it is known."""
    rest = text[error.pos : error.pos + 1]
    ends = "" if rest else "; it ends too early"
    said = error.msg[0].lower() + error.msg[1:]
    before = text[: error.pos].rstrip()
    if rest == "\0":
        return "a NUL character has no place in it"
    if said.startswith("expecting property name") and rest == "'":
        return "a text is written with double quotes"
    if said.startswith("illegal trailing comma") or (before.endswith(",") and rest in {"}", "]"}):
        return "there is a comma before the end; JSON has none there"
    return f"{said}{ends}"


def _again(text: str) -> list[Problem]:
    found = list(islice(repeated(text), PROBLEMS_MAX + 1))
    more = [left_out("problem")] if len(found) > PROBLEMS_MAX else []
    del found[PROBLEMS_MAX:]
    lines = lines_and_columns(text, (place.offset for place in found))
    message = "this key stands twice in one object, and only one of the two would count; remove one"
    told = [
        Problem("duplicate_key", message, place.pointer, line=line, column=column)
        for place in found
        for line, column in (lines[place.offset],)
    ]
    return told + more


def _too_deep(path: str) -> Problem:
    message = f"the document is nested more than {DEPTH_MAX} levels deep"
    return Problem("too_deep", message, path, expected=DEPTH_MAX)


def _character(text: str, path: str, what: str) -> Problem:
    found = _NO_CHARACTER.search(text)
    name = "NUL" if found is not None and found.group() == "\0" else "half a character (a lone surrogate)"
    return Problem("not_a_character", f"{what} holds {name}, which cannot be kept", path)


def _told(problem: Problem) -> str:
    place = f"line {problem.line}, column {problem.column}: " if problem.line is not None else ""
    return f"{place}{problem.message}"


def _refuse(problem: Problem) -> NoReturn:
    raise BadDocument((problem,))
