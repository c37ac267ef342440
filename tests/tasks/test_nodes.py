"""Executors of nodes: what they are given, and what is made of what they answer with."""

from __future__ import annotations

import asyncio
import copy
import logging
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import msgspec
import pytest

from perdure.expressions.times import iso
from perdure.model.values import Json
from perdure.tasks import InvalidTask, NodeParams, Registry, Result, TaskContext, call, nodes
from perdure.tasks.controls import Controls, controls
from perdure.tasks.nodes import InvalidNode, difference
from perdure.tasks.results import InvalidOutput

CALL = TaskContext(execution_id="e1", step="n1", attempt=2, idempotency_key="k1")
NOW = 1_800_000_000_000
NOTHING = {"set": {}, "unset": [], "wait": 0, "until": 0, "label": None}


def answer(executor: Callable[..., Any], context: Json = None, **given: Json) -> Result:
    registry = Registry()
    registry.node("X")(executor)
    task = registry.find("node:X")
    assert task is not None
    return asyncio.run(call(task, {"context": context, "nodeId": "n1", **given}, CALL))


def test_an_executor_is_told_all_about_its_node() -> None:
    seen: list[NodeParams] = []

    async def executor(params: NodeParams) -> dict[str, Any]:
        seen.append(params)
        params.heartbeat()
        params.publish({"half": 1})
        await params.publish("way", channel="progress")
        assert await params.step.run("part", lambda: (1, 2)) == [1, 2]
        return params.context

    assert answer(executor, {"a": 1}, data={"url": "x"}, inputs={"left": 1}) == Result(NOTHING)
    (params,) = seen
    assert (params.data, params.node_id, params.context, params.inputs) == ({"url": "x"}, "n1", {"a": 1}, {"left": 1})
    assert (params.execution_id, params.attempt, params.idempotency_key) == ("e1", 2, "k1")
    assert params.logger.name == "perdure.tasks"


def test_what_the_document_leaves_out_is_empty() -> None:
    seen: list[NodeParams] = []
    registry = Registry()

    @registry.node("X")
    def executor(params: NodeParams) -> dict[str, Any]:
        seen.append(params)
        return params.context

    task = registry.find("node:X")
    assert task is not None
    asyncio.run(call(task, {}, CALL))
    assert (seen[0].data, seen[0].node_id, seen[0].context, seen[0].inputs) == ({}, "n1", {}, {})


def changed(params: NodeParams) -> dict[str, Any]:
    """In place, deeply."""
    params.context["deep"]["list"].append(3)
    params.context["new"] = (1, 2)
    del params.context["gone"]
    return params.context


def copied(params: NodeParams) -> dict[str, Any]:
    rest = {key: value for key, value in params.context.items() if key != "gone"}
    return {**rest, "new": [1, 2], "deep": {"list": [1, 2, 3]}}


@pytest.mark.parametrize("executor", [changed, copied])
def test_only_the_difference_goes_on_whether_the_context_was_changed_or_copied(executor: Callable[..., Any]) -> None:
    before = {"deep": {"list": [1, 2]}, "gone": 1, "kept": {"x": [True, None]}}
    assert answer(executor, before).data == {
        **NOTHING,
        "set": {"deep": {"list": [1, 2, 3]}, "new": [1, 2]},
        "unset": ["gone"],
    }


@pytest.mark.parametrize(
    ("before", "after", "differs"),
    [
        (1, True, True),
        (0, False, True),
        (False, 0, True),
        (True, True, False),
        (1, 1.0, False),
        ("1", 1, True),
        (None, {}, True),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, False),
        ({"a": 1}, {"b": 1}, True),
        ([1, [True]], [1, [1]], True),
        ([1], [1, 2], True),
        ([1, 2], (1, 2), False),
        ({}, [], True),
    ],
)
def test_values_differ_as_json_has_them(before: Json, after: Any, differs: bool) -> None:
    assert answer(lambda _: {"v": after}, {"v": before}).data["set"].keys() == ({"v"} if differs else set())


