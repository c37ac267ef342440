"""How a command says what came of it: people are told on stderr what is wrong, a program gets one object on stdout, always."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext, redirect_stdout
from typing import Any

import msgspec
from cyclopts import CycloptsError, MissingArgumentError, UnknownCommandError, UnknownOptionError, UnusedCliTokensError

from perdure.answers.problems import problem_answer
from perdure.cli.wording import format_json, printable, shown
from perdure.errors import PerdureError
from perdure.expressions.wording import nearest
from perdure.hosts.refusing import Refused
from perdure.model.problem import LEFT_OUT, Problem
from perdure.model.similarity import closest

REFUSED, STOPPED = 2, 130
"""What was given cannot be used; Ctrl-C, as shells say it."""

DOES_NOT_GO = (
    "ambiguous",
    "bad_cursor",
    "conflict",
    "forbidden",
    "more_by_now",
    "not_found",
    "other_request",
    "outdated",
    "unknown_execution",
    "unknown_workflow",
    "execution_not_found",
    "workflow_not_found",
    "unknown_webhook",
    "unreachable",
    "unauthorized",
    "no_server",
    "server_failed",
    "too_many",
)
"""Nothing that was given is wrong in itself: there is no such thing, or it does not go with how things stand."""

OF_SERVERS = ("--server", "--key", "--key-file")
"""What commands have that can ask a server."""

PROBLEMS_MAX = 50
"""So many are shown to people; programs get them all."""


class Refusal(PerdureError, code="refusal"):
    """Something that was given cannot be used: a file, a document, an input. `problems` says all that is wrong.

    `source` is the text that they are about, to show the place; `name` is what it is called.
    """

    def __init__(self, problems: Sequence[Problem], name: str = "", source: bytes | None = None) -> None:
        self.problems, self.name, self.source = tuple(problems), name, source
        super().__init__("; ".join(problem.message for problem in problems))


def refusal(type_: str, message: str, **where: Any) -> Refusal:
    """One problem that has no place in a document."""
    return Refusal((Problem(type_, message, **where),))


def only_the_object(*, as_json: bool) -> AbstractContextManager[object]:
    """While this lasts, what tasks and their modules print goes to stderr, if a program reads stdout."""
    return redirect_stdout(sys.stderr) if as_json else nullcontext()


def print_json(value: Any) -> None:
    try:
        print(format_json(value))
    except UnicodeEncodeError:  # half a character, from whoever wrote a document
        print(json.dumps(msgspec.to_builtins(value), indent=2))


def refused_by(error: PerdureError, command: str, *, as_json: bool) -> int:
    """Tell why it was refused; the exit status."""
    alone = Problem(error.code, str(error), line=getattr(error, "line", None))
    problems: tuple[Problem, ...] = tuple(getattr(error, "problems", ())) or (alone,)
    if not as_json:
        _tell_people(error, problems, command)
    elif error.code in DOES_NOT_GO:
        print_json({"error": {"type": error.code, "message": str(error)}})
    else:
        print_json({"problems": [problem_answer(problem) for problem in problems]})
    return REFUSED


def tell_usage(error: CycloptsError, *, as_json: bool) -> None:
    """What was typed is not a command, or not an option of it."""
    error.verbose = False
    command = " ".join(["perdure", *(error.command_chain or ())])
    message = shown(_sentence(error), 2_000)
    if as_json:
        print_json({"error": {"type": "usage", "message": message}})
    else:
        print(f"{command}: {message}\nTry: {command} --help", file=sys.stderr)


def tell_stopped(command: str, *, as_json: bool) -> None:
    """By Ctrl-C."""
    if as_json:
        print_json({"error": {"type": "stopped", "message": "it was stopped by Ctrl-C"}})
    else:
        print(f"{command}: stopped", file=sys.stderr)


def _tell_people(error: PerdureError, problems: Sequence[Problem], command: str) -> None:
    name = error.name if isinstance(error, Refusal) else _refused(error)
    source = error.source if isinstance(error, Refusal) else None
    lines = [] if source is None else source.decode(errors="replace").splitlines()
    if len(problems) == 1 and not problems[0].path and (problems[0].line is None or not lines):
        about = f"{shown(name)}: " if name else ""
        print(f"{command}: {about}{shown(problems[0].message, 2_000)}", file=sys.stderr)
        return
    left_out = [problem for problem in problems if problem.type == LEFT_OUT]
    found = [problem for problem in problems if problem.type != LEFT_OUT]
    print(f"{command}: {printable(name) or 'it'} {_has(len(found))}{' and more' if left_out else ''}", file=sys.stderr)
    for problem in found[:PROBLEMS_MAX]:
        print("\n".join(["", *told(problem, name, lines)]), file=sys.stderr)
    if len(found) > PROBLEMS_MAX:
        all_ = "" if left_out else " all"
        print(f"\n… and {len(found) - PROBLEMS_MAX:,} more; --json has them{all_}", file=sys.stderr)
    for problem in left_out:
        print("\n".join(["", *told(problem, name)]), file=sys.stderr)


def _refused(error: PerdureError) -> str:
    """What the service has found wrong, if it is not the document. A problem whose `field` is the input says so itself."""
    problems = error.problems if isinstance(error, Refused) else ()
    is_input = bool(problems) and all(each.type == "invalid_input" and each.field != "input" for each in problems)
    return "the input" if is_input else ""


def told(problem: Problem, name: str = "", lines: Sequence[str] = ()) -> list[str]:
    """A problem for people: where it is, what it is, and the line of the source with a caret below."""
    place = ":".join(str(part) for part in (name, problem.line, problem.column) if part)
    where = printable(f"{place}  {problem.path}" if place and problem.path else place or problem.path or "")
    said = [f"{where}", f"  {shown(problem.message, 2_000)}"] if where else [shown(problem.message, 2_000)]
    if problem.line is not None and 0 < problem.line <= len(lines):
        said += _excerpt(problem, lines[problem.line - 1])
    return said


def _excerpt(problem: Problem, line: str) -> list[str]:
    """The line, cut to what fits around the column; tabs count as one, here as in the column."""
    line = line.replace("\t", " ")
    column = problem.column if problem.column is not None else len(line) - len(line.lstrip()) + 1
    start = max(0, column - 60)
    number = f"{problem.line:>6} | "
    return [f"{number}{shown(line[start : start + 100])}", f"{' ' * (len(number) + column - 1 - start)}^"]


def _has(count: int) -> str:
    return "has a problem" if count == 1 else f"has {count:,} problems"


def _sentence(error: CycloptsError) -> str:
    """In our own voice: no capital, no full stop."""
    if isinstance(error, UnknownCommandError) and error.app is not None and error.unused_tokens:
        names = [name for name in error.app if not name.startswith("-")]
        given = error.unused_tokens[0]
        return f"there is no command {given!r}{nearest(given, names) or '; there are ' + ', '.join(names)}"
    if type(error) is MissingArgumentError and error.argument is not None:
        return f"{error.keyword} needs a value" if error.keyword else f"{error.argument.name} is missing"
    if isinstance(error, UnusedCliTokensError) and error.unused_tokens:
        unused = " ".join(repr(token) for token in error.unused_tokens)
        return f"it takes nothing more, and there is {unused} left"
    if isinstance(error, UnknownOptionError) and error.token.keyword in OF_SERVERS:
        return f"it is about a database, and has no {error.token.keyword}; say which one with --db URL"
    if isinstance(error, UnknownOptionError):
        given = error.token.keyword or error.token.value
        options = {name.lstrip("-"): name for argument in error.argument_collection for name in argument.names}
        if given in options.values():
            return f"{given} stands after --, where nothing is read as an option; put it before"
        meant = closest(given.partition("=")[0].lstrip("-"), options)
        return f"unknown option: {given}{'' if meant is None else f'; did you mean {options[meant]}?'}"
    text = str(error).strip().rstrip(".")
    text = re.sub(r"\. (Did you mean [^?]*\?)$", lambda found: f"; {found[1][0].lower()}{found[1][1:]}", text)
    return text[:1].lower() + text[1:]
