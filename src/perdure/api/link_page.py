"""The page of an approval link: what is asked, a form that decides it, and what came of it.

Rules: what others have written (titles, data, comments, names) is text wherever it stands; there is no script; whom the approval
is not for any more sees nothing of it, and of what is decided there is only what was decided, by whom and when.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, Final, assert_never

import msgspec
from msgspec import Struct

from perdure.api.html import Html, Inside, document, each_in, element, style, together
from perdure.api.link_style import CSS
from perdure.expressions.times import iso
from perdure.expressions.wording import escape_unprintable
from perdure.model.values import Json
from perdure.service.deciding import ApprovalItem, Vote
from perdure.service.links import Opened
from perdure.service.titles import message_of, title_of

DATA_MAX: Final = 20_000
"""So many characters of what is to be decided on are shown. What is longer cannot be changed here: a part would stand for all."""

COMMENTS_MAX: Final = 10_000
ROWS_MAX: Final = 40


class Typed(Struct, frozen=True):
    """What stands in the form that is shown again, and what is wrong with it."""

    comments: str = ""
    data: str | None = None
    wrong: str | None = None


NOTHING_TYPED: Final = Typed()


def opened_page(opened: Opened, typed: Typed = NOTHING_TYPED) -> bytes:
    """What the link leads to: a form, or why there is none."""
    if opened.hindrance is not None:
        return _told(opened)
    item = opened.item
    title = title_of(item)
    head = element(
        "header",
        element("p", f"{opened.workflow} asks for a decision", class_="soft small"),
        element("h1", title),
        _message(item),
    )
    return _page(title, head, _data(item), _facts(item), _votes(item), _form(opened, typed))


def unknown_page() -> bytes:
    """One and the same for whatever is no link, or not any more."""
    return _notice(
        "This link does not work",
        "wait",
        "It may have been cut off on its way, its time may be over, or what it was about is not there any more. "
        "Nothing has been decided by it.",
        "Ask whoever sent it to you for a new one.",
    )


def refused_page(what: str) -> bytes:
    """Something else is in the way."""
    return _notice("That did not work", "wait", what, "Nothing has been decided by it.")


def _message(item: ApprovalItem) -> Html | None:
    message = message_of(item)
    return None if message is None else element("p", message, class_="said")


def _facts(item: ApprovalItem) -> Html:
    about = f"{item.resource_type} {item.resource_id}" if item.resource_type else None
    rows = [
        _row("About", about),
        _row("Priority", None if item.priority == "medium" else item.priority),
        _row("Asked", _time(item.created_at)),
        _row("Due", _due(item)),
        _row("Started by", item.started_by),
        _row("Step", item.step_slug),
        _row("Execution", item.workflow_execution_id),
        _row("Votes", _count(item) if item.votes_required > 1 else None),
    ]
    return element("section", element("h2", "Details"), each_in("dl", rows))


def _due(item: ApprovalItem) -> Html | None:
    if item.due_date is None:
        return None
    return together(_time(item.due_date), " (overdue)" if item.overdue else None)


def _data(item: ApprovalItem) -> Html | None:
    data = item.submitted_data
    if data in (None, {}, []):
        return None
    heading = element("h2", "To be decided on")
    whole = written(data)
    if len(whole) > DATA_MAX:
        more = f"There is more of it than is shown here: {len(whole):,} characters in all."
        cut = together(element("pre", whole[:DATA_MAX] + "…"), element("p", more, class_="soft small"))
        return element("section", heading, cut)
    if isinstance(data, dict) and len(data) <= ROWS_MAX:
        return element("section", heading, each_in("dl", [_row(key, _value(value)) for key, value in data.items()]))
    return element("section", heading, element("pre", whole))


def _value(value: Json) -> Inside:
    match value:
        case str():
            return value
        case dict() | list():
            return element("pre", written(value))
        case _:
            return written(value)


def _votes(item: ApprovalItem) -> Html | None:
    said = [
        element("li", element("span", f"{vote.by}: {vote.decision}", class_="mark"), _more(vote)) for vote in item.votes
    ]
    if not said:
        return None
    return element("section", element("h2", "Votes so far"), element("ul", *said))


def _more(vote: Vote) -> Html:
    changed = None if vote.modified_data is None else element("pre", written(vote.modified_data)[:DATA_MAX])
    return together(None if not vote.comments else element("p", vote.comments, class_="said"), changed)


def _form(opened: Opened, typed: Typed) -> Html:
    item = opened.item
    named = opened.who if opened.who == opened.link.member else f"{opened.who} ({opened.link.member})"
    return element(
        "section",
        None if typed.wrong is None else element("p", typed.wrong, class_="wrong", role="alert"),
        element(
            "form",
            element("label", "Comment", for_="comments"),
            element(
                "textarea", together("\n", typed.comments), id="comments", name="comments", maxlength=str(COMMENTS_MAX)
            ),
            _change(item, typed),
            element(
                "div",
                element("button", "Approve", name="decision", value="approve", class_="yes"),
                element("button", "Reject", name="decision", value="reject", class_="no"),
                class_="choices",
            ),
            method="post",
            autocomplete="off",
        ),
        element(
            "p",
            f"You decide as {named}. This link counts once, until ",
            _time(opened.link.expires_at),
            "; whoever has it can decide in your name.",
            class_="soft small",
        ),
    )


def _change(item: ApprovalItem, typed: Typed) -> Html | None:
    """A browser leaves out a line break that comes first in a textarea: so ours stands there, and none of theirs is lost."""
    whole = written(item.submitted_data)
    if not may_change(item):
        return None
    return element(
        "details",
        element("summary", "Change what is decided on"),
        element("label", "As JSON", for_="data"),
        element(
            "textarea",
            together("\n", whole if typed.data is None else typed.data),
            id="data",
            name="data",
            class_="code",
            spellcheck="false",
        ),
        open=typed.data is not None,
    )


def may_change(item: ApprovalItem) -> bool:
    return item.allow_data_modification and len(written(item.submitted_data)) <= DATA_MAX


def _told(opened: Opened) -> bytes:
    """Why there is nothing to decide by this link."""
    item, who = opened.item, opened.who
    match opened.hindrance:
        case "gone":
            what = f"This link was made for {opened.link.member}, who is not a member any more."
            return _notice(
                "Nothing can be decided by this link", "wait", what, "Somebody else who is asked has to decide it."
            )
        case "settled":
            return _settled(opened)
        case "used":
            return _voted(opened)
        case "over":
            due = "" if item.due_date is None else f", {_said(item.due_date)}"
            settled = {"approve": "It counts as approved", "reject": "It counts as rejected"}
            follows = settled.get(item.on_timeout, "Its step fails")
            return _notice(
                title_of(item), "wait", f"Its time is over{due}: nobody can decide it any more.", f"{follows}."
            )
        case "not_asked":
            return _notice(
                title_of(item), "wait", f"{who} is not asked to decide this any more.", "Whoever is asked has to."
            )
        case "starter":
            what = f"{who} has started what this is about, and may not decide it."
            return _notice(title_of(item), "wait", what, "Somebody else has to.")
        case "claimed":
            what = f"{item.claimed_by} has taken this on, and decides it."
            return _notice(title_of(item), "wait", what, "Should they let go of it, this link works again.")
        case None:
            raise AssertionError("it can be decided")
        case other:
            assert_never(other)


def _settled(opened: Opened) -> bytes:
    item = opened.item
    if item.decision is None:
        what = "Nobody needs to decide this any more: what asked for it has ended, or gone on without it."
        return _notice(title_of(item), "wait", what)
    tone, word = ("yes", "Approved") if item.decision == "approve" else ("no", "Rejected")
    if item.decided_by == "system":
        by: Inside = " because its time was over"
    elif item.decided_by == opened.link.member:
        by = f" by you, {item.decided_by}"
    else:
        by = f" by {item.decided_by}"
    at = None if item.decided_at is None else together(", ", _time(item.decided_at))
    comments = None if not item.comments else element("p", item.comments, class_="said")
    head = element(
        "header",
        element("p", together(element("span", f"{_MARKS[tone]} {word}", class_="mark"), by, at)),
        element("h1", title_of(item)),
        comments,
        None if item.modified_data is None else element("p", "What was decided on was changed with it.", class_="soft"),
        element("p", "There is nothing more to do here.", class_="soft"),
        class_=tone,
    )
    return _page(f"{word}: {title_of(item)}", head)


def _voted(opened: Opened) -> bytes:
    item = opened.item
    mine = next((vote for vote in item.votes if vote.by == opened.link.member), None)
    said = "" if mine is None else f" You said: {mine.decision}."
    what = f"Your vote is kept.{said} Others have to vote as well: {_count(item)}."
    return _notice(title_of(item), "yes", what, "This link is used up. To change your vote, ask for a new one.")


def _count(item: ApprovalItem) -> str:
    approve = sum(vote.decision == "approve" for vote in item.votes)
    return f"{item.votes_required} needed; {approve} to approve, {len(item.votes) - approve} to reject so far"


_MARKS: Final = {"yes": "✓", "no": "✗"}


def _notice(title: str, tone: str, *said: str) -> bytes:
    first, *others = said
    rest = [element("p", each, class_="soft") for each in others]
    return _page(title, element("header", element("h1", title), element("p", first), *rest, class_=tone))


def _page(title: str, *inside: Inside) -> bytes:
    head = together(
        element("meta", charset="utf-8"),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="color-scheme", content="light dark"),
        element("meta", name="robots", content="noindex, nofollow"),
        style(CSS),
    )
    return document(f"{title} · Perdure", head, element("main", *inside))


def _row(name: str, value: Inside) -> Html | None:
    return None if value is None else together(element("dt", name), element("dd", value))


def written(data: Any) -> str:
    """As JSON, for people."""
    return escape_unprintable(msgspec.json.format(msgspec.json.encode(data), indent=2).decode())


def _time(ms: int) -> Html:
    return element("time", _said(ms), datetime=iso(ms))


def _said(ms: int) -> str:
    """A server does not know where its reader is."""
    try:
        return f"{datetime.fromtimestamp(ms / 1_000, UTC):%-d %B %Y, %H:%M} UTC"
    except (OverflowError, ValueError):  # `datetime` has no year 0
        return iso(ms)
