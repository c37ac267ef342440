"""Events as they arrive: CloudEvents 1.0 in JSON, or plain ones, `{"type": "order.paid", "payload": {…}}`.

What is sent is data: whatever its payload says, it is kept as it came. All that is wrong with an event is said at once.
"""

from __future__ import annotations

import re
from base64 import b64decode
from collections.abc import Iterator
from itertools import islice
from typing import Any, Final

from perdure.core.patterns import flaw
from perdure.errors import EvaluationError
from perdure.expressions.canonical import NotJson, canonical
from perdure.expressions.times import instant_ms
from perdure.expressions.wording import kind, nearest, shown
from perdure.model.problem import Problem
from perdure.model.records import EventRecord
from perdure.model.values import Json
from perdure.service.given import is_whole

LENGTH_MAX: Final = 500
"""Characters of an id, a type or a source."""

TOLD: Final = frozenset(f"workflow.{what}" for what in ("started", "completed", "failed", "cancelled"))
"""What executions tell of themselves. Whoever else could say so could start what waits for them."""

_CLOUD: Final = (
    "specversion",
    "id",
    "source",
    "type",
    "time",
    "subject",
    "datacontenttype",
    "dataschema",
    "data",
    "data_base64",
)
_PLAIN: Final = (
    "type",
    "name",
    "payload",
    "data",
    "id",
    "source",
    "time",
    "correlationId",
    "correlation_id",
    "metadata",
)
_OWN: Final = frozenset({"specversion", "id", "source", "type", "data", "data_base64"})
"""Of these a record has fields; the others are its metadata."""

_EXTENSION: Final = re.compile(r"[a-z0-9]+")


class Arriving:
    """One event that is being read: what it says, and what is wrong with it."""

    def __init__(self, given: Json, path: str = "") -> None:
        self._path = path
        self.problems: list[Problem] = []
        self._given: dict[str, Any] = given if isinstance(given, dict) else {}
        if not isinstance(given, dict):
            self._wrong(
                "", f'an event is an object, as in {{"type": "order.paid", "payload": {{}}}}, not {kind(given)}'
            )

    def record(self, fresh_id: str, organization: str, at: int) -> EventRecord | None:
        """None: there are problems."""
        if self.problems:
            return None
        read = self._cloud if "specversion" in self._given else self._plain
        found = read(fresh_id, organization, at)
        return None if self.problems else found

    def _cloud(self, fresh_id: str, organization: str, at: int) -> EventRecord:
        del fresh_id
        if self._given["specversion"] != "1.0":
            self._wrong(
                "specversion", f"this is CloudEvents {shown(str(self._given['specversion']))}; send version 1.0"
            )
        for name in self._given.keys() - set(_CLOUD):
            if not _EXTENSION.fullmatch(name):
                self._wrong(name, "the name of an attribute has small letters and digits only")
        data = self._binary() if "data_base64" in self._given else self._value("data")
        rest = {
            name: self._value(name)
            for name in self._given
            if name not in ("specversion", "id", "source", "type", "data", "data_base64")
        }
        correlation = rest.pop("correlationid", None)
        return EventRecord(
            id=self._text("id", required=True),
            type=self._type("type"),
            at=at,
            data=data,
            source=self._text("source", required=True),
            organization=organization,
            correlation_id=None if correlation is None else str(correlation),
            metadata=rest or None,
        )

    def _plain(self, fresh_id: str, organization: str, at: int) -> EventRecord:
        for name in self._given.keys() - set(_PLAIN):
            self._wrong(
                name, f"an event has no {name!r}{nearest(name, _PLAIN) or '; what it brings goes into payload'}"
            )
        if "payload" in self._given and "data" in self._given:
            self._wrong("data", "payload and data mean the same; send one of them")
        metadata = self._value("metadata")
        if metadata is not None and not isinstance(metadata, dict):
            self._wrong("metadata", f"metadata is an object, not {kind(metadata)}")
            metadata = None
        metadata = dict(metadata or {})
        if "time" in self._given:
            metadata["time"] = self._value("time")
        said = self._text("correlationId") or self._text("correlation_id") or metadata.pop("correlationId", None)
        return EventRecord(
            id=self._text("id") or fresh_id,
            type=self._type("name" if "type" not in self._given and "name" in self._given else "type"),
            at=at,
            data=self._value("payload" if "payload" in self._given else "data"),
            source=self._text("source"),
            organization=organization,
            correlation_id=said if isinstance(said, str) and said else None,
            metadata=metadata or None,
        )

    def _type(self, name: str) -> str:
        text = self._text(name, required=True)
        if "*" in text or "#" in text:
            self._wrong(name, f"{shown(text)} is a pattern; an event has one type, as order.paid")
        elif text and (why := flaw(text)) is not None:
            self._wrong(name, f"{shown(text)} {why}, as in order.paid")
        if text in TOLD:
            self._wrong(name, f"{text} is what executions tell of themselves, and nobody else; choose another type")
        return text

    def _text(self, name: str, *, required: bool = False) -> str:
        text = self._given.get(name)
        if text is None or text == "":
            if required or text == "":
                self._wrong(
                    name, f"{name} is missing; give it a text" if text is None else f"{name} is empty; give it a text"
                )
            return ""
        if not isinstance(text, str):
            self._wrong(name, f"{name} is a text, not {kind(text)}")
            return ""
        if len(text) > LENGTH_MAX or not text.isprintable() or not is_whole(text):
            self._wrong(name, f"{name} has at most {LENGTH_MAX} characters that can be shown; this one has {len(text)}")
        return text

    def _value(self, name: str) -> Json:
        given = self._given.get(name)
        try:
            value = canonical(given)
        except NotJson as error:
            self._wrong(name, str(error))
            return None
        for path in islice(_lost(given, value, ""), 1):  # what is sent is kept as it came, or not at all
            where = f"{name}{path} is" if path else f"{name} is"
            self._wrong(name, f"{where} a number that JSON has no word for, as NaN and infinity; send null, or a text")
        if name == "time" and value is not None and not _is_instant(value):
            self._wrong(name, "time is an instant, as 2026-11-16T09:30:00Z")
        return value

    def _binary(self) -> Json:
        """Bytes stay as they were sent, in base64: JSON has no word for them."""
        if "data" in self._given:
            self._wrong("data", "an event has data or data_base64, not both")
        text = self._text_of_any_length("data_base64")
        try:
            b64decode(text, validate=True)
        except ValueError:
            self._wrong("data_base64", "it is not base64")
        return text

    def _text_of_any_length(self, name: str) -> str:
        text = self._given.get(name)
        if not isinstance(text, str):
            self._wrong(name, f"{name} is a text, not {kind(text)}")
            return ""
        return text

    def _wrong(self, name: str, message: str) -> None:
        self.problems.append(
            Problem("invalid_event", message, field=name, path=f"{self._path}/{name}" if name else self._path)
        )


def _lost(given: Any, kept: Json, path: str) -> Iterator[str]:
    """Where numbers have become null."""
    if kept is None and given is not None:
        yield path
    elif isinstance(kept, dict):
        for (key, each), there in zip(given.items(), kept.values(), strict=False):
            yield from _lost(each, there, f"{path}/{key}")
    elif isinstance(kept, list):
        for number, (each, there) in enumerate(zip(given, kept, strict=True)):
            yield from _lost(each, there, f"{path}/{number}")


def _is_instant(value: Json) -> bool:
    try:
        return isinstance(value, str) and instant_ms(value) is not None
    except EvaluationError:
        return False
