"""Whether a value of one JSON Schema may be given where another is asked for, and if not, where and why.

Structural, as in TypeScript: objects by their required keys, arrays by their items, every alternative of the source by
some alternative of the target, an object that may have one tag or another by each of them, integers as numbers. Unknown is a
type: it fits wherever anything does. What only data can decide (pattern, minimum, format, the number of items unless it cannot
come out, or the target is a tuple) is not looked at.

An error is a value that cannot be right. A warning is one that may be missing, or there, when it must not: a key, or an item of
a tuple.

Recursive schemas end because two objects or arrays that are being compared are taken to fit. Deeper than `DEPTH_MAX`, or beyond
`EFFORT_MAX`, everything fits: schemas come from strangers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import product
from math import inf, prod
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from perdure.expressions.describing import LITERAL_MAX, listed, quoted, shown_value
from perdure.expressions.shapes import (
    DEPTH_MAX,
    Effort,
    Literals,
    Plain,
    Reader,
    Record,
    Schema,
    Sequence,
    Shape,
    Shapes,
    Unknown,
    admits,
    fits,
    key,
    kind,
)
from perdure.model.values import Json

MISMATCHES_MAX = 100
SPLIT_MAX = 25
"""So many objects one is split into, as in TypeScript, which stops there too."""


class Mismatch(Struct, frozen=True):
    """`path` leads into the value: "user.name", "[].id", "[0]", "prices.*" (any other key); empty for all of it.

    `narrows`: a number is given for an integer, and may be one. Some languages have no other type for it.
    `widens`: an array is given for an object, of which nothing else is said. In some languages it is one.
    """

    path: str
    reason: str
    warning: bool = False
    narrows: bool = False
    widens: bool = False


Found: TypeAlias = tuple[Mismatch, ...]


def mismatches(
    source: Schema,
    target: Schema,
    *,
    source_root: Schema | None = None,
    target_root: Schema | None = None,
    effort: Effort | None = None,
) -> tuple[Mismatch, ...]:
    """All errors, then all warnings, up to `MISMATCHES_MAX`. The roots are what references lead into, if a schema is a part of
    another one. `effort` is for whoever compares often: what all of it together may take.
    """
    roots = (source if source_root is None else source_root, target if target_root is None else target_root)
    return _Comparison(*roots, effort or Effort()).schemas(source, target)


class _Comparison:
    def __init__(self, source: Schema, target: Schema, effort: Effort) -> None:
        self._effort = effort
        self._source = Reader(source, self._effort)
        self._target = Reader(target, self._effort)
        self._known: dict[tuple[int, int], tuple[Shape, Shape, Found]] = {}
        """Objects and arrays by identity; they are kept so that it lasts."""
        self._open: dict[tuple[int, int], int] = {}
        """The pairs under comparison, each with its depth."""
        self._leant_on: float = inf
        """The depth of the outermost open pair that was taken to fit since the innermost was opened."""
        self._split: dict[tuple[int, tuple[str, ...]], tuple[Record, list[Record]]] = {}
        """Objects that were split by these keys: always into the same, so that a pair is known again."""

    def schemas(self, source: Schema, target: Schema) -> Found:
        return self._unions(self._source.shapes(source), self._target.shapes(target))

    def _unions(self, sources: Shapes, targets: Shapes) -> Found:
        if not targets:
            return (Mismatch("", "is not allowed: no value is"),) if sources else ()
        alone = len(sources) == 1 and not (isinstance(sources[0], Literals) and len(sources[0].values) > 1)
        found: list[Mismatch] = []
        for source in sources:
            if not self._effort.spend(len(targets) * (len(source.values) if isinstance(source, Literals) else 1)):
                break
            match source:
                case Unknown():
                    pass
                case Literals():
                    found.extend(self._literals(source, targets, alone))
                case Plain():
                    if not _plain_fits(source, targets):
                        narrows = source.kind == "number" and Plain("integer") in targets
                        found.append(Mismatch("", _misfit(_named(source), targets, alone), narrows=narrows))
                case _:
                    found.extend(self._container(source, targets, alone))
        self._effort.spend(len(found))  # to carry it to whoever asked
        return _first(found)

    def _literals(self, source: Literals, targets: Shapes, alone: bool) -> Iterator[Mismatch]:
        """Values that stand in no enum of the target are taken apart, to say what of them does not fit."""
        wrong: list[Json] = []
        for value in source.values.values():
            admitting = [target for target in targets if admits(target, value)]
            if not admitting:
                wrong.append(value)
            elif all(isinstance(target, Record | Sequence) for target in admitting):
                yield from self._container(_taken_apart(value), targets, alone)
        if not wrong:
            return
        match targets:
            case (Literals(choices),) | (Literals(choices), Plain("null")):
                allowed = _named(Literals({**choices, None: None} if len(targets) > 1 else choices))
                given = listed(map(shown_value, wrong))
                yield Mismatch("", f"{given} is not {allowed}" if len(wrong) == 1 else f"none of {given} is {allowed}")
            case _:
                yield Mismatch("", _misfit(listed(map(shown_value, wrong), " | "), targets, alone))

    def _container(self, source: Record | Sequence, targets: Shapes, alone: bool) -> Found:
        found = self._nearest(source, targets)
        if found is None:
            widens = isinstance(source, Sequence) and any(map(_is_any_object, targets))
            return (Mismatch("", _misfit(_named(source), targets, alone), widens=widens),)
        if not _errors(found) or not isinstance(source, Record):
            return found
        apart = [self._nearest(each, targets) for each in self._by_tags(source, targets)]
        if not apart or any(each is None or _errors(each) for each in apart):
            return found
        return tuple(dict.fromkeys(warning for each in apart for warning in each or ()))

    def _nearest(self, source: Record | Sequence, targets: Shapes) -> Found | None:
        """What keeps it from the target that it is nearest to: not another by its tag, then the one with the least."""
        nearest: tuple[tuple[bool, int, int], Found] | None = None
        for target in targets:
            if isinstance(target, Unknown) and kind(source) not in target.besides:
                return ()
            if not isinstance(target, Record | Sequence) or kind(target) != kind(source):
                continue
            found = self._pair(source, target)
            if not found:
                return ()
            distance = self._tagged_apart(source, target), _errors(found), len(found)
            if nearest is None or distance < nearest[0]:
                nearest = distance, found
        return nearest[1] if nearest else None

    def _by_tags(self, source: Record, targets: Shapes) -> list[Record]:
        """`{ k: 'a' | 'b' }` as `{ k: 'a' }` and `{ k: 'b' }`, if that is how they are asked for."""
        records = [target for target in targets if isinstance(target, Record)]
        if not records[1:] or not self._effort.spend(len(source.properties) * len(records)):
            return []
        tags = {
            name: values
            for name, schema in source.properties.items()
            if len(values := _values(self._source.shapes(schema))) > 1
            and any(self._takes_some(target, name, values) for target in records)
        }
        if not tags or prod(map(len, tags.values())) > SPLIT_MAX:
            return []
        known = self._split.get((id(source), tuple(tags)))
        if known is None:
            ways = [dict(zip(tags, each, strict=True)) for each in product(*tags.values())]
            split = [
                replace(source, properties={**source.properties, **{name: {"const": way[name]} for name in way}})
                for way in ways
            ]
            known = self._split[id(source), tuple(tags)] = source, split
        return known[1]

    def _takes_some(self, target: Record, name: str, values: list[Json]) -> bool:
        """Whether it asks for certain values there, and some of these are not among them."""
        wanted = _values(self._target.shapes(target.properties.get(name, True)))
        return bool(wanted) and not {key(value) for value in values} <= {key(value) for value in wanted}

    def _pair(self, source: Record | Sequence, target: Record | Sequence) -> Found:
        pair = id(source), id(target)
        if pair in self._known:
            return self._known[pair][2]
        depth = len(self._open)
        if pair in self._open:
            self._leant_on = min(self._leant_on, self._open[pair])
            return ()
        if depth >= DEPTH_MAX:
            return ()
        self._open[pair] = depth
        before, self._leant_on = self._leant_on, inf
        found = _first(self._inner(source, target))
        del self._open[pair]
        if self._leant_on >= depth or _errors(found):  # else it fits only if a pair does that is still open
            self._known[pair] = source, target, found
        self._leant_on = min(before, self._leant_on if self._leant_on < depth else inf)
        return found

    def _inner(self, source: Record | Sequence, target: Record | Sequence) -> Iterator[Mismatch]:
        if isinstance(source, Record) and isinstance(target, Record):
            return self._records(source, target)
        assert isinstance(source, Sequence)
        assert isinstance(target, Sequence)
        return self._sequences(source, target)

    def _records(self, source: Record, target: Record) -> Iterator[Mismatch]:
        keys = (source.properties, source.required, target.properties, target.required)
        if not self._effort.spend(sum(map(len, keys))):
            return
        for name in target.required:
            if name in source.required:
                continue
            if _may_have(source, name):
                yield Mismatch("", f"{quoted(name)} is required and may not be there", warning=True)
            else:
                yield Mismatch("", f"{quoted(name)} is required and not there")
        for name in {**source.properties, **source.required}:
            given = source.properties.get(name, True if source.rest is None else source.rest)
            wanted = target.properties.get(name, target.rest)
            if wanted is False and given is not False:
                optional = name not in source.required
                there = "may be there and is" if optional else "is"
                yield Mismatch("", f"{quoted(name)} {there} not one of the keys allowed", warning=optional)
            elif wanted is not None:
                yield from _inside(step_to(name), self.schemas(given, wanted))
        if source.rest is None or source.rest is False:
            return
        for name, wanted in target.properties.items():
            if name not in source.properties and name not in source.required and wanted is not False:
                yield from _inside(step_to(name), self.schemas(source.rest, wanted))
        if target.rest is False:
            if any(not isinstance(shape, Unknown) for shape in self._source.shapes(source.rest)):
                yield Mismatch("", "may have other keys than those allowed", warning=True)
        elif target.rest is not None:
            yield from _inside("*", self.schemas(source.rest, target.rest))

    def _sequences(self, source: Sequence, target: Sequence) -> Iterator[Mismatch]:
        named = max(len(source.first), len(target.first))
        there = min(source.most, target.most)  # in others, nothing of the one ever meets the other
        if not self._effort.spend(named):
            return
        if source.most < target.least:
            yield Mismatch("", f"has at most {_items(source.most)}, but the least needed is {target.least}")
        if source.least > target.most:
            yield Mismatch("", f"has at least {_items(source.least)}, but the most allowed is {target.most}")
        if source.least < target.least <= source.most and target.first:
            yield Mismatch("", f"may have fewer items than the {target.least} needed", warning=True)
        elif source.least <= target.most < source.most and target.rest is False:
            yield Mismatch("", f"may have more items than the {target.most} allowed", warning=True)
        for place in range(named):
            if place < there:
                yield from _inside(step_to(place), self.schemas(source.at(place), target.at(place)))
        if source.rest is not None and target.rest is not None and target.rest is not False and named < there:
            yield from _inside("[]", self.schemas(source.rest, target.rest))

    def _tagged_apart(self, source: Record | Sequence, target: Record | Sequence) -> bool:
        """Whether some key has one literal here and another there, as the members of a union often do."""
        if not isinstance(source, Record) or not isinstance(target, Record):
            return False
        shared = source.properties.keys() & target.properties.keys()
        if not self._effort.spend(len(shared)):
            return False
        for name in shared:
            match self._source.shapes(source.properties[name]), self._target.shapes(target.properties[name]):
                case (Literals(ours),), (Literals(theirs),) if not ours.keys() & theirs.keys():
                    return True
        return False


def _values(shapes: Shapes) -> list[Json]:
    """All there are, if they can be told one by one."""
    values: list[Json] = []
    for shape in shapes:
        match shape:
            case Literals():
                values.extend(shape.values.values())
            case Plain("boolean"):
                values.extend((True, False))
            case Plain("null"):
                values.append(None)
            case _:
                return []
    return values


def _plain_fits(source: Plain, targets: Shapes) -> bool:
    for target in targets:
        match target:
            case Unknown() if source.kind not in target.besides:
                return True
            case Plain() if fits(source.kind, target.kind):
                return True
            case Literals() if source.kind == "boolean" and admits(target, value=True) and admits(target, value=False):
                return True
    return False


def _is_any_object(shape: Shape) -> bool:
    return isinstance(shape, Record) and not shape.properties and not shape.required and shape.rest is None


def _may_have(source: Record, name: str) -> bool:
    """A source that names no keys at all is unknown; one that names some has no others, unless it says so."""
    if name in source.properties:
        return source.properties[name] is not False
    return not source.properties if source.rest is None else source.rest is not False


def _taken_apart(value: Json) -> Record | Sequence:
    if isinstance(value, list):
        return Sequence(tuple([{"const": item} for item in value]), False, len(value), len(value))
    return Record({name: {"const": item} for name, item in value.items()}, dict.fromkeys(value), False)


def _inside(step: str, found: Found) -> Iterator[Mismatch]:
    for each in found:
        dot = "." if each.path and not each.path.startswith("[") else ""
        yield replace(each, path=f"{step}{dot}{each.path}")


def _first(found: Iterable[Mismatch]) -> Found:
    """Errors before warnings: what is left out must not make it fit."""
    return tuple(sorted(found, key=lambda each: each.warning)[:MISMATCHES_MAX])


def _errors(found: Found) -> int:
    return sum(not each.warning for each in found)


def _misfit(what: str, targets: Shapes, alone: bool) -> str:
    needed = dict.fromkeys(_named(target) for target in targets if not isinstance(target, Unknown))
    verb = "is" if alone else "may be"
    if what == "null" and not (alone and needed):
        return f"{verb} null, but null is not allowed"
    return f"{verb} {what}, but {listed(needed, ' or ')} is needed"


def _named(shape: Plain | Literals | Record | Sequence) -> str:
    if isinstance(shape, Literals):
        return f"{'one of ' if len(shape.values) > 1 else ''}{listed(map(shown_value, shape.values.values()))}"
    name = kind(shape)
    return name if name == "null" else f"{'an' if name[0] in 'aio' else 'a'} {name}"


def _items(number: float) -> str:
    return f"{number} item{'' if number == 1 else 's'}"


def step_to(place: str | int) -> str:
    """A key, or the number of an item, as a part of the path of a mismatch."""
    if isinstance(place, int):
        return f"[{place}]"
    return place if place.isidentifier() and len(place) <= LITERAL_MAX else f"[{quoted(place)}]"
