"""`perdure events`: what happened, and whom it woke."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from perdure.answers.triggers import event_answer, seen_answer, sent_answer
from perdure.cli.engines import looking
from perdure.cli.files import given_input
from perdure.cli.groups import group
from perdure.cli.hints import hint
from perdure.cli.options import AsJson, AsOperator, Cursor, Limit, Organization
from perdure.cli.pages import tell_page
from perdure.cli.saying import print_json, refusal
from perdure.cli.tables import fields, table
from perdure.cli.where import HERE, Where
from perdure.cli.wording import as_text, printable
from perdure.model.records import EventRecord
from perdure.service.engine import Engine
from perdure.service.events import Seen, Sent
from perdure.service.paging import Page
from perdure.service.times import local_time
from perdure.store.happened import EVENT_ITSELF, Happened

EVENTS = group("events", "Send events, list them, see whom one of them woke, and route declined ones again.")

_ROUTED = {"routed": "yes", "unrouted": "not yet", "declined": "declined"}
_HOW = {"started": "was started by it", "woken": "has taken it", "told": "has it in its inbox"}


@EVENTS.command(name="send")
def send(
    what: Annotated[
        str, Parameter(name="TYPE|JSON|@FILE", help="the type of an event; or one event, or a list of them")
    ],
    /,
    *,
    payload: Annotated[
        str | None,
        Parameter(metavar="JSON|@FILE", allow_leading_hyphen=True, help="what it brings, to an event by its type"),
    ] = None,
    id: Annotated[str | None, Parameter(help="the same id twice is one event (default: a new one)")] = None,
    source: Annotated[str | None, Parameter(help="who says so")] = None,
    correlation_id: Annotated[str | None, Parameter(help="what it belongs to")] = None,
    as_: AsOperator = None,
    organization: Organization = "default",
    where: Where = HERE,
    json: AsJson = False,
) -> int:
    """Tell whoever waits for such an event, or is started or cancelled by it. It may be a CloudEvent.

    Example: perdure events send order.paid --payload '{"orderId": 17}' --db sqlite:///flows.db
    """
    more = {"--payload": payload, "--id": id, "--source": source, "--correlation-id": correlation_id}
    if what.lstrip().startswith(("{", "[", "@")):
        said = [name for name, value in more.items() if value is not None]
        if said:
            belongs = (
                f"{' and '.join(said)} can only be said of an event by its type, as order.paid; write it into the JSON"
            )
            raise refusal("invalid_option", belongs)
        given = given_input(what, "the event", example='{"type": "order.paid"}')
        is_list, events = isinstance(given, list), given if isinstance(given, list) else [given]
    else:
        is_list = False
        event = {"type": what, "payload": given_input(payload, "--payload")}
        named = {"id": id, "source": source, "correlationId": correlation_id}
        events = [event | {name: value for name, value in named.items() if value is not None}]

    async def tell(engine: Engine) -> tuple[list[Sent], Seen | None]:
        sent = await engine.events.send_all(events, organization=organization, actor=as_)
        return sent, None if json or not sent else await engine.events.get(sent[-1].id, organization=organization)

    sent, last = looking(where, tell)
    if json:
        items = [sent_answer(each) for each in sent]
        print_json({"items": items} if is_list else items[0])
        return 0
    for each in sent:
        print(printable(_kept(each)))
    if last is not None:
        show_it = hint("events", "show", last.event.id, where=where, organization=organization)
        print(_whom(last, f"a worker takes it to whom it concerns, {hint('worker', where=where)}", show_it))
    return 0


def _other(sent: Sent) -> dict[str, bool]:
    return {"differs": True} if sent.differs else {}


def _kept(sent: Sent) -> str:
    if sent.created:
        return f"{sent.id} is kept"
    if sent.differs:
        return (
            f"{sent.id} was there already, and says something else; what was sent now is not kept: give it another id"
        )
    return f"{sent.id} was there already, and is not sent again"


def _whom(seen: Seen, unrouted: str, show_it: str) -> str:
    if not seen.routed:
        return f"{unrouted}; {show_it} tells whom"
    if not seen.woken and not seen.declined:  # what it starts may be on its way
        return f"so far nobody is known to wait for it or to be started by it; {show_it} tells if there is"
    return f"it has been taken to whom it concerns; {show_it} tells whom"


@EVENTS.command(name="list")
def list_(
    *,
    type: Annotated[str | None, Parameter(metavar="PATTERN", help="only those: order.paid, order.*, **")] = None,
    limit: Limit = 50,
    cursor: Cursor = None,
    organization: Organization = "default",
    where: Where = HERE,
    json: AsJson = False,
) -> int:
    """The events that are kept, the newest first; also what executions tell of themselves.

    Example: perdure events list --type 'order.*' --db sqlite:///flows.db
    """

    async def ask(engine: Engine) -> Page[Happened]:
        return await engine.events.list(organization=organization, type=type, limit=limit, cursor=cursor)

    empty = "there are no such events" if type is not None else "there are no events"
    headings = ("ID", "TYPE", "CAME", "ROUTED", "SOURCE")
    return tell_page(looking(where, ask), headings, _row, event_answer, empty=empty, as_json=json)


@EVENTS.command(name="show")
def show(
    event: Annotated[str, Parameter(name="ID", help="the event")],
    /,
    *,
    organization: Organization = "default",
    where: Where = HERE,
    json: AsJson = False,
) -> int:
    """One event: what it says, and whom it woke.

    Example: perdure events show ID --db sqlite:///flows.db
    """

    async def ask(engine: Engine) -> Seen:
        return await engine.events.get(event, organization=organization)

    seen = looking(where, ask)
    if json:
        print_json(seen_answer(seen))
        return 0
    print(fields(_told(seen.event)))
    if seen.reason is not None:
        print(f"\ndeclined: {printable(seen.reason)}")
        print(
            f"correct the cause, then {hint('events', 'reroute', seen.event.id, where=where, organization=organization)}"
        )
    elif not seen.routed:
        print(f"\nit is not routed yet: a worker does that, {hint('worker', where=where)}")
    elif not seen.woken and not seen.declined:
        print("\nit concerned nobody")
    if seen.woken:
        print(
            "\n"
            + table(("EXECUTION", "IS", "HOW"), [(each.execution, each.status, _HOW[each.how]) for each in seen.woken])
        )
    if seen.more:
        print("and others")
    for workflow, why in seen.declined:
        if workflow != EVENT_ITSELF:
            print(printable(f"workflow {workflow} was not started: {why}"))
    return 0


@EVENTS.command(name="reroute")
def reroute(
    event: Annotated[str, Parameter(name="ID", help="the event")],
    /,
    *,
    as_: AsOperator = None,
    organization: Organization = "default",
    where: Where = HERE,
    json: AsJson = False,
) -> int:
    """Route a declined event again, once what kept it from being routed is corrected.

    Example: perdure events reroute ID --db sqlite:///flows.db
    """

    async def ask(engine: Engine) -> Seen:
        return await engine.events.reroute(event, organization=organization, actor=as_)

    seen = looking(where, ask)
    if json:
        print_json(seen_answer(seen))
        return 0
    show_it = hint("events", "show", seen.event.id, where=where, organization=organization)
    print(printable(f"{seen.event.id} is routed again by the next free worker; {show_it} shows the result"))
    return 0


def _row(each: Happened) -> tuple[str, ...]:
    event = each.event
    return (event.id, event.type, local_time(event.at), _ROUTED[each.state], event.source)


def _told(event: EventRecord) -> list[tuple[str, str]]:
    shown = [("id", event.id), ("type", event.type), ("came", local_time(event.at)), ("source", event.source)]
    said = [("payload", as_text(event.data)), ("metadata", as_text(event.metadata))]
    return [*shown, ("correlation id", event.correlation_id or ""), *said]
