"""Sealed values: what a task is given has `***` where secrets belong, and beside it which secret belongs where.

They are filled in for the call, in memory, and nowhere else. What a user wrote is text between secrets and cannot name one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct

from perdure.expressions.sealing import masked
from perdure.model.values import Json
from perdure.tasks.disguises import Disguises
from perdure.tasks.host_names import filled_host
from perdure.tasks.redaction import Redactor


class Filled:
    """What a task is called with, and what hides it again. It is never shown."""

    __slots__ = ("given", "redactor")

    def __init__(self, given: Json, redactor: Redactor) -> None:
        self.given, self.redactor = given, redactor


class Place(Struct, frozen=True):
    """Where in the input a text with secrets stands, and what it is made of."""

    keys: tuple[str, ...]
    parts: tuple[Json, ...]


def places(sealed: Mapping[str, Any]) -> Iterator[Place]:
    for pointer, parts in sealed.items():
        keys = tuple(key.replace("~1", "/").replace("~0", "~") for key in pointer.split("/")[1:])
        yield Place(keys, tuple(parts))


def names(sealed: Mapping[str, Any]) -> tuple[str, ...]:
    """The secrets that are needed."""
    parts = (part for place in places(sealed) for part in place.parts)
    return tuple(dict.fromkeys(part["secret"] for part in parts if isinstance(part, dict)))


def envelopes(sealed: Mapping[str, Any]) -> dict[str, str]:
    """Return the secrets that are sealed variables of the execution, by name, as they were when the step was scheduled."""
    parts = (part for place in places(sealed) for part in place.parts)
    return {part["secret"]: part["envelope"] for part in parts if isinstance(part, dict) and "envelope" in part}


def filled(given: Json, sealed: Mapping[str, Any], values: Mapping[str, Disguises]) -> Filled:
    """`given` stays as it is."""
    texts: list[tuple[str, str]] = []
    hosts: set[str] = set()
    for place in places(sealed):
        pieces = [
            (values[part["secret"]].value, True) if isinstance(part, dict) else (part, False) for part in place.parts
        ]
        text, host = "".join(piece for piece, _ in pieces), filled_host(pieces)
        if host is not None:
            hosts.add(host)
        texts.append((text, masked(list(place.parts))))
        given = _with(given, place.keys, text)
    return Filled(given, Redactor(values.values(), texts, hosts))


def _with(value: Json, keys: tuple[str, ...], text: str) -> Json:
    """A copy along the way to the place."""
    if not keys:
        return text
    key, *rest = keys
    if isinstance(value, list):
        number = int(key)
        return [*value[:number], _with(value[number], tuple(rest), text), *value[number + 1 :]]
    return {**value, key: _with(value[key], tuple(rest), text)}
