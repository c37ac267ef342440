"""Which tasks there are, by connection and name."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Literal, TypeVar

from msgspec import Struct

from perdure.errors import PerdureError
from perdure.model.catalog import LOCAL, Catalog, TaskSchema, called
from perdure.model.executors import LLM, NODE, NODES_BUILT_IN
from perdure.model.values import Json
from perdure.tasks import signatures

Function = TypeVar("Function", bound=Callable[..., Any])


class InvalidTask(PerdureError, code="invalid_task"):
    """A function cannot be a task, or not under this name."""


class Task(Struct, frozen=True):
    """`input_type` is what the input is held against before the call; Any, if the function did not say."""

    name: str
    function: Callable[..., Any]
    is_async: bool = False
    input_schema: Json = None
    output_schema: Json = None
    connection: str = LOCAL
    takes_context: bool = False
    input_type: Any = Any
    heartbeat_seconds: float | None = None
    """So long it may be silent; then the attempt is given up."""
    kind: Literal["task", "node"] = "task"
    """A node is called with its parameters, and answers with a context."""
    trigger: bool = False
    """Whether graphs begin with nodes of this type rather than with others."""

    @property
    def schema(self) -> TaskSchema:
        """What a catalog says of it."""
        return TaskSchema(self.name, self.connection, self.input_schema, self.output_schema, trigger=self.trigger)


class Registry:
    """Tasks by name. A name is taken once: which of two functions ran would depend on the order of imports."""

    def __init__(self, tasks: Iterable[Task] = (), *, added: Callable[[str], None] | None = None) -> None:
        """`added` is told the name of each task that comes later: somebody may wait for it."""
        self._tasks: dict[tuple[str, str], Task] = {}
        self._added: Callable[[str], None] | None = None
        self.include(tasks)
        self._added = added

    def task(
        self,
        name: str,
        *,
        connection: str = LOCAL,
        input_schema: Json = None,
        output_schema: Json = None,
        heartbeat_seconds: float | None = None,
    ) -> Callable[[Function], Function]:
        """Registers the function below, and leaves it as it is. Schemas default to what its type hints say.

        With `heartbeat_seconds`, it has to call `ctx.heartbeat()` at least so often, or the attempt is given up.
        """
        require_name(name)

        def register(function: Function) -> Function:
            self.add(described(name, function, connection, input_schema, output_schema, heartbeat_seconds))
            return function

        return register

    def node(
        self, type_: str, *, heartbeat_seconds: float | None = None, trigger: bool = False
    ) -> Callable[[Function], Function]:
        """Registers the function below as the executor of all nodes of this type: `(params) -> context`, sync or async.

        With `trigger`, graphs begin with nodes of this type rather than with others.
        """
        require_type(type_)

        def register(function: Function) -> Function:
            self.add(executor(type_, function, heartbeat_seconds, trigger=trigger))
            return function

        return register

    def add(self, task: Task) -> None:
        known = self._tasks.setdefault((task.connection, task.name), task)
        if known.function is not task.function:
            raise InvalidTask(
                f"{in_words(task.name)} is registered twice: by {_place(known.function)} and by {_place(task.function)};"
                " give one of them another name"
            )
        if self._added is not None:
            self._added(task.name)

    def include(self, others: Iterable[Task]) -> None:
        for task in others:
            self.add(task)

    def find(self, name: str, connection: str = LOCAL) -> Task | None:
        return self._tasks.get((connection, name))

    def called(self, name: str) -> Task | None:
        """By what a workflow calls it: after the name of its connection, if it has one."""
        found = self.find(name)
        if found is not None:
            return found
        connection, _, tool = name.partition("/")
        return self.find(tool, connection) if tool and connection != LOCAL else None

    def catalog(self, secrets: Iterable[str] | None = ()) -> Catalog:
        """What dialects may know of them when they check a document."""
        return Catalog(tuple(task.schema for task in self), None if secrets is None else tuple(secrets))

    def names(self) -> tuple[str, ...]:
        """By which workflows call them."""
        return tuple(called(name, connection) for connection, name in tuple(self._tasks))

    def __iter__(self) -> Iterator[Task]:
        return iter(tuple(self._tasks.values()))

    def __len__(self) -> int:
        return len(self._tasks)


def described(
    name: str,
    function: Callable[..., Any],
    connection: str = LOCAL,
    input_schema: Json = None,
    output_schema: Json = None,
    heartbeat_seconds: float | None = None,
) -> Task:
    """The task that a function is. Schemas given by hand go before those of the type hints."""
    require_name(name)
    if not callable(function):
        raise InvalidTask(f"task {name!r}: {function!r} cannot be called")
    try:
        signature = signatures.read(function)
    except (TypeError, ValueError) as error:
        raise InvalidTask(f"task {name!r}: {_place(function)} cannot be called as a task: {error}") from error
    if heartbeat_seconds is not None and not signature.takes_context:
        raise InvalidTask(
            f"task {name!r} has to send heartbeats, and takes no context to send them by; write def f(input, ctx)"
        )
    return Task(
        name=name,
        function=function,
        is_async=inspect.iscoroutinefunction(function),
        input_schema=signature.input_schema if input_schema is None else input_schema,
        output_schema=signature.output_schema if output_schema is None else output_schema,
        connection=connection,
        takes_context=signature.takes_context,
        input_type=signature.input_type,
        heartbeat_seconds=heartbeat_seconds,
    )


def executor(
    type_: str, function: Callable[..., Any], heartbeat_seconds: float | None = None, *, trigger: bool = False
) -> Task:
    """The task that the executor of a type of nodes is."""
    require_type(type_)
    if not callable(function):
        raise InvalidTask(f"node type {type_!r}: {function!r} cannot be called")
    try:
        signatures.require_params(function)
    except (TypeError, ValueError) as error:
        raise InvalidTask(f"node type {type_!r}: {_place(function)} cannot be its executor: {error}") from error
    return Task(
        name=NODE + type_,
        function=function,
        is_async=inspect.iscoroutinefunction(function),
        takes_context=True,
        heartbeat_seconds=heartbeat_seconds,
        kind="node",
        trigger=trigger,
    )


def in_words(name: str) -> str:
    """A task as messages call it: whoever writes graphs knows types of nodes."""
    return f"node type {name.removeprefix(NODE)!r}" if name.startswith(NODE) else f"task {name!r}"


def save_again(name: str) -> str:
    """Advice on a missing task whose node type has been built in since the version was saved; empty for other tasks."""
    if name.removeprefix(NODE) not in NODES_BUILT_IN or not name.startswith(NODE):
        return ""
    return (
        f"; {in_words(name)} is built in now, and this version was saved before: save the workflow again, cancel the execution "
        "and start it anew"
    )


def worker_with(name: str) -> str:
    """The command that starts a worker which has it. What has a stroke in its name may be a tool of a connection; a model is the
    operator's.
    """
    if name == LLM:
        return "OPENAI_API_KEY=… OPENAI_MODEL=… perdure worker"
    is_tool = "/" in name and not name.startswith(NODE)
    return f"perdure worker {'--connections FILE (or --tasks FILE)' if is_tool else '--tasks FILE'}"


def require_type(type_: object) -> None:
    if not isinstance(type_, str) or not type_:
        raise InvalidTask(f'a node needs a type: write @node("ENRICH"), not @node alone; {type_!r} is no type')


def require_name(name: object) -> None:
    """`@task` without brackets hands over the function where the name should be."""
    if not isinstance(name, str) or not name:
        raise InvalidTask(f'a task needs a name: write @task("charge"), not @task alone; {name!r} is no name')


def _place(function: Callable[..., Any]) -> str:
    code = getattr(function, "__code__", None)
    name = f"{getattr(function, '__module__', '?')}.{getattr(function, '__qualname__', type(function).__name__)}"
    return f"{name} ({code.co_filename}:{code.co_firstlineno})" if code is not None else name
