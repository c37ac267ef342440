"""Registering and calling tasks."""

from __future__ import annotations

import asyncio
import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import Any

import msgspec
import pytest

from perdure.model.catalog import TaskSchema
from perdure.model.values import Json
from perdure.tasks import InvalidTask, Registry, Result, Task, TaskContext, call, task
from perdure.tasks.calling import InvalidInput
from perdure.tasks.results import InvalidOutput

CONTEXT = TaskContext(execution_id="e1", step="pay", attempt=2, idempotency_key="k1")


class Order(msgspec.Struct):
    id: int
    note: str = ""


class Label(str):
    __slots__ = ()


@dataclass
class Receipt:
    order: int
    at: datetime


def found(registry: Registry, name: str, connection: str = "local") -> Task:
    task = registry.find(name, connection)
    assert task is not None
    return task


def called(function: Callable[..., Any], given: Json) -> Json:
    registry = Registry()
    registry.task("it")(function)
    return asyncio.run(call(found(registry, "it"), given, CONTEXT)).data


def test_a_registered_function_is_left_as_it_is() -> None:
    registry = Registry()

    @registry.task("double")
    def double(input: int) -> int:
        return 2 * input

    assert double(4) == 8
    assert found(registry, "double").function is double
    assert not found(registry, "double").is_async
    assert registry.find("triple") is None
    assert len(registry) == 1


def test_the_same_name_twice_names_both_places() -> None:
    registry = Registry()

    @registry.task("charge")
    def first(input: Json) -> None: ...

    with pytest.raises(InvalidTask, match=r"'charge' is registered twice.*first.*test_registry\.py.*second"):

        @registry.task("charge")
        def second(input: Json) -> None: ...

    registry.task("charge", connection="bank")(first)
    assert found(registry, "charge", "bank").connection == "bank"


def test_including_what_is_there_already_changes_nothing() -> None:
    registry = Registry()
    registry.task("a")(lambda given: given)
    registry.include(registry)
    assert len(registry) == 1


def no_argument() -> None: ...
def too_many(input: Json, ctx: TaskContext, more: int) -> None: ...
def keyword(input: Json, *, more: int) -> None: ...


@pytest.mark.parametrize("function", [no_argument, too_many, keyword])
def test_a_function_that_cannot_be_called_as_a_task_is_refused(function: Callable[..., Any]) -> None:
    with pytest.raises(InvalidTask, match=r"function of|demands|\(input, ctx\)"):
        Registry().task("it")(function)


@pytest.mark.parametrize("name", ["", None, no_argument])
def test_a_task_without_a_name_is_told_how_to_get_one(name: Any) -> None:
    with pytest.raises(InvalidTask, match="needs a name"):
        Registry().task(name)
    with pytest.raises(InvalidTask, match="needs a name"):
        task(name)


def test_schemas_come_from_type_hints_where_they_say_something() -> None:
    registry = Registry()

    @registry.task("typed")
    def typed(input: Order) -> list[int]:
        return [input.id]

    @registry.task("silent")
    def silent(input, ctx): ...  # type: ignore[no-untyped-def]  # noqa: ANN001

    @registry.task("anything")
    def anything(input: Any) -> Json: ...

    @registry.task("unknown")
    def unknown(input: threading.Thread) -> threading.Thread:
        return input

    @registry.task("chooses")
    def chooses(input: Any) -> Result | dict[str, int]:
        return Result(input, port="other")

    @registry.task("given", input_schema={"type": "string"})
    def given(input: Order) -> None: ...

    order = found(registry, "typed").input_schema
    assert order["$defs"]["Order"]["required"] == ["id"]
    assert found(registry, "typed").output_schema == {"type": "array", "items": {"type": "integer"}}
    for name in ("silent", "anything", "unknown", "chooses"):
        assert found(registry, name).schema == TaskSchema(name)
    assert found(registry, "given").schema == TaskSchema("given", input={"type": "string"}, output={"type": "null"})


def test_sync_and_async_functions_with_and_without_context_are_called_alike() -> None:
    def plain(input: Json) -> Json:
        return [input, threading.current_thread() is threading.main_thread()]

    def with_context(input: Json, ctx: TaskContext) -> Json:
        return [input, ctx.execution_id, ctx.step, ctx.attempt, ctx.idempotency_key]

    async def async_plain(input: Json) -> Json:
        return [input]

    async def async_with_context(input: Json, ctx: TaskContext) -> Json:
        return [input, ctx.idempotency_key]

    assert called(plain, 1) == [1, False]
    assert called(with_context, 1) == [1, "e1", "pay", 2, "k1"]
    assert called(async_plain, 1) == [1]
    assert called(async_with_context, 1) == [1, "k1"]
    assert called(partial(async_with_context), 1) == [1, "k1"]
    assert called(lambda given: async_plain(given), 1) == [1]


