"""`perdure run`: a document, from its start until it ends or waits for somebody."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter
from msgspec import Struct

from perdure.cli.connecting import read_connections
from perdure.cli.database import Database, from_environment, to_work_on
from perdure.cli.engines import asked, chosen, with_tasks
from perdure.cli.files import given_input
from perdure.cli.hints import hint
from perdure.cli.noticed import notices_printed
from perdure.cli.options import AsEditor, AsJson, ConnectionsFile, Tasks
from perdure.cli.outcome import exit_status, outcome, tell_end, way_on
from perdure.cli.saying import only_the_object, print_json, refusal
from perdure.cli.validate import Checked, at_once, in_the_end
from perdure.cli.watching import watched
from perdure.cli.where import Where
from perdure.hosts.performing import UnknownTasks
from perdure.model.values import Json
from perdure.service.describing import Described
from perdure.service.engine import Engine
from perdure.store.postgres.urls import without_password

UNKNOWN_WORKFLOW = "UNKNOWN_WORKFLOW"
"""The code of a step that was to start what is not there."""


@Parameter(name="*")
@dataclass(frozen=True, repr=False)
class Kept(Where):
    """Where an execution stays."""

    db: Annotated[
        str | None,
        Parameter(
            name="--db",
            metavar="URL",
            help="where it stays, sqlite:///path or postgresql://… (default: $PERDURE_DATABASE_URL, else nowhere)",
        ),
    ] = None


KEPT = Kept()


def run_command(
    file: Annotated[str, Parameter(help="the document: JSON, in any dialect")],
    /,
    *,
    input: Annotated[
        str | None,
        Parameter(
            metavar="JSON|@FILE", allow_leading_hyphen=True, help="what it is started with; @FILE has it in a file"
        ),
    ] = None,
    tasks: Tasks = (),
    with_: Annotated[
        tuple[str, ...],
        Parameter(name="--with", metavar="FILE", help="a document to save before, for this one to start; repeatable"),
    ] = (),
    connections: ConnectionsFile = None,
    as_: AsEditor = None,
    where: Kept = KEPT,
    timeout: Annotated[
        float | None, Parameter(metavar="SECONDS", help="how long to wait; after that, exit with 3")
    ] = None,
    json: AsJson = False,
) -> int:
    """Run a document until it ends or waits for somebody. A timer is waited for.

    Exit status: 0 completed, 1 failed, 2 refused, 3 waiting (or --timeout is over), 4 cancelled.

    Example: perdure run hello.json --input '{"name": "Ada"}'

    Example: perdure run order.json --input @order-17.json --tasks tasks.py --db sqlite:///flows.db
    """
    operators = read_connections(connections)
    if timeout is not None and not timeout >= 0:
        raise refusal("invalid_option", f"--timeout {timeout:g} is no number of seconds to wait")
    given = given_input(input)
    is_kept = where.at() is not None or (where.db or from_environment()) is not None
    with only_the_object(as_json=json), _engine(where, tasks, operators) as engine:
        others = [at_once(engine, each) for each in with_]
        document = at_once(engine, file)
        try:
            with notices_printed():
                ended = asked(engine, lambda engine: _run(engine, document, others, given, timeout, as_, quiet=json))
        except KeyboardInterrupt:
            if is_kept and not json:
                print(_stays(where, tasks), file=sys.stderr)
            raise
    document = ended.document
    if json:
        print_json(outcome(ended.described, ended.view))
    else:
        described = ended.described
        stays = way_on(described.id, where, tasks, waiting=described.record.waiting) if is_kept else None
        tell_end(described, document.name, stays, in_time=ended.in_time)
        if described.error is not None and described.error.code == UNKNOWN_WORKFLOW:
            print("A document that this one starts can be given along: --with FILE", file=sys.stderr)
    return exit_status(ended.described.status)


class _Ended(Struct, frozen=True):
    """As far as it was waited for."""

    document: Checked
    described: Described
    view: Json
    in_time: bool


async def _run(
    engine: Engine,
    document: Checked | str,
    others: Sequence[Checked | str],
    given: Json,
    seconds_max: float | None,
    actor: str | None,
    *,
    quiet: bool,
) -> _Ended:
    for other in others:
        kept = await in_the_end(engine, other, quiet=quiet)
        await engine.workflows.save(kept.text, name=kept.called, actor=actor)
    document = await in_the_end(engine, document, quiet=quiet)
    if not quiet:
        document.print_warnings(await engine.workflows.warnings(document.text, name=document.called))
    execution = await engine.executions.start(
        document.text, given, triggered_by="manual", name=document.called, actor=actor
    )
    in_time = await watched(engine, execution, document.name, seconds_max=seconds_max, quiet=quiet)
    return _Ended(document, await execution.describe(), await execution.view() if quiet else None, in_time)


def _stays(where: Where, tasks: Sequence[str]) -> str:
    server, url = where.at(), where.db or from_environment()
    if server is not None or url is None:
        return "what was begun goes on at the server"
    return (
        f"what was begun stays in {without_password(url)}; {hint('worker', where=where, tasks=tasks)} goes on with it"
    )


@contextmanager
def _engine(where: Where, tasks: Sequence[str], operators: dict[str, Any]) -> Iterator[Engine]:
    """The server that was named; or an engine that works, on the database that was, or on one that is gone afterwards."""
    if where.at() is not None:
        yield chosen(where)
        return
    url = where.db or from_environment()
    unknown_tasks: UnknownTasks = "fail" if url is None else "fail_own"
    with _database(url) as used:
        yield with_tasks(Engine(used.url, unknown_tasks=unknown_tasks, connections=operators), tasks)


@contextmanager
def _database(url: str | None) -> Iterator[Database]:
    """The one that was named, or one that is gone afterwards."""
    if url is not None:
        yield to_work_on(url)
        return
    with tempfile.TemporaryDirectory(prefix="perdure-run-") as folder:
        path = str(Path(folder) / "run.db")
        yield Database(f"sqlite:///{path}", path)
