"""`perdure bulk cancel|retry|rerun`: the same for many executions. First it says how many it would be."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Final, Literal

from cyclopts import Parameter

from perdure.answers.bulk import done_answer, preview_answer
from perdure.cli.engines import looking
from perdure.cli.groups import group
from perdure.cli.hints import hint
from perdure.cli.instants import instant
from perdure.cli.options import AsJson, AsOperator, Organization
from perdure.cli.saying import print_json, refusal
from perdure.cli.tables import table
from perdure.cli.where import HERE, Where
from perdure.cli.wording import printable
from perdure.model.records import ExecutionRecord
from perdure.service.bulk import COUNT_MAX, Action, Chosen, Done, Preview
from perdure.service.engine import Engine
from perdure.service.times import local_time

BULK = group("bulk", "Cancel, retry or run again all executions that fit.")
PAGE: Final = 100
NOT_ALL: Final = 1
"""The exit status, if it could not be done to some of them."""

_DONE: Final[dict[Action, str]] = {"cancel": "cancelled", "retry": "retried", "rerun": "run again"}


@Parameter(name="*")
@dataclass(frozen=True)
class Which:
    """As it was typed."""

    status: Annotated[
        Literal["pending", "running", "waiting", "completed", "failed", "cancelled"] | None,
        Parameter(name="--status", help="only those"),
    ] = None
    workflow: Annotated[
        str | None, Parameter(name="--workflow", help="only those of this workflow, by its id or its name")
    ] = None
    correlation_id: Annotated[
        str | None, Parameter(name="--correlation-id", help="only those that belong together by this")
    ] = None
    parent: Annotated[str | None, Parameter(name="--parent", help="only those that this execution started")] = None
    started_after: Annotated[
        str | None,
        Parameter(name="--started-after", metavar="TIME", help="only those of then or later, 2026-11-16T09:30:00Z"),
    ] = None
    started_before: Annotated[
        str | None, Parameter(name="--started-before", metavar="TIME", help="only those of before then")
    ] = None
    all: Annotated[bool, Parameter(name="--all", help="all that there are, where nothing else says which")] = False

    def chosen(self) -> Chosen:
        """Raises `Refusal`: all are meant only by who says so."""
        found = Chosen(
            self.status,
            self.workflow,
            self.correlation_id,
            self.parent,
            instant(self.started_after, "--started-after"),
            instant(self.started_before, "--started-before"),
        )
        if (found == Chosen()) != self.all:
            both = "--all is for all that there are; leave it out, or all that says which"
            none = "which executions? say --workflow, --status, --started-before, …, or --all for all that there are"
            raise refusal("invalid_option", both if self.all else none)
        return found


@Parameter(name="*")
@dataclass(frozen=True)
class How:
    """Whether it is done."""

    dry_run: Annotated[bool, Parameter(name="--dry-run", help="only say how many it would be, and show some")] = False
    yes: Annotated[bool, Parameter(name="--yes", help="do it, without asking first")] = False


ALL_THAT_FIT: Final = Which()
ASKING: Final = How()


@BULK.command(name="cancel")
def cancel(
    *,
    which: Which = ALL_THAT_FIT,
    reason: Annotated[str, Parameter(metavar="TEXT", help="why, for whoever looks later")] = "cancelled",
    how: How = ASKING,
    as_: AsOperator = None,
    organization: Organization = "default",
    where: Where = HERE,
    json: AsJson = False,
) -> int:
    """Cancel all executions that fit and have not ended. It says how many, and asks first. Exit status 1: not all could be.

    Example: perdure bulk cancel --workflow refund --started-before 2026-11-01T00:00:00Z --dry-run --db sqlite:///flows.db
    """
    return _perform(_Wanted("cancel", which.chosen(), reason, as_, organization), how, where, as_json=json)


@BULK.command(name="retry")
def retry(
    *,
    which: Which = ALL_THAT_FIT,
    how: How = ASKING,
    as_: AsOperator = None,
    organization: Organization = "default",
    where: Where = HERE,
    json: AsJson = False,
) -> int:
    """Take up all executions again that fit and have failed, where they failed. It says how many, and asks first. Exit status 1:
    not all could be.

    Example: perdure bulk retry --workflow refund --yes --db sqlite:///flows.db
    """
    return _perform(_Wanted("retry", which.chosen(), "", as_, organization), how, where, as_json=json)


@BULK.command(name="rerun")
def rerun(
    *,
    which: Which = ALL_THAT_FIT,
    how: How = ASKING,
    as_: AsOperator = None,
    organization: Organization = "default",
    where: Where = HERE,
    json: AsJson = False,
) -> int:
    """Run all executions again that fit, each as a new one. It says how many, and asks first. Exit status 1: not all could be.

    Example: perdure bulk rerun --status failed --workflow refund --yes --db sqlite:///flows.db
    """
    return _perform(_Wanted("rerun", which.chosen(), "", as_, organization), how, where, as_json=json)


@dataclass(frozen=True)
class _Wanted:
    action: Action
    chosen: Chosen
    reason: str
    actor: str | None
    organization: str


def _perform(wanted: _Wanted, how: How, where: Where, *, as_json: bool) -> int:
    preview, names = looking(where, lambda engine: _seen(engine, wanted))
    if how.dry_run and as_json:
        print_json(preview_answer(preview, names))
        return 0
    if not as_json:
        _tell_preview(wanted, preview, names)
    if how.dry_run or (preview.matched == 0 and not as_json):
        return 0
    if preview.more:
        message = f"there are more than {COUNT_MAX:,}; do it to fewer at once, by --started-before or --workflow say"
        raise refusal("too_many", message)
    if not how.yes:
        _ask(_would(wanted, preview), as_json=as_json)
    done, noted = looking(where, lambda engine: _done(engine, wanted, preview.matched))
    if noted and not as_json:
        worker = hint("worker", "--until-idle", where=where)
        print(f"{noted:,} of them are noted, and no worker has taken them up yet; {worker} does it now")
    return _tell_done(wanted, done, as_json=as_json)


async def _seen(engine: Engine, wanted: _Wanted) -> tuple[Preview, dict[str, str]]:
    found = await engine.bulk.preview(wanted.action, wanted.chosen, organization=wanted.organization)
    return found, await engine.executions.names(found.examples)


async def _done(engine: Engine, wanted: _Wanted, matched: int) -> tuple[list[Done], int]:
    """Page by page, to the last; and of how many it is only noted: nobody works here."""
    found: list[Done] = []
    cursor: str | None = None
    while True:
        page = await engine.bulk.perform(
            wanted.action,
            wanted.chosen,
            matched=matched,
            limit=PAGE,
            cursor=cursor,
            organization=wanted.organization,
            actor=wanted.actor,
            reason=wanted.reason or "cancelled",
        )
        found += page.items
        cursor = page.next
        if cursor is None:
            break
    if wanted.action == "rerun":
        return found, 0
    left = await engine.bulk.preview(wanted.action, wanted.chosen, organization=wanted.organization)
    return found, left.matched


def _ask(would: str, *, as_json: bool) -> None:
    """Raises `Refusal`, unless somebody is there who says yes."""
    if as_json or not sys.stdin.isatty():
        raise refusal("not_confirmed", f"nothing is done: {would}; say --yes to do it, or --dry-run to look")
    print("do it? [y/N] ", end="", flush=True)
    if sys.stdin.readline().strip().lower() not in ("y", "yes"):
        raise refusal("not_confirmed", "nothing is done")


def _would(wanted: _Wanted, preview: Preview) -> str:
    many = f"{preview.matched:,} execution" + ("" if preview.matched == 1 else "s")
    return f"{'more than ' if preview.more else ''}{many} would be {_DONE[wanted.action]}"


def _tell_preview(wanted: _Wanted, preview: Preview, names: dict[str, str]) -> None:
    print(_would(wanted, preview))
    if preview.examples:
        print(table(("ID", "WORKFLOW", "STATUS", "STARTED"), [_row(each, names) for each in preview.examples]))
        rest = preview.matched - len(preview.examples)
        if rest > 0:
            print(f"and {rest:,} more")


def _row(record: ExecutionRecord, names: dict[str, str]) -> Sequence[str]:
    named = names.get(record.workflow, record.workflow)
    return (record.id, named, record.status, local_time(record.started_at))


def _tell_done(wanted: _Wanted, done: Sequence[Done], *, as_json: bool) -> int:
    failed = [each for each in done if not each.done]
    if as_json:
        print_json({"items": [done_answer(each) for each in done], "next": None})
    else:
        print(f"{len(done) - len(failed):,} {_DONE[wanted.action]}" + (f", {len(failed):,} not" if failed else ""))
        for each in failed:
            print(printable(f"{each.execution}: {each.error}"), file=sys.stderr)
    return NOT_ALL if failed else 0
