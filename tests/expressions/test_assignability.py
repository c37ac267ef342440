"""Assignability: tables of what fits, what does not and what may not; hostile schemas; and a law, checked with values."""

from __future__ import annotations

import time
from collections.abc import Callable
from copy import deepcopy
from typing import Any

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from perdure.expressions.assignability import Mismatch, mismatches
from perdure.expressions.describing import describe
from perdure.expressions.shapes import Effort, Reader, Schema, Unknown

STRING: Schema = {"type": "string"}
NUMBER: Schema = {"type": "number"}
INTEGER: Schema = {"type": "integer"}
BOOLEAN: Schema = {"type": "boolean"}
NULL: Schema = {"type": "null"}
OBJECT: Schema = {"type": "object"}
ARRAY: Schema = {"type": "array"}
PRESENT: dict[str, Any] = {"not": {"type": "null"}}

HOSTILE_SECONDS_MAX = 20
"""Many times what each takes: a loaded machine is no defect, an exponential is."""


def record(required: str = "", rest: Schema | None = None, **properties: Any) -> dict[str, Any]:
    """An object; `required` names keys."""
    schema: dict[str, Any] = {"type": "object", "properties": properties, "required": required.split()}
    return schema if rest is None else {**schema, "additionalProperties": rest}


def array(items: Schema, **more: Any) -> dict[str, Any]:
    return {"type": "array", "items": items, **more}


def pair(*first: Schema, **more: Any) -> dict[str, Any]:
    return {"type": "array", "prefixItems": list(first), **more}


def one_of(*values: Any) -> dict[str, Any]:
    return {"enum": list(values)}


def either(*schemas: Schema) -> dict[str, Any]:
    return {"anyOf": list(schemas)}


def every(*schemas: Schema) -> dict[str, Any]:
    return {"allOf": list(schemas)}


def defining(schema: dict[str, Any], **definitions: Schema) -> dict[str, Any]:
    return {**schema, "$defs": definitions}


def ref(name: str) -> dict[str, Any]:
    return {"$ref": f"#/$defs/{name}"}


def chain(value: Schema) -> dict[str, Any]:
    """A linked list."""
    return defining(ref("link"), link=record("value", value=value, next=either(NULL, ref("link"))))