def test_a_large_context_that_stays_is_not_gone_through_value_by_value() -> None:
    context: Json = {"v": [{"n": number, "is": [True, 1.5, None]} for number in range(1_000)]}
    calls = 0

    def count(frame: FrameType, *_: Any) -> None:
        nonlocal calls
        calls += frame.f_globals["__name__"] == nodes.__name__

    after = copy.deepcopy(context)
    sys.setprofile(count)
    try:
        result = asyncio.run(difference({"context": context}, after, CALL))
    finally:
        sys.setprofile(None)
    assert result.data == NOTHING
    assert calls < 200


def test_until_when_a_node_waits_goes_by_the_clock_that_decides_what_is_due() -> None:
    """Not by that of the host, to which the time may have passed."""
    for shift, until in ((-1, NOW), (0, 0)):
        call_ = msgspec.structs.replace(CALL, now_ms=lambda shift=shift: NOW + shift)
        result = asyncio.run(difference({"context": {}}, {"_waitUntil": NOW}, call_))
        assert result.data["until"] == until


def test_a_task_changes_a_copy_of_what_it_is_given() -> None:
    registry = Registry()
    registry.task("t")(lambda given: given["a"].append(1))
    task = registry.find("t")
    assert task is not None
    given: Json = {"a": []}
    asyncio.run(call(task, given, None))
    assert given == {"a": []}


def test_control_keys_never_go_on() -> None:
    def executor(params: NodeParams) -> dict[str, Any]:
        return {**params.context, "_branch": "true", "_wait": {"seconds": 1.5, "label": "cooling"}, "_waitUntil": None}

    told = answer(executor, {"a": 1, "_branch": "of old", "_wait": 1})
    assert told == Result({**NOTHING, "wait": 1.5, "label": "cooling"}, port="true")


def read(**context: Any) -> Controls:
    return controls("node 'n1'", context, NOW, lambda _: None)


@pytest.mark.parametrize(
    ("asked", "seconds"),
    [
        ({"seconds": 30}, 30),
        ({"seconds": 0.25}, 0.25),
        (30, 30),
        ("PT5M", 300),
        ({"seconds": "PT1H", "label": None}, 3600),
        (None, 0),
        ({"seconds": 0}, 0),
        ({"seconds": -1}, 0),
        (-1, 0),
        (float("nan"), 0),
    ],
)
def test_a_wait_is_a_number_of_seconds_that_is_finite_and_more_than_none(asked: Any, seconds: float) -> None:
    assert read(_wait=asked) == Controls(wait_seconds=seconds)


def test_a_wait_that_is_ignored_is_told_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        assert answer(lambda _: {"_wait": {"seconds": -1, "label": "x"}}, {}) == Result(NOTHING)
    assert caplog.messages == ["node 'n1': _wait of -1 seconds is no time to wait for, and is ignored"]


@pytest.mark.parametrize(
    ("asked", "until"),
    [
        ({"timestamp": iso(NOW + 5_000)}, NOW + 5_000),
        ({"timestamp": NOW + 5_000}, NOW + 5_000),
        (NOW + 5_000.5, NOW + 5_000),
        (iso(NOW + 1), NOW + 1),
        ("PT5S", NOW + 5_000),
        ({"timestamp": iso(NOW)}, 0),
        ({"timestamp": "1999-01-01"}, 0),
        (0, 0),
        (None, 0),
    ],
)
def test_an_instant_that_has_passed_is_no_wait(asked: Any, until: int) -> None:
    assert read(_waitUntil=asked) == Controls(until_ms=until)


def test_both_waits_go_on_and_the_label_is_of_one_that_counts() -> None:
    until = {"timestamp": NOW + 1, "label": "until"}
    assert read(_wait={"seconds": 1, "label": "wait"}, _waitUntil=until) == Controls(None, 1, NOW + 1, "wait")
    assert read(_wait={"seconds": 1}, _waitUntil=until).label == "until"
    assert read(_wait={"seconds": -1, "label": "wait"}, _waitUntil=until).label == "until"
    assert read(_wait={"seconds": 1}, _waitUntil={"timestamp": 0, "label": "until"}).label is None