def test_a_second_parameter_with_a_default_is_the_functions_own() -> None:
    def times(input: int, factor: int = 3) -> int:
        return input * factor

    def context_or_none(input: int, ctx: TaskContext | None = None) -> bool:
        return ctx is not None

    assert called(times, 5) == 15
    assert called(context_or_none, 5) is True


def test_values_take_the_types_of_the_hints_and_come_back_as_json() -> None:
    def receipt(input: Order) -> Receipt:
        assert isinstance(input, Order)
        return Receipt(input.id, datetime(2026, 1, 2, tzinfo=UTC))

    assert called(receipt, {"id": 7}) == {"order": 7, "at": "2026-01-02T00:00:00Z"}
    assert called(lambda _: (1, {2: float("nan")}), None) == [1, {"2": None}]
    assert called(lambda _: [Label("a"), Counter("aab")], None) == ["a", {"a": 2, "b": 1}]


def test_an_input_that_does_not_fit_is_refused_before_the_call() -> None:
    def never(input: Order) -> None:
        raise AssertionError

    with pytest.raises(InvalidInput, match=r"'it' cannot take this input: Expected `int`, got `str` - at `\$\.id`"):
        called(never, {"id": "seven"})


def test_an_output_that_is_not_json_is_a_failure_that_is_not_repeated() -> None:
    with pytest.raises(InvalidOutput, match="answered with object"):
        called(lambda _: object(), None)


def test_what_a_task_raises_comes_through() -> None:
    def broken(input: Json) -> None:
        raise ZeroDivisionError("by zero")

    with pytest.raises(ZeroDivisionError, match="by zero"):
        called(broken, None)


def test_a_heartbeat_reaches_whoever_listens() -> None:
    beats: list[int] = []
    CONTEXT.heartbeat()
    msgspec.structs.replace(CONTEXT, on_heartbeat=lambda: beats.append(1)).heartbeat()
    assert beats == [1]


def test_a_catalog_tells_the_schemas_of_all_tasks() -> None:
    registry = Registry()
    registry.task("typed")(lambda given: given)
    registry.task("sent", connection="bank", output_schema={"type": "string"})(lambda given: given)
    registry.node("ENRICH")(lambda params: params.context)

    catalog = registry.catalog(secrets=["TOKEN"])

    assert catalog.task("typed") == TaskSchema("typed")
    assert catalog.task("sent", "bank") == TaskSchema("sent", "bank", output={"type": "string"})
    assert catalog.task("node:ENRICH") == TaskSchema("node:ENRICH")
    assert catalog.secrets == ("TOKEN",)
    assert registry.names() == ("typed", "bank/sent", "node:ENRICH")
    assert [getattr(registry.called(name), "name", None) for name in ("typed", "bank/sent", "local/typed", "sent")] == [
        "typed",
        "sent",
        None,
        None,
    ]


def test_a_task_chooses_the_port_it_answers_on() -> None:
    registry = Registry()
    registry.task("judge")(lambda given: Result((given, 1), "approved", {"by": ("a", "b")}))
    registry.task("plain")(lambda given: Result(given))

    assert asyncio.run(call(found(registry, "judge"), 7, None)) == Result([7, 1], "approved", {"by": ["a", "b"]})
    assert asyncio.run(call(found(registry, "plain"), 7, None)) == Result(7)


@pytest.mark.parametrize(("port", "said"), [("", "is empty"), (7, "is of type int"), (["a"], "is of type list")])
def test_a_port_that_is_no_text_is_refused_where_it_is_written(port: Any, said: str) -> None:
    with pytest.raises(InvalidOutput, match=f"the port of a Result {said}; it has to be a text"):
        Result(1, port)


def test_what_is_said_about_a_result_has_to_be_json() -> None:
    with pytest.raises(InvalidOutput, match="the meta of task 'it' answered with object, which is not JSON"):
        called(lambda _: Result(1, meta=object()), None)
    with pytest.raises(InvalidOutput, match="task 'it' answered with object, which is not JSON"):
        called(lambda _: Result(object(), meta=1), None)