FITS: list[tuple[str, Schema, Schema]] = [
    ("a string is a string", STRING, STRING),
    ("an integer is a number", INTEGER, NUMBER),
    ("a whole constant is an integer", {"const": 2.0}, INTEGER),
    ("whole values of an enum are integers", {"type": "number", "enum": [1, 2.0]}, INTEGER),
    ("whole numbers are equal however they are written", {"const": 1}, {"const": 1.0}),
    ("true as a source is unknown", True, STRING),
    ("no keywords are unknown", {}, record("a", a=STRING)),
    ("a description tells no type", {"description": "a name"}, NUMBER),
    ("an unheard-of type is unknown", {"type": "date"}, NUMBER),
    ("a type that is no name is unknown", {"type": 5}, NUMBER),
    ("an empty list of types is unknown", {"type": []}, NUMBER),
    ("anything beside a string is anything", either(STRING, {}), NUMBER),
    ("a target of true takes everything", STRING, True),
    ("a target without keywords takes everything", OBJECT, {}),
    ("a target that is no schema takes everything", STRING, record()["required"]),
    ("nothing fits nothing", False, False),
    ("nothing fits a string", False, STRING),
    ("an empty enum is nothing", {"enum": []}, STRING),
    ("contradictory parts are nothing", every(STRING, NUMBER), BOOLEAN),
    ("an enum that is no list tells nothing", {"type": "string", "enum": "ab"}, STRING),
    ("extra keys are fine", record("a b", a=STRING, b=NUMBER), record("a", a=STRING)),
    ("extra keys that fit the rest are fine", record("a b", a=STRING, b=NUMBER), record("a", NUMBER, a=STRING)),
    ("optional to optional", record(a=STRING), record(a=STRING)),
    ("required to optional", record("a", a=STRING), record(a=STRING)),
    ("a key asked for without a type", record("a", a=STRING), {"type": "object", "required": ["a"]}),
    ("a key promised without a type", {"type": "object", "required": ["a"]}, record("a", a=STRING)),
    ("a closed object with the same keys", record("a", False, a=STRING), record("a", False, a=STRING)),
    ("an open object that is not known to have more", record("a", a=STRING), record("a", False, a=STRING)),
    ("a key that is never there", record("", False, x=False), record("", False)),
    ("an object of unknown keys may go where keys are few", record("", True), record("", False)),
    ("an object into one that forbids a key it may have", record("", True), record(x=False)),
    ("a map into a map", record("", INTEGER), record("", NUMBER)),
    ("a map into an object that does not care", record("", INTEGER), OBJECT),
    ("a map into optional keys that fit", record("", INTEGER), record(a=NUMBER)),
    ("a map of nothing has no other keys", record("", {"enum": []}), record("", False)),
    ("keys by pattern are not looked at", record(a=STRING), {"type": "object", "patternProperties": {"^b": NUMBER}}),
    ("required that is no list tells nothing", OBJECT, {"type": "object", "required": True, "properties": 7}),
    ("an object without the word", {"properties": {"a": STRING}}, record(a=STRING)),
    ("keywords of objects do not keep strings out", STRING, {"properties": {"a": STRING}, "required": ["a"]}),
    ("keywords of objects do not keep arrays out", ARRAY, {"properties": {"a": STRING}}),
    ("keywords of arrays do not keep literals out", {"const": "a"}, {"items": STRING}),
    ("an array without the word", {"items": STRING}, array(STRING)),
    ("an array of the same", array(INTEGER), array(NUMBER)),
    ("an array of whatever", ARRAY, array(NUMBER)),
    ("an array into one of whatever", array(NUMBER), ARRAY),
    ("a pair into an array", pair(INTEGER, NUMBER, items=False), array(NUMBER)),
    ("a pair into a pair", pair(INTEGER, STRING), pair(NUMBER, STRING)),
    ("a pair as it was written once", {"type": "array", "items": [STRING], "additionalItems": NUMBER}, pair(STRING)),
    ("places beyond the most are not looked at", pair(STRING, NUMBER), pair(STRING, STRING, maxItems=1)),
    ("numbers of items that can come out", array(STRING, maxItems=9), array(STRING, minItems=2, maxItems=3)),
    ("a part of a union", STRING, {"type": ["string", "number"]}),
    ("a union in another order", {"type": ["string", "null"]}, {"type": ["null", "string"]}),
    ("anyOf into oneOf", either(STRING, NUMBER), {"oneOf": [NUMBER, STRING]}),
    ("anything but null takes a string", STRING, PRESENT),
    ("anything but null takes an object", OBJECT, PRESENT),
    ("anything but null beside null takes null", NULL, either(PRESENT, NULL)),
    ("anything but null may be a string", PRESENT, STRING),
    ("a union that says no null has none", {**either(STRING, NULL), **PRESENT}, STRING),
    ("anything but null twice", STRING, every(PRESENT, PRESENT)),
    ("what else is not allowed is not looked at", STRING, {"not": {"type": "string"}}),
    ("a union without members tells nothing", {"type": "string", "anyOf": []}, STRING),
    ("objects into a union of objects", record("a", a=STRING), either(record("b", b=STRING), record("a", a=STRING))),
    ("an object into a union with anything but arrays", OBJECT, either(STRING, {"items": STRING})),
    (
        "required keys by alternatives",
        record("a", a=STRING),
        {"type": "object", **either({"required": ["b"]}, {"required": ["a"]})},
    ),
    ("null where null may be", NULL, {"type": "string", "nullable": True}),
    ("nullable into a type list", {"type": "string", "nullable": True}, {"type": ["string", "null"]}),
    ("a nullable enum into an enum with null", {"enum": ["a"], "nullable": True}, one_of("a", None)),
    ("a type that says null into a constant of null", NULL, {"const": None}),
    ("nullable that is false", {"type": "string", "nullable": False}, STRING),
    ("fewer choices", one_of("a"), one_of("a", "b")),
    ("choices into constants", one_of("a", "b"), either({"const": "b"}, {"const": "a"})),
    ("choices into their type", one_of("a", "b"), STRING),
    ("choices of several types", one_of("a", 1, None), {"type": ["string", "integer", "null"]}),
    ("only the choices of the type count", {"type": "string", "enum": ["a", 1]}, STRING),
    ("a boolean into both of its values", BOOLEAN, one_of(True, False)),
    ("a constant object", {"const": {"a": 1, "b": [None]}}, record("a b", a=NUMBER, b=array(NULL))),
    ("a constant object into itself", {"const": {"a": [1]}}, one_of(2, {"a": [1.0]})),
    ("a constant array", {"const": ["x", 1]}, pair(STRING, NUMBER, items=False)),
    ("a constant object where no type is named", {"const": {"a": 1}}, {"items": STRING}),
    ("all parts of the target", record("a b", a=STRING, b=STRING), every(record("a"), record("b", b=STRING))),
    ("all parts of the source", every(record("a", a=STRING), record("b", b=STRING)), record("a b", a=STRING, b=STRING)),
    ("parts that speak of one key", every(record("a", a=NUMBER), record(a=INTEGER)), record("a", a=INTEGER)),
    ("parts that speak of one key with one schema", every(record(a=STRING), record(a=STRING)), record(a=STRING)),
    ("parts of which one closes", every(record("a", a=STRING), record("", False, a={})), record("a", False, a=STRING)),
    ("parts that are arrays", every(array(NUMBER), pair(INTEGER)), pair(INTEGER, items=NUMBER)),
    ("parts with a map each", every(record("", NUMBER), record("", INTEGER)), record("", INTEGER)),
    ("a number that is an integer too", every(NUMBER, INTEGER), INTEGER),
    ("an integer that is a number too", every(INTEGER, NUMBER), INTEGER),
    ("a choice among the choices", {**one_of("a", "b"), "const": "b"}, {"const": "b"}),
    (
        "null survives a part that speaks of objects",
        {"type": ["object", "null"], **every({"required": ["a"]})},
        {"type": ["null", "object"]},
    ),
    ("a part that speaks of objects, another of arrays", STRING, every({"required": ["a"]}, {"items": STRING})),
    ("what is left to data", STRING, {"type": "string", "pattern": "^a", "minLength": 3, "format": "email"}),
    ("a definition", defining(ref("name"), name=INTEGER), NUMBER),
    ("definitions by their older name", {"$ref": "#/definitions/a~1b%3C", "definitions": {"a/b<": STRING}}, STRING),
    ("a definition that is missing is unknown", {"$ref": "#/$defs/nobody"}, NUMBER),
    ("a way through what is no object is unknown", {"$ref": "#/$defs/a/b", "$defs": {"a": 1}}, NUMBER),
    ("a reference to elsewhere is unknown", {"$ref": "https://example.com/a.json"}, NUMBER),
    ("a reference that is no text is unknown", {"$ref": 5}, NUMBER),
    ("a schema that is nothing but itself is unknown", {"$ref": "#"}, NUMBER),
    (
        "one of two tags into one object for each",
        record("k v", k=one_of("a", "b"), v=STRING),
        either(record("k v", k={"const": "a"}, v=STRING), record("k v", k={"const": "b"}, v=STRING)),
    ),
    (
        "a boolean into one object for each of its values",
        record("k", k=BOOLEAN),
        either(record("k", k={"const": True}), record("k", k={"const": False})),
    ),
    (
        "two tags into one object for each of both, of which some do not care",
        record("k n", k=one_of("a", "b"), n=either(one_of(1), NULL)),
        either(
            record("k n", k={"const": "a"}, n=one_of(1)), record("k n", k={}, n=NULL), record("k", k={"const": "b"})
        ),
    ),
    (
        "a chain of one tag or another into a chain of tagged objects",
        defining(ref("a"), a=record("k", k=one_of("a", "b"), next=ref("a"))),
        defining(ref("b"), b=either(*(record("k", k={"const": tag}, next=ref("b")) for tag in "ab"))),
    ),
    ("places that are never there", array(NUMBER, maxItems=1), pair(NUMBER, STRING)),
    ("others that are never there", array(NUMBER, maxItems=1), pair(NUMBER, items=STRING)),
    ("a chain into a chain", chain(INTEGER), chain(NUMBER)),
    ("a chain into itself, by the whole document", record(next={"$ref": "#"}), record(next=record(next={}))),
]


