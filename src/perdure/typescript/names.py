"""Which names mean something that a transform must not have, because it would come out differently the next time.

A name that the transform declares itself means what it declares, and the name of a property means nothing but that. What cannot
be told from the source (`const g = globalThis; g.fetch`) is not there in the sandbox either.
"""

from __future__ import annotations

from typing import Final

from msgspec import Struct

IMPORTS: Final = "a transform imports nothing: write what it needs into it, or use a tool step"
_TIME = "use a tool step for the time, and give it as input"
_CHANCE = "use a tool step for what is random, and give it as input"
_WAITING = "a transform does not wait; use a sleep step"
_OUTSIDE = "a transform reaches nothing outside; use a tool step, and give what it returns as input"
_SYNCHRONOUS = "a transform returns its value at once; use tool steps for what takes time"
_NO_CODE = "a transform runs no code but its own; write the function out"

REFUSED: Final = {
    "Promise": f"there is no Promise: {_SYNCHRONOUS}",
    "fetch": f"there is no fetch: {_OUTSIDE}",
    "Date": f"there is no Date: it would be another one the next time; {_TIME}",
    "performance": f"there is no performance: {_TIME}",
    "crypto": f"there is no crypto: {_CHANCE}",
    **dict.fromkeys(
        ("setTimeout", "setInterval", "setImmediate", "clearTimeout", "clearInterval", "queueMicrotask"),
        f"there are no timers: {_WAITING}",
    ),
    "requestAnimationFrame": f"there are no timers: {_WAITING}",
    "eval": f"there is no eval: {_NO_CODE}",
    "Function": f"there is no Function: {_NO_CODE}",
    "require": IMPORTS,
}
REFUSED_MEMBERS: Final = {"Math.random": f"there is no Math.random: {_CHANCE}"}
EXPORTED: Final = "$default"
_WATCHED: Final = frozenset({*REFUSED, "Math", "globalThis", EXPORTED})


class Scope:
    """The names that are declared in a block or a function; `outer` is None for the whole source."""

    def __init__(self, outer: Scope | None = None, *, is_function: bool = False) -> None:
        self.outer = outer
        self.is_function = is_function
        self.names: set[str] = set()

    def declare(self, name: str, *, var: bool = False) -> None:
        scope = self
        while var and not scope.is_function and scope.outer is not None:
            scope = scope.outer
        scope.names.add(name)

    def has(self, name: str) -> bool:
        scope: Scope | None = self
        while scope is not None:
            if name in scope.names:
                return True
            scope = scope.outer
        return False


class Mention(Struct, frozen=True):
    """A name that is used as a value, and which properties are taken of it, as far as they are written out."""

    name: str
    at: int
    scope: Scope
    members: tuple[str, ...] = ()


def is_watched(name: str) -> bool:
    return name in _WATCHED or name.startswith("#")


def refusal(mention: Mention) -> str | None:
    """What is wrong with it; known when all of the source is read, since functions may stand below those who call them."""
    if mention.name == EXPORTED:
        return f"{EXPORTED} is what the transform itself is called; take another name"
    if mention.scope.has(mention.name):
        return None
    if mention.name.startswith("#"):
        return f"no class around this has the private name {mention.name}; declare it there, as in {mention.name} = 0"
    path = (mention.name, *mention.members)
    while path[0] == "globalThis" and len(path) > 1:
        path = path[1:]
    return REFUSED.get(path[0]) or REFUSED_MEMBERS.get(".".join(path[:2]))
