"""What is no document is refused with its place, whatever it is; nothing else is ever raised."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from itertools import islice

import pytest

from perdure import dialects
from perdure.dialects import BadDocument, Document, located, read
from perdure.dialects.faults import PROBLEMS_MAX
from perdure.dialects.places import lines_and_columns, repeated
from perdure.dialects.reading import BYTES_MAX, DEPTH_MAX, faults
from perdure.errors import PerdureError
from perdure.model.problem import Problem
from perdure.model.values import Json


def refused(given: bytes | str) -> Problem:
    """The only problem."""
    with pytest.raises(BadDocument) as caught:
        read(given)
    (problem,) = caught.value.problems
    assert problem.message in str(caught.value)
    return problem


def test_a_document_is_its_value_and_its_text() -> None:
    assert read(b'{"a": [1, "x"]}') == Document({"a": [1, "x"]}, '{"a": [1, "x"]}')
    assert read('{"a": "ä"}').value == {"a": "ä"}
    assert read("\ufeff{}".encode()) == Document({}, "{}")
    assert issubclass(BadDocument, PerdureError)


@pytest.mark.parametrize(
    ("text", "line", "column", "words"),
    [
        ('{\n  "a": 1,\n  "b" 2\n}', 3, 7, "expecting ':'"),
        ('{"a": [1, 2}', 1, 12, "expecting ','"),
        ("{'a': 1}", 1, 2, "double quotes"),
        ('{"a": tru}', 1, 7, "expecting value"),
        ('{"a": 1', 1, 8, "ends too early"),
        ('{"a": "x', 1, 7, "unterminated string"),
        ('{"a": 1} {"b": 2}', 1, 10, "extra data"),
        ('{"a": "x\ny"}', 1, 9, "control character"),
        ('{"a": "\\x"}', 1, 8, "escape"),
        ("", 1, 1, "empty"),
        (" \n ", 1, 1, "empty"),
        ("{\n\x00}", 2, 1, "NUL"),
        ('{"a": NaN}', 1, 7, "NaN"),
        ('{"a": "NaN",\n "b": -Infinity}', 2, 7, "-Infinity"),
        ("[" + "7" * 5000 + "]", 1, 2, "5,000 digits"),
    ],
)
def test_what_is_not_json_is_told_with_line_and_column(text: str, line: int, column: int, words: str) -> None:
    problem = refused(text.encode())
    assert problem.type == "not_json"
    assert (problem.line, problem.column) == (line, column)
    assert words in problem.message


def test_a_long_number_among_others_is_found_without_searching_for_it_at_every_digit() -> None:
    """The same digits stand before it, in a number that can be read and in a text."""

    def seconds(digits: int) -> float:
        nines = "9" * digits
        text = f'["{nines}1", 0.{nines},\n {nines}1]'
        began = time.process_time()
        problem = refused(text)
        took = time.process_time() - began
        assert (problem.line, problem.column) == (2, 2)
        assert f"{digits + 1:,} digits" in problem.message
        return took

    assert seconds(100_000) < 40 * max(min(seconds(10_000) for _ in range(3)), 0.001)


def test_of_ten_thousand_keys_that_cannot_be_kept_only_some_are_told() -> None:
    keys = ",".join(f'"\\ud800{number}": 1' for number in range(10_000))
    with pytest.raises(BadDocument) as caught:
        read("{" + keys + "}")
    assert len(caught.value.problems) == PROBLEMS_MAX + 1, "and that there are more"


def test_a_comma_before_the_end_is_called_so() -> None:
    for text in ("[1, 2, ]", '{"a": 1,\n}'):  # where, the versions of Python do not agree
        assert "comma before the end" in refused(text).message


def test_what_is_not_utf8_is_told_with_its_byte() -> None:
    problem = refused(b'{"a":\n "\xff"}')
    assert (problem.type, problem.line, problem.column) == ("not_utf8", 2, 3)
    assert "byte 8 is 0xff" in problem.message
    assert refused("{}".encode("utf-16")).type == "not_utf8"


def test_ten_megabytes_are_not_looked_at() -> None:
    problem = refused(b" " * 10_000_000)
    assert problem.type == "too_large"
    assert "10,000,000 bytes" in problem.message
    assert "2,000,000" in problem.message
    assert refused(" " * (BYTES_MAX + 1)).type == "too_large"
    assert read(b'"' + b"x" * (BYTES_MAX - 2) + b'"').value


@pytest.mark.parametrize("bracket", ["[", '{"a":', '[{"b": [1, "]"], "a":'])
def test_nesting_of_a_hundred_thousand_is_refused_and_nothing_overflows(bracket: str) -> None:
    problem = refused((bracket * 100_000)[:BYTES_MAX])
    assert problem.type == "too_deep"
    assert problem.line == 1
    assert "100 levels" in problem.message


def test_a_hundred_levels_are_read_and_one_more_is_not() -> None:
    assert read("[" * DEPTH_MAX + "]" * DEPTH_MAX).value
    assert refused("[" * (DEPTH_MAX + 1) + "]" * (DEPTH_MAX + 1)).column == DEPTH_MAX + 1
    assert read('["' + "[" * 500 + '"]').value == ["[" * 500], "in a text, a bracket is a bracket"
    assert read('["\\"' + "[" * 500 + '"]').value


def test_a_document_of_nothing_but_keys_that_stand_again_does_not_take_long() -> None:
    text = "{" + ",\n".join(['"a":1'] * (BYTES_MAX // 8)) + "}"
    began = time.process_time()
    list(islice(repeated(text), 50_000))
    yardstick = time.process_time() - began
    began = time.process_time()
    with pytest.raises(BadDocument) as caught:
        read(text)
    assert time.process_time() - began < 20 * yardstick
    assert [problem.line for problem in caught.value.problems] == [*range(2, PROBLEMS_MAX + 2), None]


def test_offsets_are_located_together_as_they_are_alone() -> None:
    text = "ab\n\ncd\ne"
    assert lines_and_columns(text, reversed(range(9))) == {
        offset: (text[:offset].count("\n") + 1, len(text[:offset].rpartition("\n")[2]) + 1) for offset in range(9)
    }


def test_a_key_that_stands_twice_is_told_each_time() -> None:
    with pytest.raises(BadDocument) as caught:
        read('{\n "a": 1,\n "b": [{"c": 1,\n "\\u0063": 2}],\n "a": 3}')
    assert [(p.type, p.path, p.line, p.column) for p in caught.value.problems] == [
        ("duplicate_key", "/b/0/c", 4, 2),
        ("duplicate_key", "/a", 5, 2),
    ]


@pytest.mark.parametrize(
    ("text", "path", "word"),
    [
        ('{"a": {"b": "x\\u0000y"}}', "/a/b", "NUL"),
        ('{"a\\u0000": 1}', "/a\0", "NUL"),
        ('["\\ud800"]', "/0", "half a character"),
        ('["\\udc00\\ud800"]', "/0", "half a character"),
    ],
)
def test_what_is_no_character_cannot_be_kept(text: str, path: str, word: str) -> None:
    problem = refused(text)
    assert (problem.type, problem.path) == ("not_a_character", path)
    assert word in problem.message
    assert problem.line == 1


def test_numbers_that_a_model_has_no_place_for() -> None:
    assert refused('{"a": 1e400}').path == "/a"
    assert read("[18446744073709551615, 18446744073709551616]").value == [2**64 - 1, float(2**64)]


@pytest.mark.parametrize(
    ("value", "path", "word"),
    [
        ({1: 2}, "", "key 1 is not a text"),
        ({"a": [1, {2, 3}]}, "/a/1", "set is not JSON"),
        ({"a": b"x"}, "/a", "bytes is not JSON"),
        ({"a": (1, 2)}, "/a", "tuple is not JSON"),
        ({"a": float("nan")}, "/a", "too large, or none"),
        ({"a": 2**70}, "/a", "64 bits"),
        ({"a": object()}, "/a", "object is not JSON"),
    ],
)
def test_a_value_that_is_no_json_is_told_with_its_path(value: Json, path: str, word: str) -> None:
    (problem,) = faults(value)
    assert (problem.type, problem.path) == ("not_json", path)
    assert word in problem.message
    assert dialects.compile(value).problems == (problem,)


def test_a_value_that_is_nested_without_end_is_refused() -> None:
    deep: Json = []
    for _ in range(100_000):
        deep = [deep]
    assert [problem.type for problem in dialects.compile({"nodes": deep, "connections": []}).problems] == ["too_deep"]
    while deep:  # taken apart again, so that the interpreter need not
        deep = deep[0]


TEXT = """{
  "name": "x",
  "nodes": [
    {"id": "a",
     "data": {"a/b": [1, {"~": true}], "": 0}},
    "x,]}:"
  ]
}"""


@pytest.mark.parametrize(
    ("path", "line", "column"),
    [
        ("", 1, 1),
        ("/name", 2, 3),
        ("/nodes", 3, 3),
        ("/nodes/0", 4, 5),
        ("/nodes/0/id", 4, 6),
        ("/nodes/0/data/a~1b", 5, 15),
        ("/nodes/0/data/a~1b/0", 5, 23),
        ("/nodes/0/data/a~1b/1/~0", 5, 27),
        ("/nodes/0/data/", 5, 40),
        ("/nodes/1", 6, 5),
        ("/nodes/0/type", 4, 5),
        ("/settings/maxNodes", 1, 1),
    ],
)
def test_a_path_has_a_place_in_the_text_or_what_is_around_it_has(path: str, line: int, column: int) -> None:
    (found,) = located([Problem("t", "m", path=path)], read(TEXT))
    assert (found.line, found.column) == (line, column)


def test_a_problem_that_has_a_place_keeps_it_and_without_a_text_there_is_none() -> None:
    has = Problem("t", "m", line=7, column=1)
    assert located([has], read(TEXT)) == (has,)
    assert located([Problem("t", "m", "/a")], Document({}, "")) == (Problem("t", "m", "/a"),)


def test_every_path_of_a_document_is_found_where_it_stands() -> None:
    value = {
        "nodes": [{"id": str(n), "data": {"k": [n, [n, {"x": {}}], [], {}]}} for n in range(20)],
        "z": {"": {"": 1}},
    }

    def paths(part: Json, path: str) -> list[str]:
        inside = part.items() if isinstance(part, dict) else enumerate(part) if isinstance(part, list) else ()
        return [path, *(found for key, each in inside for found in paths(each, f"{path}/{key}"))]

    text = json.dumps(value, indent=1)
    wanted = paths(value, "")
    found = located([Problem("t", "m", path=path) for path in wanted], Document(value, text))
    offsets = [(problem.line, problem.column) for problem in found]
    assert offsets == sorted(offsets, key=lambda place: (place[0] or 0, place[1] or 0))
    assert len(set(offsets)) == len(wanted)


def test_a_large_document_is_located_without_delay() -> None:
    text = json.dumps({"nodes": [{"id": f"n{n}", "type": "WORK", "data": {"n": n}} for n in range(20_000)]})
    (found,) = located([Problem("t", "m", "/nodes/19999/type")], read(text))
    assert text[(found.column or 0) - 1 :].startswith('"type"')


def test_to_look_at_two_megabytes_of_numbers_takes_about_as_long_as_to_read_them() -> None:
    text = json.dumps({"numbers": [7] * 600_000, "after": {"it": 1}})
    document = Document(json.loads(text), text)
    problem = Problem("t", "m", "/after/it")

    def seconds(action: Callable[[], object]) -> float:
        took = []
        for _ in range(3):
            began = time.process_time()
            action()
            took.append(time.process_time() - began)
        return min(took)

    yardstick = seconds(lambda: json.loads(text))
    assert seconds(lambda: faults(document.value)) < 8 * yardstick
    assert seconds(lambda: located([problem], document)) < 8 * yardstick
    (found,) = located([problem], document)
    assert text[(found.column or 0) - 1 :].startswith('"it"')
    (found,) = located([Problem("t", "m", "/numbers/599999")], document)
    assert text[(found.column or 0) - 1 :].startswith("7], ")
