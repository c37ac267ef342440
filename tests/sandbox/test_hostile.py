"""Transforms that mean no good. Each ends in time, and leaves nothing behind: not in the sandbox, and not for the next."""

from __future__ import annotations

import resource
import time
from collections import Counter
from typing import Any

import pytest

from perdure.tasks.sandbox import Ran, Sandbox
from sandbox import corpus
from sandbox.measuring import is_busy
from sandbox.words import SHORT_MS, SLACK_SECONDS, outcome, using

TRIES = 3
KINDS = ("loop", "native", "regex", "bigint", "memory", "recursion", "escape", "trick", "chatter")
PROBE = """
const $default = (input) => [
  input, {}.polluted, Object.keys(globalThis), typeof JSON.stringify, [1, 2].join(), `${[3]}`, typeof console.log,
  Object.getOwnPropertyNames(globalThis).length, Object.keys(Object.prototype), Array.prototype.length,
];
"""


def test_there_are_more_than_two_hundred() -> None:
    assert len(corpus.CORPUS) > 200
    assert len({each.body for each in corpus.CORPUS}) == len(corpus.CORPUS)
    assert {each.name.split()[0] for each in corpus.CORPUS} == set(KINDS)


@pytest.mark.parametrize("kind", KINDS)
def test_each_ends_in_time_and_the_next_transform_finds_a_clean_place(kind: str) -> None:
    scripts = [each for each in corpus.CORPUS if each.name.startswith(f"{kind} ")]
    wrong = using(lambda made: _played(made, scripts))
    assert not wrong


async def _played(made: Sandbox, scripts: list[corpus.Hostile]) -> list[str]:
    wrong, ends = [], Counter[str]()
    clean = await outcome(made, PROBE, {"a": 1}, 10_000)
    assert isinstance(clean, Ran)
    for each in scripts:
        for _ in range(TRIES):  # a neighbour on the machine may slow down one, not three
            began, computed = time.monotonic(), _computed_seconds(made)
            end = _end(await outcome(made, corpus.code(each.body), {"a": 1}))
            seconds = _computed_seconds(made) - computed if is_busy() else time.monotonic() - began
            if seconds <= SHORT_MS / 1_000 + SLACK_SECONDS:
                break
        ends[end] += 1
        if end not in each.ends:
            wrong.append(f"{each.name}: {each.body!r} ends as {end}")
        if seconds > SHORT_MS / 1_000 + SLACK_SECONDS:
            wrong.append(f"{each.name}: {each.body!r} took {seconds:.2f} seconds")
        after = await outcome(made, PROBE, {"a": 1}, 10_000)
        if after != clean:
            wrong.append(f"{each.name}: {each.body!r} has left something behind: {after}")
    print(f"\n{len(scripts)} scripts: {dict(ends)}")
    return wrong


def _computed_seconds(made: Sandbox) -> float:
    """Of all its children, and of those that have ended: on a busy machine a transform is given its time later."""
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (
        ended.ru_utime
        + ended.ru_stime
        + sum(child._computed_seconds() for child in made._children if child._has_process)
    )


def _end(came: Any) -> str:
    return "VALUE" if isinstance(came, Ran) else str(came.code)
