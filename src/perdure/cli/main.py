"""`perdure`: the entry point. What a command needs is imported when it is chosen: help and mistakes are told at once."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from importlib import import_module
from typing import Any

COMMANDS = {
    "demo": "run an order through the engine, with a crash in the middle",
    "bench": "measure durable steps per second here, beside the disk and others",
    "doctor": "look whether a database keeps what is promised; it only reads, also beside running workers",
}
"""Each is a module of this package that has `<name>_options` and `<name>_command`."""


class _Command(argparse.ArgumentParser):
    """Knows its options when something is parsed by it."""

    name = ""

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        if self.name:
            _of(self.name, "options")(self)
        return super().parse_known_args(args, namespace)


class _ShowVersion(argparse.Action):
    """To find the version takes longer than all else that is done before a command is chosen."""

    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> None:
        print(f"perdure {import_module('perdure.version').VERSION}")
        parser.exit()


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; the exit status."""
    parser = _Command(prog="perdure", description="Durable workflows: four notations, one engine.")
    parser.add_argument("--version", action=_ShowVersion, nargs=0, help="show the version, and exit")
    commands = parser.add_subparsers(dest="command", metavar="command")
    for name, help_ in COMMANDS.items():
        commands.add_parser(name, help=help_).name = name
    chosen = parser.parse_args(arguments)
    if chosen.command is None:
        parser.print_help()
        return 0
    status: int = _of(chosen.command, "command")(chosen)
    return status


def _of(name: str, part: str) -> Any:
    return getattr(import_module(f"perdure.cli.{name}"), f"{name}_{part}")
