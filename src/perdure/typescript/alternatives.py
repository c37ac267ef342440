"""The alternatives of a union, and the items of an array, however they are put."""

from __future__ import annotations

from perdure.expressions.shapes import key as key_of
from perdure.typescript.closed import Closed
from perdure.typescript.meanings import Items, Meanings, is_keyword, name_of
from perdure.typescript.syntax import (
    Access,
    ArrayOf,
    Inexpressible,
    KeyOf,
    Keyword,
    Literal,
    Reference,
    Tuple,
    Type,
    Union,
)

_EACH = "each of them"
_PLAIN = ("string", "number", "boolean", "null", "undefined", "never")


def parts_of(m: Meanings, closed: Closed) -> tuple[Closed, ...]:
    type_ = closed.type
    match type_:
        case Union():
            return tuple(part for each in type_.parts for part in m.parts(m.close(each, closed.names)))
        case KeyOf():
            return _keys(m, m.close(type_.type, closed.names))
        case Access():
            return _accessed(m, closed, type_)
        case Reference():
            beneath = m.beneath(closed)
            if beneath is not None:
                found = m.parts(beneath)
                return (closed,) if found == (beneath,) else found
            return _of_each(m, closed, type_) if type_.name in ("Partial", "Required") else _chosen(m, closed, type_)
        case _:
            return (closed,)


def items_of(m: Meanings, closed: Closed) -> Items | None:
    type_ = closed.type
    match type_:
        case ArrayOf():
            return Items((), (m.close(type_.item, closed.names),))
        case Tuple():
            places: list[Closed] = []
            rest: list[Closed] = []
            for place in type_.places:
                inner = m.close(place.type, closed.names)
                more = m.items(inner) if place.rest else None
                places.extend([inner] if not place.rest else more.places if more else ())
                rest.extend(more.rest if more else ())
            return Items(tuple(places), tuple(rest))
        case Reference():
            beneath = m.beneath(closed)
            if beneath is not None:
                return m.items(beneath)
            is_array = type_.name in ("Array", "ReadonlyArray", "Readonly") and m.declared(type_) is None
            if not is_array or not m.knows(type_):
                return None
            inner = m.close(type_.arguments[0], closed.names)
            return m.items(inner) if type_.name == "Readonly" else Items((), (inner,))
        case Access() | Union():
            parts = m.parts(closed)
            return m.items(parts[0]) if len(parts) == 1 else None
        case _:
            return None


def _of_each(m: Meanings, closed: Closed, reference: Reference) -> tuple[Closed, ...]:
    """`Partial` and `Required` of a union: of each of its alternatives; what is no object stays what it is."""
    if m.declared(reference) is not None or not m.knows(reference):
        return (closed,)
    parts = m.parts(m.close(reference.arguments[0], closed.names))
    if len(parts) == 1:
        return (closed,)
    each = Reference(reference.at, reference.name, (Reference(reference.at, _EACH),))
    return tuple(part if _is_plain(part.type) else m.close(each, {_EACH: part}) for part in parts)


def _is_plain(type_: Type) -> bool:
    return isinstance(type_, Literal) or is_keyword(type_, *_PLAIN)


def _chosen(m: Meanings, closed: Closed, reference: Reference) -> tuple[Closed, ...]:
    """`Exclude`, `Extract` and `NonNullable`."""
    is_chosen = reference.name in ("Exclude", "Extract", "NonNullable") and m.declared(reference) is None
    if not is_chosen or not m.knows(reference):
        return (closed,)
    arguments = [m.close(each, closed.names) for each in reference.arguments]
    parts = tuple(each for part in m.parts(arguments[0]) for each in _truths(m, part))
    if reference.name == "NonNullable":
        return tuple(part for part in parts if not is_keyword(part.type, "null", "undefined"))
    wanted = reference.name == "Extract"
    others = m.parts(arguments[1])
    if all(isinstance(part.type, Literal) for part in others):
        values = {key_of(part.type.value) for part in others if isinstance(part.type, Literal)}
        return tuple(
            part for part in parts if (isinstance(part.type, Literal) and key_of(part.type.value) in values) is wanted
        )
    other = m.schema(arguments[1])
    undefined = any(is_keyword(part.type, "undefined") for part in others)

    def fits(part: Closed) -> bool:
        return undefined if is_keyword(part.type, "undefined") else m.fits(m.schema(part), other, reference.at)

    return tuple(part for part in parts if fits(part) is wanted)


def _truths(m: Meanings, part: Closed) -> tuple[Closed, ...]:
    """Of `boolean`, one may be left out, and the other not."""
    if not is_keyword(part.type, "boolean"):
        return (part,)
    return tuple(m.close(Literal(part.at, value)) for value in (True, False))


def _keys(m: Meanings, closed: Closed) -> tuple[Closed, ...]:
    fields = m.fields(closed)
    if fields is None:
        m.refuse(closed.at, "keyof needs an object type; write out the keys, as in 'a' | 'b'")
        return ()
    if fields.index is not None:
        return tuple(m.close(Keyword(closed.at, name)) for name in ("string", "number"))
    return tuple(map(m.literal, fields.properties))


def _accessed(m: Meanings, closed: Closed, type_: Access) -> tuple[Closed, ...]:
    of = m.close(type_.type, closed.names)
    unclear = [each for part in m.parts(of) if isinstance(each := _named(m, part), Inexpressible)]
    for each in unclear:
        m.refuse(each.at, each.message)
    if unclear:
        return ()
    found: list[Closed] = []
    for index in m.parts(m.close(type_.index, closed.names)):
        for part in m.parts(of):
            one = _at(m, part, index.type)
            if one is None:
                m.refuse(type_.index.at, "there is no such property; name one that the type has, as in User['name']")
            else:
                found.extend(m.parts(one))
    return tuple(found)


def _named(m: Meanings, closed: Closed) -> Type:
    """What an alias is of in the end."""
    beneath = m.beneath(closed)
    return closed.type if beneath is None else _named(m, beneath)


def _at(m: Meanings, of: Closed, index: Type) -> Closed | None:
    items = m.items(of)
    if items is not None:
        return _at_place(m, items, index, of.at)
    fields = m.fields(of)
    if fields is None:
        return None
    field = fields.properties.get(name_of(index)) if isinstance(index, Literal) else None
    if field is None:
        return fields.index if isinstance(index, Literal) or is_keyword(index, "string", "number") else None
    if not field.optional:
        return field.type
    return m.joined(Union, (field.type, m.close(Keyword(index.at, "undefined"))), index.at)


def _at_place(m: Meanings, items: Items, index: Type, at: int) -> Closed | None:
    if is_keyword(index, "number"):
        every = (*items.places, *items.rest)
        return m.joined(Union, every, at) if every else None
    if not isinstance(index, Literal) or not name_of(index).isdecimal():
        return None
    place = int(name_of(index))
    return items.places[place] if place < len(items.places) else next(iter(items.rest), None)
