"""`perdure notifiers`: how people are told of approvals."""

from __future__ import annotations

from ipaddress import ip_address
from typing import Annotated, Literal
from urllib.parse import urlsplit

from cyclopts import Parameter

from perdure.answers.organizations import notifier_answer
from perdure.cli.engines import keeping, looking
from perdure.cli.groups import group
from perdure.cli.options import AsJson, Organization
from perdure.cli.pages import tell_page, tell_removed
from perdure.cli.saying import print_json
from perdure.cli.where import HERE, Where
from perdure.service.engine import Engine
from perdure.service.notifiers import DEFAULT_TOPICS, Notifier
from perdure.service.paging import Page
from perdure.tasks.addresses import ALLOW, refusal_of

NOTIFIERS = group("notifiers", "How people are told of approvals: the log, webhooks, e-mail.")

NotifierId = Annotated[str, Parameter(name="ID", help="what it is called")]
As = Annotated[str | None, Parameter(name="--as", metavar="MEMBER", help="who acts: an admin (default: the program)")]


@NOTIFIERS.command(name="list")
def list_(*, organization: Organization = "default", where: Where = HERE, json: AsJson = False) -> int:
    """The notifiers of an organization.

    Example: perdure notifiers list --db sqlite:///flows.db
    """

    async def ask(engine: Engine) -> tuple[Notifier, ...]:
        return await engine.notifiers.list(organization=organization)

    page = Page(tuple(looking(where, ask)))  # there are few
    empty = "there are no notifiers; nobody is told of approvals"
    return tell_page(page, ("ID", "KIND", "TELLS OF", "WHERE"), _row, notifier_answer, empty=empty, as_json=json)


@NOTIFIERS.command(name="add")
def add(
    notifier: NotifierId,
    kind: Annotated[Literal["log", "webhook", "email"], Parameter(name="KIND", help="log, webhook or email")],
    /,
    *,
    on: Annotated[
        tuple[str, ...],
        Parameter(
            metavar="TOPIC", help="opened, overdue, escalated, decided; repeatable (default: opened and escalated)"
        ),
    ] = DEFAULT_TOPICS,
    url: Annotated[str | None, Parameter(metavar="URL", help="what a webhook calls")] = None,
    signing_secret: Annotated[
        str | None,
        Parameter(
            metavar="env:NAME|secret:NAME",
            help="where to find what it is signed with: env:PERDURE_NOTIFIER_… in the environment of the workers",
        ),
    ] = None,
    to: Annotated[
        tuple[str, ...], Parameter(metavar="ADDRESS", help="to whom; repeatable (default: who is asked)")
    ] = (),
    as_: As = None,
    organization: Organization = "default",
    where: Where = HERE,
    json: AsJson = False,
) -> int:
    """Tell people of approvals from now on.

    Example: perdure notifiers add desk webhook --url https://desk.example.com/hook --db sqlite:///flows.db
    """

    async def tell(engine: Engine) -> Notifier:
        return await engine.notifiers.add(
            notifier,
            kind,
            on=on,
            url=url,
            signing_secret=signing_secret,
            to=to,
            organization=organization,
            actor=as_,
        )

    added = keeping(where, tell)
    if json:
        print_json(notifier_answer(added))
    else:
        print(f"{added.id} tells of approvals that are {', '.join(added.on)}: {_where(added)}")
        if added.url is not None and (inside := _inside(added.url)) is not None:
            print(f"that is no public address: it is called where {ALLOW} of the worker has {inside}")
    return 0


@NOTIFIERS.command(name="remove")
def remove(
    notifier: NotifierId,
    /,
    *,
    as_: As = None,
    organization: Organization = "default",
    where: Where = HERE,
    json: AsJson = False,
) -> int:
    """Tell nobody any more by this one.

    Example: perdure notifiers remove desk --db sqlite:///flows.db
    """

    async def tell(engine: Engine) -> None:
        await engine.notifiers.remove(notifier, organization=organization, actor=as_)

    looking(where, tell)
    return tell_removed(notifier, "is gone", as_json=json)


def _row(each: Notifier) -> tuple[str, ...]:
    return (each.id, each.kind, ", ".join(each.on), _where(each))


def _where(notifier: Notifier) -> str:
    match notifier.kind:
        case "log":
            return "the log of the worker"
        case "webhook":
            return f"{notifier.url}, {'signed' if notifier.signing_secret else 'not signed'}"
        case "email":
            return ", ".join(notifier.to) or "e-mail to whoever is asked"


def _inside(url: str) -> str | None:
    """The host as the operator has to allow it, if it can be seen that nobody may call it otherwise: workers resolve names."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    try:
        is_inside = host == "localhost" or refusal_of(ip_address(host)) is not None
    except ValueError:
        return None
    port = parts.port or (443 if parts.scheme == "https" else 80)
    return f"{f'[{host}]' if ':' in host else host}:{port}" if is_inside else None
