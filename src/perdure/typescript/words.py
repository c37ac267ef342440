"""The words of a source: names, numbers, texts and signs, one after the other, each with its place.

Whether `/` divides or begins a regular expression, and whether `}` closes a block or goes on with a template, only who reads the
words knows: then they are taken anew from there (`regex`, `template`). `<` and `>` always stand alone, because in types they are
brackets; who reads operators puts them together.
"""

from __future__ import annotations

import re

from msgspec import Struct

from perdure.expressions.numbers import SPACE

LINE_ENDS = "\n\r\u2028\u2029"
NAME, PRIVATE, NUMBER, TEXT, TEMPLATE, REST, REGEX, SIGN, END, WRONG = (
    *("name", "private", "number", "text", "template", "rest", "regex", "sign", "end", "wrong"),
)

_SPACE = re.compile(f"[{SPACE}]*+")
_COMMENT = re.compile(rf"//[^{LINE_ENDS}]*+|/\*(?:[^*]++|\*(?!/))*+\*/|(?P<open>/\*)")
_WORD = re.compile(
    r"""
      (?P<name>(?:[^\W\d]|\$)[\w$\u200c\u200d]*+)
    | (?P<number>(?:0[xX][0-9a-fA-F_]++|0[bB][01_]++|0[oO][0-7_]++
        |(?:[0-9][0-9_]*+(?:\.[0-9_]*+)?|\.[0-9][0-9_]*+)(?:[eE][+-]?[0-9_]++)?)(?P<big>n)?)
    | (?P<text>'(?:[^'\\\n\r]++|\\(?:\r\n|[^\r]|\r))*+'|"(?:[^"\\\n\r]++|\\(?:\r\n|[^\r]|\r))*+")
    | (?P<private>\#(?:[^\W\d]|\$)[\w$]*+)
    | (?P<sign>\.\.\.|=>|\?\.(?![0-9])|===|!==|\*\*=|&&=|\|\|=|\?\?=|==|!=|&&|\|\||\?\?|\+\+|--|\*\*|[-+*/%&|^]=
        |[][(){}<>;,.?:=!~+*/%&|^@-])
    """,
    re.VERBOSE | re.DOTALL,
)
_NUMBER = re.compile(
    r"(?:0[xX][0-9a-fA-F]+(?:_[0-9a-fA-F]+)*|0[bB][01]+(?:_[01]+)*|0[oO][0-7]+(?:_[0-7]+)*|(?:0|[1-9][0-9]*(?:_[0-9]+)*))n?"
    r"|(?:(?:0|[1-9][0-9]*(?:_[0-9]+)*)(?:\.(?:[0-9]+(?:_[0-9]+)*)?)?|\.[0-9]+(?:_[0-9]+)*)(?:[eE][+-]?[0-9]+(?:_[0-9]+)*)?"
)
_REGEX = re.compile(
    rf"/(?![*/])(?:[^/\\\[{LINE_ENDS}]++|\\[^{LINE_ENDS}]|\[(?:[^\]\\{LINE_ENDS}]++|\\[^{LINE_ENDS}])*+\])++/\w*+"
)
_TEMPLATE = re.compile(r"(?:[^`\\$]++|\\.|\$(?!\{))*+(?P<ends>`|\$\{)", re.DOTALL)
_ODD = re.compile("[^\x20-\x7e]")
_HALVES = {
    "'": "the text that begins here is not closed",
    '"': "the text that begins here is not closed",
    "\\": "a name is written with its letters, not with \\u escapes",
    "#": "a name comes after #, with nothing between",
}


class Word(Struct, frozen=True, gc=False):
    """`after_line`: a line ends between it and the word before. `doc`: where a comment that begins with /** stands before it."""

    kind: str
    text: str
    start: int
    end: int
    after_line: bool = False
    doc: tuple[int, int] | None = None


