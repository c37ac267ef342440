"""`perdure`: the entry point."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from perdure.cli.bench import bench_command, bench_options
from perdure.cli.demo import demo
from perdure.cli.doctor import add_doctor, doctor
from perdure.version import VERSION


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; the exit status."""
    parser = argparse.ArgumentParser(prog="perdure", description="Durable workflows: four notations, one engine.")
    parser.add_argument("--version", action="version", version=f"perdure {VERSION}")
    commands = parser.add_subparsers(dest="command", metavar="command")
    shown = commands.add_parser("demo", help="run an order through the engine, with a crash in the middle")
    shown.add_argument(
        "--crash-at",
        type=int,
        default=3,
        metavar="N",
        help="kill the worker at the N-th place where a commit begins or has been made, counted from 0 (default: 3)",
    )
    bench_options(
        commands.add_parser("bench", help="measure durable steps per second here, beside the disk and others")
    )
    add_doctor(commands)
    chosen = parser.parse_args(arguments)
    if chosen.command == "demo":
        return demo(chosen.crash_at)
    if chosen.command == "bench":
        return bench_command(chosen)
    if chosen.command == "doctor":
        return doctor(chosen.db, quick=chosen.quick, as_json=chosen.json)
    parser.print_help()
    return 0
