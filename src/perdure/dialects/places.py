"""Where in a JSON text something stands: the offset of what a pointer leads to. The text has been read already, and is JSON.

Whoever asks wants a few places of a text that may be long: what is not on the way to them is passed over, and no pointer is made
to what nobody asks for. Nothing here recurses, so that how deep a text is does not matter.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from itertools import accumulate

from msgspec import Struct

from perdure.expressions.wording import pointer

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*+"|[\[\]{}:]|[^"\[\]{}:]++', re.DOTALL)
"""A text, a sign, or all that stands between two of these: numbers, words and commas, together."""

_NUMBER = re.compile("0|[1-9][0-9]{0,9}")
_pass_over = json.JSONDecoder(parse_int=str, parse_float=str).raw_decode
"""The quickest way to the end of a value."""


class Place(Struct, frozen=True):
    """A property of a text: the pointer to it, and where its key begins."""

    pointer: str
    offset: int


class _Inside(Struct):
    """An array or an object that has not come to its end. `steps` are those within it that somebody asks for."""

    is_array: bool
    pointer: str = ""
    steps: AbstractSet[str | int] = frozenset()
    step: str | int | None = None
    """To the value that stands here: its number, or its key as it stands in a pointer; None: that is still to come."""
    keys: set[str] = set()


def offsets(text: str, wanted: AbstractSet[str]) -> dict[str, int]:
    """Where the values begin that these pointers lead to; of a property, where its key does. `wanted` holds with each pointer
    those to what is around it.
    """
    below: dict[str, set[str]] = {}
    for path in wanted - {""}:
        around, _, step = path.rpartition("/")
        below.setdefault(around, set()).add(step)
    return _Search(text, below, len(wanted)).found


class _Search:
    """Going through a text once, along the ways to what is asked for, until all of it is found."""

    def __init__(self, text: str, below: Mapping[str, AbstractSet[str]], count: int) -> None:
        self._text, self._below = text, below
        begin = len(text) - len(text.lstrip())
        self.found = {"": begin}
        self._stack: list[_Inside] = []
        self._at = self._opened("", begin) if text[begin : begin + 1] in {"[", "{"} else len(text)
        while self._stack and len(self.found) < count:
            inside = self._stack[-1]
            (self._in_array if inside.is_array else self._in_object)(inside)

    def _in_object(self, inside: _Inside) -> None:
        sign, offset = self._token()
        if sign == "}":
            self._stack.pop()
        elif sign[0] == '"' and inside.step is None:
            inside.step = pointer(json.loads(sign))
            self._tell(inside, inside.step, offset)
        elif sign in {"[", "{"}:
            self._at = self._opened(f"{inside.pointer}/{inside.step}", offset, inside)
        elif "," in sign and sign[0] != '"':
            inside.step = None

    def _in_array(self, inside: _Inside) -> None:
        """Until it ends, or something begins in it that somebody asks for."""
        step, steps = inside.step, inside.steps
        assert isinstance(step, int)
        while True:
            sign, offset = self._token()
            if sign[0] == '"':
                if step in steps:
                    inside.step = step
                    self._tell(inside, step, offset)
                    return
            elif sign == "]":
                self._stack.pop()
                return
            elif sign in {"[", "{"}:
                if step in steps:
                    inside.step = step
                    self._tell(inside, step, offset)
                    self._at = self._opened(f"{inside.pointer}/{step}", offset, inside)
                    return
                self._at = _pass_over(self._text, offset)[1]
            else:
                first, step = step, step + sign.count(",")
                if self._numbers(inside, first, step, sign, offset):
                    inside.step = step
                    return

    def _token(self) -> tuple[str, int]:
        token = _TOKEN.match(self._text, self._at)
        assert token is not None, "what is open has an end"
        offset, self._at = token.span()
        return token.group(), offset

    def _tell(self, inside: _Inside, step: str | int, offset: int) -> None:
        if step in inside.steps:
            self.found.setdefault(f"{inside.pointer}/{step}", offset)

    def _opened(self, path: str, offset: int, around: _Inside | None = None) -> int:
        """Where to go on: within it, or after it, if nobody asks for anything in it."""
        steps: AbstractSet[str | int] = frozenset()
        if around is None or around.step in around.steps:
            steps = self._below.get(path, frozenset())
        if not steps:
            return _pass_over(self._text, offset)[1]
        is_array = self._text[offset] == "["
        if is_array:
            steps = {int(step) for step in steps if _NUMBER.fullmatch(str(step))}
        self._stack.append(_Inside(is_array, path, steps, 0 if is_array else None))
        return offset + 1

    def _numbers(self, inside: _Inside, first: int, last: int, signs: str, offset: int) -> bool:
        """Numbers, words and commas of an array, of the values from the one with the number `first` to that with `last`. Whether
        somebody asks for one of them.
        """
        steps = inside.steps
        near: Iterable[str | int] = range(first, last + 1) if last - first < len(steps) else steps
        asked = [number for number in near if number in steps and first <= int(number) <= last]
        if not asked:
            return False
        parts = signs.split(",")
        begins = [0, *accumulate(len(part) + 1 for part in parts)]
        for number in asked:
            place = int(number) - first
            blank = len(parts[place]) - len(parts[place].lstrip())
            if blank < len(parts[place]):  # else it is another value that stands there
                self._tell(inside, number, offset + begins[place] + blank)
        return True


def repeated(text: str) -> Iterator[Place]:
    """Every key that has stood in the same object before."""
    stack: list[_Inside] = []
    for token in _TOKEN.finditer(text):
        sign = token.group()
        inside = stack[-1] if stack else None
        if sign in {"[", "{"}:
            stack.append(_Inside(sign == "[", step=0 if sign == "[" else None))
        elif sign in {"]", "}"}:
            stack.pop()
        elif inside is None or sign == ":":
            continue
        elif isinstance(inside.step, int):
            inside.step += 0 if sign[0] == '"' else sign.count(",")
        elif sign[0] != '"':
            inside.step = None if "," in sign else inside.step
        elif inside.step is None:
            key = json.loads(sign)
            inside.step = pointer(key)
            if key in inside.keys:
                yield Place("".join(f"/{each.step}" for each in stack), token.start())
            inside.keys.add(key)


def line_and_column(text: str, offset: int) -> tuple[int, int]:
    """Both count from 1."""
    return lines_and_columns(text, (offset,))[offset]


def lines_and_columns(text: str, offsets: Iterable[int]) -> dict[int, tuple[int, int]]:
    """Those of all offsets, going through the text once."""
    found = {}
    line, begin, before = 1, 0, 0
    for offset in sorted(offsets):
        line += text.count("\n", before, offset)
        begin = max(begin, text.rfind("\n", before, offset) + 1)
        before = offset
        found[offset] = line, offset - begin + 1
    return found