@pytest.mark.parametrize(("source", "target"), [case[1:] for case in FITS], ids=[case[0] for case in FITS])
def test_what_fits_has_no_mismatch(source: Schema, target: Schema) -> None:
    assert mismatches(source, target) == ()


KIND_A, KIND_B = (
    record("kind x", kind={"const": "a"}, x=STRING),
    record("kind y z", kind={"const": "b"}, y=STRING, z=STRING),
)

LEADING_TO_EACH_OTHER: dict[str, Schema] = {"a": either(STRING, ref("b")), "b": either(NUMBER, ref("a"))}

MISFITS: list[tuple[str, Schema, Schema, str, str]] = [
    (
        "alternatives that lead to each other",
        BOOLEAN,
        defining(ref("a"), **LEADING_TO_EACH_OTHER),
        "",
        "is a boolean, but a string or a number is needed",
    ),
    (
        "alternatives that lead to each other, from the other side",
        BOOLEAN,
        defining(ref("b"), **LEADING_TO_EACH_OTHER),
        "",
        "is a boolean, but a number or a string is needed",
    ),
    (
        "a tag that nobody takes",
        record("k", k=one_of("a", "c")),
        either(record("k", k={"const": "a"}), record("k", k={"const": "b"})),
        "k",
        "'c' is not 'a'",
    ),
    (
        "more tags than are looked at",
        record("k", k=one_of(*range(26))),
        either(*(record("k", k={"const": number}) for number in range(26))),
        "k",
        "none of 1, 2, 3, 4, 5, 6, … is 0",
    ),
    ("kinds", STRING, NUMBER, "", "is a string, but a number is needed"),
    ("a number is no integer", NUMBER, INTEGER, "", "is a number, but an integer is needed"),
    ("a fraction is no integer", {"const": 1.5}, INTEGER, "", "is 1.5, but an integer is needed"),
    ("an array is no object", ARRAY, OBJECT, "", "is an array, but an object is needed"),
    ("an object is no string", record(a=STRING), STRING, "", "is an object, but a string is needed"),
    ("an object by its keywords", {"properties": {}}, STRING, "", "may be an object, but a string is needed"),
    ("nothing fits a target of false", STRING, False, "", "is not allowed: no value is"),
    ("not even the unknown", {}, False, "", "is not allowed: no value is"),
    ("a target that contradicts itself", STRING, every(STRING, NUMBER), "", "is not allowed: no value is"),
    ("several are needed", BOOLEAN, {"type": ["string", "null"]}, "", "is a boolean, but a string or null is needed"),
    ("objects are named once", STRING, either(record("a"), record("b")), "", "is a string, but an object is needed"),
    ("null", {"type": ["string", "null"]}, STRING, "", "may be null, but null is not allowed"),
    ("null for anything else", NULL, PRESENT, "", "is null, but null is not allowed"),
    ("null for all but null", {"type": ["string", "null"]}, PRESENT, "", "may be null, but null is not allowed"),
    ("nullable", {"type": "string", "nullable": True}, STRING, "", "may be null, but null is not allowed"),
    ("nothing but null", NULL, STRING, "", "is null, but a string is needed"),
    ("one alternative", {"type": ["string", "boolean"]}, STRING, "", "may be a boolean, but a string is needed"),
    ("a choice", {"const": "red"}, one_of("green", "blue"), "", "'red' is not one of 'green', 'blue'"),
    ("a choice of one", {"const": "red"}, {"const": "green"}, "", "'red' is not 'green'"),
    ("a choice with null", {"const": "red"}, one_of("green", None), "", "'red' is not one of 'green', null"),
    ("choices", one_of("a", "b", "c"), one_of("a"), "", "none of 'b', 'c' is 'a'"),
    ("true is not 1", {"const": True}, one_of(1, "x"), "", "true is not one of 1, 'x'"),
    ("1 is not true", {"const": 1}, BOOLEAN, "", "is 1, but a boolean is needed"),
    ("an empty object is not one of strings", {"const": {}}, one_of("a", "b"), "", "{} is not one of 'a', 'b'"),
    ("other values of an object", {"const": {"a": 1}}, {"const": {"a": 2}}, "", "{…} is not {…}"),
    ("other items", {"const": [1]}, {"const": []}, "", "[…] is not []"),
    ("a value of another kind", {"const": "red"}, NUMBER, "", "is 'red', but a number is needed"),
    ("values of another kind", one_of("red", "blue"), NUMBER, "", "may be 'red' | 'blue', but a number is needed"),
    ("a long value", {"const": "x" * 99}, NUMBER, "", f"is '{'x' * 39}…', but a number is needed"),
    ("many values", one_of(*range(99)), STRING, "", "may be 0 | 1 | 2 | 3 | 4 | 5 | …, but a string is needed"),
    ("a string is no enum", STRING, one_of("a", "b"), "", "is a string, but one of 'a', 'b' is needed"),
    ("a string is no constant", STRING, {"const": "a"}, "", "is a string, but 'a' is needed"),
    ("a boolean is more than true", BOOLEAN, one_of(True, 1), "", "is a boolean, but one of true, 1 is needed"),
    ("a boolean is more than false", BOOLEAN, {"const": False}, "", "is a boolean, but false is needed"),
    (
        "an enum or a number",
        BOOLEAN,
        either(one_of("a", "b"), NUMBER),
        "",
        "is a boolean, but one of 'a', 'b' or a number is needed",
    ),
    ("a missing key", record(a=STRING), record("email"), "", "'email' is required and not there"),
    (
        "a missing key of an inner object",
        record("user", user=record(a=STRING)),
        record("user", user=record("email")),
        "user",
        "'email' is required and not there",
    ),
    ("a key that cannot be there", record("", email=False), record("email"), "", "'email' is required and not there"),
    ("a key missing from what is closed", record("", False), record("email"), "", "'email' is required and not there"),
    ("a key of another type", record("a", a=STRING), record("a", a=NUMBER), "a", "is a string, but a number is needed"),
    (
        "a key inside a key",
        record("user", user=record("name", name=NUMBER)),
        record("user", user=record("name", name=STRING)),
        "user.name",
        "is a number, but a string is needed",
    ),
    (
        "a key that is no name",
        record("", None, **{"first name": NUMBER}),
        record("", None, **{"first name": STRING}),
        "['first name']",
        "is a number, but a string is needed",
    ),
    (
        "a key inside one that is no name",
        record("", None, **{"a-b": record(c=NUMBER)}),
        record("", None, **{"a-b": record(c=STRING)}),
        "['a-b'].c",
        "is a number, but a string is needed",
    ),
    ("an optional key of another type", record(a=STRING), record(a=NUMBER), "a", "is a string, but a number is needed"),
    ("an item", array(STRING), array(NUMBER), "[]", "is a string, but a number is needed"),
    (
        "a key of an item",
        array(record("id", id=STRING)),
        array(record("id", id=NUMBER)),
        "[].id",
        "is a string, but a number is needed",
    ),
    ("an item of an item", array(array(STRING)), array(array(NUMBER)), "[][]", "is a string, but a number is needed"),
    (
        "an item of a key",
        record(tags=array(STRING)),
        record(tags=array(NUMBER)),
        "tags[]",
        "is a string, but a number is needed",
    ),
    ("a place", pair(STRING, STRING), pair(STRING, NUMBER), "[1]", "is a string, but a number is needed"),
    ("a place among items", array(STRING), pair(NUMBER), "[0]", "is a string, but a number is needed"),
    ("a place of what is given", pair(STRING), array(NUMBER), "[0]", "is a string, but a number is needed"),
    (
        "a pair as it was written once",
        {"type": "array", "items": [STRING]},
        pair(NUMBER),
        "[0]",
        "is a string, but a number is needed",
    ),
    (
        "too few items",
        array(STRING, maxItems=1),
        array(STRING, minItems=3),
        "",
        "has at most 1 item, but the least needed is 3",
    ),
    (
        "too many items",
        array(STRING, minItems=4),
        array(STRING, maxItems=3),
        "",
        "has at least 4 items, but the most allowed is 3",
    ),
    (
        "a pair is too short",
        pair(STRING, STRING, items=False),
        array(STRING, minItems=3),
        "",
        "has at most 2 items, but the least needed is 3",
    ),
    (
        "a constant array is too long",
        {"const": ["a", "b"]},
        pair(STRING, items=False),
        "",
        "has at least 2 items, but the most allowed is 1",
    ),
    ("an item of a constant", {"const": ["a", 1]}, array(STRING), "[1]", "is 1, but a string is needed"),
    (
        "a key of a constant",
        {"const": {"a": {"b": None}}},
        record(a=record(b=STRING)),
        "a.b",
        "is null, but a string is needed",
    ),
    ("a key that a constant lacks", {"const": {"a": 1}}, record("b"), "", "'b' is required and not there"),
    (
        "a key too many",
        record("a x", a=STRING, x=STRING),
        record("a", False, a=STRING),
        "",
        "'x' is not one of the keys allowed",
    ),
    ("a key that is forbidden", record("x", x=STRING), record(x=False), "", "'x' is not one of the keys allowed"),
    (
        "an extra key that does not fit the rest",
        record("a", a=STRING),
        record("", NUMBER),
        "a",
        "is a string, but a number is needed",
    ),
    (
        "a promised key that does not fit",
        {"type": "object", "required": ["a"], "additionalProperties": STRING},
        record(a=NUMBER),
        "a",
        "is a string, but a number is needed",
    ),
    (
        "a map into a map",
        record(prices=record("", STRING)),
        record(prices=record("", NUMBER)),
        "prices.*",
        "is a string, but a number is needed",
    ),
    ("a map into a key", record("", STRING), record(a=NUMBER), "a", "is a string, but a number is needed"),
    ("a union into a part of it", either(STRING, NUMBER), STRING, "", "may be a number, but a string is needed"),
    (
        "a union of unions",
        either(STRING, either(NUMBER, either(BOOLEAN))),
        either(STRING, NUMBER),
        "",
        "may be a boolean, but a string or a number is needed",
    ),
    (
        "an object in a union",
        either(NULL, record("a", a=STRING)),
        either(NULL, record("a", a=NUMBER)),
        "a",
        "is a string, but a number is needed",
    ),
    (
        "the nearest by the number of errors",
        record("a b", a=STRING, b=STRING),
        either(record("a b", a=NUMBER, b=NUMBER), record("a b", a=STRING, b=NUMBER)),
        "b",
        "is a string, but a number is needed",
    ),
    (
        "the first of those equally near",
        record("a", a=STRING),
        either(record("a", a=NUMBER), record("a", a=BOOLEAN)),
        "a",
        "is a string, but a number is needed",
    ),
    (
        "the nearest array",
        array(STRING),
        either(array(NUMBER), pair(NUMBER, items=NUMBER)),
        "[]",
        "is a string, but a number is needed",
    ),
    (
        "one part of the target",
        record("a", a=STRING),
        every(record("a"), record("b")),
        "",
        "'b' is required and not there",
    ),
    (
        "parts of the source",
        every(record(a=STRING), record(b=STRING)),
        record(b=NUMBER),
        "b",
        "is a string, but a number is needed",
    ),
    (
        "a part of the target that is closed by another",
        record("a b", a=STRING, b=STRING),
        every(record(b=STRING), record("", False, a=STRING)),
        "",
        "'b' is not one of the keys allowed",
    ),
    (
        "an object that only one part of the target tells of",
        record("a", a=STRING),
        every({"properties": {"a": NUMBER}}, {"items": STRING}),
        "a",
        "is a string, but a number is needed",
    ),
    (
        "an object that one part tells of and another names",
        record("a", a=STRING),
        every({"properties": {"a": NUMBER}}, OBJECT),
        "a",
        "is a string, but a number is needed",
    ),
    (
        "parts that bound the number of items",
        every(array(STRING), array(STRING, minItems=4)),
        every(array(STRING), array(STRING, maxItems=3)),
        "",
        "has at least 4 items, but the most allowed is 3",
    ),
    (
        "a closed part of the target",
        record("a b", a=STRING, b=STRING),
        every(record("", False, a=STRING), record(b=STRING)),
        "",
        "'b' is not one of the keys allowed",
    ),
    (
        "keywords beside a union",
        record("a", a=STRING),
        {**record("c"), **either(record("a"), record("b"))},
        "",
        "'c' is required and not there",
    ),
    (
        "a definition",
        defining(record(a=ref("x")), x=STRING),
        defining(record(a=ref("x")), x=NUMBER),
        "a",
        "is a string, but a number is needed",
    ),
    ("a chain of other values", chain(STRING), chain(NUMBER), "value", "is a string, but a number is needed"),
]