@pytest.mark.parametrize(
    ("context", "said"),
    [
        ({"_branch": 1}, "_branch is a number; it names an output"),
        ({"_branch": ""}, "_branch is an empty text"),
        ({"_branch": ["a"]}, "_branch is an array"),
        ({"_wait": True}, "_wait is a boolean; give seconds"),
        ({"_wait": "soon"}, "_wait: 'soon' is not a duration like PT5M; or give seconds"),
        ({"_wait": {"secs": 1}}, "_wait has no seconds; it holds 'secs'"),
        ({"_wait": {}}, "_wait has no seconds; it holds nothing"),
        ({"_wait": [1]}, "_wait is an array"),
        ({"_wait": {"seconds": 1, "label": 7}}, "_wait.label is a number"),
        ({"_wait": 1e15}, "outside the years 0 to 9999"),
        ({"_wait": float("inf")}, "_wait is too long: Infinity"),
        ({"_wait": 1e308}, "_wait is too long: Infinity"),
        ({"_wait": {"seconds": 10**5_000}}, "_wait is too long: Infinity"),
        ({"_waitUntil": 10**5_000}, "Infinity is neither"),
        ({"_waitUntil": "tomorrow"}, "_waitUntil: 'tomorrow' is neither a duration like PT5M nor an instant"),
        ({"_waitUntil": "2026-13-01"}, "_waitUntil: '2026-13-01' names a day that is in no calendar"),
        ({"_waitUntil": True}, "_waitUntil is a boolean"),
        ({"_waitUntil": float("nan")}, "_waitUntil is nan"),
        ({"_waitUntil": {"at": 1}}, "_waitUntil has no timestamp; it holds 'at'"),
        ({"_waitUntil": []}, "_waitUntil is an array"),
        ({"_waitUntil": 1e18}, "outside the years 0 to 9999"),
    ],
)
def test_a_control_value_that_cannot_be_read_is_a_failure_that_is_not_repeated(context: Any, said: str) -> None:
    with pytest.raises(InvalidOutput, match=r"^node 'n1': ") as failed:
        answer(lambda _: context, {})
    assert said in str(failed.value)
    assert failed.value.code == "INVALID_CONTROL"


@pytest.mark.parametrize(
    ("returned", "said"), [(None, "nothing"), ("x", "str"), ([1], "list"), (Result({}), "Result"), (7, "int")]
)
def test_an_executor_that_returns_no_context_is_told_so(returned: Any, said: str) -> None:
    with pytest.raises(InvalidOutput, match=f"node 'n1' answered with {said}; an executor returns the context that"):
        answer(lambda _: returned, {"a": 1})


def test_a_context_that_is_not_json_is_refused() -> None:
    with pytest.raises(InvalidOutput, match="node 'n1' answered with dict, which is not JSON: object is not JSON"):
        answer(lambda params: {**params.context, "o": object()}, {})


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"context": []}, "its context is an array"),
        ({"data": "x"}, "its data is a text"),
        ({"inputs": 1}, "its inputs is a number"),
    ],
)
def test_an_input_that_is_none_of_a_node_is_refused_before_the_call(given: Json, said: str) -> None:
    def never(params: NodeParams) -> None:
        raise AssertionError

    with pytest.raises(InvalidNode, match=said):
        answer(never, **given)


def test_an_input_that_is_no_object_is_refused() -> None:
    registry = Registry()
    registry.node("X")(lambda params: params.context)
    task = registry.find("node:X")
    assert task is not None
    with pytest.raises(InvalidNode, match="not a text"):
        asyncio.run(call(task, "x", CALL))


def no_params() -> None: ...
def keyword(params: NodeParams, *, more: int) -> None: ...
def two(params: NodeParams, ctx: TaskContext) -> None: ...


@pytest.mark.parametrize("function", [no_params, keyword, two, 7])
def test_what_cannot_be_an_executor_is_refused(function: Any) -> None:
    with pytest.raises(InvalidTask, match=r"node type 'X': .*(\(params\)|cannot be called)"):
        Registry().node("X")(function)


@pytest.mark.parametrize("type_", ["", None, no_params])
def test_a_node_without_a_type_is_told_how_to_get_one(type_: Any) -> None:
    with pytest.raises(InvalidTask, match="a node needs a type"):
        Registry().node(type_)


def test_what_cannot_be_told_is_left_out_and_fails_nobody(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        assert answer(lambda params: params.publish(object()) and params.context, {}) == Result(NOTHING)
    assert caplog.messages == ["step 'n1' could not publish object, which is not JSON"]
