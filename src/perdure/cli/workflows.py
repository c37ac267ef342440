"""`perdure workflows`: definitions and their versions."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from cyclopts import Parameter

from perdure.answers.workflows import saved_answer, version_answer, workflow_answer
from perdure.cli.connecting import read_connections
from perdure.cli.engines import asked, by_name, chosen, looking
from perdure.cli.groups import group
from perdure.cli.hints import hint
from perdure.cli.options import AsEditor, AsJson, ConnectionsFile, Cursor, Limit, Organization, Tasks
from perdure.cli.pages import tell_page
from perdure.cli.saying import print_json
from perdure.cli.tables import fields
from perdure.cli.validate import Checked, at_once, in_the_end, needs
from perdure.cli.where import HERE, Where
from perdure.cli.wording import format_json, printable, shown
from perdure.service.engine import Engine
from perdure.service.times import local_time
from perdure.service.workflows import Saved, WorkflowSummary

WORKFLOWS = group("workflows", "List, show, save, activate, deactivate and compare workflows.")
MARKS = {"added": "+", "removed": "-", "changed": "~"}

Reference = Annotated[str, Parameter(help="the workflow, by its id or its name")]
Version = Annotated[str, Parameter(help="the version")]


@WORKFLOWS.command(name="list")
def list_(
    *,
    limit: Limit = 50,
    cursor: Cursor = None,
    organization: Organization = "default",
    where: Where = HERE,
    json: AsJson = False,
) -> int:
    """The workflows that are kept.

    Example: perdure workflows list --db sqlite:///flows.db
    """
    page = looking(where, lambda engine: engine.workflows.list(organization=organization, limit=limit, cursor=cursor))
    empty = f"there are no workflows; save one with {hint('workflows', 'save', 'FILE', where=where, organization=organization)}"
    headings = ("NAME", "NEWEST", "ACTIVE", "STATUS", "DIALECT", "CHANGED", "ID")
    return tell_page(page, headings, _row, workflow_answer, empty=empty, as_json=json)


def _row(item: WorkflowSummary) -> tuple[str, ...]:
    changed = local_time(item.changed_at)
    return (item.name, item.version, item.active or "-", item.status, item.dialect, changed, item.id)


@WORKFLOWS.command
def show(
    workflow: Reference,
    /,
    *,
    version: Annotated[str | None, Parameter(help="one version of it (default: the active one)")] = None,
    organization: Organization = "default",
    where: Where = HERE,
    json: AsJson = False,
) -> int:
    """A workflow with its document, and the versions there are.

    Example: perdure workflows show order --version 2 --db sqlite:///flows.db
    """

    async def both(engine: Engine) -> Any:
        found = await engine.workflows.show(workflow, version, organization=organization)
        return found, await engine.workflows.versions(workflow, organization=organization)

    found, versions = looking(where, by_name(workflow, organization, both))
    if json:
        print_json(version_answer(found, versions=versions))
        return 0
    pairs = [
        ("name", found.name),
        ("id", found.id),
        ("version", f"{found.version}, {found.status}"),
        ("dialect", found.dialect),
        ("needs", "" if found.requires is None else needs(found.requires)),
        ("saved", local_time(found.created_at)),
        ("versions", ", ".join(f"{each.version} ({each.status})" for each in versions)),
    ]
    print(fields(pairs))
    if found.document is not None:
        print()
        print(format_json(found.document))
    return 0


@WORKFLOWS.command
def save(
    file: Annotated[str, Parameter(help="the document: JSON, in any dialect")],
    /,
    *,
    name: Annotated[str | None, Parameter(help="what it is called, if it does not say so itself")] = None,
    draft: Annotated[bool, Parameter(help="keep it without making it the active version")] = False,
    tasks: Tasks = (),
    connections: ConnectionsFile = None,
    as_: AsEditor = None,
    organization: Organization = "default",
    where: Where = HERE,
    json: AsJson = False,
) -> int:
    """Keep a document as a new version, and make that the active one. The same again makes no new one.

    Example: perdure workflows save order.json --db sqlite:///flows.db
    """
    operators = read_connections(connections)
    engine = chosen(where, new=True, tasks=tasks, connections=operators)
    given = at_once(engine, file, name)
    activate = False if draft else None

    async def keep(engine: Engine) -> tuple[Checked, Saved]:
        document = await in_the_end(engine, given, name, organization, quiet=json)
        return document, await engine.workflows.save(
            document.text, organization=organization, name=document.called, activate=activate, actor=as_
        )

    document, saved = asked(engine, keep)
    if json:
        print_json(saved_answer(saved))
        return 0
    document.print_warnings(saved.warnings)
    what = "saved as" if saved.created else "is already"
    print(printable(f"{shown(saved.name)} {what} version {saved.version}, {saved.status}  (id {saved.id})"))
    return 0


@WORKFLOWS.command
def activate(
    workflow: Reference,
    version: Version,
    /,
    *,
    as_: AsEditor = None,
    organization: Organization = "default",
    where: Where = HERE,
    json: AsJson = False,
) -> int:
    """Make a version the one that is started. Executions finish on the version that they began with.

    Example: perdure workflows activate order 2 --db sqlite:///flows.db
    """
    found = looking(
        where,
        by_name(
            workflow,
            organization,
            lambda engine: engine.workflows.activate(workflow, version, organization=organization, actor=as_),
        ),
    )
    if json:
        print_json(version_answer(found, brief=True))
    else:
        print(f"{shown(found.name)}: version {found.version} is active")
    return 0


@WORKFLOWS.command
def deactivate(
    workflow: Reference,
    version: Version,
    /,
    *,
    as_: AsEditor = None,
    organization: Organization = "default",
    where: Where = HERE,
    json: AsJson = False,
) -> int:
    """Let no start and no event have a version any more. Executions finish on the version that they began with.

    Where versions stand side by side, the highest one that is still active takes over.

    Example: perdure workflows deactivate order 2 --db sqlite:///flows.db
    """

    async def both(engine: Engine) -> Any:
        found = await engine.workflows.deactivate(workflow, version, organization=organization, actor=as_)
        return found, await engine.workflows.show(found.id, organization=organization)

    found, now = looking(where, by_name(workflow, organization, both))
    if json:
        print_json(version_answer(found, brief=True))
        return 0
    left = (
        f"version {now.version} is active" if now.active else "no version is active, and it cannot be started by name"
    )
    print(f"{shown(found.name)}: version {found.version} is {found.status}; {left}")
    return 0


@WORKFLOWS.command
def diff(
    workflow: Reference,
    old: Annotated[str, Parameter(help="the older version")],
    new: Annotated[str, Parameter(help="the newer version")],
    /,
    *,
    organization: Organization = "default",
    where: Where = HERE,
    json: AsJson = False,
) -> int:
    """What differs between two versions, by its place in the document.

    Example: perdure workflows diff order 1 2 --db sqlite:///flows.db
    """
    changes = looking(
        where,
        by_name(
            workflow,
            organization,
            lambda engine: engine.workflows.diff(workflow, old, new, organization=organization),
        ),
    )
    if json:
        print_json({"changes": changes})
        return 0
    for change in changes:
        print(f"{MARKS[change.kind]} {shown(change.path or '/')}")
        if change.kind != "added":
            print(f"    - {_value(change.old)}")
        if change.kind != "removed":
            print(f"    + {_value(change.new)}")
    if not changes:
        print(f"versions {old} and {new} are the same")
    return 0


def _value(value: Any) -> str:
    return shown(msgspec.json.encode(value).decode(errors="replace"))
