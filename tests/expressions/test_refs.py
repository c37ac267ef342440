"""Refs, as phases has them."""

from __future__ import annotations

from typing import Any

import pytest

from perdure.expressions.language import compile_value
from perdure.expressions.protocol import UNDEFINED
from perdure.expressions.ready import ready
from perdure.expressions.refs import Ref, Standing, or_as_written, refs_in, source, value_with_refs
from perdure.model.values import Constant


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("@fetch", [Ref("fetch", (), "@fetch")]),
        ("@fetch.items[0].id", [Ref("fetch", ("items", 0, "id"), "@fetch.items[0].id")]),
        ("@fetch.items.0.id", [Ref("fetch", ("items", 0, "id"), "@fetch.items.0.id")]),
        (
            "@list-users.output.total-count",
            [Ref("list-users", ("output", "total-count"), "@list-users.output.total-count")],
        ),
        ("hello @input.name.", ["hello ", Ref("input", ("name",), "@input.name", 6), "."]),
        ("@a-@b", [Ref("a", (), "@a"), "-", Ref("b", (), "@b", 3)]),
        ("@a.b- c", [Ref("a", ("b",), "@a.b"), "- c"]),
        ("@@x is a text", ["@x is a text"]),
        ("@@@x", ["@", Ref("x", (), "@x", 2)]),
        ("ann@example.com", ["ann", Ref("example", ("com",), "@example.com", 3)]),
        ("@über.q of @École", [Ref("über", ("q",), "@über.q"), " of ", Ref("École", (), "@École", 11)]),
        ("@名前", [Ref("名前", (), "@名前")]),
        ("jörg@müller.de", ["jörg", Ref("müller", ("de",), "@müller.de", 4)]),
        ("@a-.q", [Ref("a-", ("q",), "@a-.q")]),
        ("no ref, @ alone, @1", ["no ref, @ alone, @1"]),
        ("", []),
    ],
)
def test_refs_are_found_in_a_text(text: str, found: list[str | Ref]) -> None:
    assert refs_in(text) == found


def test_a_ref_becomes_an_expression_that_cannot_be_anything_else() -> None:
    path = ("items", 0, "it's", '"] + evil["')
    written = source('steps["fetch"].output', path)
    assert ready(written).run({"steps": {"fetch": {"output": {"items": [{"it's": {'"] + evil["': 7}}]}}}}) == 7


def test_what_leads_nowhere_stays_as_it_is_written() -> None:
    written = or_as_written(source("input", ("name",)), '@input.name "x"')
    assert ready(written).run({"input": {}}) == '@input.name "x"'
    assert ready(written).run({"input": {"name": "Ann"}}) == "Ann"
    assert ready(written).run({"input": {"name": None}}) is None


def resolve(ref: Ref, standing: Standing) -> str | None:
    roots = {"input": "input", "fetch": "steps['fetch'].output", "secrets": "secrets"}
    return source(roots[ref.name], ref.path) if ref.name in roots else None


SCOPE = {"input": {"name": "Ann", "none": None}, "steps": {"fetch": {"output": {"items": [1, 2]}}}}


@pytest.mark.parametrize(
    ("given", "found"),
    [
        ("@fetch.items", [1, 2]),
        ("@fetch.items[1]", 2),
        ("@nobody.x", UNDEFINED),
        ("@input.missing", UNDEFINED),
        ("hello @input.name!", "hello Ann!"),
        ("hello @input.none!", "hello !"),
        ("hello @input.missing, ann@example.com", "hello @input.missing, ann@example.com"),
        ("items: @fetch.items", "items: [1,2]"),
        ("@@input.name", "@input.name"),
        ("", ""),
        ({"a": ["@input.name", 5], "@input.name": "@nobody"}, {"a": ["Ann", 5], "Ann": UNDEFINED}),
    ],
)
def test_refs_in_a_document_are_values_or_text(given: Any, found: Any) -> None:
    computed = compile_value(value_with_refs(given, resolve)).evaluate(SCOPE)
    if isinstance(found, dict):
        found = {key: value for key, value in found.items() if value is not UNDEFINED}
    assert computed == found


def test_a_ref_to_a_secret_is_sealed() -> None:
    rendered = compile_value(value_with_refs({"auth": "Bearer @secrets.KEY"}, resolve)).render(SCOPE)
    assert rendered.value == {"auth": "Bearer ***"}
    assert rendered.sealed == {"/auth": ["Bearer ", {"secret": "KEY"}]}


def test_a_value_that_looks_like_a_ref_stays_what_it_is() -> None:
    for text in ("@input.name", "@@x", "a @fetch.items b", "@secrets.KEY"):
        scope = {"input": {"name": text}}
        assert compile_value(value_with_refs("@input.name", resolve)).evaluate(scope) == text
        assert compile_value(value_with_refs("x @input.name", resolve)).evaluate(scope) == f"x {text}"


def test_digits_without_end_are_no_place() -> None:
    assert refs_in("@a." + "1" * 5_000) == [Ref("a", (), "@a"), "." + "1" * 5_000]
    assert refs_in("@a[٣]") == [Ref("a", (), "@a"), "[٣]"]


def test_whoever_resolves_is_told_where_a_ref_stands() -> None:
    told: list[tuple[str, Standing]] = []

    def note(ref: Ref, standing: Standing) -> None:
        told.append((ref.text, standing))

    value_with_refs({"to": ["@input.a", "x@fetch.org"], "k/@input.b": 5}, note, "/steps/0")
    assert told == [
        ("@input.a", Standing("/steps/0/to/0", is_whole=True)),
        ("@fetch.org", Standing("/steps/0/to/1", is_whole=False, in_word=True)),
        ("@input.b", Standing("/steps/0/k~1@input.b", is_whole=False)),
    ]


def test_what_has_no_refs_is_a_constant() -> None:
    given = {"a": [1, {"b": "@@x"}], "c": None}
    assert value_with_refs(given, resolve) == Constant({"a": [1, {"b": "@x"}], "c": None})


@pytest.mark.parametrize(("text", "found"), [("of @input.missing", ""), ("ann@fetch.org", "ann@fetch.org")])
def test_in_a_text_that_has_to_be_whole_what_leads_nowhere_is_undefined(text: str, found: str) -> None:
    value = value_with_refs(text, resolve, as_written=False)
    assert compile_value(value).evaluate(SCOPE) == (found or "of ")


def test_nobody_keeps_a_secret_in_an_address() -> None:
    rendered = compile_value(value_with_refs({"to": "ann@secrets.io, @secrets.KEY"}, resolve)).render(SCOPE)
    assert rendered.value == {"to": "ann@secrets.io, ***"}


def test_a_key_may_begin_with_whatever_letters_there_are() -> None:
    assert refs_in("@a.2fa.über.0") == [Ref("a", ("2fa", "über", 0), "@a.2fa.über.0")]
