"""Types become schemas: small ones, that are valid, and that assignability understands."""

from __future__ import annotations

from typing import Any

import pytest

from perdure import schemas
from perdure.expressions.assignability import Mismatch, mismatches
from perdure.expressions.describing import describe
from perdure.typescript import Transform, read
from typescript.fitting import FITS, MISFITS
from typescript.schemas import DECLARATIONS, TYPES

ALL = [(f"type Input = {type_}", expected) for type_, expected in TYPES] + DECLARATIONS


def test_there_are_many() -> None:
    assert len(ALL) >= 120


@pytest.mark.parametrize(("source", "expected"), ALL)
def test_a_type_becomes_a_schema(source: str, expected: Any) -> None:
    assert _input(source) == expected


@pytest.mark.parametrize("source", [source for source, _ in ALL])
def test_a_schema_is_one(source: str) -> None:
    assert schemas.problems(_input(source)) == ()
    assert not mismatches(_input(source), _input(source))
    assert describe(_input(source))


def test_it_is_the_same_each_time() -> None:
    for source, _ in ALL:
        assert repr(_input(source)) == repr(_input(source))


def test_both_have_their_own() -> None:
    found = read("interface Input { a: T }\ninterface Output { b: T }\ntype T = T[]\nexport default (x) => x")
    assert isinstance(found, Transform)
    defs = {"T": {"type": "array", "items": {"$ref": "#/$defs/T"}}}
    assert found.input == {
        "type": "object",
        "properties": {"a": {"$ref": "#/$defs/T"}},
        "required": ["a"],
        "$defs": defs,
    }
    assert found.output["properties"] == {"b": {"$ref": "#/$defs/T"}}
    assert found.output["$defs"] == defs


def test_without_types_there_are_none() -> None:
    assert read("export default (x) => x") == Transform("let $default = (x) => x")


@pytest.mark.parametrize(("given", "wanted"), FITS)
def test_what_fits(given: str, wanted: str) -> None:
    assert not [each for each in _between(given, wanted) if not each.warning]


@pytest.mark.parametrize(("given", "wanted", "path", "reason"), MISFITS)
def test_what_does_not_fit(given: str, wanted: str, path: str, reason: str) -> None:
    found = _between(given, wanted)
    assert found
    assert (found[0].path, found[0].reason) == (path, reason)


def _between(given: str, wanted: str) -> tuple[Mismatch, ...]:
    found = read(f"type Output = {given};\ntype Input = {wanted};\nexport default (x) => x")
    assert isinstance(found, Transform), found
    return mismatches(found.output, found.input)


def _input(source: str) -> Any:
    found = read(f"{source}\ninterface Output {{}}\nexport default (x) => x")
    assert isinstance(found, Transform), found
    return found.input
