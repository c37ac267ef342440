"""`perdure sessions`: who has signed in with a browser."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from perdure.answers.sessions import session_answer
from perdure.cli.engines import looking
from perdure.cli.groups import group
from perdure.cli.options import AsJson, Organization
from perdure.cli.pages import tell_page, tell_removed
from perdure.cli.where import HERE, Where
from perdure.service.engine import Engine
from perdure.service.paging import Page
from perdure.service.sessions import Session
from perdure.service.times import local_time

SESSIONS = group("sessions", "Who has signed in with a browser: listed, ended.")
As = Annotated[str | None, Parameter(name="--as", metavar="MEMBER", help="who acts: an admin (default: the program)")]


@SESSIONS.command(name="list")
def list_(*, organization: Organization = "default", where: Where = HERE, json: AsJson = False) -> int:
    """The sessions of an organization that are not over.

    Example: perdure sessions list --db sqlite:///flows.db
    """

    async def ask(engine: Engine) -> Page[Session]:
        return await engine.sessions.list(organization=organization)

    headings = ("ID", "MEMBER", "BEGUN", "UNTIL", "BY")
    return tell_page(looking(where, ask), headings, _row, session_answer, empty="nobody is signed in", as_json=json)


@SESSIONS.command
def end(
    session: Annotated[str, Parameter(name="ID", help="the session, as `sessions list` calls it")],
    /,
    *,
    as_: As = None,
    organization: Organization = "default",
    where: Where = HERE,
    json: AsJson = False,
) -> int:
    """Whoever has it has to sign in again; servers that run know it within a second.

    Example: perdure sessions end ID --db sqlite:///flows.db
    """

    async def tell(engine: Engine) -> None:
        await engine.sessions.end(session, organization=organization, actor=as_)

    looking(where, tell)
    return tell_removed(session, "is over", as_json=json)


def _row(each: Session) -> tuple[str, ...]:
    begun_by = each.issuer or f"key {each.key}"
    return (each.id, each.member, local_time(each.created_at), local_time(each.expires_at), begun_by)
