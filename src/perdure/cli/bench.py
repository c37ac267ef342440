"""`perdure bench`: how fast it is on this machine."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated

import msgspec
from cyclopts import Parameter

from perdure.bench.plan import FULL, PARTS, QUICK, Plan
from perdure.bench.progress import Progress
from perdure.bench.report import told
from perdure.bench.run import bench
from perdure.cli.saying import STOPPED, refusal

OUT = Path("perdure-bench.json")


def bench_command(
    *,
    quick: Annotated[bool, Parameter(help="rough figures in well under a minute")] = False,
    json: Annotated[bool, Parameter(help="print one JSON object, and no tables")] = False,
    out: Annotated[
        Path | None,
        Parameter(help=f"where the JSON goes (default: {OUT} in this folder; with --json, nowhere else)"),
    ] = None,
    db_dir: Annotated[
        Path,
        Parameter(help="the disk to measure: files are made in a folder in here, and removed"),
    ] = Path(),
    only: Annotated[
        tuple[str, ...] | None,
        Parameter(consume_multiple=1, choices=PARTS, help="measure these parts alone"),
    ] = None,
    plan: Annotated[Plan | None, Parameter(parse=False)] = None,
) -> int:
    """How fast it is on this machine: durable steps per second, beside the disk and other libraries.

    Exit status: 0 measured, 2 it cannot be, 130 stopped.
    """
    out = out if out is not None or json else OUT
    wrong = _unusable(out, db_dir)
    if wrong is not None:
        raise refusal("unusable", wrong)
    try:
        report = bench(plan or (QUICK if quick else FULL), only or PARTS, db_dir, Progress(sys.stderr))
    except KeyboardInterrupt:
        print("perdure bench: stopped; nothing was written", file=sys.stderr)
        return STOPPED
    encoded = msgspec.json.format(msgspec.json.encode(report), indent=2).decode()
    if json:
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
