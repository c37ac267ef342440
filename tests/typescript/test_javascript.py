"""What is left of a transform runs, in the place where it stood, and does what TypeScript means."""

from __future__ import annotations

import re
from random import Random
from typing import Any

import pytest

from perdure.typescript import Transform, read
from typescript.composing import composed
from typescript.running import javascript, ran, ran_by_node
from typescript.transforms import NOT_FOR_NODE, RUNS

ALL = {**RUNS, **NOT_FOR_NODE}
MOVED = ("lines between", "a function on another line")
"""Where `export default` stands on two lines, what follows on the second moves."""


@pytest.mark.parametrize("name", ALL)
def test_a_transform_runs(name: str) -> None:
    source, given, expected = ALL[name]
    assert ran(source, given) == expected, javascript(source)


def test_node_comes_to_the_same() -> None:
    told = ran_by_node([(source, given) for source, given, _ in RUNS.values()])
    wrong: dict[str, Any] = {}
    for (name, (source, _, expected)), one in zip(RUNS.items(), told, strict=True):
        if "error" in one or one["value"] != expected or _bare(one["javascript"]) != _bare(javascript(source)):
            wrong[name] = (one, javascript(source))
    assert not wrong


def test_node_reads_the_same_out_of_what_is_composed() -> None:
    random = Random(1)
    sources = [f"const q = {composed(random, number % 4)}\nexport default (x: any) => x" for number in range(1_500)]
    same = 0
    for source, one in zip(sources, ran_by_node([(source, 1) for source in sources]), strict=True):
        found = read(source)
        if one.get("javascript") is not None:
            assert isinstance(found, Transform), (source, found)
            assert _bare(one["javascript"]) == _bare(found.javascript), source
            same += 1
    assert same > 1_000


@pytest.mark.parametrize("name", [name for name in ALL if name not in MOVED])
def test_everything_that_is_left_stands_where_it_stood(name: str) -> None:
    source = ALL[name][0]
    left = javascript(source)
    lines, were = left.split("\n"), source.split("\n")
    assert len(lines) - len(were) == ("\nvar $default =" in left)
    assert [len(line) for line in lines[: len(were)]] == [len(line) for line in were]
    named = [(found.start(), found.end()) for found in re.finditer(r"(?:let|function) \$default( =)?", left)]
    for at, (now, before) in enumerate(zip(left, source, strict=False)):
        if now != before and not any(start <= at < end for start, end in named):
            assert now in " ;()"


def _bare(code: str) -> str:
    """Without what may differ: spaces, semicolons and comments, and how the function is exported."""
    code = re.sub(r"\nvar \$default = \w+;$|\bexport \{[^}]*\}", "", code)
    bare = re.sub(r"[\s;\ufeff]+|/\*.*?\*/", "", code).replace("export", "").replace("default", "")
    return bare.replace("let$=", "").replace("function$(", "function(")