class Words:
    """Taken on demand, and kept: who has read ahead may come back."""

    def __init__(self, source: str) -> None:
        self.source = source
        self._known: list[Word] = []

    def __getitem__(self, place: int) -> Word:
        while place >= len(self._known):
            self._known.append(self._next(self._known[-1].end if self._known else 0))
        return self._known[place]

    def regex(self, place: int) -> Word:
        """The word at that place once more, as a regular expression."""
        word = self[place]
        found = _REGEX.match(self.source, word.start)
        if found is None:
            return self._instead(place, WRONG, word.end, "the regular expression that begins here is not closed")
        return self._instead(place, REGEX, found.end())

    def regexes(self) -> list[Word]:
        """All that were read."""
        return [word for word in self._known if word.kind == REGEX]

    def template(self, place: int) -> Word:
        """The word at that place once more, as the part of a template that goes on after `}`."""
        word = self[place]
        if word.kind == REST:  # it was read before
            return word
        found = _TEMPLATE.match(self.source, word.end)
        if found is None:
            return self._instead(place, WRONG, word.end, "the template that this belongs to is not closed")
        return self._instead(place, REST, found.end())

    def _instead(self, place: int, kind: str, end: int, text: str = "") -> Word:
        word = self._known[place]
        del self._known[place:]
        text = text or self.source[word.start : end]
        self._known.append(Word(kind, text, word.start, end, word.after_line, word.doc))
        return self._known[place]

    def _next(self, at: int) -> Word:
        after_line, doc = False, None
        while True:
            begin = at
            at = _end(_SPACE, self.source, at)
            if not after_line:
                after_line = any(end in self.source[begin:at] for end in LINE_ENDS)
            comment = _COMMENT.match(self.source, at)
            if comment is None:
                break
            if comment["open"]:
                return Word(WRONG, "the comment that begins here is not closed", at, at + 2)
            after_line = after_line or any(end in comment[0] for end in LINE_ENDS)
            if comment[0].startswith("/**") and comment[0] != "/**/":
                doc = comment.span()
            at = comment.end()
        if at == len(self.source):
            return Word(END, "", at, at, after_line=True, doc=doc)
        return self._word(at, after_line, doc)

    def _word(self, at: int, after_line: bool, doc: tuple[int, int] | None) -> Word:
        source = self.source
        if source[at] == "`":
            found = _TEMPLATE.match(source, at + 1)
            kind = TEMPLATE
        else:
            found = _WORD.match(source, at)
            kind = str(found.lastgroup) if found else WRONG
        if found is None:
            return Word(WRONG, _wrong(source, at), at, at + 1)
        kind = NUMBER if kind == "big" else kind
        text, end = source[at : found.end()], found.end()
        if kind == NUMBER and (message := _wrong_number(text, source[end : end + 1])):
            return Word(WRONG, message, at, end)
        if kind == NAME and not text.isascii() and not _is_name(text):
            return Word(WRONG, f"{text!r} is not a name", at, end)
        if source.startswith("<!--", at) or (after_line and source.startswith("-->", at)):
            return Word(WRONG, "this begins a comment in some places of JavaScript; put a space into it", at, end)
        return Word(kind, text, at, end, after_line, doc)


def _end(pattern: re.Pattern[str], source: str, at: int) -> int:
    found = pattern.match(source, at)
    assert found is not None, "it fits nothing, too"
    return found.end()


def _is_name(text: str) -> bool:
    return text.translate({ord(each): "_" for each in "$\u200c\u200d"}).isidentifier()


def _wrong(source: str, at: int) -> str:
    if source[at] == "`":
        return "the template that begins here is not closed"
    shown = f"U+{ord(source[at]):04X}" if _ODD.match(source[at]) else source[at]
    return _HALVES.get(source[at], f"the character {shown} has no meaning here")


def _wrong_number(text: str, after: str) -> str:
    if re.match("0[0-9_]", text):
        return "a number does not begin with 0"
    follows = after if after.isalnum() or after in ("_", "$", "\\") else ""
    if follows or _NUMBER.fullmatch(text) is None:
        return f"{text + follows!r} is not a number"
    return ""
