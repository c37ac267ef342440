"""`perdure validate`: everything that is wrong with a document, and where."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter
from msgspec import Struct

from perdure.answers.problems import problem_answer
from perdure.cli.connecting import read_connections, said_if_it_takes_long
from perdure.cli.engines import asked, chosen, is_remote, with_tasks
from perdure.cli.files import read_bytes
from perdure.cli.options import AsJson, ConnectionsFile, Organization, Tasks
from perdure.cli.saying import Refusal, only_the_object, print_json, told
from perdure.cli.where import TYPED, Typed
from perdure.cli.wording import many, printable
from perdure.dialects import Requirements
from perdure.model.catalog import ALL_TOOLS
from perdure.model.executors import LLM, NODE, SEAL, TRANSFORM
from perdure.model.problem import Problem
from perdure.service.documents import is_document
from perdure.service.engine import Engine


class Checked(Struct, frozen=True):
    """A document that can run."""

    file: str
    text: bytes
    called: str | None
    """What it is called if it does not say so itself."""
    name: str
    dialect: str
    warnings: tuple[Problem, ...]
    """Without those that only a database can tell."""

    def print_warnings(self, warnings: Iterable[Problem] | None = None) -> None:
        """With their places in the file; those that are given, else what was found without a database."""
        lines = self.text.decode(errors="replace").splitlines()
        for warning in self.warnings if warnings is None else warnings:
            print("\n".join(["warning:", *told(warning, self.file, lines), ""]))


def validate_command(
    file: Annotated[str, Parameter(help="the document: JSON, in any dialect")],
    /,
    *,
    tasks: Tasks = (),
    connections: ConnectionsFile = None,
    organization: Organization = "default",
    where: Typed = TYPED,
    json: AsJson = False,
) -> int:
    """Say everything that is wrong with a document, and where. Nothing is saved, and nothing is run.

    With --db or --server, also by what is there: connections, secrets, people who are asked, workflows that it starts.

    Exit status: 0 it can run (there may be warnings), 2 it cannot.

    Example: perdure validate order.json --tasks tasks.py
    """
    with only_the_object(as_json=json):
        operators = read_connections(connections)
        given: Checked | str = file
        alone = where.db is None and where.at() is None
        if alone:
            engine = with_tasks(Engine("memory://", works=False, connections=operators), tasks)
            given = at_once(engine, file)
        else:
            engine = chosen(where, tasks=tasks, connections=operators)
        found = (
            given
            if isinstance(given, Checked)
            else asked(
                engine,
                lambda engine: in_the_end(engine, file, organization=organization, quiet=json, alone=alone),
            )
        )
        requires = engine.workflows.requirements(found.text)
    if json:
        warnings = [problem_answer(warning) for warning in found.warnings]
        told = {"valid": True, "dialect": found.dialect, "name": found.name, "problems": [], "warnings": warnings}
        print_json({**told, "requires": requires})
        return 0
    found.print_warnings()
    warned = f", {many(len(found.warnings), 'warning')}" if found.warnings else ""
    print(printable(f"{file} is a valid {found.dialect} document: {found.name}{warned}"))
    if needed := needs(requires):
        print(printable(f"it needs {needed}"))
    return 0


def at_once(engine: Engine, file: str, name: str | None = None) -> Checked | str:
    """A document that can run, or else all that keeps it from that. If it does not say what it is called, its file does. The file
    itself, if somebody has to be asked first, by `in_the_end`: servers, for their tools; the sandbox, for its code; the server
    that runs it, for its tasks.
    """
    if is_remote(engine):
        return file
    text, called = read_bytes(file), name or _called(file)
    if engine.workflows.tools(text):
        return file
    found = engine.workflows.validate(text, name=called)
    if found.code:
        return file
    if found.problems:
        raise Refusal(found.problems, file, text)
    return Checked(file, text, called, found.name, found.dialect or "?", found.warnings)


async def in_the_end(
    engine: Engine,
    given: Checked | str,
    name: str | None = None,
    organization: str = "default",
    *,
    quiet: bool = False,
    alone: bool = False,
) -> Checked:
    """A document that can run, also by what the servers of its tools and the sandbox say. People are told if that takes long."""
    if isinstance(given, Checked):
        return given
    text, called = read_bytes(given), name or _called(given)
    if is_remote(engine):
        found = await engine.workflows.check(text, name=called)
    else:
        with said_if_it_takes_long({connection for connection, _ in engine.workflows.tools(text)}, quiet=quiet):
            found = await engine.workflows.check(text, organization, name=called, alone=alone)
    if found.problems:
        raise Refusal(found.problems, given, text)
    return Checked(given, text, called, found.name, found.dialect or "?", found.warnings)


def _called(file: str) -> str | None:
    """By its file, if it is one and can be the name of a workflow."""
    stem = Path(file).stem
    return stem if Path(file).is_file() and stem.isprintable() and not is_document(stem) else None


ALWAYS_THERE = ("http", "webhook", "log", "email", TRANSFORM, SEAL)
"""Tasks that every engine has."""


def _task(name: str) -> str:
    return "a language model (OPENAI_API_KEY, OPENAI_MODEL)" if name == LLM else name.removeprefix(NODE)


def needs(requires: Requirements) -> str:
    """`WEIGH, the secret KEY`: what has to be there for it."""
    tasks = [_task(name) for name in requires.tasks if name not in ALWAYS_THERE]
    tools = [f"{'all tools' if tool == ALL_TOOLS else f'the tool {tool}'} of {of}" for of, tool in requires.tools]
    secrets = [f"the secret {name}" for name in requires.secrets]
    return ", ".join([*tasks, *tools, *secrets, *(f"a webhook for {node}" for node in requires.webhooks)])
