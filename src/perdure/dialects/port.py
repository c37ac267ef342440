"""The contract between the dialects and everybody else. A dialect is pure: a document in, a model or problems out."""

from __future__ import annotations

from typing import Protocol

from msgspec import Struct

from perdure.core.facts import Fact
from perdure.model.catalog import Catalog
from perdure.model.problem import Problem
from perdure.model.records import ExecutionRecord
from perdure.model.values import Json
from perdure.model.workflow import Workflow


class Document(Struct, frozen=True):
    """What an author wrote: the value, and the text that it was read from, which says where in it something stands."""

    value: Json
    text: str


class Code(Struct, frozen=True):
    """JavaScript that will run. Whether it is that, to its last rule, only who runs it can say: `problem` is what is to be told
    if it is not, but for the message. `regexes` are those in it, each with its line and column in the text of the author: who
    finds a fault in one does not know where it stands.
    """

    problem: Problem
    javascript: str
    regexes: tuple[tuple[str, int, int], ...] = ()


class Compiled(Struct, frozen=True):
    """What became of a document. `workflow` is None if, and only if, there are problems; warnings keep nobody from running it,
    and obstacles only from activating it.
    """

    workflow: Workflow | None
    name: str
    dialect: str | None
    problems: tuple[Problem, ...] = ()
    warnings: tuple[Problem, ...] = ()
    obstacles: tuple[Problem, ...] = ()
    code: tuple[Code, ...] = ()


class Requirements(Struct, frozen=True):
    """What a catalog has to hold for a document: names of tasks, tools as (connection, tool), names of secrets. `*` in the place
    of a tool is all that the connection has. `webhooks` are the steps that wait for one of their own to be made.
    """

    tasks: tuple[str, ...] = ()
    tools: tuple[tuple[str, str], ...] = ()
    secrets: tuple[str, ...] = ()
    webhooks: tuple[str, ...] = ()


class Seen(Struct, frozen=True):
    """An execution, and what it is a run of. `document` is None if only the model was kept, `version` if it was not saved."""

    record: ExecutionRecord
    facts: tuple[Fact, ...]
    workflow: Workflow
    document: Json = None
    version: str | None = None


class Naming(Struct, frozen=True):
    """What a document is called by others: `name` if it does not say so itself, `id` if it is saved under one of its own."""

    name: str | None = None
    id: str | None = None


class Dialect(Protocol):
    """One way to write workflows. No method raises on a document, whatever is in it; all of it is told at once."""

    @property
    def name(self) -> str: ...

    def compile(self, value: Json, catalog: Catalog, naming: Naming) -> Compiled: ...

    def requirements(self, value: Json) -> Requirements: ...

    def view(self, seen: Seen) -> Json:
        """An execution in the words of the dialect."""
        ...

    def step_view(self, seen: Seen, step: str) -> Json:
        """One step of an execution in the words of the dialect; None: it has none of its own."""
        ...

    def history_name(self, kind: str) -> str | None:
        """What the dialect calls what happened, if it has a name for it."""
        ...

    def inline_metadata(self, value: Json) -> Json:
        """What an execution keeps of a document that is run without being saved."""
        ...

    def definition(self, value: Json) -> dict[str, Json]:
        """The part of a document that has its id, its name and its status."""
        ...

    def version(self, value: Json) -> str | None:
        """The author's own semantic version (`model.semver`), in a dialect that has such: its versions stand side by side. None:
        the engine counts them. What stands there and is no semantic version, `compile` has to complain of.
        """
        ...

    def started_with(self, value: Json) -> dict[str, Json]:
        """What a document brings along to be started with: `input`, `triggeredBy`, `triggerData`."""
        ...

    def input_problems(self, given: Json) -> tuple[Problem, ...]:
        """Why no execution can begin with this input."""
        ...

    def depth(self, given: Json) -> int:
        """How deep in a chain of starts an execution with this input says that it is; 0 if it says nothing."""
        ...