@pytest.mark.parametrize(
    ("source", "target", "path", "reason"), [case[1:] for case in MISFITS], ids=[case[0] for case in MISFITS]
)
def test_what_does_not_fit_is_told_with_place_and_reason(
    source: Schema, target: Schema, path: str, reason: str
) -> None:
    assert [(each.path, each.reason, each.warning) for each in mismatches(source, target)] == [(path, reason, False)]


WARNINGS: list[tuple[str, Schema, Schema, str, str]] = [
    ("optional to required", record(a=STRING), record("a", a=STRING), "", "'a' is required and may not be there"),
    ("deeper", array(record(a=STRING)), array(record("a")), "[]", "'a' is required and may not be there"),
    ("nothing is known of the keys", OBJECT, record("a", a=STRING), "", "'a' is required and may not be there"),
    ("any key may be there", record("b", True, b=STRING), record("a"), "", "'a' is required and may not be there"),
    (
        "keys by pattern",
        {"type": "object", "patternProperties": {"^a": STRING}},
        record("a"),
        "",
        "'a' is required and may not be there",
    ),
    ("a map", record("", STRING), record("a", a=STRING), "", "'a' is required and may not be there"),
    (
        "an optional key too many",
        record(x=STRING),
        record("", False),
        "",
        "'x' may be there and is not one of the keys allowed",
    ),
    (
        "an optional key that is forbidden",
        record(x=STRING),
        record(x=False),
        "",
        "'x' may be there and is not one of the keys allowed",
    ),
    (
        "a map into what is closed",
        record("", STRING),
        record("", False, a=STRING),
        "",
        "may have other keys than those allowed",
    ),
    (
        "an array that may be too long for a tuple",
        array(STRING),
        pair(STRING, items=False),
        "",
        "may have more items than the 1 allowed",
    ),
    (
        "an array that may be too short for a tuple",
        array(STRING),
        pair(STRING, minItems=1),
        "",
        "may have fewer items than the 1 needed",
    ),
    (
        "a warning is nearer than an error",
        record(a=STRING),
        either(record("b"), record("a")),
        "",
        "'a' is required and may not be there",
    ),
]


