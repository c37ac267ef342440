"""`perdure webhooks`: URLs by which others start workflows."""

from __future__ import annotations

import sys
from typing import Annotated, Literal

from cyclopts import Parameter

from perdure.answers.triggers import issued_answer, received_answer, webhook_answer
from perdure.cli.engines import by_name, looking
from perdure.cli.files import read_bytes
from perdure.cli.groups import group
from perdure.cli.hints import hint
from perdure.cli.options import AsEditor, AsJson, Organization
from perdure.cli.pages import tell_page, tell_removed
from perdure.cli.saying import print_json, refusal
from perdure.cli.secrets import NO_KEYS
from perdure.cli.typed import secret_text
from perdure.cli.where import HERE, Where
from perdure.cli.wording import printable
from perdure.service.engine import Engine
from perdure.service.hooks import Issued, Webhook
from perdure.service.paging import Page
from perdure.service.receiving import BODY_BYTES_MAX, Received
from perdure.service.signatures import SchemeName
from perdure.service.times import local_time
from perdure.service.webhooks import KEEP_HOURS_MAX

WEBHOOKS = group("webhooks", "Make URLs by which others start workflows; list, change and remove them, and try one.")

_Id = Annotated[str, Parameter(name="ID", help="the webhook, as `webhooks list` tells it")]
_SecretFrom = Annotated[
    str | None,
    Parameter(
        name="--secret-from",
        metavar="FILE|-",
        allow_leading_hyphen=True,
        help="the signing secret that the sender gave (default: one is made)",
    ),
]


@WEBHOOKS.command(name="create")
def create(
    workflow: Annotated[str, Parameter(name="WORKFLOW", help="which is started, by its id or its name")],
    /,
    *,
    node: Annotated[str | None, Parameter(help="which of its nodes that webhooks start, if there are several")] = None,
    signed: Annotated[
        SchemeName | None, Parameter(help="requests have to be signed: standard, github, stripe or slack")
    ] = None,
    secret_from: _SecretFrom = None,
    as_: AsEditor = None,
    organization: Organization = "default",
    where: Where = HERE,
    json: AsJson = False,
) -> int:
    """Make a webhook. Its token, and the signing secret that is made for it, are shown this once.

    Example: perdure webhooks create order --signed standard --db sqlite:///flows.db
    """
    secret = None if secret_from is None else secret_text(secret_from, "the signing secret")

    async def make(engine: Engine) -> Issued:
        return await engine.webhooks.create(
            workflow, node=node, scheme=signed, signing_secret=secret, organization=organization, actor=as_
        )

    issued = looking(where, by_name(workflow, organization, make))
    _tell_issued(issued, json=json)
    if issued.webhook.node is None and not json:
        print(printable(f"{workflow} says nothing of webhooks, and begins where it begins when it is started by hand"))
    return 0


@WEBHOOKS.command(name="list")
def list_(
    *,
    workflow: Annotated[str | None, Parameter(help="only those of this workflow")] = None,
    organization: Organization = "default",
    where: Where = HERE,
    json: AsJson = False,
) -> int:
    """The webhooks, the newest first. Tokens and signing secrets are not shown.

    Example: perdure webhooks list --db sqlite:///flows.db
    """

    async def ask(engine: Engine) -> tuple[Webhook, ...]:
        return await engine.webhooks.list(organization=organization, workflow=workflow)

    page = Page(looking(where, ask, secret_keys=NO_KEYS))  # there are few
    headings = ("ID", "WORKFLOW", "NODE", "SIGNED", "TOKENS", "MADE", "BY")
    return tell_page(page, headings, _row, webhook_answer, empty="there are no webhooks", as_json=json)


