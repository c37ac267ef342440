"""`perdure bench`: how fast it is on this machine."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

import msgspec

from perdure.bench.plan import FULL, PARTS, QUICK, Plan
from perdure.bench.progress import Progress
from perdure.bench.report import told
from perdure.bench.run import bench

OUT = Path("perdure-bench.json")
STOPPED = 130
"""What a shell says of a command that Ctrl-C ended."""


def bench_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--quick", action="store_true", help="rough figures in well under a minute")
    parser.add_argument("--json", action="store_true", help="print one JSON object, and no tables")
    parser.add_argument(
        "--out",
        type=Path,
        metavar="FILE",
        help=f"where the JSON goes (default: {OUT} in this folder; with --json, nowhere else)",
    )
    parser.add_argument(
        "--db-dir",
        type=Path,
        default=Path(),
        metavar="DIR",
        help="the disk to measure: files are made in a folder in here, and removed (default: this folder)",
    )
    parser.add_argument("--only", nargs="+", choices=PARTS, metavar="NAME", help=f"of {', '.join(PARTS)}")


def bench_command(chosen: argparse.Namespace, plan: Plan | None = None) -> int:
    """`plan` is for those who want other sizes than the two that there are."""
    out: Path | None = chosen.out if chosen.out is not None or chosen.json else OUT
    wrong = _unusable(out, chosen.db_dir)
    if wrong is not None:
        print(f"perdure bench: {wrong}", file=sys.stderr)
        return 2
    try:
        report = bench(
            plan or (QUICK if chosen.quick else FULL), chosen.only or PARTS, chosen.db_dir, Progress(sys.stderr)
        )
    except KeyboardInterrupt:
        print("perdure bench: stopped; nothing was written", file=sys.stderr)
        return STOPPED
    encoded = msgspec.json.format(msgspec.json.encode(report), indent=2).decode()
    if chosen.json:
        print(encoded)
    else:
        print("\n".join(told(report)))
    if out is not None:
        out.write_text(encoded + "\n")
        print(f"the figures are in {out}", file=sys.stderr)
    return 0


def _unusable(out: Path | None, folder: Path) -> str | None:
    """What would be found out only after minutes of measuring."""
    if not folder.is_dir() or not os.access(folder, os.W_OK):
        return f"--db-dir {folder} is no folder that can be written; make it, or name another"
    if out is not None and (out.is_dir() or not os.access(out.parent, os.W_OK)):
        return f"--out {out} cannot be written; name a file in a folder that is there"
    return None
