"""`perdure run`: a document, from its start until it ends or waits for somebody."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from perdure.cli.database import from_environment, sqlite_path, usable
from perdure.cli.engines import with_tasks
from perdure.cli.files import given_input
from perdure.cli.options import AsJson, Tasks
from perdure.cli.outcome import exit_status, outcome, tell_end
from perdure.cli.saying import print_json, refusal
from perdure.cli.validate import Checked, checked
from perdure.cli.watching import watched
from perdure.model.values import Json
from perdure.service.engine import Engine


def run_command(
    file: Annotated[str, Parameter(help="the document: JSON, in any dialect")],
    /,
    *,
    input: Annotated[
        str | None, Parameter(allow_leading_hyphen=True, help="what it is started with: JSON, or @FILE with JSON in it")
    ] = None,
    tasks: Tasks = (),
    with_: Annotated[
        tuple[str, ...],
        Parameter(name="--with", help="a document that is saved before, for this one to start; repeatable"),
    ] = (),
    connections: Annotated[str | None, Parameter(help="a file with MCP connections; there are none yet")] = None,
    db: Annotated[
        str | None, Parameter(help="where the execution stays, sqlite:///path (default: nowhere, a temporary one)")
    ] = None,
    timeout: Annotated[float | None, Parameter(help="seconds to wait at most; after them, exit status 3")] = None,
    json: AsJson = False,
) -> int:
    """Run a document until it ends or waits for somebody. A timer is waited for.

    Exit status: 0 completed, 1 failed, 2 refused, 3 waiting (or --timeout is over), 4 cancelled.

    Examples:

      perdure run hello.json --input '{"name": "Ada"}'

      perdure run order.json --input @order-17.json --tasks tasks.py --db sqlite:///flows.db
    """
    if connections is not None:
        raise refusal("unsupported", "--connections: there are no MCP connections yet; leave it out")
    if timeout is not None and not timeout >= 0:
        raise refusal("invalid_option", f"--timeout {timeout:g} is no number of seconds to wait")
    given = given_input(input)
    url = db or from_environment()
    with _database(url) as used:
        engine = with_tasks(Engine(used, unknown_tasks="fail"), tasks)
        others = [checked(engine, each) for each in with_]
        document = checked(engine, file)
        return asyncio.run(_run(engine, document, others, given, timeout, kept=url is not None, as_json=json))


async def _run(
    engine: Engine,
    document: Checked,
    others: Sequence[Checked],
    given: Json,
    seconds_max: float | None,
    *,
    kept: bool,
    as_json: bool,
) -> int:
    async with engine:
        for other in others:
            await engine.workflows.save(other.text)
        execution = await engine.executions.start(document.text, given, triggered_by="manual")
        in_time = await watched(engine, execution, document.name, seconds_max=seconds_max, quiet=as_json)
        described = await execution.describe()
        if as_json:
            print_json(outcome(described, await execution.view()))
        else:
            tell_end(described, document.name, kept=kept, in_time=in_time)
    return exit_status(described.record.status)


@contextmanager
def _database(url: str | None) -> Iterator[str]:
    """The one that was named, or one that is gone afterwards."""
    if url is not None:
        yield usable(sqlite_path(url))
        return
    with tempfile.TemporaryDirectory(prefix="perdure-run-") as folder:
        yield f"sqlite:///{Path(folder) / 'run.db'}"
