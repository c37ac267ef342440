"""Semantic versions: which text is one, and which of two is higher."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perdure.model.semver import LENGTH_MAX, is_semantic, next_patch, precedence

FROM_THE_SPECIFICATION = (
    *("1.0.0-alpha", "1.0.0-alpha.1", "1.0.0-alpha.beta", "1.0.0-beta", "1.0.0-beta.2", "1.0.0-beta.11", "1.0.0-rc.1"),
    *("1.0.0", "2.0.0", "2.1.0", "2.1.1"),
)
NUMBERS = st.integers(0, 10**12)
WORDS = st.from_regex(r"[0-9]*[a-zA-Z-][0-9a-zA-Z-]*", fullmatch=True).filter(lambda word: len(word) < 20)
MARKS = st.lists(st.one_of(NUMBERS, WORDS), min_size=1, max_size=4)
BUILDS = st.lists(st.from_regex(r"[0-9a-zA-Z-]{1,9}", fullmatch=True), min_size=1, max_size=3)


@st.composite
def versions(draw: st.DrawFn) -> str:
    core = ".".join(str(draw(NUMBERS)) for _ in range(3))
    before = draw(st.none() | MARKS)
    build = draw(st.none() | BUILDS)
    marks = "" if before is None else "-" + ".".join(map(str, before))
    return f"{core}{marks}{'' if build is None else '+' + '.'.join(build)}"


def is_lower(one: str, other: str) -> bool:
    """As the specification says it, word by word."""
    (core, before), (core_, before_) = _parts(one), _parts(other)
    if core != core_:
        return core < core_
    if before is None or before_ is None:
        return before is not None and before_ is None
    for mark, mark_ in zip(before, before_, strict=False):
        if mark != mark_:
            numbers = (mark.isdigit(), mark_.isdigit())
            if all(numbers):
                return int(mark) < int(mark_)
            return numbers[0] if any(numbers) else mark < mark_
    return len(before) < len(before_)


def _parts(version: str) -> tuple[list[int], list[str] | None]:
    core, _, before = version.partition("+")[0].partition("-")
    return [int(part) for part in core.split(".")], before.split(".") if before else None


def test_the_order_of_the_specification() -> None:
    found = [precedence(version) for version in FROM_THE_SPECIFICATION]
    assert None not in found
    assert found == sorted(found, key=lambda one: one or ())
    assert len(set(found)) == len(found)


@given(versions(), versions())
def test_one_is_lower_than_another_as_the_specification_says(one: str, other: str) -> None:
    first, second = precedence(one), precedence(other)
    assert first is not None
    assert second is not None
    assert (first < second, second < first) == (is_lower(one, other), is_lower(other, one))


@given(versions(), BUILDS)
def test_build_metadata_says_nothing_of_the_order(version: str, build: list[str]) -> None:
    assert precedence(version.partition("+")[0]) == precedence(f"{version.partition('+')[0]}+{'.'.join(build)}")


@given(st.text(max_size=30))
def test_no_text_is_too_strange_to_be_asked_for(text: str) -> None:
    assert is_semantic(text) == (precedence(text) is not None)


@given(versions())
def test_the_next_patch_is_higher(version: str) -> None:
    now, then = precedence(version), precedence(next_patch(version))
    assert now is not None
    assert then is not None
    assert now < then


@pytest.mark.parametrize(
    "text",
    [
        *(
            "",
            "1",
            "1.2",
            "1.2.3.4",
            "v1.2.3",
            " 1.2.3",
            "1.2.3\n",
            "1.2.3-",
            "1.2.3+",
            "1.2.3-a..b",
            "1.2.3-é",
            "a.b.c",
        ),
        *(
            "01.2.3",
            "1.02.3",
            "1.2.03",
            "1.2.3-01",
            "1.2.3-a.00",
            "-1.2.3",
            "1.2.-3",
            "1.2.3+a+b",
            "\u0661.2.3",
            "1.2.3-\u0663",
        ),
        "1" * LENGTH_MAX + ".2.3",
    ],
)
def test_what_is_none(text: str) -> None:
    assert precedence(text) is None


def test_what_is_one_although_it_looks_odd() -> None:
    for text in (
        "0.0.0",
        "1.2.3-0",
        "1.2.3-0a",
        "1.2.3--",
        "1.2.3+001",
        "1.2.3-a.0-0+b-c.0",
        "9" * (LENGTH_MAX - 4) + ".0.0",
    ):
        assert is_semantic(text), text
