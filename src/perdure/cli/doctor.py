"""`perdure doctor`: whether a database keeps what is promised, in plain words."""

from __future__ import annotations

import textwrap
from typing import Annotated, Any

import msgspec
from cyclopts import Parameter

from perdure.cli.database import chosen, sqlite_path
from perdure.cli.options import AsJson, DatabaseUrl
from perdure.cli.saying import print_json
from perdure.cli.wording import WIDTH, duration, many, shown, size
from perdure.clock import now_ms
from perdure.hosts.stores import with_its_driver
from perdure.store.postgres.urls import is_postgres
from perdure.store.sql.doctor import Counts, Finding, Report
from perdure.store.sqlite.doctor import examine

HEALTHY, FOUND = 0, 1
_STATUSES = ("pending", "running", "waiting", "completed", "failed", "cancelled")


def doctor_command(
    *,
    db: DatabaseUrl = None,
    quick: Annotated[bool, Parameter(help="do not make the states anew from their histories")] = False,
    json: AsJson = False,
) -> int:
    """Looks whether a database keeps what is promised, and says what to do where it does not.

    It only reads, and sees one moment, whoever works on the database beside it.

    Exit status: 0 healthy (something may need attention), 1 something is broken, 2 it could not be examined.
    """
    now = now_ms()
    report = _examined(chosen(db), now, quick=quick)
    if json:
        print_json(_as_json(report))
    else:
        _print(report, now, quick=quick)
    return FOUND if report.broken else HEALTHY


def _examined(url: str, now: int, *, quick: bool) -> Report:
    if not is_postgres(url):
        return examine(sqlite_path(url), now=now, quick=quick)
    with with_its_driver():
        from perdure.store.postgres.doctor import examine as examine_postgres  # noqa: PLC0415
    return examine_postgres(url, quick=quick)


def _as_json(report: Report) -> Any:
    counts = report.counts
    return {
        "healthy": not report.broken,
        "database": report.database,
        "counts": None if counts is None else {"executions": counts.executions, **msgspec.to_builtins(counts)},
        "integrityCheck": None if report.checked is None else msgspec.to_builtins(report.checked),
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
        for name, value in (*_lines(report.counts, now, quick=quick), *_checked(report, now)):
            print(f"  {name:<12}{value}")
    else:
        print("  Nothing else was asked: a damaged database gives no answers to rely on.")
    for title, findings in (("Broken", report.broken), ("Needs attention", report.attention)):
        for finding in findings:
            print()
            _print_finding(title, finding)


def _verdict(report: Report) -> str:
    if report.broken:
        return f"{report.database}: not healthy. {many(len(report.broken), 'check')} failed."
    if report.attention:
        return f"{report.database}: healthy. {many(len(report.attention), 'thing')} to look at."
    return f"{report.database}: healthy."


def _lines(counts: Counts, now: int, *, quick: bool) -> list[tuple[str, str]]:
    stand = [f"{counts.statuses[status]:,} {status}" for status in _STATUSES if status in counts.statuses]
    others = [f"{count:,} {status!r}" for status, count in counts.statuses.items() if status not in _STATUSES]
    folded = (
        "not compared with their histories (--quick)" if quick else f"{counts.folded:,} compared with their histories"
    )
    ahead = "" if counts.log_bytes is None else f", and {size(counts.log_bytes)} in the write-ahead log"
    since = "" if counts.unrouted_since is None else f", the oldest for {duration(now - counts.unrouted_since)}"
    return [
        ("executions", _with(f"{counts.executions:,}", [*stand, *others])),
        ("live", f"{counts.live:,}, {folded}"),
        ("parked", f"{counts.parked:,}"),
        (
            "workers",
            f"{counts.workers_alive:,} alive, {counts.workers_dead:,} dead with executions; {counts.owned:,} owned",
        ),
        ("unrouted", f"{many(counts.unrouted, 'event')}{since}"),
        ("size", f"{size(counts.database_bytes)}{ahead}"),
    ]


def _checked(report: Report, now: int) -> list[tuple[str, str]]:
    checked = report.checked
    if checked is None:
        return []
    result = f"{many(len(checked.problems), 'problem')} found" if checked.problems else "no damage found"
    partial = f"; indexes not checked: {', '.join(checked.partial)}" if checked.partial else ""
    return [("checked", f"in the background, {duration(max(now - checked.at, 0))} ago: {result}{partial}")]


def _print_finding(title: str, finding: Finding) -> None:
    complaint = finding.complaint
    print(f"{title} ({finding.count:,}): {complaint.says}  [{complaint.check}]")
    for label, text in (("promise", complaint.invariant), ("means", complaint.means), ("do", complaint.do)):
        print(textwrap.fill(text, WIDTH, initial_indent=f"  {label:<9}", subsequent_indent=" " * 11))
    for number, (whose, what) in enumerate(finding.examples):
        print(f"  {'where' if number == 0 else '':<9}{shown(whose)}: {shown(what)}")
    if finding.count > len(finding.examples):
        print(f"{'':11}and {finding.count - len(finding.examples):,} more")


def _with(total: str, parts: list[str]) -> str:
    return f"{total}: {', '.join(parts)}" if parts else total
