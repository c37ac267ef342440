"""`perdure connections`: servers of MCP whose tools steps call."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from cyclopts import Parameter

from perdure.answers.organizations import connection_answer, tools_answer
from perdure.cli.connecting import read_connections, said_if_it_takes_long
from perdure.cli.engines import keeping, looking
from perdure.cli.groups import group
from perdure.cli.hints import hint
from perdure.cli.options import AsEditor, AsJson, ConnectionsFile, Organization
from perdure.cli.pages import tell_page, tell_removed
from perdure.cli.saying import print_json, refusal
from perdure.cli.secrets import NO_KEYS
from perdure.cli.tables import table
from perdure.cli.where import HERE, Where
from perdure.cli.wording import shown
from perdure.service.connections import GONE, Connected, Listed, Offered
from perdure.service.engine import Engine
from perdure.service.paging import Page
from perdure.service.times import local_time
from perdure.tasks.mcp.tools import SHORT

CONNECTIONS = group("connections", "Connect to servers of MCP, see their tools, accept changes of them.")

_Name = Annotated[str, Parameter(name="NAME", help="the connection")]
_DESCRIPTION_MAX = 60


@CONNECTIONS.command(name="add")
def add(
    name: Annotated[str, Parameter(name="NAME", help="what steps call it by, as connectionId")],
    url: Annotated[str, Parameter(name="URL", help="where the server speaks streamable HTTP, https://…/mcp")],
    /,
    *,
    header: Annotated[
        tuple[str, ...],
        Parameter(
            metavar="NAME=VALUE",
            help="a header of every request; a secret is written {{secrets.NAME}}; repeatable",
        ),
    ] = (),
    as_: AsEditor = None,
    organization: Organization = "default",
    where: Where = HERE,
    json: AsJson = False,
) -> int:
    """Connect an organization to a server. Every worker can call it from now on.

    Programs that are servers are given to a worker by its operator, with --connections FILE.

    Example: perdure connections add crm https://crm.example.com/mcp --header 'Authorization=Bearer {{secrets.CRM_TOKEN}}'
    """
    headers = dict(_header(each) for each in header)

    async def make(engine: Engine) -> Connected:
        return await engine.connections.add(name, url, headers=headers, organization=organization, actor=as_)

    made = keeping(where, make, secret_keys=NO_KEYS)
    if json:
        print_json(connection_answer(made))
        return 0
    print(f"{made.name} is connected to {shown(made.place)}")
    for secret in made.secrets:
        print(f"it needs the secret {secret}: {hint('secrets', 'set', secret, where=where, organization=organization)}")
    print(f"{hint('connections', 'tools', made.name, where=where, organization=organization)} asks it for its tools")
    return 0


@CONNECTIONS.command(name="list")
def list_(
    *,
    connections: ConnectionsFile = None,
    organization: Organization = "default",
    where: Where = HERE,
    json: AsJson = False,
) -> int:
    """The connections of an organization; with --connections also those that an operator gives to workers.

    Example: perdure connections list --db sqlite:///flows.db
    """
    operators = read_connections(connections)

    async def ask(engine: Engine) -> tuple[Connected, ...]:
        return await engine.connections.list(organization=organization)

    page = Page(looking(where, ask, secret_keys=NO_KEYS, connections=operators))  # there are few
    headings = ("NAME", "OF", "KIND", "WHERE", "TOOLS", "SECRETS", "SINCE", "BY")
    return tell_page(page, headings, _row, connection_answer, empty="there are no connections", as_json=json)


@CONNECTIONS.command(name="tools")
def tools(
    name: _Name,
    /,
    *,
    refresh: Annotated[bool, Parameter(help="ask the server anew, and see what has changed")] = False,
    accept: Annotated[
        tuple[str, ...],
        Parameter(metavar="TOOL=HASH", help="accept a tool that has changed, by the hash that was shown; repeatable"),
    ] = (),
    connections: ConnectionsFile = None,
    as_: AsEditor = None,
    organization: Organization = "default",
    where: Where = HERE,
    json: AsJson = False,
) -> int:
    """The tools of a connection, as they were accepted; the server is asked the first time.

    A tool that its server offers otherwise than it was accepted is changed: calls of it fail until somebody has accepted that.

    Example: perdure connections tools crm --refresh --db sqlite:///flows.db
    """
    operators = read_connections(connections)
    chosen = dict(_accepted(each) for each in accept)

    async def ask(engine: Engine) -> Listed:
        with said_if_it_takes_long([name], quiet=json):
            return await engine.connections.tools(
                name, refresh=refresh, accept=chosen, organization=organization, actor=as_
            )

    listed = keeping(where, ask, connections=operators)
    if json:
        print_json(tools_answer(listed))
        return 0
    rows = [_tool(each) for each in listed.tools]
    print(table(("TOOL", "HASH", "", "DESCRIPTION"), rows) if rows else f"{name} has no tools")
    for each in listed.taken:
        _print_change(each, "was {}, and is accepted as {}:")
    for each in listed.tools:
        _print_change(each, "was accepted as {}, and is offered as {}:")
    given = () if connections is None else ("--connections", connections)
    also = (*given, *(() if as_ is None else ("--as", as_)))
    changed = [f"--accept={each.name}={each.instead.hash}" for each in listed.tools if each.instead is not None]
    if changed:
        again = hint("connections", "tools", name, *changed, *also, where=where, organization=organization)
        print(f"what has changed is not called until somebody accepts it: {shown(again, len(again))}")
    for tool in listed.gone:
        forget = hint(
            "connections", "tools", name, f"--accept={tool}={GONE}", *also, where=where, organization=organization
        )
        print(
            f"{shown(tool)} is not offered any more, and is kept for when it comes back; {shown(forget, len(forget))} forgets it"
        )
    for use in listed.uses:
        what = f"another {use.tool.removeprefix(f'{name}/')} of {name}"
        print(f"{shown(use.name)}, version {use.version}, was saved with {what}: look at it, and save it again")
    return 0


@CONNECTIONS.command(name="remove")
def remove(
    name: _Name,
    /,
    *,
    as_: AsEditor = None,
    organization: Organization = "default",
    where: Where = HERE,
    json: AsJson = False,
) -> int:
    """Steps that call its tools wait from now on for somebody who has them.

    Example: perdure connections remove crm --db sqlite:///flows.db
    """

    async def forget(engine: Engine) -> None:
        await engine.connections.remove(name, organization=organization, actor=as_)

    looking(where, forget, secret_keys=NO_KEYS)
    return tell_removed(name, "is removed", as_json=json, named="name")


def _header(given: str) -> tuple[str, str]:
    name, equals, value = given.partition("=")
    if not equals or not name.strip():
        message = f"--header {given!r} is not NAME=VALUE, as in --header 'Authorization=Bearer {{{{secrets.TOKEN}}}}'"
        raise refusal("invalid_option", message)
    return name.strip(), value.strip()


def _accepted(given: str) -> tuple[str, str]:
    tool, equals, hash_ = given.rpartition("=")
    if not equals or not tool or not hash_:
        message = f"--accept {given!r} is not TOOL=HASH, with the hash that `perdure connections tools NAME` tells"
        raise refusal("invalid_option", message)
    return tool, hash_


def _row(each: Connected) -> tuple[str, ...]:
    since = "" if each.changed_at is None else local_time(each.changed_at)
    known = "not asked yet" if each.tools is None else str(each.tools)
    return (
        each.name,
        each.of,
        each.kind,
        shown(each.place),
        known,
        ", ".join(each.secrets),
        since,
        each.changed_by or "",
    )


def _tool(each: Offered) -> tuple[str, ...]:
    words = " ".join(each.description.split())
    short = words if len(words) <= _DESCRIPTION_MAX else f"{words[: _DESCRIPTION_MAX - 1]}…"
    return (shown(each.name), each.hash[:SHORT], "changed" if each.changed else "", shown(short))


def _print_change(each: Offered, wording: str) -> None:
    """All of what the server says instead: what is meant for a model to read may stand at its end."""
    if each.instead is None:
        return
    print(f"\n{shown(each.name)} {wording.format(each.hash[:SHORT], each.instead.hash[:SHORT])}")
    parts = (("description", "description"), ("input", "takes"), ("output", "answers with"))
    for part, called in parts:
        before, now = getattr(each, part), getattr(each.instead, part)
        if before != now:
            print(f"  {called:<12}  - {_whole(before)}\n{'':14}  + {_whole(now)}")


def _whole(value: Any) -> str:
    text = value if isinstance(value, str) else msgspec.json.encode(value).decode()
    return shown(text, max(len(text), 1))
