"""Whatever comes in, an answer comes out, soon: soups of words, broken transforms, and sources that are made to hurt."""

from __future__ import annotations

import sys
from random import Random
from time import thread_time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perdure.expressions.describing import describe
from perdure.model.problem import Problem
from perdure.schemas import problems
from perdure.typescript import Refused, Transform, read
from typescript.hostile import BRACKETS, HOSTILE, WORDS
from typescript.refused import REFUSED
from typescript.transforms import NOT_FOR_NODE, RUNS

HOSTILE_SECONDS_MAX = 10
"""Many times what each takes: a loaded machine is no defect, an exponential is."""

SMALL_SECONDS_MAX = 0.5
BROKEN = 2_000
"""Of each kind, from each number."""

SOURCES = [source for source, _, _ in (RUNS | NOT_FOR_NODE).values()] + [source for source, _ in REFUSED.values()]
PIECES = [
    *BRACKETS,
    *(f"{word} " for word in WORDS),
    "a",
    "1",
    "'a'",
    " ",
    "\n",
    "/** a */",
    "interface Input {",
    "<T>(",
    "(a: ",
]


def checked(source: str) -> None:
    began = thread_time()
    found = read(source)
    assert thread_time() - began < SMALL_SECONDS_MAX, source
    if isinstance(found, Transform):
        for schema in (found.input, found.output):
            assert schema is None or (problems(schema) == () and describe(schema)), source
        return
    assert found.problems
    lines = source.split("\n")
    for each in found.problems:
        assert isinstance(each, Problem)
        assert each.message, source
        if each.message.startswith("Missing required"):  # what is not there has no place
            continue
        assert each.line is not None
        assert each.column is not None
        assert 1 <= each.column <= len(lines[each.line - 1]) + 1


@pytest.mark.parametrize("number", range(4))
def test_a_soup_of_words_is_answered(number: int) -> None:
    random = Random(number)
    for _ in range(BROKEN):
        checked("".join(random.choices(PIECES, k=random.randint(1, 120))))


@pytest.mark.parametrize("number", range(4))
def test_a_broken_transform_is_answered(number: int) -> None:
    random = Random(number)
    for _ in range(BROKEN):
        source = random.choice(SOURCES)
        for _ in range(random.randint(1, 4)):
            at = random.randint(0, len(source))
            much = random.choice((1, 1, 1, 30))
            source = source[:at] + random.choice(PIECES) * much + source[at + random.choice((0, 0, 1, 8)) :]
        checked(source)


@given(st.text())
@settings(max_examples=200, deadline=None)
def test_any_text_is_answered(source: str) -> None:
    checked(source)


@given(st.data())
@settings(max_examples=200, deadline=None)
def test_any_part_of_a_transform_is_answered(data: st.DataObject) -> None:
    source = data.draw(st.sampled_from(SOURCES))
    start, end = data.draw(st.integers(0, len(source))), data.draw(st.integers(0, len(source)))
    checked(source[min(start, end) : max(start, end)] + data.draw(st.sampled_from(SOURCES)))


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_source_is_answered_soon(name: str) -> None:
    source = HOSTILE[name]
    began = thread_time()
    found = read(source)
    assert thread_time() - began < HOSTILE_SECONDS_MAX
    if isinstance(found, Transform):
        assert len(repr((found.input, found.output))) < 20 * len(source) + 1_000
    else:
        assert all(each.message and each.line for each in found.problems)


def test_it_needs_no_more_of_the_stack_than_is_left_by_others() -> None:
    """What calls it may be deep itself; and if there is hardly any left, that is told."""

    def beneath(depth: int, name: str) -> Transform | Refused:
        return beneath(depth - 1, name) if depth else read(HOSTILE[name])

    for name in (
        "arrows in defaults",
        "arrows that are none",
        "objects in objects",
        "types in a row",
        "blocks in blocks",
    ):
        assert beneath(sys.getrecursionlimit() // 5, name) == read(HOSTILE[name])
    found = beneath(sys.getrecursionlimit() - 300, "objects in objects")
    assert isinstance(found, Refused)
    assert "too deeply" in found.problems[0].message
