"""From what somebody gives to save or to run, to a model: the one place that asks the dialects."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from perdure.core.facts import Fact
from perdure.core.program import Program
from perdure.errors import InvalidWorkflow
from perdure.expressions.canonical import ESCAPED_NUL
from perdure.expressions.language import compile_value
from perdure.expressions.wording import shown
from perdure.hosts.connections import NOTHING, Known
from perdure.ids import derived
from perdure.model import inputs
from perdure.model.catalog import Catalog
from perdure.model.check import long_names
from perdure.model.codec import encode
from perdure.model.problem import Problem
from perdure.model.values import Json
from perdure.model.workflow import SCHEMAS, Workflow
from perdure.service.errors import Refused
from perdure.service.given import is_whole, name_unstorable
from perdure.store.notices import ENGINE
from perdure.store.versions import MODEL
from perdure.tasks.registry import Registry

if TYPE_CHECKING:
    from perdure.dialects import Requirements
    from perdure.dialects.firing import Firing
    from perdure.dialects.port import Code


Given: TypeAlias = Workflow | bytes | str | dict[str, Any]
"""A document as text or as a value, or a workflow that a program built."""


class Validated(Struct, frozen=True):
    """What can be said of a document without saving it. `workflow` is None if, and only if, there are problems."""

    workflow: Workflow | None
    name: str
    dialect: str | None
    problems: tuple[Problem, ...] = ()
    warnings: tuple[Problem, ...] = ()
    obstacles: tuple[Problem, ...] = ()
    """Those of the warnings that keep it from being activated, but not from being saved as a draft, and tried out."""
    document: str | None = None
    """The document as it is kept: JSON without the author's spaces."""
    id: str = ""
    status: str | None = None
    """What the document says that it is to be, if it does."""
    version: str | None = None
    """The author's own semantic version, in a dialect that has such."""
    code: tuple[Code, ...] = ()
    """What has yet to be compiled."""


class Ready(Struct, frozen=True):
    """A document that can run."""

    id: str
    workflow: Workflow
    dialect: str
    document: str | None
    status: str | None
    warnings: tuple[Problem, ...]
    obstacles: tuple[Problem, ...]
    version: str | None = None


def validated(
    given: Given,
    tasks: Registry,
    organization: str = "default",
    name: str | None = None,
    secrets: Iterable[str] | None = None,
    tools: Known = NOTHING,
) -> Validated:
    """All that is wrong with it, and all that is odd. It never raises on what is given. `secrets` are the names of those that
    there are; None: nobody has looked, and nothing is said of those that are missing. `tools` is what is known of those of
    connections.
    """
    if isinstance(given, Workflow):
        return _built(given)
    if name is not None and not is_whole(name):
        message = f"the name holds {name_unstorable(name)}, which cannot be kept"
        return Validated(None, "?", None, (Problem("not_a_character", message, field="name"),))
    from perdure import dialects  # noqa: PLC0415  a program that builds its workflows does not wait for what reads documents

    try:
        document = dialects.read(given) if isinstance(given, bytes | str) else dialects.Document(given, "")
    except dialects.BadDocument as error:
        return Validated(None, name or "?", None, tuple(error.problems))
    value = document.value
    id_ = _id(value, organization, name)
    found = dialects.compile(value, _catalog(tasks, secrets, tools), name=name, id=id_)
    told = (*found.problems, *_not_to_be_named(("/id", id_), ("/name", found.name)))
    problems, warnings, obstacles = (
        tuple(dialects.located(some, document))
        for some in (told, found.warnings, (*found.obstacles, *_changed(value, tools)))
    )
    places = dialects.located((each.problem for each in found.code), document)
    code = tuple(replace(each, problem=problem) for each, problem in zip(found.code, places, strict=True))
    if found.workflow is None or problems:
        return Validated(None, found.name, found.dialect, problems, (*obstacles, *warnings), obstacles, code=code)
    schemas = {} if found.workflow.schemas is None else {SCHEMAS: found.workflow.schemas}
    kept = msgspec.json.encode({**value, **schemas} if schemas else value).decode()
    id_ = id_ or made_id(organization, found.name)
    said = _definition(value).get("status")
    all_warnings = (*obstacles, *warnings)
    assert found.dialect is not None, "it has been lowered"
    version = dialects.version(found.dialect, value)
    return Validated(
        found.workflow, found.name, found.dialect, (), all_warnings, obstacles, kept, id_, said, version, code
    )


def ready(found: Validated) -> Ready:
    """Raises `Refused` with all problems."""
    if found.workflow is None or found.dialect is None:
        raise Refused(found.problems, found.warnings)
    return Ready(
        found.id,
        found.workflow,
        found.dialect,
        found.document,
        found.status,
        found.warnings,
        found.obstacles,
        found.version,
    )


def requirements(given: bytes | str | dict[str, Any]) -> Requirements:
    """What has to be there for a document to run: tasks, tools, secrets, by name. Raises `BadDocument` for what is none."""
    from perdure import dialects  # noqa: PLC0415

    return dialects.requirements(dialects.read(given).value if isinstance(given, bytes | str) else given)


def firings(execution: str, workflow: Workflow, facts: Sequence[Fact]) -> tuple[Firing, ...]:
    """What a completed execution was to start, and what came of it."""
    from perdure.dialects import firing  # noqa: PLC0415

    return firing.firings(execution, workflow, facts)


def tools_of(given: Given, tasks: Registry) -> tuple[tuple[str, str], ...]:
    """The tools of connections that it needs, and that no task stands in for. Of what is no document, none."""
    if isinstance(given, Workflow):
        return ()
    from perdure import dialects  # noqa: PLC0415

    try:
        wanted = requirements(given).tools
    except dialects.BadDocument:
        return ()
    return tuple((connection, tool) for connection, tool in wanted if tasks.find(tool, connection) is None)