@WEBHOOKS.command(name="rotate")
def rotate(
    webhook: _Id,
    /,
    *,
    what: Annotated[
        Literal["token", "signing"], Parameter(help="what is replaced: token (default) or signing")
    ] = "token",
    secret_from: _SecretFrom = None,
    keep_hours: Annotated[
        float, Parameter(metavar="HOURS", help="so long the one of before counts as well (default: 24)")
    ] = 24.0,
    as_: AsEditor = None,
    organization: Organization = "default",
    where: Where = HERE,
    json: AsJson = False,
) -> int:
    """Give a webhook another token, or another signing secret, which is shown this once.

    Example: perdure webhooks rotate wh_0123456789abcdef --what signing --db sqlite:///flows.db
    """
    if not 0 <= keep_hours <= KEEP_HOURS_MAX:
        bounds = f"from 0, which ends it at once, to {KEEP_HOURS_MAX:,}, a year"
        raise refusal("invalid_option", f"--keep-hours {keep_hours:g} is no number of hours {bounds}")
    secret = None if secret_from is None else secret_text(secret_from, "the signing secret")

    async def change(engine: Engine) -> Issued:
        return await engine.webhooks.rotate(
            webhook, what, signing_secret=secret, keep_hours=keep_hours, organization=organization, actor=as_
        )

    _tell_issued(looking(where, change), json=json)
    return 0


@WEBHOOKS.command(name="remove")
def remove(
    webhook: _Id,
    /,
    *,
    as_: AsEditor = None,
    organization: Organization = "default",
    where: Where = HERE,
    json: AsJson = False,
) -> int:
    """Requests to it are refused from now on.

    Example: perdure webhooks remove wh_0123456789abcdef --db sqlite:///flows.db
    """

    async def forget(engine: Engine) -> None:
        await engine.webhooks.remove(webhook, organization=organization, actor=as_)

    looking(where, forget, secret_keys=NO_KEYS)
    return tell_removed(webhook, "is removed", as_json=json)


@WEBHOOKS.command(name="send")
def send(
    body: Annotated[
        str, Parameter(name="FILE|-", allow_leading_hyphen=True, help="the body of the request; - reads stdin")
    ],
    /,
    *,
    token_from: Annotated[
        str, Parameter(name="--token-from", metavar="FILE", help="a file that has the token, as it was shown")
    ],
    header: Annotated[
        tuple[str, ...], Parameter(metavar="NAME: VALUE", help="a header of the request; repeatable")
    ] = (),
    method: Annotated[str, Parameter(help="as HTTP has it (default: POST)")] = "POST",
    query: Annotated[str, Parameter(metavar="A=1&B=2", help="what would stand after the ? of the URL")] = "",
    sign: Annotated[bool, Parameter(help="sign it with the secret of the webhook, as a sender would")] = False,
    where: Where = HERE,
    json: AsJson = False,
) -> int:
    """Take a file as if it came by HTTP, to try a webhook out: the same checks, the same start.

    Example: perdure webhooks send order.json --token-from token.txt --sign --db sqlite:///flows.db
    """
    data = sys.stdin.buffer.read(BODY_BYTES_MAX + 1) if body == "-" else read_bytes(body)
    token = secret_text(token_from, "the token").strip()
    headers = [_header(each) for each in header]

    async def take(engine: Engine) -> Received:
        own = (await engine.webhooks.signed(token, data)).items() if sign else ()
        return await engine.webhooks.receive(token, [*headers, *own], data, method=method, query=query)

    taken = looking(where, take)
    if json:
        print_json(received_answer(taken))
    else:
        other = ", with another body; this one is not kept" if taken.differs else ""
        had_been = f"{taken.execution} had been started by this delivery{other}"
        print(f"{taken.execution} is started" if taken.created else had_been)
        print(f"{hint('executions', 'show', taken.execution, where=where)} tells how it stands")
    return 0


def _header(given: str) -> tuple[str, str]:
    name, colon, value = given.partition(":")
    if not colon or not name.strip():
        raise refusal(
            "invalid_option", f"--header {given!r} is not NAME: VALUE, as in --header 'content-type: text/plain'"
        )
    return name.strip(), value.strip()


def _tell_issued(issued: Issued, *, json: bool) -> None:
    webhook = issued.webhook
    if json:
        print_json(issued_answer(issued))
        return
    unsigned = "" if webhook.signed else "; requests are not signed: whoever has the token can start it"
    print(printable(f"{webhook.id} starts {webhook.name or webhook.workflow}{unsigned}"))
    if issued.token is not None:
        print(f"token           {issued.token}\npath            /hooks/{issued.token}")
    if issued.signing_secret is not None:
        print(f"signing secret  {issued.signing_secret}")
    print("this is shown once; keep it where the sender has it")


def _row(each: Webhook) -> tuple[str, ...]:
    signed, made = each.scheme or "not signed", local_time(each.created_at)
    return (each.id, each.name or each.workflow, each.node or "", signed, str(each.tokens), made, each.created_by)
