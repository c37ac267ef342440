"""`perdure doctor`: whether a database keeps what is promised, in plain words."""

from __future__ import annotations

import argparse
import sys
import textwrap
import time
from typing import Any

import msgspec

from perdure.cli.database import add_database, sqlite_path
from perdure.errors import PerdureError
from perdure.store.sqlite.doctor import Counts, Finding, Report, examine

HEALTHY, FOUND, REFUSED = 0, 1, 2
WIDTH = 100
_STATUSES = ("pending", "running", "waiting", "completed", "failed", "cancelled")


def doctor_options(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Looks whether a database keeps what is promised, and says what to do where it does not. It only reads, "
        "and sees one moment, whoever works on the database beside it."
    )
    parser.epilog = (
        "Exit status: 0 healthy (something may need attention), 1 something is broken, 2 it could not be examined."
    )
    add_database(parser)
    parser.add_argument("--quick", action="store_true", help="do not make the states anew from their histories")
    parser.add_argument("--json", action="store_true", help="print one object")


def doctor_command(chosen: argparse.Namespace) -> int:
    """Examine and print; the exit status."""
    return _doctor(chosen.db, quick=chosen.quick, as_json=chosen.json)


def _doctor(url: str | None, *, quick: bool, as_json: bool) -> int:
    now = time.time_ns() // 1_000_000
    try:
        report = examine(sqlite_path(url), now=now, quick=quick)
    except PerdureError as error:
        _refuse(str(error), as_json=as_json)
        return REFUSED
    if as_json:
        _print_json(_as_json(report))
    else:
        _print(report, now, quick=quick)
    return FOUND if report.broken else HEALTHY


def _refuse(message: str, *, as_json: bool) -> None:
    if as_json:
        _print_json({"problems": [{"type": "no_database", "message": message}]})
    else:
        print(f"perdure doctor: {message}", file=sys.stderr)


def _print_json(value: Any) -> None:
    print(msgspec.json.format(msgspec.json.encode(value), indent=2).decode())


def _as_json(report: Report) -> Any:
    counts = report.counts
    return {
        "healthy": not report.broken,
        "database": report.path,
        "counts": None if counts is None else {"executions": counts.executions, **msgspec.to_builtins(counts)},
        "broken": [_finding_as_json(finding) for finding in report.broken],
        "attention": [_finding_as_json(finding) for finding in report.attention],
    }


def _finding_as_json(finding: Finding) -> Any:
    told: dict[str, Any] = msgspec.to_builtins(finding.complaint)
    del told["severity"]
    examples = [{"whose": whose, "what": what} for whose, what in finding.examples]
    return {**told, "count": finding.count, "examples": examples}


def _print(report: Report, now: int, *, quick: bool) -> None:
    print(_verdict(report))
    print()
    if report.counts is not None:
        for name, value in _lines(report.counts, now, quick=quick):
            print(f"  {name:<12}{value}")
    else:
        print("  Nothing else was asked: a damaged file gives no answers to rely on.")
    for title, findings in (("Broken", report.broken), ("Needs attention", report.attention)):
        for finding in findings:
            print()
            _print_finding(title, finding)


def _verdict(report: Report) -> str:
    if report.broken:
        return f"{report.path}: not healthy. {_many(len(report.broken), 'check')} failed."
    if report.attention:
        return f"{report.path}: healthy. {_many(len(report.attention), 'thing')} to look at."
    return f"{report.path}: healthy."


def _lines(counts: Counts, now: int, *, quick: bool) -> list[tuple[str, str]]:
    stand = [f"{counts.statuses[status]:,} {status}" for status in _STATUSES if status in counts.statuses]
    others = [f"{count:,} {status!r}" for status, count in counts.statuses.items() if status not in _STATUSES]
    folded = (
        "not compared with their histories (--quick)" if quick else f"{counts.folded:,} compared with their histories"
    )
    since = "" if counts.unrouted_since is None else f", the oldest for {_duration(now - counts.unrouted_since)}"
    return [
        ("executions", _with(f"{counts.executions:,}", [*stand, *others])),
        ("live", f"{counts.live:,}, {folded}"),
        ("parked", f"{counts.parked:,}"),
        (
            "workers",
            f"{counts.workers_alive:,} alive, {counts.workers_dead:,} dead with executions; {counts.owned:,} owned",
        ),
        ("unrouted", f"{_many(counts.unrouted, 'event')}{since}"),
        ("size", f"{_size(counts.file_bytes)}, and {_size(counts.wal_bytes)} in the write-ahead log"),
    ]


def _print_finding(title: str, finding: Finding) -> None:
    complaint = finding.complaint
    print(f"{title} ({finding.count:,}): {complaint.says}  [{complaint.check}]")
    for label, text in (("promise", complaint.invariant), ("means", complaint.means), ("do", complaint.do)):
        print(textwrap.fill(text, WIDTH, initial_indent=f"  {label:<9}", subsequent_indent=" " * 11))
    for number, (whose, what) in enumerate(finding.examples):
        print(f"  {'where' if number == 0 else '':<9}{_shown(whose)}: {_shown(what)}")
    if finding.count > len(finding.examples):
        print(f"{'':11}and {finding.count - len(finding.examples):,} more")


def _shown(text: str) -> str:
    """Without what a terminal would act on."""
    plain = "".join(char if char.isprintable() else "�" for char in text)
    return plain if len(plain) <= 2 * WIDTH else f"{plain[: 2 * WIDTH]}…"


def _with(total: str, parts: list[str]) -> str:
    return f"{total}: {', '.join(parts)}" if parts else total


def _many(count: int, word: str) -> str:
    return f"{count:,} {word}" if count == 1 else f"{count:,} {word}s"


def _size(count: int) -> str:
    size, units = float(count), ("bytes", "kB", "MB", "GB")
    for unit in units[:-1]:
        if size < 1_000:  # noqa: PLR2004
            return f"{size:.0f} {unit}" if unit == "bytes" else f"{size:.1f} {unit}"
        size /= 1_000
    return f"{size:.1f} {units[-1]}"


def _duration(ms: int) -> str:
    seconds = max(ms, 0) // 1_000
    for size, word in ((86_400, "day"), (3_600, "hour"), (60, "minute")):
        if seconds >= size:
            return _many(seconds // size, word)
    return _many(seconds, "second")