@pytest.mark.parametrize(
    ("source", "target", "path", "reason"), [case[1:] for case in WARNINGS], ids=[case[0] for case in WARNINGS]
)
def test_what_may_not_fit_is_a_warning(source: Schema, target: Schema, path: str, reason: str) -> None:
    assert mismatches(source, target) == (Mismatch(path, reason, warning=True),)


def test_all_mismatches_are_told_errors_first() -> None:
    source = record("a c", a=STRING, b=STRING, c=array(NULL))
    target = record("a b c d", a=NUMBER, b=STRING, c=array(STRING))

    found = mismatches(source, target)

    assert found == (
        Mismatch("", "'d' is required and not there"),
        Mismatch("a", "is a string, but a number is needed"),
        Mismatch("c[]", "is null, but a string is needed"),
        Mismatch("", "'b' is required and may not be there", warning=True),
    )


def test_a_member_of_a_union_is_compared_with_the_one_that_has_its_tag() -> None:
    source = record("kind", kind={"const": "b"})

    assert [each.reason for each in mismatches(source, either(KIND_A, KIND_B))] == [
        "'y' is required and not there",
        "'z' is required and not there",
    ]


def test_what_each_tag_may_lack_is_a_warning() -> None:
    source = record("k", k=one_of("a", "b"), x=STRING)
    target = either(record("k x", k={"const": "a"}, x=STRING), record("k x", k={"const": "b"}, x=STRING))
    assert mismatches(source, target) == (Mismatch("", "'x' is required and may not be there", warning=True),)


def test_who_compares_often_says_what_it_may_take_together() -> None:
    """Beyond that, everything fits."""
    effort = Effort(100)
    found = [len(mismatches(record(a=STRING), record(a=NUMBER), effort=effort)) for _ in range(100)]
    assert found[:3] == [1, 1, 1]
    assert found[-3:] == [0, 0, 0]
    assert effort.is_spent


def test_errors_are_not_crowded_out_by_warnings() -> None:
    names = [f"k{number}" for number in range(300)]
    source = record("", **dict.fromkeys(names, STRING), last=STRING)
    target = record(" ".join(names), last=NUMBER)

    found = mismatches(source, target)

    assert len(found) == 100
    assert found[0] == Mismatch("last", "is a string, but a number is needed")


def test_a_pair_that_fits_only_if_a_wrong_one_does_is_compared_again() -> None:
    """`second` fits its target only while `first` is taken to; once `first` is found wrong, that is no longer so."""
    source = defining(
        record("one two", one=ref("first"), two=ref("second")),
        first=record("second bad", second=ref("second"), bad=STRING),
        second=record("first", first=ref("first")),
    )
    target = defining(
        record("one two", one=either(ref("first"), OBJECT), two=ref("second")),
        first=record("second bad", second=ref("second"), bad=NUMBER),
        second=record("first", first=ref("first")),
    )

    assert mismatches(source, target) == (Mismatch("two.first.bad", "is a string, but a number is needed"),)