def _catalog(tasks: Registry, secrets: Iterable[str] | None, tools: Known) -> Catalog:
    """A task that stands in for a tool goes before it."""
    catalog = tasks.catalog(secrets)
    others = (each for each in tools.schemas if tasks.find(each.name, each.connection) is None)
    return Catalog((*catalog.tasks, *others), catalog.secrets, tools.unavailable)


def _changed(value: Json, tools: Known) -> Iterator[Problem]:
    """Of each place that calls a tool whose change nobody has accepted."""
    from perdure.dialects.tools import places_of  # noqa: PLC0415

    for connection, tool in tools.changed:
        message = (
            f"the connection {shown(connection)} offers the tool {shown(tool)} otherwise than it was accepted; look at it with "
            f"`perdure connections tools {connection}`, which says how to accept it, and save again"
        )
        for path, step in tuple(places_of(value, connection, tool)) or (("", ""),):
            yield Problem("tool_changed", message, path, step, "tool" if path else "", ref=f"{connection}/{tool}")


def step_view(dialect: str, step: str, **seen: Any) -> Json:
    """One step of an execution in the words of its dialect; None: it has none of its own."""
    from perdure import dialects  # noqa: PLC0415

    return dialects.step_view(dialect, dialects.Seen(**seen), step)


def history_name(dialect: str, kind: str) -> str | None:
    """What the dialect calls what happened, if it has a name for it."""
    if dialect == MODEL:
        return None
    from perdure import dialects  # noqa: PLC0415

    return dialects.history_name(dialect, kind)


def inline(document: str | None, dialect: str) -> tuple[dict[str, Json], Json]:
    """What a document that is run without being saved brings along to be started with, and what its execution keeps of it."""
    if document is None:
        return {}, None
    from perdure import dialects  # noqa: PLC0415

    value = msgspec.json.decode(document)
    return dialects.started_with(value), dialects.inline_metadata(dialect, value)


def view(dialect: str, **seen: Any) -> Json:
    """An execution in the words of its dialect."""
    from perdure import dialects  # noqa: PLC0415

    return dialects.view(dialect, dialects.Seen(**seen))


def depth(dialect: str, given: Json) -> int:
    """How deep in a chain of starts an input says that it is."""
    if dialect == MODEL:
        return 0
    from perdure import dialects  # noqa: PLC0415

    return dialects.depth(dialect, given)


def input_problems(dialect: str, given: Json) -> tuple[Problem, ...]:
    """Why an execution cannot be started with this."""
    if dialect == MODEL:
        return ()
    from perdure import dialects  # noqa: PLC0415

    return dialects.input_problems(dialect, given)


def _built(workflow: Workflow) -> Validated:
    """What a program built has no document, and its name is its id."""
    try:
        Program(workflow, compile_value)
    except InvalidWorkflow as error:
        problems = tuple(
            each if isinstance(each, Problem) else Problem("invalid_model", each.message) for each in error.problems
        )
        return Validated(None, workflow.name, MODEL, problems)
    except UnicodeEncodeError:
        return Validated(None, "?", MODEL, _unstorable(workflow))
    if ESCAPED_NUL in encode(workflow) and (found := _unstorable(workflow)):
        return Validated(None, "?", MODEL, found)
    problems = (*_not_to_be_named(("/name", workflow.name)), *inputs.unusable(workflow), *long_names(workflow))
    if problems:
        return Validated(None, workflow.name, MODEL, problems)
    return Validated(workflow, workflow.name, MODEL, id=workflow.name)


def _unstorable(workflow: Workflow) -> tuple[Problem, ...]:
    """Name each place of a model that holds NUL or a lone surrogate."""
    from perdure import dialects  # noqa: PLC0415

    return tuple(dialects.faults(json.loads(json.dumps(msgspec.to_builtins(workflow)))))


def is_document(text: str) -> bool:
    """Whether a text that somebody wants to start is a document, and not the id or the name of one."""
    return text.lstrip().startswith(("{", "["))


def _not_to_be_named(*called: tuple[str, str | None]) -> Iterator[Problem]:
    """Nobody could start it by what it is called, or it would be taken for what the engine does by itself."""
    for path, text in called:
        if text is not None and text.startswith(ENGINE):
            what = path.removeprefix("/")
            message = (
                f"the {what} {shown(text)} begins with {ENGINE!r}, as what the engine does by itself; take another one"
            )
            yield Problem("invalid_name", message, path, field=what)
        if text is not None and is_document(text):
            what = path.removeprefix("/")
            message = f"the {what} {shown(text)} begins as a document does, and nobody could start it by that; take another one"
            yield Problem("invalid_name", message, path, field=what)


def _id(value: Json, organization: str, name: str | None) -> str | None:
    """The document's own, else one that follows from its name; None as long as nobody knows the name."""
    definition = _definition(value)
    own, called = definition.get("id"), definition.get("name") or name
    if isinstance(own, str) and own:
        return own
    return made_id(organization, called) if isinstance(called, str) and called and is_whole(called) else None


def _definition(value: Json) -> dict[str, Json]:
    """The part of a document that has its id, its name and its status."""
    from perdure import dialects  # noqa: PLC0415

    return dialects.definition(value)


def description(value: Json) -> str | None:
    """What a document says that it is for, if it does."""
    found = _definition(value).get("description")
    return found if isinstance(found, str) and found.strip() else None


def made_id(organization: str, name: str) -> str:
    return f"wf_{derived(organization, name)}"
