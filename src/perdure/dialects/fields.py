"""Reading the fields of a document: each is there in the type that it must have, or the author is told."""

from __future__ import annotations

from collections.abc import Collection

from msgspec import Struct

from perdure.dialects.faults import Faults, at
from perdure.expressions.wording import kind, near, nearest, shown
from perdure.model.values import Json

WORD_MAX = 200


class Fields(Struct, frozen=True):
    """An object of a document, its path, and where to tell what is wrong. `step` is the id that the author knows it by; `known`
    are the keys that mean something here, if all of them are known.
    """

    given: dict[str, Json]
    path: str
    faults: Faults
    step: str = ""
    known: tuple[str, ...] = ()

    def has(self, key: str) -> bool:
        """Null counts as not there."""
        return self.given.get(key) is not None

    def at(self, key: str) -> str:
        return at(self.path, key)

    def text(self, key: str, *, required: bool = False) -> str | None:
        """A text that is not empty."""
        found = self.given.get(key)
        if isinstance(found, str) and found:
            return found
        if found is not None:
            self.wrong(key, "a text that is not empty")
        elif required:
            self.missing(key)
        return None

    def word(self, key: str, *, required: bool = False) -> str | None:
        """A text that names something, and so is short."""
        found = self.text(key, required=required)
        if found is not None and len(found) > WORD_MAX:
            self.problem("too_long", key, f"{key!r} has {len(found):,} characters; the limit is {WORD_MAX}")
            return None
        return found

    def flag(self, key: str, *, default: bool = False) -> bool:
        found = self.given.get(key)
        if isinstance(found, bool):
            return found
        if found is not None:
            self.wrong(key, "true or false")
        return default

    def whole(self, key: str, least: int = 0) -> int | None:
        found = self.given.get(key)
        if isinstance(found, float) and found.is_integer():
            found = int(found)
        if isinstance(found, int) and not isinstance(found, bool) and found >= least:
            return found
        if found is not None:
            self.wrong(key, f"a whole number from {least} up")
        return None

    def object(self, key: str, *, required: bool = False) -> dict[str, Json]:
        found = self.given.get(key)
        if isinstance(found, dict):
            return found
        if found is not None:
            self.wrong(key, "an object")
        elif required:
            self.missing(key)
        return {}

    def array(self, key: str, *, required: bool = False) -> list[Json]:
        found = self.given.get(key)
        if isinstance(found, list):
            return found
        if found is not None:
            self.wrong(key, "an array")
        elif required:
            self.missing(key)
        return []

    def choice(self, key: str, known: Collection[str], default: str) -> str:
        found = self.given.get(key)
        if found is None or (isinstance(found, str) and found in known):
            return default if found is None else found
        hint = nearest(found, known) if isinstance(found, str) else ""
        self.wrong(key, f"one of {', '.join(known)}", hint)
        return default

    def within(self, key: str, *, required: bool = False) -> Fields:
        """The fields of an object in it; of nothing, if it is none."""
        return Fields(self.object(key, required=required), self.at(key), self.faults, self.step)

    def wrong(self, key: str, expected: str, hint: str = "") -> None:
        found = self.given.get(key)
        said = shown(found) if isinstance(found, str) else kind(found)
        if isinstance(found, bool | int | float):
            said = repr(found) if not isinstance(found, bool) else str(found).lower()
        self.problem("wrong_type", key, f"{key!r} must be {expected}, not {said}{hint}")

    def missing(self, key: str) -> None:
        # What means something itself is not another key misspelt: with `fromNodeId` alone, `toNodeId` is missing.
        misspelt = near(key, (each for each in self.given if each not in self.known))
        hint = "" if misspelt is None else f"; is {misspelt!r} meant for it?"
        self.faults.problem("missing_field", self.path, f"{key!r} is missing{hint}", step=self.step, field=key)

    def problem(self, type_: str, key: str, message: str) -> None:
        self.faults.problem(type_, self.at(key), message, step=self.step, field=key)

    def warning(self, type_: str, key: str, message: str) -> None:
        self.faults.warning(type_, self.at(key), message, step=self.step, field=key)

    def shared_warning(self, type_: str, key: str, message: str) -> None:
        """Warn once for all the steps that the same is true of."""
        self.faults.shared_warning(type_, self.at(key), message, step=self.step, field=key)

    def warning_here(self, type_: str, key: str, message: str) -> None:
        """Of the object itself, because of a key that is not there."""
        self.faults.warning(type_, self.path, message, step=self.step, field=key)