DESCRIBED: list[tuple[Schema, str]] = [
    (PRESENT, "{}"),
    (True, "unknown"),
    ({}, "unknown"),
    (False, "never"),
    (STRING, "string"),
    ({"type": ["null", "number"]}, "number | null"),
    ({"type": "string", "nullable": True}, "string | null"),
    (one_of("a", "b"), "'a' | 'b'"),
    (one_of("a", None, True), "'a' | true | null"),
    (one_of([1], {"a": 1}), "[…] | {…}"),
    (either(NUMBER, {"const": "auto"}), "'auto' | number"),
    (one_of(*range(9)), "0 | 1 | 2 | 3 | 4 | 5 | …"),
    (OBJECT, "object"),
    (record("", False), "object"),
    (ARRAY, "unknown[]"),
    ({"type": "array", "maxItems": 0}, "[]"),
    (array(record("id", id=NUMBER, name=STRING)), "{ id: number; name?: string }[]"),
    (array({"type": ["number", "null"]}), "(number | null)[]"),
    (array(True), "unknown[]"),
    (array(one_of("a")), "'a'[]"),
    (record("a", a={}), "{ a: unknown }"),
    ({"type": "object", "required": ["a"]}, "{ a: unknown }"),
    (record("", NUMBER), "{ [key: string]: number }"),
    (record("", True, a=either(STRING, NULL)), "{ a?: string | null; [key: string]: unknown }"),
    (
        record("", **{f"k{n}": NUMBER for n in range(9)}),
        "{ k0?: number; k1?: number; k2?: number; k3?: number; k4?: number; k5?: number; … }",
    ),
    (pair(STRING, NUMBER), "[string, number]"),
    (pair(STRING, items=either(NUMBER, NULL)), "[string, ...(number | null)[]]"),
    ({"properties": {"a": STRING}}, "{ a?: string }"),
    (record("a", a=record("b", b=record("c", c=record("d", d=array(STRING))))), "{ a: { b: { c: object } } }"),
    (array(array(array(array(STRING)))), "array[][][]"),
    (array(array(array(pair(STRING)))), "array[][][]"),
    (every(record("a", a=STRING), record("b", b=NUMBER)), "{ a: string; b: number }"),
    (defining(ref("x"), x=STRING), "string"),
    ({"$ref": "other.json"}, "unknown"),
]


@pytest.mark.parametrize(("schema", "text"), DESCRIBED, ids=[case[1] for case in DESCRIBED])
def test_schemas_are_described_as_short_types(schema: Schema, text: str) -> None:
    assert describe(schema) == text


def test_a_part_of_a_schema_is_described_by_the_whole() -> None:
    assert describe(array(ref("x")), Reader(defining({"type": "object"}, x=STRING), Effort())) == "string[]"


def test_descriptions_stay_short() -> None:
    schema = defining(
        ref("d"), d=either(*[record("", **{f"k{n}": ref("d"), f"long{n}": {"const": "x" * 99}}) for n in range(9)])
    )

    assert len(describe(schema)) == 200


def nested(wrap: Callable[[Any], Any], inner: Any, depth: int) -> Any:
    for _ in range(depth):
        inner = wrap(inner)
    return inner


def tangle(value: Schema) -> Schema:
    """Definitions that lead to one another by every way there is."""
    definitions = {
        f"d{n}": either(
            *[record(f"k{k}", **{f"k{k}": ref(f"d{(n * k + 1) % 20}")}) for k in range(6)],
            every(ref(f"d{(n + 1) % 20}"), record(x=ref(f"d{(n + 3) % 20}"))),
            array(ref(f"d{(n + 7) % 20}")),
        )
        for n in range(20)
    }
    return defining(ref("d0"), **{**definitions, "d7": value})


def twice(made: Callable[[Schema], Schema]) -> tuple[Schema, Schema]:
    """The same of strings and of numbers."""
    return made(STRING), made(NUMBER)


def keyed(count: int, value: Schema = True) -> list[Schema]:
    return [record(f"k{n}", None, **{f"k{n}": value}) for n in range(count)]


