"""`perdure`: the entry point.

What is asked most often and needs nothing, the help and the version, is answered here at once: to import what parses the rest
takes longer than people like to wait. `app.py` makes the same commands out of the same table.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module

COMMANDS = {
    "Run": {
        "dev": "a server and a worker for this machine, with examples",
        "serve": "a server and a worker for others, who need keys",
        "run": "run a document until it ends or waits for somebody",
        "validate": "say everything that is wrong with a document",
        "worker": "carry on the executions of a database",
    },
    "Look and change": {
        "workflows": "list, show, save, activate, diff",
        "executions": "list, show, watch, why, cancel, retry, rerun, fork, refire",
        "bulk": "cancel, retry, rerun: all executions that fit; first how many",
        "events": "send, list, show whom one of them woke",
        "schedules": "list, next, pause, resume",
        "triggers": "list what came in from outside, and what became of it",
        "approvals": "list, show, approve, reject, claim, release",
        "webhooks": "create, list, rotate, remove, and try one out",
        "connections": "add, list, tools, remove: MCP servers whose tools steps call",
        "secrets": "set, list, remove, rotate; encrypt for a document",
    },
    "People": {
        "members": "list, add, set, remove",
        "keys": "create, list, revoke: what a server is asked with",
        "sessions": "list, end: who has signed in with a browser",
        "notifiers": "list, add, remove: how people are told of approvals",
        "audit": "list who changed what",
    },
    "Keep": {
        "db": "upgrade a database, back it up while it is used, or have it forget",
        "doctor": "look whether a database keeps what is promised; it only reads",
        "settings": "what can be set in the environment, and what is",
        "bench": "measure durable steps per second here, beside the disk and others",
        "demo": "run an order through the engine, with a crash in the middle",
    },
}
"""By heading. `app.py` knows where each is."""

OPTIONS = {
    "--help": "this, or the help of a command: perdure run --help",
    "--version": "show the version, and exit",
    "--install-completion": "complete commands and options in your shell",
}
ABOUT = "Durable workflows: four notations, one engine."
EXAMPLES = """\
  perdure run hello.json --input '{"name": "Ada"}'
  perdure run order.json --tasks tasks.py --db sqlite:///flows.db
  perdure executions why ID --db sqlite:///flows.db"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; the exit status."""
    typed = list(sys.argv[1:] if arguments is None else arguments)
    for word in typed:
        if not word.isprintable() and not _is_text(word):
            print(
                f"perdure: {word!r} is not UTF-8; give it as it is written in the database or the folder",
                file=sys.stderr,
            )
            return 2
    match typed:
        case [] | ["--help" | "-h" | "help"]:
            print(help_text())
            return 0
        case ["--version"]:
            print(f"perdure {import_module('perdure.version').VERSION}")
            return 0
        case ["help", *command]:
            typed = [*command, "--help"]
    status: int = import_module("perdure.cli.app").call(typed)
    return status


def _is_text(word: str) -> bool:
    """Bytes that are not UTF-8 come as halves of characters, which nothing can be called."""
    try:
        word.encode()
    except UnicodeEncodeError:
        return False
    return True


def help_text() -> str:
    lines = [ABOUT, "", "Usage: perdure COMMAND [OPTIONS]"]
    for heading, entries in {**COMMANDS, "Options": OPTIONS}.items():
        width = max(12, *(len(name) + 2 for name in entries))
        lines += ["", f"{heading}:", *(f"  {name:<{width}}{about}" for name, about in entries.items())]
    return "\n".join([*lines, "", "Examples:", EXAMPLES, "", "Each command takes --json, and --help tells all of it."])
