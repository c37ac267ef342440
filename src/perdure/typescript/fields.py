"""What types mean beneath their names: the properties of an object type, the alternatives of a union, the items of an array.

Here generics are filled in, and the types that TypeScript itself brings (`Partial`, `Pick` and so on) are worked out. Nothing is
written here: what a property is of stays a type until somebody asks.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from msgspec import Struct
from msgspec.structs import replace

from perdure.expressions import numbers
from perdure.expressions.assignability import mismatches
from perdure.expressions.wording import nearest
from perdure.model.values import Json
from perdure.typescript.closed import EMPTY, Closed, Closing
from perdure.typescript.syntax import (
    Access,
    ArrayOf,
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
    Tuple,
    Type,
    Union,
)

DEPTH_MAX = 64
WORK_MAX = 100_000

BUILT_IN = {
    **dict.fromkeys(("Array", "ReadonlyArray", "Partial", "Required", "Readonly", "NonNullable"), 1),
    **dict.fromkeys(("Pick", "Omit", "Record", "Exclude", "Extract"), 2),
}
"""How many arguments they have."""

_NOT_JSON = {
    "Date": "a Date is not JSON; write string, for a time as in '2026-01-31T08:00:00Z', or number",
    "Map": "a Map is not JSON; write Record<string, …>",
    "Set": "a Set is not JSON; write an array",
    "Promise": "a transform returns its value at once; write the type of the value itself",
    "PromiseLike": "a transform returns its value at once; write the type of the value itself",
    "Function": "a function is not JSON, so it cannot be a part of Input or Output; leave it out",
    "RegExp": "a RegExp is not JSON; write string",
    "Symbol": "a symbol is not JSON; write string",
    "BigInt": "a bigint is not JSON; write number, or string",
    "Object": "write object, or unknown",
    "String": "write string",
    "Number": "write number",
    "Boolean": "write boolean",
}


class TooMuch(Exception):
    def __init__(self, at: int, message: str) -> None:
        super().__init__(message)
        self.at = at
        self.message = message


class Field(Struct, frozen=True):
    type: Closed
    optional: bool = False
    doc: str = ""


class Fields(Struct, frozen=True):
    """`index`: what keys hold that are not named; None if nothing is said of them."""

    properties: dict[str, Field]
    index: Closed | None = None


class Items(Struct, frozen=True):
    """Of an array: what its first places hold, and all others."""

    places: tuple[Closed, ...]
    rest: tuple[Closed, ...]


class Meanings:
    """Of the types of one source. `no_types` are names that stand for something else, such as a class; `schema` writes one."""

    def __init__(
        self,
        types: Mapping[str, Declared],
        no_types: Mapping[str, str],
        schema: Callable[[Meanings, Closed], Json],
    ) -> None:
        self._types = types
        self._no_types = no_types
        self._schema = schema
        self._closing = Closing()
        self._literals: dict[str, Literal] = {}
        self._work = 0
        self._depth = 0
        self.problems: dict[tuple[int, str], None] = {}

    def refuse(self, at: int, message: str) -> None:
        self.problems[at, message] = None

    def close(self, type_: Type, names: Mapping[str, Closed] = EMPTY) -> Closed:
        return self._closing.close(type_, names)

    def _begin(self, closed: Closed) -> None:
        self._depth += 1
        self._work += 1
        if self._depth > DEPTH_MAX or self._work > WORK_MAX:
            raise TooMuch(
                closed.at, "this type refers to itself without end, or takes too long to work out; write it out"
            )

    # Names.

    def declared(self, reference: Reference) -> Declared | None:
        return self._types.get(reference.name)

    def knows(self, reference: Reference) -> bool:
        """Whether TypeScript brings it; if not, why it cannot be used is noted."""
        name, given = reference.name, len(reference.arguments)
        if name in BUILT_IN:
            if given == BUILT_IN[name]:
                return True
            self.refuse(reference.at, f"{name} takes {_types(BUILT_IN[name])}, and {given} {_are(given)} given")
        elif name in _NOT_JSON:
            self.refuse(reference.at, _NOT_JSON[name])
        elif name in self._no_types:
            self.refuse(reference.at, f"{name!r} is {self._no_types[name]}, not a type of JSON; declare an interface")
        else:
            near = nearest(name, (*self._types, *BUILT_IN))
            self.refuse(reference.at, f"there is no type {name!r}{near or '; declare it in the transform'}")
        return False

    def instance(
        self, declared: Declared, reference: Reference, names: Mapping[str, Closed]
    ) -> dict[str, Closed] | None:
        """What the parameters of a generic type stand for; None if that cannot be said."""
        given, parameters = reference.arguments, declared.parameters
        least = sum(parameter.default is None for parameter in parameters)
        if not least <= len(given) <= len(parameters):
            wanted = _types(least) if least == len(parameters) else f"{least} to {len(parameters)} types"
            self.refuse(reference.at, f"{declared.name!r} takes {wanted}, and {len(given)} {_are(len(given))} given")
            return None
        found: dict[str, Closed] = {}
        for number, parameter in enumerate(parameters):
            if number < len(given):
                found[parameter.name] = self.close(given[number], names)
            elif parameter.default is not None:
                found[parameter.name] = self.close(parameter.default, found)
        return found

    def beneath(self, closed: Closed) -> Closed | None:
        """What an alias or a parameter stands for; None if it is neither."""
        type_ = closed.type
        if not isinstance(type_, Reference):
            return None
        if type_.name in closed.names:
            return closed.names[type_.name]
        declared = self.declared(type_)
        if declared is None or declared.is_interface:
            return None
        names = self.instance(declared, type_, closed.names)
        return None if names is None else self.close(declared.type, names)

    # Alternatives.

    def may_be_undefined(self, closed: Closed) -> bool:
        return any(_is_keyword(part.type, "undefined") for part in self.parts(closed))

    def parts(self, closed: Closed) -> tuple[Closed, ...]:
        """The alternatives of a union, however it is put; of everything else, it alone."""
        self._begin(closed)
        found = self._parts(closed)
        self._depth -= 1
        self._work += len(found)
        return found

    def _parts(self, closed: Closed) -> tuple[Closed, ...]:
        type_ = closed.type
        match type_:
            case Union():
                return tuple(part for each in type_.parts for part in self.parts(self.close(each, closed.names)))
            case KeyOf():
                return self._keys(self.close(type_.type, closed.names))
            case Access():
                return self._accessed(closed, type_)
            case Reference():
                beneath = self.beneath(closed)
                if beneath is not None:
                    found = self.parts(beneath)
                    return (closed,) if found == (beneath,) and type_.name not in closed.names else found
                return self._chosen(closed, type_)
            case _:
                return (closed,)

    def _chosen(self, closed: Closed, reference: Reference) -> tuple[Closed, ...]:
        """`Exclude`, `Extract` and `NonNullable`."""
        is_chosen = reference.name in ("Exclude", "Extract", "NonNullable") and self.declared(reference) is None
        if not is_chosen or not self.knows(reference):
            return (closed,)
        arguments = [self.close(each, closed.names) for each in reference.arguments]
        parts = self.parts(arguments[0])
        if reference.name == "NonNullable":
            return tuple(part for part in parts if not _is_keyword(part.type, "null", "undefined"))
        wanted = reference.name == "Extract"
        undefined = self.may_be_undefined(arguments[1])
        other = self._schema(self, arguments[1])
        return tuple(part for part in parts if self._fits(part, other, undefined) is wanted)

    def _fits(self, part: Closed, other: Json, undefined: bool) -> bool:
        if _is_keyword(part.type, "undefined"):
            return undefined
        return not mismatches(self._schema(self, part), other)

    def _keys(self, closed: Closed) -> tuple[Closed, ...]:
        fields = self.fields(closed)
        if fields is None:
            self.refuse(closed.at, "keyof needs an object type; write out the keys, as in 'a' | 'b'")
            return ()
        if fields.index is not None:
            return tuple(self.close(Keyword(closed.at, name)) for name in ("string", "number"))
        return tuple(map(self._literal, fields.properties))

    def _literal(self, name: str) -> Closed:
        return self.close(self._literals.setdefault(name, Literal(0, name)))

    def _accessed(self, closed: Closed, type_: Access) -> tuple[Closed, ...]:
        of = self.close(type_.type, closed.names)
        found: list[Closed] = []
        for index in self.parts(self.close(type_.index, closed.names)):
            one = self._at(of, index.type)
            if one is None:
                self.refuse(type_.index.at, "there is no such property; name one that the type has, as in User['name']")
            else:
                found.extend(self.parts(one))
        return tuple(found)

    def _at(self, of: Closed, index: Type) -> Closed | None:
        items = self.items(of)
        if items is not None:
            return self._at_place(items, index, of.at)
        fields = self.fields(of)
        if fields is None:
            return None
        field = fields.properties.get(_key(index)) if isinstance(index, Literal) else None
        if field is None:
            return fields.index if isinstance(index, Literal) or _is_keyword(index, "string", "number") else None
        if not field.optional:
            return field.type
        return self._closing.joined(Union, (field.type, self.close(Keyword(index.at, "undefined"))), index.at)

    def _at_place(self, items: Items, index: Type, at: int) -> Closed | None:
        if _is_keyword(index, "number"):
            every = (*items.places, *items.rest)
            return self._closing.joined(Union, every, at) if every else None
        if not isinstance(index, Literal) or not _key(index).isdecimal():
            return None
        place = int(_key(index))
        return items.places[place] if place < len(items.places) else next(iter(items.rest), None)

    def items(self, closed: Closed) -> Items | None:
        """Of an array or a tuple; None if it is neither."""
        self._begin(closed)
        found = self._items(closed)
        self._depth -= 1
        return found

    def _items(self, closed: Closed) -> Items | None:
        type_ = closed.type
        match type_:
            case ArrayOf():
                return Items((), (self.close(type_.item, closed.names),))
            case Tuple():
                places: list[Closed] = []
                rest: list[Closed] = []
                for place in type_.places:
                    inner = self.close(place.type, closed.names)
                    more = self.items(inner) if place.rest else None
                    places.extend([inner] if not place.rest else more.places if more else ())
                    rest.extend(more.rest if more else ())
                return Items(tuple(places), tuple(rest))
            case Reference():
                beneath = self.beneath(closed)
                if beneath is not None:
                    return self.items(beneath)
                is_array = type_.name in ("Array", "ReadonlyArray", "Readonly") and self.declared(type_) is None
                if not is_array or not self.knows(type_):
                    return None
                inner = self.close(type_.arguments[0], closed.names)
                return self.items(inner) if type_.name == "Readonly" else Items((), (inner,))
            case _:
                return None

    # Properties.

    def fields(self, closed: Closed) -> Fields | None:
        """Of an object type; None if it is none."""
        self._begin(closed)
        found = self._fields(closed)
        self._depth -= 1
        self._work += len(found.properties) if found else 0
        return found

    def _fields(self, closed: Closed) -> Fields | None:
        type_ = closed.type
        match type_:
            case ObjectOf():
                return self._of_members(type_, closed.names)
            case Mapped():
                return self._of_mapped(type_, closed.names)
            case Intersection():
                every = [self.fields(self.close(part, closed.names)) for part in type_.parts]
                found = Fields({})
                for one in every:
                    if one is None:
                        return None
                    found = self._both(found, one, closed.at)
                return found
            case Reference():
                return self._of_reference(closed, type_)
            case Access() | Union() | KeyOf():
                parts = self.parts(closed)
                return self.fields(parts[0]) if len(parts) == 1 and parts[0] is not closed else None
            case _:
                return None

    def _of_reference(self, closed: Closed, reference: Reference) -> Fields | None:
        beneath = self.beneath(closed)
        if beneath is not None:
            return self.fields(beneath)
        declared = self.declared(reference)
        if declared is not None:
            names = self.instance(declared, reference, closed.names)
            return Fields({}) if names is None else self.fields_of(declared, names)
        if reference.name in BUILT_IN and self.knows(reference):
            return self._of_built_in(reference.name, [self.close(each, closed.names) for each in reference.arguments])
        return None

    def fields_of(self, declared: Declared, names: Mapping[str, Closed]) -> Fields:
        """Of an interface, with what it extends."""
        properties: dict[str, Field] = {}
        index: Closed | None = None
        for base in declared.bases:
            fields = self.fields(self.close(base, names))
            if fields is None:
                self.refuse(base.at, "an interface can extend object types only")
                continue
            properties |= fields.properties
            index = fields.index or index
        assert isinstance(declared.type, ObjectOf)
        own = self._of_members(declared.type, names)
        return Fields(properties | own.properties, own.index or index)

    def _of_members(self, type_: ObjectOf, names: Mapping[str, Closed]) -> Fields:
        properties: dict[str, Field] = {}
        index: list[Closed] = []
        for member in type_.members:
            match member:
                case Property():
                    properties[member.name] = Field(self.close(member.type, names), member.optional, member.doc)
                case Index():
                    if self._is_index(self.close(member.key, names)):
                        index.append(self.close(member.type, names))
                case Inexpressible():
                    self.refuse(member.at, member.message)
        return Fields(properties, self._closing.joined(Union, index, type_.at) if index else None)

    def _is_index(self, key: Closed) -> bool:
        if all(_is_keyword(part.type, "string", "number") for part in self.parts(key)):
            return True
        self.refuse(key.at, "the keys of an index signature are string or number; name others one by one")
        return False

    def _of_built_in(self, name: str, arguments: list[Closed]) -> Fields | None:
        if name == "Record":
            return self._of_keys(arguments[0], lambda _: arguments[1])
        if name not in ("Partial", "Required", "Readonly", "Pick", "Omit"):
            return None
        fields = self.fields(arguments[0])
        if fields is None:
            self.refuse(arguments[0].at, f"{name} needs an object type; write out its properties")
            return Fields({})
        properties = fields.properties
        if name == "Partial":
            properties = {key: replace(field, optional=True) for key, field in properties.items()}
        elif name == "Required":
            properties = {key: self._required(field) for key, field in properties.items()}
        elif name != "Readonly":
            keys = {_key(part.type) for part in self.parts(arguments[1]) if isinstance(part.type, Literal)}
            if name == "Pick" and (missing := sorted(keys - properties.keys())):
                self.refuse(arguments[1].at, f"there is no property {missing[0]!r}{nearest(missing[0], properties)}")
            properties = {key: field for key, field in properties.items() if (key in keys) is (name == "Pick")}
        return Fields(properties, fields.index)

    def _required(self, field: Field) -> Field:
        parts = [part for part in self.parts(field.type) if not _is_keyword(part.type, "undefined")]
        type_ = self._closing.joined(Union, parts, field.type.at) if parts else self.close(Keyword(0, "never"))
        return replace(field, type=type_, optional=False)

    def _of_mapped(self, type_: Mapped, names: Mapping[str, Closed]) -> Fields | None:
        fields: Fields | None = None
        if isinstance(type_.keys, KeyOf):
            fields = self.fields(self.close(type_.keys.type, names))
        mapped = self._of_keys(
            self.close(type_.keys, names), lambda key: self.close(type_.type, {**names, type_.name: key})
        )
        properties = {}
        for key, field in mapped.properties.items():
            before = fields.properties.get(key) if fields else None
            optional = before.optional if before and type_.optional is None else bool(type_.optional)
            properties[key] = replace(field, optional=optional, doc=before.doc if before else "")
            if not optional:
                properties[key] = self._required(properties[key]) if type_.optional is False else properties[key]
        return Fields(properties, mapped.index)

    def _of_keys(self, keys: Closed, type_: Callable[[Closed], Closed]) -> Fields:
        """An object with these keys; `type_` says what they hold."""
        properties: dict[str, Field] = {}
        index: Closed | None = None
        for key in self.parts(keys):
            if isinstance(key.type, Literal):
                properties[_key(key.type)] = Field(type_(key))
            elif _is_keyword(key.type, "string", "number"):
                index = type_(key)
            else:
                self.refuse(keys.at, "keys are string, number, or written out, as in 'a' | 'b'")
        return Fields(properties, index)

    def _both(self, one: Fields, other: Fields, at: int) -> Fields:
        properties = dict(one.properties)
        for name, field in other.properties.items():
            before = properties.get(name)
            if before is None:
                properties[name] = field
                continue
            types = (before.type,) if before.type is field.type else (before.type, field.type)
            type_ = self._closing.joined(Intersection, types, at)
            properties[name] = Field(type_, before.optional and field.optional, before.doc or field.doc)
        indices = [each for each in (one.index, other.index) if each is not None]
        return Fields(properties, self._closing.joined(Intersection, indices, at) if indices else None)


def _is_keyword(type_: Type, *names: str) -> bool:
    return isinstance(type_, Keyword) and type_.name in names


def _key(type_: Literal) -> str:
    """A literal as the name of a property."""
    value = type_.value
    return value if isinstance(value, str) else numbers.to_text(value)


def _types(number: int) -> str:
    return "no types" if number == 0 else "one type" if number == 1 else f"{number} types"


def _are(number: int) -> str:
    return "is" if number == 1 else "are"