HOSTILE: dict[str, tuple[Schema, Schema]] = {
    "deep objects": twice(lambda s: nested(lambda inner: record("a", a=inner), s, 1000)),
    "deep arrays": twice(lambda s: nested(array, s, 1000)),
    "deep unions": twice(lambda s: nested(either, s, 1000)),
    "deep parts": twice(lambda s: nested(every, s, 1000)),
    "deep unions in deep objects": twice(
        lambda s: nested(lambda inner: record("a", a=nested(either, inner, 63)), s, 100)
    ),
    "deep constants": ({"const": nested(lambda inner: [inner], 1, 900)}, nested(array, STRING, 900)),
    "unions that double": twice(lambda s: nested(lambda inner: either(inner, inner), s, 1000)),
    "objects that double": twice(lambda s: nested(lambda inner: record("", a=inner, b=inner), s, 1000)),
    "a union against a union": twice(lambda s: either(*keyed(2000, s))),
    "arrays against objects": (either(*[pair({"const": n}) for n in range(5000)]), either(*keyed(5000))),
    "a product of unions": (every(*[either(*keyed(2)) for _ in range(100)]), OBJECT),
    "very many parts": (every(*keyed(9000)), record("x")),
    "parts of very many places": (
        every(*[pair(*[{"const": n} for n in range(60_000)]) for _ in range(2)]),
        array(STRING),
    ),
    "choices against objects": (one_of(*range(50_000)), either(*keyed(5000))),
    "many choices": (one_of(*range(50_000)), one_of(*range(1, 50_000))),
    "many keys": (OBJECT, record(" ".join(f"k{n}" for n in range(400_000)))),
    "many places": (pair(*[STRING] * 400_000), pair(*[NUMBER] * 400_000)),
    "objects of many tags": twice(
        lambda s: either(*(record("k", k=one_of(n, -n), a=s, b=BOOLEAN, c=one_of(1, 2)) for n in range(300)))
    ),
    "alternatives that all lead to each other": (
        BOOLEAN,
        defining(
            ref("d0"),
            **{f"d{n}": either({"const": n}, *(ref(f"d{m}") for m in range(60) if m != n)) for n in range(60)},
        ),
    ),
    "a tangle": twice(tangle),
    "a tangle of itself": (tangle({"$ref": "#"}), tangle(either(ref("d1"), ref("d2")))),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_schemas_get_an_answer_in_time(name: str) -> None:
    source, target = HOSTILE[name]
    began = time.perf_counter()

    assert len(mismatches(source, target)) <= 100
    assert len(describe(source)) <= 200
    assert len(describe(target)) <= 200
    assert time.perf_counter() - began < HOSTILE_SECONDS_MAX


def test_what_lies_too_deep_is_unknown_and_what_does_not_is_compared() -> None:
    source, target = (nested(lambda s: record("a", a=s), s, 60) for s in (STRING, NUMBER))
    deeper = (nested(lambda s: record("a", a=s), s, 65) for s in (STRING, NUMBER))

    assert mismatches(source, target) == (Mismatch(".".join("a" * 60), "is a string, but a number is needed"),)
    assert mismatches(*deeper) == ()


@pytest.mark.parametrize("junk", [None, 5, "x", [], [5], {"x": 5}, True], ids=repr)
@pytest.mark.parametrize(
    "word",
    [
        "type",
        "properties",
        "required",
        "additionalProperties",
        "patternProperties",
        "items",
        "prefixItems",
        "additionalItems",
        "minItems",
        "maxItems",
        "enum",
        "const",
        "$ref",
        "allOf",
        "anyOf",
        "oneOf",
        "nullable",
    ],
)
def test_keywords_that_make_no_sense_are_no_exception(word: str, junk: Any) -> None:
    for schema in (
        {word: junk},
        {**record("a", a=STRING), word: junk},
        {**array(STRING), word: junk},
        {"properties": {"a": {word: junk}}},
    ):
        assert mismatches(schema, deepcopy(schema)) == ()
        assert describe(schema)


def values_of(schema: Any, root: Any) -> st.SearchStrategy[Any]:
    """Values that the schema allows: with the keys that it names, and others only where it says what they hold."""
    match schema:
        case {"$ref": name}:
            return st.deferred(lambda: values_of(root["$defs"][name.removeprefix("#/$defs/")], root))
        case {"const": value}:
            return st.just(value)
        case {"enum": values}:
            return st.sampled_from(values)
        case {"anyOf": parts}:
            return st.one_of([values_of(part, root) for part in parts])
        case {"allOf": parts}:  # made of open objects without a key in common
            return st.tuples(*[values_of(part, root) for part in parts]).map(
                lambda found: {k: v for each in found for k, v in each.items()}
            )
        case {"nullable": True, **rest}:
            return st.none() | values_of(rest, root)
        case {"type": list(kinds)}:
            return st.one_of([values_of({"type": kind}, root) for kind in kinds])
        case {"type": "object"}:
            return objects_of(schema, root)
        case {"type": "array", "prefixItems": first}:
            return st.tuples(*[values_of(place, root) for place in first]).map(list)
        case {"type": "array"}:
            return st.lists(values_of(schema["items"], root), max_size=2)
        case _:
            return {
                "string": st.sampled_from(["a", "b", "other"]),
                "number": st.sampled_from([1, 1.5, 2.0]),
                "integer": st.sampled_from([1, 2, 7]),
                "boolean": st.booleans(),
                "null": st.none(),
            }[schema["type"]]


def objects_of(schema: Any, root: Any) -> st.SearchStrategy[Any]:
    properties = {name: values_of(inner, root) for name, inner in schema["properties"].items()}
    required = {name: properties.pop(name) for name in schema["required"]}
    named = st.fixed_dictionaries(required, optional=properties)
    if not schema.get("additionalProperties"):
        return named
    others = st.dictionaries(
        st.sampled_from(["a", "b", "c", "else"]), values_of(schema["additionalProperties"], root), max_size=2
    )
    return st.tuples(others, named).map(
        lambda found: {**{k: v for k, v in found[0].items() if k not in schema["properties"]}, **found[1]}
    )


def validates(value: Any, schema: Any, root: Any) -> bool:
    """JSON Schema, as far as the schemas made here go."""
    if value is None and schema.get("nullable"):
        return True
    if "$ref" in schema and not validates(value, root["$defs"][schema["$ref"].removeprefix("#/$defs/")], root):
        return False
    if "const" in schema and not same(value, schema["const"]):
        return False
    if "enum" in schema and not any(same(value, choice) for choice in schema["enum"]):
        return False
    if not all(validates(value, part, root) for part in schema.get("allOf", [])):
        return False
    if "anyOf" in schema and not any(validates(value, part, root) for part in schema["anyOf"]):
        return False
    kinds = schema.get("type", [])
    if kinds and not any(is_kind(value, kind) for kind in ([kinds] if isinstance(kinds, str) else kinds)):
        return False
    if isinstance(value, dict):
        named, others = schema.get("properties", {}), schema.get("additionalProperties", True)
        return set(schema.get("required", [])) <= value.keys() and all(
            validates(item, named[name], root)
            if name in named
            else others is True or (others is not False and validates(item, others, root))
            for name, item in value.items()
        )
    if isinstance(value, list):
        first = schema.get("prefixItems", [])
        rest = [schema.get("items", {})] * len(value)
        return all(validates(item, place, root) for item, place in zip(value, [*first, *rest], strict=False))
    return True


def same(one: Any, other: Any) -> bool:
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[name], other[name]) for name in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    return isinstance(one, bool) == isinstance(other, bool) and bool(one == other)


def is_kind(value: Any, kind: str) -> bool:
    match kind:
        case "integer" | "number":
            number = isinstance(value, int | float) and not isinstance(value, bool)
            return number and (kind == "number" or value == int(value))
        case _:
            return isinstance(
                value, {"string": str, "boolean": bool, "null": type(None), "object": dict, "array": list}[kind]
            )


