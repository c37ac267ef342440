"""Values of a phases document: JSON with refs in it, which becomes values of the model. What leads astray is told, once."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Final

from msgspec import Struct

from perdure.dialects.faults import Faults
from perdure.dialects.phases.names import Astray, Led, Names
from perdure.dialects.phases.types import ANYTHING, Type, constant
from perdure.dialects.values import checked, note
from perdure.expressions.refs import Ref, Standing, refs_in, value_with_refs
from perdure.expressions.shapes import Effort
from perdure.expressions.wording import pointer, shown
from perdure.model.values import Json, Value

WHERE_SECRETS_MAY_BE: Final = "the input of a tool step"
_SPACE: Final = re.compile(r"\s")
_OUTPUT: Final = re.compile(r"\w\.output\b")
_GOES_ON: Final = re.compile(r"\[|\.{1,2}[\w\[]|\w")
_QUOTED_KEY: Final = re.compile(r"""\[\s*(?:'[^']*'|"[^"]*")\s*\]""")
PARTS_MAX: Final = 40
"""What an expression can hold, with room for what stands around it."""


class Place(Struct, frozen=True):
    """Where values stand: what is known there, and whose they are. `effort` is what comparing types may still take anywhere,
    `read` what was read of anywhere: steps, and `output`.
    """

    names: Names
    faults: Faults
    step: str
    effort: Effort
    read: set[str]

    def value(self, given: Json, path: str, field: str, *, secrets: bool = False, as_written: bool = True) -> Value:
        """`secrets`: they may stand there, because a tool is given it. `as_written`: what leads nowhere in a text stays there."""

        def resolve(ref: Ref, standing: Standing) -> str | None:
            inner = _field(field, standing.path.removeprefix(path))
            found = self._resolved(ref, standing, inner)
            if found is None or ref.name != "secrets" or secrets:
                return found
            message = f"a secret can only stand in {WHERE_SECRETS_MAY_BE}"
            self.faults.problem("secret_misused", standing.path, message, step=self.step, field=inner, ref=ref.text)
            return None

        self._tell_of_rests(given, path, field, path)
        value = value_with_refs(given, resolve, path, as_written=as_written)
        return checked(value, path, self.faults, self.step, no_secrets=None)

    def _tell_of_rests(self, given: Json, path: str, field: str, root: str) -> None:
        """Refs that go on where nobody can read them: `@a.items[*].id`, `@a.x['y']`. As a text, that would be no one's wish."""
        match given:
            case str():
                found = next((ref for ref in _going_on(given) if isinstance(self.names.led(ref), Led)), None)
                if found is not None:
                    message = (
                        f"{shown(given)} cannot be read beyond {found.text!r}: a ref goes on with .name, .0 or [0]; what else "
                        "is to be taken of it, a transform can take"
                    )
                    self._missing(path, _field(field, path.removeprefix(root)), Ref("", (), given), lambda: message)
                self._warn_of_bare_ref(given, path, _field(field, path.removeprefix(root)))
            case list():
                for number, item in enumerate(given):
                    self._tell_of_rests(item, f"{path}/{number}", field, root)
            case dict():
                for key, item in given.items():
                    self._tell_of_rests(item, f"{path}/{pointer(key)}", field, root)
            case _:
                pass

    def _warn_of_bare_ref(self, text: str, path: str, field: str) -> None:
        """Warn of a text like `fetch.output.users`, where `fetch` is an earlier step."""
        if self.faults.has_warned_enough or text.count(".") + text.count("[") > PARTS_MAX:
            return
        match refs_in(f"@{text}") if _OUTPUT.search(text) and not _SPACE.search(text) else []:
            case [Ref(path=("output", *_)) as ref] if ref.name in self.names.earlier:
                if not isinstance(self.names.led(ref), Led):
                    return
                message = f"{shown(text)} is a text; to read what the step has output, write {shown(f'@{text}')}"
                self._doubted(path, field, ref, lambda: message)
            case _:
                pass

    def _resolved(self, ref: Ref, standing: Standing, field: str) -> str | None:
        if len(ref.path) > PARTS_MAX:
            message = f"a ref has {PARTS_MAX} parts at most, not {len(ref.path):,}"
            self._missing(standing.path, field, ref, lambda: message)
            return None
        match self.names.led(ref):
            case Led(source=source) as led:
                self.read.add(ref.name)
                self._doubted(standing.path, field, ref, lambda: led.doubt)
                return note(ref.text, source, self.faults)
            case _ if standing.in_word:
                pass
            case Astray() as astray if astray.is_name or standing.is_whole:
                self._missing(standing.path, field, ref, lambda: astray.message)
            case Astray() as astray:
                self._doubted(standing.path, field, ref, lambda: f"{astray.message}; {_stays(ref)}")
            case None if standing.is_whole:
                self._missing(standing.path, field, ref, lambda: self.names.unknown(ref))
            case None if ref.path[:1] == ("output",):
                self._doubted(standing.path, field, ref, lambda: f"{self.names.unknown(ref)}; {_stays(ref)}")
        return None

    def _doubted(self, path: str, field: str, ref: Ref, told: Callable[[], str]) -> None:
        """`told` is asked only while anything more is told: to look for what is meant takes long."""
        message = "" if self.faults.has_warned_enough else told()
        if message:
            self.faults.warning("unknown_ref", path, message, step=self.step, field=field, ref=ref.text)

    def _missing(self, path: str, field: str, ref: Ref, told: Callable[[], str]) -> None:
        message = "" if self.faults.is_full else told()
        self.faults.problem("missing_ref", path, message, step=self.step, field=field, ref=ref.text)

    def type_of_text(self, text: str) -> tuple[Type, Ref | None]:
        """And the ref, if it is nothing else. What leads nowhere has been told."""
        match refs_in(text):
            case [Ref() as ref]:
                led = self.names.led(ref)
                return (led.type if isinstance(led, Led) else ANYTHING), ref
            case parts if all(isinstance(part, str) or self.names.led(part) is None for part in parts):
                return constant("".join(part if isinstance(part, str) else part.text for part in parts)), None
            case _:
                return Type({"type": "string"}), None


def _stays(ref: Ref) -> str:
    return f"{ref.text!r} stays as it is written"


def _going_on(text: str) -> Iterator[Ref]:
    """The refs of a text that seem to go on where nobody reads: with a key in quotes, wherever they stand; with whatever else, if
    the text is one word, and begins with it.
    """
    parts = refs_in(text)
    is_word = not _SPACE.search(text)
    for number, (ref, rest) in enumerate(pairwise(parts)):
        if isinstance(ref, Ref) and isinstance(rest, str):
            begins = is_word and not number and _GOES_ON.match(rest)
            if begins or (_QUOTED_KEY.match(rest) and not ref.is_in_word(text)):
                yield ref


def is_ref(given: Json) -> bool:
    """Whether it is a text that is one ref, and nothing else."""
    match refs_in(given) if isinstance(given, str) else []:
        case [Ref()]:
            return True
        case _:
            return False


def _field(field: str, path: str) -> str:
    """`recipients`, `data.users`: the path to a part of an input."""
    parts = [part.replace("~1", "/").replace("~0", "~") for part in path.split("/")[1:]]
    return ".".join(parts) if field == "input" and parts else field
