"""Where the reading of a source stands: the word that is next, the names that are known, what is to be blanked out.

There are places that can be read in two ways, and which is right shows only later: `(a, b) => a` and `(a, b)`, `f<T>(x)` and
`f < T > (x)`. There one way is tried, and all that it has noted is forgotten if it leads nowhere. That it did is remembered, so
that what stands in it is not tried again and again.

Depth is bounded, and so is effort: a source that is made to take long is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NoReturn, TypeVar

from msgspec import Struct

from perdure.expressions.tokens import problem_at
from perdure.expressions.wording import shown
from perdure.model.problem import Problem
from perdure.typescript.names import Mention, Scope, is_watched
from perdure.typescript.notes import RESERVED, Beyond, Edit, Halt, Kind, Mark
from perdure.typescript.syntax import Declared, Type
from perdure.typescript.words import END, NAME, REST, SIGN, WRONG, Word, Words

DEPTH_MAX = 64
WORDS_READ_MAX = 400_000
"""Words that are read again count again. A source of 64 KB has less than 64,000, and good ones are read about once."""

T = TypeVar("T")


class Grammar(Struct, frozen=True):
    """What parts of the grammar that stand lower ask of those above."""

    type: Callable[[Cursor, bool], Type]
    value: Callable[[Cursor, bool], Kind]
    operand: Callable[[Cursor], Kind]
    block: Callable[[Cursor], None]


class Cursor:
    def __init__(self, source: str, grammar: Grammar) -> None:
        self.source = source
        self.words = Words(source)
        self.place = 0
        self.word: Word = self.words[0]
        self.last_end = 0
        """Where the word before ends."""
        self.scope = Scope(is_function=True)
        self.no_in = False
        """In the head of a `for`, where `in` is no operator."""
        self.functions = 0
        """How many functions are around this place."""
        self.edits: list[Edit] = []
        self.mentions: list[Mention] = []
        self.problems: list[tuple[int, str]] = []
        self.types: dict[str, Declared] = {}
        self.kinds: dict[str, Kind] = {}
        """Of what is declared at the top."""
        self.exported: list[tuple[int, Kind, str]] = []
        """Where something is exported as default, what it is, and what is to be written at the end to export it."""
        self._grammar = grammar
        self._depth = 0
        self._read = 0
        self._failed: dict[tuple[str, int, bool], tuple[int, str]] = {}

    def type(self, *, conditional: bool = True) -> Type:
        """Reads a type. `conditional`: `A extends B ? C : D` may stand here."""
        return self._grammar.type(self, conditional)

    def value(self, *, consequent: bool = False) -> Kind:
        """Reads what may stand between commas. `consequent`: between `?` and `:`."""
        return self._grammar.value(self, consequent)

    def operand(self) -> Kind:
        """Reads what may stand between operators, without those before it."""
        return self._grammar.operand(self)

    def block(self) -> None:
        self._grammar.block(self)

    # Going on.

    def advance(self) -> Word:
        """The word that was next."""
        word = self.word
        if word.kind == WRONG:
            raise Halt(word.start, word.text)
        self._read += 1
        if self._read > WORDS_READ_MAX:
            raise Beyond(word.start, "this is too entangled to be read; write it in smaller pieces")
        self.last_end = word.end
        self.place += 1
        self.word = self.words[self.place]
        return word

    def ahead(self, places: int = 1) -> Word:
        return self.words[self.place + places]

    def sees(self, *signs: str) -> bool:
        return self.word.kind == SIGN and self.word.text in signs

    def sees_name(self, *names: str) -> bool:
        """One of these words; without any, whatever can be the name of a variable."""
        if self.word.kind != NAME:
            return False
        return self.word.text in names if names else self.word.text not in RESERVED

    def takes(self, *signs: str) -> bool:
        if not self.sees(*signs):
            return False
        self.advance()
        return True

    def takes_name(self, *names: str) -> bool:
        if not self.sees_name(*names):
            return False
        self.advance()
        return True

    def expect(self, sign: str, where: str = "", *, or_: str = "") -> Word:
        """`or_`: what could have stood here as well."""
        if self.word.text != sign or self.word.kind not in (SIGN, NAME):
            wanted = f"{or_!r} or {sign!r}" if or_ else repr(sign)
            self.fail(f"{shown_word(self.word)} is unexpected here; {wanted} is expected{where and ' '}{where}")
        return self.advance()

    def name(self, what: str) -> Word:
        """The name of a variable."""
        if self.word.kind == NAME and self.word.text in RESERVED:
            self.fail(f"{self.word.text!r} is a word of the language; take another name for {what}")
        if self.word.kind != NAME:
            self.fail(f"{shown_word(self.word)} is unexpected here; {what} is expected")
        return self.advance()

    def semicolon(self) -> None:
        """As JavaScript has it: a line may end without."""
        if self.takes(";") or self.sees("}") or self.word.kind == END or self.word.after_line:
            return
        self.fail(f"{shown_word(self.word)} is unexpected here; an operator, or the end of the statement, is expected")

    def template(self, inside: Callable[[], object]) -> bool:
        """Reads all of a template; whether there is anything inside of it that is to be filled in."""
        word, is_filled = self.advance(), False
        while word.text.endswith("${"):
            is_filled = True
            inside()
            if not self.sees("}") and self.word.kind != REST:
                self.expect("}", "to go on with the template")
            self.word = self.words.template(self.place)
            word = self.advance()
        return is_filled

    def fail(self, message: str) -> NoReturn:
        if self.word.kind == WRONG:
            raise Halt(self.word.start, self.word.text)
        raise Halt(self.word.start, message)

    # Two ways to read it.

    def attempt(self, way: str, read: Callable[[], T]) -> T | None:
        """What comes of reading it that way; None, and nothing has happened, if it leads nowhere."""
        mark = self.mark()
        try:
            return self.remembering(way, read)
        except Beyond:
            raise
        except Halt:
            self.undo(mark)
            return None

    def remembering(self, way: str, read: Callable[[], T]) -> T:
        """What comes of reading it that way. If it has failed before, it fails at once."""
        known = way, self.place, self.no_in
        if known in self._failed:
            raise Halt(*self._failed[known])
        try:
            return read()
        except Halt as halt:
            self._failed[known] = halt.at, halt.message
            raise

    def why(self, halt: Halt) -> tuple[int, str]:
        """What is told if it cannot be read on: of all that was tried, what got furthest."""
        return max(((halt.at, halt.message), *self._failed.values()), key=lambda one: (bool(one[1]), one[0]))

    def mark(self) -> Mark:
        notes = len(self.edits), len(self.mentions), len(self.problems)
        return Mark(self.place, self.last_end, self._depth, self.scope, self.no_in, self.functions, notes)

    def undo(self, mark: Mark) -> None:
        self.place, self.last_end, self._depth = mark.place, mark.last_end, mark.depth
        self.scope, self.no_in, self.functions = mark.scope, mark.no_in, mark.functions
        self.word = self.words[self.place]
        edits, mentions, problems = mark.notes
        del self.edits[edits:], self.mentions[mentions:], self.problems[problems:]

    def leads_nowhere(self) -> NoReturn:
        """To be said while it is attempted."""
        raise Halt(self.word.start, "")

    # Inside of something.

    def deeper(self, levels: int = 1) -> None:
        """By so many levels, for as long as it is not said that it is `back`."""
        self._depth += levels
        if self._depth > DEPTH_MAX:
            raise Halt(self.word.start, f"this is nested more than {DEPTH_MAX} levels deep; write it in smaller pieces")

    def back(self, levels: int = 1) -> None:
        self._depth -= levels

    @contextmanager
    def within(self, *, is_function: bool = False) -> Iterator[None]:
        """In a scope of its own."""
        scope, no_in, functions = self.scope, self.no_in, self.functions
        self.scope, self.no_in, self.functions = Scope(scope, is_function=is_function), False, functions + is_function
        yield
        self.scope, self.no_in, self.functions = scope, no_in, functions

    @contextmanager
    def inside(self) -> Iterator[None]:
        """Of brackets, where `in` is an operator again."""
        no_in, self.no_in = self.no_in, False
        yield
        self.no_in = no_in

    # Noting.

    def blank(self, start: int, text: str = "") -> None:
        """From there to the end of the last word."""
        self.edits.append(Edit(start, self.last_end, text))

    def refuse(self, at: int, message: str) -> None:
        self.problems.append((at, message))

    def declare(self, word: Word, *, var: bool = False) -> None:
        self.mention(word.text, word.start)
        self.scope.declare(word.text, var=var)

    def mention(self, name: str, at: int, *members: str) -> None:
        if is_watched(name):
            self.mentions.append(Mention(name, at, self.scope, members))

    def problem(self, at: int, message: str) -> Problem:
        return problem_at(self.source, at, message, type_="invalid_typescript")


def shown_word(word: Word) -> str:
    return "the end of the source" if word.kind == END else shown(word.text)
