"""One setting: a row of the table, and how it is read from an environment. Nothing else reads one.

Where a setting may be in a file, `NAME_FILE` names that file: what stands in the list of processes or in a crash report is then
the name of a file, and not a secret.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, Generic, TypeVar

from msgspec import Struct

from perdure.errors import PerdureError
from perdure.settings.kinds import Kind

FILE: Final = "_FILE"
SHOWN_MAX: Final = 80
FILE_BYTES_MAX: Final = 65_536

Value = TypeVar("Value")


class BadSetting(PerdureError, code="bad_setting"):
    """A setting of the environment cannot be read; the message names it and shows one that can."""


class Setting(Struct, Generic[Value], frozen=True):
    """A row.

    default   what holds where it is not set, in words for the table
    in_file   whether `NAME_FILE` may name a file that has it
    instead   another name, which is looked for where this one is not set
    family    it stands for all names that begin so, which somebody else reads or which people choose themselves
    """

    name: str
    kind: Kind[Value]
    about: str
    default: str = ""
    in_file: bool = False
    instead: str | None = None
    family: bool = False

    @property
    def file(self) -> str:
        return f"{self.name}{FILE}"

    def names(self) -> tuple[str, ...]:
        """All under which it is looked for."""
        own = (self.name, self.file) if self.in_file else (self.name,)
        return own if self.instead is None else (*own, self.instead)

    def is_named(self, name: str) -> bool:
        return name.startswith(self.name) if self.family else name in self.names()

    def place(self, environment: Mapping[str, str]) -> str | None:
        """Which of its names is set. Raises `BadSetting` where that does not say which is meant."""
        found = [name for name in self.names() if environment.get(name, "").strip()]
        if self.in_file and found[:2] == [self.name, self.file]:
            raise BadSetting(f"{self.name} and {self.file} are both set; which one is meant? unset the other")
        return found[0] if found else None

    def text(self, environment: Mapping[str, str]) -> str | None:
        """As it was written; None: it is not set. Raises `BadSetting`."""
        place = self.place(environment)
        if place is None:
            return None
        given = environment[place].strip()
        return given if place != self.file or not self.in_file else _content(place, given)

    def read(self, environment: Mapping[str, str]) -> Value | None:
        """None: it is not set, and its default holds. Raises `BadSetting`."""
        given = self.text(environment)
        if given is None:
            return None
        try:
            return self.kind.read(given)
        except ValueError as error:
            place = self.place(environment) or self.name
            shown = "cannot be used" if self.kind.is_secret or place != self.name else f"is {given[:SHOWN_MAX]!r}"
            raise BadSetting(f"{place} {shown}; {error}") from error


AnySetting = Setting[Any]


def _content(name: str, file: str) -> str:
    place = f"{name} ({file})"
    try:
        with Path(file).open("rb") as opened:
            found = opened.read(FILE_BYTES_MAX + 1)
    except OSError as error:
        raise BadSetting(f"{place} cannot be read: {error.strerror}") from error
    if len(found) > FILE_BYTES_MAX:
        raise BadSetting(f"{place} has more than {FILE_BYTES_MAX:,} bytes, which no setting has; name another file")
    try:
        return found.decode().strip()
    except UnicodeDecodeError as error:
        raise BadSetting(f"{place} is not text: write the setting in it, and nothing else") from error
