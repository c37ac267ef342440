"""Refs: `@fetch.items[0].id` in a text, as phases has them. Found here, and written as expressions.

A text that is exactly one ref is its value; in a longer text it is rendered, and one that leads nowhere stays as it is
written, so that e-mail addresses survive. `@@x` is the text `@x`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeAlias

import msgspec
from msgspec import Struct

from perdure.expressions.wording import pointer
from perdure.model.values import Array, Constant, Expression, Json, Object, Text, Value

Segment: TypeAlias = str | int

_REF = re.compile(r"@@|@([^\W\d][\w-]*)((?:\.(?![0-9]{16})[\w$][\w$-]*|\[[0-9]{1,15}\])*)")
_SEGMENT = re.compile(r"\.([0-9]{1,15})(?=[.\[]|\Z)|\.([^.\[]+)|\[([0-9]{1,15})\]")


class Standing(Struct, frozen=True):
    """Where a ref stands: the path to its text, and whether it is all of it. `in_word`: right after a letter or a digit, as in an
    e-mail address.
    """

    path: str
    is_whole: bool
    in_word: bool = False


Resolve: TypeAlias = "Callable[[Ref, Standing], str | None]"
"""The expression that a ref stands for; None: it leads nowhere."""


class Ref(Struct, frozen=True):
    """`@name` and where it leads from there. `text` is how it is written, `at` where it stands."""

    name: str
    path: tuple[Segment, ...]
    text: str
    at: int = 0

    def is_in_word(self, text: str) -> bool:
        """Whether it stands right after a letter or a digit of the text that it was found in."""
        return text[max(self.at - 1, 0) : self.at].isalnum()


def refs_in(text: str) -> list[str | Ref]:
    """The pieces of a text: what stands there, and refs."""
    parts: list[str | Ref] = []
    literal: list[str] = []
    at = 0
    for found in _REF.finditer(text):
        literal.append(text[at : found.start()])
        at = found.end()
        if found.group() == "@@":
            literal.append("@")
            continue
        if any(literal):
            parts.append("".join(literal))
        literal.clear()
        # A hyphen or a point at the end belongs to the sentence, not to the ref.
        written = found.group().rstrip("-")
        at = found.start() + len(written)
        path = tuple(_segment(piece) for piece in _SEGMENT.finditer(written[1 + len(found[1]) :]))
        name = found[1] if path or found[2] else written[1:]
        parts.append(Ref(name, path, written, found.start()))
    literal.append(text[at:])
    if any(literal):
        parts.append("".join(literal))
    return parts


def _segment(found: re.Match[str]) -> Segment:
    number = found[1] or found[3]
    return int(number) if number is not None else found[2]


def source(root: str, path: tuple[Segment, ...]) -> str:
    """The expression that reads a path of a root. `root` is itself an expression; the path is data, and quoted."""
    return root + "".join(f"[{_quoted(segment)}]" for segment in path)


def or_as_written(expression: str, text: str) -> str:
    """The expression, or if it is undefined the text as it was written."""
    return f"({expression}) === undefined ? {_quoted(text)} : ({expression})"


def value_with_refs(given: Json, resolve: Resolve, path: str = "", *, as_written: bool = True) -> Value:
    """What a part of a document is, with refs in its texts and keys. One that leads nowhere is undefined if it is the whole
    text, and stays as it is written in a longer one; unless `as_written` is not wanted: then it is undefined there, too, but for
    what looks like an e-mail address.
    """
    return _Reading(resolve, as_written).value(given, path)


class _Reading:
    def __init__(self, resolve: Resolve, as_written: bool) -> None:
        self._resolve, self._as_written = resolve, as_written

    def value(self, given: Json, path: str) -> Value:
        match given:
            case str():
                return self.text(given, path)
            case list():
                items = tuple(self.value(item, f"{path}/{number}") for number, item in enumerate(given))
                return Array(items) if _varies(items) else Constant([item.value for item in items])  # type: ignore[union-attr]
            case dict():
                entries = tuple(self.entry(key, item, f"{path}/{pointer(key)}") for key, item in given.items())
                parts = tuple(part for entry in entries for part in entry)
                return Object(entries) if _varies(parts) else Constant({key.value: item.value for key, item in entries})  # type: ignore[union-attr]
            case _:
                return Constant(given)

    def entry(self, key: str, item: Json, path: str) -> tuple[Value, Value]:
        return self.text(key, path), self.value(item, path)

    def text(self, text: str, path: str) -> Value:
        match refs_in(text):
            case []:
                return Constant("")
            case [str() as literal]:
                return Constant(literal)
            case [Ref() as ref]:
                return Expression(self._resolve(ref, Standing(path, is_whole=True)) or "undefined")
            case parts:
                return Text(
                    tuple(Constant(part) if isinstance(part, str) else self.part(part, text, path) for part in parts)
                )

    def part(self, ref: Ref, text: str, path: str) -> Value:
        in_word = ref.is_in_word(text)
        is_address = in_word and ref.name == "secrets"  # nobody keeps one in an address
        found = None if is_address else self._resolve(ref, Standing(path, is_whole=False, in_word=in_word))
        if found is None:
            return Constant(ref.text)
        if ref.name == "secrets" or not (self._as_written or in_word):
            return Expression(found)
        return Expression(or_as_written(found, ref.text))


def _varies(values: tuple[Value, ...]) -> bool:
    return any(not isinstance(value, Constant) for value in values)


def _quoted(segment: Segment) -> str:
    return str(segment) if isinstance(segment, int) else msgspec.json.encode(segment).decode()