KEYS = ("a", "b", "c")
CHOICES = st.sampled_from(["a", "b", 1, 2.0, 1.5, True, False, None, {"a": 1}, {"a": "a", "b": None}, [1, "a"], []])
PLAIN: st.SearchStrategy[Any] = st.one_of(
    st.sampled_from(["string", "number", "integer", "boolean", "null"]).map(lambda kind: {"type": kind}),
    st.lists(
        st.sampled_from(["string", "number", "integer", "boolean", "null"]), min_size=1, max_size=3, unique=True
    ).map(lambda kinds: {"type": kinds}),
    CHOICES.map(lambda value: {"const": value}),
    st.lists(CHOICES, min_size=1, max_size=3).map(lambda values: {"enum": values}),
    st.just({"type": "string", "nullable": True}),
)
LEAVES = PLAIN | st.just(ref("shared"))


@st.composite
def objects(draw: st.DrawFn, inner: st.SearchStrategy[Any]) -> Any:
    properties = draw(st.dictionaries(st.sampled_from(KEYS), inner, max_size=3))
    required = [name for name in properties if draw(st.booleans())]
    rest = draw(st.none() | st.just(value=False) | inner)
    return {
        "type": "object",
        "properties": properties,
        "required": required,
        **({} if rest is None else {"additionalProperties": rest}),
    }


@st.composite
def split(draw: st.DrawFn, inner: st.SearchStrategy[Any]) -> Any:
    """An object in two parts, which have no key in common."""
    names = draw(st.permutations(KEYS))
    parts = ({names[0]: draw(inner), names[1]: draw(inner)}, {names[2]: draw(inner)})
    return {"allOf": [record(" ".join(name for name in part if draw(st.booleans())), None, **part) for part in parts]}


SCHEMAS: st.SearchStrategy[Any] = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        objects(inner),
        objects(inner),
        split(inner),
        inner.map(array),
        st.lists(inner, min_size=1, max_size=2).map(lambda first: pair(*first)),
        st.lists(inner, min_size=1, max_size=3).map(lambda parts: either(*parts)),
    ),
    max_leaves=6,
)


@st.composite
def changed(draw: st.DrawFn, schema: Any) -> Any:
    """Much like the schema: wider here, narrower there, so that many fit and many nearly do."""
    change = draw(st.sampled_from(["keep"] * 8 + ["or", "other", "null", "both"]))
    match change, schema:
        case "other", _:
            return draw(LEAVES)
        case "or", _:
            return either(draw(LEAVES), schema, draw(LEAVES))
        case "null", _:
            return {**schema, "nullable": True}
        case "both", _:
            return every(draw(changed(schema)), schema)
        case _, {"type": "object"}:
            properties = {
                name: draw(changed(inner)) for name, inner in schema["properties"].items() if draw(st.integers(0, 5))
            }
            required = [name for name in schema["required"] if draw(st.integers(0, 3))] + draw(
                st.sampled_from([[], [], [], ["a"]])
            )
            rest = draw(
                st.sampled_from(
                    [
                        {},
                        {},
                        {"additionalProperties": False},
                        {k: v for k, v in schema.items() if k == "additionalProperties"},
                    ]
                )
            )
            return {"type": "object", "properties": properties, "required": required, **rest}
        case _, {"type": "array", "items": items}:
            return array(draw(changed(items)))
        case _, {"anyOf": parts}:
            return either(*[draw(changed(part)) for part in parts])
        case _, {"allOf": parts}:
            return every(*[draw(changed(part)) for part in parts])
        case _:
            return schema


@settings(max_examples=600, deadline=None)
@given(st.data())
def test_a_value_of_what_fits_without_warning_is_valid(data: st.DataObject) -> None:
    shared = data.draw(PLAIN)
    source = defining(data.draw(SCHEMAS, "source"), shared=shared)
    target = defining(data.draw(changed(source) | SCHEMAS, "target"), shared=data.draw(st.just(shared) | PLAIN))

    if found := mismatches(source, target):
        event("an error" if not found[0].warning else "a warning")
        return
    event("fits")
    for value in data.draw(st.lists(values_of(source, source), min_size=1, max_size=5), "values"):
        assert validates(value, source, source)
        assert validates(value, target, target)


@settings(max_examples=200, deadline=None)
@given(SCHEMAS, SCHEMAS, PLAIN)
def test_every_schema_fits_itself_and_every_union_that_it_is_part_of(one: Any, other: Any, shared: Any) -> None:
    source = defining(one, shared=shared)

    assert mismatches(source, deepcopy(source)) == ()
    assert mismatches(source, defining(either(other, one), shared=shared)) == ()
    assert mismatches(source, defining({"oneOf": [one, other]}, shared=shared)) == ()


@pytest.mark.parametrize(
    ("source", "target", "narrows"),
    [(NUMBER, INTEGER, True), ({"type": "string"}, INTEGER, False), (NUMBER, {"type": ["integer", "null"]}, True)],
)
def test_a_number_that_may_be_an_integer_is_told_apart(source: Schema, target: Schema, narrows: bool) -> None:
    (found,) = mismatches(source, target)
    assert (found.narrows, found.warning) == (narrows, False)


@pytest.mark.parametrize(
    ("target", "widens"),
    [(OBJECT, True), (either(OBJECT, NULL), True), (record("a"), False), (record(a=STRING), False), (STRING, False)],
)
def test_an_array_that_some_take_for_an_object_is_told_apart(target: Schema, widens: bool) -> None:
    (found,) = mismatches(array(STRING), target)
    assert (found.widens, found.warning) == (widens, False)
    assert not any(found.widens for found in mismatches(STRING, target))


def test_alternatives_that_nobody_has_the_time_to_read_may_be_anything() -> None:
    some = either(*({"const": number} for number in range(9)))
    assert Reader(some, Effort(5)).shapes(some) == (Unknown(),)


def test_a_part_of_a_schema_refers_to_the_whole() -> None:
    whole: Schema = {"properties": {"a": {"type": "string"}, "b": {"$ref": "#/properties/a"}}}
    part: Schema = {"$ref": "#/properties/a"}
    assert mismatches(part, {"type": "integer"}) == ()
    (found,) = mismatches(part, {"type": "integer"}, source_root=whole)
    assert found.reason == "is a string, but an integer is needed"
    (found,) = mismatches({"type": "integer"}, part, target_root=whole)
    assert found.reason == "is an integer, but a string is needed"
