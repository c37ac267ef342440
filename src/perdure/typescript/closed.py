"""Types together with what their parameters stand for, each kept once, so that one that comes back is known again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from perdure.typescript.syntax import (
    Access,
    ArrayOf,
    Index,
    Intersection,
    KeyOf,
    Mapped,
    ObjectOf,
    Property,
    Reference,
    Tuple,
    Type,
    Union,
)

EMPTY: Mapping[str, Closed] = {}


class Closed(Struct, frozen=True, eq=False):
    """`names`: the parameters that occur in it."""

    type: Type
    names: Mapping[str, Closed]

    @property
    def at(self) -> int:
        return self.type.at


class Closing:
    def __init__(self) -> None:
        self._known: dict[tuple[int, tuple[tuple[str, int], ...]], Closed] = {}
        self._names: dict[int, frozenset[str]] = {}

    def close(self, type_: Type, names: Mapping[str, Closed] = EMPTY) -> Closed:
        if isinstance(type_, Reference) and not type_.arguments and type_.name in names:
            return names[type_.name]
        own = {name: names[name] for name in sorted(names.keys() & self._occurring(type_))}
        key = id(type_), tuple((name, id(each)) for name, each in own.items())
        return self._known.setdefault(key, Closed(type_, own))

    def joined(self, kind: type[Union | Intersection], parts: Sequence[Closed], at: int) -> Closed:
        """One type of several, which may have parameters of the same name."""
        if len(parts) == 1:
            return parts[0]
        names = {f"{number} of {len(parts)}": part for number, part in enumerate(parts)}
        return self.close(kind(at, tuple(Reference(part.at, name) for name, part in names.items())), names)

    def _occurring(self, type_: Type) -> frozenset[str]:
        found = self._names.get(id(type_))
        if found is None:
            ahead, names = [type_], set()
            while ahead:
                part = ahead.pop()
                if isinstance(part, Reference):
                    names.add(part.name)
                ahead.extend(_inner(part))
            found = self._names[id(type_)] = frozenset(names)
        return found


def _inner(type_: Type) -> Iterator[Type]:
    match type_:
        case Reference():
            yield from type_.arguments
        case ArrayOf():
            yield type_.item
        case Tuple():
            yield from (place.type for place in type_.places)
        case ObjectOf():
            yield from (member.type for member in type_.members if isinstance(member, Property | Index))
            yield from (member.key for member in type_.members if isinstance(member, Index))
        case Mapped():
            yield from (type_.keys, type_.type)
        case Union() | Intersection():
            yield from type_.parts
        case KeyOf():
            yield type_.type
        case Access():
            yield from (type_.type, type_.index)
        case _:
            pass
