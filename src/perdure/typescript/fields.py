"""The properties of an object type. What TypeScript itself brings (`Partial`, `Pick` and so on) is worked out here."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from msgspec.structs import replace

from perdure.expressions.wording import nearest
from perdure.typescript.closed import Closed
from perdure.typescript.meanings import BUILT_IN, Field, Fields, Meanings, is_keyword, name_of
from perdure.typescript.syntax import (
    Access,
    Declared,
    Index,
    Inexpressible,
    Intersection,
    KeyOf,
    Keyword,
    Literal,
    Mapped,
    ObjectOf,
    Property,
    Reference,
    Union,
    is_same,
)


def fields_of_type(m: Meanings, closed: Closed) -> Fields | None:
    type_ = closed.type
    match type_:
        case ObjectOf():
            return _of_members(m, type_, closed.names)
        case Mapped():
            return _of_mapped(m, type_, closed.names)
        case Intersection():
            every = [m.fields(m.close(part, closed.names)) for part in type_.parts]
            found = Fields({})
            for one in every:
                if one is None:
                    return None
                found = _both(m, found, one, closed.at)
            return found
        case Reference():
            return _of_reference(m, closed, type_)
        case Access() | Union():
            parts = m.parts(closed)
            return m.fields(parts[0]) if len(parts) == 1 else None
        case _:
            return None


def fields_of(m: Meanings, declared: Declared, names: Mapping[str, Closed]) -> Fields:
    """Of an interface, with what it extends."""
    properties: dict[str, Field] = {}
    index: Closed | None = None
    for base in declared.bases:
        fields = m.fields(m.close(base, names))
        if fields is None:
            m.refuse(base.at, "an interface can extend object types only")
            continue
        properties |= fields.properties
        index = fields.index or index
    assert isinstance(declared.type, ObjectOf)
    own = _of_members(m, declared.type, names)
    return Fields(properties | own.properties, own.index or index)


def _of_reference(m: Meanings, closed: Closed, reference: Reference) -> Fields | None:
    beneath = m.beneath(closed)
    if beneath is not None:
        return m.fields(beneath)
    declared = m.declared(reference)
    if declared is not None:
        names = m.instance(declared, reference, closed.names)
        return Fields({}) if names is None else fields_of(m, declared, names)
    if reference.name in BUILT_IN and m.knows(reference):
        return _of_built_in(m, reference.name, [m.close(each, closed.names) for each in reference.arguments])
    return None


def _of_members(m: Meanings, type_: ObjectOf, names: Mapping[str, Closed]) -> Fields:
    properties: dict[str, Field] = {}
    declared: dict[str, Property] = {}
    index: list[Closed] = []
    for member in type_.members:
        match member:
            case Property():
                before = declared.setdefault(member.name, member)
                if before is not member and not is_same(before, member):
                    message = f"the property {member.name!r} is declared twice, with different types; keep one of them"
                    m.refuse(member.at, message)
                properties[member.name] = Field(m.close(member.type, names), member.optional, member.doc)
            case Index():
                if _is_index(m, m.close(member.key, names)):
                    index.append(m.close(member.type, names))
            case Inexpressible():
                m.refuse(member.at, member.message)
    return Fields(properties, m.joined(Union, index, type_.at) if index else None)


def _is_index(m: Meanings, key: Closed) -> bool:
    if all(is_keyword(part.type, "string", "number") for part in m.parts(key)):
        return True
    m.refuse(key.at, "the keys of an index signature are string or number; name others one by one")
    return False


def _of_built_in(m: Meanings, name: str, arguments: list[Closed]) -> Fields | None:
    if name == "Record":
        return _of_keys(m, arguments[0], lambda _: arguments[1])
    if name not in ("Partial", "Required", "Readonly", "Pick", "Omit"):
        return None
    of = arguments[0]
    if name in ("Partial", "Required", "Readonly") and len(m.parts(of)) != 1:
        return None  # it is a union as well, of what becomes of each
    fields = _common(m, of)
    if fields is None:
        m.refuse(of.at, f"{name} needs an object type; write out its properties")
        return Fields({})
    match name:
        case "Partial":
            optional = {key: replace(field, optional=True) for key, field in fields.properties.items()}
            return Fields(optional, fields.index)
        case "Required":
            return Fields({key: _required(m, field) for key, field in fields.properties.items()}, fields.index)
        case "Pick":
            return _picked(m, fields, arguments[1])
        case "Omit":
            return _left(m, fields, arguments[1])
        case _:
            return fields


def _common(m: Meanings, closed: Closed) -> Fields | None:
    """What all alternatives have."""
    every = [m.fields(part) for part in m.parts(closed)]
    there = [fields for fields in every if fields is not None]
    if not there or len(there) < len(every):
        return None
    if len(there) == 1:
        return there[0]
    names = dict.fromkeys(name for fields in there for name in fields.properties)
    properties: dict[str, Field] = {}
    for name in names:
        each = [field for fields in there if (field := _field(fields, name)) is not None]
        if len(each) == len(there):
            type_ = m.joined(Union, [field.type for field in each], closed.at)
            properties[name] = Field(type_, any(field.optional for field in each), each[0].doc)
    m.spend(len(names) * len(there))
    indices = [fields.index for fields in there if fields.index is not None]
    return Fields(properties, m.joined(Union, indices, closed.at) if len(indices) == len(there) else None)


def _field(fields: Fields, name: str) -> Field | None:
    if name in fields.properties:
        return fields.properties[name]
    return None if fields.index is None else Field(fields.index)


def _picked(m: Meanings, of: Fields, keys: Closed) -> Fields:
    properties: dict[str, Field] = {}
    index: Closed | None = None
    for key in _keys(m, keys):
        if not isinstance(key.type, Literal):
            index = of.index
            if index is None:
                m.refuse(keys.at, "there is no index signature to pick; name properties, as in 'a' | 'b'")
            continue
        name = name_of(key.type)
        field = _field(of, name)
        if field is None:
            m.refuse(keys.at, f"there is no property {name!r}{nearest(name, of.properties)}")
        else:
            properties[name] = field
    return Fields(properties, index)


def _left(m: Meanings, of: Fields, keys: Closed) -> Fields:
    """As TypeScript has it: beside an index signature, properties have no keys of their own that could be left."""
    gone = list(_keys(m, keys))
    wide = {each for key in gone for each in ("string", "number") if is_keyword(key.type, each)}
    if of.index is not None:
        return Fields({}, of.index if len(wide) < 2 else None)  # noqa: PLR2004  a key is one or the other
    names = {name_of(key.type) for key in gone if isinstance(key.type, Literal)}

    def is_left(name: str) -> bool:
        return name not in names and ("number" if name.isdecimal() else "string") not in wide

    return Fields({name: field for name, field in of.properties.items() if is_left(name)})


def _required(m: Meanings, field: Field) -> Field:
    parts = [part for part in m.parts(field.type) if not is_keyword(part.type, "undefined")]
    type_ = m.joined(Union, parts, field.type.at) if parts else m.close(Keyword(0, "never"))
    return replace(field, type=type_, optional=False)


def _of_mapped(m: Meanings, type_: Mapped, names: Mapping[str, Closed]) -> Fields | None:
    fields: Fields | None = None
    if isinstance(type_.keys, KeyOf):
        fields = m.fields(m.close(type_.keys.type, names))
    mapped = _of_keys(m, m.close(type_.keys, names), lambda key: m.close(type_.type, {**names, type_.name: key}))
    properties = {}
    for key, field in mapped.properties.items():
        before = fields.properties.get(key) if fields else None
        optional = before.optional if before and type_.optional is None else bool(type_.optional)
        properties[key] = replace(field, optional=optional, doc=before.doc if before else "")
        if not optional:
            properties[key] = _required(m, properties[key]) if type_.optional is False else properties[key]
    return Fields(properties, mapped.index)


def _of_keys(m: Meanings, keys: Closed, type_: Callable[[Closed], Closed]) -> Fields:
    """An object with these keys; `type_` says what they hold."""
    properties: dict[str, Field] = {}
    index: Closed | None = None
    for key in _keys(m, keys):
        if isinstance(key.type, Literal):
            properties[name_of(key.type)] = Field(type_(key))
        else:
            index = type_(key)
    return Fields(properties, index)


def _keys(m: Meanings, keys: Closed) -> Iterator[Closed]:
    """Literals, string and number. Beside `string` or `number`, a literal of the kind adds nothing."""
    parts = m.parts(keys)
    kinds = (("string", str), ("number", float), ("number", int))
    wide = tuple(kind for name, kind in kinds if any(is_keyword(part.type, name) for part in parts))
    for key in parts:
        match key.type:
            case Literal(value=value) if not isinstance(value, bool):
                if not isinstance(value, wide):
                    yield key
            case Keyword(name="string" | "number"):
                yield key
            case Keyword(name="never"):
                pass
            case _:
                m.refuse(keys.at, "keys are string, number, or written out, as in 'a' | 'b'")


def _both(m: Meanings, one: Fields, other: Fields, at: int) -> Fields:
    properties = dict(one.properties)
    for name, field in other.properties.items():
        before = properties.get(name)
        if before is None:
            properties[name] = field
            continue
        types = (before.type,) if before.type is field.type else (before.type, field.type)
        type_ = m.joined(Intersection, types, at)
        properties[name] = Field(type_, before.optional and field.optional, before.doc or field.doc)
    indices = [each for each in (one.index, other.index) if each is not None]
    return Fields(properties, m.joined(Intersection, indices, at) if indices else None)
