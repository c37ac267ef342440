"""The commands, as cyclopts parses them, and how each of them may end.

A command is a function of this package that returns the exit status. It is imported when it is chosen.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Sequence
from typing import Any

from cyclopts import App, CycloptsError, Parameter

from perdure.cli.main import ABOUT, COMMANDS, OPTIONS
from perdure.cli.saying import STOPPED, refused_by, tell_stopped, tell_usage
from perdure.cli.where import refuse_beside_a_server
from perdure.errors import PerdureError

USAGE, GONE = 2, 141
"""A mistake in what was typed; whoever read the output does not any more. As shells say it."""

COMPLETION = "--install-completion"
_PLACES = {
    "workflows": "perdure.cli.workflows:WORKFLOWS",
    "executions": "perdure.cli.executions:EXECUTIONS",
    "bulk": "perdure.cli.bulk:BULK",
    "events": "perdure.cli.events:EVENTS",
    "schedules": "perdure.cli.schedules:SCHEDULES",
    "triggers": "perdure.cli.triggers:TRIGGERS",
    "approvals": "perdure.cli.approvals:APPROVALS",
    "members": "perdure.cli.members:MEMBERS",
    "keys": "perdure.cli.keys:KEYS",
    "sessions": "perdure.cli.sessions:SESSIONS",
    "notifiers": "perdure.cli.notifiers:NOTIFIERS",
    "audit": "perdure.cli.members:AUDIT",
    "webhooks": "perdure.cli.webhooks:WEBHOOKS",
    "connections": "perdure.cli.connections:CONNECTIONS",
    "secrets": "perdure.cli.secrets:SECRETS",
    "db": "perdure.cli.db:DB",
}
"""Where a command is that has commands of its own; each other one is `<name>_command` in a module of its name."""


def call(typed: Sequence[str]) -> int:
    """Run what was typed; the exit status."""
    as_json = "--json" in typed
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # a terminal that has not all characters shows what it has
    try:
        chosen, bound, _ = application(completion=COMPLETION in typed).parse_args(typed)
        refuse_beside_a_server(chosen, bound.arguments)
        status = chosen(*bound.args, **bound.kwargs)
        sys.stdout.flush()
    except CycloptsError as error:
        tell_usage(error, as_json=as_json)
        return USAGE
    except PerdureError as error:
        return refused_by(error, _name(typed), as_json=as_json)
    except KeyboardInterrupt:
        tell_stopped(_name(typed), as_json=as_json)
        return STOPPED
    except BrokenPipeError:
        _nobody_reads()
        return GONE
    return int(status or 0)


def application(*, completion: bool = False) -> App:
    app = App(
        name="perdure",
        help=ABOUT,
        help_format="plaintext",
        version=_version,
        default_parameter=Parameter(negative=(), show_default=False),
        print_error=False,
        exit_on_error=False,
    )
    for entries in COMMANDS.values():
        for name in entries:
            app.command(_PLACES.get(name, f"perdure.cli.{name}:{name}_command"), name=name)
    if completion:  # it takes its time to import
        app.register_install_completion_command(name=COMPLETION, help=OPTIONS[COMPLETION])
    return app


def _version() -> Any:
    from perdure.version import VERSION  # noqa: PLC0415  to find it takes longer than to parse what was typed

    return f"perdure {VERSION}"


def _name(typed: Sequence[str]) -> str:
    """The command, as it was typed: what its messages begin with."""
    words = [word for word in typed[:2] if not word.startswith("-")]
    nested = words[:1] and words[0] in _PLACES
    return " ".join(["perdure", *words[: 2 if nested else 1]])


def _nobody_reads() -> None:
    """Python flushes the output once more at the end, and would complain."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
