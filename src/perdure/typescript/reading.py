"""The way in: a transform is read once, and all that is wrong with it is told."""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import Struct

from perdure.expressions.tokens import problem_at
from perdure.model.problem import Problem
from perdure.model.values import Json
from perdure.typescript.annotations import type_of
from perdure.typescript.blanking import blanked
from perdure.typescript.cursor import Cursor, Grammar
from perdure.typescript.modules import check_exported, program
from perdure.typescript.names import refusal
from perdure.typescript.notes import CLASS, Halt
from perdure.typescript.schema import schema_of
from perdure.typescript.statements import block
from perdure.typescript.values import operand, value

BYTES_MAX = 64 * 1024
PROBLEMS_MAX = 50
NOWHERE = -1
"""The place of what is not there."""

_TYPES = ("Input", "Output")
_GRAMMAR = Grammar(type_of, value, operand, block)
_BROKEN = re.compile("[\0\ud800-\udfff]")


class Transform(Struct, frozen=True):
    """`javascript` declares `$default`, the function, at its top level, and is meant to stand in the body of a function in strict
    mode; its lines and columns are those of the source. `input` and `output` are JSON Schemas, None if no types are declared.
    `regexes` are the regular expressions in it, whose rules are not looked at here, each with its line and column.
    """

    javascript: str
    input: Json = None
    output: Json = None
    regexes: tuple[tuple[str, int, int], ...] = ()

    @property
    def is_untyped(self) -> bool:
        return self.input is None


class Refused(Struct, frozen=True):
    """All that is wrong with a transform. `input` and `output` are the schemas of types with which nothing is wrong, so that they
    can still be held against others; None of all other types. `is_untyped`: it declares none.
    """

    problems: tuple[Problem, ...]
    input: Json = None
    output: Json = None
    is_untyped: bool = False

    @property
    def may_be_more(self) -> bool:
        """Whether some may be left out."""
        return len(self.problems) >= PROBLEMS_MAX


class Effort(Struct):
    """What reading transforms has taken: their bytes, and the work that their types were."""

    spent: int = 0


def read(source: str, effort: Effort | None = None) -> Transform | Refused:
    """A transform, or all that is wrong with it. It is bounded in size, depth and effort, and takes whatever text comes. What it
    took is added to `effort`.
    """
    effort = effort or Effort()
    size = len(source.encode("utf-8", "surrogatepass"))
    effort.spent += size
    if size > BYTES_MAX:
        message = f"a transform has at most {BYTES_MAX:,} bytes, and this one has {size:,}; make it smaller, or use a tool step"
        return Refused((problem_at(source, 0, message, type_="invalid_typescript"),))
    if (broken := _BROKEN.search(source)) is not None:
        message = "this is no character; in a text, write it as \\0 or \\ud800"
        return Refused((problem_at(source, broken.start(), message, type_="invalid_typescript"),))
    c = Cursor(source, _GRAMMAR)
    try:
        program(c)
    except Halt as halt:
        c.refuse(*c.why(halt))
        return Refused(_problems(c))
    except RecursionError:  # who calls this is deep already
        c.refuse(c.word.start, "this is nested too deeply to be read here; write it in smaller pieces")
        return Refused(_problems(c))
    check_exported(c)
    schemas = _schemas(c, effort)
    takes, gives = (schemas.get(name) for name in _TYPES)
    problems = _problems(c)
    if problems:
        return Refused(problems, takes, gives, is_untyped=not schemas)
    javascript = "\n".join([blanked(source, c.edits), *(end for _, _, end in c.exported if end)])
    return Transform(javascript, takes, gives, tuple(_regexes(c)))


def _regexes(c: Cursor) -> Iterator[tuple[str, int, int]]:
    for word in c.words.regexes():
        stands = c.problem(word.start, "")
        assert stands.line is not None
        assert stands.column is not None
        yield word.text, stands.line, stands.column


def _schemas(c: Cursor, effort: Effort) -> dict[str, Json]:
    """Of those types that are declared, by their names; None, if something is wrong with one."""
    declared = {name: c.types[name] for name in _TYPES if name in c.types}
    if len(declared) == 1:
        missing = next(name for name in _TYPES if name not in declared)
        c.refuse(NOWHERE, f"Missing required '{missing}' interface declaration")
    no_types = {name: kind.what for name, kind in c.kinds.items() if kind.what == CLASS}
    written = {name: schema_of(each, c.types, no_types) for name, each in declared.items()}
    for one in written.values():
        c.problems.extend(one.problems)
        effort.spent += one.work
    return {name: None if one.problems else one.schema for name, one in written.items()}


def _problems(c: Cursor) -> tuple[Problem, ...]:
    found = dict.fromkeys(c.problems)
    for mention in c.mentions:
        message = refusal(mention)
        if message is not None:
            found[mention.at, message] = None
    return tuple(
        c.problem(at, message) if at != NOWHERE else Problem("invalid_typescript", message)
        for at, message in sorted(found)[:PROBLEMS_MAX]
    )
