"""Schemas as people write types, in the words of TypeScript: `{ id: number; name?: string }[]`. Short, however large they are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice

from perdure.expressions.shapes import Effort, Literals, Plain, Reader, Record, Schema, Sequence, Shape, Unknown
from perdure.model.values import Json

SHOWN_MAX = 6
DEPTH_MAX = 3
SCHEMAS_MAX = 100
TEXT_MAX = 200
LITERAL_MAX = 40


def describe(schema: Schema, reader: Reader | None = None) -> str:
    """A short type for messages. `reader` is that of the whole which its references lead into, if it is a part of one."""
    return cut(_Description(reader or Reader(schema, Effort())).schema(schema), TEXT_MAX)


class _Description:
    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._effort = Effort(SCHEMAS_MAX)

    def schema(self, schema: Schema, depth: int = 0, *, bracketed: bool = False) -> str:
        """Beside what is known, an unknown alternative is left out."""
        if not self._effort.spend():
            return "…"
        shapes = self._reader.shapes(schema)
        texts = list(islice((text for shape in shapes for text in self._shape(shape, depth)), SHOWN_MAX + 1))
        if not texts:
            return "unknown" if shapes else "never"
        text = listed(texts, " | ")
        return f"({text})" if bracketed and len(texts) > 1 else text

    def _shape(self, shape: Shape, depth: int) -> Iterator[str]:
        match shape:
            case Unknown():
                if "null" in shape.besides:
                    yield "{}"
            case Plain():
                yield shape.kind
            case Literals():
                yield from map(shown_value, shape.values.values())
            case Record():
                yield self._record(shape, depth)
            case _:
                yield self._sequence(shape, depth)

    def _record(self, shape: Record, depth: int) -> str:
        if depth >= DEPTH_MAX or not (shape.properties or shape.required or shape.rest):
            return "object"
        return f"{{ {listed(self._keys(shape, depth + 1), '; ')} }}"

    def _keys(self, shape: Record, depth: int) -> Iterator[str]:
        for name in {**shape.properties, **shape.required}:
            optional = "" if name in shape.required else "?"
            yield f"{cut(name, LITERAL_MAX)}{optional}: {self.schema(shape.properties.get(name, True), depth)}"
        if shape.rest:
            yield f"[key: string]: {self.schema(shape.rest, depth)}"

    def _sequence(self, shape: Sequence, depth: int) -> str:
        if depth >= DEPTH_MAX:
            return "array"
        others = f"{self.schema(True if shape.rest is None else shape.rest, depth + 1, bracketed=True)}[]"
        if not shape.first:
            return "[]" if shape.most == 0 else others
        places = listed(self.schema(place, depth + 1) for place in shape.first)
        return f"[{places}, ...{others}]" if shape.rest else f"[{places}]"


def listed(texts: Iterable[str], separator: str = ", ") -> str:
    shown = list(islice(texts, SHOWN_MAX + 1))
    if len(shown) > SHOWN_MAX:
        shown[-1] = "…"
    return separator.join(shown)


def shown_value(value: Json) -> str:
    match value:
        case None | bool():
            return str(value).lower().replace("none", "null")
        case str():
            return quoted(value)
        case list():
            return "[…]" if value else "[]"
        case Mapping():
            return "{…}" if value else "{}"
        case _:
            return cut(str(value), LITERAL_MAX)


def quoted(text: str) -> str:
    return repr(cut(text, LITERAL_MAX))


def cut(text: str, length: int) -> str:
    return text if len(text) <= length else f"{text[: length - 1]}…"
